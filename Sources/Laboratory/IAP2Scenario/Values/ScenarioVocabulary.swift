// swift-iap2 · Apache-2.0

package import IAP2Roles
package import IAP2Runtime
package import IAP2Transport
package import YAMLForms

/// The steps and events that a library of a higher layer adds to scenarios.
///
/// The laboratory does not import higher layers. Their libraries describe their words as values, and the reader of a
/// scenario takes them: `Scenario(yaml:file:files:vocabulary:)`.
public struct ScenarioVocabulary: Sendable {
  /// A step with its argument.
  public struct Action: Sendable {
    /// Runs the step. Returns nil on success, otherwise the reason of the failure.
    let run: @Sendable (ScenarioStage) async -> String?
    /// The maximum duration of the step, as far as it has one; the peer of a live scenario waits this long for it.
    let timeoutMilliseconds: Int

    package init(timeoutMilliseconds: Int = 0, run: @escaping @Sendable (ScenarioStage) async -> String?) {
      self.run = run
      self.timeoutMilliseconds = timeoutMilliseconds
    }
  }

  /// A step that scenarios can have: `- NAME: ARGUMENT`.
  package struct Step: Sendable {
    /// The role that acts; nil for a step that concerns neither.
    let role: Role?
    /// The name, the meaning and the argument.
    let verb: Verb<Action>

    package init(role: Role? = nil, _ verb: Verb<Action>) {
      self.role = role
      self.verb = verb
    }
  }

  /// The steps.
  let steps: [Step]
  /// The names of the values of each event, by the event's name.
  let events: [String: Set<String>]

  /// No more words than those of the laboratory.
  public static let none = ScenarioVocabulary()

  private init() { (steps, events) = ([], [:]) }

  /// Creates a vocabulary whose names were checked.
  init(checked steps: [Step], _ events: [String: Set<String>]) { (self.steps, self.events) = (steps, events) }

  var eventNames: Set<String> { RoleEvent.names.union(events.keys).union(CarPlayEvents.names) }
  var valueNames: Set<String> {
    events.values.reduce(EventSummary.valueNames.union(CarPlayEvents.valueNames)) { $0.union($1) }
  }
}

/// The roles, the clock and the events of a running scenario, for the steps of a vocabulary.
package struct ScenarioStage: Sendable {
  /// The head unit; nil if it is a live peer.
  package let headUnit: HeadUnit?
  /// The phone; nil if it is a live peer.
  package let phone: Phone?
  package let clock: any RuntimeClock
  let log: EventLog

  /// Reports an event of a role, which later expectations can match.
  package func report(_ role: Role, _ name: String, _ values: [String: String] = [:]) {
    log.add(role, EventSummary(name: name, values: values))
  }
}
