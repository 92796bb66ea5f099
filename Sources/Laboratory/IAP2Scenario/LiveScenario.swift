// swift-iap2 · Apache-2.0

public import CarPlaySession
import IAP2
package import IAP2Faults
public import IAP2Roles
public import IAP2Runtime
public import IAP2Transport
import Synchronization

/// A runner of one side's steps and expectations of a scenario against a live peer.
public final class LiveScenario: Sendable {
  private let log = EventLog()
  private let scenario: Scenario
  private let role: Role
  /// The faults of this side's transports; nil if none can be changed.
  private let faults: FaultInjection?
  /// Where steps note the notifications that this side loses; nil if they cannot.
  private let losses: NoticeLosses?
  private let sessions = OpenSessions()
  private let prediction = Mutex(PeerPrediction())

  /// Creates a runner of the steps of this role.
  public convenience init(_ scenario: Scenario, role: Role) { self.init(scenario, role: role, faults: nil) }

  /// Creates a runner whose steps change the faults of this side's transports.
  ///
  /// - Parameter losses: Where steps note the notifications that this side loses. The role's options ask it.
  package init(_ scenario: Scenario, role: Role, faults: FaultInjection?, losses: NoticeLosses? = nil) {
    (self.scenario, self.role, self.losses) = (scenario, role, losses)
    self.faults = faults?.hasPlan == true ? faults : nil
  }

  /// Whether the scenario's last step with a role belongs to this side, which then ends the connection.
  public var hasLastWord: Bool { scenario.steps.last { $0.role != nil }?.role == role }

  /// Records an event of this side. For a sent message, also records the event that it causes at the peer.
  public func handle(_ event: RoleEvent) {
    log.add(role, event)
    if role == .phone { sessions.handle(event) }
    guard case .message(.sent, let id, let bytes) = event,
      let reported = prediction.withLock({ $0.event(id, bytes) })
    else { return }
    log.add(role.peer, reported)
  }

  /// Records an event of this side's CarPlay session, with the cause for which the iAP2 link ended if it did.
  public func handle(carPlay event: CarPlaySession.SessionEvent, linkCause: String?) {
    let side: SessionSide = role == .phone ? .phone : .headUnit
    if let summary = EventSummary(event, of: side, linkCause: linkCause) { log.add(role, summary) }
  }

  /// Records that no further events follow, which fails pending expectations.
  public func end() {
    log.end(role)
    log.end(role.peer)
  }

  /// Runs the steps after this side reports `identified`, within at most 60 s.
  ///
  /// - Parameters:
  ///   - headUnit: the head unit, when it is this side.
  ///   - phone: the phone, when it is this side.
  ///   - carPlay: runs a step of the CarPlay session; nil without one.
  ///   - clock: the clock of waits and expectations.
  /// - Returns: the first failure, or ``ScenarioPlayer/Outcome/complete``.
  public func play(
    headUnit: HeadUnit? = nil, phone: Phone? = nil,
    carPlay: (@Sendable (CarPlayStep) async -> String?)? = nil, clock: any RuntimeClock
  ) async -> ScenarioPlayer.Outcome {
    var stage = stage(headUnit, phone, clock)
    stage.carPlay = carPlay
    // No step is possible before identification.
    let ready = Scenario.Expectation(role: role, event: "identified", values: [:], withinMilliseconds: 60_000)
    guard await stage.hasCome(ready) else {
      return .failed(file: "", line: nil, step: "begin", reason: "the other side was not identified")
    }
    return await stage.play(ownSteps)
  }

  /// The steps of this side. Each step of the peer is replaced by a wait until its effects have arrived.
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
    // The remaining steps belong to the peer, which ends the connection.
    let rest = scenario.steps.dropFirst(last + 1)
    guard var end = rest.first else { return steps }
    let timeout = rest.reduce(Self.endMilliseconds) { $0 + $1.action.timeoutMilliseconds }
    end.action = .settle(
      Scenario.Expectation(role: role, event: "disconnected", values: [:], withinMilliseconds: timeout))
    steps.append(end)
    return steps
  }

  private static let endMilliseconds = 10_000

  /// Returns the effect of a peer's step that this side can detect: a message it sent, or the end of an EA session.
  /// Returns nil for other steps.
  private func awaited(_ action: Scenario.Step.Action) -> Scenario.Expectation? {
    if case .expect(let expectation) = action, PeerPrediction.knows(expectation.event) { return expectation }
    guard case .exchange(let name, _, let milliseconds) = action else { return nil }
    return Scenario.Expectation(
      role: role, event: "externalAccessoryClosed", values: ["protocol": name], withinMilliseconds: milliseconds)
  }

  /// Runs a service of the scenario on an EA session until the session ends.
  ///
  /// - Parameters:
  ///   - service: the service.
  ///   - stream: the session.
  ///   - clock: the clock of a script's waits.
  ///   - report: called with the error because of which a program did not serve the session, or lost bytes of it.
  public static func serve(
    _ service: Scenario.Service, _ stream: ExternalAccessoryStream, clock: any RuntimeClock = WallClock(),
    report: @escaping @Sendable (TransportError) -> Void = { _ in }
  ) async {
    await ScenarioPlayer.serve(service, stream, clock: clock, report: report)
  }

  /// Runs one step of a user on this side.
  ///
  /// - Parameter carPlay: Runs a step of the CarPlay session; nil without one.
  package func perform(
    _ step: Scenario.Step, headUnit: HeadUnit?, phone: Phone?,
    carPlay: (@Sendable (CarPlayStep) async -> String?)? = nil, clock: any RuntimeClock
  ) async -> ScenarioPlayer.Outcome {
    var stage = stage(headUnit, phone, clock)
    stage.carPlay = carPlay
    return await stage.play([step])
  }

  private func stage(_ headUnit: HeadUnit?, _ phone: Phone?, _ clock: any RuntimeClock) -> StepRunner {
    var stage = StepRunner(
      headUnit: headUnit, phone: phone, log: log, clock: clock, sessions: sessions,
      cut: {
        await headUnit?.drop()
        await phone?.drop()
      })
    if let faults { stage.changeFaults = { faults.change($0) } }
    if let losses { stage.loseNotice = { losses.add($0) } }
    return stage
  }

  /// Makes the sessions of running apps available to the steps of the phone. Call it before the phone's first
  /// connection.
  public func hold(on phone: Phone) async { await scenario.hold(sessions, on: phone) }
}

extension Scenario.Step.Action {
  /// The maximum duration of a step, as far as it has one.
  fileprivate var timeoutMilliseconds: Int {
    switch self {
    case .expect(let expectation), .never(let expectation): expectation.withinMilliseconds
    case .exchange(_, _, let milliseconds): milliseconds
    case .expectData(let expectation): expectation.withinMilliseconds
    case .wait(let milliseconds): milliseconds
    case .added(let action): action.timeoutMilliseconds
    default: 0
    }
  }
}
