// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Roles
import IAP2Transport
import Synchronization

/// An event and when it happened.
public struct TimedEvent: Sendable, Equatable {
  public var time: MonotonicTime
  public var event: RoleEvent

  public init(time: MonotonicTime, event: RoleEvent) {
    self.time = time
    self.event = event
  }
}

/// A role's events in order, for one reader.
///
/// What waits is bounded. A reader that stays behind finds ``RoleEvent/eventsLost(count:)`` in the place of what could not
/// be kept: a gap is never silent, and the role never waits for its reader.
public final class RoleEvents: AsyncSequence, Sendable {
  /// A session's events are a few dozen; file transfers and damage bring more.
  static let countLimit = 65_536
  /// A peer makes as many violations as it has bytes: more than these say nothing new, and would keep the reader from what
  /// matters for long after the end.
  static let violationCountLimit = 1024
  /// Bytes of messages in the events that wait.
  static let byteCountLimit = 16 << 20

  fileprivate struct State {
    var waiting: [TimedEvent] = []
    /// Of `waiting`, those already read.
    var head = 0
    var byteCount = 0
    var violationCount = 0
    var lostCount = 0
    var isFinished = false
  }

  private let state = Mutex(State())
  private let readable = Signal()

  init() {}

  func emit(_ event: TimedEvent) {
    state.withLock { state in
      guard state.hasRoom(for: event.event) else {
        state.lostCount += 1
        return
      }
      state.tellLoss(at: event.time)
      state.waiting.append(event)
      state.byteCount += event.event.byteCount
      if event.event.isViolation { state.violationCount += 1 }
    }
    readable.notify()
  }

  /// Verdicts where there is no connection to do anything about them.
  func tell(_ actions: [Lifecycle.Action], at time: MonotonicTime) {
    for action in actions { if let event = RoleEvent(action) { emit(TimedEvent(time: time, event: event)) } }
  }

  /// A service that did not return after the end was cancelled.
  func emitStopped(_ session: ExternalAccessoryStream, at time: MonotonicTime) {
    let event = RoleEvent.externalAccessoryServiceStopped(protocol: session.protocolName, session: session.session)
    emit(TimedEvent(time: time, event: event))
  }

  func finish(at time: MonotonicTime) {
    state.withLock { state in
      state.tellLoss(at: time)
      state.isFinished = true
    }
    readable.notify()
  }

  public struct Iterator: AsyncIteratorProtocol {
    let events: RoleEvents

    public func next() async -> TimedEvent? { await events.next() }
  }

  public func makeAsyncIterator() -> Iterator { Iterator(events: self) }

  private func next() async -> TimedEvent? {
    while true {
      let (event, isFinished) = state.withLock { ($0.take(), $0.isFinished) }
      if let event { return event }
      if isFinished || Task.isCancelled { return nil }
      await readable.wait()
    }
  }
}

extension RoleEvents.State {
  fileprivate func hasRoom(for event: RoleEvent) -> Bool {
    let count = waiting.count - head
    // There is one for each connection: whoever has heard of its begin must hear of its end.
    if event.disconnectCause != nil { return count < 2 * RoleEvents.countLimit }
    if event.isViolation, violationCount >= RoleEvents.violationCountLimit { return false }
    return count < RoleEvents.countLimit && byteCount + event.byteCount <= RoleEvents.byteCountLimit
  }

  fileprivate mutating func tellLoss(at time: MonotonicTime) {
    guard lostCount > 0 else { return }
    waiting.append(TimedEvent(time: time, event: .eventsLost(count: lostCount)))
    lostCount = 0
  }

  fileprivate mutating func take() -> TimedEvent? {
    guard head < waiting.count else { return nil }
    let event = waiting[head]
    head += 1
    byteCount -= event.event.byteCount
    if event.event.isViolation { violationCount -= 1 }
    if head == waiting.count || head >= 1024 {
      waiting.removeFirst(head)
      head = 0
    }
    return event
  }
}

extension RoleEvent {
  fileprivate var isViolation: Bool { if case .violation = self { true } else { false } }

  /// Bytes an event keeps alive beside itself.
  fileprivate var byteCount: Int {
    if case .message(_, _, let bytes) = self { bytes.count } else { 0 }
  }
}
