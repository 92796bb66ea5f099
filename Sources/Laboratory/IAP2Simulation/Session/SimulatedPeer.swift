// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles

/// One side of a simulated connection: its session, the pending answers of the chip, and the contents of its EA
/// sessions.
struct SimulatedPeer<Policy: RolePolicy> {
  let side: Side
  var session: Session<Policy>
  /// Whether the party has left its transport.
  var hasLeft = false
  /// The open EA sessions by session identifier.
  var works: [UInt16: ExchangeEnd] = [:]
  /// The pending requests with the times of their answers, in order; one chip answers one request at a time.
  private var answers: [(time: MonotonicTime, request: SessionRequest)] = []
  /// The time that the accessory's chip takes for a signature, in milliseconds.
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

  /// Takes the requests of the session and schedules their answers.
  mutating func takeRequests(at now: MonotonicTime) {
    while let request = session.nextRequest() {
      let isSigning = if case .sign = request.action { true } else { false }
      let start = max(now, answers.last?.time ?? now)
      answers.append((start.adding(milliseconds: isSigning ? signMilliseconds : 0), request))
    }
  }

  /// Sends the outgoing bytes of an EA session as far as the session accepts them.
  ///
  /// - Returns: true when the session accepted at least one byte.
  mutating func write(_ id: UInt16, at now: MonotonicTime) -> Bool {
    guard var work = works[id] else { return false }
    let isWritten = work.write { session.send($0, in: id, at: now) }
    works[id] = work
    return isWritten
  }

  /// Removes and returns the next request whose answer is ready; nil when none is.
  mutating func nextAnswer(at now: MonotonicTime) -> SessionRequest? {
    guard let first = answers.first, first.time <= now else { return nil }
    return answers.removeFirst().request
  }
}

extension SessionRequest {
  /// A placeholder answer of the correct size, so that authentication needs no cryptography; nil for other requests.
  var stubAnswer: RoleInput? {
    switch action {
    case .fetchCertificate: .certificateReady(StubAuthenticator.bytes(610))
    case .fetchSerialNumber: .serialNumberReady(StubAuthenticator.bytes(32))
    case .sign: .signatureReady(StubAuthenticator.bytes(64))
    case .checkCertificate: .certificateChecked(challenge: StubAuthenticator.bytes(32), reason: nil)
    case .verify: .responseChecked(isValid: true, reason: nil)
    default: nil
    }
  }
}
