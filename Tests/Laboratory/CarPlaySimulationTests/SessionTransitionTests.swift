// swift-iap2 · Apache-2.0

import Basics
import CarPlaySimulation
import Foundation
import Testing

@testable import CarPlaySession

/// Tests that compare the effect of every input in every state of both sides with reviewed files in `Golden`.
/// IAP2_RECORD_GOLDEN=1 rewrites the files.
@Suite("Every input in every state")
struct SessionTransitionTests {
  static let start = MonotonicTime(nanoseconds: 1 << 40)

  private static func compare(_ lines: [String], with name: String) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/\(name).txt")
    let text = lines.joined(separator: "\n") + "\n"
    if ProcessInfo.processInfo.environment["IAP2_RECORD_GOLDEN"] != nil {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let expected = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    for (line, wanted) in zip(lines.flatMap { $0.split(separator: "\n") }, expected) where line != wanted {
      Issue.record("\(name): \(line)\nexpected: \(wanted)")
      return
    }
    #expect(text.split(separator: "\n").count == expected.count)
  }

  static func name(_ socket: SessionSocket) -> String {
    switch socket {
    case .control(let number): "control \(number)"
    case .stream(let type): "\(type.name)"
    case .streamControl(let type): "\(type.name) control"
    default: "\(socket)"
    }
  }

  static func event(_ event: SessionEvent, of side: SessionSide) -> String? {
    guard let record = event.record(of: side, linkCause: nil) else { return nil }
    let words = record.words
    let shown = ["state", "cause", "status", "type", "command", "isGranted", "count"].compactMap { words[$0] }
    return ([record.declaration.name.replacing("carPlay", with: "")] + shown).joined(separator: " ")
  }

  // MARK: The head unit

  /// A head unit to which a test sends the requests of a phone.
  struct HeadUnitCase {
    var unit: HeadUnitSession
    var channel = MessageChannel()
    var time = start
    private var sequence = 0

    init() throws {
      let phone = try Sessions.identity("phone")
      unit = try Sessions.headUnit { $0.phones["phone"] = phone.publicKey }
      unit.connected(.control(1), at: time)
      _ = unit.takeActions()
    }

    /// Returns the effect of an input: the actions with their answers, and the events. Sockets are bound and signatures
    /// are made at once.
    mutating func effects(_ input: (inout HeadUnitCase) -> Void) -> (text: [String], body: [UInt8]) {
      input(&self)
      var (text, body): ([String], [UInt8]) = ([], [])
      while true {
        let actions = unit.takeActions()
        guard !actions.isEmpty else { return (text, body) }
        for action in actions {
          switch action {
          case .bind(let socket, _):
            text.append("bind \(name(socket))")
            unit.bound(socket, port: 6000, at: time)
          case .connect, .setReading: text.append("\(action)")
          case .send(.control(1), let bytes):
            do {
              try channel.receive(bytes)
              while let message = try channel.next() {
                if case .answer(let status, _, _) = message.start { text.append("answer \(status)") }
                body = message.body
              }
            } catch { text.append("unreadable answer") }
          case .send(.control(let other), let bytes):
            text.append("to \(other): \(String(decoding: bytes, as: UTF8.self).prefix { $0 != "\r\n" })")
          case .send(let socket, _): text.append("send \(name(socket))")
          case .sendDatagram(let socket, _, _): text.append("datagram \(name(socket))")
          case .close(let socket): text.append("close \(name(socket))")
          case .sign(let bytes):
            text.append("sign")
            unit.signed(Sessions.sign(bytes), at: time)
          case .log(let secret): text.append("log \(secret.procedure)")
          case .report(let event):
            if let line = SessionTransitionTests.event(event, of: .headUnit) { text.append(line) }
          }
        }
      }
    }

    private func name(_ socket: SessionSocket) -> String { SessionTransitionTests.name(socket) }

    mutating func request(_ method: String, _ path: String, _ body: [UInt8] = []) {
      sequence += 1
      let message = RequestMessage(
        .request(method: method, path: path, protocolWord: "RTSP/1.0"),
        headers: RequestHeaders([("CSeq", "\(sequence)")]), body: body)
      unit.receive(channel.bytes(message), on: .control(1), from: 0, at: time)
    }

    @discardableResult
    mutating func ask(_ method: String, _ path: String, _ body: [UInt8] = []) -> [UInt8] {
      effects { $0.request(method, path, body) }.body
    }

    mutating func verify() throws {
      let head = try Sessions.identity("head unit")
      var side = PairVerifyPhone(
        try Sessions.identity("phone"), headUnits: ["head unit": head.publicKey])
      let random = SeededBytes(9)
      var body = try side.begin(random.bytes)
      while true {
        switch try side.take(ask("POST", "/pair-verify", body)) {
        case .send(let next): body = next
        case .verified(let verified):
          let keys = ChannelKeys.control(verified.secret)
          try channel.encrypt(reading: keys.headUnit, writing: keys.phone)
          return
        }
      }
    }

    static let authSetup: [UInt8] = {
      let random = SeededBytes(11)
      do { return try AuthSetupPhone(random.bytes).request } catch { return [] }
    }()

    static let setUp: [UInt8] = {
      var body = SessionSetUpRequest()
      (body.name, body.timingPort, body.timingProtocol) = ("phone", 5000, "NTP")
      return body.bytes
    }()

    static let screen: [UInt8] = {
      var body = StreamBody(.screen)
      (body.connectionID, body.uuid) = (7, SessionInfo.mainDisplay)
      return StreamList([body]).bytes
    }()
  }

  /// Returns the states of a head unit, each after the requests that lead to it.
  static func headUnitStates() throws -> [(name: String, value: HeadUnitCase)] {
    let connected = try HeadUnitCase()
    var verified = connected
    try verified.verify()
    func next(_ value: HeadUnitCase, _ body: (inout HeadUnitCase) -> Void) -> HeadUnitCase {
      var value = value
      _ = value.effects(body)
      return value
    }
    let authenticated = next(verified) { $0.request("POST", "/auth-setup", HeadUnitCase.authSetup) }
    let setUp = next(authenticated) { $0.request("SETUP", "/1", HeadUnitCase.setUp) }
    let recording = next(setUp) { $0.request("RECORD", "/1") }
    let asks = next(setUp) { $0.unit.connected(.events, at: $0.time) }
    let live = next(asks) { $0.request("RECORD", "/1") }
    let screen = next(next(live) { $0.request("SETUP", "/1", HeadUnitCase.screen) }) {
      $0.unit.connected(.stream(.screen), at: $0.time)
    }
    return [
      ("connected", connected), ("verified", verified), ("authenticated", authenticated), ("set up", setUp),
      ("set up, recording", recording), ("set up, events", asks), ("live", live), ("live, screen", screen),
      ("live, events lost", next(live) { $0.unit.closed(.events, at: $0.time) }),
    ]
  }

  static let headUnitInputs: [(name: String, apply: @Sendable (inout HeadUnitCase) -> Void)] = {
    var modes = ModeRequest([(.mainAudio, .take(.userInitiated, take: .anytime, borrow: .anytime))], reason: "radio")
    modes.reason = "radio"
    let request = modes
    return [
      ("pair-setup", { $0.request("POST", "/pair-setup", TLV8([(.state, [1]), (.method, [0])]).bytes) }),
      (
        "pair-verify", { $0.request("POST", "/pair-verify", TLV8([(.state, [1]), (.publicKey, Array(1...32))]).bytes) }
      ),
      ("/info", { $0.request("GET", "/info") }),
      ("auth-setup", { $0.request("POST", "/auth-setup", HeadUnitCase.authSetup) }),
      ("SETUP of the session", { $0.request("SETUP", "/1", HeadUnitCase.setUp) }),
      ("SETUP of the screen", { $0.request("SETUP", "/1", HeadUnitCase.screen) }),
      ("SETUP without a list", { $0.request("SETUP", "/1", [1, 2, 3]) }),
      ("RECORD", { $0.request("RECORD", "/1") }),
      ("/feedback", { $0.request("POST", "/feedback") }),
      ("/command", { $0.request("POST", "/command", CommandBody(values: ["type": .text("disableBluetooth")]).bytes) }),
      ("FLUSH", { $0.request("FLUSH", "/1") }),
      ("TEARDOWN of the screen", { $0.request("TEARDOWN", "/1", StreamList([StreamBody(.screen)]).bytes) }),
      ("TEARDOWN", { $0.request("TEARDOWN", "/1") }),
      ("another path", { $0.request("POST", "/elsewhere") }),
      ("another method", { $0.request("PAUSE", "/1") }),
      ("no request", { $0.unit.receive(Array("?\r\n\r\n".utf8), on: .control(1), from: 0, at: $0.time) }),
      (
        "another phone asks",
        {
          $0.unit.connected(.control(2), at: $0.time)
          $0.unit.receive(Array("GET /info RTSP/1.0\r\nCSeq: 1\r\n\r\n".utf8), on: .control(2), from: 0, at: $0.time)
        }
      ),
      ("event connection", { $0.unit.connected(.events, at: $0.time) }),
      ("event connection lost", { $0.unit.closed(.events, at: $0.time) }),
      ("bytes of nobody on events", { $0.unit.receive(Array(0...40), on: .events, from: 0, at: $0.time) }),
      ("screen lost", { $0.unit.closed(.stream(.screen), at: $0.time) }),
      ("control connection lost", { $0.unit.closed(.control(1), at: $0.time) }),
      ("the owner sends a command", { _ = $0.unit.send(.changeModes(request), at: $0.time) }),
      ("the owner stops", { $0.unit.stop(.stopped, at: $0.time) }),
      (
        "nothing for two minutes",
        { value in
          let end = value.time.advanced(by: .seconds(120))
          while let deadline = value.unit.nextDeadline, deadline <= end {
            value.time = max(value.time, deadline)
            value.unit.handleDeadline(at: value.time)
          }
        }
      ),
    ]
  }()

  @Test("A head unit")
  func headUnit() throws {
    var lines: [String] = []
    for (state, value) in try Self.headUnitStates() {
      for (input, apply) in Self.headUnitInputs {
        var value = value
        let text = value.effects(apply).text
        lines.append("\(state) | \(input) | \(text.isEmpty ? "-" : Self.folded(text).joined(separator: "; "))")
      }
    }
    try Self.compare(lines, with: "head-unit-transitions")
  }

  @Test("A phone that leaves before it is verified counts as gone after five seconds", arguments: [false, true])
  func left(comesBack: Bool) throws {
    var value = try HeadUnitCase()
    #expect(value.effects { $0.unit.closed(.control(1), at: $0.time) }.text == [])
    let due = try #require(value.unit.nextDeadline)
    #expect(due == Self.start.advanced(by: .seconds(5)))
    if comesBack {
      value.time = Self.start.advanced(by: .seconds(4))
      value.unit.connected(.control(2), at: value.time)
      #expect(value.unit.nextDeadline == value.time.advanced(by: .seconds(30)))
    } else {
      value.time = due
      #expect(value.effects { $0.unit.handleDeadline(at: $0.time) }.text == ["Ended controlLost"])
      #expect(value.unit.nextDeadline == nil)
    }
  }

  @Test("A head unit that stops does not wait for the phone that left, and reports its end once")
  func stopped() throws {
    var value = try HeadUnitCase()
    _ = value.effects { $0.unit.closed(.control(1), at: $0.time) }
    #expect(value.effects { $0.unit.stop(.stopped, at: $0.time) }.text == ["Ended stopped"])
    #expect(value.unit.nextDeadline == nil)
  }

  @Test("A second phone that connects during a session and leaves after it is not waited for")
  func second() throws {
    var value = try #require(try Self.headUnitStates().last { $0.value.unit.inspection.connection != nil }).value
    _ = value.effects { $0.unit.connected(.control(2), at: $0.time) }
    #expect(value.effects { $0.unit.closed(.control(1), at: $0.time) }.text.contains("Ended controlLost"))
    #expect(value.effects { $0.unit.closed(.control(2), at: $0.time) }.text == [])
    #expect(value.unit.nextDeadline == nil)
  }

  /// Returns the lines, with equal consecutive lines replaced by one line and their number.
  private static func folded(_ text: [String]) -> [String] {
    var folded: [(line: String, count: Int)] = []
    for line in text {
      if folded.last?.line == line { folded[folded.count - 1].count += 1 } else { folded.append((line, 1)) }
    }
    return folded.map { $0.count == 1 ? $0.line : "\($0.line) × \($0.count)" }
  }

  // MARK: The phone

  /// A phone in a state, with the head unit that has not answered its last request.
  struct PhoneCase {
    var phone: PhoneSession
    var unit: HeadUnitSession
    var time: MonotonicTime

    /// Sends an answer to the last request through the channel of the head unit.
    mutating func answer(_ status: Int, _ body: [UInt8] = []) {
      let sequence = phone.pending.last?.sequence ?? 900
      let message = RequestMessage(
        .answer(status: status, reason: "", protocolWord: "RTSP/1.0"),
        headers: RequestHeaders([("CSeq", "\(sequence)")]), body: body)
      guard let bytes = unit.connections[1]?.channel.bytes(message) else { return }
      phone.receive(bytes, on: .control(0), from: 0, at: time)
    }

    mutating func effects(_ input: (inout PhoneCase) -> Void) -> [String] {
      input(&self)
      var text: [String] = []
      for action in phone.takeActions() {
        switch action {
        case .bind(let socket, _): text.append("bind \(name(socket))")
        case .connect(let socket, _): text.append("connect \(name(socket))")
        case .send(let socket, _): text.append("send \(name(socket))")
        case .sendDatagram(let socket, _, _): text.append("datagram \(name(socket))")
        case .close(let socket): text.append("close \(name(socket))")
        case .sign, .setReading: text.append("\(action)")
        case .log(let secret): text.append("log \(secret.procedure)")
        case .report(let event): if let line = SessionTransitionTests.event(event, of: .phone) { text.append(line) }
        }
      }
      return text
    }
  }

  private static func phase(_ phone: PhoneSession) -> String {
    switch phone.phase {
    case .pairing: "pairing"
    case .verifying: "verifying"
    case .authenticating: "authenticating"
    default: "\(phone.phase)"
    }
  }

  /// Returns the first moment in each phase of a session that starts, runs a screen and ends.
  private static func phoneStates() throws -> [(name: String, value: PhoneCase)] {
    var network = SessionNetwork(headUnit: try Sessions.headUnit(), phones: [try Sessions.phone()], sign: Sessions.sign)
    var states: [(name: String, value: PhoneCase)] = []
    func note() {
      let name = phase(network.phones[0])
      guard !states.contains(where: { $0.name == name }) else { return }
      states.append((name, PhoneCase(phone: network.phones[0], unit: network.headUnit, time: network.now)))
    }
    note()
    let waiting = network.headUnit
    network.actPhone { phone, time in
      phone.start(port: SessionNetwork.controlPort, at: time)
      states.append(("dialing", PhoneCase(phone: phone, unit: waiting, time: time)))
    }
    func run(until name: String) {
      for _ in 0..<2000 where phase(network.phones[0]) != name {
        guard let next = network.nextTime else { return }
        network.run(until: next)
        note()
      }
    }
    run(until: "live")
    network.run(for: .milliseconds(50))
    network.actPhone { $0.setUp(StreamRequest(.screen), at: $1) }
    network.run(for: .milliseconds(100))
    states.append(("live, screen", PhoneCase(phone: network.phones[0], unit: network.headUnit, time: network.now)))
    let live = network.headUnit
    network.actPhone { phone, time in
      phone.tearDown(at: time)
      states.append(("ending", PhoneCase(phone: phone, unit: live, time: time)))
    }
    run(until: "ended")
    for index in states.indices { _ = states[index].value.phone.takeActions() }
    return states
  }

  private static let phoneInputs: [(name: String, apply: @Sendable (inout PhoneCase) -> Void)] = [
    ("control connection", { $0.phone.connected(.control(0), at: $0.time) }),
    ("answer 200 without a body", { $0.answer(200) }), ("answer 403", { $0.answer(403) }),
    ("answer 453", { $0.answer(453) }), ("answer 500", { $0.answer(500) }),
    ("answer of nobody", { $0.phone.receive(Array("?\r\n\r\n".utf8), on: .control(0), from: 0, at: $0.time) }),
    ("control connection lost", { $0.phone.closed(.control(0), at: $0.time) }),
    ("event connection lost", { $0.phone.closed(.events, at: $0.time) }),
    ("screen lost", { $0.phone.closed(.stream(.screen), at: $0.time) }),
    ("bytes of nobody on events", { $0.phone.receive(Array(0...40), on: .events, from: 0, at: $0.time) }),
    ("the owner sets a screen up", { _ = $0.phone.setUp(StreamRequest(.screen), at: $0.time) }),
    ("the owner sends a command", { _ = $0.phone.send(.requestUI(url: nil), at: $0.time) }),
    ("the owner ends the session", { $0.phone.tearDown(at: $0.time) }),
    ("the owner stops", { $0.phone.stop(.stopped, at: $0.time) }),
    (
      "nothing for two minutes",
      { value in
        let end = value.time.advanced(by: .seconds(120))
        while let deadline = value.phone.nextDeadline, deadline <= end {
          value.time = max(value.time, deadline)
          value.phone.handleDeadline(at: value.time)
        }
      }
    ),
  ]

  @Test("A phone")
  func phone() throws {
    var lines: [String] = []
    for (state, value) in try Self.phoneStates() {
      for (input, apply) in Self.phoneInputs {
        var value = value
        let text = value.effects(apply)
        let after = Self.phase(value.phone)
        lines.append(
          "\(state) | \(input) | \(text.isEmpty ? "-" : Self.folded(text).joined(separator: "; ")) | \(after)")
      }
    }
    try Self.compare(lines, with: "phone-transitions")
  }
}
