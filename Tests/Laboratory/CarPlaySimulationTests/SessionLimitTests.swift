// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import CarPlaySimulation
import Testing

@Suite("Bounds that a hostile or slow side meets")
struct SessionLimitTests {
  private static let start = MonotonicTime(nanoseconds: 1_000_000_000)

  private static func bytes(_ method: String, _ path: String, number: Int, body: [UInt8] = []) -> [UInt8] {
    RequestMessage(
      .request(method: method, path: path, protocolWord: "RTSP/1.0"), headers: RequestHeaders([("CSeq", "\(number)")]),
      body: body
    ).bytes
  }

  @Test("A head unit with more input devices than a car has ends the session")
  func devices() throws {
    for count in [InputDevice.maximumCount, InputDevice.maximumCount + 1] {
      var network = try Sessions.network(headUnit: { configuration in
        let device = configuration.info.inputDevices?.first
        configuration.info.inputDevices = (0..<count).compactMap { number in
          var device = device
          device?.uuid = "\(number)"
          return device
        }
      })
      network.run(for: .seconds(1))
      #expect(network.ends(of: .phone(0)) == (count > InputDevice.maximumCount ? [.badInfo] : []))
    }
  }

  @Test("A head unit keeps the newest of the phones that pair, and those that it had")
  func phones() throws {
    let old = try Sessions.identity("old")
    let headUnit = try Sessions.headUnit { configuration in
      configuration.phones = [old.identifier: old.publicKey]
      configuration.maximumNewPhones = 2
    }
    var network = SessionNetwork(
      headUnit: headUnit, phones: try ["first", "second", "third"].map { try Sessions.phone($0) }, sign: Sessions.sign)
    for phone in 0..<3 {
      network.start(phone)
      network.run(for: .seconds(1))
      network.cut(phone)
      network.run(for: .seconds(20))
    }
    let paired = network.events(of: .headUnit).compactMap {
      if case .paired(let phone) = $0 { phone.identifier } else { nil }
    }
    #expect(paired == ["first", "second", "third"])
    #expect(Set(network.headUnit.configuration.phones.keys) == Set(paired.dropFirst() + ["old"]))
  }

  @Test("A flood of requests leaves others their turn, and is answered in order")
  func flood() throws {
    var headUnit = try Sessions.headUnit()
    headUnit.connected(.control(1), at: Self.start)
    headUnit.connected(.control(2), at: Self.start)
    let flood = (0..<1000).flatMap { Self.bytes("OPTIONS", "*", number: $0) }
    headUnit.receive(flood, on: .control(1), from: 0, at: Self.start)
    var reader = RequestReader()
    func take(_ actions: [SessionAction]) { for case .send(.control(1), let bytes) in actions { reader.add(bytes) } }
    let first = headUnit.takeActions()
    #expect(first.count { if case .send = $0 { true } else { false } } < 100)
    take(first)
    headUnit.receive(Self.bytes("OPTIONS", "*", number: 1), on: .control(2), from: 0, at: Self.start)
    #expect(headUnit.takeActions().contains { if case .send(.control(2), _) = $0 { true } else { false } })
    while let deadline = headUnit.nextDeadline, deadline < Self.start.advanced(by: .seconds(1)) {
      headUnit.handleDeadline(at: deadline)
      take(headUnit.takeActions())
    }
    for number in 0..<1000 { #expect(try reader.next()?.sequence == "\(number)") }
  }

  @Test("A phone that sets a session up and then is silent ends after the time to a live session")
  func silence() throws {
    var network = try Sessions.network(phone: { $0.hasClock = false })
    // The event connection is never established, so the phone never asks for `/info`.
    network.fault = { delivery in
      if case .bytes = delivery.content, case .events = delivery.socket { return [] }
      if case .connected = delivery.content, case .events = delivery.socket { return [] }
      return [delivery]
    }
    network.run(for: .seconds(1))
    #expect(network.states(of: .headUnit).last == .setUp)
    var headUnit = network.headUnit
    let times = SessionTimes()
    while let deadline = headUnit.nextDeadline, deadline < network.now.advanced(by: .seconds(100)) {
      headUnit.handleDeadline(at: deadline)
      #expect(deadline <= network.now.advanced(by: times.setUp))
    }
    let ends = headUnit.takeActions().compactMap { if case .report(.ended(let end, _)) = $0 { end } else { nil } }
    #expect(ends == [.setupTimeout])
  }

  @Test("The end of a session that is not answered is no orderly one")
  func silentEnd() throws {
    var network = try Sessions.network()
    network.run(for: .seconds(1))
    network.isCut = true
    network.actPhone { $0.stop(.stopped, at: $1) }
    network.run(for: SessionTimes().tearDown)
    #expect(network.ends(of: .phone(0)) == [.requestTimeout])
  }

  @Test("A screen that the head unit has not enabled is refused", arguments: [true, false])
  func secondScreen(isEnabled: Bool) throws {
    let features: Set<String> = ["altScreen"]
    var network = try Sessions.network(
      headUnit: { configuration in
        configuration.info = .standard(
          generation: .current, deviceID: "02:00:00:00:00:01",
          displays: [DisplaySettings(width: 1280, height: 720), DisplaySettings(width: 640, height: 480)])
        if isEnabled { configuration.features = features }
      }, phone: { $0.request.features = Array(features) })
    network.run(for: .seconds(1))
    network.actPhone { $0.setUp(StreamRequest(.alternateScreen), at: $1) }
    network.run(for: .seconds(1))
    let events = network.events(of: .headUnit)
    #expect(events.contains { if case .stream(.alternateScreen, .setUp, _) = $0 { true } else { false } } == isEnabled)
    #expect(network.ends(of: .phone(0)) == (isEnabled ? [] : [.refused]))
  }

  @Test("A lost packet of the microphone holds the later ones back for a short time")
  func microphone() throws {
    var network = try Sessions.network()
    network.run(for: .seconds(1))
    let format = try #require(AudioFormat.pcm(rate: 16_000, channels: 1))
    network.actPhone { phone, time in
      phone.setUp(StreamRequest(.mainAudio, format: format, audioType: "telephony", wantsMicrophone: true), at: time)
    }
    network.run(for: .milliseconds(100))
    for number in UInt8(0)..<5 {
      network.fault = { delivery in
        if case .datagram = delivery.content, delivery.socket == .stream(.mainAudio), number == 2 { return [] }
        return [delivery]
      }
      network.actHeadUnit { headUnit, _ in headUnit.send(microphone: [number, 0], frameCount: 1) }
      network.run(for: .milliseconds(20))
    }
    network.run(for: .seconds(2))
    let heard = network.events(of: .phone(0)).compactMap { event in
      if case .sound(_, _, let payload) = event { payload[0] } else { nil }
    }
    #expect(heard == [0, 1, 3, 4])
    #expect(network.events(of: .phone(0)).contains(.soundLost(.mainAudio, count: 1)))
  }
}
