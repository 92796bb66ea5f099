// swift-iap2 · Apache-2.0

package import CarPlaySession
import HIDReports

// Requests of both sides.
extension SessionJudge {
  /// Judges a request.
  package mutating func take(request message: RequestMessage, on channel: Channel, from side: SessionSide) {
    guard case .request(let method, _, _) = message.start else { return }
    let path = message.path ?? ""
    takeContentType(of: message, "\(method) \(path)", method, path, from: side)
    switch (channel, method, path) {
    case (.control, "POST", "/pair-setup"), (.control, "POST", "/pair-verify"):
      takePairing(message.body, isSetup: path == "/pair-setup", from: side)
    case (.control, "POST", "/auth-setup"):
      guard message.body.count != 33 || message.body.first != 1 else { return }
      add(
        .authRequest, by: side,
        ValueProblem(
          "POST /auth-setup", is: "\(message.body.count) bytes, the first one \(message.body.first ?? 0)",
          expected: "the byte 1 and a key of 32 bytes"))
    case (.control, "SETUP", _):
      if let list: StreamList = read(message.body, "SETUP", side) { takeSetUp(list, from: side) }
    case (.control, "RECORD", _): hasAskedToRecord = true
    case (_, "POST", "/command"):
      if let body: CommandBody = read(message.body, "POST /command", side) { take(body, from: side) }
    default: break
    }
  }

  /// Reads a body. Bytes that are no property list break a rule.
  mutating func read<Body: PropertyBody>(_ bytes: [UInt8], _ name: String, _ side: SessionSide) -> Body? {
    do throws(BodyProblem) { return try Body(bytes: bytes) } catch {
      add(.propertyList, by: side, ValueProblem(name, body: bytes, error))
      return nil
    }
  }

  // MARK: Pairing

  /// Judges a message of pairing.
  mutating func takePairing(_ body: [UInt8], isSetup: Bool, from side: SessionSide) {
    let name = isSetup ? "/pair-setup" : "/pair-verify"
    let list: TLV8
    do throws(TLV8.Problem) { list = try TLV8(bytes: body) } catch {
      return add(
        .pairingList, by: side,
        ValueProblem(
          name, is: "\(body.count) bytes that are no TLV8: \(Self.words(error))", expected: "a list of items"))
    }
    guard let state = list.byte(.state) else {
      return add(
        .pairingList, by: side, ValueProblem(name, is: "it has no state of one byte", expected: "item 6, the state"))
    }
    let last = isSetup ? setupState : verifyState
    let isNext = state == last + 1 || side == .phone && state == 1
    if seesAll, !isOrderBroken, !isNext || state.isMultiple(of: 2) != (side == .headUnit) {
      isOrderBroken = true
      add(
        .pairingOrder, by: side,
        ValueProblem(name, is: "state \(state) after state \(last)", expected: "state \(last + 1)"))
    }
    if isSetup { setupState = state } else { verifyState = state }
    guard list[.error] == nil else {
      // A refusal ends the procedure, which may begin anew.
      if isSetup { setupState = 0 } else { verifyState = 0 }
      return
    }
    func need(
      _ rule: CarPlayRule, _ kind: TLV8.Kind, _ expected: String, _ isRight: (Int) -> Bool = { $0 > 0 }
    ) -> (CarPlayRule, ValueProblem)? {
      let bytes = list[kind]
      let isZero = kind == .publicKey && bytes?.allSatisfy { $0 == 0 } == true
      if let bytes, isRight(bytes.count), !isZero { return nil }
      let value = isZero ? "\(kind) is 0" : bytes.map { "\(kind) has \($0.count) bytes" } ?? "it has no \(kind)"
      return (rule, ValueProblem("\(name) M\(state)", is: value, expected: expected))
    }
    let problems: [(CarPlayRule, ValueProblem)?] =
      switch (isSetup, state) {
      case (true, 1):
        [
          list.byte(.flags).map {
            (
              .setupKept,
              ValueProblem("\(name) M1", is: "the flags are \($0)", expected: "no flags, because a pairing is kept")
            )
          }
        ]
      case (true, 2):
        [
          need(.setupSalt, .salt, "16 bytes") { $0 == 16 },
          need(.setupSalt, .publicKey, "1 to 384 bytes") { (1...384).contains($0) },
        ]
      case (true, 3):
        [
          need(.setupSalt, .publicKey, "1 to 384 bytes") { (1...384).contains($0) },
          need(.setupProof, .proof, "64 bytes") { $0 == 64 },
        ]
      case (true, 4): [need(.setupProof, .proof, "64 bytes") { $0 == 64 }]
      case (true, 5), (true, 6): [need(.setupIdentity, .encryptedData, "a sealed identity")]
      case (false, 1): [need(.verifyKey, .publicKey, "32 bytes") { $0 == 32 }]
      case (false, 2):
        [
          need(.verifyKey, .publicKey, "32 bytes") { $0 == 32 },
          need(.verifyIdentity, .encryptedData, "a sealed identity"),
        ]
      case (false, 3): [need(.verifyIdentity, .encryptedData, "a sealed identity")]
      default: []
      }
    for case (let rule, let problem)? in problems { add(rule, by: side, problem) }
    if !isSetup, state == 4 {
      isSecure = true
      reach(.verified)
    }
  }

  /// Judges the sealed identity of a message of pairing.
  package mutating func take(_ proof: Proof, isSetup: Bool, state: UInt8, from side: SessionSide) {
    let name = "\(isSetup ? "/pair-setup" : "/pair-verify") M\(state)"
    switch proof {
    case .right, .unknown: break
    case .wrong:
      add(
        isSetup ? .setupIdentity : .verifySignature, by: side,
        ValueProblem(name, is: "the signature is wrong", expected: "that of the side's long-term key"))
    case .sealedOtherwise:
      add(
        isSetup ? .setupIdentity : .verifyIdentity, by: side,
        ValueProblem(
          name, is: "encryptedData does not open with the secret of both sides",
          expected: "the key, the nonce and no authenticated bytes of the procedure"))
    }
  }

  /// Judges the proof of the password that a side sends in pair-setup.
  package mutating func takeSetupProof(isRight: Bool, from side: SessionSide) {
    guard !isRight else { return }
    add(
      .setupProof, by: side,
      ValueProblem(
        "/pair-setup M\(side == .phone ? 3 : 4)", is: "the proof is wrong",
        expected: "that of the password and of both keys"))
  }

  /// Judges a signature of the coprocessor in auth-setup that is wrong.
  package mutating func takeWrongAuthSignature(_ signature: [UInt8]) {
    let isDER = AuthSetupInspection.isDER(signature)
    let value =
      isDER
      ? "the signature is \(signature.count) bytes of DER"
      : "the signature\(signature.count == 64 ? "" : " of \(signature.count) bytes") is wrong"
    add(
      .authEvidence, by: .headUnit,
      ValueProblem(
        "/auth-setup", is: value,
        expected: isDER
          ? "the numbers r and s of 32 bytes each, as the coprocessor gives them"
          : "that of the certificate's key over the public keys of the head unit and of the phone"))
  }

  private static func words(_ problem: TLV8.Problem) -> String {
    switch problem {
    case .cutOff(let offset): "the item at byte \(offset) is longer than the rest"
    case .repeated(let type, let offset): "type \(type) at byte \(offset) comes twice"
    }
  }

  // MARK: Set-up

  private mutating func takeSetUp(_ list: StreamList, from side: SessionSide) {
    guard list.hasStreams else { return takeSessionSetUp(SessionSetUpRequest(values: list.values), from: side) }
    if seesAll, !states.contains(.setUp) {
      add(
        .sessionFirst, by: side,
        ValueProblem("SETUP", is: "it has streams", expected: "a SETUP of the session without streams first"))
    }
    if seesAll, states.contains(.setUp), !areEventsOpen {
      add(
        .eventsFirst, by: side,
        ValueProblem("SETUP", is: "it has streams before the event connection", expected: "a connection to eventPort"))
    }
    guard let bodies = list.streams else {
      return add(
        .streamList, by: side,
        ValueProblem("SETUP", "streams", list.values["streams"], expected: "a list of dictionaries"))
    }
    var types: Set<StreamType> = []
    for (index, body) in bodies.enumerated() {
      let path = "streams[\(index)]"
      do throws(ValueProblem) {
        let type = try body.knownType(at: path)
        guard types.insert(type).inserted else {
          throw ValueProblem("SETUP", in: path, "type", body.values["type"], expected: "a type that comes once")
        }
        _ = try StreamDemand(body, type, at: path, info: info, isVerified: isSecure || !seesAll)
      } catch { add(Self.rule(ofStreamKey: error.key), by: side, error) }
    }
  }

  private static func rule(ofStreamKey key: String?) -> CarPlayRule {
    switch key?.split(separator: ".").last {
    case "streamConnectionID", "seed": .streamID
    case "uuid": .streamDisplay
    case "audioFormat": .streamFormat
    case "shk": .streamKey
    default: .streamType
    }
  }

  private mutating func takeSessionSetUp(_ body: SessionSetUpRequest, from side: SessionSide) {
    if seesAll, states.contains(.setUp) {
      add(.onceSetUp, by: side, ValueProblem("SETUP", is: "it has no streams again", expected: "streams, once set up"))
    }
    for problem in body.problems { add(.setUpKeys, by: side, problem) }
    guard seesAll, !isSecure else { return }
    guard states.contains(.authenticated) else {
      return add(
        .verifiesFirst, by: side,
        ValueProblem("SETUP", is: "it came before pair-verify and auth-setup", expected: "pair-verify first"))
    }
    for (key, bytes) in [("ekey", body.encryptedKey), ("eiv", body.initializationVector)] where bytes?.count != 16 {
      add(.sessionKey, by: side, ValueProblem("SETUP", key, body.values[key], expected: "16 bytes"))
    }
  }

  // MARK: Commands

  private mutating func take(_ body: CommandBody, from side: SessionSide) {
    guard let command = body.command else {
      return add(
        .commandType, by: side,
        ValueProblem("POST /command", "type", body.values["type"], expected: "the name of a command"))
    }
    if side == .headUnit, seesAll, !hasAskedToRecord {
      add(
        .commandEarly, by: side,
        ValueProblem("POST /command", is: "\(command.name) came before RECORD", expected: "RECORD first"))
    }
    switch command {
    case .other(let name) where Self.namesWithForm.contains(name):
      let (key, values) = name == "hidSendReport" ? ("uuid", body.values) : ("params", body.values)
      add(
        .commandForm, by: side,
        ValueProblem("POST /command", key, values[key], expected: "the parameters of \(name)"))
    case .inputReport(let device, let report): takeReport(device, report, from: side)
    case .forceKeyFrame: picturesSinceAsked = picturesSinceAsked ?? 0
    default: break
    }
  }

  /// The names of commands whose parameters are known and needed.
  private static let namesWithForm: Set<String> = [
    "modesChanged", "changeModes", "duckAudio", "disableBluetooth", "suggestUI", "hidSetInputMode", "iAPSendMessage",
    "hidSendReport", "requestSiri", "setNightMode", "setLimitedUI", "showUI", "stopUI", "requestViewArea",
    "changeMapZoomLevel",
  ]

  private mutating func takeReport(_ device: String, _ report: [UInt8], from side: SessionSide) {
    guard info != nil else { return }
    guard inputs[device] != nil else {
      return add(
        .inputKnown, by: side,
        ValueProblem("hidSendReport", "uuid", .text(device), expected: "the uuid of an entry of hidDevices in /info"))
    }
    do throws(HIDReportProblem) { _ = try inputs[device]?.take(report) } catch {
      let expected =
        switch error {
        case .wrongLength(let expected, _): "\(expected) bytes, as the device's descriptor states"
        case .unknownReport(let id): "an id of the device's descriptor in place of \(id)"
        }
      add(.inputFits, by: side, ValueProblem("hidSendReport", "hidReport", .data(report), expected: expected))
    }
  }
}
