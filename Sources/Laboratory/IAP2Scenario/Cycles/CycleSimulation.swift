// swift-iap2 · Apache-2.0

import Basics
package import CarPlaySession
import IAP2Faults
package import IAP2Roles
package import IAP2Simulation
import IAP2Transport
import Synchronization

/// A simulation of one head unit and one phone that are plugged and unplugged at random times, with faults, in virtual
/// time: from the plug over iAP2 and the start message to the CarPlay session and its first picture.
///
/// One seed determines the changes and the faults.
package struct CycleSimulation: Sendable {
  /// The number of cycles of a seed.
  package static let cycleCount = 4

  /// The seed.
  package let seed: UInt64
  /// The plan of the cycles.
  package var plan: CyclePlan
  private let faults: Set<FaultKind>
  /// The known pauses that both sides make.
  package var pauses: Set<KnownPause> = []
  /// Times of a side's session that replace the default ones, for tests of the judge.
  package var headUnitTimes = SessionTimes(), phoneTimes = SessionTimes()
  /// Receives each event of either side.
  package var show: @Sendable (Role, TimedEvent) -> Void = { _, _ in }
  /// Receives each event of a session, with the cause of the link's end.
  package var showCarPlay: @Sendable (SessionSide, MonotonicTime, CarPlaySession.SessionEvent, String?) -> Void = {
    _, _, _, _ in
  }

  /// Creates the simulation of a seed.
  ///
  /// - Parameters:
  ///   - seed: The seed of all random numbers.
  ///   - faults: The kinds of faults that the seed may select.
  ///   - cycleCount: The number of plugs.
  ///   - isWireless: Whether the session is over the air; nil if the seed decides.
  package init(
    seed: UInt64, faults: Set<FaultKind> = CyclePlan.kinds, cycleCount: Int = Self.cycleCount, isWireless: Bool? = nil
  ) {
    self.seed = seed
    self.faults = faults.intersection(CyclePlan.kinds)
    plan = CyclePlan(seed: seed, cycleCount: cycleCount, faults: self.faults, isWireless: isWireless)
  }

  /// Creates a simulation of one plug without faults, which is undisturbed for 30 s.
  package init(isWireless: Bool, pairs: Bool = false, pauses: Set<KnownPause> = []) {
    (seed, faults) = (1, [])
    plan = CyclePlan(isWireless: isWireless, pairs: pairs)
    self.pauses = pauses
  }

  /// Runs the cycles on the calling thread.
  package func run() -> CycleOutcome {
    let judge = Mutex(CycleJudge(isWireless: plan.isWireless, outcome: CycleOutcome()))
    do {
      let scenario = try scenario()
      return try VirtualTime.run { [self] clock in
        var player = ScenarioPlayer(
          scenario, clock: clock,
          showCarPlay: { side, time, event, cause in
            judge.withLock { $0.take(event, of: side, at: time) }
            showCarPlay(side, time, event, cause)
          },
          show: { role, event in
            judge.withLock { $0.take(event.event, of: role, at: event.time) }
            show(role, event)
          })
        player.showStep = { step in
          guard let change = CyclePlan.Change(rawValue: step.text) else { return }
          judge.withLock { $0.take(change, at: clock.now) }
        }
        let left = Mutex<[String]>([])
        player.examineCarPlay = { found in left.withLock { $0 = found } }
        let outcome = await player.play()
        return judge.withLock { judge in
          if let failure = outcome.failure { judge.violate(failure, at: clock.now) }
          judge.finish(left: left.withLock { $0 }, at: clock.now)
          var outcome = judge.outcome
          outcome.milliseconds = Int(clock.now.nanoseconds / 1_000_000)
          return outcome
        }
      }
    } catch {
      var outcome = judge.withLock { $0.outcome }
      outcome.violations.append("\(error)")
      return outcome
    }
  }

  // MARK: The scenario

  private static let wired = "wired-carplay", wireless = "wireless-carplay"

  private func scenario() throws -> Scenario {
    let name = plan.isWireless ? Self.wireless : Self.wired
    guard var scenario = try BundledScenarios.scenario(name) else { preconditionFailure("no scenario \(name)") }
    var random = SeededGenerator(seed: seed &* 3 &+ 2)
    var life = LifecycleConditions()
    life.silenceMilliseconds = LifecycleTimes.liveSilenceMilliseconds
    life.seed = random.next()
    life.noticeLoss = faults.contains(.notice) ? 0.3 : 0
    var fault = FaultPlan(seed: random.next())
    fault.toHeadUnit = FaultPlan.Direction(LinkConditions.drawn(faults, using: &random))
    fault.toPhone = FaultPlan.Direction(LinkConditions.drawn(faults, using: &random))
    // After a notification three probes decide (Lifecycle). A link that loses all three answers looks dead.
    if plan.hasFalseNotice { (fault.toHeadUnit.conditions.loss, fault.toPhone.conditions.loss) = (0, 0) }
    // Shorter than the silence that is evidence of a disconnect.
    let stall = FaultPlan.Stall(
      start: .milliseconds(Int.random(in: 0...5000, using: &random)),
      milliseconds: Int.random(in: 1...800, using: &random))
    let side = Int.random(in: 0..<4, using: &random)
    if faults.contains(.stall), side == 0 { fault.toHeadUnit.stall = stall }
    if faults.contains(.stall), side == 1 { fault.toPhone.stall = stall }
    life.fault = fault
    scenario.life = life
    scenario.carPlay?.isPaired = !plan.pairs
    scenario.carPlay?.showsScreen = true
    scenario.carPlay?.seed = seed
    let loss: Double = [0, 0.05, 0.3].randomElement(using: &random) ?? 0
    scenario.carPlay?.datagramLoss = faults.contains(.loss) ? loss : 0
    // With the longer latencies, removals meet the set-up of a session.
    let latency = [1, 20, 100].randomElement(using: &random) ?? 1
    if faults.contains(.delay) { scenario.carPlay?.latencyMilliseconds = latency }
    scenario.carPlay?.headUnitTimes = headUnitTimes
    scenario.carPlay?.phoneTimes = phoneTimes
    for pause in pauses { pause.apply(to: &scenario) }
    scenario.steps = steps
    return scenario
  }

  private var steps: [Scenario.Step] {
    func step(_ action: Scenario.Step.Action, _ text: String = "wait") -> Scenario.Step {
      Scenario.Step(action: action, file: "", text: text)
    }
    // The scenario begins without a cable, because its first step is a cut.
    var steps = [step(.cut, "start")]
    if plan.isWireless { steps.append(step(.wiFi(.lost), CyclePlan.Change.networkLost.rawValue)) }
    for move in plan.cycles.joined() {
      if move.waitMilliseconds > 0 { steps.append(step(.wait(move.waitMilliseconds))) }
      steps.append(step(Self.action(move.change), move.change.rawValue))
    }
    steps.append(step(.wait(CyclePlan.restMilliseconds)))
    return steps
  }

  private static func action(_ change: CyclePlan.Change) -> Scenario.Step.Action {
    switch change {
    case .plug: .plug
    case .pull: .cut
    case .silentPull: .halfOpen
    case .falseNoticeToHeadUnit: .notice(.headUnit)
    case .falseNoticeToPhone: .notice(.phone)
    case .networkLost: .wiFi(.lost)
    case .networkBack: .wiFi(.back)
    case .dropBluetooth:
      .session(
        .phone { session, time in
          _ = session.isLive && session.send(.disableBluetooth(deviceID: "02:00:00:00:01:01"), at: time)
          return nil
        })
    }
  }
}
