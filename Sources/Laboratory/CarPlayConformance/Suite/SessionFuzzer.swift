// swift-iap2 · Apache-2.0

import CarPlayAnalysis
package import CarPlaySession
import IAP2Conformance

/// A fuzzer of a live peer: it plays sessions with changed messages, and finds out whether the peer survives.
package struct SessionFuzzer: Sendable {
  /// The reaction of a peer that does not survive.
  package enum Outcome: String, Sendable, Codable {
    /// It accepts no connection any more.
    case crash
    /// It accepts connections, and no session comes up.
    case hang
  }

  /// A round that the peer did not survive.
  package struct Finding: Sendable {
    /// The reaction.
    package var outcome: Outcome
    /// Why no session comes up, in words.
    package var reason: String
    /// The changes of the round.
    package var plan: SessionFuzzPlan
    /// The changed messages, in words.
    package var changed: [String]
    /// The fewest changes that still show the finding; nil if the peer cannot be started again.
    package var minimum: SessionFuzzPlan?
  }

  /// The coverage of a run.
  package struct Report: Sendable {
    /// The rounds that were played.
    package var rounds = 0
    /// The rounds that the peer did not survive.
    package var findings = 0
    /// The changed messages.
    package var changed = 0
    /// The number of rounds that reached each state of a session.
    package var states: [SessionState: Int] = [:]
    /// Whether the peer is lost, so that the rest is not played.
    package var isLost = false
  }

  private enum Peer: Sendable {
    case headUnit(ProbedHeadUnit)
    case phone(ProbedPhone)
  }

  private let peer: Peer
  private let canRestart: Bool
  /// Returns how the peer's process failed since the last call; nil if it did not, or the process is not known.
  private let crash: @Sendable () -> String?

  /// Creates a fuzzer of a head unit.
  ///
  /// - Parameters:
  ///   - headUnit: The head unit. Its `dial` starts it again if it can.
  ///   - canRestart: Whether `dial` starts the head unit again.
  ///   - crash: Returns how the head unit's process failed since its start, in words; nil if it did not.
  package init(
    _ headUnit: ProbedHeadUnit, canRestart: Bool, crash: @escaping @Sendable () -> String? = { nil }
  ) {
    var headUnit = headUnit
    (headUnit.ordinary, headUnit.answer) = (Self.live, Self.answer)
    (peer, self.canRestart, self.crash) = (.headUnit(headUnit), canRestart, crash)
  }

  /// Creates a fuzzer of a phone.
  ///
  /// - Parameters:
  ///   - phone: The phone, which connects for each session.
  ///   - crash: Returns how the phone's process crashed since its start, in words; nil if it did not.
  package init(_ phone: ProbedPhone, crash: @escaping @Sendable () -> String?) {
    var phone = phone
    (phone.ordinary, phone.answer) = (Self.live, Self.answer)
    (peer, canRestart, self.crash) = (.phone(phone), phone.restart != nil, crash)
  }

  /// The time limit of an answer in a round. Changed messages often get none.
  private static let answer = Duration.seconds(1)
  /// The time for which a session is live with its streams.
  private static let live = Duration.milliseconds(300)
  /// The time limit of an answer in the session after a round.
  private static let patience = Duration.seconds(5)

  /// Returns why no session comes up before any message was changed; nil if one comes up.
  package func probe() async -> String? { await failure()?.reason }

  /// Plays rounds.
  ///
  /// - Parameters:
  ///   - plans: The changes of each round.
  ///   - isStopped: Asked between rounds; true ends the run.
  ///   - played: Called after each round.
  ///   - found: Called for each finding.
  package func run(
    _ plans: some Sequence<SessionFuzzPlan>, isStopped: @Sendable () -> Bool = { false },
    played: (Report) -> Void = { _ in },
    found: (Finding) throws -> Void
  ) async throws -> Report {
    var report = Report()
    for plan in plans where !isStopped() && !report.isLost {
      let (changed, states) = await play(plan)
      let failure = await failure()
      report.rounds += 1
      report.changed += changed.count
      for state in states { report.states[state, default: 0] += 1 }
      played(report)
      guard let failure, !isStopped() else { continue }
      report.findings += 1
      var finding = Finding(outcome: failure.outcome, reason: failure.reason, plan: plan, changed: changed)
      if canRestart { finding.minimum = await minimum(of: plan) }
      try found(finding)
      report.isLost = await self.failure() != nil
    }
    return report
  }

  /// Plays a session with changes. Returns the changed messages in words, and the states that the session reached.
  private func play(_ plan: SessionFuzzPlan) async -> (changed: [String], states: [SessionState]) {
    let changer = SessionChanger(plan)
    switch peer {
    case .headUnit(let headUnit):
      guard let phone = await ScriptedPhone.connect(to: headUnit) else { return ([], []) }
      phone.changer = changer
      _ = await phone.playOrdinarySession()
      await phone.leave()
      return (changer.changed, phone.record.judge.reached)
    case .phone(let phone):
      guard let headUnit = await ScriptedHeadUnit.connect(to: phone) else { return ([], []) }
      headUnit.changer = changer
      _ = await headUnit.playOrdinarySession()
      await headUnit.leave()
      return (changer.changed, headUnit.record.judge.reached)
    }
  }

  /// Returns the reaction of a peer that crashed, or with which no session comes up; nil if one does.
  private func failure() async -> (outcome: Outcome, reason: String)? {
    if let words = crash() { return (.crash, words) }
    switch peer {
    case .headUnit(var headUnit):
      headUnit.answer = Self.patience
      guard let phone = await ScriptedPhone.connect(to: headUnit) else {
        return (.crash, "the head unit accepts no connection")
      }
      let reason = await reason { () throws(Stop) in
        try await phone.prepare()
        try await phone.tearDown()
      }
      await phone.leave()
      // A process may end a moment after its last message, and be started again for this session.
      return crash().map { (.crash, $0) } ?? reason.map { (.hang, $0) }
    case .phone(var phone):
      phone.answer = Self.patience
      guard let headUnit = await ScriptedHeadUnit.connect(to: phone) else {
        return (.hang, "the phone does not connect any more")
      }
      let reason = await reason { () throws(Stop) in try await headUnit.goLive() }
      await headUnit.leave()
      return crash().map { (.crash, $0) } ?? reason.map { (.hang, $0) }
    }
  }

  /// Returns why steps fail; nil if they do not.
  private func reason(_ steps: () async throws(Stop) -> Void) async -> String? {
    do throws(Stop) {
      try await steps()
      return nil
    } catch { return error.reason }
  }

  /// Returns the plan without the changes that the finding does not need.
  private func minimum(of plan: SessionFuzzPlan) async -> SessionFuzzPlan? {
    // Without a peer that works again, nothing can be tried.
    guard await failure() == nil else { return nil }
    var least = plan
    for mutation in plan.mutations where least.mutations.count > 1 {
      var fewer = least
      fewer.mutations.removeAll { $0 == mutation }
      _ = await play(fewer)
      guard await failure() != nil else { continue }
      least = fewer
      guard await failure() == nil else { break }
    }
    return least
  }
}
