// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2
import IAP2Conformance

extension SessionCheck {
  /// Apple's examples of the sides that have the screen and the speakers, in which the car acts and the phone decides.
  static let modesOfPhones: [SessionCheck] = [
    example(
      "CMO-71", "radio button",
      "The phone gives the speakers to a car whose radio is switched on, and keeps the screen."
    ) { headUnit, before throws(Stop) in
      try await headUnit.ask(for: radio) { $0.mainAudio == both(.headUnit) && $0.screen == before.screen }
    },
    .phone(
      "CMO-72", .sessionCommands, "music and the radio",
      "The phone's music is silent 1 s after the car took the speakers.",
      "modes-examples: the limit is ours", .medium, .recommended
    ) { headUnit throws(Stop) in
      let music: Set<StreamType> = [.mainAudio, .mainHighAudio, .bufferedAudio]
      let type = try await headUnit.goLive(with: { music.contains($0) }, "music")
      try await headUnit.ask(for: radio) { $0.mainAudio == both(.headUnit) }
      await headUnit.pass(.seconds(1))
      guard await !headUnit.hears(type, within: .seconds(2)) else {
        throw .failed("the phone's music goes on, although the head unit has the speakers")
      }
      try await headUnit.demandLife(after: "the end of the music")
    },
    example(
      "CMO-73", "the car's own recognizer",
      "The car's recognizer borrows screen and speakers; then the radio and CarPlay come back."
    ) { headUnit, before throws(Stop) in
      try await headUnit.ask(for: radio) { $0.mainAudio == both(.headUnit) }
      let borrow = ModeRequest(
        [(.screen, borrowing), (.mainAudio, borrowing)], appStates: [.speech(.recognizing)], reason: "recognizer")
      try await headUnit.ask(for: borrow) { modes in
        modes.screen == ModeSnapshot.Holder(user: .headUnit, owner: before.screen.owner)
          && modes.mainAudio == both(.headUnit) && modes.speech == .headUnit
      }
      let items: [(ModeResource, ModeTransfer)] = [(.screen, .unborrow), (.mainAudio, .unborrow)]
      let back = ModeRequest(items, appStates: [.speech(.none)], reason: "over")
      try await headUnit.ask(for: back) { modes in
        modes.screen == before.screen && modes.mainAudio == both(.headUnit) && modes.speech != .headUnit
      }
    },
    example(
      "CMO-74", "reversing camera", "The reversing camera borrows the screen alone: the phone's music goes on."
    ) { headUnit, before throws(Stop) in
      _ = await headUnit.wait(.seconds(1)) { headUnit.music != nil }
      let music = before.mainAudio.user == .phone ? headUnit.music : nil
      try await headUnit.ask(for: camera) { modes in
        modes.screen == ModeSnapshot.Holder(user: .headUnit, owner: before.screen.owner)
          && modes.mainAudio.user == before.mainAudio.user
      }
      if let music, await !headUnit.hears(music, within: .seconds(2)) {
        throw .failed("the phone's music ended, although the head unit borrowed the screen alone")
      }
      try await headUnit.ask(for: ModeRequest([(.screen, .unborrow)], reason: "over")) { $0.screen == before.screen }
    },
    example(
      "CMO-75", "reversing camera and Siri", "Siri does not get the screen while the reversing camera has it."
    ) { headUnit, before throws(Stop) in
      try await headUnit.ask(for: camera) { $0.screen.user == .headUnit }
      _ = try await headUnit.command(.requestSiri(.buttonDown))
      let isLost = await headUnit.wait(.seconds(3)) { headUnit.modes?.screen.user != .headUnit }
      _ = try await headUnit.command(.requestSiri(.buttonUp))
      guard !isLost else { throw .failed("the phone took the screen of a borrow whose constraint is never") }
      try await headUnit.demandLife(after: "the Siri button")
    },
    example(
      "CMO-76", "guidance of the car", "The last side that starts a route guides: a route of the car is never refused.",
      "modes-states"
    ) { headUnit, _ throws(Stop) in
      try await headUnit.ask(for: ModeRequest(appStates: [.turnByTurn(true)], reason: "route")) { modes in
        modes.turnByTurn == .headUnit
      }
      try await headUnit.ask(for: ModeRequest(appStates: [.turnByTurn(false)], reason: "arrival")) { modes in
        modes.turnByTurn != .headUnit
      }
    },
    example(
      "CMO-77", "hands-free call of the car", "A call of the car over hands-free is not interrupted by the phone.",
      "modes-states"
    ) { headUnit, _ throws(Stop) in
      try await headUnit.ask(for: ModeRequest(appStates: [.phoneCall(true)], reason: "call")) { modes in
        modes.phoneCall == .headUnit
      }
      let isInterrupted = await headUnit.wait(.seconds(3)) { headUnit.modes?.phoneCall != .headUnit }
      guard !isInterrupted else { throw .failed("the phone took the call of the head unit") }
      try await headUnit.ask(for: ModeRequest(appStates: [.phoneCall(false)], reason: "over")) { modes in
        modes.phoneCall != .headUnit
      }
    },
    example(
      "CMO-78", "the car's own screen", "The car takes the screen and gives it back, and the speakers stay as they are."
    ) { headUnit, before throws(Stop) in
      try await headUnit.ask(for: ModeRequest([(.screen, taking)], reason: "own screen")) { modes in
        modes.screen == both(.headUnit) && modes.mainAudio == before.mainAudio
      }
      try await headUnit.ask(for: ModeRequest([(.screen, .untake)], reason: "CarPlay")) { $0.screen == both(.phone) }
    },
    example(
      "CMO-79", "borrow of the own screen", "The car may borrow the screen that it owns, and owns it afterwards.",
      "modes-resources"
    ) { headUnit, _ throws(Stop) in
      try await headUnit.ask(for: ModeRequest([(.screen, taking)], reason: "own screen")) { modes in
        modes.screen == both(.headUnit)
      }
      try await headUnit.ask(for: camera) { $0.screen == both(.headUnit) }
      try await headUnit.ask(for: ModeRequest([(.screen, .unborrow)], reason: "over")) { $0.screen == both(.headUnit) }
    },
    ours(
      "CMO-80", "refused transfer", "A request with one refused transfer changes nothing.", "modes-rule"
    ) { headUnit, before throws(Stop) in
      // The head unit has borrowed no screen, so it cannot give one back.
      let request = ModeRequest([(.mainAudio, taking), (.screen, .unborrow)], reason: "half")
      let answer = try await headUnit.command(.changeModes(request))
      guard answer.status != 200 || answer.values?["status"]?.integer != 0 else {
        throw .inconclusive("the phone grants the end of a borrow that the head unit does not have")
      }
      try await headUnit.ask(for: ModeRequest(appStates: [.turnByTurn(true)], reason: "route")) { modes in
        modes.mainAudio == before.mainAudio && modes.screen == before.screen
      }
    },
    ours(
      "CMO-81", "end of a foreign state", "An app state that the head unit does not have is not ended by it.",
      "modes-rule"
    ) { headUnit, before throws(Stop) in
      // Most phones have speech while the button is down.
      _ = try await headUnit.command(.requestSiri(.buttonDown))
      _ = await headUnit.wait(.seconds(1)) { headUnit.modes?.speech == .phone }
      let speech = headUnit.modes?.speech
      let states: [ModeAppState] = [.speech(.none), .phoneCall(false), .turnByTurn(false)]
      try await headUnit.ask(for: ModeRequest(appStates: states, reason: "over")) { modes in
        modes.speech == speech && modes.phoneCall == before.phoneCall && modes.turnByTurn == before.turnByTurn
      }
      _ = try await headUnit.command(.requestSiri(.buttonUp))
    },
    ours(
      "CMO-82", "modes in the answer", "The answer to a granted changeModes has the new modes.", "modes-answer"
    ) { headUnit, _ throws(Stop) in
      let answer = try await headUnit.ask(for: ModeRequest(appStates: [.turnByTurn(true)], reason: "route")) { modes in
        modes.turnByTurn == .headUnit
      }
      guard let modes = answer.values?["params"].flatMap(ModeSnapshot.init) else {
        throw .failed("the answer to changeModes has no params with modes")
      }
      guard modes.turnByTurn == .headUnit else { throw .failed("the answer to changeModes has the former modes") }
    },
  ]

  private static let taking = ModeTransfer.take(.userInitiated, take: .anytime, borrow: .anytime)
  private static let borrowing = ModeTransfer.borrow(.userInitiated, unborrow: .anytime)
  private static let radio = ModeRequest([(.mainAudio, taking)], reason: "radio")
  private static let camera = ModeRequest([(.screen, .borrow(.userInitiated, unborrow: .never))], reason: "camera")

  /// Returns a holder whose user and owner are one side.
  private static func both(_ side: SessionSide) -> ModeSnapshot.Holder { ModeSnapshot.Holder(user: side, owner: side) }

  /// Creates the check of an example of Apple, whose steps get the modes at the start. The screen is the phone's then.
  private static func example(
    _ id: String, _ title: String, _ requirement: String, _ anchor: String = "modes-examples",
    _ strictness: Strictness = .recommended,
    _ steps: @escaping @Sendable (ScriptedHeadUnit, ModeSnapshot) async throws(Stop) -> Void
  ) -> SessionCheck {
    .phone(id, .sessionCommands, title, requirement, anchor, .medium, strictness) { headUnit throws(Stop) in
      try await headUnit.playModes(steps)
    }
  }

  /// Creates the check of a rule that Apple has not published.
  private static func ours(
    _ id: String, _ title: String, _ requirement: String, _ anchor: String,
    _ steps: @escaping @Sendable (ScriptedHeadUnit, ModeSnapshot) async throws(Stop) -> Void
  ) -> SessionCheck {
    .phone(id, .sessionCommands, title, requirement, anchor, .low) { headUnit throws(Stop) in
      try await headUnit.playModes(steps)
    }
  }
}

extension ScriptedHeadUnit {
  /// Plays steps from a live session in which the phone has the screen.
  fileprivate func playModes(
    _ steps: (ScriptedHeadUnit, ModeSnapshot) async throws(Stop) -> Void
  ) async throws(Stop) {
    let modes = try await goLiveWithModes()
    guard modes.screen.user == .phone else {
      throw .inconclusive("before the check: the phone does not have the screen")
    }
    try await steps(self, modes)
    try await demandLife(after: "the new modes")
  }
}
