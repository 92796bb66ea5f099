// swift-iap2 · Apache-2.0

public import Basics
import HIDReports

/// The event channel, on which the head unit sends requests, and the phone's own commands.
extension PhoneSession {
  /// Sends a command to the head unit.
  ///
  /// - Returns: Whether the session is live.
  @discardableResult
  public mutating func send(_ command: SessionCommand, at time: MonotonicTime) -> Bool {
    guard isLive else { return false }
    let body = command.body
    ask(.command, "POST", "/command", type: MessageTypes.propertyList, body: body.binary, at: time)
    if case .dictionary(let values) = body { report(.command(command, CommandBody(values: values), from: .phone)) }
    return true
  }

  /// Applies a mode request of the phone and sends the new modes.
  ///
  /// - Returns: Whether the request was granted.
  @discardableResult
  public mutating func change(_ request: ModeRequest, at time: MonotonicTime) -> Bool {
    guard isLive, let next = arbiter.applying(request, of: .phone) else { return false }
    let isNew = next != arbiter
    arbiter = next
    if isNew { sendModes(reason: request.reason, at: time) }
    return true
  }

  mutating func receiveEvents(_ bytes: [UInt8], at time: MonotonicTime) {
    do throws(SessionFailure) {
      try events.receive(bytes)
      while let message = try nextEventMessage() { answer(message, at: time) }
    } catch {
      end(error.end, error.problem)
    }
  }

  private mutating func nextEventMessage() throws(SessionFailure) -> RequestMessage? {
    if case .ended = phase { return nil }
    do throws(RequestReader.Problem) { return try events.next() } catch {
      let request = RequestMessage(.request(method: "", path: "", protocolWord: "RTSP/1.0"))
      answer(request, error.status)
      throw SessionFailure(SessionEnd(error))
    }
  }

  private mutating func answer(
    _ request: RequestMessage, _ status: Int, type: String? = nil, body: [UInt8] = []
  ) {
    let headers = type.map { [("Content-Type", $0)] } ?? []
    act(.send(.events, events.bytes(request.answer(status, headers: headers, body: body))))
  }

  private mutating func answer(_ message: RequestMessage, at time: MonotonicTime) {
    guard case .request(let method, _, _) = message.start else { return end(.badAnswer) }
    guard method == "POST", message.path == "/command" else { return answer(message, 501) }
    let body: CommandBody
    do throws(BodyProblem) { body = try CommandBody(bytes: message.body) } catch { return answer(message, 400) }
    guard let command = body.command else { return answer(message, 400) }
    report(.command(command, body, from: .headUnit))
    switch command {
    case .changeModes(let request): decide(message, request, at: time)
    case .other: answer(message, configuration.unknownCommandStatus)
    case .inputReport(let device, let report):
      do throws(HIDReportProblem) {
        let events = try inputs[device]?.take(report) ?? []
        answer(message, 200)
        for event in events { self.report(.input(device: device, event)) }
      } catch { answer(message, 400) }
    case .iAP(let bytes):
      answer(message, 200)
      report(.iAP(bytes, from: .headUnit))
    default: answer(message, 200)
    }
  }

  /// Answers a mode request of the head unit. After a granted request the phone sends the new modes.
  private mutating func decide(_ message: RequestMessage, _ request: ModeRequest, at time: MonotonicTime) {
    let next = arbiter.applying(request, of: .headUnit)
    arbiter = next ?? arbiter
    let body: PropertyValue =
      next == nil
      ? ["status": 1]
      : ["status": 0, "params": ModeSnapshot(arbiter, reason: request.reason).propertyValue]
    answer(message, 200, type: MessageTypes.propertyList, body: body.binary)
    if next != nil { sendModes(reason: request.reason, at: time) }
  }
}
