// swift-iap2 · Apache-2.0

import Foundation

/// Starts a thread that may block; its name lets the lab count those that are left.
package func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) {
  Thread.detachNewThread {
    Thread.current.name = name
    body()
  }
}

/// Runs what may block on a thread of its own.
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
