// swift-iap2 · Apache-2.0

import IAP2Transport

/// The name of every thread that waits for USB. The lab counts threads by this name.
let usbThread = "iap2-usb"

func startThread(_ body: @escaping @Sendable () -> Void) { startThread(usbThread, body) }

func onOwnThread<Value: Sendable>(
  _ body: @escaping @Sendable () throws(TransportError) -> Value
) async throws(TransportError) -> Value { try await onOwnThread(usbThread, body) }
