// swift-iap2 · Apache-2.0

import CarPlaySession
import Synchronization

@testable import CarPlayConformance

/// Head units with one fault each, and the checks that must fail with it.
enum BrokenHeadUnits {
  typealias Broken = (name: String, tamper: Tamper, fails: Set<String>)

  static let all: [Broken] =
    requests + pairing + answers + streams + commands + lives + forms + refusals

  private static func known(_ names: String) -> Set<String> { Set(names.split(separator: " ").map(String.init)) }

  private static let requests: [Broken] = [
    (
      "takes what it should refuse",
      .answering { request, answer in
        guard answer.status != 200 || request.isPairing && answer.isRefusal else { return }
        answer.set(status: 200)
        if request.isPairing { answer.body = TLV8([(.state, [2]), (.publicKey, [1])]).bytes }
        // A stream that was refused is answered like one that was taken.
        if request.method == "SETUP", case .array(let streams)? = request.entries["streams"] {
          let ports = streams.map { stream -> PropertyValue in
            guard case .dictionary(var values) = stream else { return stream }
            values["dataPort"] = 9
            return .dictionary(values)
          }
          answer.body = PropertyValue.dictionary(["streams": .array(ports)]).binary
        }
      },
      known(
        "CRQ-64 CRQ-65 CRQ-66 CRQ-67 CPA-51 CPA-52 CPA-53 CPA-54 CPA-60 CPA-65 CPA-67 CPA-69 CAS-52 CAS-53 "
          + "CAS-54 CSU-54 CST-57 CST-58 CST-59 CCM-60")
    ),
    (
      "dies of what it refuses", Tamper(diesOfAnswer: { $0.status >= 400 }),
      known("CRQ-54 CRQ-55 CRQ-58 CRQ-59 CRQ-60 CRQ-61 CRQ-68 CRQ-64 CRQ-65 CPA-59 CST-56 CST-57 CSU-55 CCM-56 CCM-57")
    ),
    (
      "wants CSeq in its usual letters",
      .answering { request, answer in
        guard !request.headers.fields.contains(where: { $0.name == "CSeq" }) else { return }
        answer.headers.fields.removeAll { $0.name == "CSeq" }
      }, known("CRQ-51")
    ),
    (
      "numbers its answers itself",
      .answering { _, answer in
        for index in answer.headers.fields.indices where answer.headers.fields[index].name == "CSeq" {
          answer.headers.fields[index].value = "7000"
        }
      }, known("CRQ-02 CRQ-51 CRQ-52")
    ),
    ("reads whole segments", Tamper(needsWholeSegments: true), known("CRQ-53")),
    (
      "answers RTSP alone",
      .answering { request, answer in
        if request.headers["User-Agent"] != nil { answer.set(status: answer.status) }
      }, known("CRQ-57")
    ),
    (
      "knows no OPTIONS", .responding { $0.method == "OPTIONS" ? $0.answer(501) : nil }, known("CRQ-56")
    ),
    (
      "wants the set-up of one phone",
      .responding { request in
        guard request.method == "SETUP", request.entries["streams"] == nil else { return nil }
        let hasReals = request.entries.values.contains { if case .real = $0 { true } else { false } }
        let isStrange =
          request.entries["zzz"] != nil || request.entries["features"] == nil || request.entries["timingPort"] == nil
        return hasReals || isStrange ? request.answer(400) : nil
      }, known("CRQ-62 CRQ-63 CSU-52 CSU-53 CSU-56")
    ),
    ("answers what it cannot read", Tamper(answersDamage: true), known("CCH-51 CCH-52 CCH-53 CCH-54")),
    ("reads one request of a segment", Tamper(readsOneRequest: true), known("CRQ-52 CCH-56")),
    ("loses single bytes", Tamper(drops: { _, bytes in bytes.count == 1 }), known("CRQ-53 CCH-57")),
    (
      "dies of long segments", Tamper(dies: { socket, bytes, _ in socket == .control(1) && bytes.count > 1500 }),
      known("CCH-55")
    ),
    ("closes nothing", Tamper(neverCloses: true), known("CCH-59 CFB-52 CST-65")),
  ]

  private static let pairing: [Broken] = [
    (
      "pairs with the first number again", .caching("/pair-setup", state: 1), known("CPA-58")
    ),
    (
      "verifies with the first key again", .caching("/pair-verify", state: 1), known("CPA-66")
    ),
    ("verifies everybody", Tamper(verifiesAll: true), known("CPA-62 CPA-63")),
    ("keeps the last phone of a name", .forgettingAtSecondPairing(), known("CPA-64")),
    ("proves with the first key again", .caching("/auth-setup", state: nil), known("CAS-55")),
    (
      "forgets phones",
      .responding { request in
        request.path == "/pair-verify" && request.pairingState == 3
          ? request.answer(200, body: TLV8([(.state, [4]), (.error, [2])]).bytes) : nil
      }, known("CPA-61 CSU-51")
    ),
    (
      "wants known items in their order",
      .responding { request in
        request.path == "/pair-setup" && (request.body.first == 0x55 || request.body.first == 4)
          ? request.answer(200, body: TLV8([(.state, [2]), (.error, [1])]).bytes) : nil
      }, known("CPA-56 CPA-57")
    ),
    (
      "ends with a wrong proof", Tamper(diesOfAnswer: { $0.isRefusal }), known("CPA-55")
    ),
    (
      "signs wrong",
      .answering { request, answer in
        if request.path == "/auth-setup", !answer.body.isEmpty { answer.body[answer.body.count - 1] ^= 1 }
      }, known("CAS-51")
    ),
  ]

  private static let answers: [Broken] = [
    (
      "hides /info",
      .answering { request, answer in
        if request.path == "/info", request.body.isEmpty { answer.set(status: 403) }
      }, known("CIN-51")
    ),
    (
      "has another key in /info", .information { $0["pk"] = .data([UInt8](repeating: 1, count: 32)) }, known("CIN-53")
    ),
    ("has no display", .information { $0["displays"] = [] }, known("CIN-03")),
    ("has no name", .information { $0["deviceID"] = nil }, known("CIN-01")),
    ("has no features", .information { $0["features"] = nil }, known("CIN-02")),
    (
      "has a broken input device", .information { $0["hidDevices"] = [["uuid": "1", "hidDescriptor": "x"]] },
      known("CIN-04")
    ),
    ("has buffered music without its key", .information { $0["mainBufferedInfo"] = nil }, known("CIN-10")),
    ("has wrong modes", .information { $0["modes"] = "none" }, known("CIN-08")),
    (
      "forgets the modes of the last session",
      .information { values in
        let take = ModeTransfer.take(.niceToHave, take: .anytime, borrow: .anytime)
        values["modes"] = ModeRequest([(.screen, take), (.mainAudio, take)]).propertyValue
      }, known("CMO-57")
    ),
    (
      "advertises another name",
      .answering { request, answer in
        var values = answer.entries
        guard request.path == "/info", values["txtAirPlay"] != nil else { return }
        values["txtAirPlay"] = .data([10] + Array("deviceid=1".utf8))
        answer.body = PropertyValue.dictionary(values).binary
      }, known("CDI-01")
    ),
    (
      "advertises other features",
      .answering { request, answer in
        var values = answer.entries
        guard request.path == "/info", values["txtAirPlay"] != nil else { return }
        values["txtAirPlay"] = .data([12] + Array("features=0x0".utf8))
        answer.body = PropertyValue.dictionary(values).binary
      }, known("CDI-02")
    ),
    ("waits for no event connection", Tamper(eventPatience: .seconds(1)), known("CEV-51")),
    (
      "shows no picture in a second",
      .information { values in
        guard case .dictionary(var display)? = values["displays"]?.array?.first else { return }
        display["maxFPS"] = 0
        values["displays"] = [.dictionary(display)]
      }, known("CIN-11")
    ),
    (
      "gives its input devices one name",
      .information { values in
        let devices = (values["hidDevices"]?.array ?? []).map { device -> PropertyValue in
          guard case .dictionary(var values) = device else { return device }
          values["uuid"] = "1"
          return .dictionary(values)
        }
        values["hidDevices"] = .array(devices)
      }, known("CIN-12")
    ),
    (
      "leaves out the types of its bodies",
      .answering { _, answer in answer.headers.fields.removeAll { $0.name == "Content-Type" } }, known("CRQ-05")
    ),
    ("has no event port", .setUp { $0["eventPort"] = nil }, known("CSU-06 CSU-51")),
    ("has no clock", .setUp { $0["timingPort"] = nil }, known("CSU-07")),
    ("has no keep-alive", .setUp { $0["keepAlivePort"] = nil }, known("CSU-08")),
    ("enables more", .setUp { $0["enabledFeatures"] = ["viewAreas", "teleport"] }, known("CSU-09")),
    (
      "names no sound in /feedback",
      .answering { request, answer in
        if request.path == "/feedback" { answer.body = [] }
      }, known("CFB-01")
    ),
    (
      "changes its name",
      .answering { request, answer in
        var values = answer.entries
        guard request.path == "/info", Int(request.sequence ?? "") ?? 0 >= 9 else { return }
        values["deviceID"] = "02:00:00:00:00:99"
        answer.body = PropertyValue.dictionary(values).binary
      }, known("CIN-52")
    ),
  ]

  private static let streams: [Broken] = [
    (
      "takes one format",
      .responding { request in
        let formats = request.streams.compactMap { $0["audioFormat"]?.integer }
        return formats.contains { $0 != 1 << 2 && $0 != 1 << 22 } ? request.answer(400) : nil
      }, known("CST-51 CST-52 CST-53")
    ),
    (
      "refuses lists with an unknown type, and two streams",
      .responding { request in
        request.streams.count > 1 ? request.answer(400) : nil
      }, known("CST-55 CST-62")
    ),
    (
      "has no cluster and no buffered music",
      .responding { request in
        request.streams.contains { [103, 111].contains($0["type"]?.integer) } ? request.answer(400) : nil
      }, known("CST-54 CST-64 CSO-57")
    ),
    (
      "ends no stream",
      .responding { request in
        request.method == "TEARDOWN" && !request.streams.isEmpty ? request.answer(400) : nil
      }, known("CST-60 CST-61")
    ),
    ("has no data port", .streamAnswers { $0["dataPort"] = nil }, known("CST-09")),
    ("has no control port", .streamAnswers { $0["controlPort"] = nil }, known("CST-10")),
    ("repeats no id", .streamAnswers { $0["streamConnectionID"] = nil }, known("CST-11")),
    ("answers another type", .streamAnswers { $0["type"] = 99 }, known("CST-08")),
    (
      "dies of a second set-up of sound",
      Tamper(dies: { socket, _, count in socket == .stream(.mainAudio) && count > 5 }),
      known("CST-63 CSO-51 CSO-52 CSO-53 CSO-54")
    ),
    (
      "dies of the third piece of a screen",
      Tamper(dies: { socket, _, count in socket == .stream(.screen) && count > 2 }),
      known("CSC-51 CSC-52 CSC-53 CSC-54 CSC-55 CSC-56 CSC-57")
    ),
    ("asks for no packets", Tamper(mutes: { socket, _ in socket == .streamControl(.mainAudio) }), known("CSO-55")),
    ("has no microphone", Tamper(mutes: { socket, _ in socket == .stream(.mainAudio) }), known("CSO-56")),
    ("replies to no package", Tamper(mutes: { socket, _ in socket == .stream(.data) }), known("CDA-51")),
    ("dies of data", Tamper(dies: { socket, _, _ in socket == .stream(.data) }), known("CDA-53")),
  ]

  private static let commands: [Broken] = [
    (
      "takes no command", .responding { $0.path == "/command" ? $0.answer(501) : nil },
      known("CCM-51 CCM-52 CCM-53 CCM-54 CCM-55 CDA-52")
    ),
    (
      "leaves unknown commands unanswered",
      .answering { request, answer in
        if request.entries["type"]?.text == "conformance" {
          answer.start = .request(method: "", path: "", protocolWord: "")
        }
      }, known("CCM-56")
    ),
    (
      "refuses modes with a reason",
      .responding { request in
        let isNamed = request.entries["params"]?["reasonStr"] != nil
        return isNamed && request.entries["type"]?.text == "modesChanged" ? request.answer(400) : nil
      }, known("CMO-51 CMO-52 CMO-53 CMO-54")
    ),
    (
      "takes the speakers from Siri and the screen from a call",
      .reacting { modes in
        let take = ModeTransfer.take(.userInitiated, take: .anytime, borrow: .anytime)
        if modes.phoneCall == .phone { return ModeRequest([(.screen, take)]) }
        return modes.reason == "music" ? ModeRequest([(.mainAudio, take)]) : nil
      }, known("CMO-51 CMO-52")
    ),
    (
      "guides and listens on",
      .reacting { modes in
        if modes.turnByTurn == .phone { return ModeRequest(appStates: [.turnByTurn(true)]) }
        return modes.speech == .phone ? ModeRequest(appStates: [.speech(.recognizing)]) : nil
      }, known("CMO-53 CMO-54")
    ),
    (
      "has no screen of its own",
      .responding { $0.entries["type"]?.text == "requestUI" ? $0.answer(200) : nil }, known("CMO-55")
    ),
    // The first two answers are those to the commands of each session.
    ("dies of a refused mode request", Tamper(dies: { $0 == .events && $2 > 2 }), known("CMO-56")),
    ("reads no events", Tamper(drops: { socket, _ in socket == .events }), known("CCM-58")),
    ("answers all events", Tamper(answersEvents: true), known("CCH-58")),
    ("dies of a refused command", Tamper(dies: { socket, _, _ in socket == .events }), known("CCM-59")),
  ]

  private static let lives: [Broken] = [
    ("asks no clock", Tamper(mutes: { socket, _ in socket == .clock }), known("CCL-51")),
    (
      "dies of strange datagrams", Tamper(dies: { socket, bytes, _ in socket == .clock && bytes.count != 32 }),
      known("CCL-53")
    ),
    ("dies of a second connection", Tamper(dies: { socket, _, _ in socket == .control(2) }), known("CEN-54")),
    ("dies of a third connection", Tamper(dies: { socket, _, _ in socket == .control(3) }), known("CEN-53")),
    (
      "serves one connection", Tamper(connections: 1),
      known(
        "CPA-66 CPA-68 CRQ-58 CEN-51 CEN-52 CEN-55 CEN-56 CEN-58 CSC-56")
    ),
    (
      "dies after 12 requests",
      Tamper(dies: { socket, _, count in if case .control = socket { count > 18 } else { false } }),
      known("CEN-57 CFB-51 CCL-52")
    ),
  ]
}

extension Tamper {
  static func answering(_ change: @escaping @Sendable (RequestMessage, inout RequestMessage) -> Void) -> Tamper {
    Tamper(answer: change)
  }

  static func responding(_ respond: @escaping @Sendable (RequestMessage) -> RequestMessage?) -> Tamper {
    Tamper(respond: respond)
  }

  /// Sends a mode request after a report of the modes.
  static func reacting(_ request: @escaping @Sendable (ModeSnapshot) -> ModeRequest?) -> Tamper {
    Tamper(
      reaction: { message in
        guard message.entries["type"]?.text == "modesChanged" else { return nil }
        return message.entries["params"].flatMap(ModeSnapshot.init).flatMap(request).map { .changeModes($0) }
      })
  }

  /// Changes each answer to `/info`.
  static func information(_ change: @escaping @Sendable (inout [String: PropertyValue]) -> Void) -> Tamper {
    answering { request, answer in
      var values = answer.entries
      guard request.path == "/info", answer.status == 200, values["txtAirPlay"] == nil else { return }
      change(&values)
      answer.body = PropertyValue.dictionary(values).binary
    }
  }

  /// Changes each answer to the set-up of a session.
  static func setUp(_ change: @escaping @Sendable (inout [String: PropertyValue]) -> Void) -> Tamper {
    answering { request, answer in
      var values = answer.entries
      guard request.method == "SETUP", request.entries["streams"] == nil, answer.status == 200 else { return }
      change(&values)
      answer.body = PropertyValue.dictionary(values).binary
    }
  }

  /// Changes each stream of an answer.
  static func streamAnswers(_ change: @escaping @Sendable (inout [String: PropertyValue]) -> Void) -> Tamper {
    answering { request, answer in
      guard request.method == "SETUP", answer.status == 200, let streams = answer.entries["streams"]?.array else {
        return
      }
      let changed = streams.map { stream -> PropertyValue in
        guard case .dictionary(var values) = stream else { return stream }
        change(&values)
        return .dictionary(values)
      }
      answer.body = PropertyValue.dictionary(["streams": .array(changed)]).binary
    }
  }

  /// Gives the first answer of a path again, to messages of a state of pairing.
  static func caching(_ path: String, state: UInt8?) -> Tamper {
    let cache = FirstAnswer()
    return answering { request, answer in
      guard request.path == path, state == nil || request.pairingState == state else { return }
      answer.body = cache.first(answer.body)
    }
  }
}

extension Tamper {
  /// Verifies no phone any more from the second pair-setup on.
  fileprivate static func forgettingAtSecondPairing() -> Tamper {
    let pairings = Mutex(0)
    return responding { request in
      if request.path == "/pair-setup", request.pairingState == 5 { pairings.withLock { $0 += 1 } }
      guard request.path == "/pair-verify", request.pairingState == 3, pairings.withLock({ $0 > 1 }) else { return nil }
      return request.answer(200, body: TLV8([(.state, [4]), (.error, [2])]).bytes)
    }
  }
}

extension RequestMessage {
  fileprivate var isPairing: Bool { path == "/pair-setup" || path == "/pair-verify" }

  /// The state of a message of pairing.
  fileprivate var pairingState: UInt8? { list?.byte(.state) }

  /// Whether an answer of pairing refuses.
  fileprivate var isRefusal: Bool { list?[.error] != nil && list?[.state] != nil }

  /// The streams of a SETUP or a TEARDOWN.
  fileprivate var streams: [PropertyValue] {
    (["SETUP", "TEARDOWN"].contains(method) ? entries["streams"]?.array : nil) ?? []
  }
}
