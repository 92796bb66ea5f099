// swift-iap2 · Apache-2.0

package import CarPlaySession

extension RecordedSession.Exchange {
  /// The path of the request; empty for a request of a session, whose path has its address.
  package var path: String {
    let path = request.path ?? ""
    return path.hasPrefix("rtsp:") ? "" : path
  }

  /// The name of the request: its method and path, with the command, the message of pairing, or the streams. Exchanges
  /// of one name are compared with each other.
  package var name: String {
    let base = "\(method)\(path.isEmpty ? "" : " \(path)")"
    let detail: String? =
      switch path {
      case "/command": command
      case "/pair-setup", "/pair-verify": pairingState.map { "M\($0)" }
      default: streams.map { $0.map { $0.type?.name ?? "of an unknown type" }.joined(separator: ", ") }
      }
    return detail.map { "\(base) \($0)" } ?? base
  }

  /// The method.
  package var method: String { if case .request(let method, _, _) = request.start { method } else { "" } }

  /// The name of a command; nil for another request.
  package var command: String? {
    guard path == "/command" else { return nil }
    do throws(BodyProblem) { return try CommandBody(bytes: request.body).name } catch { return nil }
  }

  /// The number of a message of pairing; nil for another request.
  package var pairingState: UInt8? {
    guard isPairing else { return nil }
    do { return try TLV8(bytes: request.body).byte(.state) } catch { return nil }
  }

  /// The streams of a set-up or of an end; nil for another request.
  package var streams: [StreamBody]? {
    guard method == "SETUP" || method == "TEARDOWN" else { return nil }
    do throws(BodyProblem) { return try StreamList(bytes: request.body).streams } catch { return nil }
  }

  /// Whether the exchange is one of pairing.
  package var isPairing: Bool { path == "/pair-setup" || path == "/pair-verify" }

  /// The rule by which the number of such exchanges does not count; nil if each is compared.
  package var uncounted: SessionValueRule? {
    if path == "/feedback" || method == "OPTIONS" { return .feedback }
    return command == "iAPSendMessage" ? .link : nil
  }
}
