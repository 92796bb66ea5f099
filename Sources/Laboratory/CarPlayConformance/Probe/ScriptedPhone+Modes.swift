// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2Conformance

// The phone's arbiter of the screen, the speakers and the app states.
extension ScriptedPhone {
  /// Decides a mode request of the head unit.
  ///
  /// - Returns: The answer, and whether the new modes must be reported.
  func decide(_ request: ModeRequest, of message: RequestMessage) -> (RequestMessage, Bool) {
    let next = refusesModes ? nil : arbiter.applying(request, of: .headUnit)
    arbiter = next ?? arbiter
    let body: PropertyValue =
      next == nil ? ["status": 1] : ["status": 0, "params": ModeSnapshot(arbiter).propertyValue]
    let answer = message.answer(
      200, headers: [("Content-Type", "application/x-apple-binary-plist")], body: body.binary)
    return (answer, next != nil)
  }

  /// Returns the request that reports the modes.
  func modesReport(reason: String) -> RequestMessage {
    request(
      "POST", "/command", list: SessionCommand.modesChanged(ModeSnapshot(arbiter, reason: reason)).body)
  }

  /// Goes on to a live session in which the phone has the screen, and reports that.
  func goLiveWithModes() async throws(Stop) {
    try await goLive()
    if let request = info?.modes { arbiter = arbiter.applying(request, of: .headUnit) ?? arbiter }
    do throws(Stop) {
      try await change(ModeRequest([(.screen, .take(.userInitiated, take: .anytime, borrow: .anytime))]), of: .phone)
    } catch { throw error.before("before the check") }
  }

  /// Applies a mode request of a side, and demands that the head unit takes the report of the new modes.
  ///
  /// The request of the head unit is that of the example: its user does nothing here.
  func change(_ request: ModeRequest, of side: SessionSide) async throws(Stop) {
    guard let next = arbiter.applying(request, of: side) else {
      throw .inconclusive("the head unit's modes in /info do not admit the example")
    }
    arbiter = next
    let answer = try await ask(modesReport(reason: request.reason))
    guard answer.status == 200 else { throw .failed("modesChanged got status \(answer.status)") }
    await pass(.milliseconds(300))
  }

  /// Applies a mode request of the phone, and demands that the head unit accepts the new modes: it does not ask for
  /// what the phone got, and the session lives.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - what: What the phone gets, in words.
  ///   - isTaken: Whether a request takes it back.
  func demandAcceptance(
    of request: ModeRequest, _ what: String, _ isTaken: (ModeRequest) -> Bool
  ) async throws(Stop) {
    let count = commands.count
    try await change(request, of: .phone)
    await pass(.seconds(2))
    for body in commands.dropFirst(count) {
      guard case .changeModes(let request) = body.command, isTaken(request) else { continue }
      throw .failed("the head unit asks for \(what) within 2 s after the phone got it")
    }
    try await demandLife(after: "modesChanged")
  }
}

extension ModeRequest {
  /// Whether the request takes or borrows a resource.
  func wants(_ resource: ModeResource) -> Bool {
    items.contains { item in
      switch item.transfer {
      case .take, .borrow: item.resource == resource
      case .untake, .unborrow: false
      }
    }
  }
}
