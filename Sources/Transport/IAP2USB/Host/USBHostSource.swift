// swift-iap2 · Apache-2.0

import Glibc
public import IAP2Transport

/// Accessories on this machine's USB, one after another: a device that was served is served again once it was unplugged
/// and came back.
public final class USBHostSource: TransportSource {
  private let search: DeviceSearch

  public var address: String { search.address }

  /// - Parameter waits: for a device to come; otherwise none is an error.
  public convenience init(_ wanted: USBAddress, waits: Bool) throws(TransportError) {
    try self.init(wanted, waits: waits, except: [])
  }

  /// - Parameter known: devices that are not meant, as long as they stay attached.
  init(_ wanted: USBAddress, waits: Bool, except known: Set<AttachedDevice.Attachment>) throws(TransportError) {
    search = try DeviceSearch(wanted.description, waits: waits) { () throws(TransportError) in
      try Self.usable(wanted, among: AttachedDevice.all(), except: known, waits: waits)
    }
  }

  public func next() async throws(TransportError) -> (any ByteTransport)? {
    try await search.next { [search] (device) throws(TransportError) in
      try USBHost.open(device) { failure in
        // A device that the host has reset is there again as it was.
        if case .unplugged = failure { search.forget() }
      }
    }
  }

  /// The accessories that are meant. One that was named and cannot be used is an error, for waiting would not help; where
  /// nobody waits, so is any that is the only one.
  static func usable(
    _ wanted: USBAddress, among attached: [AttachedDevice], except known: Set<AttachedDevice.Attachment>, waits: Bool
  ) throws(TransportError) -> [AttachedDevice] {
    let devices = attached.filter { wanted.matches($0) && !known.contains($0.attachment) }
    let accessories = devices.filter { if case .accessory = $0.role { true } else { false } }
    for device in devices where wanted.kind != nil || !waits && accessories.isEmpty {
      switch device.role {
      case .unusable, .unreadable:
        throw .system(number: EPROTO, operation: "\(wanted): descriptors that `iap2 devices` explains")
      // Each device is so for a moment when it has come.
      case .unconfigured where !waits:
        throw .system(number: 0, operation: "\(wanted): no configuration is set, as `iap2 devices` explains")
      case .accessory, .phone, .other, .unconfigured: break
      }
    }
    return accessories
  }

  public func close() async { search.close() }
}
