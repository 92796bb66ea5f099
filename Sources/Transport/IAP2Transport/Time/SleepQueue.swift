// swift-iap2 · Apache-2.0

package import IAP2
import Synchronization

/// The tasks that sleep on a clock that this process itself moves.
package final class SleepQueue: Sendable {
  /// A sleeping task that its owner has taken from the queue and must wake.
  package struct Sleeper: Sendable {
    package let deadline: MonotonicTime
    fileprivate let order: Int
    fileprivate let continuation: CheckedContinuation<Bool, Never>

    package func wake() { continuation.resume(returning: true) }
  }

  private struct State {
    var sleepers: [Sleeper] = []
    /// The sleeps that were cancelled before they were in ``sleepers``.
    var cancelled: Set<Int> = []
    var order = 0
    /// Whether no task sleeps any more.
    var isFinished = false
  }

  private let state = Mutex(State())

  package init() {}

  package var isEmpty: Bool { state.withLock(\.sleepers.isEmpty) }
  package var firstDeadline: MonotonicTime? { state.withLock { $0.sleepers.map(\.deadline).min() } }

  /// Takes the task with the earliest deadline; of equal ones, the one that slept first.
  package func takeFirst() -> Sleeper? {
    state.withLock { state in
      guard
        let index = state.sleepers.indices.min(by: {
          (state.sleepers[$0].deadline, state.sleepers[$0].order) < (
            state.sleepers[$1].deadline, state.sleepers[$1].order
          )
        })
      else { return nil }
      return state.sleepers.remove(at: index)
    }
  }

  /// Takes the tasks whose deadline has come.
  package func takeDue(at now: MonotonicTime) -> [Sleeper] {
    state.withLock { state in
      let due = state.sleepers.filter { $0.deadline <= now }
      if !due.isEmpty { state.sleepers.removeAll { $0.deadline <= now } }
      return due
    }
  }

  /// Ends all sleeps, and each later one at once, as if their tasks were cancelled.
  package func finish() {
    let sleepers = state.withLock { state in
      state.isFinished = true
      defer { state.sleepers = [] }
      return state.sleepers
    }
    for sleeper in sleepers { sleeper.continuation.resume(returning: false) }
  }

  /// Returns when the owner wakes the task. Throws when the task is cancelled, and when the queue is finished.
  ///
  /// - Parameter whenAdded: Called when the task is in the queue.
  package func sleep(
    until deadline: MonotonicTime, whenAdded: @escaping @Sendable () -> Void = {}
  ) async throws(CancellationError) {
    let order = state.withLock { state in
      state.order += 1
      return state.order
    }
    let hasSlept = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
        let isCancelled = state.withLock { state in
          if state.isFinished || state.cancelled.remove(order) != nil { return true }
          state.sleepers.append(Sleeper(deadline: deadline, order: order, continuation: continuation))
          return false
        }
        if isCancelled { continuation.resume(returning: false) } else { whenAdded() }
      }
    } onCancel: {
      let sleeper: Sleeper? = state.withLock { state in
        guard let index = state.sleepers.firstIndex(where: { $0.order == order }) else {
          state.cancelled.insert(order)
          return nil
        }
        return state.sleepers.remove(at: index)
      }
      sleeper?.continuation.resume(returning: false)
    }
    state.withLock { _ = $0.cancelled.remove(order) }
    if !hasSlept { throw CancellationError() }
  }
}
