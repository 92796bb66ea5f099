// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
import IAP2Runtime
import IAP2Transport
import Synchronization

/// The events of both roles, for those who wait for one.
final class EventLog: Sendable {
  private struct State {
    var events: [Scenario.Role: [EventSummary]] = [:]
    /// What was expected before stands before this.
    var read: [Scenario.Role: Int] = [:]
    var ended: Set<Scenario.Role> = []
  }

  private let state = Mutex(State())
  let changed = Signal()

  /// Events kept for expectations; a scenario that runs for hours forgets the oldest it never asked for.
  private static let limit = 100_000

  func add(_ role: Scenario.Role, _ event: RoleEvent) { add(role, EventSummary(event)) }

  func add(_ role: Scenario.Role, _ event: EventSummary) {
    state.withLock { state in
      state.events[role, default: []].append(event)
      if state.events[role, default: []].count > Self.limit {
        state.events[role]?.removeFirst(Self.limit / 2)
        state.read[role] = max(0, state.read[role, default: 0] - Self.limit / 2)
      }
    }
    changed.notify()
  }

  func end(_ role: Scenario.Role) {
    state.withLock { _ = $0.ended.insert(role) }
    changed.notify()
  }

  /// Where the next expectation begins.
  func position(of role: Scenario.Role) -> Int { state.withLock { $0.read[role, default: 0] } }
  func goBack(_ role: Scenario.Role, to position: Int) { state.withLock { $0.read[role] = position } }

  /// Events of a role so far.
  func count(of role: Scenario.Role) -> Int { state.withLock { $0.events[role]?.count ?? 0 } }

  func hasEnded(_ role: Scenario.Role) -> Bool { state.withLock { $0.ended.contains(role) } }

  /// Takes the first event after the last one taken that is as expected.
  func take(_ expectation: Scenario.Expectation) -> Bool {
    state.withLock { state in
      let start = state.read[expectation.role, default: 0]
      let events = state.events[expectation.role] ?? []
      guard start < events.count, let index = events[start...].firstIndex(where: { $0.meets(expectation) }) else {
        return false
      }
      state.read[expectation.role] = index + 1
      return true
    }
  }

  /// What came since, for people: events of that name with their values, and the names of the others.
  func instead(of expectation: Scenario.Expectation) -> String {
    state.withLock { state in
      let events = (state.events[expectation.role] ?? []).dropFirst(state.read[expectation.role, default: 0])
      let same = events.filter { $0.name == expectation.event }
      if let last = same.last {
        let values = expectation.values.keys.sorted().map { "\($0) \(last.values[$0] ?? "not told")" }
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
