// swift-iap2 · Apache-2.0

#if Bluetooth
  import Foundation
  import IAP2Runtime

  /// Starts a thread that may block; its name lets the lab count those that are left.
  func startThread(_ body: @escaping @Sendable () -> Void) {
    Thread.detachNewThread {
      Thread.current.name = "iap2-bluetooth"
      body()
    }
  }

  /// Runs what may block on a thread of its own.
  func onOwnThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws(TransportError) -> Value
  ) async throws(TransportError) -> Value {
    let result = await withCheckedContinuation { (waiting: CheckedContinuation<Result<Value, TransportError>, Never>) in
      startThread {
        do throws(TransportError) { waiting.resume(returning: .success(try body())) } catch {
          waiting.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }
#endif
