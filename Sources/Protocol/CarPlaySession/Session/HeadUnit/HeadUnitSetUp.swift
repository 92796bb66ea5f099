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
      // The phone may reuse the type of a stream whose connection it has lost.
      remove((session?.streams.types ?? []).filter { session?.streams[$0]?.lost != nil }, .closed)
      guard let session else { return refuse(id, request, 455, nil) }
      guard session.isEventConnected else {
        // The request may arrive before the event connection that the phone opened first.
        connections[id]?.waiting = Waiting(
          request: request, step: .events, deadline: time.advanced(by: configuration.times.eventConnection))
        return
      }
      setUpStreams(id, request, list, session)
    } catch { refuse(id, request, 400, .badPlist) }
  }

  private mutating func setUpSession(
    _ id: Int, _ request: RequestMessage, _ body: SessionSetUpRequest, at time: MonotonicTime
  ) {
    let isTaken = connections.contains {
      if case .session = $0.value.waiting?.step { $0.key != id } else { false }
    }
    guard session == nil, !isTaken else { return refuse(id, request, isTaken ? 453 : 455, isTaken ? .busy : nil) }
    guard let protection = protection(id, body) else { return refuse(id, request, 400, nil) }
    var sockets: [SessionSocket] = [.events]
    if body.timingPort != nil { sockets.append(.clock) }
    if body.wantsKeepAlive { sockets.append(.keepAlive) }
    wait(id, request, .session(body, protection), for: sockets)
  }

  /// Returns the protection of a connection's streams; nil if the connection is not verified and the set-up has no
  /// session key that auth-setup protects.
  private func protection(_ id: Int, _ body: SessionSetUpRequest) -> StreamProtection? {
    guard let connection = connections[id] else { return nil }
    if let verified = connection.verified { return .verified(verified.secret) }
    let features = FeatureBits(rawValue: configuration.info.features ?? 0)
    guard body.encryptionType == SessionSetUpRequest.authSetupEncryption, let encrypted = body.encryptedKey,
      let vector = body.initializationVector, let bytes = connection.authSetup.sessionKey(encrypted)
    else { return nil }
    return SessionKey(
      bytes: Secret(bytes), initializationVector: vector, encryptsSound: !features.contains(.unencryptedAudio)
    ).map { .unverified($0) }
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
    var features = configuration.features
    if protection.secret == nil { features.subtract(StreamProtection.featuresOfVerified) }
    reply.enabledFeatures = body.features.filter(features.contains)
    session = ActiveSession(
      connection: id, protection: protection, enabledFeatures: reply.enabledFeatures, lastRequest: time,
      clockPort: body.timingPort, nextQuestion: time, lastHeard: time,
      sockets: waiting.ports.keys.sorted { "\($0)" < "\($1)" })
    answer(id, waiting.request, 200, type: MessageTypes.propertyList, body: reply.bytes)
    report(.state(.setUp))
    ask(at: time)
  }

  private mutating func setUpStreams(
    _ id: Int, _ request: RequestMessage, _ list: StreamList, _ session: ActiveSession
  ) {
    guard let bodies = list.streams, !bodies.isEmpty else { return refuse(id, request, 400, .badPlist) }
    var streams: [HeadUnitStream] = []
    for body in bodies {
      guard let type = body.type, !streams.contains(where: { $0.type == type }) else {
        return refuse(id, request, 400, .badPlist)
      }
      guard session.streams[type] == nil else { return refuse(id, request, 455, nil) }
      guard let stream = stream(type, body, session) else { return refuse(id, request, 400, .badPlist) }
      streams.append(stream)
    }
    wait(id, request, .streams(streams), for: streams.flatMap(\.sockets))
  }

  /// Returns the stream of a set-up; nil for a set-up that is not valid for its type.
  private func stream(_ type: StreamType, _ body: StreamBody, _ session: ActiveSession) -> HeadUnitStream? {
    let protection = session.protection
    switch type.family {
    case .screen:
      guard let id = body.connectionID, isShown(body.uuid, type, session) else { return nil }
      var stream = HeadUnitStream(type, body)
      stream.screen = ScreenOpener(protection, id: id)
      return stream
    case .audio:
      guard let id = body.connectionID, let format = body.audioFormat, isOffered(format, type) else { return nil }
      var stream = HeadUnitStream(type, body, format: format)
      stream.audio = AudioInput(opener: AudioOpener(protection, id: id, from: .phone))
      if body.wantsInput, let port = body.dataPort {
        stream.microphone = (AudioSealer(protection, id: id, from: .headUnit), port)
      }
      return stream
    case .buffered:
      guard protection.secret != nil, let key = body.sharedKey, key.count == 32 else { return nil }
      var stream = HeadUnitStream(type, body, format: body.audioFormat)
      stream.buffered = BufferedAudioOpener(key: Secret(key))
      return stream
    case .data:
      guard let secret = protection.secret, let seed = body.seed else { return nil }
      let keys = ChannelKeys.stream(secret, id: seed)
      var stream = HeadUnitStream(type, body)
      stream.data = DataChannel(reading: keys.phone, writing: keys.headUnit)
      return stream
    }
  }

  private func isShown(_ uuid: String?, _ type: StreamType, _ session: ActiveSession) -> Bool {
    let displays = configuration.info(enabled: session.enabledFeatures).displays ?? []
    return displays.contains {
      $0.uuid == (uuid ?? $0.uuid) && ($0.type ?? StreamType.screen.rawValue) == type.rawValue
    }
  }

  private func isOffered(_ format: AudioFormat, _ type: StreamType) -> Bool {
    let offers = configuration.info.audioFormats ?? []
    return offers.contains { $0.includes(format, of: type) }
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
        return refuse(id, request, 400, .badPlist)
      }
    }
    guard list.hasStreams else {
      answer(id, request, 200)
      return end(.teardown)
    }
    guard let session, let bodies = list.streams else { return refuse(id, request, 400, .badPlist) }
    var types: [StreamType] = []
    for body in bodies {
      guard let type = body.type, let stream = session.streams[type], stream.matches(body) else {
        return refuse(id, request, 400, nil)
      }
      types.append(type)
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

extension HeadUnitStream {
  /// Returns whether every key in the end of a stream equals that of its set-up.
  fileprivate func matches(_ end: StreamBody) -> Bool {
    (end.values["streamConnectionID"] == nil || end.connectionID == body.connectionID)
      && (end.uuid == nil || end.uuid == body.uuid)
      && (end.values["streamID"] == nil || end.values["streamID"]?.integer == 1)
  }
}
