// swift-iap2 · Apache-2.0

package import CarPlaySession
import HIDReports

// Answers of both sides.
extension SessionJudge {
  /// Judges an answer.
  ///
  /// - Parameter request: The request of the answer; nil if none waits.
  package mutating func take(
    answer message: RequestMessage, to request: RequestMessage?, on channel: Channel, from side: SessionSide
  ) {
    guard case .answer(let status, _, _) = message.start else { return }
    guard let request, case .request(let method, _, _) = request.start else {
      if seesAll {
        add(.sequence, by: side, ValueProblem("answer", is: "it answers no request", expected: "a request before it"))
      }
      return
    }
    let path = request.path ?? ""
    if let asked = request.sequence, asked != message.sequence {
      add(
        .sequence, by: side,
        ValueProblem(
          "answer to \(method) \(path)", "CSeq", message.sequence.map { .text($0) }, expected: "the text \"\(asked)\""))
    }
    guard status == 200 else {
      if side == .phone {
        add(
          .commandAnswered, by: side,
          ValueProblem("POST /command", is: "the phone answers \(status)", expected: "200"))
      } else if channel == .control {
        takeRefusal(status, of: request, from: side)
      }
      return
    }
    takeContentType(of: message, "answer to \(method) \(path)", method, path, from: side)
    guard channel == .control else { return }
    switch (method, path) {
    case ("POST", "/pair-setup"), ("POST", "/pair-verify"):
      takePairing(message.body, isSetup: path == "/pair-setup", from: side)
    case ("POST", "/auth-setup"): takeAuthSetup(message.body, from: side)
    case ("SETUP", _): takeSetUp(request, message, from: side)
    case (_, "/info"):
      if let info: SessionInfo = read(message.body, "/info", side) {
        let isPart = !request.body.isEmpty && Self.hasQualifier(request.body)
        if !isPart { take(info, from: side) }
      }
    case ("RECORD", _): reach(.recording)
    case ("POST", "/feedback"): takeFeedback(message.body, from: side)
    case ("TEARDOWN", _): takeTearDown(request)
    default: break
    }
  }

  /// Returns whether a request for /info names the keys that it wants.
  private static func hasQualifier(_ body: [UInt8]) -> Bool {
    do { return try SessionInfo(bytes: body).values["qualifier"] != nil } catch { return false }
  }

  private mutating func takeAuthSetup(_ body: [UInt8], from side: SessionSide) {
    reach(.authenticated)
    let parts: AuthSetupAnswer
    do throws(AuthSetupProblem) { parts = try AuthSetupAnswer(bytes: body) } catch {
      return add(
        .authAnswer, by: side,
        ValueProblem(
          "answer to POST /auth-setup", is: "\(body.count) bytes whose parts do not fit",
          expected: "a key of 32 bytes, a certificate and a signature, each after its length"))
    }
    if parts.publicKey.allSatisfy({ $0 == 0 }) {
      add(
        .authAnswer, by: side, ValueProblem("answer to POST /auth-setup", is: "the key is 0", expected: "an X25519 key")
      )
    }
    guard parts.certificate.first != 0x30 || parts.signature.isEmpty else { return }
    add(
      .authEvidence, by: side,
      ValueProblem(
        "answer to POST /auth-setup",
        is: "a certificate of \(parts.certificate.count) bytes, a signature of \(parts.signature.count)",
        expected: "a certificate that begins with 30 (DER), and a signature"))
  }

  // MARK: Set-up

  private mutating func takeSetUp(_ request: RequestMessage, _ answer: RequestMessage, from side: SessionSide) {
    guard let list: StreamList = read(answer.body, "answer to SETUP", side) else { return }
    let asked: StreamList
    do throws(BodyProblem) { asked = try StreamList(bytes: request.body) } catch { return }
    guard asked.hasStreams else {
      return takeSession(SessionSetUpRequest(values: asked.values), SessionSetUpAnswer(values: list.values), from: side)
    }
    guard let answers = list.streams else {
      return add(
        .streamList, by: side,
        ValueProblem("answer to SETUP", "streams", list.values["streams"], expected: "a list of streams"))
    }
    for (index, body) in answers.enumerated() {
      let path = "streams[\(index)]"
      guard let type = body.type, let own = (asked.streams ?? []).first(where: { $0.type == type }) else {
        add(
          .streamUnasked, by: side,
          ValueProblem(
            "answer to SETUP", in: path, "type", body.values["type"], expected: "a type of the request"))
        continue
      }
      streams[type] = JudgedStream()
      hasStream = true
      if type.family == .screen { hasScreen = true }
      takePort("dataPort", of: body.values, in: path, "a port", .dataPort, from: side)
      if type.family == .audio {
        takePort("controlPort", of: body.values, in: path, "a UDP port", .controlPort, from: side)
      }
      if let problem = body.idProblem(at: path, to: own, isVerified: isSecure || !seesAll) {
        add(.idRepeated, by: side, problem)
      }
    }
    for type in (asked.streams ?? []).compactMap(\.type) where !answers.contains(where: { $0.type == type }) {
      add(
        .streamsAnswered, by: side,
        ValueProblem(
          "answer to SETUP", "streams", list.values["streams"], expected: "type \(type.rawValue) (\(type.name))"))
    }
  }

  private mutating func takeSession(
    _ asked: SessionSetUpRequest, _ answer: SessionSetUpAnswer, from side: SessionSide
  ) {
    reach(.setUp)
    enabledFeatures = answer.enabledFeatures
    takePort("eventPort", of: answer.values, "a TCP port", .eventPort, from: side)
    if asked.timingPort != nil { takePort("timingPort", of: answer.values, "a UDP port", .timingPort, from: side) }
    if asked.wantsKeepAlive { takePort("keepAlivePort", of: answer.values, "a UDP port", .keepAlivePort, from: side) }
    takeFeatures(of: answer, from: side)
    let extra = answer.enabledFeatures.filter { !asked.features.contains($0) }
    if asked.values["features"] != nil, let first = extra.first {
      add(
        .knownFeatures, by: side,
        ValueProblem(
          "answer to SETUP", "enabledFeatures", .text(first), expected: "names of the features of the request"))
    }
  }

  private mutating func takeTearDown(_ request: RequestMessage) {
    guard !request.body.isEmpty else { return }
    let list: StreamList
    do throws(BodyProblem) { list = try StreamList(bytes: request.body) } catch { return }
    for type in (list.streams ?? []).compactMap(\.type) { streams[type] = nil }
  }

  // MARK: /info

  private mutating func take(_ info: SessionInfo, from side: SessionSide) {
    self.info = info
    reach(.informed)
    for problem in info.problems {
      let rule: CarPlayRule =
        switch problem.key {
        case "deviceID": .infoIdentity
        case "features": .infoFeatures
        default: .infoDisplays
        }
      add(rule, by: side, problem)
    }
    takeForms(of: info, from: side)
    do throws(ValueProblem) { inputs = try info.inputReaders() } catch { add(.infoInputs, by: side, error) }
    func problem(in path: String? = nil, _ key: String, _ value: PropertyValue?, _ expected: String) -> ValueProblem {
      ValueProblem("/info", in: path, key, value, expected: expected)
    }
    if let modes = info.values["modes"], info.modes == nil {
      add(.modesForm, by: side, problem("modes", modes, "a dictionary with resources and appStates"))
    }
    for key in ["resources", "appStates"] {
      guard let list = info.values["modes"]?[key], list.array == nil else { continue }
      add(.modesForm, by: side, problem(in: "modes", key, list, "a list of dictionaries"))
    }
    for (index, display) in (info.displays ?? []).enumerated() {
      takeViewAreas(of: display, "displays[\(index)]", from: side)
      takeFrameRate(of: display, "displays[\(index)]", from: side)
    }
    takeNames((info.displays ?? []).map(\.uuid), in: "displays", from: side)
    takeNames((info.values["hidDevices"]?.array ?? []).map { $0["uuid"]?.text }, in: "hidDevices", from: side)
    if let bits = info.features, info.displays?.isEmpty == false, bits & 1 << 7 == 0 {
      add(.screenBit, by: side, problem("features", info.values["features"], "bit 7, because there are displays"))
    }
    for (index, offer) in (info.audioFormats ?? []).enumerated() {
      let path = "audioFormats[\(index)]"
      if offer.values["type"] == nil {
        add(.formatBits, by: side, problem(in: path, "type", nil, "100 to 103"))
      } else if let outputs = offer.values["audioOutputFormats"],
        AudioFormat.formats(in: offer.outputs).isEmpty
      {
        add(.formatBits, by: side, problem(in: path, "audioOutputFormats", outputs, "bits of known formats"))
      }
    }
    takeTextRecord(info, from: side)
    guard states.contains(.setUp) else { return }
    for feature in ["mainBuffered", "hevc", "viewAreas", "altScreen"] {
      guard let (key, value) = info.need(of: feature) else { continue }
      let isEnabled = enabledFeatures.contains(feature)
      guard isEnabled != (value != nil) else { continue }
      let expected = isEnabled ? "a value, because \(feature) is enabled" : "none, because \(feature) is not enabled"
      add(feature == "mainBuffered" ? .bufferedKey : .featureKeys, by: side, problem(key, value, expected))
    }
  }

  /// Compares what the head unit advertises with `/info`.
  private mutating func takeTextRecord(_ info: SessionInfo, from side: SessionSide) {
    guard let textRecord else { return }
    let features = info.features.map { FeatureBits(rawValue: $0).text }
    let pairs: [(key: String, own: String?, advertised: String?)] = [
      ("deviceID", info.deviceID, textRecord["deviceid"]), ("features", features, textRecord["features"]),
      ("pi", info.values["pi"]?.text, textRecord["pi"]),
    ]
    for (key, own, advertised) in pairs {
      guard let own, let advertised, own.lowercased() != advertised.lowercased() else { continue }
      add(
        key == "features" ? .advertisedFeatures : .advertised, by: side,
        ValueProblem("/info", key, .text(own), expected: "\(advertised), as in the TXT record of _airplay._tcp"))
    }
  }

  private mutating func takeFrameRate(of display: DisplayInfo, _ path: String, from side: SessionSide) {
    guard let rate = display.values["maxFPS"], display.maximumFrameRate ?? 0 <= 0 else { return }
    add(
      .frameRate, by: side,
      ValueProblem("/info", in: path, "maxFPS", rate, expected: "a number of pictures in a second, above 0"))
  }

  /// Compares the names of devices of one list.
  private mutating func takeNames(_ names: [String?], in list: String, from side: SessionSide) {
    var known: [String: Int] = [:]
    for (index, name) in names.enumerated() {
      guard let name else { continue }
      guard let first = known[name] else {
        known[name] = index
        continue
      }
      add(
        .ownNames, by: side,
        ValueProblem(
          "/info", in: "\(list)[\(index)]", "uuid", .text(name), expected: "another one than that of \(list)[\(first)]")
      )
    }
  }

  private mutating func takeViewAreas(of display: DisplayInfo, _ path: String, from side: SessionSide) {
    guard let value = display.values["viewAreas"] else { return }
    guard let areas = display.viewAreas else {
      return add(
        .viewAreas, by: side, ValueProblem("/info", in: path, "viewAreas", value, expected: "a list of dictionaries"))
    }
    for (index, area) in areas.enumerated() {
      for (key, origin, size) in [
        ("widthPixels", "originXPixels", display.width), ("heightPixels", "originYPixels", display.height),
      ] {
        for key in [key, origin] {
          guard let value = area.values[key], !ValueForm.number.fits(value) else { continue }
          add(
            .viewAreas, by: side,
            ValueProblem("/info", in: "\(path).viewAreas[\(index)]", key, value, expected: ValueForm.number.words))
        }
        let (start, extent) = (area.values[origin]?.integer ?? 0, area.values[key]?.integer ?? 0)
        guard let size, !(start >= 0 && extent > 0 && start <= Int64(size) && extent <= Int64(size) - start) else {
          continue
        }
        add(
          .viewAreas, by: side,
          ValueProblem(
            "/info", in: "\(path).viewAreas[\(index)]", key, area.values[key],
            expected: "1 to \(max(0, Int64(size) - min(max(0, start), Int64(size)))) pixels, inside the display"))
      }
    }
    if let initial = display.values["initialViewArea"],
      !ValueForm.number.fits(initial) || !areas.indices.contains(display.initialViewArea ?? -1)
    {
      add(
        .viewAreas, by: side,
        ValueProblem(
          "/info", in: path, "initialViewArea", initial, expected: "the index of one of \(areas.count) view areas"))
    }
  }

  // MARK: Feedback

  private mutating func takeFeedback(_ body: [UInt8], from side: SessionSide) {
    let sound = streams.keys.filter { $0.family == .audio }.sorted { $0.rawValue < $1.rawValue }
    // A capture may lack the TEARDOWN of a stream.
    guard !sound.isEmpty, seesAll || !hasGap else { return }
    var named: [Int] = []
    var value: PropertyValue?
    if !body.isEmpty {
      guard let list: StreamList = read(body, "answer to POST /feedback", side) else { return }
      value = list.values["streams"]
      named = (list.streams ?? []).compactMap { $0.values["type"]?.integer.map(Int.init) }
    }
    guard let missing = sound.first(where: { !named.contains($0.rawValue) }) else { return }
    add(
      .feedbackLists, by: side,
      ValueProblem(
        "answer to POST /feedback", "streams", value,
        expected: "an entry of type \(missing.rawValue) (\(missing.name))"))
  }
}
