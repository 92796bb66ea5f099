// swift-iap2 · Apache-2.0

import Basics
import CarPlayPrograms
import CarPlaySession
import CarPlaySimulation
import Synchronization
import Testing

@Suite("A CarPlay session of both sides")
struct SessionTests {
  @Test("A phone that meets a head unit pairs, sets up, records and ends in order")
  func wholeSession() throws {
    var network = try Sessions.network()
    network.run(for: .seconds(1))
    #expect(
      network.states(of: .phone(0)) == [.connected, .verified, .authenticated, .setUp, .informed, .recording, .live])
    #expect(network.states(of: .headUnit) == [.connected, .verified, .authenticated, .setUp, .recording, .live])
    network.actPhone { $0.tearDown(at: $1) }
    network.run(for: .seconds(1))
    #expect(network.ends(of: .phone(0)) == [.teardown])
    #expect(network.ends(of: .headUnit) == [.teardown])
  }

  @Test(
    "iAP2 of a head unit goes as a command beside a data stream, or on the stream by its settings",
    arguments: [false, true])
  func directionOfIAP(isOnStream: Bool) throws {
    var network = try Sessions.network(headUnit: { $0.sendsOnDataStream = isOnStream })
    network.run(for: .seconds(1))
    network.actPhone { _ = $0.setUp(StreamRequest(.data), at: $1) }
    network.run(for: .milliseconds(100))
    let count = Mutex(0)
    network.fault = { delivery in
      if delivery.node == .phone(0), delivery.socket == .stream(.data) { count.withLock { $0 += 1 } }
      return [delivery]
    }
    network.actHeadUnit { $0.send(iAP: [0x55, 0xFF], at: $1) }
    network.run(for: .milliseconds(100))
    #expect(count.withLock { $0 } == (isOnStream ? 1 : 0))
    let heard = network.events(of: .phone(0)).compactMap { event -> [UInt8]? in
      if case .iAP(let bytes, from: .headUnit) = event { bytes } else { nil }
    }
    #expect(heard == [[0x55, 0xFF]])
  }

  @Test("A session that runs for five minutes has no end of its own")
  func longSession() throws {
    var network = try Sessions.network()
    network.run(for: .seconds(1))
    network.actPhone { _ = $0.setUp(StreamRequest(.screen), at: $1) }
    network.run(for: .seconds(300))
    #expect(network.ends(of: .phone(0)) == [])
    #expect(network.ends(of: .headUnit) == [])
  }

  @Test("Pictures, sound, the microphone and bytes of iAP2 arrive as they were sent")
  func content() throws {
    var network = try Sessions.network()
    network.run(for: .seconds(1))
    let format = try #require(AudioFormat.pcm(rate: 16_000, channels: 1))
    network.actPhone { phone, time in
      phone.setUp(StreamRequest(.screen), at: time)
      phone.setUp(StreamRequest(.mainAudio, format: format, audioType: "telephony", wantsMicrophone: true), at: time)
      phone.setUp(StreamRequest(.data), at: time)
    }
    network.run(for: .milliseconds(100))
    let configuration = ScreenMessage(.configuration, flags: 0x0116, width: 1280, height: 720, body: [1, 2, 3])
    let frame = ScreenMessage(.frame, isKeyFrame: true, time: 5, body: Array(repeating: 7, count: 5000))
    network.actPhone { phone, time in
      phone.send(configuration, of: .screen, at: time)
      phone.send(frame, of: .screen, at: time)
      phone.send(sound: [1, 2, 3, 4], frameCount: 2, of: .mainAudio, at: time)
      phone.send(sound: [5, 6], frameCount: 1, of: .mainAudio, at: time)
      phone.send(iAP: [0xFF, 0x55], at: time)
    }
    network.actHeadUnit { headUnit, time in
      #expect(headUnit.microphoneStreams.map(\.type) == [.mainAudio])
      headUnit.send(microphone: [9, 8], frameCount: 1)
      headUnit.send(iAP: [0x55, 0xFF], at: time)
    }
    network.run(for: .milliseconds(100))
    let heard = network.events(of: .headUnit)
    #expect(heard.contains(.picture(.screen, configuration)))
    #expect(heard.contains(.picture(.screen, frame)))
    #expect(heard.contains(.sound(.mainAudio, timestamp: 0, payload: [1, 2, 3, 4])))
    #expect(heard.contains(.sound(.mainAudio, timestamp: 2, payload: [5, 6])))
    #expect(heard.contains(.iAP([0xFF, 0x55], from: .phone)))
    let seen = network.events(of: .phone(0))
    #expect(seen.contains(.sound(.mainAudio, timestamp: 0, payload: [9, 8])))
    #expect(seen.contains(.iAP([0x55, 0xFF], from: .headUnit)))
    #expect(network.ends(of: .headUnit) == [])
  }

  @Test("The end of one stream leaves the others, and its type can be set up again")
  func endOfOneStream() throws {
    var network = try Sessions.network()
    network.run(for: .seconds(1))
    let format = try #require(AudioFormat.pcm(rate: 16_000, channels: 1))
    func setUpScreen() {
      network.actPhone { _ = $0.setUp(StreamRequest(.screen), at: $1) }
      network.run(for: .milliseconds(100))
    }
    setUpScreen()
    network.actPhone { _ = $0.setUp(StreamRequest(.mainAudio, format: format), at: $1) }
    network.run(for: .milliseconds(100))
    network.actPhone { $0.tearDown([.screen], at: $1) }
    network.run(for: .milliseconds(100))
    network.actPhone { $0.send(sound: [1, 2], frameCount: 1, of: .mainAudio, at: $1) }
    setUpScreen()
    let configuration = ScreenMessage(.configuration, body: [1, 2, 3])
    network.actPhone { $0.send(configuration, of: .screen, at: $1) }
    network.run(for: .milliseconds(100))
    let events = network.events(of: .headUnit)
    #expect(events.contains(.sound(.mainAudio, timestamp: 0, payload: [1, 2])))
    #expect(events.contains(.picture(.screen, configuration)))
    #expect(network.ends(of: .headUnit) == [])
  }

  @Test("A request of the head unit is answered, and then the phone tells the new state")
  func modes() throws {
    var network = try Sessions.network()
    network.run(for: .seconds(1))
    let request = ModeRequest([(.mainAudio, .take(.userInitiated, take: .anytime, borrow: .anytime))], reason: "radio")
    network.actHeadUnit { _ = $0.send(.changeModes(request), at: $1) }
    network.run(for: .milliseconds(50))
    let events = network.events(of: .headUnit)
    let answer = try #require(events.firstIndex(of: .modesAnswered(isGranted: true)))
    let told = events[answer...].compactMap { if case .modes(let modes) = $0 { modes } else { nil } }
    #expect(told.last?.mainAudio == ModeSnapshot.Holder(user: .headUnit, owner: .headUnit))
    #expect(told.last?.screen.user == .phone)
  }

  @Test("A head unit that demands pairing refuses a session before it, and one that offers it does not")
  func demands() throws {
    var network = try Sessions.network {
      $0.generation = .current
    } phone: {
      $0.generation = .old
    }
    network.run(for: .seconds(1))
    #expect(network.ends(of: .phone(0)) == [.notPaired])
    #expect(network.ends(of: .headUnit) == [.notPaired])
  }

  @Test("A second phone gets 453, and the first goes on")
  func secondPhone() throws {
    var network = SessionNetwork(
      headUnit: try Sessions.headUnit(), phones: [try Sessions.phone("first"), try Sessions.phone("second")],
      sign: Sessions.sign)
    network.start(0)
    network.run(for: .seconds(1))
    network.start(1)
    network.run(for: .seconds(1))
    #expect(network.ends(of: .phone(1)) == [.busy])
    #expect(network.ends(of: .phone(0)) == [] && network.ends(of: .headUnit) == [])
  }

  @Test("A connection that broke without a word has no end after a later session")
  func brokenConnection() throws {
    var network = SessionNetwork(
      headUnit: try Sessions.headUnit(), phones: [try Sessions.phone("first"), try Sessions.phone("second")],
      sign: Sessions.sign)
    network.fault = { delivery in
      if case .connected = delivery.content { return [delivery] }
      return delivery.node == .headUnit && delivery.socket == .control(1) ? [] : [delivery]
    }
    network.start(0)
    network.run(for: .seconds(1))
    network.start(1)
    network.run(for: .seconds(1))
    network.actPhone(1) { $0.tearDown(at: $1) }
    network.run(for: .seconds(60))
    #expect(network.ends(of: .phone(1)) == [.teardown])
    #expect(network.ends(of: .headUnit) == [.teardown])
  }

  @Test("A pulled cable ends both sides once")
  func cable() throws {
    var network = try Sessions.network()
    network.run(for: .seconds(1))
    network.cut()
    network.run(for: .seconds(20))
    #expect(network.ends(of: .phone(0)).count == 1)
    #expect(network.ends(of: .headUnit) == [.controlLost])
  }

  @Test("Music of which the network loses every twentieth datagram arrives whole and in order")
  func loss() throws {
    var network = try Sessions.network()
    network.run(for: .seconds(1))
    let format = try #require(AudioFormat.pcm(rate: 48_000, channels: 2))
    network.actPhone { _ = $0.setUp(StreamRequest(.mainAudio, format: format, latencyMilliseconds: 500), at: $1) }
    network.run(for: .milliseconds(20))
    let random = SeededBytes(9)
    network.fault = { delivery in
      guard case .datagram = delivery.content else { return [delivery] }
      switch delivery.socket {
      // Requests for packets and retransmitted packets get lost too.
      case .stream(.mainAudio), .streamControl(.mainAudio): return random.bytes(1)[0] < 13 ? [] : [delivery]
      default: return [delivery]
      }
    }
    var sent: [[UInt8]] = []
    for number in 0..<2000 {
      // All of the last packets get lost.
      if number == 1990 {
        let usual = network.fault
        network.fault = { delivery in
          if case .datagram = delivery.content, delivery.socket == .stream(.mainAudio) { return [] }
          return usual(delivery)
        }
      }
      let packet = random.bytes(32)
      sent.append(packet)
      network.actPhone { $0.send(sound: packet, frameCount: 8, of: .mainAudio, at: $1) }
      network.run(for: .milliseconds(8))
    }
    network.run(for: .milliseconds(400))
    let events = network.events(of: .headUnit)
    let heard = events.compactMap { if case .sound(_, _, let payload) = $0 { payload } else { nil } }
    #expect(!events.contains { if case .soundLost = $0 { true } else { false } })
    #expect(heard == sent)
  }

  @Test("The sample to be heard is behind the one to be sent by the latency of the stream")
  func audioSync() throws {
    var network = try Sessions.network()
    let arrived = ArrivedPieces()
    network.fault = { delivery in
      arrived.note(delivery)
      return [delivery]
    }
    network.run(for: .seconds(1))
    let format = try #require(AudioFormat.pcm(rate: 48_000, channels: 2))
    network.actPhone { _ = $0.setUp(StreamRequest(.mainAudio, format: format, latencyMilliseconds: 500), at: $1) }
    network.run(for: .milliseconds(20))
    for _ in 0..<3 {
      network.actPhone { $0.send(sound: [1, 2, 3, 4], frameCount: 48_000, of: .mainAudio, at: $1) }
      network.run(for: .seconds(1))
    }
    let syncs = arrived.of(.streamControl(.mainAudio)).compactMap { bytes -> AudioSync? in
      guard case .sync(let sync)? = AudioControlPacket(bytes: bytes) else { return nil }
      return sync
    }
    // One sync packet precedes each packet of sound, and three follow it when no more sound is sent.
    #expect(syncs.map(\.next) == [0] + [48_000, 96_000].flatMap { [$0, $0, $0, $0] } + [144_000, 144_000, 144_000])
    #expect(syncs.map(\.isFirst) == syncs.indices.map { $0 == 0 })
    #expect(syncs.allSatisfy { $0.next &- $0.heard == 24_000 })
  }
}
