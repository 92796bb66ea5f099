// swift-iap2 · Apache-2.0

import IAP2

/// The purpose for which a phone becomes the USB host (RoleSwitch.md#switch; high: WIO, CAT, MTK).
public enum USBRoleSwitch: UInt16, Sendable, CaseIterable {
  /// A role switch without CarPlay.
  case plain = 0
  /// A role switch for CarPlay.
  case carPlay = 1
}

/// The setup packet of a control transfer: its first eight bytes.
package struct USBSetup: Sendable, Equatable {
  /// `bmRequestType`: direction, type and recipient.
  package var requestType: UInt8
  /// `bRequest`: the request.
  package var request: UInt8
  /// `wValue`.
  package var value: UInt16
  /// `wIndex`.
  package var index: UInt16
  /// `wLength`: the size of the data in bytes.
  package var length: UInt16

  /// The size of a setup packet in bytes.
  package static let byteCount = 8

  /// Creates a setup packet.
  package init(requestType: UInt8, request: UInt8, value: UInt16 = 0, index: UInt16 = 0, length: UInt16 = 0) {
    self.requestType = requestType
    self.request = request
    self.value = value
    self.index = index
    self.length = length
  }

  /// Reads a setup packet at an offset at which eight bytes exist.
  package init(reading bytes: RawSpan, at offset: Int = 0) {
    func number(_ place: Int) -> UInt16 {
      UInt16(bytes.byte(offset + place + 1)) << 8 | UInt16(bytes.byte(offset + place))
    }
    self.init(
      requestType: bytes.byte(offset), request: bytes.byte(offset + 1), value: number(2), index: number(4),
      length: number(6))
  }

  /// Whether the data goes to the host.
  package var isToHost: Bool { requestType & 0x80 != 0 }
}

extension USBSetup {
  /// Asks whether the phone supports a role switch for CarPlay. The answer has four bytes, little-endian
  /// (RoleSwitch.md#query; high).
  package static let roleSwitchQuery = USBSetup(requestType: 0xC0, request: 0x53, length: 4)

  /// Returns the request for the phone to become the host. A stall refuses it (RoleSwitch.md#switch; high).
  package static func roleSwitch(_ role: USBRoleSwitch) -> USBSetup {
    USBSetup(requestType: 0x40, request: 0x51, value: role.rawValue)
  }

  /// Returns the request that lets the phone draw `extraMilliamperes` beyond 500 mA (RoleSwitch.md#current; medium:
  /// only ZOO states which of the two numbers is for suspend).
  package static func chargeCurrent(extraMilliamperes: UInt16) -> USBSetup {
    USBSetup(requestType: 0x40, request: 0x40, value: extraMilliamperes, index: extraMilliamperes)
  }

  /// Returns the request for the report descriptor of a HID interface (HID 1.11, section 7.1.1).
  package static func reportDescriptor(interface: UInt8, byteCount: Int) -> USBSetup {
    USBSetup(
      requestType: 0x81, request: 6, value: UInt16(USBDescriptorType.report) << 8, index: UInt16(interface),
      length: UInt16(clamping: byteCount))
  }

  /// Returns the request that sends an output report to a HID interface (HID 1.11, section 7.2.2).
  package static func report(id: UInt8, interface: UInt8, byteCount: Int) -> USBSetup {
    USBSetup(
      requestType: 0x21, request: 9, value: 2 << 8 | UInt16(id), index: UInt16(interface),
      length: UInt16(clamping: byteCount))
  }
}

/// The answers of a phone in device mode to control requests.
package struct PhoneRequests: Sendable {
  /// An answer to a control request.
  package enum Answer: Sendable, Equatable {
    /// Data for the host.
    case reply([UInt8])
    /// An acknowledgement without data.
    case acknowledge
    /// The host sends a report of this size after the setup packet.
    case report(byteCount: Int)
    /// The phone acknowledges and then becomes the host.
    case switchRole(USBRoleSwitch)
    /// The phone may draw this current beyond 500 mA.
    case chargeCurrent(extraMilliamperes: UInt16)
    /// The request is refused.
    case stall
  }

  /// The reports of the phone.
  package var table: HIDReportTable
  /// Whether the phone answers the query with yes and becomes the host on request.
  package var switchesRoles: Bool

  /// Creates the answers of a phone.
  package init(table: HIDReportTable, switchesRoles: Bool) {
    self.table = table
    self.switchesRoles = switchesRoles
  }

  /// The HID descriptor in the configuration, which has the size of the report descriptor (HID 1.11, section 6.2.1).
  package var hidDescriptor: [UInt8] {
    let count = table.descriptor.count
    return [
      9, USBDescriptorType.hid, 0x11, 0x01, 0, 1, USBDescriptorType.report, UInt8(count & 255), UInt8(count >> 8),
    ]
  }

  /// Returns the answer to a control request.
  package func answer(_ setup: USBSetup) -> Answer {
    switch (setup.requestType, setup.request) {
    case (0xC0, 0x53): reply([switchesRoles ? 1 : 0, 0, 0, 0], setup)
    case (0x40, 0x51):
      if switchesRoles, setup.length == 0, let role = USBRoleSwitch(rawValue: setup.value) {
        .switchRole(role)
      } else {
        .stall
      }
    case (0x40, 0x40): setup.length == 0 ? .chargeCurrent(extraMilliamperes: setup.index) : .stall
    case (0x81, 6):
      switch UInt8(setup.value >> 8) {
      case USBDescriptorType.report: reply(table.descriptor, setup)
      case USBDescriptorType.hid: reply(hidDescriptor, setup)
      default: .stall
      }
    case (0x21, 9):
      setup.value >> 8 == 2 && Int(setup.length) <= table.maximumTransferByteCount.toDevice && setup.length > 0
        ? .report(byteCount: Int(setup.length)) : .stall
    // SET_IDLE changes nothing: reports are sent only when there are bytes to send.
    case (0x21, 0x0A): setup.length == 0 ? .acknowledge : .stall
    default: .stall
    }
  }

  private func reply(_ bytes: [UInt8], _ setup: USBSetup) -> Answer { .reply(Array(bytes.prefix(Int(setup.length)))) }
}

/// A HID interface that may be a phone's, from the configurations of a device. Only its report table shows whether it
/// is a phone's.
package struct ReportInterface: Sendable, Equatable {
  /// The number of the configuration.
  package var configuration: UInt8
  /// The number of the interface.
  package var interface: UInt8
  /// The alternate setting.
  package var alternateSetting: UInt8
  /// The size of the report descriptor in bytes.
  package var reportDescriptorByteCount: Int
  /// The interrupt endpoint to the host.
  package var toHost: USBEndpoint

  /// The configuration with a phone's reports is number 2 (USB.md#phone-configuration-2; high: WIO, IPODG).
  private static let usualConfiguration: UInt8 = 2

  /// Returns the candidates in order of likelihood: those in configuration 2, then those in other configurations.
  package static func all(in configurations: [USBConfiguration]) -> [ReportInterface] {
    let found = configurations.flatMap { configuration in
      configuration.interfaces.compactMap { candidate -> ReportInterface? in
        guard candidate.use.interfaceClass == USBInterfaceUse.reports.interfaceClass,
          let byteCount = candidate.reportDescriptorByteCount, byteCount > 0,
          let toHost = candidate.endpoints.first(where: { $0.kind == .interrupt && $0.isToHost && $0.isUsable })
        else { return nil }
        return ReportInterface(
          configuration: configuration.number, interface: candidate.number,
          alternateSetting: candidate.alternateSetting, reportDescriptorByteCount: byteCount, toHost: toHost)
      }
    }
    return found.filter { $0.configuration == usualConfiguration }
      + found.filter { $0.configuration != usualConfiguration }
  }
}
