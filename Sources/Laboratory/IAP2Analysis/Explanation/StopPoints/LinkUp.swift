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
          "inferred: detect is a well-formed iAP1 frame (Link.md#detect-sequence: WIO, LIVI);"
            + " the answer of such a device is not public", .low,
          "Continue with iAP1, or try a device that is known to speak iAP2."),
        KnownCause(
          "not-supported", "The device rejects iAP2, as with ff5504000204ee08.",
          "FieldBehavior.md#f2: WIO closes on these bytes, BRIDGE's accessory stays in detect;"
            + " no source shows a device that sends them", nil,
          "Look whether iAP2 is enabled for this transport on the device."),
        KnownCause(
          "iap1-first", "The accessory sent iAP1 before detect, and the device keeps iAP1.",
          "Link.md#iap1-downgrade: once downgraded, the link stays downgraded (CAT's tests)", .medium,
          "Reopen the transport and begin with detect.", when: { $0.link.legacy.accessory != nil }),
      ]),
    StopPoint(
      "detect-answered-by-other-bytes", .detect, "The device answered detect with bytes that are not iAP2.",
      .device(.detect), when: { $0.isDetecting && $0.link.detects.device == 0 && $0.link.other.device != nil },
      causes: [
        KnownCause(
          "noise-before-detect", "Other bytes come before the echo.",
          "FieldBehavior.md#f2: three such bytes keep BRIDGE's accessory in detect, and stop WIO", .high,
          "Look for the echo after them; a login prompt or modem command is readable text."),
        KnownCause(
          "line-speed", "The serial line has another speed.",
          "USB.md#serial-speed: iAP1 runs at 57600 baud; no source has the speed of iAP2", nil,
          "Try 57600 baud, then the next speeds."),
      ]),
    StopPoint(
      "detect-unanswered", .detect, "The accessory sent detect, and the device never answered.", .device(.detect),
      when: { $0.isDetecting && $0.link.detects.accessory > 0 && $0.link.detects.device == 0 },
      causes: [
        KnownCause(
          "phone-locked", "The phone is locked or does not trust the accessory yet.",
          "CarPlayStart.md#trust: a wired phone must be unlocked once; no source shows that it stops here", nil,
          "Unlock it and answer its question."),
        KnownCause(
          "wrong-service", "The Bluetooth channel belongs to another service of the phone.",
          "Bluetooth.md#uuid-to-dial: …cafe works for WIO, LIVI and CAT; that 02030302-… works is unverified",
          .medium,
          "Query SDP again and dial the other service.",
          when: { if case .rfcomm = $0.flow { true } else { false } }),
        KnownCause(
          "accessory-gives-up", "The device answers later than the accessory waits.",
          "Link.md#detect-timeout: a FLIR resets its USB after 4.7 s; others send every second for up to 30 s",
          .medium, "Compare the time of the first detect with the end of the capture."),
        KnownCause(
          "nobody-there", "No program reads the transport on the device's side.", "Sources.md#inferred", .low,
          "Look for submitted reads, or for bytes that pile up in a socket."),
      ]),
    StopPoint(
      "accessory-silent", .detect, "The device sent detect, and the accessory sent nothing.", .accessory(.detect),
      when: { $0.isDetecting && $0.link.detects.device > 0 && $0.link.detects.accessory == 0 },
      causes: [
        KnownCause(
          "device-spoke-first", "The device sent first, which the accessory must do.",
          "Link.md#detect-device-silent: a device must not send first (SAIL's test, CAT); BRIDGE's device does",
          .medium,
          "Let the device wait for detect and echo it."),
        KnownCause(
          "sides-swapped", "The sides are swapped in this capture.", "Sources.md#inferred", .low, "Try --swap."),
      ]),
    StopPoint(
      "syn-not-sent", .negotiation, "Detect was answered, and the accessory did not send SYN.",
      .accessory(.synchronize),
      when: { $0.isDetecting && $0.link.detects.accessory > 0 && $0.link.detects.device > 0 },
      causes: [
        KnownCause(
          "echo-not-recognized", "The accessory looks for the echo only at the beginning of a read.",
          "FieldBehavior.md#f2: BRIDGE's accessory finds it only there, WIO wants exactly these six"
            + " bytes", .high,
          "Look whether the echo shares a transfer with other bytes, or is split."),
        KnownCause(
          "two-devices", "Both ends act as the device and echo each other.", "Sources.md#inferred", .low,
          "Check which end is configured as accessory."),
      ]),
  ]

  /// The cause of values that make sense only when the bytes of each are swapped.
  static let bytesSwapped = KnownCause(
    "bytes-swapped", "The offer has the bytes of its values swapped: the low byte comes first.",
    "Link.md#lsp-layout: the lengths and timeouts are big-endian", .high,
    "Write the 16-bit values of the SYN with the high byte first (big-endian).",
    when: { $0.link.swappedOffer != nil }, words: { $0.link.swappedOffer })

  static let negotiation: [StopPoint] = [
    StopPoint(
      "counter-offers", .negotiation, "Counter-offers repeat: neither side accepts the other's values.",
      .accessory(.acknowledgement, .synchronizeAnswer), when: { $0.isNegotiating && $0.link.rounds >= 3 },
      turnOf: { $0.link.answerTurn },
      causes: [
        bytesSwapped,
        KnownCause(
          "no-common-value", "Both sides must agree on equal values, and their ranges do not overlap.",
          "Link.md#agreed-values: timeouts, retransmissions, acknowledgements and sessions must end equal; CAT stops"
            + " after ten rounds", .medium,
          "Compare the last SYN+ACK of each side: `iap2 decode` shows both."),
      ]),
    StopPoint(
      "syn-unusable", .negotiation, "The accessory's SYN has values with which no link can work.",
      .device(.synchronizeAnswer, .reset),
      when: { $0.isNegotiating && $0.link.offers.device == nil && $0.link.isOfferUnusable },
      causes: [
        bytesSwapped,
        KnownCause(
          "no-control-session", "The offer has no control session.",
          "Link.md#no-control-session: such an offer is countered or refused (CAT)", .medium,
          "Add a session of type 0.",
          when: { $0.link.accessoryOffer.map { $0.sessionID(of: .control) == nil } ?? false }),
        KnownCause(
          "value-out-of-range",
          "The packet length is below 24 bytes, the window is 0, or a session id is 0 or repeated.",
          "Link.md#lsp-ranges: the ranges that CAT's validator accepts; real accessories violate only"
            + " that of the acknowledgement timeout", .medium,
          "Compare the values with those of captures/real/canon-ivy.txt.", when: { $0.link.accessoryOffer != nil }),
        KnownCause(
          "unreadable-offer", "The SYN's payload is not ten bytes and complete session entries of three bytes.",
          "Link.md#lsp-layout: all sources agree on this layout", .high, "Count the payload's bytes.",
          when: { $0.link.offers.accessory != nil && $0.link.accessoryOffer == nil }),
      ]),
    StopPoint(
      "syn-unanswered", .negotiation, "The accessory sent SYN, and the device never answered.",
      .device(.synchronizeAnswer),
      when: { $0.isNegotiating && $0.link.offers.device == nil && $0.link.offers.accessory != nil },
      causes: [
        bytesSwapped,
        KnownCause(
          "syn-sent-once", "The only SYN was lost, and this accessory does not retransmit it.",
          "FieldBehavior.md#f4: BRIDGE's accessory sends it once and waits 30 s; WIO repeats it every 0.5 s",
          .medium,
          "Wait longer than a second: an accessory that retransmits does so by then.",
          when: { $0.link.offers.accessory?.count == 1 }),
        KnownCause(
          "old-link", "The device still has the previous link and ignores a second SYN.",
          "FieldBehavior.md#f4: BRIDGE's device does so", .medium, "Close the transport, or send RST first."),
        KnownCause(
          "syn-not-received", "The SYN does not reach the device's program.", "Sources.md#inferred", .low,
          "Compare this capture with one on the device's side."),
        KnownCause(
          "too-many-syns", "The device has given up after ten SYNs.",
          "Link.md#syn-limit: unverified, no public source", nil, "Restart with detect.",
          when: { ($0.link.offers.accessory?.count ?? 0) > 10 }),
      ]),
    StopPoint(
      "synack-unconfirmed", .negotiation, "The last offer was answered, and the answer was not acknowledged.",
      .accessory(.acknowledgement, .synchronizeAnswer), when: { $0.isNegotiating && $0.link.offers.device != nil },
      turnOf: { $0.link.answerTurn },
      causes: [
        bytesSwapped,
        KnownCause(
          "wrong-number", "The ACK has another number than the SYN+ACK, so the SYN+ACK counts as unacknowledged.",
          "Link.md#handshake: the ACK has the number of the SYN+ACK", .high,
          "Acknowledge the SYN+ACK with its own sequence number.", when: { $0.link.wrongAcknowledgement != nil }),
        KnownCause(
          "early-acknowledgement", "An acknowledgement came before the SYN+ACK and ended the handshake for one side.",
          "FieldBehavior.md#f5: BRIDGE ends at once, WIO ignores the later SYN+ACK forever", .high,
          "Look for an ACK before the SYN+ACK."),
        KnownCause(
          "answer-refused", "The accessory cannot work with the values of the SYN+ACK.",
          "Link.md#counter-offer: it accepts them or sends a counter-offer (CAT); many accept any values (WIO, LIVI)",
          .medium, "Echo the SYN's own values: real accessories accept those (BOYA, USEE)."),
        KnownCause(
          "accessory-restarted", "The accessory restarted its USB or radio in between.",
          "Link.md#detect-timeout: a FLIR does after 4.7 s", .medium, "Look for a new enumeration."),
      ]),
  ]

  /// Stop points of a device that has to begin the next exchange, because the link is up or an exchange is done.
  static let beginnings: [StopPoint] = [
    StopPoint(
      "nothing-asked", .authentication, "The link is up, and the device sent no request.",
      .device(.message(RequestAuthenticationCertificate.id), .message(StartIdentification.id)),
      when: {
        $0.link.isUp && $0.link.authentication == nil && $0.link.identification == nil && !$0.link.isRunning
      },
      causes: [
        KnownCause(
          "phone-locked", "The phone waits for its user's trust before it continues.",
          "CarPlayStart.md#trust: identification is answered only after trust (one source); inferred for this step",
          .low,
          "Unlock it and answer its question."),
        KnownCause(
          "both-wait", "Both ends wait: the accessory for a request, the device for a message.",
          "inferred: the device takes the first step of the session (Authentication.md#device-starts)", .low,
          "A self-made device must send one of the two requests."),
      ]),
    StopPoint(
      "identification-not-started", .identification,
      "Authentication is complete, and the device did not request the identification.",
      .device(.message(StartIdentification.id)),
      when: { $0.link.isAuthenticated && $0.link.identification == nil && !$0.link.isRunning },
      causes: [
        KnownCause(
          "phone-busy", "The phone verifies the certificate or asks its user first.",
          "CarPlayStart.md#trust: identification is answered only after trust (one source); inferred for this step",
          .low,
          "Wait, and look at the phone's screen."),
        KnownCause(
          "device-role-incomplete", "The device's program stops after authentication.",
          "inferred: BRIDGE's device sends 0x1D00 directly after 0xAA05 (FieldBehavior.md#f18)", .low,
          "Send StartIdentification after AuthenticationSucceeded."),
      ]),
    authenticationMissing,
  ]

  static let authenticationMissing =
    StopPoint(
      "authentication-missing", .authentication,
      "The accessory is identified, and the device did not request its certificate.",
      .device(.message(RequestAuthenticationCertificate.id)),
      when: { $0.link.isUp && $0.link.isAuthenticationMissing },
      causes: [
        KnownCause(
          "identification-first", "This device identifies first and has not started authentication yet.",
          "Authentication.md#order-both: both orders are seen (SAIL, LIVI, IVI against WIO, BRIDGE)", .high,
          "Wait: no other message is sent before both are complete.", when: { $0.link.features.device == nil }),
        KnownCause(
          "device-skips-authentication", "The device never authenticates, and must start the session itself.",
          "inferred: two accessories accept either order (Authentication.md#order-both: FLIR, BOYA)", .low,
          "Look whether the accessory continues without authentication."),
      ])
}

extension ConnectionHistory {
  /// Whether the connection has only detect sequences and bytes that are not packets of the set-up.
  var isDetecting: Bool {
    !link.isUp && link.offers.accessory == nil && link.offers.device == nil
  }
  var isNegotiating: Bool { !link.isUp && (link.offers.accessory != nil || link.offers.device != nil) }
}

extension LinkHistory {
  /// Whether the capture began after both exchanges, which precede the device's messages of features.
  var isAuthenticationImplied: Bool {
    features.device != nil && authentication == nil && identification == nil && offers.accessory == nil
      && offers.device == nil
  }

  /// Whether the accessory was identified and not authenticated, and neither side uses a feature that needs the other.
  /// The device may send notifications; then the capture must show the set-up of the link.
  var isAuthenticationMissing: Bool {
    isIdentified && authentication == nil && (hasBeginning || features.device == nil)
      && features.accessory == nil && externalAccessories.isEmpty && availability == nil
  }

  var accessoryOffer: LinkSynchronization? { offers.accessory?.parameters }

  /// Whether the offer prevents packets from being sent or distinguished. Values outside the other ranges are accepted:
  /// those ranges are for offers, not for received values (Link.md#lsp-ranges).
  var isOfferUnusable: Bool {
    guard let offer = accessoryOffer else { return offers.accessory != nil }
    let needed = ["sessions", LinkField.maxPacketLength.rawValue, LinkField.maxOutstandingPackets.rawValue]
    return offer.outOfRange.contains(where: needed.contains)
  }

  /// The cause and the remedy for an offer whose values are within their ranges only with swapped bytes; nil for
  /// another offer.
  var swappedOffer: (text: String, check: String)? {
    for offer in [offers.accessory?.parameters, offers.device?.parameters] {
      guard let offer, let right = offer.withSwappedBytes else { continue }
      return (
        "The SYN has the bytes of its values swapped: maximum packet length \(offer.maxPacketLength) for"
          + " \(right.maxPacketLength), retransmission timeout \(offer.retransmissionTimeout) ms for"
          + " \(right.retransmissionTimeout) ms.",
        "Write the 16-bit values of the SYN with the high byte first (big-endian)."
      )
    }
    return nil
  }

  /// The turn of the side that received the last offer.
  var answerTurn: SessionTurn? {
    let last = [offers.accessory, offers.device].compactMap { $0 }.max { $0.event.number < $1.event.number }
    guard let last else { return nil }
    return last.isAnswer
      ? .of(last.from.peer, .acknowledgement, .synchronizeAnswer) : .of(last.from.peer, .synchronizeAnswer)
  }
}

extension LinkSynchronization {
  /// The values with the bytes of the lengths and timeouts swapped, if only that brings them into their ranges.
  fileprivate var withSwappedBytes: LinkSynchronization? {
    let fields = [LinkField.maxPacketLength, .retransmissionTimeout, .cumulativeAckTimeout].map(\.rawValue)
    var swapped = self
    swapped.maxPacketLength = maxPacketLength.byteSwapped
    swapped.retransmissionTimeout = retransmissionTimeout.byteSwapped
    swapped.cumulativeAckTimeout = cumulativeAckTimeout.byteSwapped
    // A swapped timeout of a usual size is far longer than the right one.
    let isNeeded =
      outOfRange.contains(where: fields.contains) && swapped.retransmissionTimeout < retransmissionTimeout
    return isNeeded && !swapped.outOfRange.contains(where: fields.contains) ? swapped : nil
  }
}
