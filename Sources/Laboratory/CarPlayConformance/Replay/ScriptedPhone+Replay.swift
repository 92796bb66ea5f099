// swift-iap2 · Apache-2.0

import Basics
import CarPlayAnalysis
import CarPlaySession
import IAP2Conformance

// The phone of a recording. Pairing, the clock, /feedback and answers to commands are live.
extension ScriptedPhone {
  /// The recorded names of displays and input devices with those of the live head unit.
  private typealias Names = [String: String]

  /// Plays the requests and the streams of a recording.
  ///
  /// - Returns: Why it stopped early; nil if it went to its end.
  func replay(_ replay: SessionReplay, _ began: (Int) -> Void) async -> String? {
    let recording = replay.recording
    commandStatuses = recording.commandStatuses
    var clock = ReplayClock(replay, at: await line.now)
    var names: Names = [:]
    var pieces = recording.pieces.filter { $0.from == .phone }[...]
    do throws(Stop) {
      for (index, exchange) in recording.exchanges.enumerated() {
        while let piece = pieces.first, piece.exchangeCount <= index {
          await play(pieces.removeFirst(), &clock)
        }
        guard exchange.channel == .control else { continue }
        await pass(clock.wait(for: exchange.moment, now: await line.now))
        began(index)
        try await play(exchange, &names, recording)
      }
      while let piece = pieces.popFirst() { await play(piece, &clock) }
      return nil
    } catch {
      record.settle()
      return error.reason
    }
  }

  // MARK: Requests

  private func play(
    _ exchange: RecordedSession.Exchange, _ names: inout Names, _ recording: RecordedSession
  ) async throws(Stop) {
    switch (exchange.method, exchange.path, exchange.pairingState) {
    case (_, "/pair-setup", 1): if headUnit == nil { try await pair() }
    case (_, "/pair-verify", 1):
      // A recording of sides that know each other has no pairing.
      if headUnit == nil { try await pair() }
      if secret == nil { try await verify() }
    case (_, "/pair-setup", _), (_, "/pair-verify", _): break
    case (_, "/auth-setup", _): try await authenticate()
    case (_, "/feedback", _): if !sendsFeedback { await beginFeedback() }
    case ("SETUP", _, _):
      if let streams = exchange.streams {
        try await setUp(streams, exchange, names)
      } else {
        try await setUp(exchange, names)
      }
    case ("TEARDOWN", _, _):
      if exchange.streams == nil { endFeedback() }
      _ = try await repeated(exchange, names)
      for stream in exchange.streams ?? [] { await end(stream) }
    default:
      let answer = try await repeated(exchange, names)
      guard exchange.path == "/info", answer.status == 200, let recorded = recording.information else { return }
      do throws(BodyProblem) { info = try SessionInfo(bytes: answer.body) } catch {
        throw .failed("/info is no property list with a dictionary")
      }
      names = Self.names(from: recorded, to: info)
    }
  }

  /// Sends a recorded request again, and returns the answer.
  ///
  /// - Parameter change: Changes the values of its property list.
  /// - Throws: ``Stop`` if no answer comes, or an error in place of the recorded success.
  private func repeated(
    _ exchange: RecordedSession.Exchange, _ names: Names,
    _ change: (inout [String: PropertyValue]) -> Void = { _ in }
  ) async throws(Stop) -> RequestMessage {
    var body = exchange.request.body
    if var values = exchange.request.values {
      values = values.mapValues { Self.renamed($0, names) }
      change(&values)
      body = PropertyValue.dictionary(values).binary
    }
    let answer = try await ask(request(like: exchange.request, body: body))
    guard answer.status == 200 || exchange.answer?.status != 200 else {
      throw .failed("\(exchange.name) got status \(answer.status)")
    }
    return answer
  }

  private func setUp(_ exchange: RecordedSession.Exchange, _ names: Names) async throws(Stop) {
    let port = exchange.request.values?["timingPort"] == nil ? nil : await bind(.clock)
    let answer = try await repeated(exchange, names) { values in
      if let port { values["timingPort"] = .integer(Int64(port)) }
    }
    guard answer.status == 200 else { return }
    do throws(BodyProblem) { setUpAnswer = try SessionSetUpAnswer(bytes: answer.body) } catch {
      throw .failed("the answer to SETUP is no property list with a dictionary")
    }
    try await openEvents()
  }

  private func setUp(
    _ streams: [StreamBody], _ exchange: RecordedSession.Exchange, _ names: Names
  ) async throws(Stop) {
    var bodies: [StreamBody] = []
    for stream in streams {
      var body = stream
      body.values = body.values.mapValues { Self.renamed($0, names) }
      if let type = stream.type, type.family == .audio {
        body.controlPort = await bind(.streamControl(type))
        let port = await bind(.stream(type))
        if stream.dataPort != nil { body.dataPort = port }
      }
      bodies.append(body)
    }
    let answer = try await repeated(exchange, names) { $0["streams"] = .array(bodies.map(\.propertyValue)) }
    guard answer.status == 200 else { return }
    for body in bodies {
      guard let own = answers(in: answer).first(where: { $0.type == body.type }) else { continue }
      try await join(body, own)
    }
  }

  private func end(_ body: StreamBody) async {
    guard let type = body.type else { return }
    streams[type] = nil
    await close(type.sockets)
  }

  // MARK: Streams

  /// Sends a message of a stream, with the time of now. A stream that the head unit did not take gets none.
  private func play(_ piece: RecordedSession.Piece, _ clock: inout ReplayClock) async {
    guard streams[piece.type] != nil, !isClosed else { return }
    await pass(clock.wait(for: piece.moment, now: await line.now))
    switch piece.content {
    case .picture(var picture):
      picture.time = await time
      await send([picture], on: piece.type)
    case .sound(let packet):
      record.take(packet, of: piece.type, from: .phone)
      await send(packet, on: piece.type)
    }
    guard full.contains(.stream(piece.type)) else { return }
    _ = await wait(peer.answer) { !full.contains(.stream(piece.type)) || isClosed }
  }

  private func send(_ packet: AudioPacket, on type: StreamType) async {
    if type.family == .buffered {
      do throws(BufferedAudioProblem) {
        guard let bytes = try streams[type]?.buffered?.seal(packet) else { return }
        await sendContent(bytes, on: .stream(type))
      } catch {}
    } else if let bytes = streams[type]?.sound?.seal(packet) {
      await sendSound(bytes, of: type)
    }
  }

  // MARK: Names

  private static func names(from recorded: SessionInfo, to live: SessionInfo?) -> Names {
    let displays = zip(recorded.displays ?? [], live?.displays ?? []).map { ($0.uuid, $1.uuid) }
    let inputs = zip(recorded.inputDevices ?? [], live?.inputDevices ?? []).map { ($0.uuid, $1.uuid) }
    var names: Names = [:]
    for (old, new) in displays { if let old, let new { names[old] = new } }
    for (old, new) in inputs { names[old] = new }
    return names
  }

  private static func renamed(_ value: PropertyValue, _ names: Names) -> PropertyValue {
    switch value {
    case .text(let text): names[text].map { .text($0) } ?? value
    case .array(let values): .array(values.map { renamed($0, names) })
    case .dictionary(let values): .dictionary(values.mapValues { renamed($0, names) })
    default: value
    }
  }
}

extension RecordedSession {
  /// The statuses of the phone's answers to commands that are not 200, by the commands' names.
  fileprivate var commandStatuses: [String: Int] {
    var statuses: [String: Int] = [:]
    for exchange in exchanges where exchange.channel == .events {
      guard let name = exchange.command, let answer = exchange.answer, answer.status != 200 else { continue }
      statuses[name] = answer.status
    }
    return statuses
  }
}
