// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2Conformance

// The session from which the rules are judged: what a usual head unit answers and sends.
extension ScriptedHeadUnit {
  /// Plays an ordinary session as far as the phone goes.
  ///
  /// - Returns: Why it stopped early; nil if it went to its end.
  func playOrdinarySession() async -> String? {
    do throws(Stop) {
      // A pairing shows the most, if the phone pairs again.
      peer.pairings.removeAll(of: identity)
      try await goLive()
      _ = await wait(peer.answer) { !openedStreams.isEmpty }
      let session = control
      await pass(peer.ordinary)
      // A phone may end its session in order when it likes. It owes nothing then.
      guard !isClosed, control == session, !handled.contains(.tearDown) else {
        record.settle()
        return handled.contains(.tearDown) ? nil : "the phone ended the session"
      }
      for command in ordinaryCommands {
        let answer = try await self.command(command)
        if answer.status != 200 { record.settle() }
      }
      // More questions of the clock, and pictures until the key frame.
      await pass(.seconds(2))
      _ = await wait(peer.answer) { picturesSinceAsked.map { $0 >= Self.keyFrameLimit } ?? true }
      record.settle()
      return nil
    } catch {
      record.settle()
      return handled.contains(.tearDown) ? nil : error.reason
    }
  }

  /// A few commands that each phone of a car gets.
  private var ordinaryCommands: [SessionCommand] {
    var commands: [SessionCommand] = [.setNightMode(true), .setNightMode(false)]
    if openedStreams.contains(.screen) { commands.append(.forceKeyFrame(uuid: mainDisplay?.uuid)) }
    if info.inputDevices?.isEmpty == false {
      commands += InputAction.tap(x: 1, y: 1).commands(
        width: mainDisplay?.width ?? 0, height: mainDisplay?.height ?? 0)
    }
    return commands
  }

  /// The first display of `/info`.
  var mainDisplay: DisplayInfo? { info.displays?.first }
}
