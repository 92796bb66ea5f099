// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2Conformance

// The mode requests of the head unit.
extension ScriptedHeadUnit {
  /// The modes that the phone reported last; nil if it reported none.
  var modes: ModeSnapshot? {
    for command in commands.reversed() { if case .modesChanged(let modes) = command.command { return modes } }
    return nil
  }

  /// Goes on to a live session whose modes the phone has reported.
  func goLiveWithModes() async throws(Stop) -> ModeSnapshot {
    try await goLive()
    guard await wait(peer.answer, for: { modes != nil }), let modes else {
      throw .inconclusive("before the check: the phone reported no modes")
    }
    return modes
  }

  /// Sends a mode request, and demands that it is granted and that the new modes are reported. A refusal fails the
  /// check only if nothing of the principles that Apple has published allows it.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - needsReason: Whether a refusal without a reason fails the check.
  ///   - isNew: Whether the modes are those of the request.
  /// - Returns: The answer.
  @discardableResult
  func ask(
    for request: ModeRequest, needsReason: Bool = true, isNew: (ModeSnapshot) -> Bool
  ) async throws(Stop) -> RequestMessage {
    let (count, before) = (commands.count, modes)
    let answer = try await command(.changeModes(request))
    guard answer.status == 200, let status = answer.values?["status"]?.integer else {
      throw .failed("changeModes got status \(answer.status), and its answer has no number as status")
    }
    guard status == 0 else {
      guard needsReason, before.map({ !request.mayBeRefused(in: $0) }) ?? false else {
        throw .inconclusive("the phone refuses the request")
      }
      throw .failed("the phone refuses the request, although it has no call, no speech and no borrow")
    }
    let isReported = { self.commands.dropFirst(count).contains { $0.name == "modesChanged" } }
    _ = await wait(peer.answer) { isReported() && modes.map(isNew) ?? false || isClosed }
    guard isReported(), let modes else { throw .failed("no modesChanged followed a granted changeModes") }
    guard isNew(modes) else {
      throw .failed("modesChanged does not have the modes that were granted: \(modes.words)")
    }
    return answer
  }

  /// The stream of the phone's music; nil if it plays none.
  var music: StreamType? {
    [.mainAudio, .mainHighAudio, .bufferedAudio].first { streams[$0]?.packetCount ?? 0 > 0 }
  }

  /// Returns whether packets of a stream come within a time.
  func hears(_ type: StreamType, within time: Duration) async -> Bool {
    let count = streams[type]?.packetCount ?? 0
    return await wait(time) { streams[type]?.packetCount ?? 0 > count }
  }
}

extension ModeRequest {
  /// Whether a phone may refuse the request: only a call, Siri, or a borrow of its own is a reason. What the head unit
  /// returns, and what the last side that starts has, is never refused.
  fileprivate func mayBeRefused(in modes: ModeSnapshot) -> Bool {
    if modes.phoneCall == .phone || modes.speech == .phone { return true }
    return items.contains { item in
      let holder = item.resource == .screen ? modes.screen : modes.mainAudio
      return holder.user == .phone && holder.owner != .phone
    }
  }
}

extension ModeSnapshot {
  /// The sides in words.
  var words: String {
    func word(_ side: SessionSide?) -> String {
      switch side {
      case .phone: "phone"
      case .headUnit: "head unit"
      case nil: "none"
      }
    }
    return """
      screen \(word(screen.user)) (owner \(word(screen.owner))), main audio \(word(mainAudio.user)) \
      (owner \(word(mainAudio.owner))), speech \(word(speech)), call \(word(phoneCall)), guidance \(word(turnByTurn))
      """
  }
}
