// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles

/// A reader of the head unit's state and steps in a scenario.
enum HeadUnitReader {
  static func power(_ value: YAMLValue) throws(ScenarioProblem) -> @Sendable (inout HeadUnitState) -> Void {
    let fields = try value.fields(["current", "charge"])
    let current = try fields["current"]?.integer(0...65_535)
    let charge = try fields["charge"]?.flag()
    return { state in
      var source = state.powerSource ?? PowerSourceUpdate()
      if let current { source.availableCurrentForDevice = UInt16(current) }
      if let charge { source.deviceBatteryShouldChargeIfPowerIsPresent = charge }
      state.powerSource = source
    }
  }

  static func vehicle(_ value: YAMLValue) throws(ScenarioProblem) -> @Sendable (inout HeadUnitState) -> Void {
    let fields = try value.fields(["range", "temperature", "warning"])
    let range = try fields["range"]?.integer(0...65_535)
    let temperature = try fields["temperature"]?.integer(-32_768...32_767)
    let warning = try fields["warning"]?.flag()
    return { state in
      if let range { state.vehicleStatus.range = UInt16(range) }
      if let temperature { state.vehicleStatus.outsideTemperature = Int16(temperature) }
      if let warning { state.vehicleStatus.rangeWarning = warning }
    }
  }

  /// Reads a track: a list of `[seconds, latitude, longitude, speed, course]` with the speed in metres a second, the
  /// course in degrees and both optional, or a file as `{gpx: FILE}` or `{nmea: FILE}`.
  static func track(_ value: YAMLValue) throws(ScenarioProblem) -> LocationTrack {
    if value.isMapping {
      let (kind, path) = try value.single()
      let bytes = try path.contents()
      do {
        switch kind {
        case "gpx": return try TrackFile.gpx(bytes)
        case "nmea": return try TrackFile.nmea(bytes)
        default: throw value.problem("expected a list of positions, or gpx or nmea with a file")
        }
      } catch let problem as TrackFile.Problem {
        throw path.problem("\(try path.text()):\(problem.line): \(problem.text)")
      } catch { throw error as? ScenarioProblem ?? path.problem("\(error)") }
    }
    var fixes: [LocationFix] = []
    for item in try value.list() {
      let numbers = try item.list()
      guard (3...5).contains(numbers.count) else {
        throw item.problem("expected [seconds, latitude, longitude, speed, course]")
      }
      let time = try numbers[0].number(0...Scenario.maximumWait)
      var fix = LocationFix(
        time: time, unixTime: LocationFix.plainStart + time, latitude: try numbers[1].number(-90...90),
        longitude: try numbers[2].number(-180...180))
      if numbers.count > 3 { fix.speed = try numbers[3].number(0...200) }
      if numbers.count > 4 { fix.course = try numbers[4].number(0...360) }
      fixes.append(fix)
    }
    return LocationTrack(fixes: fixes)
  }

  static func action(_ verb: String, _ value: YAMLValue) throws(ScenarioProblem) -> Scenario.Step.Action {
    switch verb {
    case "power": return .headUnit(try power(value))
    case "vehicle": return .headUnit(try vehicle(value))
    case "track":
      let track = try track(value)
      return .headUnit { $0.track = track }
    case "press":
      return .button(
        try value.choice(Dictionary(uniqueKeysWithValues: MediaButton.allCases.map { ($0.rawValue, $0) })))
    case "keys":
      let fields = try value.fields(["component", "usages"])
      guard let usages = fields["usages"] else { throw value.problem("expected usages") }
      return .press(
        try Scenario.usages(usages), component: UInt16(try fields["component"]?.integer(0...65_535) ?? 11))
    case "report":
      var sentences: [String] = []
      for sentence in try value.list() { sentences.append(try sentence.text() + "\r\n") }
      return .report(sentences)
    case "send": return try Scenario.raw(.headUnit, value)
    case "playLibrary": return try playLibrary(value)
    case "close": return .closeByAccessory(try value.text())
    default: return .send(try request(verb, value))
    }
  }

  /// Reads `all`, `{items: [IDS]}` or `{playlist: ID}`. The parameters have the format that this project's phone reads,
  /// because no public source describes them (Features.md#media-library-play; low).
  private static func playLibrary(_ value: YAMLValue) throws(ScenarioProblem) -> Scenario.Step.Action {
    func identifier(_ value: YAMLValue) throws(ScenarioProblem) -> [UInt8] {
      let number = try value.integer(1...Int.max)
      return (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
    func parameter(_ bytes: [UInt8]) -> [UInt8] { UInt16(bytes.count + 4).bigEndianBytes + [0, 0] + bytes }
    if value.isScalar {
      guard try value.text() == "all" else { throw value.problem("expected all, items or a playlist") }
      return .raw(.headUnit, id: UntypedMessage.playMediaLibrarySpecial, body: [])
    }
    let (name, inner) = try value.single()
    switch name {
    case "playlist":
      return .raw(.headUnit, id: UntypedMessage.playMediaLibraryCollection, body: parameter(try identifier(inner)))
    case "items":
      var all: [UInt8] = []
      for item in try inner.list() { all += try identifier(item) }
      guard all.count <= 8000 else { throw inner.problem("at most 1000 items are allowed") }
      return .raw(.headUnit, id: UntypedMessage.playMediaLibraryItems, body: parameter(all))
    default: throw inner.problem("expected all, items or a playlist")
    }
  }

  /// Reads a request that consists of one message.
  private static func request(_ verb: String, _ value: YAMLValue) throws(ScenarioProblem) -> any ControlMessage {
    switch verb {
    case "dial":
      let fields = try value.fields(["number", "service"])
      var call = InitiateCall()
      call.destinationID = try fields["number"]?.text()
      call.service = try fields["service"]?.choice(Scenario.callServices)
      return call
    case "redial":
      try value.confirm()
      var call = InitiateCall()
      call.type = .redial
      return call
    case "accept":
      var accept = AcceptCall()
      accept.acceptAction = try value.choice(["hold": AcceptAction.acceptOrHoldAndAccept, "end": .endAndAccept])
      return accept
    case "end":
      var end = EndCall()
      end.endAction = try value.choice(["one": EndAction.endOrDecline, "all": .endAll])
      return end
    case "swap":
      try value.confirm()
      return SwapCalls()
    case "merge":
      try value.confirm()
      return MergeCalls()
    case "hold":
      var hold = HoldStatusUpdate()
      hold.holdStatus = try value.flag()
      return hold
    case "mute":
      var mute = MuteStatusUpdate()
      mute.muteStatus = try value.flag()
      return mute
    case "tone":
      let name = try value.text()
      guard let tone = DTMFTone.names.first(where: { "\($0.1)" == name }) else {
        throw value.problem("expected a tone: 0 to 9, * or #")
      }
      var dial = SendDTMF()
      dial.tone = DTMFTone(rawValue: tone.0)
      return dial
    case "seek":
      var seek = SetNowPlayingInformation()
      seek.elapsedTime = UInt32(try value.number(0...86_400) * 1000)
      return seek
    case "jump":
      var jump = SetNowPlayingInformation()
      jump.playbackQueueIndex = UInt32(try value.integer(0...1_000_000))
      return jump
    case "shuffle":
      var set = SetNowPlayingInformation()
      set.shuffleMode = try value.choice(["off": PlaybackShuffleMode.off, "songs": .songs, "albums": .albums]).rawValue
      return set
    case "repeat":
      var set = SetNowPlayingInformation()
      set.repeatMode = try value.choice(["off": PlaybackRepeatMode.off, "one": .one, "all": .all]).rawValue
      return set
    case "requestWiFi":
      try value.confirm()
      return RequestWiFiInformation()
    case "launch":
      var launch = RequestAppLaunch()
      launch.appBundleID = try value.text()
      return launch
    default:
      throw value.problem(
        "the head unit has no such step; its steps are \(ScenarioSchema.headUnitVerbs.joined(separator: ", "))")
    }
  }
}
