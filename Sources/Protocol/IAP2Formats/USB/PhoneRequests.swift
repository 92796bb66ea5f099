// swift-iap2 · Apache-2.0

import IAP2

/// What a phone becomes when it takes the host's place (RoleSwitch.md#switch; high: WIO, CAT, MTK).
public enum USBRoleSwitch: UInt16, Sendable, CaseIterable {
  case plain = 0
  case carPlay = 1
}

/// The eight bytes that begin a control transfer.
package struct USBSetup: Sendable, Equatable {
  package var requestType: UInt8
  package var request: UInt8
  package var value: UInt16
  package var index: UInt16
  package var length: UInt16

  package static let byteCount = 8

  package init(requestType: UInt8, request: UInt8, value: UInt16 = 0, index: UInt16 = 0, length: UInt16 = 0) {
    self.requestType = requestType
    self.request = request
    self.value = value
    self.index = index
    self.length = length
  }

  /// Reads it where eight bytes are known to be.
  package init(reading bytes: RawSpan, at offset: Int = 0) {
    func number(_ place: Int) -> UInt16 {
      UInt16(bytes.byte(offset + place + 1)) << 8 | UInt16(bytes.byte(offset + place))
    }
    self.init(
      requestType: bytes.byte(offset), request: bytes.byte(offset + 1), value: number(2), index: number(4),
      length: number(6))
  }

  package var isToHost: Bool { requestType & 0x80 != 0 }
}

extension USBSetup {
  /// May the phone change roles for CarPlay? Answered with four bytes, little-endian (RoleSwitch.md#query; high).
  package static let roleSwitchQuery = USBSetup(requestType: 0xC0, request: 0x53, length: 4)

  /// Asks the phone to become the host; a stall refuses it (high).
  package static func roleSwitch(_ role: USBRoleSwitch) -> USBSetup {
    USBSetup(requestType: 0x40, request: 0x51, value: role.rawValue)
  }

  /// Lets the phone draw so many milliamperes beyond 500 (high: CAT, ZOO; which of the two numbers is for suspend is
  /// ZOO's alone).
  package static func chargeCurrent(extraMilliamperes: UInt16) -> USBSetup {
    USBSetup(requestType: 0x40, request: 0x40, value: extraMilliamperes, index: extraMilliamperes)
  }

  /// Asks a HID interface for its report descriptor (HID 1.11, section 7.1.1).
  package static func reportDescriptor(interface: UInt8, byteCount: Int) -> USBSetup {
    USBSetup(
      requestType: 0x81, request: 6, value: UInt16(USBDescriptorType.report) << 8, index: UInt16(interface),
      length: UInt16(clamping: byteCount))
  }

  /// Hands an output report to a HID interface (section 7.2.2).
  package static func report(id: UInt8, interface: UInt8, byteCount: Int) -> USBSetup {
    USBSetup(
      requestType: 0x21, request: 9, value: 2 << 8 | UInt16(id), index: UInt16(interface),
      length: UInt16(clamping: byteCount))
  }
}

/// How a phone in device mode answers control requests.
package struct PhoneRequests: Sendable {
  package enum Answer: Sendable, Equatable {
    case reply([UInt8])
    /// Nothing but that it was understood.
    case acknowledge
    /// A report of so many bytes follows.
    case report(byteCount: Int)
    case switchRole(USBRoleSwitch)
    case chargeCurrent(extraMilliamperes: UInt16)
    case stall
  }

  package var table: HIDReportTable
  /// Answers the query with yes, and becomes host when it is asked to.
  package var switchesRoles: Bool

  package init(table: HIDReportTable, switchesRoles: Bool) {
    self.table = table
    self.switchesRoles = switchesRoles
  }

  /// The descriptor inside the configuration that names the report descriptor (HID 1.11, section 6.2.1).
  package var hidDescriptor: [UInt8] {
    let count = table.descriptor.count
    return [
      9, USBDescriptorType.hid, 0x11, 0x01, 0, 1, USBDescriptorType.report, UInt8(count & 255), UInt8(count >> 8),
    ]
  }

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
    // SET_IDLE: reports are sent when there is something to send, as they would be anyhow.
    case (0x21, 0x0A): setup.length == 0 ? .acknowledge : .stall
    default: .stall
    }
  }

  private func reply(_ bytes: [UInt8], _ setup: USBSetup) -> Answer { .reply(Array(bytes.prefix(Int(setup.length)))) }
}

/// A HID interface of a device that may be a phone's, as the configurations tell it; its report table says whether it is.
package struct ReportInterface: Sendable, Equatable {
  package var configuration: UInt8
  package var interface: UInt8
  package var alternateSetting: UInt8
  package var reportDescriptorByteCount: Int
  package var toHost: USBEndpoint

  /// A phone's reports are in configuration 2 (USB.md#phone-configuration-2; high: WIO, IPODG).
  private static let usualConfiguration: UInt8 = 2

  /// The likeliest first: in configuration 2, then in those that follow.
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
