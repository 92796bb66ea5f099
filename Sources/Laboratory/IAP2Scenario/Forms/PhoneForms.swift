// swift-iap2 · Apache-2.0

import Basics
import IAP2
import IAP2Roles
import YAMLForms

/// The phone's initial state and its steps.
enum PhoneForms {
  typealias Change = @Sendable (inout PhoneState) -> Void
  typealias Action = Scenario.Step.Action

  static let order = Form<SessionOrder>.choice

  // MARK: State

  /// The keys of the initial state, in the order in which they apply. Each is also a step.
  static let settings: [Verb<Change>] = [
    Verb("name", "Names the phone.", .text) { text in { $0.name = text } },
    Verb("language", "Changes the language.", .text) { text in { $0.language = text } },
    Verb("battery", "Changes the level, the charging currents in mA, the capacity in mAh, and the motion.", battery),
    Verb("queue", "Replaces the songs to play.", items) { items in { $0.player.replaceQueue(items) } },
    Verb("libraries", "Replaces the media libraries.", libraries) { libraries in { $0.libraries = libraries } },
    Verb("favorites", "Replaces the favorite contacts.", .list(contact)) { contacts in
      { $0.telephone.favorites = contacts }
    },
    Verb("apps", "Replaces the installed apps.", apps) { apps in { $0.apps = apps } },
    Verb("network", "Changes the Wi-Fi network that the phone can share.", network) { network in
      { $0.network = network }
    },
    Verb("carPlay", "Changes whether the phone offers CarPlay over a cable.", .flag) { flag in
      { $0.offersCarPlay = flag }
    },
    Verb("wirelessCarPlay", "Changes whether the phone offers CarPlay over Wi-Fi.", .flag) { flag in
      { $0.offersWirelessCarPlay = flag }
    },
    Verb("sharesNetwork", "Changes whether the phone answers a request for its Wi-Fi network.", .flag) { flag in
      { $0.sharesNetwork = flag }
    },
    Verb("bluetooth", "Changes whether the car is connected by Bluetooth too.", .flag) { flag in
      { $0.isBluetoothConnected = flag }
    },
    Verb("audioRate", "Changes the sample rate of digital audio over USB, in Hz.", Form<AudioSampleRate>.named) {
      rate in { $0.audioSampleRate = rate }
    },
    Verb("voicemail", "Changes the number of new messages.", .integer(0...255)) { count in
      { $0.telephone.newVoicemailCount = count }
    },
  ]

  private static let current = Form<Int>.integer(0...10_000)

  private static let battery = Form<Change>.keys(
    .optional("level", .integer(0...100)), .optional("wall", current), .optional("car", current),
    .optional("moving", .flag), .optional("capacity", .integer(100...100_000))
  ) { _, level, wall, car, moving, capacity in
    { state in
      if let level { state.battery.percent = level }
      if let wall { state.battery.wallCurrent = wall }
      if let car { state.battery.carCurrent = car }
      if let moving { state.battery.isMoving = moving }
      if let capacity { state.battery.capacity = capacity }
    }
  }

  private static let network = Form<WiFiInformation.Network>.keys(
    .optional("name", .text), .optional("passphrase", .text)
  ) { _, name, passphrase in
    WiFiInformation.Network(name: name, passphrase: passphrase, securityType: .wpaOrWPA2)
  }

  /// The largest artwork in bytes.
  private static let maximumArtwork = 1 << 20

  /// A song. Without an identifier, it has its number in the list, from 1.
  private static let item = Form<@Sendable (Int) -> MediaItem>.keys(
    .optional("id", .integer(1...Int.max)), .key("title", .text, or: ""), .key("artist", .text, or: ""),
    .key("album", .text, or: ""), .key("genre", .text, or: ""), .key("composer", .text, or: ""),
    .key("seconds", .seconds(0.1...86_400), or: 180_000), .key("artwork", .integer(0...maximumArtwork), or: 0),
    .key("live", .flag, or: false)
  ) { _, id, title, artist, album, genre, composer, milliseconds, artwork, isLive in
    { index in
      var item = MediaItem(
        identifier: UInt64(id ?? index + 1), title: title,
        duration: isLive ? .zero : .milliseconds(milliseconds))
      (item.artist, item.album, item.genre, item.composer) = (artist, album, genre, composer)
      // Placeholder bytes instead of an image.
      // The bytes of i × (index + 3) repeat after 256.
      let period = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* (index + 3)) }
      item.artwork = Array(repeatElement(period, count: artwork / 256 + 1).joined().prefix(artwork))
      return item
    }
  }.named("item")

  /// The artwork of a list in bytes, which are in memory.
  private static let maximumArtworks = 1 << 26

  private static let items = Form<[@Sendable (Int) -> MediaItem]>.list(item).checked {
    makers, value throws(FileProblem) in
    var (items, byteCount): ([MediaItem], Int) = ([], 0)
    for (index, make) in makers.enumerated() {
      items.append(make(index))
      byteCount += items[index].artwork.count
      guard byteCount <= maximumArtworks else {
        throw value.problem("the artwork has more than \(maximumArtworks) bytes together", at: "\(index)")
      }
    }
    return items
  }

  private static let playlist = Form<(name: String, items: [Int])>.keys(
    .key("name", .text, or: ""), .key("items", .list(.integer(1...Int.max)), or: [])
  ) { _, name, items in (name, items) }

  private static let library = Form<@Sendable (Int) -> MediaLibrary>.keys(
    .key("name", .text, or: "Library"), .optional("identifier", .text), .key("items", items, or: []),
    .key("playlists", .list(playlist), or: [])
  ) { fields, name, identifier, items, playlists throws(FileProblem) in
    let known = Set(items.map(\.identifier))
    guard known.count == items.count else { throw fields.problem("two items have the same id") }
    for (number, playlist) in playlists.enumerated() {
      for (index, id) in playlist.items.enumerated() where !known.contains(UInt64(id)) {
        throw fields.value.problem("no item has the id \(id)", at: "playlists", "\(number)", "items", "\(index)")
      }
    }
    return { number in
      MediaLibrary(
        name: name, identifier: identifier ?? "library-\(number)", items: items,
        playlists: playlists.enumerated().map { index, playlist in
          .init(identifier: UInt64(1000 + index), name: playlist.name, items: playlist.items.map { UInt64($0) })
        })
    }
  }

  private static let libraries = Form<[MediaLibrary]>.included(
    Form<[@Sendable (Int) -> MediaLibrary]>.list(library).checked { makers, value throws(FileProblem) in
      let libraries = makers.enumerated().map { index, make in make(index + 1) }
      try refuseRepeated(libraries.map(\.identifier), "libraries", "identifier", value)
      return libraries
    })

  private static let contact = Form<Contact>.keys(
    .required("number", .text), .key("name", .text, or: ""), .key("label", .text, or: ""),
    .key("service", MessageForms.callService, or: .telephony)
  ) { _, number, name, label, service in
    Contact(remote: number, name: name, label: label, service: service)
  }.named("contact")

  private static let app = Form<PhoneApp>.keys(
    .required("name", .text), .key("bundle", .text, or: ""), .key("protocols", .list(.text), or: []),
    .key("carPlay", .list(.text), or: []), .key("running", .flag, or: false)
  ) { _, name, bundle, protocols, carPlay, isRunning in
    PhoneApp(
      name: name, bundleIdentifier: bundle, protocols: protocols, carPlayProtocols: carPlay, isRunning: isRunning)
  }

  private static let apps = Form<[PhoneApp]>.list(app).checked { apps, value throws(FileProblem) in
    try refuseRepeated(apps.map(\.name), "apps", "name", value)
    return apps
  }

  /// Throws at the first entry of a list that has the key of an earlier one.
  private static func refuseRepeated(
    _ keys: [String], _ kind: String, _ key: String, _ list: YAMLValue
  ) throws(FileProblem) {
    var seen: Set<String> = []
    for (index, name) in keys.enumerated() where !seen.insert(name).inserted {
      throw list.problem("two \(kind) have the \(key) \"\(name)\"", at: "\(index)")
    }
  }

  // MARK: Steps

  /// The steps: every key of the initial state, and what only a running phone does.
  static let steps: [Verb<Action>] = settings.map { setting in setting.map { .phone(done($0)) } } + changes + sessions

  private static func done(_ change: @escaping Change) -> Scenario.PhoneChange {
    { state in
      change(&state)
      return nil
    }
  }

  private static func change(_ change: @escaping Scenario.PhoneChange) -> Action { .phone(change) }

  private static func player(_ change: @escaping Change) -> Action {
    .phone { state in
      guard state.player.item != nil else { return "the queue is empty" }
      change(&state)
      return nil
    }
  }

  private static func outgoingCall(_ change: @escaping Change) -> Action {
    .phone { state in
      guard state.telephone.calls.contains(where: { $0.direction == .outgoing }) else {
        return "there is no outgoing call"
      }
      change(&state)
      return nil
    }
  }

  private static func app(_ name: String, runs: Bool) -> Action {
    .phone { state in
      guard let index = state.apps.firstIndex(where: { $0.name == name }) else { return "no app \(name)" }
      state.apps[index].isRunning = runs
      return nil
    }
  }

  private static let changes: [Verb<Action>] = [
    Verb("play", "Plays the queue.", .done) { player { $0.player.play() } },
    Verb("pause", "Pauses the queue.", .done) { player { $0.player.pause() } },
    Verb("next", "Plays the next song.", .done) { player { $0.player.next() } },
    Verb("call", "Receives a call.", contact) { contact in
      .phone { $0.telephone.receiveCall(from: contact) == nil ? "the phone cannot have more calls" : nil }
    },
    Verb("ring", "Lets the outgoing call ring at the other side.", .done) {
      outgoingCall { $0.telephone.ringAtPeer() }
    },
    Verb("answer", "Lets the other side answer the outgoing call.", .done) {
      outgoingCall { $0.telephone.answerByPeer() }
    },
    Verb(
      "hangUp", "Lets the other side end the call, with a reason.",
      Form<CallDisconnectReason>.choice(["normal": .noReason, "failed": .failed, "declined": .declined])
    ) { reason in
      .phone { state in
        guard !state.telephone.calls.isEmpty else { return "there is no call" }
        state.telephone.endByPeer(reason: reason)
        return nil
      }
    },
    Verb("navigate", "Starts a route.", .included(RouteForms.route)) { route in .phone(done { $0.navigate(route) }) },
    Verb("speed", "Drives along the route, in meters per second.", .integer(0...100)) { speed in
      .phone { state in
        guard state.guidance != nil else { return "no route guidance is active" }
        state.drive { $0.speed = speed }
        return nil
      }
    },
    Verb("endNavigation", "Ends the route.", .done) { .phone(done { $0.endNavigation() }) },
    Verb("launch", "Starts an app.", .text) { app($0, runs: true) },
    Verb("quit", "Ends an app.", .text) { app($0, runs: false) },
    Verb("addItems", "Adds songs to the first library, or changes those with the same id.", items) { items in
      .phone { state in
        guard !state.libraries.isEmpty else { return "there is no library" }
        for item in items { state.libraries[0].put(item) }
        return nil
      }
    },
    Verb("removeItem", "Removes the song with this id from the first library.", .integer(1...Int.max)) { id in
      .phone { state in
        guard state.libraries.first?.items.contains(where: { $0.identifier == UInt64(id) }) == true else {
          return "the first library has no item \(id)"
        }
        state.libraries[0].removeItem(UInt64(id))
        return nil
      }
    },
  ]

  /// The bytes that an exchange has at most, and those of a step without a number.
  private static let byteCounts = 1...(1 << 26), standardByteCount = 65_536

  private static let sessions: [Verb<Action>] = [
    Verb(
      "exchange", "Opens an EA session, writes bytes, waits until they have come back, and closes it.",
      .keys(
        .required("protocol", .text), .key("bytes", .integer(byteCounts), or: standardByteCount),
        .key("within", .seconds(0...Scenario.maximumWait), or: 60_000)
      ) { _, name, count, limit in .exchange(protocolName: name, byteCount: count, withinMilliseconds: limit) }),
    Verb("open", "Opens an EA session of this protocol.", .text) { .open($0) },
    Verb("write", "Writes bytes in an open EA session.", write),
    Verb("close", "Closes the EA session of this protocol.", .text) { .close($0) },
    Verb(
      "lights", "Sends an output report with these usages on to a HID component.",
      .keys(
        .key("component", MessageForms.component, or: MessageForms.keyboard),
        .key("usages", MessageForms.usages, or: [])
      ) { _, component, usages in
        .lights(Dictionary(usages.map { ($0, 1) }, uniquingKeysWith: { first, _ in first }), component: component)
      }),
    Verb("send", "Sends any message.", MessageForms.raw(.phone)),
    Verb(
      "session", "Acts in the CarPlay session.",
      Form.one(of: SessionForms.phone, "verb of the phone's session").named("phoneSessionStep")
    ) {
      Action.session($0.outcome)
    },
  ]

  private static let write = Form<Action>.keyed(
    [
      (
        "text",
        .keys(.required("text", DataForms.text), .optional("protocol", .text)) { _, bytes, name in
          .writeData(bytes, protocolName: name)
        }
      ),
      (
        "hex",
        .keys(.required("hex", DataForms.data), .optional("protocol", .text)) { _, bytes, name in
          .writeData(bytes, protocolName: name)
        }
      ),
    ],
    otherwise: .keys(
      .required("protocol", .text), .key("bytes", .integer(byteCounts), or: standardByteCount)
    ) { _, name, count in .write(protocolName: name, byteCount: count) })
}
