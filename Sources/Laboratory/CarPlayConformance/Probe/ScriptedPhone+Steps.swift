// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
import Cryptography
import IAP2Conformance

// The steps of a session in their order, each as a phone plays it.
extension ScriptedPhone {
  /// The time in which the head unit must listen at its event port.
  private static let eventLimit = Duration.seconds(2)
  /// The pause after a refusal that asks for one. One program refuses for 2 s.
  private static let backOff = Duration.seconds(3)
  private static let pairingType = "application/pairing+tlv8"

  // MARK: Pairing

  /// Sends a message of pairing and returns the answer.
  func askPairing(_ path: String, _ body: [UInt8]) async throws(Stop) -> RequestMessage {
    try await ask(pairingRequest(path, body))
  }

  /// Sends a message of pairing and returns the answer; nil if the connection ends, or none comes in time.
  func askPairingOrEnd(_ path: String, _ body: [UInt8]) async -> RequestMessage? {
    await send(pairingRequest(path, body))
    return await answerOrEnd()
  }

  /// Returns a message of pairing.
  func pairingRequest(_ path: String, _ body: [UInt8]) -> RequestMessage {
    let kind = path == "/pair-setup" ? "0" : "2"
    return request("POST", path, headers: [("X-Apple-HKP", kind)], type: Self.pairingType, body: body)
  }

  /// Sends a message of pairing and returns the body of the answer, whose status must be 200.
  func pairing(_ path: String, _ body: [UInt8]) async throws(Stop) -> [UInt8] {
    let answer = try await askPairing(path, body)
    guard answer.status == 200 else { throw .failed("POST \(path) got status \(answer.status)") }
    return answer.body
  }

  /// Pairs with the head unit. A refused proof is repeated once, because programs differ in how they hash a number that
  /// begins with a zero byte (CarPlaySession.md#srp-padding).
  func pair() async throws(Stop) {
    var side = PairSetupPhone(identity)
    var next = side.begin()
    var hasRepeated = false
    var parts: [SessionPart] = [.setupKeys, .setupProof]
    while true {
      let body = try await pairing("/pair-setup", next)
      let step: PairSetupPhone.Step
      do throws(PairingProblem) { step = try side.take(body, peer.random) } catch {
        let backsOff = error == .refused(PairingError.backOff.rawValue)
        guard backsOff || error == .refused(PairingError.authentication.rawValue), !hasRepeated else {
          guard !backsOff else { throw .inconclusive("the head unit wants a longer pause before it pairs") }
          throw judged(error, isSetup: true, of: TLV8.state(of: next))
        }
        // After a wrong proof a head unit may want a pause (CarPlaySession.md#tlv8-errors).
        if backsOff { await pass(Self.backOff) }
        hasRepeated = true
        parts = [.setupKeys, .setupProof]
        side = PairSetupPhone(identity)
        next = side.begin()
        continue
      }
      await log(side.takeAgreed())
      switch step {
      case .send(let bytes):
        // M2 had the key, and M4 a right proof.
        if !parts.isEmpty { record.reach(parts.removeFirst()) }
        next = bytes
      case .paired(let peer):
        record.judge.take(.right, isSetup: true, state: 6, from: .headUnit)
        record.reach(.setupIdentity)
        headUnit = peer
        return
      }
    }
  }

  /// Verifies the head unit; the control connection is then encrypted.
  func verify() async throws(Stop) {
    guard let headUnit else { throw .inconclusive("the head unit is not paired") }
    var side = PairVerifyPhone(identity, headUnits: [headUnit.identifier: headUnit.publicKey])
    var next: [UInt8]
    do throws(PairingProblem) { next = try side.begin(peer.random) } catch { throw .inconclusive("\(error)") }
    while true {
      let body = try await pairing("/pair-verify", next)
      let step: PairVerifyPhone.Step
      do throws(PairingProblem) { step = try side.take(body) } catch {
        throw judged(error, isSetup: false, of: TLV8.state(of: next))
      }
      await log(side.takeAgreed())
      switch step {
      case .send(let bytes):
        record.reach(.verifyKeys, .verifyIdentity)
        next = bytes
      case .verified(let verified):
        record.judge.take(.right, isSetup: false, state: 2, from: .headUnit)
        return encrypt(with: verified.secret)
      }
    }
  }

  /// Encrypts the control connection.
  func encrypt(with secret: Secret) {
    self.secret = secret
    let keys = ChannelKeys.control(secret)
    // The head unit sends nothing before the next request, so nothing is read here.
    do throws(WireChannel.Unreadable) { try channel.encrypt(reading: keys.headUnit, writing: keys.phone) } catch {}
  }

  /// - Parameter asked: The state of the message before the answer.
  private func judged(_ problem: PairingProblem, isSetup: Bool, of asked: UInt8) -> Stop {
    let state: UInt8 = isSetup ? 6 : 2
    if case .refused(let error) = problem {
      record.judge.takePairingRefusal(isSetup: isSetup, state: asked, error: error)
    }
    if problem == .badTag { record.judge.take(.sealedOtherwise, isSetup: isSetup, state: state, from: .headUnit) }
    if problem == .badProof { record.judge.takeSetupProof(isRight: false, from: .headUnit) }
    if problem == .badSignature { record.judge.take(.wrong, isSetup: isSetup, state: state, from: .headUnit) }
    record.settle()
    return .failed("pair-\(isSetup ? "setup" : "verify"): \(problem.words)")
  }

  // MARK: Set-up

  /// Asks for the proof of the coprocessor.
  func authenticate() async throws(Stop) {
    var side: AuthSetupPhone
    do throws(AuthSetupProblem) { side = try AuthSetupPhone(peer.random) } catch { throw .inconclusive("\(error)") }
    let answer = try await ask(
      request("POST", "/auth-setup", type: "application/octet-stream", body: side.request), within: peer.answer * 2)
    guard answer.status == 200 else { throw .failed("POST /auth-setup got status \(answer.status)") }
    let evidence: AuthSetupPhone.Evidence
    do throws(AuthSetupProblem) { evidence = try side.take(answer.body) } catch {
      throw .failed("the answer to auth-setup cannot be read: \(error)")
    }
    await log(side.takeAgreed())
    switch peer.judge(evidence) {
    case .trusted: if peer.checksSignature { record.reach(.authProof) }
    case .badCertificate: throw .failed("the certificate of auth-setup is not trusted, or cannot be read")
    case .badSignature:
      record.judge.takeWrongAuthSignature(evidence.signature)
      guard !AuthSetupInspection.isDER(evidence.signature) else {
        throw .failed("the signature of auth-setup is DER of \(evidence.signature.count) bytes, not 64 bytes")
      }
      throw .failed("the signature of auth-setup was not made with the key of the certificate")
    }
  }

  /// The body of the set-up of a session, as a phone of today sends it. The clock is bound if it has a port.
  func setUpBody(hasClock: Bool = true) async -> SessionSetUpRequest {
    var body = SessionSetUpRequest()
    body.deviceID = "02:00:00:00:01:01"
    body.macAddress = "02:00:00:00:01:02"
    body.name = "swift-iap2 conformance"
    body.features = ["altScreen", "hevc", "iAPChannel", "mainBuffered", "viewAreas"]
    if hasClock {
      body.timingPort = await bind(.clock)
    } else {
      body.timingProtocol = "None"
    }
    return SetUpKeys.today.complete(body, peer.random)
  }

  /// Sets the session up.
  func setUp(_ body: SessionSetUpRequest? = nil) async throws(Stop) {
    var body = body
    if body == nil { body = await setUpBody() }
    let answer = try await ask(request("SETUP", list: .dictionary(body?.values ?? [:])))
    guard answer.status == 200 else { throw .failed("SETUP got status \(answer.status)") }
    do throws(BodyProblem) { setUpAnswer = try SessionSetUpAnswer(bytes: answer.body) } catch {
      throw .failed("the answer to SETUP is no property list with a dictionary")
    }
  }

  /// Connects the event channel.
  func openEvents() async throws(Stop) {
    guard let port = setUpAnswer?.eventPort else { throw .failed("the answer to SETUP has no eventPort") }
    if let secret {
      let keys = ChannelKeys.events(secret)
      do throws(WireChannel.Unreadable) { try events.encrypt(reading: keys.headUnit, writing: keys.phone) } catch {}
    }
    record.reach(.events)
    // Some head units listen a little later (CarPlaySession.md#event-channel).
    let deadline = await line.now.advanced(by: Self.eventLimit)
    while await !connect(.events, port: port) {
      guard !isClosed, await line.now < deadline else {
        record.judge.refuse(stream: nil)
        throw .failed("the head unit refuses the connection to eventPort \(port)")
      }
      await pass(.milliseconds(100))
    }
    record.judge.openEvents()
  }

  /// Asks for `/info`.
  func inform() async throws(Stop) {
    let answer = try await ask(request("GET", "/info", list: [:]), within: peer.answer * 2)
    guard answer.status == 200 else { throw .failed("GET /info got status \(answer.status)") }
    do throws(BodyProblem) { info = try SessionInfo(bytes: answer.body) } catch {
      throw .failed("/info is no property list with a dictionary")
    }
  }

  /// Starts the session.
  func startRecording() async throws(Stop) {
    let answer = try await ask(request("RECORD"))
    guard answer.status == 200 else { throw .failed("RECORD got status \(answer.status)") }
  }

  // MARK: Several steps

  /// Pairs and verifies. A failure says nothing about the check that begins after it.
  func enter() async throws(Stop) {
    do throws(Stop) {
      try await pair()
      try await verify()
    } catch { throw error.before("before the check") }
  }

  /// Goes on to a session that is set up, with its event connection and `/info`.
  func prepare() async throws(Stop) {
    try await enter()
    do throws(Stop) {
      try await authenticateIfAsked()
      try await setUp()
      try await openEvents()
      try await inform()
      peer.experience.note(isWorking: true)
    } catch { throw error.before("before the check") }
  }

  /// Goes on to a live session, with `/feedback` each second.
  func goLive() async throws(Stop) {
    try await prepare()
    do throws(Stop) { try await startRecording() } catch { throw error.before("before the check") }
    await beginFeedback()
  }

  /// Demands that a session with another set-up than the usual one becomes live.
  func demandLive(with body: SessionSetUpRequest) async throws(Stop) {
    try await enter()
    do throws(Stop) { try await authenticateIfAsked() } catch { throw error.before("before the check") }
    try await setUp(body)
    try await openEvents()
    try await inform()
    try await startRecording()
    await beginFeedback()
  }

  /// Asks for auth-setup before a set-up, because a head unit may want it. What it proves is another check's matter.
  private func authenticateIfAsked() async throws(Stop) {
    let side: AuthSetupPhone
    do throws(AuthSetupProblem) { side = try AuthSetupPhone(peer.random) } catch { return }
    _ = try await ask(
      request("POST", "/auth-setup", type: "application/octet-stream", body: side.request), within: peer.answer * 2)
  }

  /// Ends the session in order.
  func tearDown() async throws(Stop) {
    endFeedback()
    let answer = try await ask(request("TEARDOWN", list: [:]))
    guard answer.status == 200 else { throw .failed("TEARDOWN got status \(answer.status)") }
  }

  /// Demands that the session is active: a request is answered.
  func demandLife(after what: String) async throws(Stop) {
    guard !isClosed, damage == nil else { throw .failed("\(what) ended the session") }
    do throws(Stop) {
      let answer = try await ask(request("POST", "/feedback"))
      guard answer.status == 200 else { throw .failed("/feedback got status \(answer.status)") }
    } catch {
      if case .failed(let reason) = error { throw .failed("\(what) ended the session: \(reason)") }
      throw error
    }
  }

  /// Demands that a new connection gets a session as far as `/info`.
  func demandNewSession(after what: String) async throws(Stop) {
    await leave()
    await pass(.seconds(1))
    do throws(Stop) {
      let next = try await another(as: identity)
      try await next.prepare()
      try await next.tearDown()
      await next.leave()
    } catch {
      guard !peer.experience.neverWorked else { throw .inconclusive("no session works without \(what) either") }
      if case .failed(let reason) = error { throw .failed("after \(what) no new session works: \(reason)") }
      if case .inconclusive(let reason) = error { throw .failed("after \(what) no new session works: \(reason)") }
      throw error
    }
  }
}

extension TLV8 {
  /// Returns the state of a message of pairing; 0 for another body.
  fileprivate static func state(of body: [UInt8]) -> UInt8 {
    do { return try TLV8(bytes: body).byte(.state) ?? 0 } catch { return 0 }
  }
}

extension PairingProblem {
  /// The problem in words.
  var words: String {
    switch self {
    case .malformed: "the answer is no TLV8 with a state"
    case .refused(let error): "the other side refuses with error \(error)"
    case .unexpectedState(let state): "the answer has state \(state)"
    case .badProof: "the proof of the password is wrong"
    case .badPublicKey: "a public key is missing or wrong"
    case .badTag: "the sealed identity does not open"
    case .badSignature: "the signature of the identity is wrong"
    case .unknownPeer: "the identifier is not that of the pairing"
    case .tooManyTries: "too many tries"
    case .badKey: "a key has another size"
    case .nameTaken: "the name is taken"
    case .transient: "the pairing is transient"
    }
  }
}
