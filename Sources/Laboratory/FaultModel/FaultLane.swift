// swift-iap2 · Apache-2.0

package import Basics

/// One direction of a faulty connection as a value: pieces that have entered and have not arrived yet.
///
/// `Failure` is the type of the error with which the direction may end.
package struct FaultLane<Failure: Error>: Sendable {
  /// The end of the direction.
  private enum End: Sendable {
    case open, over
    case failed(Failure)
  }

  /// The result of reading a lane.
  package enum Front: Sendable {
    case bytes([UInt8])
    /// No bytes arrive before this time; nil if none are in transit.
    case nothing(until: MonotonicTime?)
    case over(Failure?)
  }

  private let plan: FaultPlan.Direction
  private var injector: FaultInjector
  private var generator: SeededGenerator
  /// The pieces in transit, in order of arrival.
  private var queue: [FaultInjector.Arrival] = []
  /// Bytes on their way.
  package private(set) var byteCount = 0
  private var stall: (start: MonotonicTime, end: MonotonicTime)?
  private var halfOpenAt: MonotonicTime?
  private var end = End.open

  package init(_ plan: FaultPlan.Direction, seed: UInt64, start: MonotonicTime) {
    self.plan = plan
    injector = FaultInjector(plan.conditions)
    generator = SeededGenerator(seed: seed)
    if let stall = plan.stall, let from = stall.start.resolved(from: start, using: &generator) {
      self.stall = (from, from.adding(milliseconds: stall.milliseconds))
    }
    halfOpenAt = plan.halfOpen?.resolved(from: start, using: &generator)
  }

  package var isOpen: Bool { if case .open = end { true } else { false } }

  /// Starts the stall and the half-open state that wait for this event.
  package mutating func happened(_ event: String, at now: MonotonicTime) {
    if let planned = plan.stall, stall == nil, planned.start == .event(event) {
      stall = (now, now.adding(milliseconds: planned.milliseconds))
    }
    if halfOpenAt == nil, plan.halfOpen == .event(event) { halfOpenAt = now }
  }

  /// Loses all bytes from now on, without a notification to either side.
  package mutating func goHalfOpen(at now: MonotonicTime) { halfOpenAt = min(halfOpenAt ?? now, now) }

  package func isHalfOpen(at now: MonotonicTime) -> Bool { halfOpenAt.map { $0 <= now } ?? false }

  /// The conditions of pieces that enter from now on.
  package var conditions: LinkConditions {
    get { injector.conditions }
    set { injector.conditions = newValue }
  }

  /// Adds a piece of at least one byte, which has a fate of its own. A finished lane ignores it.
  package mutating func enter(_ piece: [UInt8], at now: MonotonicTime) {
    guard isOpen else { return }
    for arrival in injector.carry(piece, at: now, using: &generator) {
      byteCount += arrival.bytes.count
      if arrival.joinsPrevious, !queue.isEmpty {
        queue[queue.count - 1].bytes += arrival.bytes
        continue
      }
      let place = queue.lastIndex { $0.time <= arrival.time }.map { $0 + 1 } ?? 0
      queue.insert(arrival, at: place)
    }
  }

  /// Removes and returns the arrived bytes, or returns the event to wait for.
  package mutating func front(at now: MonotonicTime) -> Front {
    if let time = halfOpenAt, time <= now {
      queue = []
      byteCount = 0
    }
    if let stall, stall.start <= now, now < stall.end, !queue.isEmpty { return .nothing(until: stall.end) }
    guard let first = queue.first else {
      switch end {
      case .open: return .nothing(until: nil)
      case .over: return .over(nil)
      case .failed(let error): return .over(error)
      }
    }
    guard first.time <= now else { return .nothing(until: first.time) }
    queue.removeFirst()
    byteCount -= first.bytes.count
    return .bytes(first.bytes)
  }

  /// Finishes the lane: no further bytes enter. The first call determines the reason.
  package mutating func finish(_ error: Failure? = nil, discarding: Bool = false) {
    if discarding { queue = [] }
    guard isOpen else { return }
    end = error.map { .failed($0) } ?? .over
  }
}

extension FaultPlan.Moment {
  /// Returns the time of the moment; nil while it waits for an event.
  package func resolved(from start: MonotonicTime, using generator: inout SeededGenerator) -> MonotonicTime? {
    switch self {
    case .milliseconds(let number): start.adding(milliseconds: number)
    case .random(let limit): start.adding(milliseconds: Int.random(in: 0...limit, using: &generator))
    case .event: nil
    }
  }
}
