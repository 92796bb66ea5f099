// swift-iap2 · Apache-2.0

/// The answer to a task that waits for the car. If the car never answers, because the app was ended or its connection
/// dropped, the task goes on with a last answer: an app's code in a test does not wait for ever.
final class TaskAnswer<Value: Sendable, Failure: Error> {
  private var continuation: CheckedContinuation<Value, Failure>?
  private let last: Result<Value, Failure>

  init(_ continuation: CheckedContinuation<Value, Failure>, last: Result<Value, Failure>) {
    self.continuation = continuation
    self.last = last
  }

  deinit { continuation?.resume(with: last) }

  func give(_ answer: Result<Value, Failure>) {
    continuation?.resume(with: answer)
    continuation = nil
  }
}
