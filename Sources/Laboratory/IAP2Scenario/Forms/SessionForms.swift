// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import YAMLForms

/// The verbs of `session:`, the steps of both sides in a CarPlay session.
enum SessionForms {
  private static let noSession = "no CarPlay session is live"

  // MARK: Modes

  private static let resource = Form<ModeResource>.choice(["screen": .screen, "audio": .mainAudio])
  private static let priority = Form<ModePriority>.choice(["nice": .niceToHave, "user": .userInitiated])
  private static let constraint = Form<ModeConstraint>.choice([
    "anytime": .anytime, "user": .userInitiated, "never": .never,
  ])

  /// The terms of a request for a resource.
  private struct Terms: Sendable {
    var priority = ModePriority.userInitiated
    var take = ModeConstraint.anytime, borrow = ModeConstraint.anytime, unborrow = ModeConstraint.anytime
  }

  /// A request for resources: the name of one, a list of names, or a mapping with priority and constraints.
  private static func request(
    _ verb: String, _ summary: String, _ transfer: @escaping @Sendable (Terms) -> ModeTransfer
  ) -> Verb<ModeRequest> {
    let resources = Form<[ModeResource]>.scalar(resource.map { [$0] }, orList: .list(resource))
    @Sendable func modes(_ resources: [ModeResource], _ terms: Terms) -> ModeRequest {
      ModeRequest(resources.map { ($0, transfer(terms)) }, reason: "scenario")
    }
    let named = resources.map { modes($0, Terms()) }
    let described = Form<ModeRequest>.keys(
      .required("of", resources), .key("priority", priority, or: .userInitiated),
      .key("take", constraint, or: .anytime), .key("borrow", constraint, or: .anytime),
      .key("unborrow", constraint, or: .anytime)
    ) { _, resources, priority, take, borrow, unborrow in
      modes(resources, Terms(priority: priority, take: take, borrow: borrow, unborrow: unborrow))
    }.named("request")
    return Verb(verb, summary, .value(named, orKeys: described))
  }

  private static func state(_ state: ModeAppState) -> ModeRequest {
    ModeRequest(appStates: [state], reason: "scenario")
  }

  private static let modes: [Verb<ModeRequest>] = [
    request("take", "Takes screen or audio for good.") { .take($0.priority, take: $0.take, borrow: $0.borrow) },
    request("untake", "Gives up what was taken.") { _ in .untake },
    request("borrow", "Borrows screen or audio.") { .borrow($0.priority, unborrow: $0.unborrow) },
    request("unborrow", "Gives back what was borrowed.") { _ in .unborrow },
    Verb(
      "speech", "Changes the speech mode.",
      Form<SpeechMode>.choice(["none": .none, "speaking": .speaking, "recognizing": .recognizing])
    ) { state(.speech($0)) },
    Verb("call", "Begins or ends a telephone call of this side.", .flag) { state(.phoneCall($0)) },
    Verb("guidance", "Begins or ends the route guidance of this side.", .flag) { state(.turnByTurn($0)) },
  ]

  // MARK: The head unit

  private static func send(_ commands: [SessionCommand]) -> CarPlayStep {
    .headUnit { session, time in commands.allSatisfy { session.send($0, at: time) } ? nil : noSession }
  }

  private static func input(_ action: InputAction) -> CarPlayStep {
    .headUnit { $0.perform(action, at: $1) ? nil : noSession }
  }

  static let headUnit: [Verb<CarPlayStep>] =
    modes.map { mode in mode.map { send([.changeModes($0)]) } } + inputs + requests

  private static let pixels = Form<Int>.integer(0...DisplaySettings.maximumSide)

  private static func key<Key: InputKey>(_ type: Key.Type) -> Form<Key> {
    .choice(Dictionary(uniqueKeysWithValues: Key.allCases.map { ("\($0)", $0) }))
  }

  private static let inputs: [Verb<CarPlayStep>] = [
    Verb("touch", "Taps a place in pixels.", .list(pixels, count: 2...2, "[x, y]")) {
      input(.tap(x: $0[0], y: $0[1]))
    },
    Verb("drag", "Drags a finger from a place to another one.", .list(pixels, count: 4...4, "[x, y, toX, toY]")) {
      input(.drag(x: $0[0], y: $0[1], toX: $0[2], toY: $0[3]))
    },
    Verb("knob", "Presses a button of the knob.", Form<KnobButton>.choice) { input(.knob($0)) },
    Verb("turn", "Turns the knob; negative steps turn back.", .integer(-127...127)) { input(.turn(Int8($0))) },
    Verb("nudge", "Pushes the knob aside.", .list(.integer(-127...127), count: 2...2, "[x, y]")) {
      input(.nudge(x: Int8($0[0]), y: Int8($0[1])))
    },
    Verb("key", "Presses a media key.", key(MediaKey.self)) { input(.mediaKey($0)) },
    Verb("phoneKey", "Presses a telephone key.", key(TelephonyKey.self)) { input(.telephonyKey($0)) },
    Verb("siri", "Presses or releases the voice button.", Form<Bool>.choice(["down": true, "up": false])) {
      input(.siri(isDown: $0))
    },
  ]

  private static let requests: [Verb<CarPlayStep>] = [
    Verb("nightMode", "Changes to night or day.", .flag) { send([.setNightMode($0)]) },
    Verb("limitedUI", "Limits the user interface while driving, or not.", .flag) { send([.setLimitedUI($0)]) },
    Verb("show", "Asks the phone for its screen, or for the app of a URL.", urlOrTrue) { url in
      send([.requestUI(url: url)])
    },
    Verb("keyFrame", "Asks for a key frame.", .done) { send([.forceKeyFrame(uuid: SessionInfo.mainDisplay)]) },
    Verb("viewArea", "Asks for another view area.", .integer(0...15)) { index in
      send([.requestViewArea(uuid: SessionInfo.mainDisplay, index: index, milliseconds: 300)])
    },
    Verb("zoom", "Zooms the map.", Form<Int>.choice(["in": 0, "out": 1])) { direction in
      send([.changeMapZoomLevel(uuid: SessionInfo.mainDisplay, direction: direction)])
    },
    Verb("showCluster", "Asks for the app of a URL in the instrument cluster.", .text) { url in
      send([.showUI(uuid: SessionInfo.clusterDisplay, url: url)])
    },
    Verb("stopCluster", "Ends the picture in the instrument cluster.", .done) {
      send([.stopUI(uuid: SessionInfo.clusterDisplay)])
    },
    Verb("send", "Sends bytes of iAP2 inside the session.", DataForms.hex) { bytes in
      .headUnit { $0.send(iAP: bytes, at: $1) ? nil : noSession }
    },
    Verb("end", "Ends the session.", .done) {
      .headUnit { session, time in
        session.stop(.stopped, at: time)
        return nil
      }
    },
  ]

  /// `true`, or the URL of an app.
  private static let urlOrTrue = Form<String?>(.anyOf([.done, .string])) { value throws(FileProblem) in
    guard value.isFlag else { return try value.text() }
    try value.confirm()
    return nil
  }

  // MARK: The phone

  private static func command(_ command: SessionCommand) -> CarPlayStep {
    .phone { $0.send(command, at: $1) ? nil : noSession }
  }

  private static func setUp(_ request: StreamRequest) -> CarPlayStep {
    .phone { session, time in
      guard session.isLive else { return noSession }
      return session.setUp(request, at: time) ? nil : "this stream runs already"
    }
  }

  private static func change(_ request: ModeRequest) -> CarPlayStep {
    .phone { session, time in
      guard session.isLive else { return noSession }
      return session.change(request, at: time) ? nil : "the phone does not grant this"
    }
  }

  static let phone: [Verb<CarPlayStep>] = modes.map { mode in mode.map(change) } + streams + commands

  private static let streams: [Verb<CarPlayStep>] = [
    Verb(
      "screen", "Sends a picture to a display.",
      Form<StreamType>.choice(["main": .screen, "cluster": .alternateScreen])
    ) { setUp(StreamRequest($0)) },
    Verb("sound", "Plays a kind of sound, with rate, channels and microphone.", sound) { setUp($0) },
    Verb(
      "stop", "Ends a stream.",
      Form<StreamType>.choice(Dictionary(uniqueKeysWithValues: StreamType.allCases.map { ($0.name, $0) }))
    ) { type in
      .phone { session, time in
        guard session.streamTypes.contains(type) else { return "this stream does not run" }
        session.tearDown([type], at: time)
        return nil
      }
    },
  ]

  private static let soundKind = Form<String>.choice(
    Dictionary(uniqueKeysWithValues: (SessionInfo.mainAudioKinds + ["prompt"]).map { ($0, $0) }))

  /// A kind of sound: `media`, `prompt` and so on, or a mapping with rate, channels and microphone.
  private static let sound = Form<StreamRequest>.value(
    soundKind.checked { kind, value throws(FileProblem) in try sound(kind, nil, nil, false, value) },
    orKeys: .keys(
      .required("kind", soundKind), .optional("rate", .integer(8000...48_000)),
      .optional("channels", .integer(1...2)), .key("microphone", .flag, or: false)
    ) { fields, kind, rate, channels, microphone throws(FileProblem) in
      try sound(kind, rate, channels, microphone, fields.value)
    })

  private static func sound(
    _ kind: String, _ rate: Int?, _ channels: Int?, _ microphone: Bool, _ value: YAMLValue
  ) throws(FileProblem) -> StreamRequest {
    let isMusic = kind == "media"
    let isPrompt = kind == "prompt"
    guard
      let format = AudioFormat.pcm(rate: rate ?? (isMusic ? 48_000 : 16_000), channels: channels ?? (isMusic ? 2 : 1))
    else { throw value.problem("PCM has the rates 8000, 16000, 24000, 32000, 44100 and 48000") }
    return StreamRequest(
      isPrompt ? .alternateAudio : .mainAudio, format: format, audioType: isPrompt ? "default" : kind,
      latencyMilliseconds: 100, wantsMicrophone: microphone)
  }

  private static let commands: [Verb<CarPlayStep>] = [
    Verb("duck", "Lowers the car's sound, in decibels.", .number(-144...0)) { decibels in
      command(.duckAudio(decibels: decibels, milliseconds: 300))
    },
    Verb("unduck", "Raises the car's sound again.", .done) { command(.unduckAudio(milliseconds: 500)) },
    Verb("showCar", "Asks for the car's own screen.", .done) { command(.requestUI(url: nil)) },
    Verb("disableBluetooth", "Asks the car to end Bluetooth with a device.", .text) { device in
      command(.disableBluetooth(deviceID: device))
    },
    Verb("send", "Sends bytes of iAP2 inside the session.", DataForms.hex) { bytes in
      .phone { $0.send(iAP: bytes, at: $1) ? nil : noSession }
    },
    Verb("other", "Another phone connects to the head unit.", .done) { .otherPhone },
    Verb("end", "Ends the session.", .done) {
      .phone { session, time in
        guard session.isLive else { return noSession }
        session.tearDown(at: time)
        return nil
      }
    },
  ]
}
