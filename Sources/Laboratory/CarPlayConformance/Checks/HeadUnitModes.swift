// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2
import IAP2Conformance

extension SessionCheck {
  /// Apple's examples of the sides that have the screen and the speakers, in which the phone acts.
  static let modesOfHeadUnits: [SessionCheck] = [
    example(
      "CMO-51", "radio and Siri",
      "While its radio plays, a head unit leaves the speakers to Siri, and then to the music that Siri started."
    ) { phone throws(Stop) in
      try await phone.change(ModeRequest([(.mainAudio, taking)], reason: "radio"), of: .headUnit)
      let both: [(ModeResource, ModeTransfer)] = [(.screen, borrowing), (.mainAudio, borrowing)]
      try await phone.change(ModeRequest(both, appStates: [.speech(.recognizing)], reason: "siri"), of: .phone)
      let over: [(ModeResource, ModeTransfer)] = [(.screen, .unborrow), (.mainAudio, taking), (.mainAudio, .unborrow)]
      let music = ModeRequest(over, appStates: [.speech(.none)], reason: "music")
      try await phone.demandAcceptance(of: music, "the speakers") { $0.wants(.mainAudio) }
    },
    example(
      "CMO-52", "own screen and a call",
      "While its own screen is visible, a head unit leaves the screen to a call of the phone, and gets it back."
    ) { phone throws(Stop) in
      try await phone.change(ModeRequest([(.screen, taking)], reason: "own screen"), of: .headUnit)
      let call = ModeRequest([(.screen, borrowing)], appStates: [.phoneCall(true)], reason: "call")
      try await phone.demandAcceptance(of: call, "the screen") { $0.wants(.screen) }
      let end = ModeRequest([(.screen, .unborrow)], appStates: [.phoneCall(false)], reason: "end of the call")
      try await phone.change(end, of: .phone)
      try await phone.demandLife(after: "a call")
    },
    example(
      "CMO-53", "guidance of both sides",
      "A head unit that guides leaves the guidance to the phone, which started its route later."
    ) { phone throws(Stop) in
      try await phone.change(ModeRequest(appStates: [.turnByTurn(true)], reason: "route"), of: .headUnit)
      let later = ModeRequest(appStates: [.turnByTurn(true)], reason: "later route")
      try await phone.demandAcceptance(of: later, "the guidance") { $0.appStates.contains(.turnByTurn(true)) }
    },
    example(
      "CMO-54", "recognizers of both sides", "A head unit that listens leaves speech to Siri."
    ) { phone throws(Stop) in
      let own = ModeRequest([(.mainAudio, borrowing)], appStates: [.speech(.recognizing)], reason: "own recognizer")
      try await phone.change(own, of: .headUnit)
      let siri = ModeRequest([(.mainAudio, borrowing)], appStates: [.speech(.recognizing)], reason: "siri")
      try await phone.demandAcceptance(of: siri, "speech") { request in
        request.appStates.contains { [.speech(.speaking), .speech(.recognizing)].contains($0) }
      }
    },
    .headUnit(
      "CMO-55", .sessionCommands, "the car's own screen",
      "A head unit asks for the screen by changeModes within 5 s after requestUI without a url.",
      "modes-examples: LIVI shows its own screen without it; the limit is ours", .medium, .observed
    ) { phone throws(Stop) in
      try await phone.goLiveWithModes()
      guard try await phone.asksForScreen() else {
        throw .failed("no changeModes for the screen came within 5 s after requestUI")
      }
      try await phone.demandLife(after: "changeModes")
    },
    .headUnit(
      "CMO-56", .sessionCommands, "a refused mode request", "A head unit whose changeModes is refused continues.",
      "modes-answer", .low, .recommended
    ) { phone throws(Stop) in
      phone.refusesModes = true
      try await phone.goLiveWithModes()
      guard try await phone.asksForScreen() else {
        throw .inconclusive("the head unit sent no changeModes within 5 s after requestUI")
      }
      await phone.pass(.seconds(1))
      try await phone.demandLife(after: "a refused changeModes")
    },
    .headUnit(
      "CMO-57", .sessionCommands, "the modes of the last session",
      "modes of /info ask for the speakers if the head unit had them last, and leave them to a phone that had them.",
      "last-user-mode: its place in /info is inferred", .low, .observed
    ) { phone throws(Stop) in
      try await phone.demandLast(.phone)
      try await phone.another().demandLast(.headUnit)
    },
  ]

  private static let taking = ModeTransfer.take(.userInitiated, take: .anytime, borrow: .anytime)
  private static let borrowing = ModeTransfer.borrow(.userInitiated, unborrow: .anytime)

  /// Creates the check of an example of Apple.
  private static func example(
    _ id: String, _ title: String, _ requirement: String,
    _ steps: @escaping @Sendable (ScriptedPhone) async throws(Stop) -> Void
  ) -> SessionCheck {
    .headUnit(id, .sessionCommands, title, requirement, "modes-examples", .medium, .recommended) {
      phone throws(Stop) in
      try await phone.goLiveWithModes()
      try await steps(phone)
    }
  }
}

extension ScriptedPhone {
  /// Plays a session at whose end a side has the speakers, and demands that the next one begins with that side.
  fileprivate func demandLast(_ side: SessionSide) async throws(Stop) {
    try await goLiveWithModes()
    let take = ModeTransfer.take(.userInitiated, take: .anytime, borrow: .anytime)
    do throws(Stop) {
      try await change(ModeRequest([(.mainAudio, take)], reason: "last"), of: side)
      try await tearDown()
    } catch { throw error.before("before the check") }
    await leave()
    await pass(.seconds(1))
    let next = try await another()
    do throws(Stop) { try await next.prepare() } catch {
      await next.leave()
      throw error
    }
    let begun = next.info?.modes.flatMap { ModeArbiter().applying($0, of: .headUnit) }
    do throws(Stop) { try await next.tearDown() } catch {}
    await next.leave()
    guard let begun else { throw .notApplicable("/info has no modes that can be applied") }
    guard begun.owner(of: .mainAudio) == side else {
      let name = side == .phone ? "phone" : "head unit"
      throw .failed("the \(name) had the speakers last, and modes of /info give them to the other side")
    }
  }

  /// Asks for the car's own screen. Returns whether the head unit asks for the screen within 5 s.
  fileprivate func asksForScreen() async throws(Stop) -> Bool {
    let count = commands.count
    try await demandCommandTaken(.requestUI(url: nil))
    return await wait(.seconds(5)) {
      commands.dropFirst(count).contains { body in
        guard case .changeModes(let request) = body.command else { return false }
        return request.wants(.screen)
      }
    }
  }
}
