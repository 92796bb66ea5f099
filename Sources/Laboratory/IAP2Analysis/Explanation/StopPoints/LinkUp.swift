// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

extension StopPoint {
  static let detection: [StopPoint] = [
    StopPoint(
      "detect-answered-by-iap1", .detect, "The device answered detect with an iAP1 frame.", .device(.detect),
      when: { $0.isDetecting && $0.link.detects.device == 0 && $0.link.legacy.device != nil },
      causes: [
        KnownCause(
          "iap1-only", "The device knows only iAP1: to it, detect is a frame of lingo 0.",
          "inferred: detect is a well-formed iAP1 frame (Link.md#detect-sequence: wiomoc, LIVI);"
            + " what such a device answers is not public", .low,
          "Go on with iAP1, or try a device that is known to speak iAP2."),
        KnownCause(
          "not-supported", "The device says that it does not want iAP2, as with ff5504000204ee08.",
          "FieldBehavior.md#f2: wiomoc closes on these bytes, bridgething's accessory stays in detect;"
            + " nobody has shown a device that sends them", nil,
          "Look whether iAP2 is enabled for this transport on the device."),
        KnownCause(
          "iap1-first", "The accessory sent iAP1 before detect, and the device stays with it.",
          "Link.md#iap1-downgrade: once downgraded, the link stays so (catplay's tests)", .medium,
          "Open the transport anew and begin with detect.", when: { $0.link.legacy.accessory != nil }),
      ]),
    StopPoint(
      "detect-answered-by-other-bytes", .detect, "The device answered detect with bytes that are not iAP2.",
      .device(.detect), when: { $0.isDetecting && $0.link.detects.device == 0 && $0.link.other.device != nil },
      causes: [
        KnownCause(
          "noise-before-detect", "Bytes of something else come before the echo.",
          "FieldBehavior.md#f2: three of them keep bridgething's accessory in detect, and wiomoc from going on", .high,
          "Look for the echo behind them; a login prompt or modem command shows as text."),
        KnownCause(
          "line-speed", "A serial line at another speed.",
          "USB.md#serial-speed: iAP1 runs at 57600 baud; for iAP2 nobody has said", nil,
          "Try 57600, then the speeds around it."),
      ]),
    StopPoint(
      "detect-unanswered", .detect, "The accessory sent detect, and the device never answered.", .device(.detect),
      when: { $0.isDetecting && $0.link.detects.accessory > 0 && $0.link.detects.device == 0 },
      causes: [
        KnownCause(
          "phone-locked", "The phone is locked or does not trust the accessory yet.",
          "CarPlayStart.md#trust: a wired phone must be unlocked once; nobody has shown that it stops here", nil,
          "Unlock it and answer its question."),
        KnownCause(
          "wrong-service", "The Bluetooth channel belongs to another service of the phone.",
          "Bluetooth.md#uuid-to-dial: …cafe works for wiomoc, LIVI and catplay; one source dials 02030302-…",
          .medium,
          "Ask SDP again and dial the other one.",
          when: { if case .rfcomm = $0.flow { true } else { false } }),
        KnownCause(
          "accessory-gives-up", "The device answers later than the accessory waits.",
          "Link.md#detect-timeout: a FLIR resets its USB after 4.7 s; others send every second for up to 30 s",
          .medium, "Compare the time of the first detect with the end of the capture."),
        KnownCause(
          "nobody-there", "Nothing reads the transport on the device's side.", "inferred", .low,
          "Look for submitted reads, or for bytes that pile up in a socket."),
      ]),
    StopPoint(
      "accessory-silent", .detect, "The device sent detect, and the accessory never spoke.", .accessory(.detect),
      when: { $0.isDetecting && $0.link.detects.device > 0 && $0.link.detects.accessory == 0 },
      causes: [
        KnownCause(
          "device-spoke-first", "The device began; the accessory has to.",
          "Link.md#detect-device-silent: a device must not speak first (SAIL's test, catplay); bridgething's does",
          .medium,
          "Let the device wait for detect and echo it."),
        KnownCause(
          "sides-swapped", "What counts as the device here is the accessory.", "inferred", .low, "Try --swap."),
      ]),
    StopPoint(
      "syn-not-sent", .negotiation, "Detect was answered, and the accessory did not go on with SYN.",
      .accessory(.synchronize),
      when: { $0.isDetecting && $0.link.detects.accessory > 0 && $0.link.detects.device > 0 },
      causes: [
        KnownCause(
          "echo-not-recognised", "The accessory looks for the echo only at the beginning of what it read.",
          "FieldBehavior.md#f2: bridgething's accessory finds it only there, wiomoc wants exactly these six"
            + " bytes", .high,
          "Look whether the echo shares a transfer with other bytes, or is split."),
        KnownCause(
          "two-devices", "Both ends play the device and echo each other.", "inferred", .low,
          "Look which end is configured as accessory."),
      ]),
  ]

  static let negotiation: [StopPoint] = [
    StopPoint(
      "counter-offers", .negotiation, "Counter-offers go round: no side takes the other's values.",
      .accessory(.acknowledgement, .synchronizeAnswer), when: { $0.isNegotiating && $0.link.rounds >= 3 },
      turnOf: { $0.link.answerTurn },
      causes: [
        KnownCause(
          "no-common-value", "Values that both must have equal are forced into ranges that do not meet.",
          "Link.md#agreed-values: timeouts, repeats, acknowledgements and sessions must end equal; catplay stops"
            + " after ten rounds", .medium,
          "Compare the last SYN+ACK of each side: `iap2 decode` shows both.")
      ]),
    StopPoint(
      "syn-unusable", .negotiation, "The accessory's SYN has values that no link can run with.",
      .device(.synchronizeAnswer, .reset),
      when: { $0.isNegotiating && $0.link.offers.device == nil && $0.link.isOfferUnusable },
      causes: [
        KnownCause(
          "no-control-session", "The offer has no control session.",
          "Link.md#no-control-session: such an offer is countered or refused (catplay)", .medium,
          "Add a session of type 0.",
          when: { $0.link.accessoryOffer.map { $0.sessionID(of: .control) == nil } ?? false }),
        KnownCause(
          "value-out-of-range",
          "A packet length below 24 bytes, or no window, or a session id that is 0 or there twice.",
          "Link.md#lsp-ranges: the ranges two validators accept (catplay, CCPA); real accessories break only"
            + " that of the acknowledgement timeout", .medium,
          "Compare with the values of captures/real/canon-ivy.txt.", when: { $0.link.accessoryOffer != nil }),
        KnownCause(
          "unreadable-offer", "The SYN's payload is not ten bytes and whole session entries of three.",
          "Link.md#lsp-layout: the layout every source agrees on", .high, "Count the payload's bytes.",
          when: { $0.link.offers.accessory != nil && $0.link.accessoryOffer == nil }),
      ]),
    StopPoint(
      "syn-unanswered", .negotiation, "The accessory sent SYN, and the device never answered.",
      .device(.synchronizeAnswer),
      when: { $0.isNegotiating && $0.link.offers.device == nil && $0.link.offers.accessory != nil },
      causes: [
        KnownCause(
          "syn-sent-once", "The only SYN was lost: this accessory does not repeat it.",
          "FieldBehavior.md#f4: bridgething's accessory sends it once and waits 30 s; wiomoc repeats it every 0.5 s",
          .medium,
          "Wait longer than a second: who repeats does it by then.", when: { $0.link.offers.accessory?.count == 1 }),
        KnownCause(
          "old-link", "The device still holds the link of before and ignores a second SYN.",
          "FieldBehavior.md#f4: bridgething's device does so", .medium, "Close the transport, or send RST first."),
        KnownCause(
          "too-many-syns", "The device has given up after ten SYNs.",
          "Link.md#syn-limit: unverified, no public source", nil, "Start over from detect.",
          when: { ($0.link.offers.accessory?.count ?? 0) > 10 }),
      ]),
    StopPoint(
      "synack-unconfirmed", .negotiation, "The last offer was answered, and the answer never confirmed.",
      .accessory(.acknowledgement, .synchronizeAnswer), when: { $0.isNegotiating && $0.link.offers.device != nil },
      turnOf: { $0.link.answerTurn },
      causes: [
        KnownCause(
          "early-acknowledgement", "An acknowledgement came before the SYN+ACK and ended the handshake for one side.",
          "FieldBehavior.md#f5: bridgething ends at once, wiomoc ignores the later SYN+ACK for ever", .high,
          "Look for an ACK before the SYN+ACK."),
        KnownCause(
          "answer-refused", "The values of the SYN+ACK are none the accessory can run with.",
          "Link.md#counter-offer: it takes them or counters (catplay); many take whatever comes (wiomoc, LIVI)",
          .medium, "Echo the SYN's own values: real accessories take those (BOYA, USEE)."),
        KnownCause(
          "accessory-restarted", "The accessory restarted its USB or radio in between.",
          "Link.md#detect-timeout: a FLIR does after 4.7 s", .medium, "Look for a new enumeration."),
      ]),
  ]

  /// Stop points of a device that has to begin the next exchange, because the link is up or an exchange is done.
  static let beginnings: [StopPoint] = [
    StopPoint(
      "nothing-asked", .authentication, "The link is up, and the device asked for nothing.",
      .device(.message(RequestAuthenticationCertificate.id), .message(StartIdentification.id)),
      when: {
        $0.link.isUp && $0.link.authentication == nil && $0.link.identification == nil && !$0.link.isRunning
      },
      causes: [
        KnownCause(
          "phone-locked", "The phone waits for its user's trust before it goes on.",
          "CarPlayStart.md#trust: identification is answered only after trust (one source); inferred for this step",
          .low,
          "Unlock it and answer its question."),
        KnownCause(
          "both-wait", "Both ends wait: the accessory for a request, the device for more.",
          "inferred: the device takes the first step of the session (Authentication.md#device-starts)", .low,
          "A device of one's own has to send one of the two."),
      ]),
    StopPoint(
      "identification-not-started", .identification, "Authentication is done, and the device did not ask who is there.",
      .device(.message(StartIdentification.id)),
      when: { $0.link.isAuthenticated && $0.link.identification == nil && !$0.link.isRunning },
      causes: [
        KnownCause(
          "phone-busy", "The phone checks the certificate or asks its user first.",
          "CarPlayStart.md#trust: identification is answered only after trust (one source); inferred for this step",
          .low,
          "Wait, and look at its screen."),
        KnownCause(
          "device-role-incomplete", "The device's program ends with authentication.",
          "inferred: bridgething's device sends 0x1D00 right behind 0xAA05 (FieldBehavior.md#f18)", .low,
          "Send StartIdentification behind AuthenticationSucceeded."),
      ]),
    StopPoint(
      "authentication-missing", .authentication,
      "The accessory is identified, and the device never asked for its certificate.",
      .device(.message(RequestAuthenticationCertificate.id)),
      when: { $0.link.isIdentified && $0.link.authentication == nil && $0.link.features.device == nil },
      causes: [
        KnownCause(
          "identification-first", "This device identifies first and has not come to authentication yet.",
          "Authentication.md#order-both: both orders are seen (SAIL, LIVI, IVI against CCPA, bridgething)", .high,
          "Wait: nothing else flows before both are done."),
        KnownCause(
          "device-skips-authentication", "A device that never authenticates also has to begin the session.",
          "inferred: two accessories take either order (Authentication.md#order-both: FLIR, BOYA)", .low,
          "Look whether the accessory acts without it."),
      ]),
  ]
}

extension ConnectionHistory {
  /// Whether the connection has only detect sequences and bytes that are not packets of the set-up.
  var isDetecting: Bool {
    !link.isUp && link.offers.accessory == nil && link.offers.device == nil
  }
  var isNegotiating: Bool { !link.isUp && (link.offers.accessory != nil || link.offers.device != nil) }
}

extension LinkHistory {
  var accessoryOffer: LinkSynchronization? { offers.accessory?.parameters }

  /// Whether the offer prevents packets from being sent or distinguished. Values outside the other ranges are accepted:
  /// those ranges are for offers, not for received values (Link.md#lsp-ranges).
  var isOfferUnusable: Bool {
    guard let offer = accessoryOffer else { return offers.accessory != nil }
    return offer.outOfRange.contains { ["sessions", "maxPacketLength", "maxOutstandingPackets"].contains($0) }
  }

  /// The turn of the side that received the last offer.
  var answerTurn: SessionTurn? {
    let last = [offers.accessory, offers.device].compactMap { $0 }.max { $0.event.number < $1.event.number }
    guard let last else { return nil }
    return last.isAnswer
      ? .of(last.from.peer, .acknowledgement, .synchronizeAnswer) : .of(last.from.peer, .synchronizeAnswer)
  }
}
