// swift-iap2 · Apache-2.0

import Foundation

/// Starts a thread that may block. The lab finds leaked threads by their names.
package func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) {
  Thread.detachNewThread {
    Thread.current.name = name
    body()
  }
}

/// Runs a blocking body on a new thread and returns its result. Cancelling the calling task does not interrupt the
/// body.
package func onOwnThread<Value: Sendable>(
  _ name: String, _ body: @escaping @Sendable () throws(TransportError) -> Value
) async throws(TransportError) -> Value {
  let result = await withCheckedContinuation { (waiting: CheckedContinuation<Result<Value, TransportError>, Never>) in
    startThread(name) {
      do throws(TransportError) { waiting.resume(returning: .success(try body())) } catch {
        waiting.resume(returning: .failure(error))
      }
    }
  }
  return try result.get()
}
