// swift-iap2 · Apache-2.0

/// The host's own delays: actions that run when the car's clock reaches their time.
@MainActor
final class HostEvents {
  /// A class of delays.
  enum Class {
    /// A part of a pending change. A test's verb ends only when no such event is left.
    case effect
    /// A delay that elapses only when a test waits, such as a time-out.
    case timer
  }

  /// The identifier of a scheduled action.
  struct ID: Hashable { fileprivate var number: UInt64 }

  private struct Entry {
    var id: ID
    var due: CarClock.Instant
    var kind: Class
    var action: @MainActor () -> Void
  }

  let clock = CarClock()
  /// The entries by time; entries of the same time stay in order.
  private var entries: [Entry] = []
  private var lastNumber: UInt64 = 0
  /// A callback that runs after an action was scheduled.
  var onSchedule: (@MainActor () -> Void)?

  /// The longest delay in seconds: thirty years. An app may request an infinite one.
  private static let longestDelay = 1e9

  /// Schedules an action. NaN counts as the longest delay.
  @discardableResult
  func after(_ seconds: Double, _ kind: Class, _ action: @escaping @MainActor () -> Void) -> ID {
    let seconds = seconds < Self.longestDelay ? seconds : Self.longestDelay
    lastNumber += 1
    let entry = Entry(
      id: ID(number: lastNumber), due: clock.now.advanced(by: .seconds(max(seconds, 0))), kind: kind, action: action)
    let index = entries.firstIndex { $0.due > entry.due } ?? entries.endIndex
    entries.insert(entry, at: index)
    onSchedule?()
    return entry.id
  }

  /// Cancels an action.
  func cancel(_ id: ID?) { entries.removeAll { $0.id == id } }

  /// Cancels every action.
  func removeAll() { entries.removeAll() }

  /// Whether a change is pending.
  var hasEffects: Bool { nextEffect != nil }
  /// The time of the next part of a pending change; nil without one.
  var nextEffect: CarClock.Instant? { entries.first { $0.kind == .effect }?.due }
  /// The time of the next action; nil without one.
  var nextDue: CarClock.Instant? { entries.first?.due }

  /// Returns the time of the next event up to `limit`: an action, or, with a limit, the end of an app's sleep on this
  /// clock.
  private func next(before limit: CarClock.Instant?) -> CarClock.Instant? {
    let sleep = limit == nil ? nil : clock.nextSleepEnd
    guard let due = [entries.first?.due, sleep].compactMap({ $0 }).min() else { return nil }
    if let limit, due > limit { return nil }
    return due
  }

  /// Runs the next action, up to an instant. Returns whether there was one.
  func runNext(before limit: CarClock.Instant?) -> Bool {
    guard let due = next(before: limit) else { return false }
    clock.advance(to: due)
    if let first = entries.first, first.due <= due {
      entries.removeFirst()
      first.action()
    }
    return true
  }
}
