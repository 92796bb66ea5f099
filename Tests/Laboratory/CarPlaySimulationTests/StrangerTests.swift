// swift-iap2 · Apache-2.0

import Basics
import CarPlayPrograms
import CarPlaySession
import CarPlaySimulation
import Cryptography
import Synchronization
import Testing

/// Datagrams and connections of others beside a session. They neither move its clock, nor take its sound, nor keep its
/// phone out.
@Suite("Strangers") struct StrangerTests {
  /// The ports of the stated sockets, and the datagrams that a side sent, by the socket.
  private final class Watched: Sendable {
    let ports = Mutex<[SessionSocket: UInt16]>([:])
    let sent = Mutex<[SessionSocket: Int]>([:])
    /// The time in the head unit's last clock request.
    let question = Mutex<UInt64?>(nil)
  }

  /// A live session with sound, and the ports from which each side's datagrams come.
  private func session(_ watched: Watched = Watched()) throws -> SessionNetwork {
    var network = try Sessions.network()
    network.fault = { delivery in
      if case .datagram(_, let port) = delivery.content {
        if delivery.node == .headUnit { watched.ports.withLock { $0[delivery.socket] = port } }
        if case (.phone, .clock, .datagram(let bytes, _)) = (delivery.node, delivery.socket, delivery.content),
          let packet = ClockPacket(bytes: bytes), packet.isRequest
        {
          watched.question.withLock { $0 = packet.sent }
        }
        if case .phone = delivery.node { watched.sent.withLock { $0[delivery.socket, default: 0] += 1 } }
        if delivery.node == .headUnit { watched.sent.withLock { $0[delivery.socket, default: 0] += 1 } }
      }
      return [delivery]
    }
    network.run(for: .milliseconds(1500))
    network.actPhone {
      _ = $0.setUp(StreamRequest(.mainAudio, format: Music.formats[0], audioType: "media"), at: $1)
    }
    network.run(for: .milliseconds(100))
    return network
  }

  private func play(_ network: inout SessionNetwork, packets: Int) {
    for _ in 0..<packets {
      network.actPhone {
        $0.send(sound: [UInt8](repeating: 1, count: 4 * 352), frameCount: 352, of: .mainAudio, at: $1)
      }
      network.run(for: .milliseconds(7))
    }
  }

  private func counts(_ network: SessionNetwork) -> (packets: Int, lost: Int) {
    var counts = (packets: 0, lost: 0)
    for event in network.events(of: .headUnit) {
      if case .sound = event { counts.packets += 1 }
      if case .soundLost(_, let count) = event { counts.lost += count }
    }
    return counts
  }

  @Test("An announcement of sound that was not sent loses nothing, from another port or from the right one")
  func announcements() throws {
    for isRightPort in [false, true] {
      let watched = Watched()
      var network = try session(watched)
      play(&network, packets: 10)
      network.run(for: .milliseconds(1100))
      play(&network, packets: 10)
      let port = try #require(watched.ports.withLock { $0[.streamControl(.mainAudio)] })
      for round in 0..<20 {
        let next = UInt32(20 + 5 * round + 40) * 352
        let sync = AudioControlPacket.sync(AudioSync(isFirst: false, heard: 0, time: 0, next: next))
        network.inject(
          .datagram(sync.bytes, port: isRightPort ? port : 9), to: .headUnit, on: .streamControl(.mainAudio))
        play(&network, packets: 5)
      }
      network.run(for: .seconds(1))
      #expect(counts(network) == (120, 0))
    }
  }

  @Test("Sound that was announced in a pause, and came later than that, is played")
  func announcedInAPause() throws {
    let watched = Watched()
    var network = try session(watched)
    play(&network, packets: 10)
    network.run(for: .milliseconds(1100))
    let port = try #require(watched.ports.withLock { $0[.streamControl(.mainAudio)] })
    // As many packets as one request can name, within the time of the pause.
    let sync = AudioControlPacket.sync(AudioSync(isFirst: false, heard: 0, time: 0, next: (10 + 60) * 352))
    network.inject(.datagram(sync.bytes, port: port), to: .headUnit, on: .streamControl(.mainAudio))
    network.run(for: .seconds(1))
    #expect(counts(network).lost > 0)
    play(&network, packets: 100)
    #expect(counts(network).packets == 110)
  }

  @Test("Clock answers without a question, and those from another port, move no clock")
  func clockAnswers() throws {
    let watched = Watched()
    var network = try session(watched)
    // The head unit asks, and the answer of the phone is on its way.
    watched.question.withLock { $0 = nil }
    while watched.question.withLock({ $0 == nil }) { network.run(for: .microseconds(100)) }
    let before = try #require(network.headUnit.phoneTime(at: network.now))
    let port = try #require(watched.ports.withLock { $0[.clock] })
    let question = try #require(watched.question.withLock { $0 })
    for number in 0..<100 {
      // Half come from the right port and answer nothing, the others answer the last question from another port.
      let isRightPort = number % 2 == 0
      let wrong = ClockPacket(
        isRequest: false, reference: isRightPort ? UInt64(number) << 32 : question, received: 1000 << 32,
        sent: 1000 << 32)
      network.inject(.datagram(wrong.bytes, port: isRightPort ? port : 9), to: .headUnit, on: .clock)
    }
    network.run(for: .nanoseconds(1))
    let moved = ClockPacket.difference(try #require(network.headUnit.phoneTime(at: network.now)), before)
    #expect(moved.magnitude < 1 << 22)
  }

  @Test("A phone answers at most 16 clock requests in a second, and packets to the stated port alone")
  func amplification() throws {
    let watched = Watched()
    var network = try session(watched)
    play(&network, packets: 20)
    watched.sent.withLock { $0 = [:] }
    let ask = AudioControlPacket.retransmitRequest(AudioRetransmitRequest(first: 0, count: 20)).bytes
    for _ in 0..<100 {
      network.inject(.datagram(ask, port: 9), to: .phone(0), on: .streamControl(.mainAudio))
      network.inject(.datagram(ClockPacket(isRequest: true, sent: 1).bytes, port: 40_001), to: .phone(0), on: .clock)
    }
    network.run(for: .milliseconds(1))
    #expect(watched.sent.withLock { $0[.streamControl(.mainAudio)] ?? 0 } == 0)
    // The head unit gets the answers, which it did not ask for.
    #expect(watched.sent.withLock { $0[.clock] ?? 0 } == 16)
    let actions = Actions()
    network.actPhone { phone, time in
      for _ in 0..<100 { phone.receive(ask, on: .streamControl(.mainAudio), from: 9, at: time) }
      actions.take(&phone)
      #expect(actions.datagrams == 0)
      // The stated port gets each packet once in 20 ms.
      let port = watched.ports.withLock { $0[.streamControl(.mainAudio)] } ?? 0
      for candidate in [port, 40_000, 40_001, 40_002, 40_003, 40_004, 40_005, 40_006, 40_007, 40_008, 40_009, 40_010] {
        for _ in 0..<10 { phone.receive(ask, on: .streamControl(.mainAudio), from: candidate, at: time) }
      }
      actions.take(&phone)
      #expect(actions.datagrams > 0 && actions.datagrams <= 20)
    }
  }

  private final class Actions {
    var datagrams = 0
    func take(_ phone: inout PhoneSession) {
      var actions: [SessionAction] = []
      phone.takeActions(into: &actions)
      for case .sendDatagram in actions { datagrams += 1 }
    }
  }

  @Test("A live session whose phone says nothing ends, without a clock and streams too")
  func silentPhone() throws {
    var network = try Sessions.network(phone: { $0.hasClock = false })
    network.run(for: .seconds(2))
    #expect(network.phones[0].isLive)
    network.isCut = true
    network.run(for: .seconds(11))
    #expect(network.ends(of: .headUnit) == [.feedbackSilent])
  }

  @Test("Signatures are made one at a time, and none for a connection that ended")
  func signatures() throws {
    var headUnit = try Sessions.headUnit()
    var actions: [SessionAction] = []
    var asked = 0
    func take() {
      headUnit.takeActions(into: &actions)
      for case .sign in actions { asked += 1 }
    }
    let body = RequestMessage(
      .request(method: "POST", path: "/auth-setup", protocolWord: "RTSP/1.0"), headers: RequestHeaders([]),
      body: [1, 9] + [UInt8](repeating: 0, count: 31))
    for id in 1...60 {
      headUnit.connected(.control(id), at: .zero)
      headUnit.receive(body.bytes, on: .control(id), from: 1, at: .zero)
      if id != 60 { headUnit.closed(.control(id), at: .zero) }
      take()
    }
    #expect(asked == 1)
    headUnit.signed(Sessions.sign([1]), at: .zero)
    take()
    #expect(asked == 2)
    headUnit.signed(Sessions.sign([1]), at: .zero)
    take()
    #expect(asked == 2 && actions.contains { if case .send(.control(60), _) = $0 { true } else { false } })
  }

  @Test("Verified connections without a session make room for the next one")
  func silentConnections() throws {
    let identity = try Sessions.identity("head unit")
    let names = (0..<HeadUnitSession.maximumConnections).map { "phone \($0)" }
    var phones: [String: [UInt8]] = [:]
    for name in names { phones[name] = try Sessions.identity(name).publicKey }
    var network = SessionNetwork(
      headUnit: try Sessions.headUnit { $0.phones = phones },
      phones: try names.map { try Sessions.phone($0) { $0.headUnits = [identity.identifier: identity.publicKey] } }
        + [try Sessions.phone()], sign: Sessions.sign)
    // A phone is cut off once it is verified.
    let verified = Mutex<Set<Int>>([])
    network.fault = { delivery in
      guard case (.headUnit, .control(let id), .bytes(let bytes)) = (delivery.node, delivery.socket, delivery.content),
        id <= names.count
      else { return [delivery] }
      // Behind the third message of pair-verify, nothing more comes.
      let isFirst = bytes.starts(with: Array("POST /pair-verify".utf8))
      if !isFirst { verified.withLock { _ = $0.insert(id) } }
      return isFirst ? [delivery] : []
    }
    for index in names.indices { network.actPhone(index) { $0.start(port: SessionNetwork.controlPort, at: $1) } }
    network.run(for: .milliseconds(100))
    #expect(verified.withLock { $0.count } == names.count)
    network.actPhone(names.count) { $0.start(port: SessionNetwork.controlPort, at: $1) }
    network.run(for: .seconds(1))
    #expect(network.phones[names.count].isLive)
  }

  @Test("Verified connections make room before the last one that is not")
  func lastSlot() throws {
    let identity = try Sessions.identity("head unit")
    let names = (1..<HeadUnitSession.maximumConnections).map { "phone \($0)" }
    var phones: [String: [UInt8]] = [:]
    for name in names { phones[name] = try Sessions.identity(name).publicKey }
    var network = SessionNetwork(
      headUnit: try Sessions.headUnit { $0.phones = phones },
      phones: try names.map { try Sessions.phone($0) { $0.headUnits = [identity.identifier: identity.publicKey] } },
      sign: Sessions.sign)
    network.fault = { delivery in
      guard case (.headUnit, .control(let id), .bytes(let bytes)) = (delivery.node, delivery.socket, delivery.content),
        id < 100
      else { return [delivery] }
      return bytes.starts(with: Array("POST /pair-verify".utf8)) ? [delivery] : []
    }
    for index in names.indices { network.actPhone(index) { $0.start(port: SessionNetwork.controlPort, at: $1) } }
    network.run(for: .milliseconds(100))
    for owner in [200, 201] { network.inject(.connected, to: .headUnit, on: .control(owner)) }
    network.run(for: .milliseconds(1))
    let sockets = network.headUnit.inspection.sockets
    #expect(sockets.count == HeadUnitSession.maximumConnections)
    #expect(sockets.contains(.control(200)) && sockets.contains(.control(201)))
  }

  @Test("A hundred wrong proofs of others keep no phone out")
  func wrongProofs() throws {
    var network = SessionNetwork(headUnit: try Sessions.headUnit(), phones: [try Sessions.phone()], sign: Sessions.sign)
    let messages = [
      TLV8([(.method, [0]), (.state, [1])]),
      TLV8([(.state, [3]), (.publicKey, [2]), (.proof, [UInt8](repeating: 0, count: 64))]),
    ]
    for connection in 100..<110 {
      network.inject(.connected, to: .headUnit, on: .control(connection))
      for _ in 0..<10 {
        for message in messages {
          let request = RequestMessage(
            .request(method: "POST", path: "/pair-setup", protocolWord: "RTSP/1.0"), headers: RequestHeaders([]),
            body: message.bytes)
          network.inject(.bytes(request.bytes), to: .headUnit, on: .control(connection))
        }
      }
      network.inject(.closed, to: .headUnit, on: .control(connection))
    }
    network.run(for: .milliseconds(200))
    network.start()
    network.run(for: .seconds(1))
    #expect(network.phones[0].isLive)
  }
}
