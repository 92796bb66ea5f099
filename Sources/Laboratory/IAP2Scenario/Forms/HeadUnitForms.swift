// swift-iap2 · Apache-2.0

import Basics
import IAP2
import IAP2Roles
import YAMLForms

/// The head unit's initial state and its steps.
enum HeadUnitForms {
  typealias Change = @Sendable (inout HeadUnitState) -> Void
  typealias Action = Scenario.Step.Action

  // MARK: State

  /// The keys of the initial state, in the order in which they apply. Each is also a step.
  static let settings: [Verb<Change>] = [
    Verb("power", "Changes the current for the phone in mA, and whether the phone shall charge.", power),
    Verb("vehicle", "Changes the range in km, the outside temperature in degrees Celsius, and the warning.", vehicle),
    Verb("track", "Drives along a track.", track) { track in { $0.track = track } },
  ]

  private static let power = Form<Change>.keys(
    .optional("current", .integer(0...65_535)), .optional("charge", .flag)
  ) { _, current, charge in
    { state in
      var source = state.powerSource ?? PowerSourceUpdate()
      if let current { source.availableCurrentForDevice = UInt16(current) }
      if let charge { source.deviceBatteryShouldChargeIfPowerIsPresent = charge }
      state.powerSource = source
    }
  }

  private static let vehicle = Form<Change>.keys(
    .optional("range", .integer(0...65_535)), .optional("temperature", .integer(-32_768...32_767)),
    .optional("warning", .flag)
  ) { _, range, temperature, warning in
    { state in
      if let range { state.vehicleStatus.range = UInt16(range) }
      if let temperature { state.vehicleStatus.outsideTemperature = Int16(temperature) }
      if let warning { state.vehicleStatus.rangeWarning = warning }
    }
  }

  // MARK: Tracks

  /// A list of `[seconds, latitude, longitude, speed, course]` with the speed in meters per second, the course in
  /// degrees and both optional, or a file as `{gpx: FILE}` or `{nmea: FILE}`.
  private static let track = Form<LocationTrack>.value(
    Form<[LocationFix]>.list(fix).map { LocationTrack(fixes: $0) },
    orKeys: Form.one(
      of: [Verb("gpx", "A file of GPX.", file(TrackFile.gpx)), Verb("nmea", "A file of NMEA.", file(TrackFile.nmea))],
      "file of a track"
    ).map(\.outcome))

  private static let ranges: [ClosedRange<Double>] = [
    0...Scenario.maximumWait, -90...90, -180...180, 0...200, 0...360,
  ]

  private static let fix = Form<LocationFix>(
    .tuple(ranges.map { .number($0) }, least: 3)
  ) { value throws(FileProblem) in
    let list = try value.list()
    guard (3...ranges.count).contains(list.count) else {
      throw value.problem("expected [seconds, latitude, longitude, speed, course]")
    }
    var numbers: [Double] = []
    for (item, range) in zip(list, ranges) { numbers.append(try item.number(range)) }
    var fix = LocationFix(
      time: numbers[0], unixTime: LocationFix.plainStart + numbers[0], latitude: numbers[1], longitude: numbers[2])
    if numbers.count > 3 { fix.speed = numbers[3] }
    if numbers.count > 4 { fix.course = numbers[4] }
    return fix
  }

  private static func file(_ read: @escaping @Sendable ([UInt8]) throws -> LocationTrack) -> Form<LocationTrack> {
    Form(.string) { value throws(FileProblem) in
      let bytes = try value.contents()
      do { return try read(bytes) } catch let problem as TrackFile.Problem {
        throw value.problem("\(try value.text()):\(problem.line): \(problem.text)")
      } catch { throw value.problem("\(error)") }
    }
  }

  // MARK: Steps

  /// The steps: every key of the initial state, what the driver does, and what the head unit sends.
  static let steps: [Verb<Action>] =
    settings.map { setting in setting.map { .headUnit($0) } } + inputs + calls + player + messages

  private static let inputs: [Verb<Action>] = [
    Verb("press", "Presses a button of the media remote.", Form<MediaButton>.choice) { .button($0) },
    Verb(
      "keys", "Presses keys of a HID component.",
      .keys(
        .key("component", MessageForms.component, or: MessageForms.keyboard),
        .required("usages", MessageForms.usages)
      ) { _, component, usages in .press(usages, component: component) }),
  ]

  /// A request that is a message with some parameters set.
  private static func send<Message: ControlMessage>(_ message: Message, _ set: (inout Message) -> Void) -> Action {
    var message = message
    set(&message)
    return .send(message)
  }

  private static let calls: [Verb<Action>] = [
    Verb(
      "dial", "Calls a number.",
      .keys(.optional("number", .text), .optional("service", MessageForms.callService)) { _, number, service in
        send(InitiateCall()) { ($0.destinationID, $0.service) = (number, service) }
      }),
    Verb("redial", "Calls the last number again.", .done) { send(InitiateCall()) { $0.type = .redial } },
    Verb(
      "accept", "Accepts a call, and holds or ends the other one.",
      Form<AcceptAction>.choice(["hold": .acceptOrHoldAndAccept, "end": .endAndAccept])
    ) { action in send(AcceptCall()) { $0.acceptAction = action } },
    Verb("end", "Ends or declines a call, or all.", Form<EndAction>.choice(["one": .endOrDecline, "all": .endAll])) {
      action in send(EndCall()) { $0.endAction = action }
    },
    Verb("swap", "Swaps the active call and the held one.", .done) { .send(SwapCalls()) },
    Verb("merge", "Merges two calls.", .done) { .send(MergeCalls()) },
    Verb("hold", "Holds the call, or takes it back.", .flag) { flag in
      send(HoldStatusUpdate()) { $0.holdStatus = flag }
    },
    Verb("mute", "Mutes the microphone, or not.", .flag) { flag in
      send(MuteStatusUpdate()) { $0.muteStatus = flag }
    },
    Verb("tone", "Sends a tone of a telephone key.", Form<DTMFTone>.named) { tone in
      send(SendDTMF()) { $0.tone = tone }
    },
  ]

  private static let player: [Verb<Action>] = [
    Verb("seek", "Moves to a place in the song, in seconds.", .seconds(0...86_400)) { milliseconds in
      send(SetNowPlayingInformation()) { $0.elapsedTime = UInt32(milliseconds) }
    },
    Verb("jump", "Moves to a song of the queue, from 0.", .integer(0...1_000_000)) { index in
      send(SetNowPlayingInformation()) { $0.playbackQueueIndex = UInt32(index) }
    },
    Verb(
      "shuffle", "Changes the order of the queue.",
      Form<PlaybackShuffleMode>.choice(["off": .off, "songs": .songs, "albums": .albums])
    ) { mode in send(SetNowPlayingInformation()) { $0.shuffleMode = mode.rawValue } },
    Verb(
      "repeat", "Repeats nothing, a song or the queue.",
      Form<PlaybackRepeatMode>.choice(["off": .off, "one": .one, "all": .all])
    ) { mode in send(SetNowPlayingInformation()) { $0.repeatMode = mode.rawValue } },
    Verb("playLibrary", "Plays a whole library, a playlist, or songs by id.", playLibrary),
  ]

  /// `all`, `{items: [IDS]}` or `{playlist: ID}`. The parameters have the format that this project's phone reads,
  /// because no public source describes them (Features.md#media-library-play; low).
  private static let playLibrary = Form<Action>.value(
    Form<UInt16>.choice(["all": UntypedMessage.playMediaLibrarySpecial]).map { .raw(.headUnit, id: $0, body: []) },
    orKeys: Form.one(
      of: [
        Verb("playlist", "A playlist.", identifier) { bytes in
          .raw(.headUnit, id: UntypedMessage.playMediaLibraryCollection, body: parameter(bytes))
        },
        Verb("items", "Songs.", .list(identifier, count: 0...maximumItems, "at most \(maximumItems) items")) { items in
          .raw(.headUnit, id: UntypedMessage.playMediaLibraryItems, body: parameter(items.flatMap(\.self)))
        },
      ], "part of the library"
    ).map(\.outcome))

  private static let maximumItems = 1000

  private static let identifier = Form<Int>.integer(1...Int.max).map { number in
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
  }

  private static func parameter(_ bytes: [UInt8]) -> [UInt8] {
    UInt16(bytes.count + 4).bigEndianBytes + [0, 0] + bytes
  }

  private static let messages: [Verb<Action>] = [
    Verb("report", "Sends NMEA sentences.", .list(.text)) { .report($0.map { $0 + "\r\n" }) },
    Verb("requestWiFi", "Asks for the phone's Wi-Fi network.", .done) { .send(RequestWiFiInformation()) },
    Verb("launch", "Asks the phone to start an app, by its bundle identifier.", .text) { name in
      send(RequestAppLaunch()) { $0.appBundleID = name }
    },
    Verb("close", "Closes every EA session of this protocol.", .text) { .closeByAccessory($0) },
    Verb("send", "Sends any message.", MessageForms.raw(.headUnit)),
    Verb(
      "session", "Acts in the CarPlay session.",
      Form.one(of: SessionForms.headUnit, "verb of the head unit's session").named("headUnitSessionStep")
    ) { Action.session($0.outcome) },
  ]

  // MARK: The whole head unit

  static let features = Form<HeadUnitFeatures>.scalar(
    .choice(["all": .all, "standard": .standard, "none": []]),
    orList: Form<[HeadUnitFeatures]>.list(
      .choice([
        "power": .power, "carPlay": .carPlay, "deviceNotifications": .deviceNotifications, "nowPlaying": .nowPlaying,
        "mediaLibrary": .mediaLibrary, "calls": .calls, "callLists": .callLists, "location": .location,
        "vehicleStatus": .vehicleStatus, "routeGuidance": .routeGuidance, "wiFiSharing": .wiFiSharing,
        "wirelessCarPlay": .wirelessCarPlay, "hid": .hid, "assistiveTouch": .assistiveTouch, "appLaunch": .appLaunch,
        "bluetooth": .bluetooth, "usbAudio": .usbAudio,
      ])
    ).map { HeadUnitFeatures($0) })

  /// EA protocols with their services.
  static let protocols = Form<[(name: String, value: Scenario.Service)]>.entries(DataForms.service)
    .checked { protocols, value throws(FileProblem) in
      guard protocols.count <= HeadUnitProfile.maximumProtocols else {
        throw value.problem("at most \(HeadUnitProfile.maximumProtocols) protocols are allowed")
      }
      return protocols
    }

  /// Returns a head unit without a profile, and the services of its protocols.
  static func plain(
    name: String? = nil, _ features: HeadUnitFeatures?, _ protocols: [(name: String, value: Scenario.Service)]?
  ) -> (HeadUnitProfile, [String: Scenario.Service]) {
    let profile = HeadUnitProfile.standard(
      name: name ?? "swift-iap2 Head Unit", protocols: protocols?.map(\.name) ?? [],
      features: features ?? .standard)
    let services = (protocols ?? []).map { ($0.name, $0.value) }
    return (profile, Dictionary(services, uniquingKeysWith: { first, _ in first }))
  }
}
