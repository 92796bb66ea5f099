// swift-iap2 · Apache-2.0

import IAP2
import IAP2Transport
import Synchronization

/// One direction of a ``FaultyTransport``: what has entered and has not arrived yet.
final class FaultyLane: Sendable {
  fileprivate enum End {
    case open, over
    case failed(TransportError)
  }

  fileprivate struct State {
    var medium: Medium
    var generator: SeededGenerator
    /// In order of arrival.
    var queue: [Medium.Arrival] = []
    var byteCount = 0
    var stall: (start: MonotonicTime, end: MonotonicTime)?
    var halfOpenAt: MonotonicTime?
    var end = End.open
  }

  /// What the reader of a lane finds.
  enum Front {
    case bytes([UInt8])
    case nothing(until: MonotonicTime?)
    case over(TransportError?)
  }

  /// Bytes on their way: more than any window, so that the link's own limits count.
  private static let capacityByteCount = 1 << 22

  private let plan: FaultPlan.Direction
  private let state: Mutex<State>
  let arrived = Signal()
  private let hasRoom = Signal()

  init(_ plan: FaultPlan.Direction, seed: UInt64, start: MonotonicTime) {
    self.plan = plan
    var generator = SeededGenerator(seed: seed)
    var state = State(medium: Medium(plan.conditions), generator: generator)
    if let stall = plan.stall, let from = stall.start.resolved(from: start, using: &generator) {
      state.stall = (from, from.adding(milliseconds: stall.milliseconds))
    }
    state.halfOpenAt = plan.halfOpen?.resolved(from: start, using: &generator)
    state.generator = generator
    self.state = Mutex(state)
  }

  /// Starts what was to start with this event.
  func happened(_ event: String, at now: MonotonicTime) {
    state.withLock { state in
      if let stall = plan.stall, state.stall == nil, stall.start == .event(event) {
        state.stall = (now, now.adding(milliseconds: stall.milliseconds))
      }
      if state.halfOpenAt == nil, plan.halfOpen == .event(event) { state.halfOpenAt = now }
    }
    arrived.notify()
  }

  func goHalfOpen(at now: MonotonicTime) {
    state.withLock { $0.halfOpenAt = min($0.halfOpenAt ?? now, now) }
    arrived.notify()
  }

  func isHalfOpen(at now: MonotonicTime) -> Bool { state.withLock { $0.halfOpenAt.map { $0 <= now } ?? false } }

  /// Lets bytes in; false once it is over.
  func enter(_ bytes: [UInt8], at now: MonotonicTime) async -> Bool {
    while true {
      let outcome: Bool? = state.withLock { state in
        guard case .open = state.end else { return false }
        guard state.byteCount < Self.capacityByteCount else { return nil }
        for piece in LinkPieces.of(bytes) { state.carry(piece, at: now) }
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

  /// What has arrived, or what there is to wait for.
  func front(at now: MonotonicTime) -> Front {
    let front: Front = state.withLock { state in
      if let time = state.halfOpenAt, time <= now {
        state.queue = []
        state.byteCount = 0
      }
      if let stall = state.stall, stall.start <= now, now < stall.end, !state.queue.isEmpty {
        return .nothing(until: stall.end)
      }
      guard let first = state.queue.first else {
        switch state.end {
        case .open: return .nothing(until: nil)
        case .over: return .over(nil)
        case .failed(let error): return .over(error)
        }
      }
      guard first.time <= now else { return .nothing(until: first.time) }
      state.queue.removeFirst()
      state.byteCount -= first.bytes.count
      return .bytes(first.bytes)
    }
    if case .bytes = front { hasRoom.notify() }
    return front
  }

  /// Nothing more enters; the first call says why.
  func finish(_ error: TransportError? = nil, discarding: Bool = false) {
    state.withLock { state in
      if discarding { state.queue = [] }
      guard case .open = state.end else { return }
      state.end = error.map { .failed($0) } ?? .over
    }
    arrived.notify()
    hasRoom.notify()
  }
}

extension FaultyLane.State {
  fileprivate mutating func carry(_ piece: [UInt8], at now: MonotonicTime) {
    for arrival in medium.carry(piece, at: now, using: &generator) {
      byteCount += arrival.bytes.count
      if arrival.joinsPrevious, !queue.isEmpty {
        queue[queue.count - 1].bytes += arrival.bytes
        continue
      }
      let place = queue.lastIndex { $0.time <= arrival.time }.map { $0 + 1 } ?? 0
      queue.insert(arrival, at: place)
    }
  }
}

extension FaultPlan.Moment {
  /// Nil while it waits for an event.
  func resolved(from start: MonotonicTime, using generator: inout SeededGenerator) -> MonotonicTime? {
    switch self {
    case .milliseconds(let number): start.adding(milliseconds: number)
    case .random(let limit): start.adding(milliseconds: Int.random(in: 0...limit, using: &generator))
    case .event: nil
    }
  }
}
