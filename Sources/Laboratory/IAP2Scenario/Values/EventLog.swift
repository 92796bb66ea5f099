// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
import IAP2Runtime
import IAP2Transport
import Synchronization

/// The recorded events of both roles, on which expectations wait.
final class EventLog: Sendable {
  private struct State {
    var events: [Role: [EventSummary]] = [:]
    /// The index after the last event that an expectation took, for each role.
    var read: [Role: Int] = [:]
    /// The events that expectations took, with the places of their steps.
    var taken: [Role: [(index: Int, step: String)]] = [:]
    /// The name and the line of the present step.
    var step = ""
    var ended: Set<Role> = []
  }

  private let state = Mutex(State())
  let changed = Signal()
  /// Another log of the same events, whose expectations take them on their own; nil for none.
  private let follower: EventLog?

  init(follower: EventLog? = nil) { self.follower = follower }

  /// The maximum number of recorded events of a role. Above it, the older half is removed.
  private static let limit = 100_000

  func add(_ role: Role, _ event: RoleEvent) { add(role, EventSummary(event)) }

  func add(_ role: Role, _ event: EventSummary) {
    state.withLock { state in
      state.events[role, default: []].append(event)
      if state.events[role, default: []].count > Self.limit {
        state.events[role]?.removeFirst(Self.limit / 2)
        state.read[role] = max(0, state.read[role, default: 0] - Self.limit / 2)
        state.taken[role] = state.taken[role]?.map { ($0.index - Self.limit / 2, $0.step) }.filter { $0.0 >= 0 }
      }
    }
    changed.notify()
    follower?.add(role, event)
  }

  /// Passes all events so far: the next expectation is about later ones.
  func skip() { state.withLock { state in for (role, events) in state.events { state.read[role] = events.count } } }

  /// Notes the step whose expectations follow.
  func begin(_ step: Scenario.Step) {
    state.withLock { $0.step = step.text + (step.line.map { " in line \($0)" } ?? "") }
  }

  func end(_ role: Role) {
    state.withLock { _ = $0.ended.insert(role) }
    changed.notify()
    follower?.end(role)
  }

  /// Returns the index of the first event that the next expectation searches.
  func position(of role: Role) -> Int { state.withLock { $0.read[role, default: 0] } }
  func goBack(_ role: Role, to position: Int) {
    state.withLock { state in
      state.read[role] = position
      state.taken[role]?.removeAll { $0.index >= position }
    }
  }

  /// Returns the number of recorded events of a role.
  func count(of role: Role) -> Int { state.withLock { $0.events[role]?.count ?? 0 } }

  func hasEnded(_ role: Role) -> Bool { state.withLock { $0.ended.contains(role) } }

  /// Takes the first matching event after the last one taken, or finds any one without taking it. Returns false when no
  /// event matches.
  func take(_ expectation: Scenario.Expectation) -> Bool {
    state.withLock { state in
      let start = state.read[expectation.role, default: 0]
      let events = state.events[expectation.role] ?? []
      if expectation.allowsEarlier { return events.contains { $0.meets(expectation) } }
      guard start < events.count, let index = events[start...].firstIndex(where: { $0.meets(expectation) }) else {
        return false
      }
      state.read[expectation.role] = index + 1
      state.taken[expectation.role, default: []].append((index, state.step))
      return true
    }
  }

  /// Returns that a matching event came before the last event that an expectation took; nil if there was none.
  func earlier(_ expectation: Scenario.Expectation) -> String? {
    state.withLock { state in
      let role = expectation.role
      let past = (state.events[role] ?? []).prefix(state.read[role, default: 0])
      guard let index = past.lastIndex(where: { $0.meets(expectation) }) else { return nil }
      guard let taken = state.taken[role]?.first(where: { $0.index >= index }) else { return "it came earlier" }
      return taken.index == index
        ? "it came earlier, once, and \(taken.step) has taken it"
        : "it came earlier, before the event of \(taken.step): expect it before that"
    }
  }

  /// Returns a human-readable summary of the events since the last one taken: the events with the expected name and the
  /// last one's values, otherwise the names of the last eight events.
  func instead(of expectation: Scenario.Expectation) -> String {
    state.withLock { state in
      let events = (state.events[expectation.role] ?? []).dropFirst(state.read[expectation.role, default: 0])
      let same = events.filter { $0.name == expectation.event }
      if let last = same.last {
        let values = expectation.values.keys.sorted().map { "\($0) \(last.values[$0] ?? "absent")" }
        return "\(same.count) × \(expectation.event), the last with \(values.joined(separator: ", "))"
      }
      let names = events.filter { $0.name != "message" }.map(\.name)
      return names.isEmpty ? "nothing" : names.suffix(8).joined(separator: ", ")
    }
  }
}

extension EventSummary {
  func meets(_ expectation: Scenario.Expectation) -> Bool {
    name == expectation.event && expectation.values.allSatisfy { values[$0.key] == $0.value }
  }
}
