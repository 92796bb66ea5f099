// swift-iap2 · Apache-2.0

import IAP2

/// Delays that emulate a side that sends its control messages slowly. By default every message is sent at once.
package struct MessagePacing: Sendable, Hashable {
  /// The minimum time between two control messages in milliseconds; 0 by default.
  package var interval = 0
  /// The time in milliseconds that a control message waits at the head of the queue, by message id. Messages behind it
  /// wait too. An id without an entry is not delayed.
  package var delays: [UInt16: Int] = [:]

  /// Creates pacing without delays.
  package init() {}
}

/// A queue that delays a role's actions as ``MessagePacing`` specifies and keeps their order.
struct PacedActions: Sendable {
  let pacing: MessagePacing
  private var waiting: [RoleAction] = []
  private var lastSent: MonotonicTime?
  /// The time at which the first action may be carried out; nil if it is not delayed.
  private(set) var due: MonotonicTime?
  /// The bytes of the messages that wait.
  private(set) var byteCount = 0

  /// The actions that the queue holds at most. Without a limit, a peer that only makes this side answer would make
  /// memory grow.
  static let limit = 4096

  init(_ pacing: MessagePacing) { self.pacing = pacing }

  /// Whether no action is ever delayed.
  var isImmediate: Bool { pacing.interval == 0 && pacing.delays.isEmpty }
  var isEmpty: Bool { waiting.isEmpty }
  var count: Int { waiting.count }

  /// Appends an action; returns false if the queue is full.
  mutating func add(_ action: RoleAction) -> Bool {
    guard waiting.count < Self.limit else { return false }
    waiting.append(action)
    byteCount += action.messageByteCount
    return true
  }

  /// Removes and returns the next action that is due; returns nil if there is none.
  mutating func next(at now: MonotonicTime) -> RoleAction? {
    guard let first = waiting.first else { return nil }
    if case .send(let message) = first {
      let delayed = now.adding(milliseconds: pacing.delays[ControlHeader.id(of: message)] ?? 0)
      let due = due ?? max(lastSent?.adding(milliseconds: pacing.interval) ?? now, delayed)
      guard due <= now else {
        self.due = due
        return nil
      }
      self.due = nil
      lastSent = now
    }
    byteCount -= first.messageByteCount
    return waiting.removeFirst()
  }

  mutating func removeAll() {
    waiting = []
    byteCount = 0
    due = nil
  }
}
