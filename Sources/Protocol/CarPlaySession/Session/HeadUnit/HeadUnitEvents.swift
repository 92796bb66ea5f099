// swift-iap2 · Apache-2.0

public import Basics

/// The event channel, on which the head unit sends requests.
extension HeadUnitSession {
  /// Sends a command to the phone. It waits until the session is live.
  ///
  /// - Returns: Whether there is a session, and room for the command.
  @discardableResult
  public mutating func send(_ command: SessionCommand, at time: MonotonicTime) -> Bool {
    guard let session, session.commands.count < ActiveSession.maximumCommands else { return false }
    self.session?.commands.append(command)
    flush(at: time)
    return true
  }

  mutating func eventsConnected(at time: MonotonicTime) {
    guard let session, !session.isEventConnected else { return }
    let keys = session.protection.secret.map { ChannelKeys.events($0) }
    self.session?.connectEvents(
      keys.map { MessageChannel(reading: $0.phone, writing: $0.headUnit) } ?? MessageChannel())
    goLive(at: time)
    guard let waiting = connections[session.connection]?.waiting, case .events = waiting.step else { return }
    connections[session.connection]?.waiting = nil
    setUp(session.connection, waiting.request, at: time)
    serve(session.connection, at: time)
  }

  mutating func eventsClosed(at time: MonotonicTime) {
    session?.loseEvents(until: time.advanced(by: configuration.times.eventLoss))
  }

  /// Reports a session that has become live, and sends the commands that wait for it.
  mutating func goLive(at time: MonotonicTime) {
    guard session?.isLive == true else { return }
    report(.state(.live))
    flush(at: time)
  }

  private mutating func flush(at time: MonotonicTime) {
    guard let session, session.isLive, session.events != nil else { return }
    self.session?.commands = []
    for command in session.commands {
      let body = command.body
      let sequence = self.session?.nextSequence ?? 0
      self.session?.nextSequence += 1
      self.session?.pending.append(
        ActiveSession.PendingRequest(
          sequence: sequence, name: command.name,
          deadline: time.advanced(by: configuration.times.request)))
      let message = RequestMessage(
        .request(method: "POST", path: "/command", protocolWord: "RTSP/1.0"),
        headers: RequestHeaders([("CSeq", "\(sequence)"), ("Content-Type", MessageTypes.propertyList)]),
        body: body.binary)
      if let bytes = self.session?.events?.bytes(message) { act(.send(.events, bytes)) }
      if case .dictionary(let values) = body {
        report(.command(command, CommandBody(values: values), from: .headUnit))
      }
    }
  }

  mutating func receiveEvents(_ bytes: [UInt8], at time: MonotonicTime) {
    session?.lastHeard = time
    do throws(SessionFailure) {
      try session?.events?.receive(bytes)
      while let message = try nextEventMessage() { try take(message) }
    } catch { end(error.end, error.problem) }
  }

  private mutating func nextEventMessage() throws(SessionFailure) -> RequestMessage? {
    do throws(RequestReader.Problem) { return try session?.events?.next() } catch {
      throw SessionFailure(SessionEnd(error))
    }
  }

  private mutating func take(_ message: RequestMessage) throws(SessionFailure) {
    guard case .answer(let status, _, _) = message.start else {
      // Older phones send requests here, too, whose content is not public, and wait for the answer.
      let bytes = session?.events?.bytes(message.answer(200)) ?? []
      return act(.send(.events, bytes))
    }
    guard let index = session?.pending.firstIndex(where: { message.sequence == "\($0.sequence)" }),
      let pending = session?.pending.remove(at: index)
    else { throw SessionFailure(.badAnswer) }
    if status >= 300 {
      report(
        .refused(
          .refused, status: status,
          ValueProblem("POST /command", is: "the phone answered \(status) to \(pending.name)", expected: "200")))
    }
    guard pending.name == "changeModes" else { return }
    var isGranted = false
    if status == 200 {
      do throws(BodyProblem) {
        let body = try SessionValues(bytes: message.body)
        let code: Int? = body["status"]
        isGranted = code == 0
      } catch {
        throw SessionFailure(.badPlist, ValueProblem("answer to changeModes", body: message.body, error))
      }
    }
    report(.modesAnswered(isGranted: isGranted))
  }
}

/// A body without typed keys.
struct SessionValues: PropertyBody {
  var values: [String: PropertyValue]
}
