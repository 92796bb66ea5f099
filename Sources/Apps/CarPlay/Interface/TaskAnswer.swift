// swift-iap2 · Apache-2.0

import Synchronization

/// The answer to a task that waits for the car. If the car never answers, because the app was ended or its connection
/// dropped, the task goes on with a last answer: an app's code in a test does not wait for ever.
final class TaskAnswer<Value: Sendable, Failure: Error> {
  private var continuation: CheckedContinuation<Value, Failure>?
  private let last: Result<Value, Failure>

  init(_ continuation: CheckedContinuation<Value, Failure>, last: Result<Value, Failure>) {
    self.continuation = continuation
    self.last = last
  }

  deinit { resume(last) }

  func give(_ answer: Result<Value, Failure>) {
    resume(answer)
    continuation = nil
  }

  private func resume(_ answer: Result<Value, Failure>) {
    guard let continuation else { return }
    AnsweredTasks.begin()
    continuation.resume(with: answer)
  }
}

/// The tasks that have their answer and have not gone on yet.
///
/// A task goes on by way of another thread, which a busy machine may stop for milliseconds. The car is not idle before
/// that thread has come back to the main queue.
package enum AnsweredTasks {
  private static let count = Atomic(0)

  /// Whether there are any.
  package static var areThere: Bool { count.load(ordering: .acquiring) > 0 }

  fileprivate static func begin() { count.add(1, ordering: .acquiringAndReleasing) }

  /// Called by each task that waited for an answer, once it is back on the main actor.
  static func end() { count.subtract(1, ordering: .acquiringAndReleasing) }
}
