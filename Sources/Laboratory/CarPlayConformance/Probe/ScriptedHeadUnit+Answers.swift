// swift-iap2 · Apache-2.0

import Basics
import CarPlayAnalysis
import CarPlaySession
import Cryptography

// The usual answers to the requests of a phone.
extension ScriptedHeadUnit {
  private static let listType = "application/x-apple-binary-plist"

  /// Returns the step of a request.
  static func step(of message: RequestMessage) -> Step {
    guard case .request(let method, _, _) = message.start else { return .other("") }
    let hasStreams: Bool
    do throws(BodyProblem) { hasStreams = try StreamList(bytes: message.body).hasStreams } catch { hasStreams = false }
    switch (method, message.path ?? "") {
    case ("POST", "/pair-setup"): return .pairSetup((message.list?.byte(.state) ?? 0) &+ 1)
    case ("POST", "/pair-verify"): return .pairVerify((message.list?.byte(.state) ?? 0) &+ 1)
    case ("POST", "/auth-setup"): return .authSetup
    case ("GET", "/info"), ("POST", "/info"): return .information
    case ("POST", "/feedback"): return .feedback
    case ("POST", "/command"): return .command
    case ("SETUP", _): return hasStreams ? .streams : .setUp
    case ("TEARDOWN", _): return hasStreams ? .tearDownStreams : .tearDown
    case ("RECORD", _): return .record
    default: return .other(message.name)
    }
  }

  /// The methods of buffered music and others, which have an answer without a body.
  private static let plainMethods: Set<String> = [
    "OPTIONS", "FLUSH", "FLUSHBUFFERED", "SETRATE", "SETRATEANCHORTIME", "GET_PARAMETER", "SET_PARAMETER",
  ]

  /// Takes the requests that start and pause buffered music, and answers the one for its anchor; nil for other requests.
  private func anchorAnswer(to message: RequestMessage, _ method: String) async -> RequestMessage? {
    switch method {
    case "SETRATE", "SETRATEANCHORTIME":
      let now = await line.now.clock(epochSeconds: ClockPacket.epochSeconds)
      let rate = message.values?["rate"]?.integer ?? 0
      anchor = (message.values?["rtpTime"]?.integer ?? anchor?.sample ?? 0, now, rate == 0 ? 0 : 1)
      return nil
    case "GETANCHOR":
      var values: [String: PropertyValue] = ["rate": .integer(anchor?.rate ?? 0)]
      if let anchor {
        values["rtpTime"] = .integer(anchor.sample)
        values["networkTimeSecs"] = .integer(Int64(anchor.time >> 32))
        values["networkTimeFrac"] = (anchor.time << 32).propertyValue
      }
      return answer(message, SessionInfo(values: values))
    default: return nil
    }
  }

  /// Returns the usual answer to a request.
  func usualAnswer(to message: RequestMessage, _ step: Step) async -> RequestMessage {
    switch step {
    case .pairSetup: return await pairSetUp(message)
    case .pairVerify: return await pairVerify(message)
    case .authSetup: return await proof(message)
    // A head unit of today demands the pairing first.
    case .setUp where secret == nil, .record where secret == nil: return message.answer(403)
    case .setUp: return await setUp(message)
    case .information: return answer(message, seenInformation)
    case .feedback: return feedback(message)
    case .command:
      record.reach(.commands)
      do throws(BodyProblem) { commands.append(try CommandBody(bytes: message.body)) } catch {
        return message.answer(400)
      }
      return message.answer(200)
    case .streams: return await setUpStreams(message)
    case .record, .tearDown: return message.answer(200)
    case .tearDownStreams:
      await endStreams(message)
      return message.answer(200)
    // Senders of AirPlay ask for a PIN before they pair.
    case .other where message.path == "/pair-pin-start": return message.answer(200)
    case .other:
      guard case .request(let method, _, _) = message.start else { return message.answer(400) }
      if let answer = await anchorAnswer(to: message, method) { return answer }
      return message.answer(Self.plainMethods.contains(method) ? 200 : 501)
    }
  }

  /// Does what follows an answer that was sent.
  func finish(_ step: Step, _ sent: RequestMessage) async {
    switch step {
    case .pairVerify(4):
      guard sent.status == 200, let list = sent.list, list[.error] == nil, let verified else { return }
      secret = verified.secret
      let keys = ChannelKeys.control(verified.secret)
      // The phone sends nothing before this answer, so nothing is read here.
      do throws(WireChannel.Unreadable) { try channel.encrypt(reading: keys.phone, writing: keys.headUnit) } catch {}
    case .setUp where sent.status == 200 && setUpRequest?.timingPort != nil: nextQuestion = await line.now
    case .tearDown: nextQuestion = nil
    default: break
    }
  }

  func answer(_ message: RequestMessage, _ body: some PropertyBody) -> RequestMessage {
    message.answer(200, headers: [("Content-Type", Self.listType)], body: body.bytes)
  }

  // MARK: Pairing

  private func pairSetUp(_ message: RequestMessage) async -> RequestMessage {
    record.reach(.setupBegin)
    do throws(PairingProblem) {
      let answer = try setupSide.answer(message.body, peer.random)
      record.reach(.pairing)
      if answer.refusal == nil, message.list?.byte(.state) == 3 { record.reach(.setupKeys, .setupProof) }
      if answer.result != nil { record.reach(.setupIdentity) }
      if let agreed = setupSide.takeAgreed() {
        setupSecret = agreed.secret
        await line.act([.log(agreed)])
      }
      judge(answer.refusal, isRight: answer.result != nil, isSetup: true, state: 5)
      if let phone = answer.result { peer.pairings.add(phone, with: identity) }
      return message.answer(200, headers: [("Content-Type", "application/pairing+tlv8")], body: answer.body)
    } catch { return message.answer(400) }
  }

  private func pairVerify(_ message: RequestMessage) async -> RequestMessage {
    do throws(PairingProblem) {
      let answer = try verifySide.answer(
        message.body, stored: { peer.pairings.key(of: $0, with: identity) }, peer.random)
      record.reach(.pairing)
      if answer.refusal == nil { record.reach(.verifyKeys) }
      if answer.result != nil { record.reach(.verifyIdentity) }
      if let agreed = verifySide.takeAgreed() {
        verifySecret = agreed.secret
        await line.act([.log(agreed)])
      }
      judge(answer.refusal, isRight: answer.result != nil, isSetup: false, state: 3)
      verified = answer.result
      return message.answer(200, headers: [("Content-Type", "application/pairing+tlv8")], body: answer.body)
    } catch { return message.answer(400) }
  }

  private func judge(_ problem: PairingProblem?, isRight: Bool, isSetup: Bool, state: UInt8) {
    let proof: SessionJudge.Proof? =
      switch problem {
      case .badTag: .sealedOtherwise
      case .badSignature: .wrong
      default: isRight ? .right : nil
      }
    if let proof { record.judge.take(proof, isSetup: isSetup, state: state, from: .phone) }
    // Both forms of the proof are accepted, so another one is wrong.
    if problem == .badProof { record.judge.takeSetupProof(isRight: false, from: .phone) }
  }

  // MARK: Set-up

  private func proof(_ message: RequestMessage) async -> RequestMessage {
    record.reach(.authSetup)
    let signed: [UInt8]
    do throws(AuthSetupProblem) { signed = try proofSide.take(message.body, peer.random) } catch {
      return message.answer(error == .repeated ? 455 : 400)
    }
    evidence = nil
    if let agreed = proofSide.takeAgreed() { await line.act([.log(agreed)]) }
    await line.act([.sign(signed)])
    _ = await wait(peer.answer * 2) { evidence != nil }
    guard case .some(let evidence?) = evidence else { return message.answer(500) }
    return message.answer(
      200, headers: [("Content-Type", "application/octet-stream")],
      body: proofSide.answer(certificate: evidence.certificate, signature: evidence.signature))
  }

  private func setUp(_ message: RequestMessage) async -> RequestMessage {
    record.reach(.setUp)
    let asked: SessionSetUpRequest
    do throws(BodyProblem) { asked = try SessionSetUpRequest(bytes: message.body) } catch { return message.answer(400) }
    setUpRequest = asked
    if asked.timingPort != nil { record.reach(.timing) }
    if asked.wantsKeepAlive { record.reach(.keepAlive) }
    if asked.values["features"] != nil { record.reach(.features) }
    var body = SessionSetUpAnswer()
    body.eventPort = await bind(.events)
    if refusesEvents { await close([.events]) }
    if asked.timingPort != nil { body.timingPort = await bind(.clock) }
    if asked.wantsKeepAlive { body.keepAlivePort = await bind(.keepAlive) }
    enabledFeatures = asked.features.filter { feature in
      if feature == "iAPChannel" { return true }
      return info.need(of: feature).map { $0.value != nil } ?? false
    }
    body.enabledFeatures = enabledFeatures
    if let secret {
      let keys = ChannelKeys.events(secret)
      events = WireChannel()
      do throws(WireChannel.Unreadable) { try events.encrypt(reading: keys.phone, writing: keys.headUnit) } catch {}
    }
    return answer(message, body)
  }

  /// The answer to `/info`, without the keys of features that are not enabled.
  private var seenInformation: SessionInfo {
    record.reach(.information)
    var seen = info
    guard setUpRequest != nil else { return seen }
    for feature in ["hevc", "mainBuffered"] where !enabledFeatures.contains(feature) {
      if let key = info.need(of: feature)?.key { seen.values[key] = nil }
    }
    return seen
  }

  private func feedback(_ message: RequestMessage) -> RequestMessage {
    let sound = streams.values.filter { $0.type.family == .audio }.sorted { $0.type.rawValue < $1.type.rawValue }
    guard !sound.isEmpty else { return message.answer(200) }
    record.reach(.feedback)
    return answer(
      message,
      StreamList(
        sound.map { stream in
          var entry = StreamBody(stream.type)
          entry.values["streamConnectionID"] = stream.asked.values["streamConnectionID"]
          if let rate = stream.asked.audioFormat?.rate {
            entry.values["sampleRate"] = .integer(Int64(rate))
            entry.values["sr"] = .real(Double(rate))
          }
          return entry
        }))
  }
}

extension RequestMessage {
  /// The list of a message of pairing; nil for another body.
  var list: TLV8? { do { return try TLV8(bytes: body) } catch { return nil } }

  /// The dictionary of the body; nil for another body.
  var values: [String: PropertyValue]? {
    do throws(BodyProblem) { return try CommandBody(bytes: body).values } catch { return nil }
  }

  /// Returns the message with a changed list of pairing.
  func changingList(_ change: (inout TLV8) -> Void) -> RequestMessage {
    guard var list else { return self }
    change(&list)
    var message = self
    message.body = list.bytes
    return message
  }

  /// Returns the message with a changed dictionary.
  func changing(_ change: (inout [String: PropertyValue]) -> Void) -> RequestMessage {
    guard var values else { return self }
    change(&values)
    return replacing(body: PropertyValue.dictionary(values).binary)
  }

  /// Returns the message with another sequence number, or without one.
  func numbered(_ sequence: String?) -> RequestMessage {
    var message = self
    let others = headers.fields.filter { !RequestHeaders.isSameName($0.name, "CSeq") }.map { ($0.name, $0.value) }
    message.headers = RequestHeaders((sequence.map { [("CSeq", $0)] } ?? []) + others)
    return message
  }

  /// Returns the message with another body.
  func replacing(body: [UInt8]) -> RequestMessage {
    var message = self
    message.body = body
    return message
  }

  /// Returns an answer with another status and without a body.
  func refused(_ status: Int) -> RequestMessage {
    RequestMessage(
      .answer(status: status, reason: "", protocolWord: "RTSP/1.0"),
      headers: RequestHeaders(sequence.map { [("CSeq", $0)] } ?? []))
  }
}

extension TLV8 {
  /// Replaces the value of an item, or adds the item.
  mutating func set(_ kind: Kind, _ value: [UInt8]) {
    remove(kind)
    items.append(Item(type: kind.rawValue, value: value))
  }

  /// Removes an item.
  mutating func remove(_ kind: Kind) { items.removeAll { $0.type == kind.rawValue } }

  /// Flips a bit in the last byte of an item.
  mutating func flip(_ kind: Kind) {
    guard var value = self[kind], let last = value.indices.last else { return }
    value[last] ^= 1
    set(kind, value)
  }
}
