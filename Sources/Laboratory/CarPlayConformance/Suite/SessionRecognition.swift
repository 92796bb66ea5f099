// swift-iap2 · Apache-2.0

import CarPlaySession

/// The recognition of a head unit before any check, because the address may be that of another program.
package enum SessionRecognition: Sendable, Equatable {
  /// It answers a request.
  case headUnit
  /// It accepts no connection.
  case absent
  /// It accepts a connection and sends nothing within the time of an answer.
  case silent
  /// It closes the connection without a byte.
  case closed
  /// It sends something else than RTSP, with the first bytes.
  case other([UInt8])

  /// Asks a head unit for `/info`, whatever the answer is, and for pair-setup if it does not answer.
  package init(of peer: ProbedHeadUnit) async {
    self = await Self.recognized(peer) { $0.request("GET", "/info") }
    guard self == .silent || self == .closed else { return }
    // A program may speak pairing alone.
    let second = await Self.recognized(peer) { phone in
      var side = PairSetupPhone(phone.identity)
      return phone.pairingRequest("/pair-setup", side.begin())
    }
    if second == .headUnit { self = second }
  }

  private static func recognized(
    _ peer: ProbedHeadUnit, by request: (ScriptedPhone) -> RequestMessage
  ) async -> SessionRecognition {
    guard let phone = await ScriptedPhone.connect(to: peer) else { return .absent }
    let message = request(phone)
    await phone.send(message)
    let recognition: SessionRecognition =
      if let answer = await phone.answerOrEnd() {
        answer.isOfHeadUnit(to: message) ? .headUnit : .other(phone.firstBytes)
      } else if !phone.firstBytes.isEmpty {
        .other(phone.firstBytes)
      } else {
        phone.isClosed ? .closed : .silent
      }
    await phone.leave()
    return recognition
  }
}

extension RequestMessage {
  /// Whether the message may be the answer of a head unit. A web server answers with HTTP, and neither with a property
  /// list nor with a message of pairing.
  fileprivate func isOfHeadUnit(to request: RequestMessage) -> Bool {
    guard case .answer(_, _, let word) = start, word.hasPrefix("HTTP/") else { return true }
    return values != nil || request.path == "/pair-setup" && list?[.state] != nil
  }
}
