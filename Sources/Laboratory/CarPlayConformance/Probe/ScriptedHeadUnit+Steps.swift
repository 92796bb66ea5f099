// swift-iap2 · Apache-2.0

import Basics
import CarPlayAnalysis
import CarPlaySession
import IAP2Conformance

// The steps of a session in their order, and the demands of checks.
extension ScriptedHeadUnit {
  // MARK: Before the check

  /// Plays usual answers until a step of the phone was handled. A failure says nothing about the check.
  func until(_ step: Step, within limit: Duration? = nil) async throws(Stop) {
    let limit = limit ?? peer.answer * 2
    _ = await wait(limit) { handled.contains(step) || damage != nil }
    guard !handled.contains(step) else { return }
    let last = requests.last.map { "; its last request was \($0.step.name)" } ?? ""
    throw .inconclusive(
      damage.map { "before the check: what the phone sends cannot be read: \($0)" }
        ?? "before the check: the phone sent no \(step.name) within \(limit.seconds)\(last)")
  }

  /// Lets the phone pair, although it may know the head unit, which has forgotten it.
  func untilPairing(_ step: Step) async throws(Stop) {
    peer.pairings.removeAll(of: identity)
    try await until(step, within: peer.answer * 3)
  }

  /// Plays usual answers until the phone is paired, verified, and past a step.
  func goLive() async throws(Stop) {
    try await until(.record, within: peer.answer * 3)
    guard await wait(peer.answer, for: { open.contains(.events) }) else {
      throw .inconclusive("before the check: the phone does not connect to eventPort")
    }
    // The phone sends its first commands, and sets its first streams up.
    await pass(.milliseconds(500))
  }

  /// Goes on to a live session with a stream whose content has begun.
  ///
  /// - Parameter isWanted: Whether the check needs a stream of this type.
  func goLive(with isWanted: @escaping (StreamType) -> Bool, _ words: String) async throws(Stop) -> StreamType {
    try await goLive()
    let wanted = { StreamType.allCases.first { isWanted($0) && self.hasContent($0) } }
    _ = await wait(peer.answer) { wanted() != nil }
    guard let type = wanted() else { throw .notApplicable("the phone sends no \(words)") }
    return type
  }

  private func hasContent(_ type: StreamType) -> Bool {
    guard let stream = streams[type] else { return false }
    return stream.pictureCount + stream.packetCount > 0
  }

  /// Ends the session, and lets the phone connect again. The steps from then on are those of the new connection.
  func reconnect() async throws(Stop) {
    let former = control
    await leave()
    // A phone may be back before the pause is over.
    forgetSteps()
    await pass(.milliseconds(500))
    if control == former { await peer.restart?() }
    guard await wait(peer.answer * 3, for: { control != former }) else {
      throw .inconclusive("before the check: the phone does not connect again")
    }
  }

  /// Demands that the phone has not stopped a stream. A stopped stream says nothing about its content.
  func demandRunning(_ type: StreamType) throws(Stop) {
    guard streams[type] == nil || handled.contains(.tearDown) else { return }
    throw .inconclusive("the phone stopped \(type.name) during the check; let it play longer content")
  }

  // MARK: Demands

  /// Demands that the phone does not go on after an answer, which was sent just now.
  ///
  /// - Parameters:
  ///   - what: What was wrong with the answer.
  ///   - allowed: The requests that may follow. With one of pairing the phone begins anew.
  func demandStop(after what: String, allowing allowed: Set<Step> = [.pairSetup(2)]) async throws(Stop) {
    let (count, connection) = (requests.count, control)
    let next = { self.requests.dropFirst(count).first { !allowed.contains($0.step) || $0.step.isPairing } }
    _ = await wait(peer.answer) { isClosed || control != connection || next() != nil }
    guard control == connection, let next = next(), !allowed.contains(next.step) else { return }
    // M3 without a proof shows that the phone refuses.
    if next.step == .pairSetup(4), next.message.list?[.proof] == nil { return }
    throw .failed("after \(what) the phone sent \(next.step.name)")
  }

  /// Demands that the phone's session goes on to a step.
  func demand(_ step: Step, after what: String) async throws(Stop) {
    do throws(Stop) { try await until(step, within: peer.answer * 3) } catch {
      guard !peer.experience.neverWorked else {
        throw .inconclusive("the phone sent no \(step.name) in its ordinary session either")
      }
      let last = requests.last.map { " after \($0.step.name)" } ?? ""
      throw .failed(
        isClosed ? "\(what) ended the session\(last)" : "with \(what) the phone sent no \(step.name)\(last)")
    }
  }

  /// Demands that the session still lives: `/feedback` follows.
  func demandLife(after what: String) async throws(Stop) {
    let before = handled.count
    // One may have been on its way.
    let isAlive = { self.handled.dropFirst(before).count { $0 == .feedback } >= 2 }
    let isOver = {
      self.isClosed || self.closed.contains(.events) || self.handled.dropFirst(before).contains(.tearDown)
    }
    _ = await wait(peer.answer * 2) { isOver() || damage != nil || isAlive() }
    guard !isOver() else { throw .failed("\(what) ended the session") }
    if let damage { throw .failed("after \(what) the phone's bytes cannot be read: \(damage)") }
    guard isAlive() else {
      throw .failed("after \(what) no /feedback followed within \((peer.answer * 2).seconds)")
    }
  }

  /// Demands that the phone ends the session.
  func demandEnd(after what: String, within limit: Duration? = nil) async throws(Stop) {
    let limit = limit ?? peer.answer
    let connection = control
    let before = handled.count
    let isOver = {
      self.isClosed || self.closed.contains(.events) || self.control != connection
        || self.handled.dropFirst(before).contains(.tearDown)
    }
    guard await wait(limit, for: isOver) else {
      throw .failed("\(limit.seconds) after \(what) the phone still has the session")
    }
  }

  /// Demands an answer to a command, whatever its status is, and that the session lives.
  func demandAnswer(to message: RequestMessage, _ what: String) async throws(Stop) {
    _ = try await ask(message)
    try await demandLife(after: what)
  }
}

extension ScriptedHeadUnit.Step {
  /// Whether the request is one of pairing, which is sent before the head unit is verified.
  var isPairing: Bool {
    switch self {
    case .pairSetup, .pairVerify: true
    default: false
    }
  }

  /// The request in words.
  var name: String {
    switch self {
    case .pairSetup(let state): "M\(state &- 1) of /pair-setup"
    case .pairVerify(let state): "M\(state &- 1) of /pair-verify"
    case .authSetup: "POST /auth-setup"
    case .setUp: "SETUP of the session"
    case .information: "GET /info"
    case .record: "RECORD"
    case .feedback: "POST /feedback"
    case .command: "POST /command"
    case .streams: "SETUP of streams"
    case .tearDownStreams: "TEARDOWN of streams"
    case .tearDown: "TEARDOWN"
    case .other(let name): name
    }
  }
}
