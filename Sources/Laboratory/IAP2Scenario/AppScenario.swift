// swift-iap2 · Apache-2.0

import Basics
package import IAP2Roles
package import IAP2Runtime
package import IAP2Transport

/// A runner of the steps of a scenario around an app under test, which is the scenario's phone.
///
/// The steps of the accessory and of the cable play against the app. Expectations of both sides wait for the events of
/// the accessory and of the phone that the app runs on. Steps of the phone are not possible, because the app takes
/// them.
package final class AppScenario: Sendable {
  /// The accessory, the phone, and the cable between them. Both roles may change with each plug.
  package struct Stage: Sendable {
    package var headUnit: @Sendable () -> HeadUnit?
    package var phone: @Sendable () -> Phone?
    package var cut: @Sendable () async -> Void
    package var plug: @Sendable () async -> Void
    package var halfOpen: @Sendable () -> Void
    /// Delivers the disconnect notification of the phone's platform.
    package var notice: @Sendable () async -> Void

    package init(
      headUnit: @escaping @Sendable () -> HeadUnit?, phone: @escaping @Sendable () -> Phone?,
      cut: @escaping @Sendable () async -> Void, plug: @escaping @Sendable () async -> Void,
      halfOpen: @escaping @Sendable () -> Void, notice: @escaping @Sendable () async -> Void
    ) {
      self.headUnit = headUnit
      self.phone = phone
      self.cut = cut
      self.plug = plug
      self.halfOpen = halfOpen
      self.notice = notice
    }
  }

  private let log = EventLog()
  /// The scenario.
  package let scenario: Scenario

  /// Creates a runner.
  ///
  /// - Throws: The first step that only the app can take, with its place.
  package init(_ scenario: Scenario) throws(ScenarioProblem) {
    self.scenario = scenario
    guard let step = scenario.steps.first(where: \.isOfApp) else { return }
    throw ScenarioProblem(
      file: step.file, line: step.line, key: "steps",
      text: "the app is the phone, so \"\(step.text)\" is a step of the app's test: remove it")
  }

  /// Whether the scenario begins without a cable.
  package var startsUnplugged: Bool { if case .cut? = scenario.steps.first?.action { true } else { false } }

  /// Records an event of a role.
  package func handle(_ role: Role, _ event: RoleEvent) { log.add(role, event) }

  /// Runs the steps to the end or to the first failed one.
  package func play(on stage: Stage, clock: any RuntimeClock) async -> ScenarioPlayer.Outcome {
    var runner = StepRunner(
      headUnit: stage.headUnit, phone: stage.phone, log: log, clock: clock, cut: stage.cut, halfOpen: stage.halfOpen,
      plug: stage.plug, notice: stage.notice)
    return await runner.play(scenario.steps)
  }
}

extension Scenario.Step {
  /// Whether the app takes this step if it is the phone.
  fileprivate var isOfApp: Bool {
    switch action {
    case .expect, .notice: false
    default: role == .phone
    }
  }
}
