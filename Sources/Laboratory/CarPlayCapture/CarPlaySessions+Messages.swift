// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
import Cryptography
import IAP2
import IAP2Authentication
import IAP2Capture

// The messages of the control and event connections.
extension CarPlaySessions {
  /// Reads what a piece of the control or event connection gave.
  mutating func read(
    _ events: [Direction.Event], of session: Int, isControl: Bool, from side: SessionSide, at moment: CaptureMoment
  ) {
    noteOpened(session, isControl: isControl, side)
    for event in events { read(event, of: session, isControl: isControl, from: side, at: moment) }
  }

  private mutating func read(
    _ event: Direction.Event, of session: Int, isControl: Bool, from side: SessionSide, at moment: CaptureMoment
  ) {
    let socket = isControl ? "control" : "events"
    switch event {
    case .messages(let messages):
      for message in messages { take(message, session, isControl: isControl, side, at: moment) }
    case .frames(let count, let byteCount):
      guard count > 0 || byteCount > 0 else { return }
      add(
        .sealed, "\(socket): \(count) sealed frame\(count == 1 ? "" : "s"), \(byteCount) bytes",
        [.init(.socket, .text(socket)), .init(.byteCount, .integer(Int128(byteCount)))], session, side, moment)
    case .lost(let reason, let damage):
      noteLoss(of: session, isControl: isControl)
      if let damage {
        let problem = ValueProblem(socket, is: reason, expected: "bytes that can be read")
        sessions[session].story?.judge(at: moment) { $0.note(damage, by: side, problem) }
      } else {
        sessions[session].story?.noteGap()
      }
      if isControl, damage?.isOfMessage != true { sessions[session].story?.lose(side, reason) }
      addProblem(reason, socket, session, side, moment)
    case .resumed(let text, let isInFrames):
      noteLoss(of: session, isControl: isControl)
      sessions[session].story?.resume(side, isControl: isControl)
      if isInFrames { sessions[session].story?.noteVerified() }
      addProblem(text, socket, session, side, moment)
    }
  }

  /// Leaves out the incomplete request of a side if the other side answers it: its length is damaged.
  private mutating func abandonUnread(
    before answer: RequestMessage, _ session: Int, isControl: Bool, from side: SessionSide, at moment: CaptureMoment
  ) {
    guard let channel = isControl ? sessions[session].control : sessions[session].events,
      channel.directions[side].isWithinUnit, !channel.hasRequest(answeredBy: answer)
    else { return }
    let events =
      isControl
      ? sessions[session].control.directions[side].abandonUnit(&budget)
      : sessions[session].events?.directions[side].abandonUnit(&budget)
    read(events ?? [], of: session, isControl: isControl, from: side, at: moment)
  }

  private mutating func noteLoss(of session: Int, isControl: Bool) {
    recorder?.noteLack(session)
    if isControl {
      sessions[session].control.lacksMessages = true
    } else {
      sessions[session].events?.lacksMessages = true
    }
  }

  /// Reports a loss behind which no message of a side was complete.
  mutating func reportResumptions(of session: Int, at moment: CaptureMoment) {
    for side in SessionSide.allCases {
      if let text = sessions[session].control.directions[side].takeResumption() {
        addProblem(text, "control", session, side, moment)
      }
      if let text = sessions[session].events?.directions[side].takeResumption() {
        addProblem(text, "events", session, side, moment)
      }
    }
  }

  private mutating func addProblem(
    _ reason: String, _ socket: String, _ session: Int, _ side: SessionSide, _ moment: CaptureMoment
  ) {
    add(
      .problem, "\(socket): \(reason)", [.init(.socket, .text(socket)), .init(.reason, .text(reason))], session, side,
      moment)
  }

  /// Notes that a frame was opened, or in a capture whose sessions are in the clear, that one was.
  private mutating func noteOpened(_ session: Int, isControl: Bool, _ side: SessionSide) {
    guard let story = sessions[session].story, !story.hasOpenedFrame else { return }
    let channel = isControl ? sessions[session].control : sessions[session].events
    let isPlain = isDecrypted && mark?.isSealed != true && story.judge.reached.contains(.verified)
    guard isPlain || channel?.directions[side].hasOpenedFrame == true else { return }
    sessions[session].story?.hasOpenedFrame = true
  }

  private mutating func take(
    _ message: RequestMessage, _ session: Int, isControl: Bool, _ side: SessionSide, at moment: CaptureMoment
  ) {
    if case .answer = message.start {
      abandonUnread(before: message, session, isControl: isControl, from: side.other, at: moment)
    }
    let isExact = (isControl ? sessions[session].control : sessions[session].events)?.lacksMessages == true
    recorder?.take(message, isControl: isControl, isExact: isExact, session, at: moment)
    let request: RequestMessage?
    var words: String
    switch message.start {
    case .request(let method, let path, _):
      request = message
      if isControl { sessions[session].control.note(message) } else { sessions[session].events?.note(message) }
      words = "\(method) \(path)"
    case .answer(let status, let reason, _):
      request =
        isControl ? sessions[session].control.request(of: message) : sessions[session].events?.request(of: message)
      words = "\(status)\(reason.isEmpty ? "" : " \(reason)")"
      if case .request(let method, let path, _)? = request?.start { words += " to \(method) \(path)" }
    }
    let read = body(of: message, to: request, session, side, at: moment)
    if !read.words.isEmpty { words += ", \(read.words)" }
    sessions[session].story?.take(
      message, to: request, isControl: isControl, isExact: isExact, from: side, words, at: moment)
    if let (proof, isSetup, state) = read.proof {
      sessions[session].story?.judge(at: moment) { $0.take(proof, isSetup: isSetup, state: state, from: side) }
    }
    if let isRight = read.isProved {
      sessions[session].story?.judge(at: moment) { $0.takeSetupProof(isRight: isRight, from: .headUnit) }
    }
    if let isRight = read.isPhoneProved {
      sessions[session].story?.judge(at: moment) { $0.takeRefusedProof(isRight: isRight) }
    }
    if let signature = read.wrongSignature {
      sessions[session].story?.noteWrongSignature(signature, at: moment)
    }
    let isRequest = if case .request = message.start { true } else { false }
    add(
      isRequest ? .request : .answer, words, Self.fields(of: message, to: request, isControl: isControl) + read.fields,
      body: read.tree, session, side, moment)
    if !isRequest, let request {
      apply(message, to: request, session, isControl: isControl, at: moment)
    } else if !isRequest, isControl, sessions[session].control.lacksMessages, message.body == Self.lastOfPairVerify {
      sessions[session].story?.noteVerified()
      encryptIfVerified(message, session, at: moment)
    }
    if let link = read.link { addLink(link, session, side, moment) }
  }

  /// Returns the values of a message without those of its body.
  ///
  /// - Parameter isControl: Whether the connection is the control one, or that of events; nil for a control request.
  static func fields(
    of message: RequestMessage, to request: RequestMessage?, isControl: Bool?
  ) -> [SessionFinding.Field] {
    var fields = isControl.map { [SessionFinding.Field(.socket, .text($0 ? "control" : "events"))] } ?? []
    if let sequence = message.sequence { fields.append(.init(.cseq, .text(sequence))) }
    for field in message.headers.fields where !RequestHeaders.isSameName(field.name, "CSeq") {
      fields.append(.init(.header, .text("\(field.name): \(field.value)")))
    }
    if case .answer(let status, _, _) = message.start { fields.append(.init(.statusCode, .integer(Int128(status)))) }
    if case .request(let method, let path, _)? = request?.start {
      fields += [.init(.method, .text(method)), .init(.path, .text(path))]
    }
    return fields
  }

  /// The body of M4 of pair-verify, whose request was not captured: a state of one byte and nothing else.
  private static let lastOfPairVerify: [UInt8] = [6, 1, 4]

  /// The content of a message.
  private struct Body {
    var words = ""
    var fields: [SessionFinding.Field] = []
    var tree: FindingTree?
    /// Bytes of iAP2.
    var link: [UInt8]?
    /// The proof of a sealed identity.
    var proof: (SessionJudge.Proof, isSetup: Bool, state: UInt8)?
    /// Whether the head unit proved the password in pair-setup; nil if nothing shows it.
    var isProved: Bool?
    /// The signature of auth-setup, if it is wrong with the secret of the key log.
    var wrongSignature: [UInt8]?
    /// Whether the proof of the phone that the head unit refuses is right; nil if nothing shows it.
    var isPhoneProved: Bool?
  }

  private mutating func body(
    of message: RequestMessage, to request: RequestMessage?, _ session: Int, _ side: SessionSide,
    at moment: CaptureMoment
  ) -> Body {
    guard !message.body.isEmpty else { return Body() }
    let path = request?.path ?? ""
    if path == "/pair-setup" || path == "/pair-verify" {
      let isSetup = path == "/pair-setup"
      guard needsWords else {
        sessions[session].pairing.note(message.body, isSetup: isSetup, secrets, &budget)
        return Body()
      }
      if let read = sessions[session].pairing.read(
        message.body, isSetup: isSetup, from: side, secrets, known: &known, &budget)
      {
        for secret in sessions[session].pairing.secrets { copy?.add(secret) }
        return Body(
          words: read.words, fields: read.fields, tree: read.tree, proof: (read.proof, isSetup, read.state),
          isProved: read.isProved, isPhoneProved: read.isPhoneProved)
      }
      return Body(words: "the body is no list of pairing", tree: .value(.bytes(message.body)))
    }
    guard message.body.starts(with: "bplist".utf8) else { return plain(message, path, session, side) }
    // Without words, only a command is of use: it may have iAP2.
    guard needsWords || path == "/command" else { return Body() }
    do throws(PropertyListProblem) {
      let value = try PropertyValue(binary: message.body)
      var body = Body(tree: wantsFinding ? FindingTree(value) : nil)
      guard case .dictionary(let values) = value, case .request = message.start, path == "/command" else {
        if case .request = message.start, let streams = StreamList(propertyValue: value)?.streams {
          body.words = streams.map { $0.type?.name ?? "unknown type" }.joined(separator: ", ")
        }
        return body
      }
      let command = CommandBody(values: values)
      guard let known = command.command else { return Body(words: "a command without a name", tree: body.tree) }
      if case .iAP(let bytes) = known { body.link = bytes }
      guard needsWords else { return body }
      let text = SessionEvent.command(known, command, from: side).record(of: side)?["value"].map { " \($0.word)" } ?? ""
      body.words = known.name + text
      switch known {
      case .inputReport(let device, let report):
        if let words = sessions[session].words(ofReport: report, device: device) { body.words += ", \(words)" }
      default: break
      }
      return body
    } catch {
      let reason = ValueProblem(path, body: message.body, .propertyList(error)).reason
      return Body(words: reason, fields: [.init(.reason, .text(reason))], tree: .value(.bytes(message.body)))
    }
  }

  /// Reads a body that is neither pairing nor a property list.
  private mutating func plain(
    _ message: RequestMessage, _ path: String, _ session: Int, _ side: SessionSide
  ) -> Body {
    if path == "/auth-setup" { return authSetup(message.body, session, side) }
    if let text = String(validating: message.body, as: UTF8.self),
      text.unicodeScalars.allSatisfy({ $0.value >= 0x20 || $0 == "\r" || $0 == "\n" })
    {
      return Body(tree: .value(.text(text)))
    }
    return Body(words: "\(message.body.count) bytes", tree: .value(.bytes(message.body)))
  }

  /// Reads the proof of the coprocessor (CarPlaySession.md#auth-setup).
  private mutating func authSetup(_ body: [UInt8], _ session: Int, _ side: SessionSide) -> Body {
    guard side == .headUnit else {
      if body.count == 33 { sessions[session].authSetupKey = Array(body.dropFirst()) }
      return Body(
        words: "version \(body.first ?? 0)",
        tree: .group([
          .init("version", .value(.integer(Int128(body.first ?? 0)))),
          .init("publicKey", .value(.bytes(Array(body.dropFirst())))),
        ]))
    }
    let parts: AuthSetupAnswer
    do throws(AuthSetupProblem) { parts = try AuthSetupAnswer(bytes: body) } catch {
      return Body(words: "the parts do not fit the body", tree: .value(.bytes(body)))
    }
    let phoneKey = sessions[session].authSetupKey
    sessions[session].authSetup = secrets.secret(of: .authSetup, phoneKey) { secret in
      let signature = AuthSetupInspection.decrypt(parts.signature, secret: secret)
      return Self.isSigned(parts, signature, phoneKey: phoneKey) == true
    }
    if let secret = sessions[session].authSetup {
      copy?.add(AgreedSecret(procedure: .authSetup, phoneKey: phoneKey, secret: secret))
    }
    sessions[session].signatureByteCount = parts.signature.count
    var entries: [FindingTree.Entry] = [
      .init("publicKey", .value(.bytes(parts.publicKey))), .init("certificate", .value(.bytes(parts.certificate))),
    ]
    let secret = sessions[session].authSetup
    let signature = secret.map { AuthSetupInspection.decrypt(parts.signature, secret: $0) } ?? parts.signature
    entries.append(.init(secret == nil ? "encryptedSignature" : "signature", .value(.bytes(signature))))
    let isSigned = secret.flatMap { _ in Self.isSigned(parts, signature, phoneKey: phoneKey) }
    let proof = isSigned.map { $0 ? "signature right" : "signature wrong, if the key log's secret is right" }
    return Body(
      words: "certificate of \(parts.certificate.count) bytes, signature of \(parts.signature.count)"
        + (proof.map { ", \($0)" } ?? ""),
      fields: proof.map { [.init(.proof, .text($0))] } ?? [], tree: .group(entries),
      wrongSignature: isSigned == false ? signature : nil)
  }

  /// Returns whether the key of the certificate made the signature over both public keys (CarPlaySession.md#auth-setup-keys);
  /// nil for a certificate that cannot be read, and for the keys of old chips, whose padding is not public.
  private static func isSigned(_ parts: AuthSetupAnswer, _ signature: [UInt8], phoneKey: [UInt8]) -> Bool? {
    do throws(AuthenticationError) {
      let certificate = try AccessoryCertificate(parts.certificate)
      guard !certificate.isOldForm else { return nil }
      let challenge = HashFunction.sha256.hash(parts.publicKey + phoneKey)
      do throws(AuthenticationError) { try certificate.verify(response: signature, challenge: challenge) } catch {
        return error == .unsupportedKey ? nil : false
      }
      return true
    } catch { return nil }
  }
}
