// swift-iap2 · Apache-2.0

import IAP2
import IAP2Formats

/// A USB device of a capture, as far as iAP2 concerns it.
package struct USBSighting: Sendable, Equatable {
  package var bus: UInt16
  package var device: UInt8
  /// It showed its configuration.
  package var isDescribed = false
  /// The configuration has the interface of accessories, FF/F0/00.
  package var hasInterface = false
  /// 0x53: whether the phone can become the host; nil where it was not asked.
  package var query: Request?
  /// 0x51: become the host; the same.
  package var roleSwitch: Request?
  /// Where any of this was last seen.
  package var record = 0
  package var time: Double?
  /// It was pulled, or left the bus.
  var end: TransportEnd?

  /// What became of a request.
  package enum Request: Sendable, Equatable { case unanswered, accepted, refused }

  /// Something that a device without iAP2 does not show.
  package var concernsIAP2: Bool { hasInterface || query != nil || roleSwitch != nil }
}

/// The devices of a USB capture. Requests: RoleSwitch.md#requests (high).
package struct USBSightings: Sendable, Equatable {
  package private(set) var devices: [USBSighting] = []
  /// The last vendor request of each device that waits for its completion.
  private var pending: [(id: UInt64, device: Int, request: UInt8)] = []

  /// A bus has at most 127 devices, and a capture rarely more than ten.
  private static let maximumDevices = 256
  private static let maximumPending = 64

  package static func == (a: Self, b: Self) -> Bool { a.devices == b.devices }

  private enum VendorRequest {
    static let become = USBSetup.roleSwitch(.carPlay).request
    static let query = USBSetup.roleSwitchQuery.request
    /// Vendor, device: towards the device and towards the host.
    static let types: [UInt8] = [0x40, 0xC0]
  }

  private mutating func index(_ transfer: USBTransfer) -> Int? {
    // Those that were seen last are wanted again.
    if let known = devices.lastIndex(where: { $0.bus == transfer.bus && $0.device == transfer.device }) {
      return known
    }
    guard devices.count < Self.maximumDevices else { return nil }
    devices.append(USBSighting(bus: transfer.bus, device: transfer.device))
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
      // Known from here on: its end is wanted later.
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
      // Four bytes, the first of which is 1, mean that it can.
      let agrees =
        request == VendorRequest.become || (!transfer.data.isEmpty && bytes.byte(transfer.data.lowerBound) == 1)
      set(transfer.succeeded && agrees ? .accepted : .refused, request, index, moment)
    }
  }

  /// The transfer's device says what it is.
  mutating func note(_ configuration: USBConfiguration, of transfer: USBTransfer, at moment: CaptureMoment) {
    guard let index = index(transfer) else { return }
    devices[index].isDescribed = true
    if configuration.interfaces.contains(where: { $0.use == .link }) { devices[index].hasInterface = true }
    mark(index, moment)
  }

  private mutating func set(
    _ state: USBSighting.Request, _ request: UInt8, _ index: Int, _ moment: CaptureMoment
  ) {
    if request == VendorRequest.query { devices[index].query = state } else { devices[index].roleSwitch = state }
    mark(index, moment)
  }

  private mutating func mark(_ index: Int, _ moment: CaptureMoment) {
    devices[index].record = moment.record
    devices[index].time = moment.time
  }
}
