// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2
import IAP2Conformance

extension SessionCheck {
  /// Commands of the head unit on the event channel.
  static let commandsOfPhones: [SessionCheck] = [
    answered(
      "CCM-71", "unknown command", "A phone answers a command that it does not know.", "request", .high, .required,
      "an unknown command"
    ) { _ in ["type": "xUnknownCommand", "params": ["a": 1]] },
    answered(
      "CCM-72", "command without a name", "A phone answers a command without type.", "request", .high, .recommended,
      "a command without type"
    ) { _ in ["params": [:]] },
    .phone(
      "CCM-73", .sessionCommands, "command that is no property list", "A phone answers a command in XML.", "request",
      .high, .recommended
    ) { headUnit throws(Stop) in
      try await headUnit.goLive()
      try await headUnit.demandAnswer(to: headUnit.request(Array("<plist/>".utf8)), "a command in XML")
    },
    .phone(
      "CCM-74", .sessionCommands, "unknown path", "A phone answers a request for an unknown path on the event channel.",
      "request", .high, .recommended
    ) { headUnit throws(Stop) in
      try await headUnit.goLive()
      try await headUnit.demandAnswer(to: headUnit.request([], path: "/unknown"), "a request for an unknown path")
    },
    .phone(
      "CCM-75", .sessionCommands, "known commands", "A phone answers the commands of a car with 200.", "command-names",
      .medium, .recommended
    ) { headUnit throws(Stop) in
      try await headUnit.goLive()
      let uuid = headUnit.mainDisplay?.uuid ?? ""
      let commands: [SessionCommand] = [
        .setNightMode(true), .setLimitedUI(true), .setLimitedUI(false), .requestSiri(.prewarm),
        .requestSiri(.buttonDown), .requestSiri(.buttonUp), .requestUI(url: nil), .showUI(uuid: uuid, url: nil),
        .stopUI(uuid: uuid), .requestViewArea(uuid: uuid, index: 0, milliseconds: 300),
        .changeMapZoomLevel(uuid: uuid, direction: 1), .iAP([0xFF, 0x55, 0x02, 0x00, 0xEE, 0x10]),
      ]
      for command in commands {
        let answer = try await headUnit.command(command)
        guard answer.status == 200 else { throw .failed("\(command.name) got status \(answer.status)") }
      }
      try await headUnit.demandLife(after: "known commands")
    },
    .phone(
      "CCM-76", .sessionCommands, "commands without a pause", "A phone answers commands in their order.", "request",
      .high, .required
    ) { headUnit throws(Stop) in
      try await headUnit.goLive()
      let messages = (0..<5).map { number in
        headUnit.request(SessionCommand.setNightMode(number.isMultiple(of: 2)).body.binary)
      }
      await headUnit.sendEvents([messages.flatMap { headUnit.sealed($0) }])
      for message in messages {
        let answer = try await headUnit.commandAnswer(to: message)
        guard answer.sequence == message.sequence else {
          throw .failed("the answer to CSeq \(message.sequence ?? "") has CSeq \(answer.sequence ?? "missing")")
        }
      }
    },
    .phone(
      "CCM-77", .sessionCommands, "command byte by byte", "A phone joins the pieces of a command.", "frame", .high,
      .required
    ) { headUnit throws(Stop) in
      try await headUnit.goLive()
      let message = headUnit.request(SessionCommand.setNightMode(true).body.binary)
      await headUnit.sendEvents(headUnit.sealed(message).map { [$0] })
      _ = try await headUnit.commandAnswer(to: message)
    },
    .phone(
      "CCM-78", .sessionCommands, "mode request", "The phone grants or refuses changeModes, and reports new modes.",
      "modes-start", .low
    ) { headUnit throws(Stop) in
      try await headUnit.goLive()
      try await headUnit.ask(
        for: ModeRequest([(.screen, .borrow(.userInitiated, unborrow: .anytime))]), needsReason: false
      ) { $0.screen.user == .headUnit }
      try await headUnit.ask(for: ModeRequest([(.screen, .unborrow)]), needsReason: false) { $0.screen.user == .phone }
    },
    .phone(
      "CCM-79", .sessionCommands, "refused mode request",
      "The phone refuses the screen's return by a head unit that does not have it.", "modes-rule", .low
    ) { headUnit throws(Stop) in
      try await headUnit.goLive()
      guard let modes = headUnit.modes, modes.screen.owner == .phone else {
        throw .notApplicable("the phone does not report that it owns the screen")
      }
      let count = headUnit.commands.count
      let request = ModeRequest([(.screen, .untake)])
      let answer = try await headUnit.command(.changeModes(request))
      guard answer.status != 200 || answer.values?["status"]?.integer != 0 else {
        throw .failed("the phone granted the return of a screen that the head unit does not have")
      }
      await headUnit.pass(.milliseconds(500))
      let news = headUnit.commands.dropFirst(count).contains { $0.name == "modesChanged" }
      guard !news else { throw .failed("modesChanged followed a refused changeModes") }
    },
    .phone(
      "CCM-80", .sessionCommands, "real numbers in a command", "A phone reads whole numbers that are real ones.",
      "property-numbers", .medium, .recommended
    ) { headUnit throws(Stop) in
      try await headUnit.goLive()
      let request = ModeRequest(appStates: [.speech(.none), .turnByTurn(false)])
      let body = SessionCommand.changeModes(request).body.withRealNumbers
      let answer = try await headUnit.ask(headUnit.request(body.binary))
      guard answer.status == 200, answer.values?["status"]?.integer != nil else {
        throw .failed("changeModes with real numbers got status \(answer.status), and no number as status")
      }
      try await headUnit.demandLife(after: "real numbers in a command")
    },
    .phone(
      "CCM-81", .sessionCommands, "long command", "A phone reads a command of 100 KB.",
      "property-lists: the limit is ours", .low
    ) { headUnit throws(Stop) in
      try await headUnit.goLive()
      let body = SessionCommand.iAP([UInt8](repeating: 0xFF, count: 100_000)).body
      try await headUnit.demandAnswer(to: headUnit.request(body.binary), "a command of 100 KB")
    },
    answered(
      "CHI-71", "report of an unknown device", "A phone answers a report of a device that is not in /info.", "request",
      .high, .recommended, "a report of an unknown device"
    ) { _ in ["type": "hidSendReport", "uuid": "ffffffff", "hidReport": .data([0])] },
    answered(
      "CHI-72", "report of another size", "A phone answers a report of another size.", "request", .high, .recommended,
      "a report of another size"
    ) { headUnit in
      ["type": "hidSendReport", "uuid": .text(headUnit.info.inputDevices?.first?.uuid ?? "1"), "hidReport": .data([1])]
    },
    answered(
      "CHI-73", "report without a device", "A phone answers a report without uuid.", "request", .high, .recommended,
      "a report without uuid"
    ) { _ in ["type": "hidSendReport"] },
    .phone(
      "CHI-74", .sessionCommands, "touch and keys", "A phone answers the reports of input devices with 200.",
      "hid-send-report", .medium, .recommended
    ) { headUnit throws(Stop) in
      try await headUnit.goLive()
      let (width, height) = (headUnit.mainDisplay?.width ?? 800, headUnit.mainDisplay?.height ?? 480)
      let actions: [InputAction] = [
        .tap(x: 1, y: 1), .drag(x: 1, y: 1, toX: width - 1, toY: height - 1), .knob(.back), .turn(1),
        // A place outside of the screen is a null state.
        .tap(x: width * 4, y: height * 4),
      ]
      for command in actions.flatMap({ $0.commands(width: width, height: height) }) {
        let answer = try await headUnit.command(command)
        guard answer.status == 200 else { throw .failed("hidSendReport got status \(answer.status)") }
      }
      try await headUnit.demandLife(after: "reports of input devices")
    },
  ]

  /// Returns the check of a command that a phone answers, with any status.
  private static func answered(
    _ id: String, _ title: String, _ requirement: String, _ anchor: String, _ confidence: Confidence,
    _ strictness: Strictness, _ what: String,
    _ body: @escaping @Sendable (ScriptedHeadUnit) -> PropertyValue
  ) -> SessionCheck {
    .phone(id, .sessionCommands, title, requirement, anchor, confidence, strictness) { headUnit throws(Stop) in
      try await headUnit.goLive()
      try await headUnit.demandAnswer(to: headUnit.request(body(headUnit).binary), what)
    }
  }
}
