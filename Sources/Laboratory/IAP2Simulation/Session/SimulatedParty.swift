// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles

/// One side of a simulated connection: its session, the chip's answers that are on their way, and what runs in its EA
/// sessions.
struct SimulatedParty<Policy: RolePolicy> {
  let side: Side
  var session: Session<Policy>
  /// The party has left its transport.
  var hasLeft = false
  var works: [UInt16: EchoedWork] = [:]
  /// Answers to requests, with the time each is ready; one at a time, as one chip gives them.
  private var answers: [(time: MonotonicTime, request: SessionRequest)] = []
  /// How long the accessory's chip takes for a signature.
  private let signMilliseconds: Int

  init(side: Side, session: Session<Policy>, signMilliseconds: Int) {
    self.side = side
    self.session = session
    self.signMilliseconds = signMilliseconds
  }

  var nextDeadline: MonotonicTime? {
    guard !hasLeft else { return nil }
    guard let answer = answers.first?.time else { return session.nextDeadline }
    return min(session.nextDeadline ?? answer, answer)
  }

  /// Takes the requests of the session; each is answered when its time has come.
  mutating func takeRequests(at now: MonotonicTime) {
    while let request = session.nextRequest() {
      let isSigning = if case .sign = request.action { true } else { false }
      let start = max(now, answers.last?.time ?? now)
      answers.append((start.adding(milliseconds: isSigning ? signMilliseconds : 0), request))
    }
  }

  /// Writes what the work of an EA session has to send, as far as there is room.
  ///
  /// - Returns: true when something was taken.
  mutating func write(_ id: UInt16, at now: MonotonicTime) -> Bool {
    guard var work = works[id] else { return false }
    let isWritten = work.write { session.send($0, in: id, at: now) }
    works[id] = work
    return isWritten
  }

  /// The next request whose answer is ready.
  mutating func nextAnswer(at now: MonotonicTime) -> SessionRequest? {
    guard let first = answers.first, first.time <= now else { return nil }
    return answers.removeFirst().request
  }
}

extension SessionRequest {
  /// Certificate, signature and verdict of the right size that mean nothing: whole authentications at no cost.
  var stubAnswer: RoleInput? {
    switch action {
    case .fetchCertificate: .certificateReady(StubAuthenticator.bytes(610))
    case .fetchSerialNumber: .serialNumberReady(StubAuthenticator.bytes(32))
    case .sign: .signatureReady(StubAuthenticator.bytes(64))
    case .judge: .certificateJudged(challenge: StubAuthenticator.bytes(32), reason: nil)
    case .verify: .responseJudged(isValid: true, reason: nil)
    default: nil
    }
  }
}
