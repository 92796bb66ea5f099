// swift-iap2 · Apache-2.0

import Glibc
public import IAP2Transport

/// A source of the accessories on this machine's USB, one after another. A device that was served is served again after
/// it was unplugged and plugged in.
public final class USBHostSource: TransportSource {
  private let search: DeviceSearch

  /// The transport string of the wanted accessories.
  public var address: String { search.address }

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - wanted: The accessories that the source opens.
  ///   - waits: Whether to wait for a device. If false, an absent device is an error.
  /// - Throws: `notFound` without an accessory if `waits` is false; `notBuilt` without the trait `USB`.
  public convenience init(_ wanted: USBAddress = USBAddress(), waits: Bool) throws(TransportError) {
    try self.init(wanted, waits: waits, except: [])
  }

  /// Creates a source that ignores some devices.
  ///
  /// - Parameter known: The attachments that are ignored.
  init(_ wanted: USBAddress, waits: Bool, except known: Set<AttachedDevice.Attachment>) throws(TransportError) {
    search = try DeviceSearch(wanted.description, waits: waits) { () throws(TransportError) in
      try Self.usable(wanted, among: AttachedDevice.all(), except: known, waits: waits)
    }
  }

  /// Returns the connection to the next accessory; nil once the source is closed.
  public func next() async throws(TransportError) -> (any ByteTransport)? {
    try await search.next { [search] (device) throws(TransportError) in
      try USBHost.open(device) { failure in
        // After a reset by the host, the device is attached as before and may be used again.
        if case .unplugged = failure { search.forget() }
      }
    }
  }

  /// Returns the accessories that are wanted. Throws if a device with the given ids cannot be used, because waiting
  /// would not help. If the source does not wait and there is no accessory, throws for any unusable device.
  static func usable(
    _ wanted: USBAddress, among attached: [AttachedDevice], except known: Set<AttachedDevice.Attachment>, waits: Bool
  ) throws(TransportError) -> [AttachedDevice] {
    let devices = attached.filter { wanted.matches($0) && !known.contains($0.attachment) }
    let accessories = devices.filter { if case .accessory = $0.role { true } else { false } }
    for device in devices where wanted.kind != nil || !waits && accessories.isEmpty {
      switch device.role {
      case .unusable, .unreadable:
        throw .system(number: EPROTO, operation: "\(wanted): descriptors that `iap2 devices` explains")
      // Every device is without a configuration for a moment after it was plugged in.
      case .unconfigured where !waits:
        throw .system(number: 0, operation: "\(wanted): no configuration is set, as `iap2 devices` explains")
      case .accessory, .phone, .other, .unconfigured: break
      }
    }
    return accessories
  }

  /// Ends the source. Open connections stay open.
  public func close() async { search.close() }
}
