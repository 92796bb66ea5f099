// swift-iap2 · Apache-2.0

import Glibc
public import IAP2Runtime
import Synchronization

/// Accessories on this machine's USB, one after another: a device that was served is served again once it was unplugged
/// and came back.
public final class USBHostSource: TransportSource {
  private struct State: Sendable {
    /// The one that was served last; its number changes when it is plugged in anew.
    var served: AttachedDevice?
    var isClosed = false
  }

  /// How often the list of devices is read while none is there. A person does not plug faster, and reading it costs
  /// little; the notices of the kernel would need udev, which not every system has.
  private static let pause = Duration.milliseconds(200)
  /// A device that has just come may belong to root until udev has been there.
  private static let attempts = 10

  private let wanted: USBAddress
  private let waits: Bool
  private let state = Mutex(State())

  public var address: String { wanted.description }

  /// - Parameter waits: for a device to come; otherwise none is an error.
  public init(_ wanted: USBAddress, waits: Bool) throws(TransportError) {
    self.wanted = wanted
    self.waits = waits
    guard LibUSB.version != nil else { throw .notBuilt(address: wanted.description, trait: "USB") }
    if !waits, try found() == nil { throw .notFound(address: address) }
  }

  public func next() async throws(TransportError) -> (any ByteTransport)? {
    var denied = 0
    while !state.withLock({ $0.isClosed }), !Task.isCancelled {
      if let device = try found() {
        do throws(TransportError) {
          state.withLock { $0.served = device }
          return try await onOwnThread { () throws(TransportError) in
            try USBHost.open(device) { failure in
              // A device that the host has reset is there again as it was.
              if case .unplugged = failure { self.state.withLock { $0.served = nil } }
            }
          }
        } catch {
          state.withLock { $0.served = nil }
          switch error {
          // It has gone again meanwhile.
          case .notFound, .unplugged: guard waits else { throw error }
          case .permissionDenied:
            denied += 1
            guard denied < Self.attempts else { throw error }
          case .refused, .unreachable, .addressInUse, .notBuilt, .bluetooth, .closed, .system: throw error
          }
        }
      } else if !waits {
        throw .notFound(address: address)
      }
      do { try await Task.sleep(for: Self.pause) } catch { return nil }
    }
    return nil
  }

  /// The first accessory that is meant and was not served since it was plugged in.
  private func found() throws(TransportError) -> AttachedDevice? {
    let served = state.withLock { $0.served }
    return try usable().first { device in
      device.port != served?.port || device.number != served?.number || device.bus != served?.bus
    }
  }

  /// The accessories that are meant. One that was named and cannot be used is an error, for waiting would not help.
  private func usable() throws(TransportError) -> [AttachedDevice] {
    let devices = AttachedDevice.all().filter(wanted.matches)
    for device in devices where wanted.kind != nil {
      switch device.role {
      case .unusable, .unreadable:
        throw .system(number: EPROTO, operation: "\(address): descriptors that `iap2 devices` explains")
      case .accessory, .phone, .other: break
      }
    }
    return devices.filter { if case .accessory = $0.role { true } else { false } }
  }

  public func close() async { state.withLock { $0.isClosed = true } }
}
