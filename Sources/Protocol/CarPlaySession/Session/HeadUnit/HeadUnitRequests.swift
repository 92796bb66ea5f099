// swift-iap2 · Apache-2.0

import Basics

/// The requests of the phone.
extension HeadUnitSession {
  /// Answers the complete requests of a connection until one waits for the owner, or the turn of the connection is
  /// over.
  mutating func serve(_ id: Int, at time: MonotonicTime) {
    var count = 0
    while connections[id] != nil, connections[id]?.waiting == nil, connections[id]?.turn == nil {
      guard count < Self.requestsPerTurn else {
        connections[id]?.turn = time.advanced(by: Self.turn)
        return
      }
      count += 1
      let request: RequestMessage
      do throws(RequestReader.Problem) {
        guard let next = try connections[id]?.channel.next() else { return }
        request = next
      } catch {
        let sender = RequestMessage(.request(method: "", path: "", protocolWord: "RTSP/1.0"))
        answer(id, sender, error.status)
        return drop(id, SessionEnd(error))
      }
      guard case .request(let method, _, _) = request.start, let path = request.path else {
        return drop(id, .badRequest)
      }
      serve(id, request, method, path, at: time)
    }
  }

  private mutating func serve(
    _ id: Int, _ request: RequestMessage, _ method: String, _ path: String, at time: MonotonicTime
  ) {
    if let session, session.connection != id {
      let mayGoOn = mayTakeOver(id, request, path)
      connections[id]?.takeOverCount += 1
      guard mayGoOn else {
        answer(id, request, 453)
        report(.refused(.busy, status: 453))
        connections[id] = nil
        return act(.close(.control(id)))
      }
    } else {
      session?.lastRequest = time
      session?.lastHeard = time
    }
    switch (method, path) {
    case ("POST", "/pair-setup"), ("POST", "/pair-verify"), ("POST", "/pair-pin-start"):
      return pair(id, request, path, at: time)
    case ("GET", "/info"), ("POST", "/info"):
      let body = configuration.answer(to: request.body, enabled: session?.enabledFeatures)
      return answer(id, request, 200, type: MessageTypes.propertyList, body: body.bytes)
    // The proof of the coprocessor needs no pairing: one phone asks for it first (CarPlaySession.md#auth-setup-order).
    case ("POST", "/auth-setup"): return authenticate(id, request)
    case ("OPTIONS", _):
      return answer(id, request, 200, headers: [("Public", Self.methods)])
    case ("POST", "/feedback"): return answerFeedback(id, request, at: time)
    default: break
    }
    guard !configuration.generation.demandsPairing || connections[id]?.verified != nil else {
      return refuse(
        id, request, 403, .notPaired,
        ValueProblem("\(method) \(path)", is: "it came before pair-verify", expected: "pair-verify first"))
    }
    switch (method, path) {
    case (let method, _) where Self.bufferedMethods.contains(method): control(id, request, method, at: time)
    case ("SETUP", _): setUp(id, request, at: time)
    case ("POST", "/command"), ("RECORD", _), ("TEARDOWN", _), ("FLUSH", _), ("GET_PARAMETER", _),
      ("SET_PARAMETER", _):
      guard session != nil else {
        return refuse(
          id, request, 455, nil, ValueProblem(method, is: "it came before SETUP", expected: "a session that is set up"))
      }
      serveSession(id, request, method, at: time)
    case ("POST", _), ("GET", _):
      refuse(
        id, request, 404, nil, ValueProblem("\(method) \(path)", is: "its path is unknown", expected: "a known one"))
    default:
      refuse(id, request, 501, nil, ValueProblem(method, is: "the method is unknown", expected: Self.methods))
    }
  }

  /// The largest number of requests of pair-verify on a connection during a session of another one: two messages. Each
  /// costs time that the session needs.
  private static let maximumTakeOverCount = 2

  /// Returns whether a connection beside that of the session may send a request: the phone of the session may come back
  /// on a new connection, before it or the head unit knows that the old one is lost.
  private func mayTakeOver(_ id: Int, _ request: RequestMessage, _ path: String) -> Bool {
    guard let phone = session.flatMap({ connections[$0.connection]?.verified?.peer.identifier }) else { return false }
    guard let verified = connections[id]?.verified else {
      return path == "/pair-verify" && connections[id]?.takeOverCount ?? 0 < Self.maximumTakeOverCount
    }
    guard verified.peer.identifier == phone, case .request(let method, _, _) = request.start else { return false }
    return ["SETUP", "OPTIONS"].contains(method) || ["/info", "/auth-setup"].contains(path)
  }

  private static let methods = "SETUP, RECORD, FLUSH, TEARDOWN, OPTIONS, GET_PARAMETER, SET_PARAMETER"

  private mutating func serveSession(
    _ id: Int, _ request: RequestMessage, _ method: String, at time: MonotonicTime
  ) {
    switch method {
    case "RECORD":
      let isFirst = session?.record() == true
      answer(id, request, 200)
      if isFirst {
        report(.state(.recording))
        goLive(at: time)
      }
    case "TEARDOWN": tearDown(id, request, at: time)
    case "POST": command(id, request)
    default: answer(id, request, 200)
    }
  }

  private mutating func command(_ id: Int, _ request: RequestMessage) {
    let body: CommandBody
    do throws(BodyProblem) { body = try CommandBody(bytes: request.body) } catch {
      return refuse(id, request, 400, .badPlist, ValueProblem("POST /command", body: request.body, error))
    }
    guard let command = body.command else {
      return refuse(
        id, request, 400, .badValue,
        ValueProblem("POST /command", "type", body.values["type"], expected: "the name of a command"))
    }
    if case .other = command {
      answer(id, request, configuration.unknownCommandStatus)
    } else {
      answer(id, request, 200)
    }
    report(.command(command, body, from: .phone))
    switch command {
    case .modesChanged(let modes):
      session?.modes = modes
      report(.modes(modes))
    case .iAP(let bytes): report(.iAP(bytes, from: .phone))
    default: break
    }
  }

  // MARK: Pairing

  private mutating func pair(_ id: Int, _ request: RequestMessage, _ path: String, at time: MonotonicTime) {
    guard configuration.generation.offersPairing else {
      return refuse(id, request, 404, nil, ValueProblem("POST \(path)", is: "no pairing", expected: "auth-setup first"))
    }
    guard connections[id]?.verified == nil, var connection = connections[id] else {
      return refuse(
        id, request, 455, nil, ValueProblem("POST \(path)", is: "the phone is verified", expected: "no more pairing"))
    }
    if path == "/pair-pin-start" { return answer(id, request, 200) }
    do throws(PairingProblem) {
      if path == "/pair-setup" {
        let phones = configuration.phones
        let reply = try connection.pairSetup.answer(request.body, stored: { phones[$0] }, random)
        log(connection.pairSetup.takeAgreed())
        connections[id] = connection
        reply.refusal.map { refuse(id, $0) }
        answer(id, request, 200, type: MessageTypes.pairing, body: reply.body)
        if let phone = reply.result {
          keep(phone)
          connections[id]?.refusal = nil
          report(.paired(phone))
        }
      } else {
        let phones = configuration.phones
        let reply = try connection.pairVerify.answer(request.body, stored: { phones[$0] }, random)
        log(connection.pairVerify.takeAgreed())
        connections[id] = connection
        reply.refusal.map { refuse(id, $0) }
        answer(id, request, 200, type: MessageTypes.pairing, body: reply.body)
        if let verified = reply.result { try verify(id, verified) }
      }
    } catch { refuse(id, request, 400, SessionEnd(error)) }
  }

  private mutating func verify(_ id: Int, _ verified: VerifiedPeer) throws(PairingProblem) {
    connections[id]?.verified = verified
    connections[id]?.refusal = nil
    let keys = ChannelKeys.control(verified.secret)
    if connections[id]?.isReported == true { report(.state(.verified)) }
    do throws(SessionFailure) {
      try connections[id]?.channel.encrypt(reading: keys.phone, writing: keys.headUnit)
    } catch { drop(id, error) }
  }

  private mutating func authenticate(_ id: Int, _ request: RequestMessage) {
    do throws(AuthSetupProblem) {
      guard let signed = try connections[id]?.authSetup.take(request.body, random) else { return }
      log(connections[id]?.authSetup.takeAgreed())
      connections[id]?.waiting = Waiting(request: request, step: .signature)
      sign(signed, of: id)
    } catch {
      refuse(
        id, request, error == .repeated ? 455 : 400, error == .badKey ? .badPublicKey : nil,
        ValueProblem(
          "POST /auth-setup", is: "\(error)", expected: "once, the byte 1 and an X25519 key of 32 bytes"))
    }
  }

  // MARK: Answers

  mutating func answer(
    _ id: Int, _ request: RequestMessage, _ status: Int, headers: [(String, String)] = [], type: String? = nil,
    body: [UInt8] = []
  ) {
    var headers = headers
    headers.append(("Server", "AirTunes/\(configuration.generation.sourceVersion)"))
    if let type { headers.append(("Content-Type", type)) }
    let message = request.answer(status, headers: headers, body: body)
    guard let bytes = connections[id]?.channel.bytes(message) else { return }
    act(.send(.control(id), bytes))
  }

  /// Answers a request with an error. The reason becomes the reported end if the phone then closes the connection.
  mutating func refuse(
    _ id: Int, _ request: RequestMessage, _ status: Int, _ reason: SessionEnd?, _ problem: ValueProblem? = nil
  ) {
    answer(id, request, status)
    if let reason { connections[id]?.refusal = SessionFailure(reason, problem) }
    report(.refused(reason ?? .refused, status: status, problem))
  }

  private mutating func refuse(_ id: Int, _ problem: PairingProblem) {
    let failure = SessionFailure(SessionEnd(problem), problem.valueProblem)
    connections[id]?.refusal = failure
    if connections[id]?.isReported == true { report(.refused(failure.end, status: nil, failure.problem)) }
  }
}

extension PairingProblem {
  /// The value that is wrong, if the kind of the end does not say it.
  fileprivate var valueProblem: ValueProblem? {
    switch self {
    case .nameTaken:
      ValueProblem(
        "POST /pair-setup", is: "the identifier is that of a paired phone with another key",
        expected: "the key of that phone, or no pairing with it")
    case .transient:
      ValueProblem("POST /pair-setup", is: "the flags ask for a transient pairing", expected: "a pairing that is kept")
    default: nil
    }
  }
}

/// The types of bodies.
enum MessageTypes {
  static let propertyList = "application/x-apple-binary-plist"
  static let pairing = "application/pairing+tlv8"
  static let bytes = "application/octet-stream"
}
