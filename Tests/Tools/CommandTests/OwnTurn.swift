// swift-iap2 · Apache-2.0

import Foundation
import Synchronization
import Testing

/// A trait that limits the number of running commands and waits for them on separate threads. If all ran at once, each
/// would get a hundredth of a processor, and the output of a command would be read too late.
struct OwnTurn: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  /// The limit is above the number of processors, because most commands wait most of the time.
  private static let turns = Turns(2 * ProcessInfo.processInfo.activeProcessorCount)
  private static let threads = OwnThreads()

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Self.turns.take()
    defer { Self.turns.giveBack() }
    try await withTaskExecutorPreference(Self.threads) { try await function() }
  }
}

extension Trait where Self == OwnTurn {
  static var ownTurn: Self { Self() }
}

private final class Turns: Sendable {
  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  init(_ count: Int) { state = Mutex(State(free: count)) }

  func take() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.free > 0 else {
          state.waiting.append(continuation)
          return false
        }
        state.free -= 1
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  func giveBack() {
    let next: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.free += 1
      return nil
    }
    next?.resume()
  }
}

private final class OwnThreads: TaskExecutor {
  private let queue = DispatchQueue(label: "commands", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
