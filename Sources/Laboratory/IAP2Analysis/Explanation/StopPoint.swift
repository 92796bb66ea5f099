// swift-iap2 · Apache-2.0

package import IAP2

/// A reason why connections are known to stop at some point.
package struct KnownCause: Sendable {
  /// Stable, and unique within its stop point: scripts name both.
  package let id: String
  package let text: String
  /// Who showed it, and where.
  package let evidence: String
  /// Nil for what nobody has shown: unverified.
  package let confidence: Confidence?
  /// How to tell it from the others, or what to try.
  package let check: String
  let applies: @Sendable (ConnectionCourse) -> Bool

  /// - Parameter applies: where the capture can rule it out.
  init(
    _ id: String, _ text: String, _ evidence: String, _ confidence: Confidence?, _ check: String,
    when applies: @escaping @Sendable (ConnectionCourse) -> Bool = { _ in true }
  ) {
    self.id = id
    self.text = text
    self.evidence = evidence
    self.confidence = confidence
    self.check = check
    self.applies = applies
  }
}

/// A place where connections stop: how to know it, what would have come next, and why it may not have come.
package struct StopPoint: Sendable {
  /// Stable: scripts name it, and so are the captures in `captures/failures`.
  package let id: String
  /// Nil for what can happen in any: then that in which the session was.
  package let stage: SessionStage?
  package let text: String
  /// What is typically owed; a course may know it better.
  package let turn: SessionTurn
  package let causes: [KnownCause]
  private(set) var request: UInt16?
  /// Nothing is wrong: the session runs, or was ended in order. Its causes are those for which it may not have been.
  package let isComplete: Bool
  let turnOf: @Sendable (ConnectionCourse) -> SessionTurn?
  let applies: @Sendable (ConnectionCourse) -> Bool

  /// - Parameter turnOf: nil where the typical turn holds.
  init(
    _ id: String, _ stage: SessionStage?, _ text: String, _ turn: SessionTurn, isComplete: Bool = false,
    when applies: @escaping @Sendable (ConnectionCourse) -> Bool,
    turnOf: @escaping @Sendable (ConnectionCourse) -> SessionTurn? = { _ in nil },
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
  /// - Parameter request: the message that waits for an answer; of several the oldest counts.
  init(
    _ id: String, _ stage: SessionStage, _ text: String, _ turn: SessionTurn, request: UInt16, causes: [KnownCause]
  ) {
    self.init(
      id, stage, text, turn, when: { $0.link.isUp && $0.link.pending?.step == .message(request) }, causes: causes)
    self.request = request
  }

  /// The point at which a session stands that waits for the answer to this.
  static func waiting(for request: SessionEvent) -> StopPoint? {
    requests.first { point in point.request.map { request.step == .message($0) } ?? false }
  }

  /// The only list. The first that applies holds: what ends everything comes before what only waits.
  package static let all: [StopPoint] =
    enumeration + capture + refusals + endings + detection + negotiation + requests + beginnings + features
    + externalAccessory + carPlay + [running]

  private static let requests = authenticationRequests + identificationRequests + sessionRequests + carPlayRequests

  /// The stop point of a course; every course has one.
  static func of(_ course: ConnectionCourse) -> StopPoint { all.first { $0.applies(course) } ?? running }
}
