// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import CarPlaySimulation
import Synchronization
import Testing

/// The generations of the two sides of a session.
struct GenerationPair: Sendable, CustomStringConvertible {
  var headUnit: Generation
  var phone: Generation
  var isVerified: Bool

  var description: String { "head unit \(headUnit.rawValue), phone \(phone.rawValue)" }

  static let all = [
    GenerationPair(headUnit: .old, phone: .old, isVerified: false),
    GenerationPair(headUnit: .middle, phone: .middle, isVerified: true),
    GenerationPair(headUnit: .middle, phone: .old, isVerified: false),
  ]
}

/// The bytes that arrived on some sockets of the head unit.
final class ArrivedPieces: Sendable {
  private let pieces = Mutex<[SessionSocket: [[UInt8]]]>([:])

  func note(_ delivery: SessionNetwork.Delivery) {
    guard delivery.node == .headUnit else { return }
    switch delivery.content {
    case .bytes(let bytes), .datagram(let bytes, _):
      pieces.withLock { $0[delivery.socket, default: []].append(bytes) }
    case .connected, .closed: break
    }
  }

  func of(_ socket: SessionSocket) -> [[UInt8]] { pieces.withLock { $0[socket] ?? [] } }
}

@Suite("A session of a generation that does not demand pairing")
struct UnverifiedSessionTests {
  private func network(
    _ pair: GenerationPair, encryptsSound: Bool, _ arrived: ArrivedPieces
  ) throws -> SessionNetwork {
    let headUnit = try Sessions.headUnit(pair.headUnit) { configuration in
      guard encryptsSound, let features = configuration.info.features else { return }
      configuration.info.features = features & ~FeatureBits.unencryptedAudio.rawValue
      configuration.features = ["iAPChannel", "mainBuffered", "viewAreas"]
    }
    let phone = try Sessions.phone(generation: pair.phone) {
      $0.request.features = ["iAPChannel", "mainBuffered", "viewAreas"]
    }
    var network = SessionNetwork(headUnit: headUnit, phones: [phone], sign: Sessions.sign)
    network.fault = {
      arrived.note($0)
      return [$0]
    }
    network.start()
    network.run(for: .seconds(1))
    return network
  }

  @Test("Pictures, sound and the microphone arrive", arguments: GenerationPair.all, [false, true])
  func content(_ pair: GenerationPair, encryptsSound: Bool) throws {
    let arrived = ArrivedPieces()
    var network = try network(pair, encryptsSound: encryptsSound, arrived)
    #expect(network.states(of: .phone(0)).contains(.verified) == pair.isVerified)
    #expect(network.states(of: .phone(0)).last == .live && network.states(of: .headUnit).last == .live)
    let format = try #require(AudioFormat.pcm(rate: 16_000, channels: 1))
    network.actPhone { phone, time in
      phone.setUp(StreamRequest(.screen), at: time)
      phone.setUp(StreamRequest(.mainAudio, format: format, audioType: "telephony", wantsMicrophone: true), at: time)
    }
    network.run(for: .milliseconds(100))
    let configuration = ScreenMessage(.configuration, flags: 0x0116, width: 1280, height: 720, body: [1, 2, 3])
    let frames = [5000, 33, 1].map { ScreenMessage(.frame, time: 5, body: [UInt8](repeating: 7, count: $0)) }
    let sounds = [[UInt8](0..<64), [UInt8](0..<38)]
    network.actPhone { phone, time in
      for message in [configuration] + frames { phone.send(message, of: .screen, at: time) }
      for sound in sounds { phone.send(sound: sound, frameCount: sound.count / 2, of: .mainAudio, at: time) }
    }
    network.actHeadUnit { headUnit, _ in _ = headUnit.send(microphone: [UInt8](0..<40), frameCount: 20) }
    network.run(for: .milliseconds(100))
    let events = network.events(of: .headUnit)
    for message in [configuration] + frames { #expect(events.contains(.picture(.screen, message))) }
    #expect(events.contains(.sound(.mainAudio, timestamp: 0, payload: sounds[0])))
    #expect(events.contains(.sound(.mainAudio, timestamp: 32, payload: sounds[1])))
    #expect(network.events(of: .phone(0)).contains(.sound(.mainAudio, timestamp: 0, payload: [UInt8](0..<40))))

    let packets = arrived.of(.stream(.mainAudio))
    #expect(packets.map(\.count) == sounds.map { 12 + $0.count + (pair.isVerified ? 24 : 0) })
    #expect(packets.map { Array($0[12...]) == sounds[0] }[0] == (!pair.isVerified && !encryptsSound), "clear sound")
    let clear = arrived.of(.control(1)).filter { $0.starts(with: Array("RECORD".utf8)) }
    #expect(clear.isEmpty == pair.isVerified)
    let pieces = arrived.of(.stream(.screen)).filter { $0.count > 5000 }
    #expect(pieces.map(\.count) == [5128 + (pair.isVerified ? 16 : 0)])
    #expect(pieces.allSatisfy { Array($0[128..<144]) != [UInt8](repeating: 7, count: 16) }, "frames are encrypted")

    network.actPhone { $0.tearDown(at: $1) }
    network.run(for: .seconds(1))
    #expect(network.ends(of: .phone(0)) == [.teardown] && network.ends(of: .headUnit) == [.teardown])
  }

  @Test("A phone that wants pairing never goes on without it", arguments: [404, 200, 400, 403, 470, 500, 501])
  func noPairing(status: Int) throws {
    for generation in [Generation.middle, .current] {
      for knows in [false, true] {
        let answered = try refused(
          try Sessions.phone(generation: generation) {
            if knows { $0.headUnits = ["another": [UInt8](repeating: 1, count: 32)] }
          }, status)
        // A 200 without a body is not a pairing message.
        #expect(answered.ends == [status == 200 ? .badTLV : .notPaired], "\(generation), \(knows), \(status)")
        #expect(answered.sent.count == 1, "nothing follows the first question")
      }
    }
  }

  @Test("A phone of the old generation that knows a head unit asks it to prove itself")
  func oldPhoneKnowsHeadUnits() throws {
    let key = [UInt8](repeating: 1, count: 32)
    let answered = try refused(try Sessions.phone(generation: .old) { $0.headUnits = ["known": key] }, 404)
    #expect(answered.ends == [.notPaired])
    #expect(answered.sent.first?.starts(with: Array("POST /pair-verify".utf8)) == true)
    let stranger = try refused(try Sessions.phone(generation: .old), 404)
    #expect(stranger.sent.first?.starts(with: Array("POST /auth-setup".utf8)) == true)
  }

  @Test("A head unit with another session refuses as busy")
  func busy() throws { #expect(try refused(try Sessions.phone(), 453).ends == [.busy]) }

  /// Returns the sent bytes and the ends of a phone whose first request is answered with a status.
  private func refused(_ phone: PhoneSession, _ status: Int) throws -> (sent: [[UInt8]], ends: [SessionEnd]) {
    var phone = phone
    var actions: [SessionAction] = []
    var sent: [[UInt8]] = []
    var ends: [SessionEnd] = []
    func take() {
      phone.takeActions(into: &actions)
      for action in actions {
        switch action {
        case .send(_, let bytes): sent.append(bytes)
        case .report(.ended(let end, _)): ends.append(end)
        default: break
        }
      }
    }
    phone.start(port: 7000, at: .zero)
    phone.connected(.control(0), at: .zero)
    take()
    let answer = "RTSP/1.0 \(status) Answer\r\nCSeq: 1\r\nContent-Length: 0\r\n\r\n"
    phone.receive(Array(answer.utf8), on: .control(0), from: 7000, at: .zero)
    take()
    return (sent, ends)
  }

  @Test("Commands of the head unit go in the clear, and streams with a key of their own do not start")
  func commandsAndKeys() throws {
    let arrived = ArrivedPieces()
    let pair = GenerationPair(headUnit: .old, phone: .old, isVerified: false)
    var network = try network(pair, encryptsSound: true, arrived)
    #expect(network.phones[0].enabledFeatures == ["viewAreas"])
    network.actPhone { phone, time in
      let isStarted = [StreamType.data, .bufferedAudio].map { phone.setUp(StreamRequest($0), at: time) }
      #expect(isStarted == [false, false])
    }
    network.actHeadUnit { _ = $0.send(.requestUI(url: nil), at: $1) }
    network.run(for: .milliseconds(100))
    let commands = network.events(of: .phone(0)).compactMap {
      if case .command(let command, _, .headUnit) = $0 { command } else { nil }
    }
    #expect(commands == [.requestUI(url: nil)])
    #expect(arrived.of(.events).contains { $0.starts(with: Array("RTSP/1.0 200".utf8)) })
    for type in [103, 130] {
      let body = StreamList([
        StreamBody(values: [
          "type": .integer(Int64(type)), "seed": 1, "shk": .data([UInt8](repeating: 1, count: 32)),
        ])
      ])
      network.inject(.bytes(setUp(body.bytes)), to: .headUnit, on: .control(1))
    }
    network.run(for: .milliseconds(1))
    #expect(refusedValues(network) == 2)
  }

  /// Returns how many requests were refused for a value.
  private func refusedValues(_ network: SessionNetwork) -> Int {
    network.events(of: .headUnit).count { if case .refused(.badValue, 400, _?) = $0 { true } else { false } }
  }

  private func setUp(_ body: [UInt8]) -> [UInt8] {
    RequestMessage(
      .request(method: "SETUP", path: "rtsp://carplay/1", protocolWord: "RTSP/1.0"), headers: RequestHeaders([]),
      body: body
    ).bytes
  }

  @Test("A set-up without auth-setup before it, or without a usable key, is refused with 400")
  func noKey() throws {
    var network = SessionNetwork(headUnit: try Sessions.headUnit(.old), phones: [], sign: Sessions.sign)
    network.inject(.connected, to: .headUnit, on: .control(1))
    let key = PropertyValue.data([UInt8](repeating: 1, count: 16))
    let good: [String: PropertyValue] = ["et": 16, "ekey": key, "eiv": key, "timingProtocol": "None"]
    let request = { (values: [String: PropertyValue]) in setUp(SessionSetUpRequest(values: values).bytes) }
    network.inject(.bytes(request(good)), to: .headUnit, on: .control(1))
    network.run(for: .milliseconds(1))
    #expect(refusedValues(network) == 1)

    let authentication = RequestMessage(
      .request(method: "POST", path: "/auth-setup", protocolWord: "RTSP/1.0"), headers: RequestHeaders([]),
      body: [1, 9] + [UInt8](repeating: 0, count: 31))
    network.inject(.bytes(authentication.bytes), to: .headUnit, on: .control(1))
    let changes: [(String, PropertyValue?)] = [
      ("et", nil), ("et", 32), ("ekey", nil), ("ekey", .data([1])), ("eiv", nil), ("eiv", .data([])),
    ]
    for (name, value) in changes {
      var values = good
      values[name] = value
      network.inject(.bytes(request(values)), to: .headUnit, on: .control(1))
    }
    network.run(for: .milliseconds(1))
    #expect(refusedValues(network) == 1 + changes.count)
    network.inject(.bytes(request(good)), to: .headUnit, on: .control(1))
    network.run(for: .milliseconds(1))
    #expect(network.states(of: .headUnit) == [.connected, .authenticated, .setUp])
  }
}
