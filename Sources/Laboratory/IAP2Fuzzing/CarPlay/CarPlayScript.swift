// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2

/// A script of deliveries to a session of one role, with the keys of the other role.
struct CarPlayScript {
  var now: MonotonicTime
  private let role: SessionSide
  private var control: FrameSealer?
  private var events: FrameSealer?
  private var screen: ScreenSealer?
  private var sound: AudioSealer?
  private var buffered: BufferedAudioSealer?
  private var data: FrameSealer?
  private var binds: [SessionSocket] = []
  private var sequence = 100

  init(_ pair: CarPlayPair, _ role: SessionSide) {
    (now, self.role) = (pair.now, role)
    control = pair.control[role.other]
    events = pair.events[role.other]
    guard let secret = pair.secret else { return }
    for (type, seed) in pair.headUnit.inspection.streams {
      switch seed {
      case .key(let key): buffered = BufferedAudioSealer(key: key)
      case .id(let id):
        let keys = ChannelKeys.stream(secret, id: id)
        let key = role == .headUnit ? keys.phone : keys.headUnit
        switch type.family {
        case .screen: screen = ScreenSealer(key: key)
        case .audio: sound = AudioSealer(key: key)
        case .data: data = FrameSealer(key: key)
        case .buffered: break
        }
      }
    }
  }

  mutating func take(_ action: SessionAction) {
    if case .bind(let socket, _) = action { binds.append(socket) }
  }

  private static let sockets: [SessionSocket] = [
    .control(0), .control(1), .control(2), .events, .clock, .keepAlive, .stream(.screen), .stream(.mainAudio),
    .streamControl(.mainAudio), .stream(.data), .stream(.bufferedAudio), .stream(.alternateScreen),
  ]

  private static func socket(_ byte: UInt8) -> SessionSocket { sockets[Int(byte) % sockets.count] }

  /// The connection on which the phone asks.
  private var controlSocket: SessionSocket { .control(role == .headUnit ? 1 : 0) }

  /// Does a step.
  ///
  /// - Returns: Whether a deadline was handled.
  mutating func step(_ machine: inout some FuzzedSession, _ program: inout Program) -> Bool {
    let word = program.byte()
    switch word & 0x0F {
    case 0:
      let socket = Self.socket(program.byte())
      machine.receive(program.take(Int(program.byte())), on: socket, from: UInt16(word), at: now)
    case 1: sendControl(program.take(Int(program.byte())), &machine)
    case 2, 3: sendControl(message(&program), &machine)
    case 4: sendEvents(program.take(Int(program.byte())), &machine)
    case 5: sendEvents(message(&program), &machine)
    case 6: machine.closed(Self.socket(program.byte()), at: now)
    case 7: machine.connected(Self.socket(program.byte()), at: now)
    case 8:
      guard !binds.isEmpty else { break }
      machine.bound(binds.removeFirst(), port: word & 0x80 == 0 ? 6001 : nil, at: now)
    case 9:
      machine.signed(word & 0x80 == 0 ? AccessoryEvidence(certificate: [1], signature: [2]) : nil, at: now)
    case 10:
      guard let deadline = machine.nextDeadline else { break }
      now = max(now, deadline)
      machine.handleDeadline(at: now)
      return true
    case 11: now = now.adding(milliseconds: Int(program.number16()))
    case 12: sendStream(&machine, &program)
    case 13: machine.own(program.byte(), program.take(Int(program.byte() & 31)), at: now)
    case 14: machine.writability(of: .stream(.screen), word & 0x80 == 0, at: now)
    default: machine.stop([.stopped, .linkLost, .teardown][Int(word >> 4) % 3], at: now)
    }
    return false
  }

  private mutating func sendControl(_ text: [UInt8], _ machine: inout some FuzzedSession) {
    machine.receive(control?.seal(text) ?? text, on: controlSocket, from: 0, at: now)
  }

  private mutating func sendEvents(_ text: [UInt8], _ machine: inout some FuzzedSession) {
    machine.receive(events?.seal(text) ?? text, on: .events, from: 0, at: now)
  }

  private mutating func sendStream(_ machine: inout some FuzzedSession, _ program: inout Program) {
    let word = program.byte()
    let body = program.take(Int(program.byte()))
    switch word & 3 {
    case 0:
      let kind = ScreenMessage.Kind(rawValue: word >> 2 & 7) ?? .frame
      guard let bytes = screen?.seal(ScreenMessage(kind, body: body)) else { return }
      machine.receive(bytes, on: .stream(.screen), from: 0, at: now)
    case 1:
      let packet = AudioPacket(
        type: 100, sequence: UInt16(word >> 2) &* 37, timestamp: UInt32(word), source: 0, payload: body)
      guard let bytes = sound?.seal(packet) else { return }
      machine.receive(bytes, on: .stream(.mainAudio), from: 5, at: now)
    case 2:
      guard let bytes = data?.seal(body) else { return }
      machine.receive(bytes, on: .stream(.data), from: 0, at: now)
    default:
      do throws(BufferedAudioProblem) {
        let packet = AudioPacket(type: 103, sequence: 0, timestamp: 0, source: 0, payload: body)
        guard let bytes = try buffered?.seal(packet) else { return }
        machine.receive(bytes, on: .stream(.bufferedAudio), from: 0, at: now)
      } catch { preconditionFailure("a byte's number of bytes fits a frame: \(error)") }
    }
  }

  // MARK: Messages

  private static let requests: [(String, String)] = [
    ("SETUP", "/"), ("RECORD", "/"), ("TEARDOWN", "/"), ("POST", "/command"), ("POST", "/feedback"), ("GET", "/info"),
    ("POST", "/auth-setup"), ("POST", "/pair-setup"), ("POST", "/pair-verify"), ("OPTIONS", "*"), ("FLUSH", "/"),
    ("NOTHING", "/"),
  ]

  /// Returns a whole message with a body of the program's choice. Answers have a number near that of a question.
  private mutating func message(_ program: inout Program) -> [UInt8] {
    let word = program.byte()
    let body = body(&program)
    if word & 0x80 == 0 {
      let (method, path) = Self.requests[Int(word) % Self.requests.count]
      sequence += 1
      return RequestMessage(
        .request(method: method, path: path, protocolWord: "RTSP/1.0"),
        headers: RequestHeaders([("CSeq", "\(sequence)")]), body: body
      ).bytes
    }
    let status = [200, 200, 200, 404, 453, 500][Int(word & 7) % 6]
    let headers = word & 0x40 == 0 ? [("CSeq", "\(program.byte() & 31)")] : []
    return RequestMessage(
      .answer(status: status, reason: "", protocolWord: "RTSP/1.0"), headers: RequestHeaders(headers), body: body
    ).bytes
  }

  private func body(_ program: inout Program) -> [UInt8] {
    let word = program.byte()
    switch word & 7 {
    case 0: return []
    case 1: return program.take(Int(program.byte()))
    case 2:
      var stream = StreamBody()
      stream.values["type"] = .integer(Int64(program.byte()))
      stream.connectionID = UInt64(program.byte())
      stream.seed = UInt64(word)
      stream.dataPort = 7001
      stream.audioFormat = AudioFormat(rawValue: 1 << UInt64(program.byte() & 31))
      stream.wantsInput = word & 0x80 != 0
      stream.sharedKey = [UInt8](repeating: 3, count: 32)
      return StreamList([stream]).bytes
    case 3: return SessionSetUpRequest(values: ["timingPort": 5000, "keepAliveLowPower": .bool(word & 8 != 0)]).bytes
    case 4: return SessionSetUpAnswer(values: ["eventPort": .integer(Int64(program.byte())), "timingPort": 1]).bytes
    case 5: return SessionCommand.inputReport(device: "1", report: program.take(12)).body.binary
    case 6: return Self.value(&program, 4).binary
    default:
      let request = ModeRequest([(.screen, .borrow(.userInitiated, unborrow: .anytime))])
      return SessionCommand.changeModes(request).body.binary
    }
  }

  private static let keys = [
    "streams", "type", "streamConnectionID", "seed", "params", "resources", "uuid", "timingPort", "displays",
    "hidDevices", "audioFormat", "audioLatencyMs", "dataPort", "controlPort", "status", "modes",
  ]

  /// Returns a property list of the program's choice.
  private static func value(_ program: inout Program, _ depth: Int) -> PropertyValue {
    let word = program.byte()
    switch word & 7 {
    case 0: return .integer(Int64(program.byte()))
    case 1: return .integer(Int64.min + Int64(program.byte()))
    case 2: return .real(word & 8 == 0 ? .nan : -.infinity)
    case 3: return .text(keys[Int(word >> 4)])
    case 4: return .data(program.take(Int(word >> 4)))
    case 5 where depth > 0:
      return .array((0..<Int(word >> 4) & 3).map { _ in value(&program, depth - 1) })
    case 5: return .bool(true)
    default:
      guard depth > 0 else { return .unsigned(.max) }
      var values: [String: PropertyValue] = [:]
      for _ in 0..<Int(word >> 4) & 7 { values[keys[Int(program.byte() & 15)]] = value(&program, depth - 1) }
      return .dictionary(values)
    }
  }
}
