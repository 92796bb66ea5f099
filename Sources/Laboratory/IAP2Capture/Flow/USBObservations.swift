// swift-iap2 · Apache-2.0

import IAP2
import IAP2Formats

/// A USB device of a capture, with the facts that concern iAP2.
package struct USBObservation: Sendable, Equatable {
  /// The number of the bus.
  package var bus: UInt16
  /// The device address on the bus.
  package var device: UInt8
  /// Whether the capture has the device's configuration descriptor.
  package var isDescribed = false
  /// Whether the configuration has the accessory interface, FF/F0/00.
  package var hasInterface = false
  /// The state of the vendor request 0x53, which asks whether the phone can become the host; nil when it was not sent.
  package var query: Request?
  /// The state of the vendor request 0x51, which asks the phone to become the host; nil when it was not sent.
  package var roleSwitch: Request?
  /// The number of the last record with a descriptor or a vendor request of the device.
  package var record = 0
  /// The time of that record in seconds; nil when the capture has no times.
  package var time: Double?
  /// The record that shows that the device was disconnected.
  var end: TransportEnd?

  /// The outcome of a vendor request.
  package enum Request: Sendable, Equatable { case unanswered, accepted, refused }

  /// Whether the device shows something that a device without iAP2 does not show.
  package var concernsIAP2: Bool { hasInterface || query != nil || roleSwitch != nil }
}

/// The devices of a USB capture. Requests: RoleSwitch.md#requests (high).
package struct USBObservations: Sendable, Equatable {
  /// The devices in order of appearance.
  package private(set) var devices: [USBObservation] = []
  /// Vendor requests that wait for their completion.
  private var pending: [(id: UInt64, device: Int, request: UInt8)] = []

  /// The maximum number of devices. A bus has at most 127, and captures rarely have more than ten.
  private static let maximumDevices = 256
  private static let maximumPending = 64

  /// Compares the devices only; pending requests do not count.
  package static func == (a: Self, b: Self) -> Bool { a.devices == b.devices }

  private enum VendorRequest {
    static let become = USBSetup.roleSwitch(.carPlay).request
    static let query = USBSetup.roleSwitchQuery.request
    /// bmRequestType of a vendor request to the device: towards the device and towards the host.
    static let types: [UInt8] = [0x40, 0xC0]
  }

  private mutating func index(_ transfer: USBTransfer) -> Int? {
    // The most recent devices are looked up most often.
    if let known = devices.lastIndex(where: { $0.bus == transfer.bus && $0.device == transfer.device }) {
      return known
    }
    guard devices.count < Self.maximumDevices else { return nil }
    devices.append(USBObservation(bus: transfer.bus, device: transfer.device))
    return devices.count - 1
  }

  mutating func note(_ transfer: USBTransfer, _ bytes: RawSpan, at moment: CaptureMoment) {
    switch transfer.kind {
    case USBTransfer.Kind.control: control(transfer, bytes, moment)
    case USBTransfer.Kind.bulk:
      if transfer.isGone,
        let index = devices.lastIndex(where: { $0.bus == transfer.bus && $0.device == transfer.device }),
        devices[index].end == nil
      {
        devices[index].end = TransportEnd(end: nil, moment)
      }
      // Adds the device to the list now, so that its disconnection is recorded later.
      if transfer.hasBytes, !transfer.data.isEmpty { _ = index(transfer) }
    default: return
    }
  }

  private mutating func control(_ transfer: USBTransfer, _ bytes: RawSpan, _ moment: CaptureMoment) {
    if let setup = transfer.setup {
      let request = bytes.byte(setup.lowerBound + 1)
      guard VendorRequest.types.contains(bytes.byte(setup.lowerBound)),
        request == VendorRequest.become || request == VendorRequest.query, let index = index(transfer)
      else { return }
      set(.unanswered, request, index, moment)
      if pending.count == Self.maximumPending { pending.removeFirst() }
      pending.append((transfer.id, index, request))
      return
    }
    guard transfer.isCompletion else { return }
    if let waiting = pending.firstIndex(where: { $0.id == transfer.id }) {
      let (_, index, request) = pending.remove(at: waiting)
      // 0x53 is answered with four bytes; a first byte of 1 means that the phone can become the host.
      let agrees =
        request == VendorRequest.become || (!transfer.data.isEmpty && bytes.byte(transfer.data.lowerBound) == 1)
      set(transfer.succeeded && agrees ? .accepted : .refused, request, index, moment)
    }
  }

  /// Records the configuration that the transfer's device returned.
  mutating func note(_ configuration: USBConfiguration, of transfer: USBTransfer, at moment: CaptureMoment) {
    guard let index = index(transfer) else { return }
    devices[index].isDescribed = true
    if configuration.interfaces.contains(where: { $0.use == .link }) { devices[index].hasInterface = true }
    mark(index, moment)
  }

  private mutating func set(
    _ state: USBObservation.Request, _ request: UInt8, _ index: Int, _ moment: CaptureMoment
  ) {
    if request == VendorRequest.query { devices[index].query = state } else { devices[index].roleSwitch = state }
    mark(index, moment)
  }

  private mutating func mark(_ index: Int, _ moment: CaptureMoment) {
    devices[index].record = moment.record
    devices[index].time = moment.time
  }
}
