// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
import IAP2Runtime

extension Check {
  static let identificationOfAccessories: [Check] = [
    Check(
      "IDN-01", .identification, of: [.accessory], "The accessory identifies itself",
      "An accessory answers 1D00 with 1D01.", .at("Identification.md#request", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      _ = try await probe.identification()
    },
    Check(
      "IDN-02", .identification, of: [.accessory], "The required parameters are present",
      "The identification has the parameters 0 to 9, 12 and 13.", .at("Identification.md#required", .medium)
    ) { probe throws(Stop) in
      let reported = try await probe.identified()
      let missing = (Array(0...9) + [12, 13]).filter { reported[$0] == nil }
      guard missing.isEmpty else {
        throw .failed("parameters \(missing.map(String.init).joined(separator: ", ")) are missing")
      }
    },
    Check(
      "IDN-03", .identification, of: [.accessory], "Texts end with a zero",
      "Texts are UTF-8 and end with one zero byte, which their length counts.", .at("Sessions.md#utf8-form", .high)
    ) { probe throws(Stop) in
      let reported = try await probe.identified()
      for (id, value) in reported.parameters where id <= 5 || id == 12 {
        guard value.last == 0, String(validating: value.dropLast(), as: UTF8.self) != nil else {
          throw .failed("parameter \(id) is not a text with one zero byte at its end")
        }
      }
    },
    rule(
      "IDN-04", "no-implied-messages", "The protocol's own messages are not listed",
      "The lists 6 and 7 name no message of authentication or identification."),
    rule(
      "IDN-05", "start-with-stop", "A Start is listed with its Stop",
      "An accessory that lists the Start of a subscription also lists its Stop.", .low,
      "that a phone rejects another list is reported, source withdrawn"),
    rule(
      "IDN-06", "update-with-start", "An update is listed with its Start",
      "An update in list 7 has its Start in list 6.", .low,
      "that a phone rejects another list is reported, source withdrawn"),
    Check(
      "IDN-07", .identification, of: [.accessory], "Listed messages have their components",
      "Messages that require a component or a protocol are listed only with it.",
      .at("Identification.md#component-messages", .medium)
    ) { probe throws(Stop) in
      let information = try await probe.identified().identification()
      let findings = IdentificationRule.findings(in: information).filter { $0.rule.id.hasSuffix("-component") }
      guard let first = findings.first else { return }
      throw .failed("\(first.rule.text) (\(first.messages.map { hexadecimal($0) }.joined(separator: ", ")))")
    },
    Check(
      "IDN-08", .identification, of: [.accessory], "A rejection is answered",
      "After 1D03 an accessory sends a corrected 1D01 without a further 1D00, or sends 1D05, or ends the link.",
      .at("Identification.md#correction", .medium)
    ) { probe throws(Stop) in _ = try await probe.corrected() },
    Check(
      "IDN-09", .identification, of: [.accessory], "A correction changes the rejected parameter",
      "The second 1D01 omits the parameter that the rejection named, or has another value for it.",
      .at(
        "Identification.md#correction-changes", .low, "inferred; one implementation always omits the same parameters"),
      .recommended
    ) { probe throws(Stop) in
      let (first, named, second): (Message, UInt16, Message?)
      do throws(Stop) { (first, named, second) = try await probe.corrected() } catch {
        throw error.before("the rejection was not answered")
      }
      guard let second else { throw .notApplicable("it gives up after a rejection") }
      guard second[named] == nil || second[named] != first[named] else {
        throw .failed("parameter \(named) is unchanged")
      }
    },
    Check(
      "IDN-10", .identification, of: [.accessory], "Only listed messages are sent",
      "When both sides are ready, an accessory sends only messages of its list 6. EA03 need not be listed.",
      .at("Sessions.md#list-gate", .medium, "a real accessory sends EA03 unlisted"), .recommended
    ) { probe throws(Stop) in
      let reported = try await probe.session()
      let listed = reported.list(6) + [StatusExternalAccessoryProtocolSession.id]
      let others = await probe.everything(for: 3000).map(\.id).filter {
        !ControlHeader.isImplied($0) && !listed.contains($0)
      }
      guard others.isEmpty else {
        throw .failed("not listed: \(others.map { hexadecimal($0) }.joined(separator: ", "))")
      }
      try await probe.stays()
    },
    Check(
      "IDN-11", .identification, of: [.accessory], "EA protocols are distinct",
      "EA protocols have distinct identifiers, and names.", .at("Identification.md#ea-distinct", .medium)
    ) { probe throws(Stop) in
      let information = try await probe.identified().identification()
      guard !information.supportedExternalAccessoryProtocol.isEmpty else {
        throw .notApplicable("it has no EA protocol")
      }
      let findings = IdentificationRule.findings(in: information).filter { $0.rule.id == "ea-protocols" }
      guard findings.isEmpty else { throw .failed("two protocols have the same identifier, or one has no name") }
    },
  ]

  /// Returns a check of one ``IdentificationRule``, whose evidence is the fact with the rule's name.
  private static func rule(
    _ id: String, _ name: String, _ title: String, _ requirement: String, _ confidence: Confidence = .medium,
    _ note: String = ""
  ) -> Check {
    Check(
      id, .identification, of: [.accessory], title, requirement, .at("Identification.md#\(name)", confidence, note)
    ) { probe throws(Stop) in
      let information = try await probe.identified().identification()
      let findings = IdentificationRule.findings(in: information).filter { $0.rule.id == name }
      guard let first = findings.first else { return }
      throw .failed("listed: \(first.messages.map { hexadecimal($0) }.joined(separator: ", "))")
    }
  }

  static let identificationOfDevices: [Check] = [
    Check(
      "IDN-20", .identification, of: [.device], "The phone requests the identification",
      "A device requests the identification with 1D00.", .at("Identification.md#request", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      try await probe.serve(until: StartIdentification.id)
    },
    Check(
      "IDN-21", .identification, of: [.device], "A valid identification is accepted",
      "A device answers an identification that follows the rules with 1D02.", .at("Identification.md#acceptance", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      try await probe.serve(until: IdentificationAccepted.id)
    },
    Check(
      "IDN-22", .identification, of: [.device], "Parameters come in any order",
      "The order of the parameters of an identification does not matter.", .at("Sessions.md#parameter-order", .high)
    ) { probe throws(Stop) in
      try await probe.isAccepted { own in Message(IdentificationInformation.id, own.parameters.reversed()) }
    },
    Check(
      "IDN-23", .identification, of: [.device], "Unknown parameters are skipped",
      "A device does not reject an identification because of an unknown parameter.",
      .at("Sessions.md#unknown-parameters", .high)
    ) { probe throws(Stop) in
      try await probe.isAccepted { own in Message(IdentificationInformation.id, own.parameters + [(0x7F01, [1, 2, 3])])
      }
    },
    Check(
      "IDN-24", .identification, of: [.device], "A missing parameter is named",
      "A device rejects an identification without a required parameter: 1D03 names it.",
      .at("Identification.md#required-rejected", .low, "inferred"), .recommended
    ) { probe throws(Stop) in
      let named = try await probe.rejection { own in
        Message(IdentificationInformation.id, own.parameters.filter { $0.id != 3 })
      }
      guard named.contains(3) else { throw .failed("parameter 3 is missing, but 1D03 names \(named)") }
    },
    Check(
      "IDN-25", .identification, of: [.device], "A list with the protocol's own messages is rejected",
      "A device rejects an identification whose list 6 names AA00: 1D03 names 6.",
      .at("Identification.md#no-implied-messages", .medium), .recommended
    ) { probe throws(Stop) in
      let named = try await probe.rejection { own in
        Message(
          IdentificationInformation.id, own.parameters.map { $0.id == 6 ? ($0.id, $0.value + [0xAA, 0x00]) : $0 })
      }
      guard named.contains(6) else { throw .failed("parameter 6 is wrong, but 1D03 names \(named)") }
    },
    Check(
      "IDN-26", .identification, of: [.device], "A message without its component is rejected",
      "A device rejects an identification that lists location messages without a location component: 1D03 names 6 or 7.",
      .at("Identification.md#component-messages", .medium), .recommended
    ) { probe throws(Stop) in
      let named = try await probe.rejection { own in
        Message(
          IdentificationInformation.id, own.parameters.map { $0.id == 6 ? ($0.id, $0.value + [0xFF, 0xFB]) : $0 })
      }
      guard named.contains(6) || named.contains(7) else {
        throw .failed("parameter 6 is wrong, but 1D03 names \(named)")
      }
    },
    Check(
      "IDN-27", .identification, of: [.device], "A correction is accepted",
      "After 1D03 a device accepts a corrected 1D01 without a further 1D00.",
      .at("Identification.md#correction", .medium)
    ) { probe throws(Stop) in
      _ = try await probe.beforehand { probe throws(Stop) in
        try await probe.rejection { own in Message(IdentificationInformation.id, own.parameters.filter { $0.id != 3 }) }
      }
      try await probe.send(try await probe.ownIdentification())
      let reply = try await probe.message(IdentificationAccepted.id, IdentificationRejected.id)
      guard reply.id == IdentificationAccepted.id else { throw .failed("the corrected identification is rejected too") }
    },
    Check(
      "IDN-28", .identification, of: [.device], "Only listed messages are sent",
      "When both sides are ready, a device sends only messages of the accessory's list 7.",
      .at("Sessions.md#list-gate", .high)
    ) { probe throws(Stop) in
      let reported = try await probe.session()
      let listed = reported.list(7)
      let others = await probe.everything(for: 3000).map(\.id).filter {
        !ControlHeader.isImplied($0) && !listed.contains($0)
      }
      guard others.isEmpty else {
        throw .failed("not listed: \(others.map { hexadecimal($0) }.joined(separator: ", "))")
      }
      try await probe.stays()
    },
    Check(
      "IDN-29", .identification, of: [.device], "The phone sends its name and settings",
      "When both sides are ready, a device sends its name (4E09), language (4E0A), time (4E0B) and UUID (4E0C), if list 7 has them.",
      .at("Sessions.md#after-acceptance", .medium), .observed
    ) { probe throws(Stop) in
      try await probe.session()
      let come = Set(await probe.everything(for: 3000).map(\.id))
      let missing = [DeviceInformationUpdate.id, DeviceLanguageUpdate.id, DeviceTimeUpdate.id, DeviceUUIDUpdate.id]
        .filter { !come.contains($0) }
      guard missing.isEmpty else {
        throw .failed("missing: \(missing.map { hexadecimal($0) }.joined(separator: ", "))")
      }
    },
  ]
}

extension Probe {
  /// Sets up a link and requests the identification of the accessory.
  func identified() async throws(Stop) -> Message {
    try await linkUp()
    return try await beforehand { probe throws(Stop) in try await probe.identification() }
  }

  /// Rejects an optional parameter of the identification and waits for the reaction.
  ///
  /// - Returns: the identification, the rejected parameter, and the second identification; nil for the end of the link
  ///   or 1D05.
  func corrected() async throws(Stop) -> (first: Message, named: UInt16, second: Message?) {
    let first = try await identified()
    let needed = Set(0...9).union([12, 13])
    let named = UInt16(first.parameters.map { Int($0.id) }.first { !needed.contains($0) } ?? 7)
    try await send(Message(IdentificationRejected.id, [(named, [])]))
    let deadline = clock.now.adding(milliseconds: timeouts.answer)
    while let observation = await next(until: deadline) {
      if observation.unit == .end || observation.packet?.isReset == true { return (first, named, nil) }
      for message in takeMessages() {
        if message.id == CancelIdentification.id { return (first, named, nil) }
        if message.id == IdentificationInformation.id { return (first, named, message) }
      }
    }
    throw .failed("neither 1D01 nor 1D05 nor the end of the link came within \(seconds(timeouts.answer))")
  }

  /// Sends the probe's changed identification and checks that the device accepts it.
  func isAccepted(_ change: @Sendable (Message) -> Message) async throws(Stop) {
    let reply = try await answer(to: change)
    guard reply.id == IdentificationAccepted.id else {
      throw .failed("it rejects the identification, naming \(reply.parameterNames)")
    }
  }

  /// Sends the probe's changed identification and checks that the device rejects it.
  ///
  /// - Returns: the rejected parameters.
  func rejection(_ change: @Sendable (Message) -> Message) async throws(Stop) -> [UInt16] {
    let reply = try await answer(to: change)
    guard reply.id == IdentificationRejected.id else { throw .failed("it accepts the identification") }
    return reply.parameters.map(\.id)
  }

  private func answer(to change: @Sendable (Message) -> Message) async throws(Stop) -> Message {
    try await linkUp()
    do throws(Stop) { try await serve(until: StartIdentification.id) } catch {
      throw error.before("the phone does not request the identification")
    }
    try await send(change(try ownIdentification()))
    return try await message(IdentificationAccepted.id, IdentificationRejected.id)
  }
}
