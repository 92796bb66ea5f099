// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles

/// A reader of the phone's state and steps in a scenario.
enum PhoneReader {
  typealias Change = @Sendable (inout PhoneState) -> Void

  static func order(_ value: YAMLValue) throws(ScenarioProblem) -> SessionOrder {
    try value.choice(Dictionary(uniqueKeysWithValues: SessionOrder.allCases.map { ($0.rawValue, $0) }))
  }

  /// Reads the initial state of the phone.
  ///
  /// - Parameter more: the allowed keys that the caller reads.
  static func setUp(_ value: YAMLValue, more: [String] = [], _ state: inout PhoneState) throws(ScenarioProblem) {
    let fields = try value.fields(ScenarioSchema.phoneSettings + more)
    for name in ScenarioSchema.phoneSettings {
      if let field = fields[name], let change = try setting(name, field) { change(&state) }
    }
  }

  private static func setting(_ name: String, _ value: YAMLValue) throws(ScenarioProblem) -> Change? {
    switch name {
    case "name":
      let text = try value.text()
      return { $0.name = text }
    case "language":
      let text = try value.text()
      return { $0.language = text }
    case "battery": return try battery(value)
    case "queue":
      let items = try items(value)
      return { $0.player.replaceQueue(items) }
    case "libraries":
      var libraries: [MediaLibrary] = []
      let list = try value.included()
      for library in try list.list() {
        let next = try self.library(library, number: libraries.count + 1)
        guard !libraries.contains(where: { $0.identifier == next.identifier }) else {
          throw library.problem("two libraries have the identifier \"\(next.identifier)\"")
        }
        libraries.append(next)
      }
      return { [libraries] in $0.libraries = libraries }
    case "favorites":
      var contacts: [Contact] = []
      for contact in try value.list() { contacts.append(try self.contact(contact)) }
      return { [contacts] in $0.telephone.favorites = contacts }
    case "voicemail":
      let count = try value.integer(0...255)
      return { $0.telephone.newVoicemailCount = count }
    case "apps":
      var apps: [PhoneApp] = []
      for app in try value.list() {
        let next = try self.app(app)
        guard !apps.contains(where: { $0.name == next.name }) else {
          throw app.problem("two apps have the name \"\(next.name)\"")
        }
        apps.append(next)
      }
      return { [apps] in $0.apps = apps }
    case "network": return try network(value)
    default: return try flag(name, value)
    }
  }

  private static func flag(_ name: String, _ value: YAMLValue) throws(ScenarioProblem) -> Change? {
    if name == "audioRate" {
      let text = try value.text()
      guard let rate = AudioSampleRate.names.first(where: { "\($0.1)" == text }) else {
        throw value.problem("expected a rate out of \(AudioSampleRate.names.map { "\($0.1)" }.joined(separator: ", "))")
      }
      return { $0.audioSampleRate = AudioSampleRate(rawValue: rate.0) }
    }
    let flag = try value.flag()
    switch name {
    case "carPlay": return { $0.offersCarPlay = flag }
    case "wirelessCarPlay": return { $0.offersWirelessCarPlay = flag }
    case "sharesNetwork": return { $0.sharesNetwork = flag }
    case "bluetooth": return { $0.isBluetoothConnected = flag }
    default: return nil
    }
  }

  private static func battery(_ value: YAMLValue) throws(ScenarioProblem) -> Change {
    let fields = try value.fields(["level", "wall", "car", "moving", "capacity"])
    let level = try fields["level"]?.integer(0...100)
    let wall = try fields["wall"]?.integer(0...10_000)
    let car = try fields["car"]?.integer(0...10_000)
    let moving = try fields["moving"]?.flag()
    let capacity = try fields["capacity"]?.integer(100...100_000)
    return { state in
      if let level { state.battery.percent = level }
      if let wall { state.battery.wallCurrent = wall }
      if let car { state.battery.carCurrent = car }
      if let moving { state.battery.isMoving = moving }
      if let capacity { state.battery.capacity = capacity }
    }
  }

  private static func network(_ value: YAMLValue) throws(ScenarioProblem) -> Change {
    let fields = try value.fields(["name", "passphrase"])
    let network = WiFiInformation.Network(
      name: try fields["name"]?.text(), passphrase: try fields["passphrase"]?.text(), securityType: .wpaOrWPA2)
    return { $0.network = network }
  }

  private static func items(_ value: YAMLValue) throws(ScenarioProblem) -> [MediaItem] {
    var items: [MediaItem] = []
    for (index, entry) in try value.list().enumerated() {
      let fields = try entry.fields(["id", "title", "artist", "album", "genre", "composer", "seconds", "artwork"])
      var item = MediaItem(
        identifier: UInt64(try fields["id"]?.integer(1...Int.max) ?? index + 1),
        title: try fields["title"]?.text() ?? "",
        duration: .milliseconds(Int((try fields["seconds"]?.number(0.1...86_400) ?? 180) * 1000)))
      item.artist = try fields["artist"]?.text() ?? ""
      item.album = try fields["album"]?.text() ?? ""
      item.genre = try fields["genre"]?.text() ?? ""
      item.composer = try fields["composer"]?.text() ?? ""
      // Placeholder bytes instead of an image.
      let count = try fields["artwork"]?.integer(0...(1 << 20)) ?? 0
      item.artwork = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* (index + 3)) }
      items.append(item)
    }
    return items
  }

  private static func library(_ value: YAMLValue, number: Int) throws(ScenarioProblem) -> MediaLibrary {
    let fields = try value.fields(["name", "identifier", "items", "playlists"])
    let items = try fields["items"].map { value throws(ScenarioProblem) in try Self.items(value) } ?? []
    let known = Set(items.map(\.identifier))
    guard known.count == items.count else { throw value.problem("two items have the same id") }
    var playlists: [MediaLibrary.Playlist] = []
    for (index, entry) in try fields["playlists"]?.list().enumerated() ?? [].enumerated() {
      let parts = try entry.fields(["name", "items"])
      var ids: [UInt64] = []
      for entry in try parts["items"]?.list() ?? [] {
        let id = UInt64(try entry.integer(1...Int.max))
        guard known.contains(id) else { throw entry.problem("no item has the id \(id)") }
        ids.append(id)
      }
      playlists.append(
        .init(identifier: UInt64(1000 + index), name: try parts["name"]?.text() ?? "", items: ids))
    }
    return MediaLibrary(
      name: try fields["name"]?.text() ?? "Library",
      identifier: try fields["identifier"]?.text() ?? "library-\(number)",
      items: items, playlists: playlists)
  }

  private static func contact(_ value: YAMLValue) throws(ScenarioProblem) -> Contact {
    let fields = try value.fields(["number", "name", "label", "service"])
    guard let number = fields["number"] else { throw value.problem("the contact needs a number") }
    return Contact(
      remote: try number.text(), name: try fields["name"]?.text() ?? "", label: try fields["label"]?.text() ?? "",
      service: try fields["service"]?.choice(Scenario.callServices) ?? .telephony)
  }

  private static func app(_ value: YAMLValue) throws(ScenarioProblem) -> PhoneApp {
    let fields = try value.fields(["name", "bundle", "protocols", "carPlay", "running"])
    func texts(_ name: String) throws(ScenarioProblem) -> [String] {
      var all: [String] = []
      for text in try fields[name]?.list() ?? [] { all.append(try text.text()) }
      return all
    }
    guard let name = fields["name"] else { throw value.problem("the app needs a name") }
    return PhoneApp(
      name: try name.text(), bundleIdentifier: try fields["bundle"]?.text() ?? "",
      protocols: try texts("protocols"), carPlayProtocols: try texts("carPlay"),
      isRunning: try fields["running"]?.flag() ?? false)
  }

  // MARK: Steps

  /// Reads the text or the bytes of a write; nil if it has neither.
  private static func data(_ value: YAMLValue) throws(ScenarioProblem) -> Scenario.Step.Action? {
    let names = value.isMapping ? try value.entries().map(\.name) : []
    guard names.contains("text") || names.contains("hex") else { return nil }
    let fields = try value.fields(["protocol", "text", "hex"])
    guard let data = fields["text"] ?? fields["hex"], fields["text"] == nil || fields["hex"] == nil else {
      throw value.problem("expected text or hex, not both")
    }
    let bytes = try DataReader.bytes(data, isHex: fields["hex"] != nil)
    return .writeData(bytes, protocolName: try fields["protocol"]?.text())
  }

  static func action(_ verb: String, _ value: YAMLValue) throws(ScenarioProblem) -> Scenario.Step.Action {
    if verb == "write", let action = try data(value) { return action }
    switch verb {
    case "exchange", "write":
      let fields = try value.fields(["protocol", "bytes"] + (verb == "exchange" ? ["within"] : []))
      guard let name = fields["protocol"] else {
        throw value.problem(
          "expected a protocol; \(verb) has the keys protocol, bytes\(verb == "exchange" ? ", within" : ", text, hex")")
      }
      let count = try fields["bytes"]?.integer(1...(1 << 26)) ?? 65_536
      return verb == "exchange"
        ? .exchange(
          protocolName: try name.text(), byteCount: count,
          withinMilliseconds: Int((try fields["within"]?.number(0...Scenario.maximumWait) ?? 60) * 1000))
        : .write(protocolName: try name.text(), byteCount: count)
    case "open": return .open(try value.text())
    case "close": return .close(try value.text())
    case "send": return try Scenario.raw(.phone, value)
    case "lights":
      let fields = try value.fields(["component", "usages"])
      let usages = try fields["usages"].map { value throws(ScenarioProblem) in try Scenario.usages(value) } ?? []
      return .lights(
        Dictionary(usages.map { ($0, 1) }, uniquingKeysWith: { first, _ in first }),
        component: UInt16(try fields["component"]?.integer(0...65_535) ?? 11))
    default: return .phone(try change(verb, value))
    }
  }

  /// Reads a step that changes the phone's state. The change returns the reason when it is impossible.
  private static func change(_ verb: String, _ value: YAMLValue) throws(ScenarioProblem) -> Scenario.PhoneChange {
    if ScenarioSchema.phoneSettings.contains(verb), let change = try setting(verb, value) { return done(change) }
    switch verb {
    case "play", "pause", "next":
      try value.confirm()
      return { state in
        guard state.player.item != nil else { return "the queue is empty" }
        if verb == "play" {
          state.player.play()
        } else if verb == "pause" {
          state.player.pause()
        } else {
          state.player.next()
        }
        return nil
      }
    case "call", "ring", "answer", "hangUp": return try callChange(verb, value)
    case "navigate":
      let route = try RouteReader.route(try value.included())
      return done { $0.navigate(route) }
    case "speed":
      let speed = try value.integer(0...100)
      return { state in
        guard state.guidance != nil else { return "no route guidance is active" }
        state.drive { $0.speed = speed }
        return nil
      }
    case "endNavigation":
      try value.confirm()
      return done { $0.endNavigation() }
    case "launch", "quit":
      let name = try value.text()
      return { state in
        guard let index = state.apps.firstIndex(where: { $0.name == name }) else { return "no app \(name)" }
        state.apps[index].isRunning = verb == "launch"
        return nil
      }
    case "addItems", "removeItem": return try libraryChange(verb, value)
    default:
      throw value.problem(
        "the phone has no such step; its steps are "
          + (ScenarioSchema.phoneSettings + ScenarioSchema.phoneVerbs).sorted().joined(separator: ", "))
    }
  }

  private static func done(_ change: @escaping Change) -> Scenario.PhoneChange {
    { state in
      change(&state)
      return nil
    }
  }

  private static func callChange(_ verb: String, _ value: YAMLValue) throws(ScenarioProblem) -> Scenario.PhoneChange {
    switch verb {
    case "call":
      let contact = try contact(value)
      return { $0.telephone.receiveCall(from: contact) == nil ? "the phone cannot have more calls" : nil }
    case "hangUp":
      let reason = try value.choice(["normal": CallDisconnectReason.noReason, "failed": .failed, "declined": .declined])
      return { state in
        guard !state.telephone.calls.isEmpty else { return "there is no call" }
        state.telephone.endByPeer(reason: reason)
        return nil
      }
    default:
      try value.confirm()
      return { state in
        guard state.telephone.calls.contains(where: { $0.direction == .outgoing }) else {
          return "there is no outgoing call"
        }
        if verb == "ring" { state.telephone.ringAtPeer() } else { state.telephone.answerByPeer() }
        return nil
      }
    }
  }

  private static func libraryChange(
    _ verb: String, _ value: YAMLValue
  ) throws(ScenarioProblem) -> Scenario.PhoneChange {
    if verb == "addItems" {
      let items = try items(value)
      return { state in
        guard !state.libraries.isEmpty else { return "there is no library" }
        for item in items { state.libraries[0].put(item) }
        return nil
      }
    }
    let id = UInt64(try value.integer(1...Int.max))
    return { state in
      guard state.libraries.first?.items.contains(where: { $0.identifier == id }) == true else {
        return "the first library has no item \(id)"
      }
      state.libraries[0].removeItem(id)
      return nil
    }
  }
}

/// A reader of routes in YAML.
enum RouteReader {
  static func route(_ value: YAMLValue) throws(ScenarioProblem) -> Route {
    let fields = try value.fields(["destination", "start", "source", "maneuvers"])
    guard let list = fields["maneuvers"] else { throw value.problem("the route needs maneuvers") }
    var maneuvers: [Route.Maneuver] = []
    for entry in try list.list() { maneuvers.append(try maneuver(entry)) }
    guard !maneuvers.isEmpty, maneuvers.count <= 10_000 else { throw list.problem("expected 1 to 10 000 maneuvers") }
    var route = Route(
      destination: try fields["destination"]?.text() ?? "", start: try fields["start"]?.text() ?? "",
      maneuvers: maneuvers)
    if let source = fields["source"] { route.source = try source.text() }
    return route
  }

  private static func maneuver(_ value: YAMLValue) throws(ScenarioProblem) -> Route.Maneuver {
    let fields = try value.fields([
      "type", "description", "road", "distance", "side", "junction", "angles", "exitAngle", "exit", "lanes",
    ])
    guard let type = fields["type"] else { throw value.problem("the maneuver needs a type") }
    let name = try type.text()
    guard let found = ManeuverType.names.first(where: { "\($0.1)" == name }) else {
      throw type.problem("no maneuver is called \"\(name)\"; `iap2 messages RouteGuidanceManeuverUpdate` lists all")
    }
    var maneuver = Route.Maneuver(
      type: ManeuverType(rawValue: found.0), description: try fields["description"]?.text() ?? "",
      road: try fields["road"]?.text() ?? "", distance: try fields["distance"]?.integer(0...10_000_000) ?? 0)
    if let side = fields["side"] {
      maneuver.drivingSide = try side.choice(["right": DrivingSide.rightHandTraffic, "left": .leftHandTraffic])
    }
    if let junction = fields["junction"] {
      maneuver.junction = try junction.choice([
        "intersection": JunctionType.singleIntersection, "roundabout": .roundabout,
      ])
    }
    maneuver.angles = try angles(fields["angles"])
    maneuver.exitAngle = try fields["exitAngle"].map { value throws(ScenarioProblem) in
      Int16(try value.integer(-360...360))
    }
    maneuver.exit = try fields["exit"]?.text() ?? ""
    for lane in try fields["lanes"]?.list() ?? [] {
      let parts = try lane.fields(["status", "angles", "highlight"])
      maneuver.lanes.append(
        Route.Lane(
          status: try parts["status"]?.choice(["notGood": LaneStatus.notGood, "good": .good, "preferred": .preferred])
            ?? .good, angles: try angles(parts["angles"]),
          highlight: try parts["highlight"].map { value throws(ScenarioProblem) in Int16(try value.integer(-360...360))
          }))
    }
    return maneuver
  }

  private static func angles(_ value: YAMLValue?) throws(ScenarioProblem) -> [Int16] {
    var all: [Int16] = []
    for angle in try value?.list() ?? [] { all.append(Int16(try angle.integer(-360...360))) }
    return all
  }
}
