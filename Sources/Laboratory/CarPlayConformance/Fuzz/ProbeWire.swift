// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import Cryptography

/// An input that is read as a program. After its end, numbers are 0 and bytes are empty.
struct ProbeProgram {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: some Sequence<UInt8>) { rest = Array(bytes)[...] }

  var isOver: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// Returns bytes behind their length.
  mutating func bytes() -> [UInt8] {
    let count = (Int(byte()) << 8 | Int(byte())) & 0xFFF
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }
}

/// The writing side of a peer: it seals what a program sends, with the keys of a session.
struct ProbeWire {
  private let side: SessionSide
  private var control: FrameSealer?, events: FrameSealer?
  private var screen: ScreenSealer?, sound: AudioSealer?, data: FrameSealer?, buffered: BufferedAudioSealer?
  private var sequence = 0
  private static let id: UInt64 = 5

  /// Creates the side of a peer; without a secret it writes in the clear.
  init(_ secret: Secret?, from side: SessionSide) {
    self.side = side
    guard let secret else { return }
    let (control, events) = (ChannelKeys.control(secret), ChannelKeys.events(secret))
    let data = ChannelKeys.stream(secret, id: Self.id)
    let isPhone = side == .phone
    self.control = FrameSealer(key: isPhone ? control.phone : control.headUnit)
    self.events = FrameSealer(key: isPhone ? events.phone : events.headUnit)
    self.data = FrameSealer(key: isPhone ? data.phone : data.headUnit)
    let protection = StreamProtection.verified(secret)
    screen = ScreenSealer(protection, id: Self.id)
    sound = AudioSealer(protection, id: Self.id, from: side)
    buffered = BufferedAudioSealer(key: secret)
    self.secret = secret
  }

  private var secret: Secret?

  /// Gives a phone the event channel, `/info` and streams.
  func open(_ phone: ScriptedPhone) {
    guard let secret else { return }
    let (events, data) = (ChannelKeys.events(secret), ChannelKeys.stream(secret, id: Self.id))
    do throws(WireChannel.Unreadable) {
      try phone.events.encrypt(reading: events.headUnit, writing: events.phone)
    } catch {}
    phone.info = .standard(
      generation: .current, deviceID: "02:00:00:00:00:01", displays: [DisplaySettings(width: 800, height: 480)])
    var audio = ProbeStream(type: .mainAudio, asked: StreamBody(.mainAudio))
    audio.microphone = AudioOpener(.verified(secret), id: Self.id, from: .headUnit)
    phone.streams[.mainAudio] = audio
    var other = ProbeStream(type: .data, asked: StreamBody(.data))
    other.data = (FrameOpener(key: data.headUnit), FrameSealer(key: data.phone), DataPackageReader())
    phone.streams[.data] = other
  }

  /// Gives a head unit the encrypted channels, and streams.
  func open(_ headUnit: ScriptedHeadUnit) {
    guard let secret else { return }
    headUnit.secret = secret
    let (control, events) = (ChannelKeys.control(secret), ChannelKeys.events(secret))
    let data = ChannelKeys.stream(secret, id: Self.id)
    do throws(WireChannel.Unreadable) {
      try headUnit.channel.encrypt(reading: control.phone, writing: control.headUnit)
      try headUnit.events.encrypt(reading: events.phone, writing: events.headUnit)
    } catch {}
    let protection = StreamProtection.verified(secret)
    var content = StreamType.allCases.map { PhoneContent(type: $0, asked: StreamBody($0)) }
    for index in content.indices {
      switch content[index].type.family {
      case .screen: content[index].screen = ScreenOpener(protection, id: Self.id)
      case .audio: content[index].sound = AudioOpener(protection, id: Self.id, from: .phone)
      case .buffered: content[index].buffered = BufferedAudioOpener(key: secret)
      case .data:
        content[index].data = (FrameOpener(key: data.phone), FrameSealer(key: data.headUnit), DataPackageReader())
      }
      headUnit.streams[content[index].type] = content[index]
      headUnit.bound.formUnion(content[index].type.sockets)
    }
    headUnit.bound.formUnion([.events, .clock])
  }

  private static let sockets: [SessionSocket] = [
    .control(0), .events, .clock, .keepAlive, .stream(.screen), .stream(.mainAudio), .streamControl(.mainAudio),
    .stream(.data), .stream(.bufferedAudio), .control(1),
  ]

  /// Returns what happens in a step.
  mutating func occurrence(_ operation: UInt8, _ program: inout ProbeProgram) -> Occurrence {
    switch operation & 0x0F {
    case 0: return .received(.control(0), sealed(program.bytes()), port: 0)
    case 1:
      let bytes = program.bytes()
      return .received(.events, events?.seal(bytes) ?? bytes, port: 0)
    case 2: return request(&program)
    case 3:
      let kind = ScreenMessage.Kind(rawValue: program.byte() & 7) ?? .frame
      let message = ScreenMessage(kind, isKeyFrame: program.byte() & 1 == 1, time: 1, body: program.bytes())
      return .received(.stream(.screen), screen?.seal(message) ?? message.body, port: 0)
    case 4:
      let packet = AudioPacket(
        type: program.byte(), sequence: UInt16(program.byte()), timestamp: UInt32(program.byte()), source: 1,
        payload: program.bytes())
      return .received(.stream(.mainAudio), sound?.seal(packet) ?? packet.payload, port: 9)
    case 5:
      let bytes = program.bytes()
      return .received(.stream(.data), data?.seal(bytes) ?? bytes, port: 0)
    case 6:
      let packet = AudioPacket(type: 103, sequence: 1, timestamp: 1, source: 1, payload: program.bytes())
      do throws(BufferedAudioProblem) {
        return .received(.stream(.bufferedAudio), try buffered?.seal(packet) ?? packet.payload, port: 0)
      } catch { return .received(.stream(.bufferedAudio), packet.payload, port: 0) }
    case 7: return .closed(socket(&program))
    case 8: return .connected(socket(&program))
    case 9: return .writable(socket(&program), program.byte() & 1 == 0)
    case 10: return .bound(socket(&program), port: program.byte() == 0 ? nil : 6000)
    case 11: return .signed(program.byte() == 0 ? nil : AccessoryEvidence(certificate: program.bytes(), signature: [1]))
    case 12:
      let time = UInt64(program.byte())
      let packet = ClockPacket(isRequest: program.byte() & 1 == 0, reference: time, received: .max, sent: time << 56)
      return .received(.clock, packet.bytes, port: UInt16(program.byte()))
    default: return .received(socket(&program), program.bytes(), port: UInt16(program.byte()))
    }
  }

  private mutating func socket(_ program: inout ProbeProgram) -> SessionSocket {
    Self.sockets[Int(program.byte()) % Self.sockets.count]
  }

  private mutating func sealed(_ bytes: [UInt8]) -> [UInt8] { control?.seal(bytes) ?? bytes }

  /// The methods and paths of requests.
  private static let requests = [
    ("POST", "/command"), ("SETUP", "rtsp://carplay/1"), ("POST", "/pair-setup"), ("POST", "/pair-verify"),
    ("POST", "/auth-setup"), ("GET", "/info"), ("RECORD", "rtsp://carplay/1"), ("POST", "/feedback"),
    ("TEARDOWN", "rtsp://carplay/1"), ("FLUSH", "/"), ("OPTIONS", "*"),
  ]

  /// Returns a whole request, on the control connection of a phone or the event connection of a head unit.
  private mutating func request(_ program: inout ProbeProgram) -> Occurrence {
    let (method, path) = Self.requests[Int(program.byte()) % Self.requests.count]
    sequence += 1
    let message = RequestMessage(
      .request(method: method, path: path, protocolWord: "RTSP/1.0"),
      headers: RequestHeaders([("CSeq", "\(sequence)")]), body: program.bytes())
    if side == .phone { return .received(.control(0), sealed(message.bytes), port: 0) }
    return .received(.events, events?.seal(message.bytes) ?? message.bytes, port: 0)
  }

  /// Returns a whole answer to the next request of a phone.
  mutating func answer(_ program: inout ProbeProgram) -> Occurrence {
    let status = [200, 200, 200, 400, 403, 453, 470, 500][Int(program.byte() & 7)]
    let message = RequestMessage(
      .answer(status: status, reason: "OK", protocolWord: "RTSP/1.0"), headers: RequestHeaders([("CSeq", "1")]),
      body: program.bytes())
    return .received(.control(0), sealed(message.bytes), port: 0)
  }
}
