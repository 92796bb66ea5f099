// swift-iap2 · Apache-2.0

import IAP2Transport

#if Bluetooth
  import IAP2Transport

  /// The name of every thread that waits for Bluetooth. The lab counts threads by this name.
  let bluetoothThread = "iap2-bluetooth"

  func startThread(_ body: @escaping @Sendable () -> Void) { startThread(bluetoothThread, body) }

  func onOwnThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws(TransportError) -> Value
  ) async throws(TransportError) -> Value { try await onOwnThread(bluetoothThread, body) }
#endif
