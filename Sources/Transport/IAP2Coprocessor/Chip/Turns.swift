// swift-iap2 · Apache-2.0

import Synchronization

/// A lock under which one task at a time runs a body, in the order of arrival.
final class Turns: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Runs a body under the lock. A cancelled task still waits, because the task with the lock ends within its own time
  /// limits.
  func take<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws(CoprocessorError) -> Value
  ) async throws(CoprocessorError) -> Value {
    await withCheckedContinuation { (turn: CheckedContinuation<Void, Never>) in
      let isFree = state.withLock { state in
        if state.isTaken {
          state.waiting.append(turn)
          return false
        }
        state.isTaken = true
        return true
      }
      if isFree { turn.resume() }
    }
    defer {
      let next: CheckedContinuation<Void, Never>? = state.withLock { state in
        guard !state.waiting.isEmpty else {
          state.isTaken = false
          return nil
        }
        return state.waiting.removeFirst()
      }
      next?.resume()
    }
    return try await body()
  }
}
