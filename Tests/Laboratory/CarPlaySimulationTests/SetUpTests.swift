// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import CarPlaySimulation
import Cryptography
import Testing

/// Set-ups that a head unit of the old generation gets in the clear: what is wrong is named, and what can be done is
/// done.
@Suite("Set-ups") struct SetUpTests {
  private static let key = PropertyValue.data([UInt8](repeating: 1, count: 16))
  private static let good: [String: PropertyValue] = ["et": 16, "ekey": key, "eiv": key, "sessionUUID": "A"]
  private static let screen: [String: PropertyValue] = ["type": 110, "streamConnectionID": 7]
  private static let sound: [String: PropertyValue] = [
    "type": 101, "streamConnectionID": 5, "audioFormat": 0x8000, "audioType": "default",
  ]

  private static func request(_ method: String, path: String = "rtsp://carplay/1", _ body: [UInt8]) -> [UInt8] {
    RequestMessage(
      .request(method: method, path: path, protocolWord: "RTSP/1.0"), headers: RequestHeaders([]), body: body
    ).bytes
  }

  /// A head unit with one connection on which auth-setup is over, and what it sends there.
  private struct Client {
    var network: SessionNetwork

    init(_ change: (inout HeadUnitConfiguration) -> Void = { _ in }) throws {
      network = SessionNetwork(headUnit: try Sessions.headUnit(.old, change), phones: [], sign: Sessions.sign)
      network.inject(.connected, to: .headUnit, on: .control(1))
      ask("POST", path: "/auth-setup", [1, 9] + [UInt8](repeating: 0, count: 31))
    }

    mutating func ask(_ method: String, path: String = "rtsp://carplay/1", _ body: [UInt8]) {
      network.inject(.bytes(SetUpTests.request(method, path: path, body)), to: .headUnit, on: .control(1))
      network.run(for: .milliseconds(1))
    }

    mutating func setUp(_ body: PropertyValue) { ask("SETUP", body.binary) }

    /// Sets a session up, and connects its event channel.
    mutating func begin() {
      setUp(.dictionary(SetUpTests.good))
      network.inject(.connected, to: .headUnit, on: .events)
      network.run(for: .milliseconds(1))
    }

    /// The refused requests with their status, and the tolerated values, in words.
    var problems: [String] {
      network.events(of: .headUnit).compactMap {
        switch $0 {
        case .refused(_, let status, let problem): "\(status ?? 0) \(problem.map { "\($0)" } ?? "")"
        case .tolerated(let problem): "\(problem)"
        default: nil
        }
      }
    }

    /// The states of streams.
    var streams: [String] {
      network.events(of: .headUnit).compactMap {
        if case .stream(let type, let state, _) = $0 { "\(type.rawValue) \(state.rawValue)" } else { nil }
      }
    }
  }

  private static let requests: [(PropertyValue, String)] = [
    (.dictionary(good.merging(["et": 32]) { $1 }), "400 SETUP: et is 32, expected 16"),
    (.dictionary(good.filter { $0.key != "ekey" }), "400 SETUP: ekey is missing, expected 16 bytes"),
    (.dictionary(good.merging(["ekey": .data([1])]) { $1 }), "400 SETUP: ekey is data of 1 bytes, expected 16 bytes"),
    (.dictionary(good.merging(["eiv": "x"]) { $1 }), "400 SETUP: eiv is the text \"x\", expected 16 bytes"),
    (.dictionary(good.merging(["timingPort": "50000"]) { $1 }), "SETUP: timingPort is the text \"50000\""),
    (.dictionary(good.merging(["timingPort": 0]) { $1 }), "SETUP: timingPort is 0, expected a UDP port"),
    (
      .dictionary(good.merging(["timingPort": 5, "timingProtocol": "PTP"]) { $1 }),
      "SETUP: timingProtocol is the text \"PTP\", expected NTP"
    ),
    (.dictionary(good.merging(["timingProtocol": "NTP"]) { $1 }), "SETUP: timingPort is missing, expected a UDP port"),
    (.dictionary(good.filter { $0.key != "sessionUUID" }), "SETUP: sessionUUID is missing, expected a UUID"),
    (["streams": [.dictionary(screen)]], "455 SETUP: it has streams, expected a SETUP of the session"),
  ]

  @Test("A missing or wrong key of a session's set-up is named", arguments: requests.indices)
  func sessionKeys(index: Int) throws {
    let (body, problem) = Self.requests[index]
    var client = try Client()
    client.setUp(body)
    #expect(client.problems.count == 1 && client.problems[0].hasPrefix(problem), "\(client.problems)")
  }

  private static let bodies: [([UInt8], String)] = [
    (Array("<?xml version=\"1.0\"?>".utf8), "XML"), (Array("volume: -20.0\r\n".utf8), "no property list"),
    (PropertyValue.array([]).binary, "not a dictionary"), (Array("bplist00".utf8), "a property list whose table"),
  ]

  @Test("A body that is no dictionary is described", arguments: bodies.indices)
  func noDictionary(index: Int) throws {
    let (body, word) = Self.bodies[index]
    var client = try Client()
    client.ask("SETUP", body)
    #expect(client.problems[0].hasPrefix("400 SETUP: the body is \(word)"), "\(client.problems)")
    let expected = word == "not a dictionary" ? "a dictionary" : "a binary property list (bplist00)"
    #expect(client.problems[0].hasSuffix("expected \(expected)"))
  }

  private static let streams: [(PropertyValue, String)] = [
    (["type": 96], "type is 96, expected one of 100, 101, 102, 103, 110, 111, 130"), ([:], "type is missing"),
    (["type": "110"], "type is the text \"110\""), (["type": 110], "streamConnectionID is missing"),
    (["type": 110, "streamConnectionID": 1, "uuid": "1"], "uuid is the text \"1\""),
    (["type": 111, "streamConnectionID": 1], "uuid is missing, expected the uuid of a display of type 111"),
    (.dictionary(sound.merging(["audioFormat": 3]) { $1 }), "audioFormat is 3, expected one bit"),
    (.dictionary(sound.merging(["audioFormat": 0x40000]) { $1 }), "audioFormat is 262144, expected one bit"),
    (["type": 130, "seed": 1], "type is 130, expected a type that needs no pair-verify"),
    (.dictionary(screen), "type is 110, expected a type that comes once"),
  ]

  @Test("A list is answered with the part that a head unit can do, and the rest is named", arguments: streams.indices)
  func partOfAList(index: Int) throws {
    let (entry, problem) = Self.streams[index]
    var client = try Client()
    client.begin()
    if entry != .dictionary(Self.screen) {
      client.setUp(["streams": [entry]])
      #expect(client.problems[0].hasPrefix("400 SETUP: streams[0].\(problem)"), "\(client.problems)")
      #expect(client.streams.isEmpty)
    }
    client.setUp(["streams": [.dictionary(Self.screen), entry]])
    #expect(client.problems.last?.hasPrefix("SETUP: streams[1].\(problem)") == true, "\(client.problems)")
    #expect(client.streams == ["110 setUp"])
  }

  @Test("A type that runs is set up anew")
  func setUpAnew() throws {
    var client = try Client()
    client.begin()
    client.setUp(["streams": [.dictionary(Self.sound)]])
    client.setUp(["streams": [.dictionary(Self.sound.merging(["streamConnectionID": 6]) { $1 })]])
    #expect(client.problems.isEmpty)
    #expect(client.streams == ["101 setUp", "101 stopped", "101 setUp"])
  }

  @Test("The end of streams names what does not run, and ends the others")
  func endOfStreams() throws {
    var client = try Client()
    client.begin()
    client.setUp(["streams": [.dictionary(Self.sound)]])
    client.ask(
      "TEARDOWN",
      PropertyValue.dictionary(["streams": [["type": 110], ["type": 101, "streamConnectionID": 5]]]).binary)
    #expect(client.problems == ["TEARDOWN: streams[0].type is 110, expected the type of a stream that runs"])
    #expect(client.streams == ["101 setUp", "101 stopped"])
    client.setUp(["streams": [.dictionary(Self.sound)]])
    client.ask("TEARDOWN", PropertyValue.dictionary(["streams": [["type": 101, "streamConnectionID": 9]]]).binary)
    #expect(client.problems.last == "TEARDOWN: streams[0].streamConnectionID is 9, expected the id of its set-up")
    #expect(client.streams.last == "101 setUp")
  }

  @Test("A phone that names no features gets all, one that names some gets those")
  func features() throws {
    func network(_ features: PropertyValue?) throws -> SessionNetwork {
      var network = try Sessions.network(
        headUnit: { $0.features = ["viewAreas", "iAPChannel"] },
        phone: { $0.request.values["features"] = features })
      network.run(for: .seconds(1))
      return network
    }
    #expect(try network(["iAPChannel"]).phones[0].enabledFeatures == ["iAPChannel"])
    let all = try network(nil).phones[0]
    #expect(all.enabledFeatures == ["iAPChannel", "viewAreas"])
    #expect(all.info?.displays?.first?.viewAreas?.count == 2)
  }

  @Test("The phone of a session may come back on a new connection, and no other phone may")
  func comesBack() throws {
    let headUnit = try Sessions.identity("head unit")
    let known = [headUnit.identifier: headUnit.publicKey]
    let phone = try Sessions.identity("phone")
    let other = try Sessions.identity("other")
    func session(_ name: String) throws -> PhoneSession { try Sessions.phone(name) { $0.headUnits = known } }
    var network = SessionNetwork(
      headUnit: try Sessions.headUnit {
        $0.phones = [phone.identifier: phone.publicKey, other.identifier: other.publicKey]
      },
      phones: [try session("phone"), try session("phone"), try session("other")], sign: Sessions.sign)
    network.actPhone(0) { $0.start(port: SessionNetwork.controlPort, at: $1) }
    network.run(for: .seconds(1))
    #expect(network.phones[0].isLive)
    network.actPhone(2) { $0.start(port: SessionNetwork.controlPort, at: $1) }
    network.run(for: .seconds(1))
    #expect(network.ends(of: .phone(2)) == [.busy] && network.phones[0].isLive)
    network.actPhone(1) { $0.start(port: SessionNetwork.controlPort, at: $1) }
    network.run(for: .seconds(1))
    #expect(network.phones[1].isLive && network.ends(of: .headUnit) == [.superseded])
    #expect(network.ends(of: .phone(0)) == [.controlLost])
    let begin: [SessionState] = [.connected, .verified, .authenticated, .setUp, .recording, .live]
    #expect(
      network.states(of: .headUnit) == begin + [.connected, .verified, .authenticated, .setUp, .recording, .live])
  }

  @Test("auth-setup may come before pairing")
  func authSetupFirst() throws {
    var network = SessionNetwork(headUnit: try Sessions.headUnit(), phones: [], sign: Sessions.sign)
    network.inject(.connected, to: .headUnit, on: .control(1))
    network.inject(
      .bytes(Self.request("POST", path: "/auth-setup", [1, 9] + [UInt8](repeating: 0, count: 31))), to: .headUnit,
      on: .control(1))
    network.run(for: .milliseconds(1))
    #expect(network.states(of: .headUnit) == [.connected, .authenticated])
  }

  @Test("A transient pairing is refused at its first message")
  func transientPairing() throws {
    var side = PairSetupHeadUnit(try Sessions.identity("head unit"))
    let answer = try side.answer(TLV8([(.method, [0]), (.state, [1]), (.flags, [0x10])]).bytes, SeededBytes(1).bytes)
    #expect(answer.refusal == .transient && answer.body == [6, 1, 2, 7, 1, 6])
  }

  @Test("/info has the keys of the identity, and a qualifier selects keys")
  func info() throws {
    let identity = try Sessions.identity("head unit")
    let configuration = try Sessions.headUnit().configuration
    let all = configuration.answer(to: [], enabled: nil)
    #expect(all.values["pi"] == .text(identity.identifier) && all.values["pk"] == .data(identity.publicKey))
    let body = PropertyValue.dictionary(["qualifier": ["txtAirPlay"]]).binary
    let record = try #require(configuration.answer(to: body, enabled: nil).values["txtAirPlay"]?.data)
    var strings: [String] = []
    var rest = record[...]
    while let count = rest.popFirst() {
      strings.append(String(decoding: rest.prefix(Int(count)), as: UTF8.self))
      rest = rest.dropFirst(Int(count))
    }
    // The features are those of LIVI's record.
    #expect(strings.contains("features=0x44540380,0x61") && strings.contains("deviceid=02:00:00:00:00:01"))
    #expect(strings.contains("pi=head unit") && strings.contains("flags=0x4"))
    #expect(configuration.answer(to: body, enabled: nil).values.count == 1)
  }

  @Test("The modes of /info have all app states, each offer of sound a latency, and a second view area even sides")
  func standardInfo() throws {
    let info = SessionInfo.standard(
      generation: .current, deviceID: "02:00:00:00:00:01", displays: [DisplaySettings(width: 1280, height: 720)])
    #expect(info.modes?.appStates == [.speech(.none), .phoneCall(false), .turnByTurn(false)])
    #expect(info.values["audioLatencies"]?.array?.count == info.audioFormats?.count)
    #expect(info.displays?.first?.viewAreas?.map(\.width) == [1280, 852])
  }
}
