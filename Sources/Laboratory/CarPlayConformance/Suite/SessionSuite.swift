// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
import IAP2
package import IAP2Conformance

/// A suite that runs checks of CarPlay sessions against one peer, one after the other.
package struct SessionSuite: Sendable {
  /// The checks.
  package let checks: [SessionCheck]

  /// Creates a suite.
  package init(_ checks: [SessionCheck]) { self.checks = checks }

  /// Checks a head unit. The rules are judged from one session, before the first of their checks; every other check has
  /// its own.
  ///
  /// - Parameters:
  ///   - peer: The head unit.
  ///   - begin: Called before each check.
  ///   - absent: Called when the peer does not connect any more. The other checks are not played.
  ///   - report: Called with the outcome of each check.
  /// - Returns: The outcomes; after a cancellation, without those of the checks that did not start.
  package func run(
    _ peer: ProbedHeadUnit, begin: @Sendable (Check) async -> Void = { _ in },
    absent: @Sendable (PeerAbsence) async -> Void = { _ in },
    report: @Sendable (Outcome) async -> Void = { _ in }
  ) async -> [Outcome] {
    await run(against: .headUnit, begin: begin, absent: absent, report: report) {
      guard let phone = await ScriptedPhone.connect(to: peer) else { return nil }
      let stop = await phone.playOrdinarySession()
      peer.experience.note(isWorking: phone.info != nil)
      await phone.leave()
      return (phone.record, stop)
    } play: { check in
      guard !peer.isMute else { return .inconclusive(reason: "not played: the head unit answers no request") }
      guard case .phone(let body) = check.play, let phone = await ScriptedPhone.connect(to: peer) else { return nil }
      let verdict = await check.verdict { () throws(Stop) in try await body(phone) }
      await phone.leave()
      return verdict
    }
  }

  /// Checks a phone, like a head unit.
  package func run(
    _ peer: ProbedPhone, begin: @Sendable (Check) async -> Void = { _ in },
    absent: @Sendable (PeerAbsence) async -> Void = { _ in },
    report: @Sendable (Outcome) async -> Void = { _ in }
  ) async -> [Outcome] {
    await run(against: .phone, begin: begin, absent: absent, report: report) {
      guard let headUnit = await ScriptedHeadUnit.connect(to: peer) else { return nil }
      let stop = await headUnit.playOrdinarySession()
      peer.experience.note(isWorking: headUnit.handled.contains(.record))
      await headUnit.leave()
      return (headUnit.firstRecord ?? headUnit.record, stop)
    } play: { check in
      let (headUnit, body): (ScriptedHeadUnit, @Sendable (ScriptedHeadUnit) async throws(Stop) -> Void)
      switch check.play {
      case .headUnit(let steps):
        guard let connected = await ScriptedHeadUnit.connect(to: peer) else { return nil }
        (headUnit, body) = (connected, steps)
      case .call(let steps): (headUnit, body) = (ScriptedHeadUnit(peer), steps)
      case .rule, .phone: return nil
      }
      let verdict = await check.verdict { () throws(Stop) in try await body(headUnit) }
      await headUnit.leave()
      return verdict
    }
  }

  /// Runs the checks.
  ///
  /// - Parameters:
  ///   - side: The side that is checked.
  ///   - ordinary: Plays an ordinary session; nil if the peer does not connect.
  ///   - play: Plays a check; nil if the peer does not connect.
  private func run(
    against side: SessionSide, begin: (Check) async -> Void, absent: (PeerAbsence) async -> Void,
    report: (Outcome) async -> Void, ordinary: () async -> (record: SessionRecord, stop: String?)?,
    play: (SessionCheck) async -> Verdict?
  ) async -> [Outcome] {
    var outcomes: [Outcome] = []
    var session: (record: SessionRecord, stop: String?)?
    var isGone = false
    for check in checks {
      if Task.isCancelled { break }
      await begin(check.check)
      let clock = ContinuousClock()
      let start = clock.now
      let reason = side == .headUnit ? "the head unit accepts no connection" : "the phone does not connect"
      var verdict: Verdict?
      switch check.play {
      case .rule(let rule):
        if session == nil, !isGone { session = await ordinary() ?? (SessionRecord(), reason) }
        verdict = check.verdict(of: rule, by: side, session?.record ?? SessionRecord(), session?.stop)
      case .phone, .headUnit, .call: verdict = isGone ? nil : await play(check)
      }
      if verdict == nil, !isGone, !Task.isCancelled, let last = outcomes.indices.last {
        isGone = true
        outcomes[last].leftPeerGone = true
        await absent(
          PeerAbsence(
            after: outcomes[last].check.id, sent: "", cameBack: false,
            notPlayed: checks.count - outcomes.count))
      }
      let isPlayed = verdict != nil
      let result = verdict ?? .inconclusive(reason: reason)
      var outcome = Outcome(
        check: check.check, verdict: Task.isCancelled ? .inconclusive(reason: "interrupted") : result,
        milliseconds: Int((clock.now - start) / .milliseconds(1)), isPlayed: isPlayed)
      if check.isRule { outcome.sessionStop = session?.stop }
      outcomes.append(outcome)
      await report(outcome)
    }
    return outcomes
  }
}

extension SessionCheck {
  /// Returns the verdict of the steps of a check.
  fileprivate func verdict(_ steps: () async throws(Stop) -> Void) async -> Verdict {
    do throws(Stop) {
      try await steps()
      return .pass
    } catch { return check.verdict(error) }
  }

  /// Judges a rule from an ordinary session.
  ///
  /// - Parameter stop: Why the session stopped early; nil if it did not.
  func verdict(of rule: CarPlayRule, by side: SessionSide, _ record: SessionRecord, _ stop: String?) -> Verdict {
    if let breach = record.breaches.first(where: { $0.rule == rule && $0.side == side }) {
      let repair = rule.repair.hasSuffix(".") ? String(rule.repair.dropLast()) : rule.repair
      return check.verdict(.failed("\(breach.problem); to do: \(repair)"))
    }
    let missing = rule.parts(of: side).subtracting(record.parts)
    guard let part = SessionPart.allCases.first(where: missing.contains) else { return .pass }
    // A peer that pairs never has what such a session has.
    if part == .unverifiedSetUp { return .notApplicable(reason: "the session had \(part.words)") }
    return .inconclusive(reason: "the session had \(part.words)" + (stop.map { "; it stopped: \($0)" } ?? ""))
  }
}
