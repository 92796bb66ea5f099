// swift-iap2 · Apache-2.0

import CarPlaySession

// Answers of the head unit with another status than 200.
extension SessionJudge {
  /// The status of a head unit that serves another phone (CarPlaySession.md#states).
  private static let busy = 453
  /// The status of a head unit that knows no such path, and of one that knows no such method.
  private static let unknown: Set<Int> = [404, 501]

  /// Judges an answer of the head unit with another status than 200. A head unit may refuse what a phone does wrong, so
  /// nothing is judged behind a fault of the phone, or if the judge does not see all.
  mutating func takeRefusal(_ status: Int, of request: RequestMessage, from side: SessionSide) {
    guard seesAll, !isPhoneAtFault, status != Self.busy, let rule = rule(ofRefusal: status, request) else { return }
    guard case .request(let method, let path, _) = request.start else { return }
    let name = path.hasPrefix("/") ? "\(method) \(path)" : method
    add(rule, by: side, ValueProblem(name, is: "the head unit answers \(status)", expected: "200"))
  }

  /// Returns the rule that a refusal breaks; nil for a request that a head unit may refuse.
  private func rule(ofRefusal status: Int, _ request: RequestMessage) -> CarPlayRule? {
    guard case .request(let method, _, _) = request.start else { return nil }
    switch (method, request.path ?? "") {
    case ("POST", "/pair-setup"), ("POST", "/pair-verify"):
      // A refusal of a proof may be right, and a head unit of an old generation does not pair.
      let isBeginning = (request.path == "/pair-setup" ? setupState : verifyState) == 1
      let isFault = isBeginning && status >= 500 && !Self.unknown.contains(status)
      return isPhoneRight || isFault ? .accepted : nil
    case ("POST", "/auth-setup"), ("RECORD", _), ("POST", "/feedback"), ("TEARDOWN", _): return .accepted
    // Before pair-verify a head unit may keep its answer.
    case (_, "/info"): return isSecure || states.contains(.setUp) ? .accepted : nil
    case ("POST", "/command"): return Self.isKnownCommand(request) ? .accepted : nil
    case ("SETUP", _): return rule(ofRefusedStreams: status, request)
    default: return nil
    }
  }

  /// Returns the rule that a refused SETUP breaks: a session needs a screen, and can do without each other stream.
  private func rule(ofRefusedStreams status: Int, _ request: RequestMessage) -> CarPlayRule? {
    let list: StreamList
    do throws(BodyProblem) { list = try StreamList(bytes: request.body) } catch { return nil }
    guard list.hasStreams else { return .accepted }
    let types = (list.streams ?? []).compactMap(\.type)
    guard types.contains(where: { streams[$0] == nil }) else { return nil }
    return types.contains(.screen) || status >= 500 ? .accepted : .streamsAnswered
  }

  /// Returns whether a command of the phone is one that head units know.
  private static func isKnownCommand(_ request: RequestMessage) -> Bool {
    do throws(BodyProblem) {
      guard let command = try CommandBody(bytes: request.body).command else { return false }
      if case .other = command { return false }
      return true
    } catch { return false }
  }

  /// Judges the refusal of the phone's proof in pair-setup by a head unit.
  ///
  /// - Parameter isRight: Whether the proof follows from the secret of the procedure.
  package mutating func takeRefusedProof(isRight: Bool) {
    guard isRight else { return takeSetupProof(isRight: false, from: .phone) }
    takePairingRefusal(isSetup: true, state: 3, error: PairingError.authentication.rawValue)
  }

  /// Judges the refusal of a message of pairing by a phone whose proofs are right.
  ///
  /// - Parameters:
  ///   - state: The state of the refused message.
  ///   - error: The error in the answer.
  package mutating func takePairingRefusal(isSetup: Bool, state: UInt8, error: UInt8) {
    let rule: CarPlayRule =
      switch (isSetup, state) {
      case (true, 3): .setupProof
      case (true, 5): .setupIdentity
      case (false, 3): .verifySignature
      default: .accepted
      }
    let words = PairingError(rawValue: error).map { "\($0)" } ?? "\(error)"
    let name = "\(isSetup ? "/pair-setup" : "/pair-verify") M\(state)"
    add(
      rule, by: .headUnit,
      ValueProblem(name, is: "the head unit refuses it with error \(words)", expected: "an answer without an error"))
  }
}
