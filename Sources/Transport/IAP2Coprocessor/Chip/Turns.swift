// swift-iap2 · Apache-2.0

import Synchronization

/// Lets one task at a time do something that must not be interrupted by another, in the order in which they came.
final class Turns: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// A cancelled task still waits for its turn: whoever has it ends within the limits of its own work.
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
