// swift-iap2 · Apache-2.0

public import Basics

/// The bytes of streams, the clock and the timers.
extension HeadUnitSession {
  mutating func receive(_ bytes: [UInt8], of type: StreamType, at time: MonotonicTime) {
    guard let place = session?.streams.place(of: type) else { return }
    do throws(SessionFailure) {
      switch type.family {
      case .screen:
        session?.lastHeard = time
        try receiveScreen(bytes, at: place, type, at: time)
      case .audio: receiveSound(bytes, at: place, type, at: time)
      case .buffered:
        session?.lastHeard = time
        try receiveBuffered(bytes, at: place, type, at: time)
      case .data:
        session?.lastHeard = time
        try receiveData(bytes, at: place, type)
      }
    } catch { end(error.end, error.problem) }
  }

  private mutating func start(_ place: Int, at time: MonotonicTime, timestamp: UInt32 = 0) {
    guard session?.streams.values[place].start(at: time, timestamp: timestamp) == true,
      let stream = session?.streams.values[place]
    else { return }
    report(.stream(stream.type, .running, stream.format))
  }

  private mutating func receiveScreen(
    _ bytes: [UInt8], at place: Int, _ type: StreamType, at time: MonotonicTime
  ) throws(SessionFailure) {
    session?.streams.values[place].screen?.add(bytes)
    do throws(ScreenOpener.Problem) {
      while let message = try session?.streams.values[place].screen?.next() {
        if message.kind == .frame { start(place, at: time) }
        report(.picture(type, message))
      }
    } catch { throw SessionFailure(.badScreen, error.valueProblem(of: type)) }
  }

  private mutating func receiveSound(_ bytes: [UInt8], at place: Int, _ type: StreamType, at time: MonotonicTime) {
    let timestamp = session?.streams.values[place].audio?.take(bytes, at: time, into: &soundEvents)
    guard let timestamp else { return }
    session?.lastHeard = time
    start(place, at: time, timestamp: timestamp)
    reportSound(of: type)
    askForSound(at: place, at: time)
  }

  /// Requests missing packets from the phone, not more often than the receiver allows.
  private mutating func askForSound(at place: Int, at time: MonotonicTime) {
    guard let stream = session?.streams.values[place], stream.audio?.receiver.deadline != nil,
      let port = stream.body.controlPort,
      let requests = session?.streams.values[place].audio?.receiver.requests(at: time.nanoseconds), !requests.isEmpty
    else { return }
    for request in requests {
      let bytes = AudioControlPacket.retransmitRequest(request).bytes
      act(.sendDatagram(.streamControl(stream.type), bytes, port: port))
    }
    session?.streams.values[place].nextSoundRequest = time.advanced(
      by: .nanoseconds(AudioReceiver.standardRequestInterval))
  }

  private mutating func reportSound(of type: StreamType) {
    for index in soundEvents.indices {
      switch soundEvents[index] {
      case .packet(let packet, _): report(.sound(type, timestamp: packet.timestamp, payload: packet.payload))
      case .lost(_, let count): report(.soundLost(type, count: count))
      case .restarted: break
      }
    }
    soundEvents.removeAll(keepingCapacity: true)
  }

  /// Returns the time between the arrival and the hearing of a stream's sound, as the phone stated it; nil for buffered
  /// sound, whose requests decide it, and without such a stream.
  public func soundLatency(of type: StreamType) -> Duration? {
    type.family == .audio ? session?.streams[type]?.body.soundLatency : nil
  }

  private mutating func receiveBuffered(
    _ bytes: [UInt8], at place: Int, _ type: StreamType, at time: MonotonicTime
  ) throws(SessionFailure) {
    session?.streams.values[place].buffered?.add(bytes)
    do throws(BufferedAudioProblem) {
      while let packet = try session?.streams.values[place].buffered?.next() {
        start(place, at: time, timestamp: packet.timestamp)
        report(.sound(type, timestamp: packet.timestamp, payload: packet.payload))
      }
    } catch { throw SessionFailure(.badBuffered, error.valueProblem(of: type)) }
  }

  private mutating func receiveData(_ bytes: [UInt8], at place: Int, _ type: StreamType) throws(SessionFailure) {
    try session?.streams.values[place].data?.receive(bytes)
    let isIAP = session?.streams.values[place].body.isForIAP == true
    while let (data, reply) = try session?.streams.values[place].data?.next() {
      if let reply { act(.send(.stream(type), reply)) }
      // Another client of the stream is not iAP2.
      if let data, isIAP { report(.iAP(data, from: .phone)) }
    }
  }

  /// Sends bytes of iAP2 inside the session: as a command, or on the data stream if the settings say so and it is
  /// connected.
  ///
  /// - Returns: Whether the bytes were accepted.
  @discardableResult
  public mutating func send(iAP bytes: [UInt8], at time: MonotonicTime) -> Bool {
    guard configuration.sendsOnDataStream, let stream = session?.streams[.data], stream.isConnected else {
      return send(.iAP(bytes), at: time)
    }
    do throws(DataPackageProblem) {
      guard let sealed = try session?.streams[.data]?.data?.seal(bytes) else { return false }
      act(.send(.stream(.data), sealed))
    } catch { return false }
    report(.iAP(bytes, from: .headUnit))
    return true
  }

  /// Sends the reports of a user's action at the input devices of the first display.
  ///
  /// - Returns: Whether the session takes commands.
  public mutating func perform(_ action: InputAction, at time: MonotonicTime) -> Bool {
    let display = configuration.info.displays?.first
    let commands = action.commands(width: display?.width ?? 0, height: display?.height ?? 0)
    return commands.allSatisfy { send($0, at: time) }
  }

  /// Sends a packet of the microphone, in the format of its stream.
  ///
  /// - Returns: Whether the phone has requested the microphone for the stream.
  @discardableResult
  public mutating func send(microphone payload: [UInt8], frameCount: Int, of type: StreamType = .mainAudio) -> Bool {
    guard let stream = session?.streams[type], var microphone = stream.microphone else { return false }
    let position = stream.microphonePosition
    let packet = AudioPacket(
      type: UInt8(type.rawValue), sequence: position.sequence, timestamp: position.timestamp, source: 0,
      payload: payload)
    act(.sendDatagram(.stream(type), microphone.sealer.seal(packet), port: microphone.port))
    session?.streams[type]?.microphone = microphone
    session?.streams[type]?.microphonePosition = (
      position.sequence &+ 1, position.timestamp &+ UInt32(truncatingIfNeeded: frameCount)
    )
    return true
  }

  /// The streams for which the phone has requested the microphone, with their formats.
  public var microphoneStreams: [(type: StreamType, format: AudioFormat)] {
    (session?.streams.values ?? []).sorted { $0.type.rawValue < $1.type.rawValue }.compactMap { stream in
      stream.microphone == nil ? nil : stream.format.map { (stream.type, $0) }
    }
  }

  /// Takes a datagram from the port that the phone stated; those of others are ignored.
  mutating func receiveControl(_ bytes: [UInt8], of type: StreamType, from port: UInt16, at time: MonotonicTime) {
    guard let stream = session?.streams[type], port == stream.body.controlPort else { return }
    switch AudioControlPacket(bytes: bytes) {
    case .retransmitted(_, let packet): receive(packet, of: type, at: time)
    case .sync(let sync):
      guard let place = session?.streams.place(of: type) else { return }
      session?.streams.values[place].audio?.receiver.announce(
        next: sync.next, at: time.nanoseconds, rate: stream.format?.rate ?? 0)
      askForSound(at: place, at: time)
    case .retransmitRequest, nil: break
    }
  }

  // MARK: Clock and feedback

  /// Sends a clock request to the phone.
  mutating func ask(at time: MonotonicTime) {
    guard let session, let port = session.clockPort else { return }
    let question = ClockPacket(isRequest: true, sent: clock(time))
    self.session?.questions = session.questions.suffix(Self.maximumQuestions - 1) + [question.sent]
    act(.sendDatagram(.clock, question.bytes, port: port))
    self.session?.nextQuestion = time.advanced(by: configuration.times.heartbeat)
  }

  private func clock(_ time: MonotonicTime) -> UInt64 { time.clock(epochSeconds: configuration.clockEpochSeconds) }

  /// Returns the time of the phone's clock datagrams at a time of this side's clock; nil without a session, and before
  /// the first answer of the phone's clock. Compare it with the time of a picture by ``ClockPacket/difference(_:_:)``.
  public func phoneTime(at time: MonotonicTime) -> UInt64? {
    session?.clock.offset.map { clock(time) &+ UInt64(bitPattern: $0) }
  }

  /// Returns the phone's time, or this side's own before the first answer of the phone's clock.
  func sharedTime(at time: MonotonicTime) -> UInt64 { phoneTime(at: time) ?? clock(time) }

  /// The number of clock requests whose answers may still come. Ours.
  private static let maximumQuestions = 8

  /// Takes a clock datagram from the port that the phone stated. An answer must belong to a question, and counts once.
  mutating func receiveClock(_ bytes: [UInt8], from port: UInt16, at time: MonotonicTime) {
    guard let packet = ClockPacket(bytes: bytes), session?.clockPort == port else { return }
    guard packet.isRequest else {
      guard let place = session?.questions.firstIndex(of: packet.reference) else { return }
      session?.questions.remove(at: place)
      let now = clock(time)
      session?.clock.take(packet, arrived: now)
      session?.lastHeard = time
      return
    }
    act(.sendDatagram(.clock, packet.answer(received: clock(time), sent: clock(time)).bytes, port: port))
  }

  mutating func answerFeedback(_ id: Int, _ request: RequestMessage, at time: MonotonicTime) {
    guard let session, session.connection == id else { return answer(id, request, 200) }
    let streams = session.streams.values.sorted { $0.type.rawValue < $1.type.rawValue }
    let entries = streams.compactMap { stream -> StreamBody? in
      guard let format = stream.format else { return nil }
      var entry = StreamBody(stream.type)
      entry.values["streamConnectionID"] = stream.body.values["streamConnectionID"]
      entry.values["sampleRate"] = .integer(Int64(format.rate))
      entry.values["sr"] = .real(Double(format.rate))
      // A phone ends a stream that the answer leaves out.
      guard let first = stream.first else { return entry }
      entry.values["timestamp"] = sharedTime(at: time).propertyValue
      entry.values["timestampRawNs"] = .integer(time.nanoseconds)
      let elapsed = max(0, first.time.duration(to: time) / .nanoseconds(1)) / 1e9 * Double(format.rate)
      let played = max(0, Int64(elapsed) - Int64(stream.body.latencySampleCount))
      entry.values["sampleTime"] = .integer(Int64(first.timestamp &+ UInt32(truncatingIfNeeded: played)))
      return entry
    }
    guard !entries.isEmpty else { return answer(id, request, 200) }
    answer(id, request, 200, type: MessageTypes.propertyList, body: StreamList(entries).bytes)
  }

  // MARK: Timers

  public var nextDeadline: MonotonicTime? {
    var earliest: MonotonicTime?
    func add(_ time: MonotonicTime?) { if let time { earliest = min(earliest ?? time, time) } }
    for (id, connection) in connections {
      if !isLive(id) { add(connection.deadline) }
      add(connection.waiting?.deadline)
      add(connection.turn)
    }
    add(reconnectDeadline)
    guard let session else { return earliest }
    for pending in session.pending { add(pending.deadline) }
    add(session.eventLoss)
    if session.clockPort != nil {
      add(session.nextQuestion)
      add(session.lastHeard.advanced(by: configuration.times.clockSilence))
    }
    if mustAsk(session) { add(session.lastRequest.advanced(by: configuration.times.feedbackSilence)) }
    for stream in session.streams.values {
      add(stream.lost)
      guard let deadline = stream.audio?.receiver.deadline else { continue }
      add(MonotonicTime(nanoseconds: deadline))
      if stream.body.controlPort != nil { add(stream.nextSoundRequest) }
    }
    return earliest
  }

  /// Returns whether the phone must send requests: its silence would keep other phones out.
  private func mustAsk(_ session: ActiveSession) -> Bool { session.isLive || !session.streams.isEmpty }

  /// Returns whether a connection has a live session.
  private func isLive(_ id: Int) -> Bool { session?.connection == id && session?.isLive == true }

  public mutating func handleDeadline(at time: MonotonicTime) {
    for (id, connection) in connections.sorted(by: { $0.key < $1.key }) {
      if let waiting = connection.waiting, let deadline = waiting.deadline, deadline <= time {
        connections[id]?.waiting = nil
        if case .drained(let types) = waiting.step {
          remove(types, .stopped)
          answer(id, waiting.request, 200)
        } else {
          refuse(id, waiting.request, 455, nil)
        }
        serve(id, at: time)
      } else if connection.deadline <= time, !isLive(id) {
        drop(id, .setupTimeout)
      } else if let turn = connection.turn, turn <= time {
        connections[id]?.turn = nil
        serve(id, at: time)
      }
    }
    if let reconnectDeadline, reconnectDeadline <= time {
      self.reconnectDeadline = nil
      report(.ended(.controlLost))
    }
    guard let session else { return }
    let times = configuration.times
    if session.eventLoss.map({ $0 <= time }) == true { return end(.eventLost) }
    if session.pending.contains(where: { $0.deadline <= time }) { return end(.requestTimeout) }
    if mustAsk(session), session.lastRequest.advanced(by: times.feedbackSilence) <= time {
      return end(.feedbackSilent)
    }
    if session.clockPort != nil {
      if session.lastHeard.advanced(by: times.clockSilence) <= time { return end(.clockSilent) }
      if session.nextQuestion <= time { ask(at: time) }
    }
    for type in session.streams.types.sorted(by: { $0.rawValue < $1.rawValue }) {
      if let lost = session.streams[type]?.lost, lost <= time { remove([type], .closed) }
      guard let events = self.session?.streams[type]?.audio?.receiver.advance(to: time.nanoseconds) else { continue }
      soundEvents += events
      reportSound(of: type)
      guard let place = self.session?.streams.place(of: type) else { continue }
      askForSound(at: place, at: time)
      // After a gap has closed, a request is due but no packet is missing, so no request was sent.
      if let next = self.session?.streams.values[place].nextSoundRequest, next <= time {
        self.session?.streams.values[place].nextSoundRequest = nil
      }
    }
  }
}
