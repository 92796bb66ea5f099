// swift-iap2 · Apache-2.0

import Foundation
import Glibc

/// Starts a thread that may block. The lab finds leaked threads by their names.
package func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) { _ = canStartThread(name, body) }

/// Starts a thread like ``startThread(_:_:)``.
///
/// - Returns: false if the system refuses another thread, as under a limit of memory. Then `body` is not called.
package func canStartThread(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
  // `Thread` would not report that it could not start.
  let start = unsafe Unmanaged.passRetained(ThreadStart(name: name, body: body))
  var thread = pthread_t()
  let result = unsafe pthread_create(
    &thread, nil,
    { argument in
      guard let argument = unsafe argument else { return nil }
      let start = unsafe Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
      Thread.current.name = start.name
      start.body()
      return nil
    }, start.toOpaque())
  guard result == 0 else {
    unsafe start.release()
    return false
  }
  pthread_detach(thread)
  return true
}

/// The work of a thread that is about to start.
private final class ThreadStart: Sendable {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}

/// Runs a blocking body on a new thread and returns its result. Cancelling the calling task does not interrupt the
/// body.
package func onOwnThread<Value: Sendable>(
  _ name: String, _ body: @escaping @Sendable () throws(TransportError) -> Value
) async throws(TransportError) -> Value {
  let result = await withCheckedContinuation { (waiting: CheckedContinuation<Result<Value, TransportError>, Never>) in
    let isStarted = canStartThread(name) {
      do throws(TransportError) { waiting.resume(returning: .success(try body())) } catch {
        waiting.resume(returning: .failure(error))
      }
    }
    if !isStarted { waiting.resume(returning: .failure(.system(number: EAGAIN, operation: "start a thread"))) }
  }
  return try result.get()
}
