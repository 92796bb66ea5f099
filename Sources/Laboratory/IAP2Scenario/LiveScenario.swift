// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Roles
public import IAP2Runtime
import IAP2Transport
import Synchronization

/// One side of a scenario against a live peer: its steps, and the expectations of its own events.
public final class LiveScenario: Sendable {
  private let log = EventLog()
  private let scenario: Scenario
  private let role: Scenario.Role
  private let prediction = Mutex(PeerPrediction())

  public init(_ scenario: Scenario, role: Scenario.Role) {
    self.scenario = scenario
    self.role = role
  }

  /// Whether this side says when it is over: the one whose step is the last.
  public var hasLastWord: Bool { scenario.steps.last { $0.role != nil }?.role == role }

  /// Tells the scenario what happened.
  public func handle(_ event: RoleEvent) {
    log.add(role, event)
    guard case .message(.sent, let id, let bytes) = event,
      let told = prediction.withLock({ $0.event(id, bytes) })
    else { return }
    log.add(role.peer, told)
  }

  /// No more will happen.
  public func end() {
    log.end(role)
    log.end(role.peer)
  }

  public func play(
    headUnit: HeadUnit? = nil, phone: Phone? = nil, clock: any RuntimeClock
  ) async -> ScenarioPlayer.Outcome {
    var stage = Stage(
      headUnit: headUnit, phone: phone, log: log, clock: clock,
      cut: {
        await headUnit?.drop()
        await phone?.drop()
      })
    // Neither side can do anything before.
    let ready = Scenario.Expectation(role: role, event: "identified", values: [:], withinMilliseconds: 60_000)
    guard await stage.hasCome(ready) else {
      return .failed(file: "", line: nil, step: "begin", reason: "the other side was not identified")
    }
    return await stage.play(ownSteps)
  }

  /// The steps of this side; where the other one acts or looks, this one waits until that has settled.
  private var ownSteps: [Scenario.Step] {
    var steps: [Scenario.Step] = []
    let last = scenario.steps.lastIndex { $0.role != role.peer } ?? -1
    for step in scenario.steps.prefix(last + 1) {
      guard let actor = step.role, actor != role else {
        steps.append(step)
        continue
      }
      var wait = step
      wait.action = .settle(awaited(step.action))
      if case .settle(nil)? = steps.last?.action, case .settle(nil) = wait.action { continue }
      steps.append(wait)
    }
    // The other side has the last word: it says when it is over.
    let rest = scenario.steps.dropFirst(last + 1)
    guard var end = rest.first else { return steps }
    let patience = rest.reduce(Self.endMilliseconds) { $0 + $1.action.patienceMilliseconds }
    end.action = .settle(
      Scenario.Expectation(role: role, event: "disconnected", values: [:], withinMilliseconds: patience))
    steps.append(end)
    return steps
  }

  private static let endMilliseconds = 10_000

  /// What this side knows of a step of the other: what it was told, and when a session is over.
  private func awaited(_ action: Scenario.Step.Action) -> Scenario.Expectation? {
    if case .expect(let expectation) = action, PeerPrediction.knows(expectation.event) { return expectation }
    guard case .exchange(let name, _, let milliseconds) = action else { return nil }
    return Scenario.Expectation(
      role: role, event: "externalAccessoryClosed", values: ["protocol": name], withinMilliseconds: milliseconds)
  }

  /// What a service of the scenario does with a session.
  public static func serve(_ service: Scenario.Service, _ stream: ExternalAccessoryStream) async {
    await ScenarioPlayer.serve(service, stream)
  }
}

extension Scenario.Role {
  fileprivate var peer: Scenario.Role { self == .headUnit ? .phone : .headUnit }
}

extension Scenario.Step.Action {
  /// How long a step may take.
  fileprivate var patienceMilliseconds: Int {
    switch self {
    case .expect(let expectation): expectation.withinMilliseconds
    case .exchange(_, _, let milliseconds): milliseconds
    case .wait(let milliseconds): milliseconds
    default: 0
    }
  }
}
