// swift-iap2 · Apache-2.0

package import IAP2
import IAP2Capture

/// A rule of the protocol: a thing that a side must not do, or an answer that it owes.
package struct SessionRule: Sendable {
  /// The consequence of a breach.
  enum Effect: Sendable {
    /// The other side drops what breaks the rule. The breach explains a stop only if the other side sent nothing new
    /// after it.
    case stops
    /// A part of the session fails, and the session goes on.
    case fails
    /// A part of the session fails, and the breach explains more than the place at which the session then stops.
    case decides
    /// The other side tolerates it.
    case tolerated
  }

  /// The id, which is stable. Scripts use it.
  package let id: String
  /// The stage of the session that the rule belongs to.
  package let stage: SessionStage
  /// The rule as one sentence.
  package let text: String
  /// The fact in `Documentation/Protocol`, as page and anchor, with a remark after a colon.
  package let evidence: String
  /// The confidence in the fact.
  package let confidence: Confidence
  /// The change that keeps the rule, as one sentence.
  package let repair: String
  let effect: Effect
  /// Whether the packet or message itself shows the breach. Other rules need what the rest of the capture has.
  let isLocal: Bool
  /// Whether the step that breaks the rule should not have been sent at all.
  let forbids: Bool
  /// The seconds after which an answer is too late; nil without a limit.
  let limit: Double?

  init(
    _ id: String, _ stage: SessionStage, _ text: String, _ evidence: String, _ confidence: Confidence,
    repair: String, effect: Effect = .stops, isLocal: Bool = false, forbids: Bool = false,
    limit: Double? = nil
  ) {
    self.id = id
    self.stage = stage
    self.text = text
    self.evidence = evidence
    self.confidence = confidence
    self.repair = repair
    self.effect = effect
    self.isLocal = isLocal
    self.forbids = forbids
    self.limit = limit
  }
}

/// A breach of a rule, or an answer that a rule asks for and that did not come.
package struct RuleFinding: Sendable {
  /// The rule.
  package var rule: SessionRule
  /// The side that broke the rule or owes the answer.
  package var side: Side
  /// The step that breaks the rule, or the step that is owed.
  package var step: SessionStep
  /// Whether the step is owed.
  package var isOwed: Bool
  /// The record of the breach, or of the step that asks for the answer.
  package var record: Int
  /// The time of that record in seconds; nil when the capture has no times.
  package var time: Double?
  /// The observation in the capture, as a clause.
  package var detail: String
  /// The change that keeps the rule here, if it says more than that of the rule.
  package var repair: String?
  /// Whether the step that was owed came, but too late.
  package var isLate = false
  /// The seconds after which the step counts as missing.
  fileprivate var wait = RuleLedger.answerSeconds
  /// The object of the step, such as an EA session; breaches of one rule by other objects are other findings.
  fileprivate var object: Int
  /// The number of new steps of the other side until then.
  fileprivate var stepCount: Int
}

extension RuleFinding {
  /// Creates a finding about a step that is owed.
  init(owed rule: SessionRule, by side: Side, _ step: SessionStep, record: Int, time: Double?, _ detail: String) {
    self.init(
      rule: rule, side: side, step: step, isOwed: true, record: record, time: time, detail: detail, object: 0,
      stepCount: 0)
  }
}

/// The breaches of a link, and the answers that are owed. Its size does not grow with the capture.
struct RuleLedger: Sendable {
  private(set) var broken: [RuleFinding] = []
  private var owed: [RuleFinding] = []
  /// The number of new packets with data of each side, or of messages in a log without packets.
  private var stepCounts = BothSides(0)

  /// The findings to keep. A capture with more has them explained by the first ones.
  private static var maximumFindings: Int { 64 }
  /// The seconds of a capture after a request in which an answer can be missed.
  /// Unverified: the answers of real devices come within 0.2 s, and some need data that they must fetch.
  static var answerSeconds: Double { 3 }
  /// The steps after which an answer counts as missing in a capture without times.
  private static var answerSteps: Int { 5 }

  /// Whether the capture lacks packets that the other side received, or has the packets of one side alone. What a rule
  /// misses may then have been sent.
  var isIncomplete = false

  /// Counts a step of a side that no earlier packet had.
  mutating func countStep(_ side: Side) { stepCounts[side] += 1 }

  /// Records a breach. Of several with the same rule, side and object the first counts.
  mutating func addBreach(
    _ rule: SessionRule, _ step: SessionStep, object: Int = 0, _ place: DecodedPlace, _ detail: String,
    repair: String? = nil
  ) {
    let isKnown = broken.contains { $0.rule.id == rule.id && $0.object == object && $0.side == place.from }
    guard !isKnown, broken.count < Self.maximumFindings else { return }
    broken.append(
      RuleFinding(
        rule: rule, side: place.from, step: step, isOwed: false, record: place.record, time: place.time,
        detail: detail, repair: repair, object: object, stepCount: stepCounts[place.from.peer]))
  }

  /// Forgets the breaches of a rule by a side, because it did the same thing rightly.
  mutating func removeBreach(_ rule: SessionRule, object: Int = 0, by side: Side) {
    broken.removeAll { $0.rule.id == rule.id && $0.object == object && $0.side == side }
  }

  /// Records that a side owes a step since the one at this place.
  mutating func addOwed(
    _ rule: SessionRule, by side: Side, _ step: SessionStep, object: Int = 0, since place: DecodedPlace,
    wait: Double = Self.answerSeconds, _ detail: String
  ) {
    guard owed.count < Self.maximumFindings else { return }
    removeOwed(rule, object: object)
    owed.append(
      RuleFinding(
        rule: rule, side: side, step: step, isOwed: true, record: place.record, time: place.time,
        detail: detail, wait: wait, object: object, stepCount: stepCounts[side]))
  }

  /// Returns whether a step is owed.
  func isOwed(_ rule: SessionRule, object: Int) -> Bool {
    owed.contains { $0.rule.id == rule.id && $0.object == object }
  }

  /// Records that an answer came at a time in seconds, or is not owed any more. One that is too late is a breach.
  mutating func removeOwed(_ rule: SessionRule, object: Int = 0, at time: Double? = nil) {
    guard let index = owed.firstIndex(where: { $0.rule.id == rule.id && $0.object == object }) else { return }
    var finding = owed.remove(at: index)
    guard let limit = rule.limit, let time, let asked = finding.time, time - asked > limit else { return }
    finding.detail += " within \(Int(limit)) s"
    finding.isLate = true
    if broken.count < Self.maximumFindings { broken.append(finding) }
  }

  /// Records that a side gave up what an answer is owed for. If it waited for the answer itself, that is a breach of the
  /// other side.
  ///
  /// - Parameter isOwn: Whether the side may owe the answer itself.
  mutating func abandonOwed(_ rule: SessionRule, object: Int = 0, at place: DecodedPlace, isOwn: Bool = false) {
    guard let finding = owed.first(where: { $0.rule.id == rule.id && $0.object == object }) else { return }
    removeOwed(rule, object: object)
    guard isOwn || finding.side != place.from, let time = finding.time, let now = place.time, now - time > finding.wait,
      broken.count < Self.maximumFindings
    else { return }
    broken.append(finding)
  }

  /// Whether a side acknowledged what the capture does not have.
  func hasForeignAcknowledgement(of side: Side) -> Bool {
    broken.contains { $0.rule.id == SessionRule.acknowledgesSent.id && $0.side == side }
  }

  /// The breaches that the capture proves.
  var certain: some Sequence<RuleFinding> { broken.lazy.filter { [isIncomplete] in $0.rule.isLocal || !isIncomplete } }

  /// The first breach that explains a stop: the other side sent nothing new after it.
  var stopping: RuleFinding? { certain.first { $0.rule.effect == .stops && $0.stepCount == stepCounts[$0.side.peer] } }

  /// The first breach that makes a part of the session fail.
  var failing: RuleFinding? { certain.first { $0.rule.effect == .fails || $0.rule.effect == .decides } }

  /// Returns the first breach that decides how a stage ends.
  func deciding(in stage: SessionStage) -> RuleFinding? {
    certain.first { $0.rule.effect == .decides && $0.rule.stage == stage }
  }

  /// Returns the breach of a message that came before its time, and whose answer the session waits for.
  func premature(_ step: SessionStep, from side: Side?) -> RuleFinding? {
    // A side that acknowledges what no packet shows is a sign of a capture that lacks packets.
    guard !broken.contains(where: { $0.rule.id == SessionRule.acknowledgesSent.id }) else { return nil }
    return certain.first { $0.rule.id == SessionRule.both.id && $0.step == step && $0.side == side }
  }

  /// Returns the oldest answer that is owed at a time, in seconds.
  func overdue(at end: Double?) -> RuleFinding? {
    guard !isIncomplete else { return nil }
    return owed.first { finding in
      guard let end, let time = finding.time else {
        return stepCounts[finding.side] - finding.stepCount >= Self.answerSteps
      }
      return end - time >= finding.wait
    }
  }
}
