// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

extension StopPoint {
  /// The stop point of a broken rule after which the session did not go on, and that no other stop point describes.
  static let ruleBroken = StopPoint(
    "rule-broken", nil, "One side broke a rule of the protocol, and the other did not go on.", .either(.correctPacket),
    when: { $0.stoppingBreach != nil }, turnOf: { $0.stoppingBreach.map(\.turn) }, causes: [ofRule])

  /// The stop point of a broken rule in a session that goes on.
  static let ruleIgnored = StopPoint(
    "rule-ignored", nil, "One side broke a rule of the protocol, so a part of the session fails.",
    .either(.correctPacket), when: { $0.failingBreach != nil },
    turnOf: { $0.failingBreach.map(\.turn) }, causes: [ofRule])

  /// The stop point of an answer that did not come and that no other stop point describes.
  static let answerOwed = StopPoint(
    "answer-owed", nil, "One side owes an answer that the protocol asks for.", .either(),
    when: { $0.owedAnswer != nil }, turnOf: { $0.owedAnswer.map(\.turn) }, causes: [ofRule])

  /// The cause in the words of the rule; the explanation replaces evidence and confidence by those of the rule.
  private static let ofRule = KnownCause(
    "rule", "The side does not keep the rule that the details name.", "Sources.md#inferred", .low,
    "Keep the rule.")
}

extension RuleFinding {
  /// The step that should come next: none if the step should not have been sent.
  fileprivate var turn: SessionTurn {
    rule.forbids && !isOwed ? SessionTurn(owner: side, steps: []) : .of(side, step)
  }
}

extension ConnectionHistory {
  /// Whether the capture has packets of both sides and lacks some that the other side received.
  var lacksPackets: Bool { link.ledger.isIncomplete && packets.accessory > 0 && packets.device > 0 }

  /// The time at which the capture ends, in seconds.
  private var endTime: Double? { last?.time.map { $0 + (silence ?? 0) } }

  /// The first breach after which the other side did not go on, unless it is a known mistake.
  package var stoppingBreach: RuleFinding? {
    guard let breach = link.ledger.stopping, hasStopped(after: breach),
      trouble.map({ breach.record < $0.record }) ?? true
    else { return nil }
    return breach
  }

  /// The first breach that makes a part of the session fail, while no request waits; nil if the session stopped in
  /// another stage.
  package var failingBreach: RuleFinding? {
    if let earlier = earlierBreach { return earlier }
    guard link.pending == nil, let failing = link.ledger.failing else { return nil }
    guard link.reset == nil, end == nil, let stopped = StopPoint.parts.first(where: { $0.applies(self) }) else {
      return failing
    }
    return stopped.isComplete || stopped.stage == failing.rule.stage ? failing : nil
  }

  /// The first breach that makes the stage fail in which the session stopped.
  var earlierBreach: RuleFinding? {
    let point = StopPoint.known(self)
    guard !point.isComplete else { return nil }
    return link.ledger.deciding(in: point.stage ?? link.stage)
      ?? link.pending.flatMap { link.ledger.premature($0.step, from: $0.from) }
  }

  /// The number of other breaches that an explanation lists.
  private static var maximumOthers: Int { 4 }

  /// Returns the other breaches of the side of a finding, the first ones.
  func otherBreaches(than finding: RuleFinding?) -> [RuleFinding] {
    let others = link.ledger.broken.filter { breach in
      finding.map { $0.side == breach.side && ($0.record, $0.rule.id) != (breach.record, breach.rule.id) } ?? false
    }
    return Array(others.prefix(Self.maximumOthers))
  }

  /// The oldest answer that is owed while no request of authentication, identification or an EA session waits.
  package var owedAnswer: RuleFinding? {
    guard link.pending == nil, link.isUp else { return nil }
    return link.ledger.overdue(at: reset?.time ?? endTime) ?? link.unacknowledged(at: reset?.time ?? endTime)
  }

  /// The seconds without an answer from which a session counts as stopped.
  /// Unverified: the answers of real devices come within 0.2 s.
  private static var stopSeconds: Double { 1 }

  private func hasStopped(after finding: RuleFinding) -> Bool {
    // A capture that lacks packets shows such acknowledgements too.
    if finding.rule.id == SessionRule.acknowledgesSent.id {
      return link.reset?.from == finding.side.peer || link.repeats?.from == finding.side.peer
    }
    // A real accessory sends a message that it does not list (Sessions.md#list-gate-broken).
    if finding.rule.id == SessionRule.listed.id {
      return link.pending?.step == finding.step
        || link.ledger.overdue(at: reset?.time ?? endTime).map { $0.record == finding.record } ?? false
    }
    if link.reset != nil || end != nil || (link.repeats?.count ?? 0) >= 2 { return true }
    guard let time = finding.time, let endTime else { return link.pending != nil || !link.isSettled }
    return endTime - time >= Self.stopSeconds
  }
}

extension Explanation {
  /// The stop point in one English sentence, which names the side that does not keep a rule.
  package var text: String {
    guard let finding, point.isOfRule else { return point.text }
    let (side, peer) = (finding.side.rawValue, finding.side.peer.rawValue)
    return switch point.id {
    case StopPoint.ruleBroken.id: "The \(side) broke a rule of the protocol, and the \(peer) did not go on."
    case _ where finding.isOwed && !finding.isLate: "The \(side) owes the \(peer) a step."
    default: "The \(side) broke a rule of the protocol, so a part of the session fails."
    }
  }

  /// The finding that a stop point of rules is about, or the breach that precedes another stop in its stage.
  static func finding(at point: StopPoint, _ stage: SessionStage, _ history: ConnectionHistory) -> RuleFinding? {
    switch point.id {
    case StopPoint.ruleBroken.id: history.stoppingBreach
    case StopPoint.ruleIgnored.id: history.failingBreach
    case StopPoint.answerOwed.id: history.owedAnswer
    // A fault of the link, or bytes that the capture lacks, explain more.
    case _ where point.isComplete || history.breach != nil || history.cutOff != nil: nil
    default:
      [history.stoppingBreach, history.link.ledger.failing].lazy.compactMap(\.self).first { $0.rule.stage == stage }
    }
  }
}
