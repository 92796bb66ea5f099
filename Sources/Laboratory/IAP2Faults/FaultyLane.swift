// swift-iap2 · Apache-2.0

import Basics
import FaultModel
import IAP2
import IAP2Transport
import Synchronization

/// A ``FaultLane`` between tasks: one writes, one reads.
final class FaultyLane: Sendable {
  /// Bytes on their way: more than any window, so that the link's own limits count.
  private static let capacityByteCount = 1 << 22

  private let state: Mutex<LinkLane>
  let arrived = Signal()
  private let hasRoom = Signal()

  init(_ plan: FaultPlan.Direction, seed: UInt64, start: MonotonicTime) {
    state = Mutex(FaultLane(plan, seed: seed, start: start))
  }

  func happened(_ event: String, at now: MonotonicTime) {
    state.withLock { $0.happened(event, at: now) }
    arrived.notify()
  }

  func goHalfOpen(at now: MonotonicTime) {
    state.withLock { $0.goHalfOpen(at: now) }
    arrived.notify()
  }

  func change(_ change: (inout LinkConditions) -> Void) { state.withLock { change(&$0.conditions) } }

  func isHalfOpen(at now: MonotonicTime) -> Bool { state.withLock { $0.isHalfOpen(at: now) } }

  /// Adds bytes, and waits while the lane is full.
  ///
  /// - Returns: false if the lane is finished.
  func enter(_ bytes: [UInt8], at now: MonotonicTime) async -> Bool {
    while true {
      let outcome: Bool? = state.withLock { lane in
        guard lane.isOpen else { return false }
        guard lane.byteCount < Self.capacityByteCount else { return nil }
        lane.enter(packets: bytes, at: now)
        return true
      }
      if let outcome {
        arrived.notify()
        return outcome
      }
      if Task.isCancelled { return false }
      await hasRoom.wait()
    }
  }

  func front(at now: MonotonicTime) -> LinkLane.Front {
    let front = state.withLock { $0.front(at: now) }
    if case .bytes = front { hasRoom.notify() }
    return front
  }

  func finish(_ error: TransportError? = nil, discarding: Bool = false) {
    state.withLock { $0.finish(error, discarding: discarding) }
    arrived.notify()
    hasRoom.notify()
  }
}
