// swift-iap2 · Apache-2.0

import IAP2Transport
import Synchronization

/// A search that waits for devices on this machine's USB, one after another. A device that was used is used again after
/// it was unplugged and plugged in.
final class DeviceSearch: Sendable {
  private struct State: Sendable {
    /// The attachment that was used last.
    var used: AttachedDevice.Attachment?
    var isClosed = false
  }

  /// The time between two readings of the device list while no device is found. A person does not plug devices faster,
  /// and a reading costs little. Kernel notifications would need udev, which not every system has.
  static let pause = Duration.milliseconds(200)
  /// The number of attempts to open a device without permission. A new device may belong to root until udev has handled
  /// it.
  private static let attempts = 10

  let address: String
  private let waits: Bool
  private let fitting: @Sendable () throws(TransportError) -> [AttachedDevice]
  private let state = Mutex(State())

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - waits: Whether to wait for a device. If false, an absent device is an error.
  ///   - fitting: Returns the devices that are wanted and can be used.
  init(
    _ address: String, waits: Bool, fitting: @escaping @Sendable () throws(TransportError) -> [AttachedDevice]
  ) throws(TransportError) {
    self.address = address
    self.waits = waits
    self.fitting = fitting
    guard LibUSB.version != nil else { throw .notBuilt(address: address, trait: "USB") }
    if !waits, try found() == nil { throw .notFound(address: address) }
  }

  /// Calls `body` with the next device on a new thread. Returns nil when the search is closed or the task is cancelled.
  ///
  /// - Parameter body: May be called again, with the same device or another, after an error that may be temporary.
  func next<Value: Sendable>(
    _ body: @escaping @Sendable (AttachedDevice) throws(TransportError) -> Value
  ) async throws(TransportError) -> Value? {
    var denied = 0
    // The devices that another program uses.
    var busy: Set<AttachedDevice.Attachment> = []
    while !state.withLock({ $0.isClosed }), !Task.isCancelled {
      if let device = try found(except: busy) {
        do throws(TransportError) {
          state.withLock { $0.used = device.attachment }
          return try await onOwnThread(usbThread) { () throws(TransportError) in try body(device) }
        } catch {
          forget()
          switch error {
          // The device was unplugged meanwhile.
          case .notFound, .unplugged: guard waits else { throw error }
          case .permissionDenied:
            denied += 1
            guard denied < Self.attempts else { throw error }
          case .system:
            // After a cable is pulled, a transfer fails before the device disappears from the list.
            do { try await Task.sleep(for: Self.pause) } catch { return nil }
            guard waits, !isAttached(device) else { throw error }
          case .addressInUse:
            busy.insert(device.attachment)
            guard try found(except: busy) != nil else { throw error }
            continue
          case .refused, .unreachable, .notBuilt, .specific, .closed: throw error
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

  /// Allows the same attachment to be used again.
  func forget() { state.withLock { $0.used = nil } }

  /// Returns the first wanted device that was not used since it was plugged in.
  private func found(
    except busy: Set<AttachedDevice.Attachment> = []
  ) throws(TransportError) -> AttachedDevice? {
    let used = state.withLock { $0.used }
    return try fitting().first { $0.attachment != used && !busy.contains($0.attachment) }
  }

  func close() { state.withLock { $0.isClosed = true } }
}
