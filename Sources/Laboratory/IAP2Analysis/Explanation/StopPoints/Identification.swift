// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

extension StopPoint {
  static let identificationRequests: [StopPoint] = [
    StopPoint(
      "identification-unanswered", .identification, "The device asked who is there, and the accessory did not say.",
      .accessory(.message(IdentificationInformation.id)), request: StartIdentification.id,
      causes: [
        KnownCause(
          "first-message-only",
          "The request shared a packet with AuthenticationSucceeded, and only the first message of one is read.",
          "Sessions.md#first-message-only: some cars do; an iPhone puts one in each packet (pryer, PodBox)", .medium,
          "Send them in packets of their own, with some milliseconds between.",
          when: { $0.link.identification?.sharesPacket(with: $0.link.succeeded) ?? false }),
        KnownCause(
          "authentication-wanted-first", "The accessory wants to be authenticated first.",
          "FieldBehavior.md#f18: bridgething's warns and answers, wiomoc's own program ends (read in its"
            + " code)", .medium,
          "Try the other order (`iap2 phone --order authentication-first`).", when: { !$0.link.isAuthenticated }),
        KnownCause(
          "packet-too-small", "The answer does not fit the device's packets, and the accessory cannot split it.",
          "FieldBehavior.md#f15: wiomoc cannot send a message that is longer than the agreed packet", .medium,
          "Offer 2048 bytes or more.",
          when: { ($0.link.offers.device?.parameters?.maxPacketLength ?? 0) < 2048 }),
      ]),
    StopPoint(
      "identification-unjudged", .identification,
      "The accessory identified itself, and the device said neither yes nor no.",
      .device(.message(IdentificationAccepted.id), .message(IdentificationRejected.id)),
      request: IdentificationInformation.id,
      causes: [
        KnownCause(
          "identification-unreadable", "The identification cannot be read.",
          "FieldBehavior.md#f23: bridgething's device cannot read two EA protocols in one parameter,"
            + " as wiomoc writes them", .medium,
          "`iap2 check identification` says where.", when: { $0.link.declaration == nil }),
        KnownCause(
          "user-asked", "The phone asks its user, or looks for an app.",
          "CarPlayStart.md#trust: the trust gate (one source)", .medium, "Look at its screen."),
        KnownCause(
          "device-role-incomplete", "The device's program does not judge.",
          "inferred: a device that takes everything is enough for real accessories (Identification.md#accept-all)",
          .low,
          "Send IdentificationAccepted."),
      ]),
  ]

  static let identificationRejected = StopPoint(
    "identification-rejected", .identification, "The device turned the identification down.",
    .accessory(.message(IdentificationInformation.id), .message(CancelIdentification.id)), when: { $0.isRejected },
    turnOf: { $0.isRefused(CancelIdentification.id) || $0.link.reset != nil ? .accessory(.detect) : nil },
    causes: [
      KnownCause(
        "breaks-a-rule", "It breaks rules that phones are known to keep.",
        "the rules of `iap2 check identification`, each with its own evidence (CCPA by trial, catplay, bridgething)",
        .medium, "Mend what the check names, and send a new identification on the same link.",
        when: { $0.link.declaration?.broken.isEmpty == false }),
      KnownCause(
        "optional-component", "A component that this phone does not take.",
        "Identification.md#correction: LIVI sends it again without 20, 21 and 22, CCPA without the optional parameters"
          + " that were named", .medium,
        "Leave out the parameters that were named, where they are optional."),
      KnownCause(
        "message-list", "A message in 6 or 7 that this phone does not give to such an accessory.",
        "Identification.md#wireless-messages: over Bluetooth with wireless CarPlay,"
          + " 0x5000 or 0x5200 made a phone name 6 (CCPA)", .medium,
        "Halve the list that was named until it is taken.",
        when: { $0.link.rejectedParameters.contains { $0 == 6 || $0 == 7 } }),
    ])

  static let identificationCancelled = StopPoint(
    "identification-cancelled", .identification, "The accessory took its identification back.", .accessory(.reset),
    when: { $0.isRefused(CancelIdentification.id) }, turnOf: { $0.link.reset == nil ? nil : .accessory(.detect) },
    causes: [
      KnownCause(
        "accessory-shut-down", "The accessory ended for a reason of its own.", "inferred", .low,
        "Look in its log: nothing on the wire says why.")
    ])

  static let features: [StopPoint] = [
    StopPoint(
      "nothing-subscribed", .features, "The accessory is identified, and asks for nothing of what it announced.",
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
          "Features.md#device-transports-needed: Kia and Hyundai do not go on without 0x4E0E and 0x4E0A (PodBox)",
          .medium,
          "Send both right behind IdentificationAccepted.",
          when: {
            !$0.link.seen.contains(DeviceTransportIdentifierNotification.id)
              || !$0.link.seen.contains(DeviceLanguageUpdate.id)
          }),
        KnownCause(
          "user-has-not-asked", "It asks when somebody opens the page that shows it.", "inferred", .low,
          "Use the accessory, and capture for longer."),
      ])
  ]
}

extension ConnectionHistory {
  /// Whether the device rejected the identification. An accessory without another one may cancel it then
  /// (Identification.md#correction).
  var isRejected: Bool {
    isRefused(IdentificationRejected.id)
      || isRefused(CancelIdentification.id) && link.seen.contains(IdentificationRejected.id)
  }

  /// Returns whether the last message of the identification has this id and no feature message of the device followed
  /// it.
  fileprivate func isRefused(_ id: UInt16) -> Bool {
    guard let event = link.identification, event.step == .message(id) else { return false }
    return link.features.device.map { $0.number < event.number } ?? true
  }
}
