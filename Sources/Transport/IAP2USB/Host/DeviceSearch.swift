// swift-iap2 · Apache-2.0

import IAP2Transport
import Synchronization

/// Waits for devices on this machine's USB, one after another: one that was used is used again once it was unplugged and
/// came back.
final class DeviceSearch: Sendable {
  private struct State: Sendable {
    /// The one that was used last.
    var used: AttachedDevice.Attachment?
    var isClosed = false
  }

  /// How often the list of devices is read while none is there. A person does not plug faster, and reading it costs
  /// little; the notices of the kernel would need udev, which not every system has.
  static let pause = Duration.milliseconds(200)
  /// A device that has just come may belong to root until udev has been there.
  private static let attempts = 10

  let address: String
  private let waits: Bool
  private let fitting: @Sendable () throws(TransportError) -> [AttachedDevice]
  private let state = Mutex(State())

  /// - Parameters:
  ///   - waits: for a device to come; otherwise none is an error.
  ///   - fitting: the devices that are meant and can be used.
  init(
    _ address: String, waits: Bool, fitting: @escaping @Sendable () throws(TransportError) -> [AttachedDevice]
  ) throws(TransportError) {
    self.address = address
    self.waits = waits
    self.fitting = fitting
    guard LibUSB.version != nil else { throw .notBuilt(address: address, trait: "USB") }
    if !waits, try found() == nil { throw .notFound(address: address) }
  }

  /// Does something with the next device, on a thread of its own; nil when there are no more.
  ///
  /// - Parameter body: may be called anew, with the same device or another, when it failed for what may pass.
  func next<Value: Sendable>(
    _ body: @escaping @Sendable (AttachedDevice) throws(TransportError) -> Value
  ) async throws(TransportError) -> Value? {
    var denied = 0
    // Somebody else has them.
    var busy: Set<AttachedDevice.Attachment> = []
    while !state.withLock({ $0.isClosed }), !Task.isCancelled {
      if let device = try found(except: busy) {
        do throws(TransportError) {
          state.withLock { $0.used = device.attachment }
          return try await onOwnThread { () throws(TransportError) in try body(device) }
        } catch {
          forget()
          switch error {
          // It has gone again meanwhile.
          case .notFound, .unplugged: guard waits else { throw error }
          case .permissionDenied:
            denied += 1
            guard denied < Self.attempts else { throw error }
          case .system:
            // A cable that is pulled shows as a transfer that fails before it shows as a device that is gone.
            do { try await Task.sleep(for: Self.pause) } catch { return nil }
            guard waits, !isAttached(device) else { throw error }
          case .addressInUse:
            busy.insert(device.attachment)
            guard try found(except: busy) != nil else { throw error }
            continue
          case .refused, .unreachable, .notBuilt, .bluetooth, .deviceMode, .closed: throw error
          }
        }
      } else if !waits {
        throw .notFound(address: address)
      }
      do { try await Task.sleep(for: Self.pause) } catch { return nil }
    }
    return nil
  }

  private func isAttached(_ device: AttachedDevice) -> Bool {
    AttachedDevice.all().contains { $0.attachment == device.attachment }
  }

  /// The device may be used again as it is.
  func forget() { state.withLock { $0.used = nil } }

  /// The first device that is meant and was not used since it was plugged in.
  private func found(
    except busy: Set<AttachedDevice.Attachment> = []
  ) throws(TransportError) -> AttachedDevice? {
    let used = state.withLock { $0.used }
    return try fitting().first { $0.attachment != used && !busy.contains($0.attachment) }
  }

  func close() { state.withLock { $0.isClosed = true } }
}
