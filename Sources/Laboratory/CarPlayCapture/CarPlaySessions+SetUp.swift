// swift-iap2 · Apache-2.0

import CarPlaySession
import Cryptography
import IAP2Capture

// The keys, sockets and streams that follow from answers.
extension CarPlaySessions {
  /// Follows an answer: keys, ports, descriptors.
  mutating func apply(
    _ answer: RequestMessage, to request: RequestMessage, _ session: Int, isControl: Bool, at moment: CaptureMoment
  ) {
    guard isControl, case .answer(let status, _, _) = answer.start, case .request(let method, _, _) = request.start,
      status == 200
    else { return }
    switch (method, request.path) {
    case ("POST", "/pair-verify"): encryptIfVerified(answer, session, at: moment)
    case (_, "/info"): if let info = body(answer, as: SessionInfo.self) { sessions[session].take(info: info) }
    case ("SETUP", _): setUp(request, answer, session)
    case ("TEARDOWN", _): summarizeSound(of: session, at: moment, isEnd: true)
    default: break
    }
  }

  private func body<Body: PropertyBody>(_ message: RequestMessage, as type: Body.Type) -> Body? {
    do { return try Body(bytes: message.body) } catch { return nil }
  }

  mutating func encryptIfVerified(_ answer: RequestMessage, _ session: Int, at moment: CaptureMoment) {
    let list: TLV8
    do { list = try TLV8(bytes: answer.body) } catch { return }
    guard list.byte(.state) == 4, list.byte(.error) == nil else { return }
    let secret = sessions[session].pairing.secret
    // The connection of a session in the clear goes on as it is.
    if isDecrypted, mark != .lastClear { return }
    let keys = isDecrypted ? nil : secret.map(ChannelKeys.control)
    sessions[session].story?.isSealed = keys == nil
    if keys == nil {
      let lacksKey = sessions[session].pairing.lacksPhoneKey && secrets.count > 0
      let reason =
        lacksKey
        ? "M1 of pair-verify, whose key names the secret, was not captured, so each secret of the key log is tried"
        : "no key log has the secret of this pair-verify, so sizes and times remain"
      add(
        .problem, "from here on the session is encrypted: \(reason)", [.init(.reason, .text(reason))], session,
        .headUnit, moment)
      sessions[session].control.directions[.headUnit].plain?.markLast()
    }
    for side in SessionSide.allCases {
      let rest = sessions[session].control.directions[side].encrypt(
        key: side == .phone ? keys?.phone : keys?.headUnit, &budget)
      read(rest, of: session, isControl: true, from: side, at: moment)
    }
  }

  private mutating func setUp(_ request: RequestMessage, _ answer: RequestMessage, _ session: Int) {
    guard let asked = body(request, as: StreamList.self), let given = body(answer, as: StreamList.self) else { return }
    guard asked.hasStreams else {
      setUpSession(SessionSetUpRequest(values: asked.values), SessionSetUpAnswer(values: given.values), session)
      return
    }
    for (index, stream) in (asked.streams ?? []).enumerated() {
      let answers = given.streams ?? []
      // An answer has the streams in the order of the request.
      guard answers.indices.contains(index) else { continue }
      setUp(stream, answers[index], session)
    }
  }

  private mutating func setUpSession(_ asked: SessionSetUpRequest, _ given: SessionSetUpAnswer, _ session: Int) {
    let present = sessions[session]
    if let secret = present.pairing.secret {
      sessions[session].protection = .verified(secret)
    } else if let secret = present.authSetup, let key = asked.encryptedKey, let vector = asked.initializationVector {
      let bytes = AuthSetupInspection.decrypt(key, at: present.signatureByteCount, secret: secret)
      sessions[session].protection = SessionKey(
        bytes: Secret(bytes), initializationVector: vector,
        encryptsSound: !present.features.contains(.unencryptedAudio)
      ).map { .unverified($0) }
    }
    if let port = given.eventPort {
      listeners[present.headUnit + bytes(port)] = (session, .events)
      let isOpaque = present.control.directions[.headUnit].isOpaque
      let isClear = (present.pairing.secret == nil || isDecrypted) && !isOpaque
      let secret = isDecrypted ? nil : present.pairing.secret
      sessions[session].events = isClear ? Session.Channel() : Session.Channel(events: secret)
      if copy != nil { sessions[session].events?.keepPlain() }
    }
    if let port = given.timingPort { receivers[present.headUnit + bytes(port)] = (session, .clock(.headUnit)) }
    if let port = asked.timingPort { receivers[present.phone + bytes(port)] = (session, .clock(.phone)) }
    if let port = given.keepAlivePort { receivers[present.headUnit + bytes(port)] = (session, .keepAlive) }
  }

  private mutating func setUp(_ asked: StreamBody, _ given: StreamBody, _ session: Int) {
    let (phone, headUnit) = (sessions[session].phone, sessions[session].headUnit)
    let stream = sessions[session].streams.count
    sessions[session].streams.append(
      Stream(
        asked, sessions[session].protection, number: asked.values["type"]?.integer.map(Int.init),
        isDecrypted: isDecrypted))
    if copy != nil { sessions[session].streams[stream].keepPlain() }
    let family = asked.type?.family
    if let port = given.dataPort {
      if family == .audio {
        receivers[headUnit + bytes(port)] = (session, .sound(stream, to: .headUnit))
      } else {
        listeners[headUnit + bytes(port)] = (session, .stream(stream))
      }
    }
    guard family == .audio else { return }
    if let port = given.controlPort {
      receivers[headUnit + bytes(port)] = (session, .soundControl(stream, to: .headUnit))
    }
    if let port = asked.controlPort { receivers[phone + bytes(port)] = (session, .soundControl(stream, to: .phone)) }
    if let port = asked.dataPort { receivers[phone + bytes(port)] = (session, .sound(stream, to: .phone)) }
  }

  private func bytes(_ port: UInt16) -> [UInt8] { [UInt8(port >> 8), UInt8(truncatingIfNeeded: port)] }
}
