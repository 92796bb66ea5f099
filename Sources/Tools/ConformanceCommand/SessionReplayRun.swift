// swift-iap2 · Apache-2.0

import ArgumentParser
package import CarPlayAnalysis
package import CarPlayCommand
import CarPlayConformance
import CarPlaySession
import CommandSupport
package import IAP2

/// A replay of a CarPlay session, as `iap2 replay --carplay` plays it.
package struct SessionReplayRun: Sendable {
  private let side: Side
  private let transport: String
  /// The time limit of an answer, the judgement of auth-setup, and the authenticator of a head unit.
  package var settings = SessionConformance.Settings()
  /// The file of the live session's capture; nil for none.
  package var capture: String?
  /// The rules that apply beside those of every comparison.
  package var tolerated: Set<SessionValueRule> = []
  package var isJSON = false

  /// Creates a replay.
  ///
  /// - Parameters:
  ///   - side: The side of the recording to play.
  ///   - transport: The peer, as `--transport` names it.
  package init(as side: Side, transport: String) { (self.side, self.transport) = (side, transport) }

  /// Throws an error about a transport that is not for a side.
  package static func check(_ transport: String, as side: Side, capture: String?) throws {
    try SessionPeer.check(transport, as: side)
    if case .loopback = try SessionPeer(transport), capture != nil {
      throw ValidationError("loopback has no sockets to record: leave out --capture")
    }
  }

  /// Plays a session and prints the comparison.
  ///
  /// - Parameters:
  ///   - path: The file of the recording.
  ///   - speed: The speed as a multiple of the recorded one; nil waits only for the peer.
  /// - Returns: Whether the live side sent what the recorded one did.
  package func play(_ captured: CapturedSession, of path: String, speed: Double?) async throws -> Bool {
    guard let recording = captured.session else { throw CommandFailure(.badInput, "\(path) has no CarPlay session") }
    let replay: SessionReplay
    do throws(SessionReplay.Problem) { replay = try SessionReplay(recording, speed: speed) } catch {
      throw CommandFailure(.badInput, "\(path): \(error.text)")
    }
    if recording.isCut { Output.note("\(path): the session is longer than a replay keeps, and its rest is not played") }
    let captures = try SessionCheckCaptures(file: capture)
    guard let result = try await result(replay, captures) else {
      throw CommandFailure(
        .unavailable,
        "\(transport): the \(side.peer.roleName) \(side == .device ? "accepts no connection" : "does not connect")")
    }
    try captures.check()
    let output = SessionComparisonOutput(
      replay: result.session, of: recording, captured, stop: result.stop,
      only: side == .device ? .headUnit : .phone, ignoring: tolerated)
    try output.show(all: false, json: isJSON)
    if isJSON { try SessionComparisonOutput.showVerdict(differences: output.differenceCount) }
    return output.differenceCount == 0
  }

  private func result(_ replay: SessionReplay, _ captures: SessionCheckCaptures) async throws -> SessionReplay.Result? {
    let run = try SessionConformance([], of: side.peer, settings, transport: transport)
    let progress = CountProgress(total: replay.recording.exchanges.count, unit: "requests")
    defer { progress?.clear() }
    let began: @Sendable (Int) -> Void = { progress?.note($0) }
    if side == .device {
      var headUnit = try await run.headUnit(captures)
      headUnit.answer = settings.answer
      captures.begin()
      let (result, isInterrupted) = await StopSignal.finish { [headUnit] in
        await replay.play(against: headUnit, began: began)
      }
      return result.map { isInterrupted ? $0.interrupted : $0 }
    }
    var phone = try await run.phone(captures)
    phone.answer = settings.answer
    captures.begin()
    let (result, isInterrupted) = await StopSignal.finish { [phone] in
      await replay.play(against: phone, began: began)
    }
    await phone.line.close()
    return result.map { isInterrupted ? $0.interrupted : $0 }
  }
}

extension SessionReplay.Problem {
  fileprivate var text: String {
    switch self {
    case .sealed: "the session is encrypted, and no key log has its secret: give that of a side with --key-log"
    case .unverified:
      "the session has no pair-verify, so its streams have the keys of an old procedure, which is not played"
    case .unfinished: "the session ends before its set-up, so there is nothing to play; `iap2 explain` says why"
    }
  }
}
