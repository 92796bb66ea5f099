// swift-iap2 · Apache-2.0

import IAP2Roles
import YAMLForms

extension ScenarioVocabulary {
  /// Creates a vocabulary. No name may be one of the laboratory's own steps or events.
  package init(steps: [Step], events: [String: Set<String>]) {
    precondition(
      !steps.contains { StepForms.names.contains($0.verb.name) }, "a step has the name of a step of the laboratory")
    precondition(
      events.keys.allSatisfy { !RoleEvent.names.contains($0) }, "an event has the name of an event of the laboratory")
    self.init(checked: steps, events)
  }
}
