// swift-iap2 · Apache-2.0

import IAP2

/// When control messages leave, to emulate a side that takes its time; by default at once.
public struct MessagePacing: Sendable, Hashable {
  /// Milliseconds between two messages.
  public var interval = 0
  /// Milliseconds before a message of an id leaves; what is behind it waits with it.
  public var delays: [UInt16: Int] = [:]

  public init() {}
}

/// What a role wants done, held back as its pacing says; the order never changes.
struct PacedActions: Sendable {
  let pacing: MessagePacing
  private var waiting: [RoleAction] = []
  private var lastSent: MonotonicTime?
  /// When the first of them may leave, where it has been held back.
  private(set) var due: MonotonicTime?

  /// Actions held back: a peer that only makes us answer must not grow us.
  static let limit = 4096

  init(_ pacing: MessagePacing) { self.pacing = pacing }

  /// Nothing is ever held back.
  var isImmediate: Bool { pacing.interval == 0 && pacing.delays.isEmpty }
  var isEmpty: Bool { waiting.isEmpty }

  /// False when there is no room.
  mutating func add(_ action: RoleAction) -> Bool {
    guard waiting.count < Self.limit else { return false }
    waiting.append(action)
    return true
  }

  /// The next action whose time has come.
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
    return waiting.removeFirst()
  }

  mutating func removeAll() {
    waiting = []
    due = nil
  }
}
