// swift-iap2 · Apache-2.0

package import IAP2

/// A known reason why connections stop at some point.
package struct KnownCause: Sendable {
  /// The id, which is stable and unique within its stop point. Scripts use both ids.
  package let id: String
  /// The cause in one English sentence.
  package let text: String
  /// The fact in `Documentation/Protocol`, as page and anchor, with a remark; after `inferred:` one that it follows
  /// from.
  package let evidence: String
  /// The confidence; nil for unverified causes.
  package let confidence: Confidence?
  /// A way to distinguish this cause from the others, or a remedy to try.
  package let check: String
  let applies: @Sendable (ConnectionHistory) -> Bool
  private let words: (@Sendable (ConnectionHistory) -> (text: String, check: String)?)?

  /// - Parameters:
  ///   - applies: returns false if the capture rules the cause out.
  ///   - words: returns the text and the check for this capture, if they say more than the usual ones.
  init(
    _ id: String, _ text: String, _ evidence: String, _ confidence: Confidence?, _ check: String,
    when applies: @escaping @Sendable (ConnectionHistory) -> Bool = { _ in true },
    words: (@Sendable (ConnectionHistory) -> (text: String, check: String)?)? = nil
  ) {
    self.id = id
    self.text = text
    self.evidence = evidence
    self.confidence = confidence
    self.check = check
    self.applies = applies
    self.words = words
  }

  /// Creates the cause that a finding is.
  init(_ finding: RuleFinding) {
    let rule = finding.rule
    self.init(
      rule.id, "The \(finding.side.rawValue) does not keep this rule: \(rule.text)", rule.evidence, rule.confidence,
      finding.repair ?? rule.repair)
  }

  private init(_ cause: KnownCause, text: String, check: String) {
    self.init(cause.id, text, cause.evidence, cause.confidence, check, when: cause.applies)
  }

  /// Returns the cause in the words of a capture.
  func specific(_ history: ConnectionHistory) -> KnownCause {
    words?(history).map { KnownCause(self, text: $0.text, check: $0.check) } ?? self
  }
}

/// A point at which connections stop: its condition, the expected next steps, and the causes.
package struct StopPoint: Sendable {
  /// The id, which is stable. Scripts use it, and the captures in `captures/failures` are named after it.
  package let id: String
  /// The stage; nil for a point that can occur in any stage, which then has the stage of the session.
  package let stage: SessionStage?
  /// The stop point in one English sentence.
  package let text: String
  /// The turn that is usually expected; the history may determine a more exact one.
  package let turn: SessionTurn
  /// The known causes.
  package private(set) var causes: [KnownCause]
  private(set) var request: UInt16?
  /// Whether nothing is wrong: the session runs, or was closed in order. The causes are then those that would make it a
  /// failure.
  package let isComplete: Bool
  let turnOf: @Sendable (ConnectionHistory) -> SessionTurn?
  let applies: @Sendable (ConnectionHistory) -> Bool

  /// - Parameter turnOf: returns nil if the usual turn applies.
  init(
    _ id: String, _ stage: SessionStage?, _ text: String, _ turn: SessionTurn, isComplete: Bool = false,
    when applies: @escaping @Sendable (ConnectionHistory) -> Bool,
    turnOf: @escaping @Sendable (ConnectionHistory) -> SessionTurn? = { _ in nil },
    causes: [KnownCause]
  ) {
    self.id = id
    self.stage = stage
    self.text = text
    self.turn = turn
    self.isComplete = isComplete || stage == .complete
    self.applies = applies
    self.turnOf = turnOf
    self.causes = causes
  }
}

extension StopPoint {
  /// - Parameters:
  ///   - request: the id of the message that waits for a response. If several wait, the oldest counts.
  ///   - isAbandoned: returns whether the request was withdrawn without a response.
  init(
    _ id: String, _ stage: SessionStage, _ text: String, _ turn: SessionTurn, request: UInt16,
    orWhen isAbandoned: @escaping @Sendable (ConnectionHistory) -> Bool = { _ in false },
    turnOf: @escaping @Sendable (ConnectionHistory) -> SessionTurn? = { _ in nil }, causes: [KnownCause]
  ) {
    self.init(
      id, stage, text, turn,
      when: { $0.link.isUp && ($0.link.pending?.step == .message(request) || isAbandoned($0)) }, turnOf: turnOf,
      causes: causes)
    self.request = request
  }

  /// Returns the stop point of a session that waits for the response to a request.
  static func waiting(for request: SessionEvent) -> StopPoint? {
    (requests + [sessionUnanswered]).first { point in point.request.map { request.step == .message($0) } ?? false }
  }

  /// The only list of stop points. The first that applies counts, so points that end the session come before points
  /// that wait.
  package static let all: [StopPoint] =
    enumeration + capture + refusals + faults + [ruleBroken] + endings + troubles + orderlyEnds
    + (detection + negotiation).map { $0.adding(ownAttempts) }
    + (requests + beginnings).map { $0.adding(own + [stateKept]) } + parts + [running]

  /// The stop points of the parts of a session that runs.
  static let parts = features + externalAccessory + carPlay

  /// The ids of the stop points whose cause is the finding itself.
  private static let ofRules: Set<String> = [ruleBroken.id, ruleIgnored.id, answerOwed.id]

  /// Whether a broken rule or an owed step explains the connection, and not a known case.
  package var isOfRule: Bool { Self.ofRules.contains(id) }
  /// Whether a broken rule or an owed step explains the connection, and the session may have gone on.
  package var sessionGoesOn: Bool { isOfRule && id != Self.ruleBroken.id }

  /// The stop point of an unanswered EA session is among the endings, because it also applies after an RST.
  private static let requests = authenticationRequests + identificationRequests + carPlayRequests

  /// Returns the stop point with more causes before its own.
  private func adding(_ causes: [KnownCause]) -> StopPoint {
    var point = self
    point.causes = causes + point.causes
    return point
  }

  /// Returns the stop point of a history. Every history has one.
  ///
  /// A broken rule of the stage in which a session stopped explains more than the place of the stop.
  static func of(_ history: ConnectionHistory) -> StopPoint {
    history.earlierBreach == nil ? all.first { $0.applies(history) } ?? running : ruleIgnored
  }

  /// Returns the stop point of a history apart from rules that are broken in a session that goes on.
  static func known(_ history: ConnectionHistory) -> StopPoint {
    all.first { !$0.isOfRule && $0.applies(history) } ?? running
  }
}
