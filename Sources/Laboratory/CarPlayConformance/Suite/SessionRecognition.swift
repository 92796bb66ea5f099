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

  /// Asks a head unit for `/info`, whatever the answer is.
  package init(of peer: ProbedHeadUnit) async {
    guard let phone = await ScriptedPhone.connect(to: peer) else {
      self = .absent
      return
    }
    await phone.send(phone.request("GET", "/info"))
    if let answer = await phone.answerOrEnd() {
      self = answer.isOfHeadUnit ? .headUnit : .other(phone.firstBytes)
    } else if !phone.firstBytes.isEmpty {
      self = .other(phone.firstBytes)
    } else {
      self = phone.isClosed ? .closed : .silent
    }
    await phone.leave()
  }
}

extension RequestMessage {
  /// Whether the answer to `/info` may be that of a head unit. A web server answers with HTTP, and not with a property
  /// list.
  fileprivate var isOfHeadUnit: Bool {
    guard case .answer(_, _, let word) = start, word.hasPrefix("HTTP/") else { return true }
    return values != nil
  }
}
