// swift-iap2 · Apache-2.0

import Basics
import CarPlayPrograms
import CarPlaySession
import Cryptography

/// A fault of a phone, between its session and the network.
struct PhoneFault: Sendable {
  /// Changes the settings of the session.
  var configure: @Sendable (inout PhoneConfiguration) -> Void = { _ in }
  /// Changes the settings of the program.
  var program: @Sendable (inout PhoneProgram.Settings) -> Void = { _ in }
  /// Called with the reason of each end.
  var noteEnd: @Sendable (SessionEnd) -> Void = { _ in }
  /// The requests that the phone sends in place of the end of its connections; nil for a phone that closes them.
  var endless: [String]?
  /// Whether it answers a command in place of the end.
  var answersAtEnd = false
  /// Whether a message ends the session.
  var refuses: @Sendable (RequestMessage) -> Bool = { _ in false }
  /// Whether a piece of bytes ends the session.
  var refusesPiece: @Sendable (SessionSocket, [UInt8]) -> Bool = { _, _ in false }
  /// Whether a request of the clock from a second port, or 4 s without one, ends the session.
  var refusesSecondPort = false, needsClock = false
  /// Changes a message that the phone sends; nil drops it. The state of the phone has the number of its connections and
  /// whether it knows a head unit.
  var change: @Sendable (SessionSocket, RequestMessage, _ connection: Int, _ isPaired: Bool) -> RequestMessage? = {
    _, message, _, _ in message
  }
  /// Returns a command that the phone sends after a message; nil for none.
  var reaction: @Sendable (RequestMessage) -> SessionCommand? = { _ in nil }
  /// Whether it asks for the microphone in place of music.
  var speaks = false
  /// Whether it sends its last packet of sound on and on, and ends no stream.
  var keepsSound = false
  /// Changes the status of the answer to a control request.
  var changeCall: @Sendable (_ request: String, _ status: Int) -> Int = { $1 }
  /// Whether it ignores granted control requests, or serves none beside one that stops.
  var ignoresCalls = false, blocksCalls = false
  /// Changes a datagram, or bytes of a stream; nil drops them.
  var changeContent: @Sendable (SessionSocket, [UInt8]) -> [UInt8]? = { $1 }
}

/// The phone of this package with a fault. It keeps its pairings for the next session.
struct FaultyPhone: SessionMachine {
  private var session: ProgrammedSession<PhoneProgram>
  private let fault: PhoneFault
  /// The number of this connection, from 1.
  let number: Int
  /// The keys of the paired head units.
  private(set) var paired: [String: [UInt8]]
  private let wasPaired: Bool
  private var secret: Secret?
  private var incoming: [SessionSocket: Pipe] = [:], outgoing: [SessionSocket: Pipe] = [:]
  private var clockPort: UInt16?
  /// The last packet of sound, for a phone that keeps sending it.
  private var lastSound: SessionAction?
  private var lastClock: MonotonicTime?
  /// The commands that follow the messages of the last call.
  private var reactions: [SessionCommand] = []
  /// The time of the last call.
  private var time = MonotonicTime.zero

  /// One direction of a connection, which the fault reads and seals anew.
  private struct Pipe: Sendable {
    var opener: FrameOpener?, sealer: FrameSealer?
    var reader = RequestReader()

    mutating func messages(_ bytes: [UInt8]) -> [RequestMessage] {
      do {
        reader.add(try opener?.open(bytes) ?? bytes)
        var messages: [RequestMessage] = []
        while let message = try reader.next() { messages.append(message) }
        return messages
      } catch { return [] }
    }

    mutating func sealed(_ bytes: [UInt8]) -> [UInt8] { sealer?.seal(bytes) ?? bytes }
  }

  init(
    _ configuration: PhoneConfiguration, _ settings: PhoneProgram.Settings, _ fault: PhoneFault,
    after before: FaultyPhone?, random: @escaping @Sendable (Int) -> [UInt8], at time: MonotonicTime
  ) {
    var (configuration, settings) = (configuration, settings)
    fault.configure(&configuration)
    fault.program(&settings)
    if fault.speaks { settings.music = nil }
    configuration.headUnits = before?.paired ?? [:]
    (paired, wasPaired) = (configuration.headUnits, !configuration.headUnits.isEmpty)
    (self.fault, number) = (fault, (before?.number ?? 0) + 1)
    session = ProgrammedSession(PhoneSession(configuration, random: random), PhoneProgram(settings))
    session.machine.start(port: 7000, at: time)
  }

  /// Opens the streams that the program does not open.
  private mutating func openStreams() {
    if fault.speaks {
      let call = StreamRequest(
        .mainAudio, format: .pcm(rate: 16_000, channels: 1), audioType: "telephony", wantsMicrophone: true)
      session.machine.setUp(call, at: time)
    }
    let music = AudioFormat.all.first { $0.codec == .aacLC }
    session.machine.setUp(StreamRequest(.data), at: time)
    session.machine.setUp(StreamRequest(.bufferedAudio, format: music), at: time)
  }

  /// Sends a first content on them.
  private mutating func fill(_ type: StreamType) {
    if type == .data { session.machine.send(iAP: [0xFF, 0x55, 2, 0, 0xEE, 0x10], at: time) }
    guard type == .bufferedAudio else { return }
    let packet = AudioPacket(type: 103, sequence: 0, timestamp: 0, source: 1, payload: [1, 2, 3])
    do throws(BufferedAudioProblem) { try session.machine.send(buffered: packet) } catch {}
  }

  mutating func receive(_ bytes: [UInt8], on socket: SessionSocket, from port: UInt16, at time: MonotonicTime) {
    self.time = time
    if isRefused(bytes, socket, port, time) { return session.stop(.unavailable, at: time) }
    session.receive(bytes, on: socket, from: port, at: time)
    for command in reactions { session.machine.send(command, at: time) }
    reactions = []
  }

  private mutating func isRefused(
    _ bytes: [UInt8], _ socket: SessionSocket, _ port: UInt16, _ time: MonotonicTime
  ) -> Bool {
    if fault.refusesPiece(socket, bytes) { return true }
    switch socket {
    case .clock:
      defer { (clockPort, lastClock) = (clockPort ?? port, time) }
      return fault.refusesSecondPort && clockPort ?? port != port
    case .control, .events:
      if fault.needsClock, session.machine.isLive, (lastClock ?? .zero).duration(to: time) > .seconds(4) { return true }
      var pipe = incoming[socket] ?? Pipe()
      let messages = pipe.messages(bytes)
      incoming[socket] = pipe
      reactions = messages.compactMap(fault.reaction)
      return messages.contains(where: fault.refuses)
    default: return false
    }
  }

  mutating func takeActions(into actions: inout [SessionAction]) {
    actions.removeAll()
    while true {
      let taken = session.takeActions()
      guard !taken.isEmpty else { return }
      for action in taken { take(action, into: &actions) }
    }
  }

  private mutating func take(_ action: SessionAction, into actions: inout [SessionAction]) {
    switch action {
    case .log(let agreed):
      if agreed.procedure == .pairVerify { secret = agreed.secret }
      actions.append(action)
    case .report(let event):
      if case .paired(let peer) = event { paired[peer.identifier] = peer.publicKey }
      if case .state(.verified) = event { encrypt() }
      if case .state(.live) = event { openStreams() }
      if case .stream(let type, .running, _) = event { fill(type) }
      if case .ended(let end, _) = event { fault.noteEnd(end) }
      actions.append(action)
    case .send(let socket, let bytes) where socket == .control(0) || socket == .events:
      var pipe = outgoing[socket] ?? Pipe()
      for message in pipe.messages(bytes) {
        if fault.keepsSound, message.method == "TEARDOWN" { continue }
        guard let changed = fault.change(socket, message, number, wasPaired) else { continue }
        actions.append(.send(socket, pipe.sealed(changed.bytes)))
      }
      outgoing[socket] = pipe
    case .sendDatagram(.stream, _, _) where fault.keepsSound:
      lastSound = action
      actions.append(action)
    case .close(.stream) where fault.keepsSound, .close(.streamControl) where fault.keepsSound: break
    case .sendDatagram(let socket, let bytes, let port):
      if socket == .clock, let lastSound { actions.append(lastSound) }
      if let bytes = fault.changeContent(socket, bytes) {
        actions.append(.sendDatagram(socket, bytes, port: port))
      }
    case .send(let socket, let bytes):
      if let bytes = fault.changeContent(socket, bytes) { actions.append(.send(socket, bytes)) }
    case .close(.control(0)) where fault.endless != nil:
      for method in fault.endless ?? [] {
        let path = method == "GET" ? "/info" : "rtsp://carplay/1"
        let message = RequestMessage(
          .request(method: method, path: path, protocolWord: "RTSP/1.0"), headers: RequestHeaders([("CSeq", "99")]),
          body: method == "SETUP" ? StreamList([StreamBody(.screen)]).bytes : [])
        actions.append(.send(.control(0), outgoing[.control(0), default: Pipe()].sealed(message.bytes)))
      }
    case .close where fault.endless != nil: break
    case .close(.events) where fault.answersAtEnd:
      let message = RequestMessage(
        .answer(status: 200, reason: "OK", protocolWord: "RTSP/1.0"), headers: RequestHeaders([("CSeq", "1")]))
      actions += [.send(.events, outgoing[.events, default: Pipe()].sealed(message.bytes)), action]
    default: actions.append(action)
    }
  }

  /// Reads and seals the channels from now on.
  private mutating func encrypt() {
    guard let secret else { return }
    let (control, events) = (ChannelKeys.control(secret), ChannelKeys.events(secret))
    outgoing[.control(0)] = Pipe(
      opener: FrameOpener(key: control.phone), sealer: FrameSealer(key: control.phone))
    outgoing[.events] = Pipe(opener: FrameOpener(key: events.phone), sealer: FrameSealer(key: events.phone))
    incoming[.control(0)] = Pipe(opener: FrameOpener(key: control.headUnit))
    incoming[.events] = Pipe(opener: FrameOpener(key: events.headUnit))
  }

  // MARK: The session

  mutating func bound(_ socket: SessionSocket, port: UInt16?, at time: MonotonicTime) {
    self.time = time
    session.bound(socket, port: port, at: time)
  }

  mutating func connected(_ socket: SessionSocket, at time: MonotonicTime) {
    self.time = time
    session.connected(socket, at: time)
  }

  mutating func writability(of socket: SessionSocket, _ isWritable: Bool, at time: MonotonicTime) {
    session.writability(of: socket, isWritable, at: time)
  }

  mutating func closed(_ socket: SessionSocket, at time: MonotonicTime) { session.closed(socket, at: time) }

  mutating func stop(_ end: SessionEnd, at time: MonotonicTime) { session.stop(end, at: time) }

  mutating func signed(_ evidence: AccessoryEvidence?, at time: MonotonicTime) { session.signed(evidence, at: time) }

  mutating func handleDeadline(at time: MonotonicTime) {
    self.time = time
    session.handleDeadline(at: time)
  }

  var nextDeadline: MonotonicTime? { session.nextDeadline }
}
