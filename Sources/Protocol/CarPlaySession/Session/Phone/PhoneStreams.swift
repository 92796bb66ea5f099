// swift-iap2 · Apache-2.0

public import Basics
import Cryptography

/// A stream of the phone.
struct PhoneStream: Sendable {
  enum Content: Sendable {
    case screen(ScreenSender)
    case audio(AudioSender)
    case buffered(BufferedAudioSealer)
    case data(DataChannel)
  }

  let type: StreamType
  /// The set-up that the phone requests. The ports of the phone's sockets are added when they are bound.
  var body: StreamBody
  var content: Content
  var format: AudioFormat?
  var unbound: Set<SessionSocket>
  /// The sequence number of the request that sets the stream up; nil until its sockets are bound.
  var request: Int?
  /// The ports of the head unit; nil until its answer.
  var answer: StreamBody?
  var isRunning = false
  /// The reading side of the microphone; nil if the stream has none.
  var microphone: AudioInput?

  var sockets: [SessionSocket] {
    type.family == .audio ? [.stream(type), .streamControl(type)] : [.stream(type)]
  }
}

/// A request of a phone's owner for a stream.
public struct StreamRequest: Sendable, Hashable {
  /// The type.
  public var type: StreamType
  /// The format of sound.
  public var format: AudioFormat?
  /// The kind of sound.
  public var audioType: String?
  /// The number of samples in a packet.
  public var framesPerPacket: Int?
  /// The time between the arrival and the playing of sound, or the showing of a picture, in milliseconds.
  public var latencyMilliseconds: Int?
  /// Whether the phone requests the microphone.
  public var wantsMicrophone = false

  /// Creates a request.
  public init(
    _ type: StreamType, format: AudioFormat? = nil, audioType: String? = nil, framesPerPacket: Int? = nil,
    latencyMilliseconds: Int? = nil, wantsMicrophone: Bool = false
  ) {
    (self.type, self.format, self.audioType) = (type, format, audioType)
    (self.framesPerPacket, self.latencyMilliseconds) = (framesPerPacket, latencyMilliseconds)
    self.wantsMicrophone = wantsMicrophone
  }
}

extension PhoneSession {
  /// Sets a stream up. Its content can be sent once its state is ``StreamState/running``.
  ///
  /// - Returns: Whether the set-up was started. The session must be live and have no stream of this type. Sound needs a
  ///   format, and buffered sound and data need pair-verify.
  @discardableResult
  public mutating func setUp(_ request: StreamRequest, at time: MonotonicTime) -> Bool {
    guard isLive, streams[request.type] == nil, let stream = stream(request) else { return false }
    streams[request.type] = stream
    if stream.unbound.isEmpty { askStream(request.type, at: time) }
    for socket in stream.sockets where stream.unbound.contains(socket) { act(.bind(socket, beside: 0)) }
    return true
  }

  /// Returns whether the head unit plays sound of a kind in a format. One without sound offers none
  /// (CarPlaySession.md#info-demands).
  public func isOffered(_ format: AudioFormat?, of type: StreamType, kind: String?) -> Bool {
    guard let format else { return false }
    return info?.audioFormats?.contains { $0.includes(format, of: type) && ($0.kind ?? kind) == kind } ?? false
  }

  /// Returns the head unit's first display of a type; nil if there is none.
  public func display(of type: StreamType) -> DisplayInfo? {
    info?.displays?.first { ($0.type ?? StreamType.screen.rawValue) == type.rawValue }
  }

  private func stream(_ request: StreamRequest) -> PhoneStream? {
    guard let protection else { return nil }
    let type = request.type
    var body = StreamBody(type)
    let id = UInt64(bigEndianBytes: random(8))
    let content: PhoneStream.Content
    switch type.family {
    case .screen:
      body.connectionID = id
      body.uuid = display(of: type)?.uuid
      body.latencyMilliseconds = request.latencyMilliseconds ?? 0
      content = .screen(ScreenSender(ScreenSealer(protection, id: id)))
    case .audio:
      guard let format = request.format else { return nil }
      body.connectionID = id
      body.audioFormat = format
      body.audioType = request.audioType
      body.audioLatencyMilliseconds = request.latencyMilliseconds ?? 0
      body.framesPerPacket = request.framesPerPacket
      body.values.merge(configuration.keys.soundKeys) { own, _ in own }
      if request.wantsMicrophone { body.wantsInput = true }
      let source = UInt32(bigEndianBytes: random(4))
      content = .audio(
        AudioSender(
          AudioSealer(protection, id: id, from: .phone), type: type, source: source,
          latency: UInt32(body.latencySampleCount)))
    case .buffered:
      guard protection.secret != nil else { return nil }
      let key = random(32)
      body.connectionID = id
      body.sharedKey = key
      body.audioFormat = request.format
      body.values["ct"] = 4
      body.values["spf"] = 1024
      body.values["isMedia"] = true
      content = .buffered(BufferedAudioSealer(key: Secret(key)))
    case .data:
      guard let secret = protection.secret else { return nil }
      let keys = ChannelKeys.stream(secret, id: id)
      body.seed = id
      body.values["clientTypeUUID"] = .text(StreamBody.clientOfIAP)
      body.values["controlType"] = 2
      body.values["wantsDedicatedSocket"] = true
      content = .data(DataChannel(reading: keys.headUnit, writing: keys.phone))
    }
    var stream = PhoneStream(type: type, body: body, content: content, format: request.format, unbound: [])
    if type.family == .audio { stream.unbound = Set(stream.sockets) }
    if request.wantsMicrophone, type.family == .audio {
      let opener = AudioOpener(protection, id: id, from: .headUnit)
      stream.microphone = AudioInput(opener: opener)
    }
    return stream
  }

  mutating func boundStream(_ socket: SessionSocket, _ type: StreamType, port: UInt16?, at time: MonotonicTime) {
    guard var stream = streams[type], stream.unbound.contains(socket) else { return act(.close(socket)) }
    guard let port else { return end(.unavailable) }
    stream.unbound.remove(socket)
    if case .streamControl = socket {
      stream.body.controlPort = port
    } else if stream.body.wantsInput {
      stream.body.dataPort = port
    }
    streams[type] = stream
    if stream.unbound.isEmpty { askStream(type, at: time) }
  }

  private mutating func askStream(_ type: StreamType, at time: MonotonicTime) {
    guard let body = streams[type]?.body else { return }
    streams[type]?.request = nextSequence
    ask(.streams([type]), "SETUP", type: MessageTypes.propertyList, body: StreamList([body]).bytes, at: time)
  }

  mutating func takeStreams(
    _ types: [StreamType], _ request: Int, _ body: [UInt8], at time: MonotonicTime
  ) throws(SessionFailure) {
    let list: StreamList
    do throws(BodyProblem) { list = try StreamList(bytes: body) } catch {
      throw SessionFailure(.badPlist, ValueProblem("answer to SETUP", body: body, error))
    }
    guard let answers = list.streams else {
      throw SessionFailure(
        .badValue,
        ValueProblem("answer to SETUP", "streams", list.values["streams"], expected: "a list of streams"))
    }
    for type in types {
      // A stream that was ended meanwhile may have been set up again.
      guard var stream = streams[type], stream.request == request else { continue }
      // A head unit leaves out what it does not take.
      guard let index = answers.firstIndex(where: { $0.type == type }) else {
        // Nothing began, so no request ends it.
        streams[type]?.request = nil
        drop(
          type, ValueProblem("answer to SETUP", "streams", list.values["streams"], expected: "type \(type.rawValue)"),
          at: time)
        continue
      }
      let (answer, path) = (answers[index], "streams[\(index)]")
      guard let port = answer.dataPort else { throw SessionFailure(.badValue, answer.portProblem(at: path)) }
      stream.answer = answer
      streams[type] = stream
      report(.stream(type, .setUp, stream.format))
      if type.family == .audio {
        if let problem = answer.idProblem(at: path, to: stream.body, isVerified: protection?.secret != nil) {
          drop(type, problem, at: time)
          continue
        }
        run(type)
      } else {
        connect(.stream(type), port: port, at: time)
      }
    }
  }

  /// Ends a stream that the answer of the head unit does not name.
  private mutating func drop(_ type: StreamType, _ problem: ValueProblem, at time: MonotonicTime) {
    report(.tolerated(problem))
    report(.stream(type, .notEchoed, streams[type]?.format))
    tearDown([type], at: time)
  }

  mutating func run(_ type: StreamType) {
    guard let stream = streams[type], !stream.isRunning else { return }
    streams[type]?.isRunning = true
    report(.stream(type, .running, stream.format))
  }

  /// Ends streams in order.
  public mutating func tearDown(_ types: [StreamType], at time: MonotonicTime) {
    let ending = types.compactMap { streams[$0] }
    guard isLive, !ending.isEmpty else { return }
    let entries = ending.filter { $0.request != nil }.map { stream in
      var entry = StreamBody(stream.type)
      entry.values["streamConnectionID"] = stream.body.values["streamConnectionID"]
      return entry
    }
    if !entries.isEmpty {
      ask(.tearDownStreams, "TEARDOWN", type: MessageTypes.propertyList, body: StreamList(entries).bytes, at: time)
    }
    for stream in ending {
      streams[stream.type] = nil
      for socket in stream.sockets { act(.close(socket)) }
      connecting[.stream(stream.type)] = nil
      report(.stream(stream.type, .stopped, stream.format))
    }
  }

  // MARK: Content

  /// Sends a message of a screen. A frame that finds no room in the queue is dropped before it is sealed.
  ///
  /// - Returns: Whether the stream runs and has room for the message.
  @discardableResult
  public mutating func send(_ message: ScreenMessage, of type: StreamType, at time: MonotonicTime) -> Bool {
    guard streams[type]?.isRunning == true, case .screen(var sender)? = streams[type]?.content else { return false }
    let isTaken = sender.add(message)
    flush(type, &sender, at: time)
    return isTaken
  }

  private mutating func flush(_ type: StreamType, _ sender: inout ScreenSender, at time: MonotonicTime) {
    while let bytes = sender.next(at: time) { act(.send(.stream(type), bytes)) }
    streams[type]?.content = .screen(sender)
  }

  public mutating func writability(of socket: SessionSocket, _ isWritable: Bool, at time: MonotonicTime) {
    guard case .stream(let type) = socket, case .screen(var sender)? = streams[type]?.content else { return }
    sender.isWritable = isWritable
    flush(type, &sender, at: time)
  }

  /// Sends a packet of sound with its samples.
  public mutating func send(sound payload: [UInt8], frameCount: Int, of type: StreamType, at time: MonotonicTime) {
    guard let stream = streams[type], stream.isRunning, case .audio(var sender) = stream.content,
      let port = stream.answer?.dataPort
    else { return }
    if let control = stream.answer?.controlPort, let sync = sender.sync(at: time, every: configuration.times.heartbeat)
    {
      act(.sendDatagram(.streamControl(type), AudioControlPacket.sync(sync).bytes, port: control))
    }
    let end = time.advanced(by: configuration.times.soundPause)
    act(.sendDatagram(.stream(type), sender.seal(payload, frameCount: frameCount, closingAt: end), port: port))
    streams[type]?.content = .audio(sender)
  }

  /// Sends sync packets that show the head unit where sound ended that pauses or is over.
  mutating func closeSound(at time: MonotonicTime) {
    for type in streams.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      guard case .audio(var sender)? = streams[type]?.content,
        let sync = sender.closingSync(at: time, every: configuration.times.soundPause)
      else { continue }
      streams[type]?.content = .audio(sender)
      guard let control = streams[type]?.answer?.controlPort else { continue }
      act(.sendDatagram(.streamControl(type), AudioControlPacket.sync(sync).bytes, port: control))
    }
  }

  /// Sends a unit of buffered sound.
  public mutating func send(buffered packet: AudioPacket) throws(BufferedAudioProblem) {
    guard streams[.bufferedAudio]?.isRunning == true,
      case .buffered(var sealer)? = streams[.bufferedAudio]?.content
    else { return }
    act(.send(.stream(.bufferedAudio), try sealer.seal(packet)))
    streams[.bufferedAudio]?.content = .buffered(sealer)
  }

  /// Sends bytes of iAP2 inside the session: on the data stream if it runs, otherwise as a command.
  ///
  /// - Returns: Whether the bytes were accepted.
  @discardableResult
  public mutating func send(iAP bytes: [UInt8], at time: MonotonicTime) -> Bool {
    guard let stream = streams[.data], stream.isRunning, case .data(var channel) = stream.content else {
      return send(.iAP(bytes), at: time)
    }
    do throws(DataPackageProblem) { act(.send(.stream(.data), try channel.seal(bytes))) } catch { return false }
    streams[.data]?.content = .data(channel)
    report(.iAP(bytes, from: .phone))
    return true
  }

  mutating func receive(_ bytes: [UInt8], of type: StreamType, at time: MonotonicTime) {
    guard let stream = streams[type] else { return }
    if case .data(var channel) = stream.content {
      do throws(SessionFailure) {
        try channel.receive(bytes)
        while let (data, reply) = try channel.next() {
          if let reply { act(.send(.stream(type), reply)) }
          if let data { report(.iAP(data, from: .headUnit)) }
        }
      } catch { return end(error.end, error.problem) }
      streams[type]?.content = .data(channel)
    } else if stream.microphone != nil {
      receiveMicrophone(bytes, of: type, at: time)
    }
  }

  private mutating func receiveMicrophone(_ bytes: [UInt8], of type: StreamType, at time: MonotonicTime) {
    var events: [AudioReceiver.Event] = []
    if streams[type]?.microphone?.take(bytes, at: time, into: &events) != nil { hear(at: time) }
    report(events, ofMicrophone: type)
  }

  /// Reports packets of the microphone. Lost packets are not requested, because no way to do so is known.
  mutating func report(_ events: [AudioReceiver.Event], ofMicrophone type: StreamType) {
    for event in events {
      switch event {
      case .packet(let packet, _): report(.sound(type, timestamp: packet.timestamp, payload: packet.payload))
      case .lost(_, let count): report(.soundLost(type, count: count))
      case .restarted: break
      }
    }
  }

  /// Answers a request for packets, which must come from the port that the head unit stated.
  mutating func receiveControl(_ bytes: [UInt8], of type: StreamType, from port: UInt16, at time: MonotonicTime) {
    guard case .retransmitRequest(let request) = AudioControlPacket(bytes: bytes),
      case .audio(var sender)? = streams[type]?.content, port == streams[type]?.answer?.controlPort
    else { return }
    let answers = sender.history.answers(to: request, at: time)
    streams[type]?.content = .audio(sender)
    for answer in answers { act(.sendDatagram(.streamControl(type), answer.bytes, port: port)) }
  }
}
