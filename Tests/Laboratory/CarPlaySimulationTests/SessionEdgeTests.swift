// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import CarPlaySimulation
import Testing

@Suite("Edges of a session that simulations found")
struct SessionEdgeTests {
  private static let start = MonotonicTime(nanoseconds: 1_000_000_000)

  private static func bytes(_ method: String, _ path: String, body: [UInt8] = []) -> [UInt8] {
    RequestMessage(.request(method: method, path: path, protocolWord: "RTSP/1.0"), body: body).bytes
  }

  private static func closed(_ actions: [SessionAction]) -> [SessionSocket] {
    actions.compactMap { if case .close(let socket) = $0 { socket } else { nil } }
  }

  /// Returns a head unit without pairing whose phone has requested a session. Its event socket is bound, but the socket
  /// of its clock is not.
  private static func headUnitThatBinds() throws -> HeadUnitSession {
    var headUnit = try Sessions.headUnit(.old)
    headUnit.connected(.control(1), at: start)
    var phone = try AuthSetupPhone(SeededBytes(1).bytes)
    headUnit.receive(bytes("POST", "/auth-setup", body: phone.request), on: .control(1), from: 0, at: start)
    headUnit.signed(AccessoryEvidence(certificate: [1], signature: [2]), at: start)
    var reader = RequestReader()
    for case .send(_, let answer) in headUnit.takeActions() { reader.add(answer) }
    let answer = try #require(try reader.next())
    _ = try phone.take(answer.body)
    let key = try #require(phone.encrypted(sessionKey: Array(repeating: 7, count: 16)))
    let request = SessionSetUpRequest(values: [
      "timingPort": 5000, "et": 16, "ekey": .data(key), "eiv": .data(Array(repeating: 8, count: 16)),
    ])
    headUnit.receive(bytes("SETUP", "/", body: request.bytes), on: .control(1), from: 0, at: start)
    _ = headUnit.takeActions()
    headUnit.bound(.events, port: 6000, at: start)
    return headUnit
  }

  @Test("A late feedback behind a command with more time leaves no deadline in the past")
  func lateFeedback() throws {
    var network = try Sessions.network()
    network.run(for: .seconds(1))
    var phone = network.phones[0]
    let time = network.now
    phone.send(.unduckAudio(milliseconds: 1), at: time)
    _ = phone.takeActions()
    for _ in 0..<20 {
      guard let deadline = phone.nextDeadline else { break }
      phone.handleDeadline(at: deadline)
      #expect(phone.nextDeadline.map { $0 > deadline } ?? true)
    }
    let ends = phone.takeActions().compactMap { if case .report(.ended(let end, _)) = $0 { end } else { nil } }
    // Both time limits have passed, that of the clock first.
    #expect(ends == [.feedbackSilent] || ends == [.clockSilent])
  }

  @Test("A connection that ends while its session is bound leaves no socket")
  func abandonedSetUp() throws {
    var headUnit = try Self.headUnitThatBinds()
    headUnit.closed(.control(1), at: Self.start)
    #expect(Set(Self.closed(headUnit.takeActions())) == [.events, .clock])
  }

  @Test("A head unit that stops while a session is bound leaves no socket")
  func stoppedSetUp() throws {
    var headUnit = try Self.headUnitThatBinds()
    headUnit.stop(.stopped, at: Self.start)
    #expect(Set(Self.closed(headUnit.takeActions())) == [.control(1), .events, .clock])
  }

  @Test("Requests behind one that waits have a bound")
  func bound() throws {
    var headUnit = try Self.headUnitThatBinds()
    let flood = [[UInt8]](repeating: Self.bytes("OPTIONS", "*"), count: 40_000).flatMap { $0 }
    headUnit.receive(flood, on: .control(1), from: 0, at: Self.start)
    let actions = headUnit.takeActions()
    #expect(Self.closed(actions).contains(.control(1)))
    #expect(actions.contains { if case .report(.ended(.tooLarge, _)) = $0 { true } else { false } })
  }

  @Test("Signatures answer the connections in the order of their questions")
  func signatures() throws {
    var headUnit = try Sessions.headUnit(.old)
    let ids = Array(1...8)
    for id in ids {
      headUnit.connected(.control(id), at: Self.start)
      let key = try AuthSetupPhone(SeededBytes(UInt64(id)).bytes)
      headUnit.receive(
        Self.bytes("POST", "/auth-setup", body: key.request), on: .control(id), from: 0, at: Self.start)
    }
    _ = headUnit.takeActions()
    headUnit.closed(.control(3), at: Self.start)
    var answered: [SessionSocket] = []
    for _ in ids {
      headUnit.signed(AccessoryEvidence(certificate: [1], signature: [2]), at: Self.start)
      answered += headUnit.takeActions().compactMap { if case .send(let socket, _) = $0 { socket } else { nil } }
    }
    #expect(answered == ids.filter { $0 != 3 }.map { .control($0) })
  }

  @Test(
    "A stream that is ended and set up again before the first answer takes the second answer",
    arguments: [
      StreamRequest(.screen), StreamRequest(.mainAudio, format: .pcm(rate: 48_000, channels: 2)), StreamRequest(.data),
    ])
  func streamAgain(request: StreamRequest) throws {
    var network = try Sessions.network()
    network.run(for: .seconds(1))
    network.actPhone { phone, time in
      phone.setUp(request, at: time)
      phone.tearDown([request.type], at: time)
      phone.setUp(request, at: time)
    }
    network.run(for: .seconds(1))
    #expect(network.ends(of: .phone(0)) == [])
    let states = network.events(of: .phone(0)).compactMap { event in
      if case .stream(_, let state, _) = event { state } else { nil }
    }
    #expect(states == [.stopped, .setUp, .running])
    #expect(!network.events(of: .headUnit).contains { if case .refused = $0 { true } else { false } })
  }

  @Test("A stream of sound whose socket is lost leaves no socket")
  func lostSound() throws {
    var network = try Sessions.network()
    network.run(for: .seconds(1))
    network.actPhone { phone, time in
      _ = phone.setUp(StreamRequest(.mainAudio, format: .pcm(rate: 48_000, channels: 2)), at: time)
    }
    network.run(for: .seconds(1))
    var headUnit = network.headUnit
    headUnit.closed(.stream(.mainAudio), at: network.now)
    #expect(Self.closed(headUnit.takeActions()) == [.stream(.mainAudio), .streamControl(.mainAudio)])
  }

  @Test("A connection that is reported twice keeps its state")
  func connectedTwice() throws {
    var headUnit = try Self.headUnitThatBinds()
    headUnit.connected(.control(1), at: Self.start)
    headUnit.closed(.control(1), at: Self.start)
    #expect(Set(Self.closed(headUnit.takeActions())) == [.events, .clock])
  }

  @Test("Silent strangers keep no phone out, and push no session out")
  func strangers() throws {
    var network = try Sessions.network()
    let limit = HeadUnitSession.maximumConnections
    network.actHeadUnit { headUnit, time in
      for id in 1000..<1000 + limit { headUnit.connected(.control(id), at: time) }
    }
    network.run(for: .seconds(1))
    #expect(network.ends(of: .headUnit) == [])
    var headUnit = network.headUnit
    _ = headUnit.takeActions()
    for id in 2000..<2000 + 2 * limit { headUnit.connected(.control(id), at: network.now) }
    let actions = headUnit.takeActions()
    #expect(!actions.contains { if case .report(.ended) = $0 { true } else { false } })
    let pushed = Self.closed(actions)
    #expect(pushed.count == 2 * limit)
    // The oldest unverified connections are closed, each once.
    let places = pushed.map { if case .control(let id) = $0 { id } else { 0 } }
    #expect(places == places.sorted() && Set(places).count == places.count && places.allSatisfy { $0 >= 1000 })
  }

  /// Returns a live session with a screen. From then on the bytes on some sockets arrive later.
  private static func networkWithScreen(
    delaying delay: Duration, _ isLate: @escaping @Sendable (SessionSocket) -> Bool
  ) throws -> SessionNetwork {
    var network = try Sessions.network()
    network.run(for: .seconds(1))
    network.actPhone { _ = $0.setUp(StreamRequest(.screen), at: $1) }
    network.run(for: .milliseconds(100))
    network.fault = { delivery in
      var delivery = delivery
      if isLate(delivery.socket) { delivery.time = delivery.time.advanced(by: delay) }
      return [delivery]
    }
    return network
  }

  @Test("Frames that arrive behind the end of their stream count, and the end is told once", arguments: [100, 700])
  func lateFrames(milliseconds: Int) throws {
    // The connection of the stream is slower than that of the requests.
    var network = try Self.networkWithScreen(delaying: .milliseconds(milliseconds)) { $0 == .stream(.screen) }
    network.actPhone { phone, time in
      phone.send(ScreenMessage(.configuration, body: [1]), of: .screen, at: time)
      for _ in 0..<3 { phone.send(ScreenMessage(.frame, body: [5]), of: .screen, at: time) }
      phone.tearDown([.screen], at: time)
    }
    network.run(for: .seconds(2))
    let events = network.events(of: .headUnit)
    let frames = events.count { if case .picture(_, let message) = $0 { message.kind == .frame } else { false } }
    #expect(frames == (milliseconds == 100 ? 3 : 0))
    let states = events.compactMap { if case .stream(.screen, let state, _) = $0 { state } else { nil } }
    #expect(states.filter { $0 == .stopped } == [.stopped] && !states.contains(.closed))
    #expect(network.ends(of: .headUnit) == [] && network.ends(of: .phone(0)) == [])
  }

  @Test(
    "A stream whose connection ends before the phone's request has the end that the phone wants", arguments: [100, 700])
  func lateRequest(milliseconds: Int) throws {
    var network = try Self.networkWithScreen(delaying: .milliseconds(milliseconds)) { socket in
      if case .control = socket { true } else { false }
    }
    network.actPhone { $0.tearDown([.screen], at: $1) }
    network.run(for: .seconds(3))
    let events = network.events(of: .headUnit)
    let states = events.compactMap { if case .stream(.screen, let state, _) = $0 { state } else { nil } }
    #expect(states.last == (milliseconds == 100 ? .stopped : .closed))
    #expect(states.count { $0 == .stopped || $0 == .closed } == 1)
    #expect(!events.contains { if case .refused = $0 { true } else { false } })
    let tolerated = events.count { if case .tolerated = $0 { true } else { false } }
    #expect(tolerated == (milliseconds == 100 ? 0 : 1))
  }
}
