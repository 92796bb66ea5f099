// swift-iap2 · Apache-2.0

import Basics
import Cryptography

/// The set-up and the end of the session and of its streams.
extension HeadUnitSession {
  mutating func setUp(_ id: Int, _ request: RequestMessage, at time: MonotonicTime) {
    do throws(BodyProblem) {
      let list = try StreamList(bytes: request.body)
      guard list.hasStreams else {
        return setUpSession(id, request, SessionSetUpRequest(values: list.values), at: time)
      }
      guard let present = session, present.connection == id else {
        return refuse(
          id, request, 455, nil,
          ValueProblem(Self.setUpName, is: "it has streams", expected: "a SETUP of the session without streams first"))
      }
      // The phone may reuse the type of a stream whose connection it has lost.
      remove(present.streams.types.filter { present.streams[$0]?.lost != nil }, .closed)
      guard let session else { return }
      guard session.isEventConnected else {
        // The request may arrive before the event connection that the phone opened first.
        connections[id]?.waiting = Waiting(
          request: request, step: .events, deadline: time.advanced(by: configuration.times.eventConnection))
        return
      }
      setUpStreams(id, request, list, session)
    } catch { refuse(id, request, 400, .badPlist, ValueProblem(Self.setUpName, body: request.body, error)) }
  }

  /// The name of the request in problems.
  private static let setUpName = "SETUP"

  private mutating func setUpSession(
    _ id: Int, _ request: RequestMessage, _ body: SessionSetUpRequest, at time: MonotonicTime
  ) {
    let isTaken = connections.contains {
      if case .session = $0.value.waiting?.step { $0.key != id } else { false }
    }
    guard !isTaken else { return refuse(id, request, 453, .busy) }
    guard session?.connection != id else {
      return refuse(
        id, request, 455, nil, ValueProblem(Self.setUpName, is: "it has no streams", expected: "streams, once set up"))
    }
    let protection: StreamProtection
    do throws(ValueProblem) { protection = try self.protection(id, body) } catch {
      return refuse(id, request, 400, .badValue, error)
    }
    if session != nil { end(.superseded) }
    introduce(id)
    for problem in body.problems { report(.tolerated(problem)) }
    var sockets: [SessionSocket] = [.events]
    if body.timingPort != nil { sockets.append(.clock) }
    if body.wantsKeepAlive { sockets.append(.keepAlive) }
    wait(id, request, .session(body, protection), for: sockets)
  }

  /// Reports the states of a connection that came during a session, and has the next one.
  private mutating func introduce(_ id: Int) {
    guard connections[id]?.isReported == false else { return }
    connections[id]?.isReported = true
    report(.state(.connected))
    if connections[id]?.verified != nil { report(.state(.verified)) }
    if connections[id]?.authSetup.isAnswered == true { report(.state(.authenticated)) }
  }

  /// Returns the protection of a connection's streams.
  ///
  /// - Throws: The wrong key, if the connection is not verified and the set-up has no session key that auth-setup
  ///   protects.
  private func protection(_ id: Int, _ body: SessionSetUpRequest) throws(ValueProblem) -> StreamProtection {
    let connection = connections[id]
    if let verified = connection?.verified { return .verified(verified.secret) }
    func problem(_ key: String, _ expected: String) -> ValueProblem {
      ValueProblem(Self.setUpName, key, body.values[key], expected: expected + ", because the phone is not verified")
    }
    let kind = SessionSetUpRequest.authSetupEncryption
    guard body.encryptionType == kind else { throw problem("et", "\(kind)") }
    let size = "\(SessionKey.byteCount) bytes"
    guard let encrypted = body.encryptedKey, encrypted.count == SessionKey.byteCount else {
      throw problem("ekey", size)
    }
    guard let vector = body.initializationVector, vector.count == SessionKey.byteCount else {
      throw problem("eiv", size)
    }
    let features = FeatureBits(rawValue: configuration.info.features ?? 0)
    let key = connection?.authSetup.sessionKey(encrypted).flatMap {
      SessionKey(bytes: Secret($0), initializationVector: vector, encryptsSound: !features.contains(.unencryptedAudio))
    }
    guard let key else {
      throw ValueProblem(Self.setUpName, is: "ekey came before auth-setup", expected: "auth-setup first")
    }
    return .unverified(key)
  }

  private mutating func wait(
    _ id: Int, _ request: RequestMessage, _ step: Waiting.Step, for sockets: [SessionSocket]
  ) {
    connections[id]?.waiting = Waiting(request: request, step: step, unbound: Set(sockets))
    for socket in sockets { act(.bind(socket, beside: id)) }
  }

  /// Answers the set-up of a session after its sockets are bound.
  mutating func setUp(
    _ id: Int, _ waiting: Waiting, _ body: SessionSetUpRequest, _ protection: StreamProtection, at time: MonotonicTime
  ) {
    var reply = SessionSetUpAnswer()
    reply.eventPort = waiting.ports[.events]
    reply.timingPort = waiting.ports[.clock]
    reply.keepAlivePort = waiting.ports[.keepAlive]
    var features = configuration.usableFeatures
    if protection.secret == nil { features.subtract(StreamProtection.featuresOfVerified) }
    // A phone that names no features gets all: LIVI states them without being asked.
    let hasNames = body.values["features"] != nil
    reply.enabledFeatures = hasNames ? body.features.filter(features.contains) : features.sorted()
    session = ActiveSession(
      connection: id, protection: protection, enabledFeatures: reply.enabledFeatures, lastRequest: time,
      clockPort: body.timingPort, nextQuestion: time, lastHeard: time,
      sockets: waiting.ports.keys.sorted { "\($0)" < "\($1)" })
    // A connection that broke before without a word is no session, and its end is not that of a later one.
    for other in connections.keys where other != id { connections[other]?.isReported = false }
    answer(id, waiting.request, 200, type: MessageTypes.propertyList, body: reply.bytes)
    report(.state(.setUp))
    ask(at: time)
  }

  private mutating func setUpStreams(
    _ id: Int, _ request: RequestMessage, _ list: StreamList, _ session: ActiveSession
  ) {
    guard let bodies = list.streams, !bodies.isEmpty else {
      return refuse(id, request, 400, .badValue, Self.noStreams(Self.setUpName, list))
    }
    var streams: [HeadUnitStream] = []
    var problems: [ValueProblem] = []
    for (index, body) in bodies.enumerated() {
      let path = "streams[\(index)]"
      do throws(ValueProblem) {
        let stream = try stream(body, at: path, session)
        guard !streams.contains(where: { $0.type == stream.type }) else {
          throw ValueProblem(
            Self.setUpName, in: path, "type", body.values["type"], expected: "a type that comes once")
        }
        streams.append(stream)
      } catch { problems.append(error) }
    }
    guard !streams.isEmpty else { return refuse(id, request, 400, .badValue, problems.first) }
    for problem in problems.prefix(Self.maximumProblems) { report(.tolerated(problem)) }
    // A phone may set a stream up anew without having ended it.
    remove(streams.map(\.type).filter { session.streams[$0] != nil }, .stopped)
    wait(id, request, .streams(streams), for: streams.flatMap(\.sockets))
  }

  /// The largest number of problems of one list that are reported. Ours: a phone has few streams.
  private static let maximumProblems = 8

  /// The problem of a list of streams that has none.
  private static func noStreams(_ message: String, _ list: StreamList) -> ValueProblem {
    ValueProblem(message, "streams", list.values["streams"], expected: "a list of dictionaries")
  }

  /// Returns the stream of a set-up.
  ///
  /// - Throws: The key that is wrong for the type of the stream.
  private func stream(
    _ body: StreamBody, at path: String, _ session: ActiveSession
  ) throws(ValueProblem) -> HeadUnitStream {
    let (protection, type) = (session.protection, try body.knownType(at: path))
    let info = configuration.info(enabled: session.enabledFeatures)
    switch try StreamDemand(body, type, at: path, info: info, isVerified: protection.secret != nil) {
    case .screen(let id):
      var stream = HeadUnitStream(type, body)
      stream.screen = ScreenOpener(protection, id: id)
      return stream
    case .audio(let id, let format):
      var stream = HeadUnitStream(type, body, format: format)
      stream.audio = AudioInput(
        opener: AudioOpener(protection, id: id, from: .phone),
        receiver: AudioReceiver(
          lossTime: AudioReceiver.lossTime(latency: body.soundLatency), samplesPerPacket: body.framesPerPacket))
      if body.wantsInput, let port = body.dataPort {
        stream.microphone = (AudioSealer(protection, id: id, from: .headUnit), port)
      }
      return stream
    case .buffered(let key):
      var stream = HeadUnitStream(type, body, format: body.audioFormat)
      stream.buffered = BufferedAudioOpener(key: Secret(key))
      return stream
    case .data(let seed):
      var stream = HeadUnitStream(type, body)
      // Only a verified phone may set data up.
      stream.data = protection.secret.map { secret in
        let keys = ChannelKeys.stream(secret, id: seed)
        return DataChannel(reading: keys.phone, writing: keys.headUnit)
      }
      return stream
    }
  }

  /// Answers the set-up of streams after their sockets are bound.
  mutating func setUp(_ id: Int, _ waiting: Waiting, _ streams: [HeadUnitStream], at time: MonotonicTime) {
    var answers: [StreamBody] = []
    for stream in streams {
      var reply = StreamBody(stream.type)
      // The answer repeats the identifier in the form of the request.
      reply.values["streamConnectionID"] = stream.body.values["streamConnectionID"]
      reply.dataPort = waiting.ports[.stream(stream.type)]
      reply.controlPort = waiting.ports[.streamControl(stream.type)]
      if stream.type == .bufferedAudio { reply.values["audioBufferSize"] = .integer(Self.audioBufferByteCount) }
      if stream.type == .data { reply.values["streamID"] = 1 }
      answers.append(reply)
      session?.streams[stream.type] = stream
      report(.stream(stream.type, .setUp, stream.format))
    }
    session?.lastRequest = time
    answer(id, waiting.request, 200, type: MessageTypes.propertyList, body: StreamList(answers).bytes)
  }

  /// The size of the buffer that a head unit states for buffered sound, in bytes. The value is that of one program.
  private static let audioBufferByteCount: Int64 = 8 << 20

  /// Ends the streams that a request names, or the session.
  ///
  /// The last bytes of a stream arrive on a separate connection, so they may be read after the request.
  mutating func tearDown(_ id: Int, _ request: RequestMessage, at time: MonotonicTime) {
    let list: StreamList
    if request.body.isEmpty {
      list = StreamList()
    } else {
      do throws(BodyProblem) { list = try StreamList(bytes: request.body) } catch {
        return refuse(id, request, 400, .badPlist, ValueProblem("TEARDOWN", body: request.body, error))
      }
    }
    guard list.hasStreams else {
      answer(id, request, 200)
      return end(.teardown)
    }
    guard let session, let bodies = list.streams else {
      return refuse(id, request, 400, .badValue, Self.noStreams("TEARDOWN", list))
    }
    var types: [StreamType] = []
    var problemCount = 0
    for (index, body) in bodies.enumerated() {
      let stream = body.type.flatMap { session.streams[$0] }
      // An entry that names no running stream does not keep the others from their end.
      if let problem = body.problem(asEndOf: stream, in: "streams[\(index)]") {
        problemCount += 1
        if problemCount <= Self.maximumProblems { report(.tolerated(problem)) }
      } else if let stream {
        types.append(stream.type)
      }
    }
    remove(types.filter { session.streams[$0]?.lost != nil }, .stopped)
    guard !areOpen(types) else {
      connections[id]?.waiting = Waiting(
        request: request, step: .drained(types), deadline: time.advanced(by: configuration.times.drain))
      return
    }
    remove(types, .stopped)
    answer(id, request, 200)
  }

  mutating func remove(_ types: [StreamType], _ state: StreamState) {
    for type in types {
      guard let stream = session?.streams.remove(type) else { continue }
      close(stream)
      report(.stream(type, state, stream.format))
    }
  }

  /// Returns whether one of the streams has a connection that may still deliver bytes.
  private func areOpen(_ types: [StreamType]) -> Bool {
    types.contains { $0.family != .audio && session?.streams[$0] != nil }
  }

  /// Handles the end of a stream's connection: the phone has ended the stream, is about to end it, or has lost the
  /// connection.
  mutating func connectionClosed(of type: StreamType, at time: MonotonicTime) {
    guard type.family != .audio else { return remove([type], .closed) }
    guard let id = session?.connection, let waiting = connections[id]?.waiting,
      case .drained(let types) = waiting.step, types.contains(type)
    else {
      session?.streams[type]?.isConnected = false
      session?.streams[type]?.lost = time.advanced(by: configuration.times.drain)
      return
    }
    remove([type], .stopped)
    guard !areOpen(types) else { return }
    connections[id]?.waiting = nil
    remove(types, .stopped)
    answer(id, waiting.request, 200)
    serve(id, at: time)
  }
}

extension StreamBody {
  /// Returns what keeps an entry of `TEARDOWN` from ending a stream: every key must equal that of the set-up.
  fileprivate func problem(asEndOf stream: HeadUnitStream?, in path: String) -> ValueProblem? {
    func problem(_ key: String, _ expected: String) -> ValueProblem {
      ValueProblem("TEARDOWN", in: path, key, values[key], expected: expected)
    }
    guard let stream else { return problem("type", "the type of a stream that runs") }
    if values["streamConnectionID"] != nil, connectionID != stream.body.connectionID {
      return problem("streamConnectionID", "the id of its set-up")
    }
    if uuid != nil, uuid != stream.body.uuid { return problem("uuid", "the uuid of its set-up") }
    if values["streamID"] != nil, values["streamID"]?.integer != 1 { return problem("streamID", "1") }
    return nil
  }
}
