// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Roles
import IAP2Transport
import Synchronization

/// The events of a role in order, for one reader.
///
/// The number of events that wait for the reader is bounded, and the role never waits for it. A reader that stays
/// behind reads `RoleEvent.eventsLost(count:)` in the place of events that could not be kept.
public final class RoleEvents: AsyncSequence, Sendable {
  /// The events that wait. A session has a few dozen; file transfers and damaged packets cause more.
  static let countLimit = 65_536
  /// The violations that wait. A peer can cause one with every byte, and a reader would read them long after the end.
  static let violationCountLimit = 1024
  /// The bytes of messages in the events that wait.
  static let byteCountLimit = 16 << 20

  fileprivate struct State {
    var waiting: [TimedEvent] = []
    /// The number of events in `waiting` that were read.
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
      state.reportLoss(at: event.time)
      state.waiting.append(event)
      state.byteCount += event.event.byteCount
      if event.event.isViolation { state.violationCount += 1 }
    }
    readable.notify()
  }

  /// Emits the verdicts of a disconnect policy that has no connection.
  func report(_ actions: [Lifecycle.Action], at time: MonotonicTime) {
    for action in actions { if let event = RoleEvent(action) { emit(TimedEvent(time: time, event: event)) } }
  }

  /// Emits that a service did not return after the end and was cancelled.
  func emitStopped(_ session: ExternalAccessoryStream, at time: MonotonicTime) {
    let event = RoleEvent.externalAccessoryServiceStopped(protocol: session.protocolName, session: session.session)
    emit(TimedEvent(time: time, event: event))
  }

  func finish(at time: MonotonicTime) {
    state.withLock { state in
      state.reportLoss(at: time)
      state.isFinished = true
    }
    readable.notify()
  }

  /// An iterator over the events.
  public struct Iterator: AsyncIteratorProtocol {
    let events: RoleEvents

    /// Returns the next event, as soon as there is one; nil after the last event, or if the task is cancelled.
    public func next() async -> TimedEvent? { await events.next() }
  }

  /// Returns an iterator. Only one may be used, because each event is read once.
  public func makeAsyncIterator() -> Iterator { Iterator(events: self) }

  private func next() async -> TimedEvent? {
    while true {
      let (event, isFinished) = state.withLock { ($0.take(), $0.isFinished) }
      if let event { return event }
      if isFinished || Task.isCancelled { return nil }
      await VirtualParty.wait(for: "the next event of a role") { await readable.wait() }
    }
  }
}

extension RoleEvents.State {
  fileprivate func hasRoom(for event: RoleEvent) -> Bool {
    let count = waiting.count - head
    // A reader that has read the start of a connection must also read its end, which occurs once for each connection.
    if event.disconnectCause != nil { return count < 2 * RoleEvents.countLimit }
    if event.isViolation, violationCount >= RoleEvents.violationCountLimit { return false }
    return count < RoleEvents.countLimit && byteCount + event.byteCount <= RoleEvents.byteCountLimit
  }

  fileprivate mutating func reportLoss(at time: MonotonicTime) {
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
    if head == waiting.count {
      // An idle connection keeps no room for the events of its start.
      waiting.removeAll(keepingCapacity: waiting.capacity <= 16)
      head = 0
    } else if head >= 1024 {
      waiting.removeFirst(head)
      head = 0
    }
    return event
  }
}

extension RoleEvent {
  fileprivate var isViolation: Bool { if case .violation = self { true } else { false } }

  /// The bytes of the message in the event.
  fileprivate var byteCount: Int {
    if case .message(_, _, let bytes) = self { bytes.count } else { 0 }
  }
}
