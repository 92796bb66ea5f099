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
