// swift-iap2 · Apache-2.0

import Basics
import CarPlayAnalysis
import CarPlaySession
import IAP2Conformance

// The commands of the head unit, and the clocks.
extension ScriptedHeadUnit {
  // MARK: Commands

  /// Returns a command with the next sequence number.
  func request(_ body: [UInt8], path: String = "/command") -> RequestMessage {
    commandSequence += 1
    return RequestMessage(
      .request(method: "POST", path: path, protocolWord: "RTSP/1.0"),
      headers: RequestHeaders([
        ("CSeq", "\(commandSequence)"), ("Content-Type", "application/x-apple-binary-plist"),
      ]), body: body)
  }

  /// Returns the bytes of a request on the event channel, whose answer is expected.
  func sealed(_ message: RequestMessage) -> [UInt8] {
    pendingCommands.append(message)
    record.take(request: message, on: .events, from: .headUnit)
    return events.sealed(message.bytes)
  }

  /// Sends a request on the event channel.
  func send(_ message: RequestMessage) async {
    guard let changer else { return await sendEvents([sealed(message)]) }
    pendingCommands.append(message)
    record.take(request: message, on: .events, from: .headUnit)
    await sendEvents(
      changer.pieces(of: message, message.values?["type"]?.text ?? message.name).map { events.sealed($0) })
  }

  /// Sends pieces of bytes on the event channel as they are.
  func sendEvents(_ pieces: [[UInt8]]) async { await line.act(pieces.map { .send(.events, $0) }) }

  /// Sends a command and returns its answer.
  func command(_ command: SessionCommand) async throws(Stop) -> RequestMessage {
    if case .forceKeyFrame = command { picturesSinceAsked = picturesSinceAsked ?? 0 }
    if case .inputReport = command { record.reach(.inputs) }
    return try await ask(request(command.body.binary))
  }

  /// Sends a request on the event channel and returns its answer.
  func ask(_ message: RequestMessage) async throws(Stop) -> RequestMessage {
    await send(message)
    return try await commandAnswer(to: message)
  }

  /// Returns the next answer of the phone on the event channel.
  func commandAnswer(to message: RequestMessage) async throws(Stop) -> RequestMessage {
    _ = await wait(peer.answer) { !commandAnswers.isEmpty || isClosed || closed.contains(.events) || damage != nil }
    guard !commandAnswers.isEmpty else {
      let name = message.values?["type"]?.text ?? message.name
      record.judge.add(
        .answered, by: .phone, ValueProblem(name, is: "it got no answer", expected: "an answer with its CSeq"))
      record.settle()
      if let damage { throw .failed("what follows \(name) cannot be read: \(damage)") }
      throw .failed(
        isClosed || closed.contains(.events)
          ? "the phone closed the connection in place of an answer to \(name)"
          : "\(name) got no answer within \(peer.answer.seconds)")
    }
    return commandAnswers.removeFirst()
  }

  func receiveEvents(_ bytes: [UInt8]) async {
    guard damage == nil else { return }
    do throws(WireChannel.Unreadable) {
      for message in try events.receive(bytes) {
        guard case .answer = message.start else {
          // Older phones send requests here, and wait for an answer.
          await line.act([.send(.events, events.sealed(message.answer(200).bytes))])
          continue
        }
        let asked = pendingCommands.isEmpty ? nil : pendingCommands.removeFirst()
        record.reach(.commandAnswers)
        record.take(answer: message, to: asked, on: .events, from: .phone)
        commandAnswers.append(message)
      }
    } catch {
      damage = "events: \(error.reason)"
      record.judge.note(
        error.damage, by: .phone, ValueProblem("events", is: error.reason, expected: "messages that can be read"))
    }
  }

  // MARK: Clocks

  /// Sends a request to the phone's clock.
  ///
  /// - Parameter socket: The socket that sends it.
  func askClock(from socket: SessionSocket = .clock) async {
    guard let port = setUpRequest?.timingPort else { return }
    let packet = ClockPacket(isRequest: true, sent: await line.now.clock(epochSeconds: ClockPacket.epochSeconds))
    clockQuestions.append(packet.sent)
    record.judge.take(clock: packet, byteCount: ClockPacket.byteCount, from: .headUnit)
    await line.act([.sendDatagram(socket, packet.bytes, port: port)])
  }

  func receiveClock(_ bytes: [UInt8], from port: UInt16) async {
    record.reach(.clock)
    let packet = ClockPacket(bytes: bytes)
    record.judge.take(clock: packet, byteCount: bytes.count, from: .phone)
    guard let packet else { return }
    guard packet.isRequest else {
      record.reach(.clockAnswers)
      return clockAnswers.append(packet)
    }
    let now = await line.now.clock(epochSeconds: ClockPacket.epochSeconds)
    let answer = packet.answer(received: now, sent: now)
    record.judge.take(clock: answer, byteCount: ClockPacket.byteCount, from: .headUnit)
    await line.act([.sendDatagram(.clock, answer.bytes, port: port)])
  }
}
