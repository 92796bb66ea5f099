// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture
import IAP2Faults
import IAP2Formats
import IAP2Roles
import IAP2Simulation

extension Scenario {
  /// Reads a scenario from YAML.
  ///
  /// - Parameters:
  ///   - text: the YAML, at most 1 MiB.
  ///   - file: the name of the file in errors, and the name of a scenario without one.
  ///   - files: the reader of the tracks, routes, libraries and profiles that the scenario names.
  ///   - vocabulary: the steps and events of a higher layer; none by default.
  /// - Throws: the first problem, with its file, line and key.
  public init(
    yaml text: String, file: String, files: ScenarioFiles = .none, vocabulary: ScenarioVocabulary = .none
  ) throws(ScenarioProblem) {
    let root = try YAMLValue(text, file: file, files: files)
    let fields = try root.fields(ScenarioSchema.scenario)
    name = try fields["name"]?.text() ?? file
    summary = try fields["summary"]?.text() ?? ""
    headUnit = .standard()
    services = [:]
    phone = PhoneProfile()
    steps = []
    try setUpHeadUnit(fields["headUnit"])
    if let setup = fields["phone"] { try setUpPhone(setup) }
    if let silence = fields["silence"] { life.silenceMilliseconds = Int(try silence.number(0.001...3600) * 1000) }
    if let loss = fields["noticeLoss"] { life.noticeLoss = try loss.number(0...1) }
    if let fault = fields["fault"] {
      let plan = try Self.fault(fault, seed: life.seed, events: vocabulary.eventNames)
      life.fault = plan
      life.hasSeed = FaultPlan.namedSeed(in: try fault.text()) != nil
      life.seed = plan.seed
    }
    if let value = fields["carPlay"] { carPlay = try CarPlaySettings(value) }
    guard let list = fields["steps"] else { throw root.problem("the scenario needs steps") }
    for value in try list.list() { steps.append(try Self.step(value, vocabulary)) }
    if carPlay == nil, let step = steps.first(where: { if case .session = $0.action { true } else { false } }) {
      throw ScenarioProblem(
        file: step.file, line: step.line, key: "session", text: "a step of a session needs carPlay in the scenario")
    }
    guard steps.count <= Self.maximumSteps else { throw list.problem("at most \(Self.maximumSteps) steps are allowed") }
  }

  /// The maximum number of steps.
  static let maximumSteps = 10_000
  /// The maximum duration of a wait or an expectation, in seconds.
  static let maximumWait = 1e6

  // MARK: The head unit

  static let features: [String: HeadUnitFeatures] = [
    "power": .power, "carPlay": .carPlay, "deviceNotifications": .deviceNotifications, "nowPlaying": .nowPlaying,
    "mediaLibrary": .mediaLibrary, "calls": .calls, "callLists": .callLists, "location": .location,
    "vehicleStatus": .vehicleStatus, "routeGuidance": .routeGuidance, "wiFiSharing": .wiFiSharing,
    "wirelessCarPlay": .wirelessCarPlay, "hid": .hid, "assistiveTouch": .assistiveTouch, "appLaunch": .appLaunch,
    "bluetooth": .bluetooth, "usbAudio": .usbAudio,
  ]

  /// Reads a head unit without a profile: its features, its EA protocols, and their services.
  static func plainHeadUnit(
    features list: YAMLValue?, protocols: YAMLValue?, name: YAMLValue? = nil
  ) throws(ScenarioProblem) -> (HeadUnitProfile, [String: Service]) {
    var features = HeadUnitFeatures.standard
    if let list {
      features = []
      if list.isScalar {
        features = try list.choice(["all": HeadUnitFeatures.all, "standard": .standard, "none": []])
      } else {
        for feature in try list.list() { features.insert(try feature.choice(Self.features)) }
      }
    }
    var served: [String: Service] = [:]
    var names: [String] = []
    if let protocols {
      for (name, service) in try protocols.entries() {
        names.append(name)
        served[name] = try DataReader.service(service)
      }
      guard names.count <= HeadUnitProfile.maximumProtocols else {
        throw protocols.problem("at most \(HeadUnitProfile.maximumProtocols) protocols are allowed")
      }
    }
    let profile = HeadUnitProfile.standard(
      name: try name?.text() ?? "swift-iap2 Head Unit", protocols: names, features: features)
    return (profile, served)
  }

  private mutating func setUpHeadUnit(_ value: YAMLValue?) throws(ScenarioProblem) {
    guard let value else { return }
    let fields = try value.fields(ScenarioSchema.headUnit)
    if let profile = fields["profile"] {
      guard fields["features"] == nil, fields["protocols"] == nil else {
        throw profile.problem("a profile has its own features and protocols: leave out features and protocols")
      }
      let found = try Self.profile(profile)
      guard case .headUnit(let accessory, let served) = found.subject else {
        throw profile.problem("this is the profile of a phone: name one of a head unit")
      }
      headUnit = accessory
      services = served
      headUnitBehavior = found.behavior
      if let name = fields["name"] { headUnit.identification.name = try name.text() }
    } else {
      (headUnit, services) = try Self.plainHeadUnit(
        features: fields["features"], protocols: fields["protocols"], name: fields["name"])
    }
    do { _ = try headUnit.identification.encoded() } catch {
      throw (fields["protocols"] ?? value).problem("the identification is too long for a message")
    }
    if let power = fields["power"] { try HeadUnitReader.power(power)(&headUnit.state) }
    if let vehicle = fields["vehicle"] { try HeadUnitReader.vehicle(vehicle)(&headUnit.state) }
    if let track = fields["track"] { headUnit.state.track = try HeadUnitReader.track(track) }
  }

  private mutating func setUpPhone(_ value: YAMLValue) throws(ScenarioProblem) {
    let fields = try value.fields(ScenarioSchema.phone + ScenarioSchema.phoneSettings)
    if let profile = fields["profile"] {
      let found = try Self.profile(profile)
      guard case .phone(let named) = found.subject else {
        throw profile.problem("this is the profile of a head unit: name one of a phone")
      }
      phone = named
      phoneBehavior = found.behavior
    }
    if let order = fields["order"] { phone.order = try PhoneReader.order(order) }
    try PhoneReader.setUp(value, more: ScenarioSchema.phone, &phone.state)
  }

  /// Reads a shipped profile, or a profile from a file beside the scenario.
  private static func profile(_ value: YAMLValue) throws(ScenarioProblem) -> Profile {
    let name = try value.text()
    if let shipped = try BundledProfiles.profile(name) { return shipped }
    return try Profile(
      yaml: try value.textFile(), file: name, files: value.files)
  }

  // MARK: Steps

  private static func step(_ value: YAMLValue, _ vocabulary: ScenarioVocabulary) throws(ScenarioProblem) -> Step {
    let (name, inner) = try value.single(of: vocabulary.stepNames, "step")
    let action: Step.Action
    var role: Role?
    var text = name
    switch name {
    case "wait": action = .wait(Int(try inner.number(0...maximumWait) * 1000))
    case "halfOpen":
      try inner.confirm()
      action = .halfOpen
    case "notice":
      let reported = try inner.choice(Scenario.roles)
      action = .notice(reported)
      role = reported
      text = "notice \(reported.rawValue)"
    case "cut":
      try inner.confirm()
      action = .cut
    case "plug":
      try inner.confirm()
      action = .plug
    case "expect":
      if inner.isMapping, try inner.entries().contains(where: { $0.name == "data" }) {
        action = .expectData(try expectData(inner))
        role = .phone
        text = "expect data"
      } else {
        let expectation = try expect(inner, vocabulary)
        action = .expect(expectation)
        role = expectation.role
        text = "expect \(expectation.role.rawValue) \(expectation.event)"
      }
    case "phone", "headUnit":
      role = Role(rawValue: name)
      if !inner.isMapping {
        guard try inner.text() == "disconnect" else {
          throw inner.problem("expected disconnect, or a mapping with one step")
        }
        action = .disconnect(name == "phone" ? .phone : .headUnit)
        text = "\(name) disconnect"
      } else {
        let verbs =
          name == "phone" ? ScenarioSchema.phoneSettings + ScenarioSchema.phoneVerbs : ScenarioSchema.headUnitVerbs
        let (verb, argument) = try inner.single(of: verbs, "step of the \(name)")
        text = "\(name) \(verb)"
        guard verb != "session" else {
          let session = try name == "phone" ? CarPlayStepReader.phone(argument) : CarPlayStepReader.headUnit(argument)
          return Step(action: .session(session), role: role, file: value.file, line: value.line, text: text)
        }
        action = name == "phone" ? try PhoneReader.action(verb, argument) : try HeadUnitReader.action(verb, argument)
      }
    default:
      guard let step = vocabulary.steps[name] else {
        throw inner.problem("no such step; the steps are \(vocabulary.stepNames.joined(separator: ", "))")
      }
      action = .added(try step.read(inner))
      role = step.role
    }
    return Step(action: action, role: role, file: value.file, line: value.line, text: text)
  }

  private static func fault(
    _ value: YAMLValue, seed: UInt64, events: Set<String>
  ) throws(ScenarioProblem) -> FaultPlan {
    do { return try FaultPlan(parsing: try value.text(), seed: seed, events: events) } catch {
      switch error {
      case let problem as FaultPlan.Problem: throw value.problem(problem.text)
      case let problem as ScenarioProblem: throw problem
      default: throw value.problem("\(error)")
      }
    }
  }

  private static func expect(
    _ value: YAMLValue, _ vocabulary: ScenarioVocabulary
  ) throws(ScenarioProblem) -> Expectation {
    let fields = try value.fields(ScenarioSchema.expect)
    guard (fields["headUnit"] == nil) != (fields["phone"] == nil) else {
      throw value.problem("expected headUnit or phone, the role of the event")
    }
    let role: Role = fields["phone"] == nil ? .headUnit : .phone
    guard let event = fields[role.rawValue] else { throw value.problem("expected an event") }
    let name = try event.text()
    let events = vocabulary.eventNames
    guard events.contains(name) else {
      throw event.problem(
        "no event is called \"\(name)\"\(NearWords.hint(name, events)); the events are "
          + events.sorted().joined(separator: ", "))
    }
    var values: [String: String] = [:]
    let valueNames = vocabulary.valueNames
    for (key, value) in try fields["values"]?.entries() ?? [] {
      guard valueNames.contains(key) else {
        throw value.problem(
          "no event has the value \"\(key)\"\(NearWords.hint(key, valueNames)); the values are the parameters"
            + " of the event's message in `iap2 messages`")
      }
      values[key] = try value.text()
    }
    let within = try fields["within"]?.number(0...maximumWait) ?? 5
    return Expectation(role: role, event: name, values: values, withinMilliseconds: Int(within * 1000))
  }

  /// Reads bytes of an EA session to expect, `{data: …, protocol: NAME, within: SECONDS}`.
  private static func expectData(_ value: YAMLValue) throws(ScenarioProblem) -> DataExpectation {
    let fields = try value.fields(ScenarioSchema.expectData)
    guard let data = fields["data"] else { throw value.problem("expected data") }
    let within = try fields["within"]?.number(0...maximumWait) ?? 5
    return DataExpectation(
      protocolName: try fields["protocol"]?.text(), withinMilliseconds: Int(within * 1000),
      pattern: try DataReader.pattern(data))
  }

  /// Reads a raw message, `{id: "0x4154", hex: "…"}`.
  static func raw(_ role: Role, _ value: YAMLValue) throws(ScenarioProblem) -> Step.Action {
    let fields = try value.fields(["id", "hex"])
    guard let id = fields["id"] else { throw value.problem("the raw message needs an id") }
    let body = try fields["hex"].map { value throws(ScenarioProblem) in try hex(value) } ?? []
    return .raw(role, id: try id.messageID(), body: body)
  }

  static func hex(_ value: YAMLValue) throws(ScenarioProblem) -> [UInt8] {
    let digits = Array(try value.text(atMost: 1 << 18).utf8.filter { $0 != 0x20 })
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard index + 1 < digits.count,
        let high = Character(UnicodeScalar(digits[index])).hexDigitValue,
        let low = Character(UnicodeScalar(digits[index + 1])).hexDigitValue
      else { throw value.problem("expected pairs of hexadecimal digits") }
      bytes.append(UInt8(high << 4 | low))
    }
    guard bytes.count <= 65_529 else { throw value.problem("the bytes are too long for a message") }
    return bytes
  }

  static let callServices: [String: CallService] = [
    "telephony": .telephony, "faceTimeAudio": .faceTimeAudio, "faceTimeVideo": .faceTimeVideo,
  ]

  /// Reads a list of HID usages, each `[page, number]`.
  static func usages(_ value: YAMLValue) throws(ScenarioProblem) -> [HIDUsage] {
    var usages: [HIDUsage] = []
    for item in try value.list() {
      let pair = try item.list()
      guard pair.count == 2 else { throw item.problem("expected [page, number]") }
      usages.append(
        HIDUsage(page: UInt16(try pair[0].integer(0...65_535)), UInt16(try pair[1].integer(0...65_535))))
    }
    return usages
  }
}
