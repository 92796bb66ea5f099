// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

extension StopPoint {
  static let identificationRequests: [StopPoint] = [
    StopPoint(
      "identification-unanswered", .identification,
      "The device requested the identification, and the accessory sent none.",
      .accessory(.message(IdentificationInformation.id)), request: StartIdentification.id,
      causes: [
        KnownCause(
          "first-message-only",
          "The request shared a packet with AuthenticationSucceeded, and the accessory reads only the first message of a packet.",
          "Sessions.md#first-message-only: some cars do; an iPhone puts one in each packet (PRYER, PODBOX)", .medium,
          "Send each message in a packet of its own, some milliseconds apart.",
          when: { $0.link.identification?.sharesPacket(with: $0.link.succeeded) ?? false }),
        KnownCause(
          "authentication-wanted-first", "The accessory expects authentication first.",
          "FieldBehavior.md#f18: BRIDGE's accessory warns and answers, WIO's own program ends (read in its"
            + " code)", .medium,
          "Try the other order (`iap2 phone --order authentication-first`).", when: { !$0.link.isAuthenticated }),
        KnownCause(
          "packet-too-small", "The answer does not fit the device's packets, and the accessory cannot split it.",
          "FieldBehavior.md#f15: WIO cannot send a message that is longer than the agreed packet", .medium,
          "Offer 2048 bytes or more.",
          when: { ($0.link.offers.device?.parameters?.maxPacketLength ?? 0) < 2048 }),
        KnownCause(
          "not-handled", "The accessory's program does not answer 0x1D00.", "Sources.md#inferred", .low,
          "Look for 0x1D00 in the accessory's log, and let it send 0x1D01."),
      ]),
    StopPoint(
      "identification-unjudged", .identification,
      "The accessory identified itself, and the device neither accepted nor rejected it.",
      .device(.message(IdentificationAccepted.id), .message(IdentificationRejected.id)),
      request: IdentificationInformation.id,
      causes: [
        KnownCause(
          "identification-unreadable", "The identification cannot be read.",
          "FieldBehavior.md#f23: BRIDGE's device cannot read two EA protocols in one parameter,"
            + " as WIO writes them", .medium,
          "`iap2 check identification` shows the place.", when: { $0.link.declaration == nil }),
        KnownCause(
          "user-asked", "The phone asks its user, or looks for an app.",
          "CarPlayStart.md#trust: the trust gate (one source)", .medium, "Look at the phone's screen."),
        KnownCause(
          "device-role-incomplete", "The device's program does not answer identifications.",
          "inferred: a device that accepts everything is enough for real accessories (Identification.md#accept-all)",
          .low,
          "Send IdentificationAccepted."),
      ]),
  ]

  static let identificationRejected = StopPoint(
    "identification-rejected", .identification, "The device rejected the identification.",
    .accessory(.message(IdentificationInformation.id), .message(CancelIdentification.id)), when: { $0.isRejected },
    turnOf: { $0.isRefused(CancelIdentification.id) || $0.link.reset != nil ? .accessory(.detect) : nil },
    causes: [
      KnownCause(
        "parameter-absent", "A parameter that the device requires is absent from the identification.",
        "Identification.md#required: 0 to 9, 12 and 13 are in every identification that is known to be accepted (BOYA,"
          + " WIO, LIVI, BRIDGE)", .medium,
        "Add the absent parameters, and send the identification again on the same link.",
        when: { !$0.link.absentParameters.isEmpty }),
      KnownCause(
        "parameter-unreadable", "A parameter of the identification cannot be read.",
        "FieldBehavior.md#f23: BRIDGE's device cannot read two EA protocols in one parameter", .medium,
        "Correct the size or the type of the value: `iap2 check identification` shows the place.",
        when: { $0.link.parameters?.unreadable.isEmpty == false }),
      KnownCause(
        "breaks-a-rule", "The identification violates rules that implementers report.",
        "Identification.md#lists: the rules of `iap2 check identification`, each with its own evidence (CAT,"
          + " LIVI, BRIDGE; some are unverified)", .medium,
        "Follow the rules that the details name: add what a listed message needs, or leave the message out of parameters 6 and 7.",
        when: { !$0.link.brokenRules.isEmpty },
        words: { history in
          let broken = history.link.brokenRules
          return (
            "The identification breaks a rule: " + broken.map(\.text).joined(separator: " "),
            broken.compactMap { line in line.repair.map { $0 + line.context } }.joined(separator: " ")
          )
        }),
      KnownCause(
        "optional-component", "This phone does not accept one of the components.",
        "Identification.md#correction: LIVI sends another one without those of 20, 21, 22 and 30 that were named",
        .medium,
        "Leave out the named parameters that are optional.",
        when: { $0.link.namesOptionalParameter }),
      KnownCause(
        "required-value", "The device does not accept the value of a parameter that must be present.",
        "inferred: a rejection names parameters and gives no reason (Identification.md#rejected)", .low,
        "Change the value: without the parameter, the device rejects the identification too.",
        when: { $0.link.namesRequiredValue }),
      KnownCause(
        "message-list", "Parameter 6 or 7 has a message that this phone does not allow for such an accessory.",
        "Identification.md#component-messages and Identification.md#power-usb: a phone refuses messages that do not fit"
          + " the accessory (CAT, LIVI, BRIDGE)", .medium,
        "Halve the named list until it is accepted.",
        when: { $0.link.rejectedParameters.contains { $0 == 6 || $0 == 7 } }),
    ])

  static let identificationCancelled = StopPoint(
    "identification-cancelled", .identification, "The accessory cancelled its identification.", .accessory(.reset),
    when: { $0.isRefused(CancelIdentification.id) }, turnOf: { $0.link.reset == nil ? nil : .accessory(.detect) },
    causes: [
      KnownCause(
        "accessory-shut-down", "The accessory ended for a reason of its own.", "Sources.md#inferred", .low,
        "Look in the accessory's log: the capture does not show the reason.")
    ])

  static let features: [StopPoint] = [
    StopPoint(
      "nothing-subscribed", .features, "The accessory is identified, and starts none of its announced subscriptions.",
      .accessory(.message(StartNowPlayingUpdates.id)),
      when: { history in
        history.link.isRunning && history.link.features.accessory == nil && history.link.externalAccessories.isEmpty
          && history.link.availability == nil && history.link.declaration?.starts.isEmpty == false
      },
      turnOf: { history in
        history.link.declaration.map { SessionTurn(owner: .accessory, steps: $0.starts.map(SessionStep.message)) }
      },
      causes: [
        KnownCause(
          "waits-for-notifications", "The accessory waits for the phone's transports or language.",
          "Features.md#device-transports-needed: Kia and Hyundai do not continue without 0x4E0E and 0x4E0A (PODBOX)",
          .medium,
          "Send both directly after IdentificationAccepted.",
          when: {
            !$0.link.seen.contains(DeviceTransportIdentifierNotification.id)
              || !$0.link.seen.contains(DeviceLanguageUpdate.id)
          }),
        KnownCause(
          "user-has-not-asked", "The accessory starts a subscription when its user opens the page that shows it.",
          "Sources.md#inferred", .low,
          "Use the accessory, and capture for longer."),
      ])
  ]
}

extension LinkHistory {
  /// The absent parameters of the last identification that the device requires or named.
  var absentParameters: [UInt16] { parameters?.absent(named: rejectedParameters) ?? [] }

  /// The broken rules of the last identification that phones check, then those that concern a rejected parameter.
  var brokenRules: [CheckLine] {
    // The schema's findings are the absent and the unreadable parameters.
    let rules = findings.filter { $0.rule != CheckLine.schemaRule }
    return rules.filter(\.isRejection)
      + rules.filter { line in
        !line.isRejection && (line.parameters ?? []).contains(where: rejectedParameters.contains)
      }
  }

  /// Whether the rejection names an optional parameter of the identification, or none at all.
  fileprivate var namesOptionalParameter: Bool {
    guard let parameters else { return true }
    guard !rejectedParameters.isEmpty else { return absentParameters.isEmpty }
    return rejectedParameters.contains { parameters.present.contains($0) && IdentificationParameters.isOptional($0) }
  }

  /// Whether the rejection names a required parameter that is present and readable, other than the message lists.
  fileprivate var namesRequiredValue: Bool {
    guard let parameters else { return false }
    return rejectedParameters.contains { id in
      id != 6 && id != 7 && parameters.present.contains(id) && !parameters.unreadable.contains(id)
        && !IdentificationParameters.isOptional(id)
    }
  }
}

extension ConnectionHistory {
  /// Whether the device rejected the identification. An accessory without another one may cancel it then
  /// (Identification.md#correction).
  var isRejected: Bool {
    isRefused(IdentificationRejected.id)
      || isRefused(CancelIdentification.id) && link.seen.contains(IdentificationRejected.id)
      // The device reset the link instead of rejecting another identification.
      || isRefused(IdentificationInformation.id) && link.rejections > 0 && link.reset?.from == .device
  }

  /// Returns whether the last message of the identification has this id and no feature message of the device followed
  /// it.
  fileprivate func isRefused(_ id: UInt16) -> Bool {
    guard let event = link.identification, event.step == .message(id) else { return false }
    return link.features.device.map { $0.number < event.number } ?? true
  }
}
