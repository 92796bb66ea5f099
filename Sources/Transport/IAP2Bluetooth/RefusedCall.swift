// swift-iap2 · Apache-2.0

import IAP2Transport

#if Bluetooth
  import Glibc
#endif

/// The limits of repeated attempts to connect.
///
/// Linux keeps an unused ACL link, and an unused RFCOMM session, for 2 s after its last channel was closed. An attempt
/// to connect that comes while either is being closed fails as if the peer had refused it, and the next attempt
/// succeeds. If the peer really refuses, the last attempt is reported.
enum RefusedCall {
  static let attempts = 3
  static let pauseMilliseconds: UInt32 = 300

  /// Returns the result of an attempt, and repeats an attempt that was refused.
  ///
  /// - Parameter pause: Waits before another attempt.
  static func repeating<Value>(
    pause: () -> Void = wait, _ attempt: () throws(TransportError) -> Value
  ) throws(TransportError) -> Value {
    for _ in 1..<attempts {
      do throws(TransportError) { return try attempt() } catch {
        guard error.bluetoothProblem == .refused else { throw error }
      }
      pause()
    }
    return try attempt()
  }

  private static func wait() {
    #if Bluetooth
      usleep(pauseMilliseconds * 1_000)
    #endif
  }
}
