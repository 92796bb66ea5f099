// swift-iap2 · Apache-2.0

public import Basics
import Cryptography

/// The steps from the connection to a live session.
extension PhoneSession {
  mutating func begin(at time: MonotonicTime) {
    // If the phone has paired with any head unit, it tries to verify the present one, which may be one of them.
    guard configuration.generation.offersPairing || !configuration.headUnits.isEmpty else {
      return askAuthSetup(at: time)
    }
    if configuration.headUnits.isEmpty { pair(at: time) } else { verify(configuration.headUnits, at: time) }
  }

  private mutating func pair(at time: MonotonicTime) {
    var side = PairSetupPhone(configuration.identity)
    let body = side.begin()
    phase = .pairing(side)
    askPairing(.pairSetup, body, at: time)
  }

  private mutating func askPairing(_ kind: PendingRequest.Kind, _ body: [UInt8], at time: MonotonicTime) {
    let isSetUp = if case .pairSetup = kind { true } else { false }
    let number = isSetUp ? configuration.pairingKinds.setUp : configuration.pairingKinds.verify
    ask(
      kind, "POST", isSetUp ? "/pair-setup" : "/pair-verify", headers: [("X-Apple-HKP", "\(number)")],
      type: MessageTypes.pairing, body: body, at: time)
  }

  mutating func takePairSetup(_ body: [UInt8], at time: MonotonicTime) throws(SessionFailure) {
    guard case .pairing(var side) = phase else { throw SessionFailure(.badAnswer) }
    let step: PairSetupPhone.Step
    do throws(PairingProblem) { step = try side.take(body, random) } catch {
      // A head unit that pads numbers otherwise refuses one proof in 128 (CarPlaySession.md#srp-padding).
      guard error == .refused(PairingError.authentication.rawValue), !hasTriedAgain else {
        throw SessionFailure(SessionEnd(error))
      }
      hasTriedAgain = true
      return pair(at: time)
    }
    log(side.takeAgreed())
    phase = .pairing(side)
    switch step {
    case .send(let next): askPairing(.pairSetup, next, at: time)
    case .paired(let headUnit):
      try expect(headUnit)
      report(.paired(headUnit))
      hasPaired = true
      verify([headUnit.identifier: headUnit.publicKey], at: time)
    }
  }

  /// Throws if a head unit is not the one that the iAP2 link named.
  private func expect(_ headUnit: PairedPeer) throws(SessionFailure) {
    guard configuration.expectedHeadUnit?.isName(of: headUnit) ?? true else { throw SessionFailure(.wrongPeer) }
  }

  private mutating func verify(_ headUnits: [String: [UInt8]], at time: MonotonicTime) {
    var side = PairVerifyPhone(configuration.identity, headUnits: headUnits)
    do throws(PairingProblem) {
      let body = try side.begin(random)
      phase = .verifying(side)
      askPairing(.pairVerify, body, at: time)
    } catch { end(SessionEnd(error)) }
  }

  mutating func takePairVerify(_ body: [UInt8], at time: MonotonicTime) throws(SessionFailure) {
    guard case .verifying(var side) = phase else { throw SessionFailure(.badAnswer) }
    let step: PairVerifyPhone.Step
    do throws(PairingProblem) {
      defer { log(side.takeAgreed()) }
      step = try side.take(body)
    } catch {
      // A head unit that forgot this phone answers error 2, and a head unit that this phone does not know has an
      // unknown identifier.
      switch error {
      case .refused, .unknownPeer:
        guard !hasPaired else { throw SessionFailure(SessionEnd(error)) }
        return pair(at: time)
      default: throw SessionFailure(SessionEnd(error))
      }
    }
    phase = .verifying(side)
    switch step {
    case .send(let next): askPairing(.pairVerify, next, at: time)
    case .verified(let verified):
      try expect(verified.peer)
      protection = .verified(verified.secret)
      let keys = ChannelKeys.control(verified.secret)
      try channel.encrypt(reading: keys.headUnit, writing: keys.phone)
      report(.state(.verified))
      askAuthSetup(at: time)
    }
  }

  mutating func askAuthSetup(at time: MonotonicTime) {
    guard configuration.authenticates || protection == nil else { return bindClock(at: time) }
    do throws(AuthSetupProblem) {
      let side = try AuthSetupPhone(random)
      phase = .authenticating(side)
      ask(.authSetup, "POST", "/auth-setup", type: MessageTypes.bytes, body: side.request, at: time)
    } catch { end(.badPublicKey) }
  }

  mutating func takeAuthSetup(_ body: [UInt8], at time: MonotonicTime) throws(SessionFailure) {
    guard case .authenticating(var side) = phase else { throw SessionFailure(.badAnswer) }
    let evidence: AuthSetupPhone.Evidence
    do throws(AuthSetupProblem) { evidence = try side.take(body) } catch {
      throw SessionFailure(error == .badKey ? .badPublicKey : .badAnswer)
    }
    log(side.takeAgreed())
    switch configuration.judge(evidence) {
    case .trusted: break
    case .badCertificate: throw SessionFailure(.badCertificate)
    case .badSignature: throw SessionFailure(.badSignature)
    }
    authSetup = side
    report(.state(.authenticated))
    bindClock(at: time)
  }

  /// Binds the sockets whose ports or senders the set-up needs.
  private mutating func bindClock(at time: MonotonicTime) {
    phase = .binding
    if configuration.request.wantsKeepAlive { unbound.insert(.keepAlive) }
    if configuration.hasClock { unbound.insert(.clock) }
    guard !unbound.isEmpty else { return setUp(at: time) }
    for socket in [SessionSocket.clock, .keepAlive] where unbound.contains(socket) { act(.bind(socket, beside: 0)) }
  }

  public mutating func bound(_ socket: SessionSocket, port: UInt16?, at time: MonotonicTime) {
    switch (socket, phase) {
    case (.clock, .binding), (.keepAlive, .binding):
      guard let port else { return end(.unavailable) }
      if case .clock = socket { clockPort = port }
      unbound.remove(socket)
      if unbound.isEmpty { setUp(at: time) }
    case (.stream(let type), _), (.streamControl(let type), _): boundStream(socket, type, port: port, at: time)
    default: act(.close(socket))
    }
  }

  /// Does nothing, because a phone signs nothing.
  public mutating func signed(_ evidence: AccessoryEvidence?, at time: MonotonicTime) {}

  private mutating func setUp(at time: MonotonicTime) {
    phase = .settingUp
    var body = configuration.request
    body.timingPort = clockPort
    if configuration.keys.statesTimingProtocol { body.timingProtocol = clockPort == nil ? "None" : "NTP" }
    if protection == nil { addSessionKey(to: &body) }
    ask(.setUp, "SETUP", type: MessageTypes.propertyList, body: body.bytes, at: time)
  }

  /// Draws the key of a session without pair-verify.
  private mutating func addSessionKey(to body: inout SessionSetUpRequest) {
    let (key, vector) = (random(SessionKey.byteCount), random(SessionKey.byteCount))
    body.encryptionType = SessionSetUpRequest.authSetupEncryption
    body.encryptedKey = authSetup?.encrypted(sessionKey: key)
    body.initializationVector = vector
    let sessionKey = SessionKey(bytes: Secret(key), initializationVector: vector, encryptsSound: true)
    protection = sessionKey.map { .unverified($0) }
  }

  mutating func takeSetUp(_ body: [UInt8], at time: MonotonicTime) throws(SessionFailure) {
    let answer: SessionSetUpAnswer
    do throws(BodyProblem) { answer = try SessionSetUpAnswer(bytes: body) } catch {
      throw SessionFailure(.badPlist, ValueProblem("answer to SETUP", body: body, error))
    }
    guard let port = answer.eventPort else { throw SessionFailure(.badValue, answer.problem) }
    enabledFeatures = answer.enabledFeatures
    if let secret = protection?.secret {
      let keys = ChannelKeys.events(secret)
      events = MessageChannel(reading: keys.headUnit, writing: keys.phone)
    }
    headUnitClockPort = answer.timingPort
    if clockPort != nil { beginHearing(at: time) }
    if configuration.request.wantsKeepAlive, let port = answer.keepAlivePort { keepAlive = (port, time) }
    report(.state(.setUp))
    phase = .informing
    connect(.events, port: port, at: time)
  }

  mutating func askInfo(at time: MonotonicTime) {
    let hasBody = configuration.keys.hasInfoBody
    ask(
      .info, "GET", "/info", type: hasBody ? MessageTypes.propertyList : nil,
      body: hasBody ? PropertyValue.dictionary([:]).binary : [], within: configuration.times.info, at: time)
  }

  mutating func takeInfo(_ body: [UInt8], at time: MonotonicTime) throws(SessionFailure) {
    let info: SessionInfo
    do throws(BodyProblem) { info = try SessionInfo(bytes: body) } catch {
      throw SessionFailure(.badPlist, ValueProblem("/info", body: body, error))
    }
    if let problem = info.problem { throw SessionFailure(.badInfo, problem) }
    do throws(ValueProblem) { inputs = try info.inputReaders() } catch { throw SessionFailure(.badInfo, error) }
    self.info = info
    if case .unverified(var key) = protection {
      key.encryptsSound = !FeatureBits(rawValue: info.features ?? 0).contains(.unencryptedAudio)
      protection = .unverified(key)
    }
    report(.info(info))
    report(.state(.informed))
    if let request = info.modes, let next = arbiter.applying(request, of: .headUnit) { arbiter = next }
    phase = .recording
    ask(.record, "RECORD", at: time)
  }

  mutating func goLive(at time: MonotonicTime) {
    phase = .live
    setUpDeadline = nil
    nextHeartbeat = time
    report(.state(.recording))
    report(.state(.live))
    let isTheirs = (info?.values["modes"]?["initialPermanentEntity"]?.array ?? []).contains {
      $0["resourceID"]?.integer == 1 && $0["permanentEntity"]?.integer == 2
    }
    if !isTheirs {
      let request = ModeRequest([(.screen, .take(.niceToHave, take: .anytime, borrow: .anytime))])
      arbiter = arbiter.applying(request, of: .phone) ?? arbiter
    }
    sendModes(reason: "", at: time)
  }

  /// Reports the modes, and sends them to the head unit.
  mutating func sendModes(reason: String, at time: MonotonicTime) {
    let modes = ModeSnapshot(arbiter, reason: reason)
    report(.modes(modes))
    send(.modesChanged(modes), at: time)
  }
}
