// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import IAP2
import IAP2Conformance

extension SessionCheck {
  static let commandsOfHeadUnits: [SessionCheck] = [
    .headUnit(
      "CCL-51", .sessionTime, "the head unit's clock", "The head unit asks the phone's clock every few seconds.",
      "clock", .medium, .observed
    ) { phone throws(Stop) in
      try await phone.goLive()
      let hasAsked = await phone.wait(.seconds(5)) { phone.clockRequestCount > 0 }
      guard hasAsked else { throw .failed("no request of the clock came within 5 s") }
    },
    .headUnit(
      "CCL-52", .sessionTime, "a silent clock", "A session continues if the phone does not answer the clock.",
      "clock-silence", .medium, .recommended
    ) { phone throws(Stop) in
      phone.answersClock = false
      try await phone.goLive()
      await phone.pass(.seconds(10))
      try await phone.demandLife(after: "10 s without an answer of the clock")
    },
    .headUnit(
      "CCL-53", .sessionTime, "datagrams that are none", "Datagrams without a meaning end nothing.", "clock", .high
    ) { phone throws(Stop) in
      try await phone.goLive()
      guard let port = phone.setUpAnswer?.timingPort else { throw .notApplicable("the session has no clock") }
      for count in [1, 31, 33, 1400] {
        await phone.line.act([.sendDatagram(.clock, [UInt8](repeating: 0x80, count: count), port: port)])
      }
      await phone.pass(.milliseconds(500))
      try await phone.demandLife(after: "datagrams without a meaning")
    },
    .headUnit(
      "CFB-51", .sessionTime, "OPTIONS for /feedback",
      "A session continues if the phone sends OPTIONS in place of /feedback.",
      "clock-silence", .medium, .recommended
    ) { phone throws(Stop) in
      try await phone.goLive()
      phone.endFeedback()
      for _ in 0..<12 {
        _ = try await phone.ask(phone.request("OPTIONS", "*"))
        await phone.pass(.seconds(1))
      }
      try await phone.demandLife(after: "12 s without /feedback")
    },
    .headUnit(
      "CFB-52", .sessionTime, "a silent phone", "A head unit ends the session of a phone that sends nothing for 30 s.",
      "session-times", .low
    ) { phone throws(Stop) in
      phone.answersClock = false
      try await phone.goLive()
      phone.endFeedback()
      let hasEnded = await phone.wait(.seconds(30)) { phone.isClosed || phone.closed.contains(.events) }
      guard hasEnded else { throw .failed("the session continues after 30 s of silence") }
    },
    .command("CCM-51", "modesChanged", "the phone has the screen") { phone in
      .modesChanged(ModeSnapshot(ModeArbiter(), reason: "conformance"))
    },
    .command("CCM-52", "duckAudio", "the music gets quieter") { _ in .duckAudio(decibels: -20, milliseconds: 300) },
    .command("CCM-53", "unduckAudio", "the music gets louder again") { _ in .unduckAudio(milliseconds: 500) },
    .command("CCM-54", "disableBluetooth", "Bluetooth is not needed any more") { _ in
      .disableBluetooth(deviceID: "02:00:00:00:01:01")
    },
    .command("CCM-55", "requestUI", "the car's own screen") { _ in .requestUI(url: nil) },
    .headUnit(
      "CCM-56", .sessionCommands, "an unknown command", "An unknown command is answered, and the session continues.",
      "command-form: LIVI answers 200, CAT 501", .medium
    ) { phone throws(Stop) in
      try await phone.goLive()
      _ = try await phone.command(["type": "conformance", "params": ["a": 1]])
      try await phone.demandLife(after: "an unknown command")
    },
    .headUnit(
      "CCM-57", .sessionCommands, "a command without a name",
      "A command without type is answered, and the session continues.", "command-form", .low, .recommended
    ) { phone throws(Stop) in
      try await phone.goLive()
      _ = try await phone.command(["params": ["a": 1]])
      try await phone.demandLife(after: "a command without type")
    },
    .headUnit(
      "CCM-60", .sessionCommands, "the status of a command without a name",
      "A command without type gets an error status.", "command-form: LIVI answers 200", .low
    ) { phone throws(Stop) in
      try await phone.goLive()
      let answer = try await phone.command(["params": ["a": 1]])
      guard answer.status >= 400 else { throw .failed("a command without type got status \(answer.status)") }
    },
    .headUnit(
      "CCM-58", .sessionCommands, "a request on the event channel",
      "A request of the phone on the event channel is answered with 200.", "event-channel", .medium, .recommended
    ) { phone throws(Stop) in
      try await phone.goLive()
      let message = phone.request("POST", "/feedback")
      await phone.line.act([.send(.events, phone.events.sealed(message.bytes))])
      let isAnswered = await phone.wait(.seconds(5)) { phone.eventAnswers.contains(message.sequence ?? "") }
      guard isAnswered else { throw .failed("the request got no answer within 5 s") }
    },
    .headUnit(
      "CCM-59", .sessionCommands, "refused commands", "A head unit whose command is refused continues.", "command-form",
      .low, .recommended
    ) { phone throws(Stop) in
      phone.commandStatus = 501
      try await phone.goLive()
      try await phone.openScreen()
      let hasCommand = await phone.wait(.seconds(3)) { !phone.commands.isEmpty }
      guard hasCommand else { throw .inconclusive("the head unit sent no command within 3 s") }
      await phone.pass(.seconds(1))
      try await phone.demandLife(after: "a refused command")
    },
  ]

  /// Creates the check that a command of the phone is answered with 200.
  private static func command(
    _ id: String, _ name: String, _ what: String, _ command: @escaping @Sendable (ScriptedPhone) -> SessionCommand
  ) -> SessionCheck {
    .headUnit(
      id, .sessionCommands, name, "The command \(name) (\(what)) is answered with 200.", "command-names", .medium
    ) { phone throws(Stop) in
      try await phone.goLive()
      try await phone.demandCommandTaken(command(phone))
      try await phone.demandLife(after: name)
    }
  }
}

extension ScriptedPhone {
  /// Demands that a command is answered with 200.
  func demandCommandTaken(_ command: SessionCommand) async throws(Stop) {
    let answer = try await self.command(command.body)
    guard answer.status == 200 else { throw .failed("\(command.name) got status \(answer.status)") }
  }
}
