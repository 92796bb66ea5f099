// swift-iap2 · Apache-2.0

public import CarPlaySession
import IAP2

/// A step of a side in a CarPlay session. It returns nil on success, otherwise the reason of the failure.
public enum CarPlayStep: Sendable {
  /// A step of the head unit.
  case headUnit(@Sendable (inout HeadUnitSession, MonotonicTime) -> String?)
  /// A step of the phone.
  case phone(@Sendable (inout PhoneSession, MonotonicTime) -> String?)
  /// Another phone connects to the head unit.
  case otherPhone
}

/// The reader of `session:` steps.
enum CarPlayStepReader {
  private static let modeVerbs = [
    "take", "untake", "borrow", "unborrow", "speech", "call", "guidance",
  ]
  static let headUnitVerbs =
    modeVerbs + [
      "touch", "drag", "knob", "turn", "nudge", "key", "phoneKey", "siri", "nightMode", "limitedUI", "show", "keyFrame",
      "viewArea", "zoom", "showCluster", "stopCluster", "send", "end",
    ]
  static let phoneVerbs =
    modeVerbs + [
      "screen", "sound", "stop", "duck", "unduck", "showCar", "disableBluetooth", "send", "other", "end",
    ]

  private static let noSession = "no CarPlay session is live"

  // MARK: Both sides

  private static let resources: [String: ModeResource] = ["screen": .screen, "audio": .mainAudio]
  private static let constraints: [String: ModeConstraint] = [
    "anytime": .anytime, "user": .userInitiated, "never": .never,
  ]
  private static let priorities: [String: ModePriority] = ["nice": .niceToHave, "user": .userInitiated]

  /// Reads a wish: the name of a resource, a list of names, or a mapping with priority and constraints.
  private static func wish(_ verb: String, _ value: YAMLValue) throws(ScenarioProblem) -> ModeRequest {
    switch verb {
    case "speech":
      let mode = try value.choice(["none": SpeechMode.none, "speaking": .speaking, "recognizing": .recognizing])
      return ModeRequest(appStates: [.speech(mode)], reason: "scenario")
    case "call": return ModeRequest(appStates: [.phoneCall(try value.flag())], reason: "scenario")
    case "guidance": return ModeRequest(appStates: [.turnByTurn(try value.flag())], reason: "scenario")
    default: break
    }
    let fields = value.isMapping ? try value.fields(["of", "priority", "take", "borrow", "unborrow"]) : [:]
    guard let named = value.isMapping ? fields["of"] : value else { throw value.problem("expected of, the resource") }
    let list = named.isList ? try named.list() : [named]
    var wishes: [(ModeResource, ModeTransfer)] = []
    let priority = try fields["priority"]?.choice(priorities) ?? .userInitiated
    let (take, borrow) = (
      try fields["take"]?.choice(constraints) ?? .anytime, try fields["borrow"]?.choice(constraints) ?? .anytime
    )
    let unborrow = try fields["unborrow"]?.choice(constraints) ?? .anytime
    for entry in list {
      let resource = try entry.choice(resources)
      switch verb {
      case "take": wishes.append((resource, .take(priority, take: take, borrow: borrow)))
      case "untake": wishes.append((resource, .untake))
      case "borrow": wishes.append((resource, .borrow(priority, unborrow: unborrow)))
      default: wishes.append((resource, .unborrow))
      }
    }
    return ModeRequest(wishes, reason: "scenario")
  }

  // MARK: The head unit

  static func headUnit(_ value: YAMLValue) throws(ScenarioProblem) -> CarPlayStep {
    let (verb, argument) = try value.single(of: headUnitVerbs, "verb of the head unit's session")
    if modeVerbs.contains(verb) { return send([.changeModes(try wish(verb, argument))]) }
    switch verb {
    case "nightMode": return send([.setNightMode(try argument.flag())])
    case "limitedUI": return send([.setLimitedUI(try argument.flag())])
    case "show": return send([.requestUI(url: argument.isTrue ? nil : try argument.text())])
    case "keyFrame":
      try argument.confirm()
      return send([.forceKeyFrame(uuid: SessionInfo.mainDisplay)])
    case "viewArea":
      let index = try argument.integer(0...15)
      return send([.requestViewArea(uuid: SessionInfo.mainDisplay, index: index, milliseconds: 300)])
    case "zoom":
      let direction = try argument.choice(["in": 0, "out": 1])
      return send([.changeMapZoomLevel(uuid: SessionInfo.mainDisplay, direction: direction)])
    case "showCluster": return send([.showUI(uuid: SessionInfo.clusterDisplay, url: try argument.text())])
    case "stopCluster":
      try argument.confirm()
      return send([.stopUI(uuid: SessionInfo.clusterDisplay)])
    case "send":
      let bytes = try Scenario.hex(argument)
      return .headUnit { $0.send(iAP: bytes, at: $1) ? nil : noSession }
    case "end":
      try argument.confirm()
      return .headUnit { session, time in
        session.stop(.stopped, at: time)
        return nil
      }
    default:
      let action = try input(verb, argument)
      return .headUnit { session, time in
        let display = session.configuration.info.displays?.first
        let commands = action.commands(width: display?.width ?? 0, height: display?.height ?? 0)
        return commands.allSatisfy { session.send($0, at: time) } ? nil : noSession
      }
    }
  }

  private static func send(_ commands: [SessionCommand]) -> CarPlayStep {
    .headUnit { session, time in commands.allSatisfy { session.send($0, at: time) } ? nil : noSession }
  }

  private static func input(_ verb: String, _ value: YAMLValue) throws(ScenarioProblem) -> InputAction {
    func numbers(_ count: Int, _ range: ClosedRange<Int>) throws(ScenarioProblem) -> [Int] {
      let list = try value.list()
      guard list.count == count else { throw value.problem("expected \(count) numbers") }
      var numbers: [Int] = []
      for entry in list { numbers.append(try entry.integer(range)) }
      return numbers
    }
    switch verb {
    case "touch":
      let place = try numbers(2, 0...DisplaySettings.maximumSide)
      return .tap(x: place[0], y: place[1])
    case "drag":
      let places = try numbers(4, 0...DisplaySettings.maximumSide)
      return .drag(x: places[0], y: places[1], toX: places[2], toY: places[3])
    case "knob":
      return .knob(
        try value.choice(Dictionary(uniqueKeysWithValues: KnobButton.allCases.map { ($0.rawValue, $0) })))
    case "turn": return .turn(Int8(try value.integer(-127...127)))
    case "nudge":
      let place = try numbers(2, -127...127)
      return .nudge(x: Int8(place[0]), y: Int8(place[1]))
    case "key": return .mediaKey(try key(value))
    case "phoneKey": return .telephonyKey(try key(value))
    default: return .siri(isDown: try value.choice(["down": true, "up": false]))
    }
  }

  private static func key<Key: InputKey>(_ value: YAMLValue) throws(ScenarioProblem) -> Key {
    try value.choice(Dictionary(uniqueKeysWithValues: Key.allCases.map { ("\($0)", $0) }))
  }

  // MARK: The phone

  static func phone(_ value: YAMLValue) throws(ScenarioProblem) -> CarPlayStep {
    let (verb, argument) = try value.single(of: phoneVerbs, "verb of the phone's session")
    if modeVerbs.contains(verb) {
      let request = try wish(verb, argument)
      return .phone { session, time in
        guard session.isLive else { return noSession }
        return session.change(request, at: time) ? nil : "the phone does not grant this"
      }
    }
    switch verb {
    case "screen":
      return setUp(StreamWish(try argument.choice(["main": StreamType.screen, "cluster": .alternateScreen])))
    case "sound": return setUp(try sound(argument))
    case "stop":
      let names = Dictionary(uniqueKeysWithValues: StreamType.allCases.map { ($0.name, $0) })
      let type = try argument.choice(names)
      return .phone { session, time in
        guard session.streamTypes.contains(type) else { return "this stream does not run" }
        session.tearDown([type], at: time)
        return nil
      }
    case "duck":
      let decibels = try argument.number(-144...0)
      return command(.duckAudio(decibels: decibels, milliseconds: 300))
    case "unduck":
      try argument.confirm()
      return command(.unduckAudio(milliseconds: 500))
    case "showCar":
      try argument.confirm()
      return command(.requestUI(url: nil))
    case "disableBluetooth": return command(.disableBluetooth(deviceID: try argument.text()))
    case "send":
      let bytes = try Scenario.hex(argument)
      return .phone { $0.send(iAP: bytes, at: $1) ? nil : noSession }
    case "other":
      try argument.confirm()
      return .otherPhone
    default:
      try argument.confirm()
      return .phone { session, time in
        guard session.isLive else { return noSession }
        session.tearDown(at: time)
        return nil
      }
    }
  }

  private static func command(_ command: SessionCommand) -> CarPlayStep {
    .phone { $0.send(command, at: $1) ? nil : noSession }
  }

  private static func setUp(_ wish: StreamWish) -> CarPlayStep {
    .phone { session, time in
      guard session.isLive else { return noSession }
      return session.setUp(wish, at: time) ? nil : "this stream runs already"
    }
  }

  /// Reads a kind of sound: `media`, `prompt` and so on, or a mapping with rate, channels and microphone.
  private static func sound(_ value: YAMLValue) throws(ScenarioProblem) -> StreamWish {
    let fields = value.isMapping ? try value.fields(["kind", "rate", "channels", "microphone"]) : [:]
    guard let named = value.isMapping ? fields["kind"] : value else { throw value.problem("expected kind") }
    let kinds = SessionInfo.mainAudioKinds + ["prompt"]
    let kind = try named.choice(Dictionary(uniqueKeysWithValues: kinds.map { ($0, $0) }))
    let isMusic = kind == "media"
    let rate = try fields["rate"]?.integer(8000...48_000) ?? (isMusic ? 48_000 : 16_000)
    let channels = try fields["channels"]?.integer(1...2) ?? (isMusic ? 2 : 1)
    guard let format = AudioFormat.pcm(rate: rate, channels: channels) else {
      throw value.problem("PCM has the rates 8000, 16000, 24000, 32000, 44100 and 48000")
    }
    return StreamWish(
      kind == "prompt" ? .alternateAudio : .mainAudio, format: format, audioType: kind == "prompt" ? "default" : kind,
      latencyMilliseconds: 100, wantsMicrophone: try fields["microphone"]?.flag() ?? false)
  }
}

extension YAMLValue {
  /// Whether the value is `true`.
  fileprivate var isTrue: Bool {
    do throws(ScenarioProblem) {
      try confirm()
      return true
    } catch { return false }
  }
}
