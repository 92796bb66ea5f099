// swift-iap2 · Apache-2.0

package import IAP2
import IAP2Capture
import IAP2Roles

extension StopPoint {
  /// Stop points of a refusal. An RST after one adds nothing.
  static let refusals: [StopPoint] = [authenticationFailed, identificationRejected, identificationCancelled]

  /// Stop points of a link that ended.
  static let endings: [StopPoint] = [
    StopPoint(
      "cut-off", nil, "The bytes of one side end within a packet or a message.", .either(.restOfPacket),
      when: { $0.cutOff != nil && $0.link.reset == nil && $0.packets.accessory + $0.packets.device > 0 },
      turnOf: { history in history.cutOff.map { .of($0, .restOfPacket) } },
      causes: [
        KnownCause(
          "cable-pulled", "The transport ended while the side was sending: cable, radio, or a crash.",
          "Lifecycle.md#end-transport: EOF, detach or a lost channel end a session without a packet on the link"
            + " (LIVI, CAT)", .medium,
          "Look in the log of the transport for a disconnect at this time."),
        KnownCause(
          "capture-stopped", "The capture was stopped or truncated, and the connection continued.",
          "Sources.md#inferred", .low,
          "Compare the capture's last time with the time at which it was stopped."),
      ]),
    StopPoint(
      "damaged-packet", nil,
      "One side sent a packet with a wrong checksum, and no valid one after it; the other side drops such packets.",
      .either(.validPacket), when: { $0.isStoppedByDamage },
      turnOf: { turn($0, of: $0.link.worstDamage?.from, .validPacket) },
      causes: [
        KnownCause(
          "packet-cut", "The packet is cut: another one begins within the bytes that its length counts.",
          "Link.md#packet: the length counts all bytes of the packet", .high,
          "Send all bytes of a packet: look for a buffer of that size in the sender's driver, or on the way.",
          when: { $0.link.worstDamage?.damage.checksum?.cutAt != nil }),
        KnownCause(
          "checksum-arithmetic", "The sender computes the checksum of this packet wrongly.",
          "FieldBehavior.md#f9: two accessories drop a packet with a wrong payload checksum without an answer; the"
            + " sender retransmits it unchanged (FieldBehavior.md#f11)", .high,
          "Compare the checksum with the expected one: the difference is the same in each transmission."),
        KnownCause(
          "line-noise", "The line or the capture changes bytes of the packet.",
          "inferred from FieldBehavior.md#f9", .low,
          "Compare the transmissions: noise changes other bytes each time. Capture on the other side too."),
      ]),
    StopPoint(
      "gave-up", nil, "One side retransmitted the same packets up to its limit and gave the link up.",
      .accessory(.detect),
      when: { history in
        guard let reset = history.link.reset, let repeats = history.link.repeats else { return false }
        return history.link.isUp && repeats.from == reset.from && history.isExhausted(repeats)
      },
      turnOf: { history in history.link.repeats.map { .of($0.from.peer, .acknowledgement) } },
      causes: [
        KnownCause(
          "limit-reached", "The other side was silent until the agreed number of retransmissions was used up.",
          "Reliability.md#give-up-rst: RST after the last one and a further timeout (CAT, BRIDGE; an iPhone"
            + " too)", .medium,
          "Count the retransmissions and compare with the limit in the SYN; WIO gives up one earlier.",
          when: { !$0.answersWithoutAcknowledging })
      ] + silence),
    StopPoint(
      "half-open", nil, "One side retransmits the same packets, and the other is silent.",
      .either(.acknowledgement),
      when: { ($0.link.repeats?.count ?? 0) >= 2 && $0.link.isUp && $0.link.reset == nil },
      turnOf: { history in history.link.repeats.map { .of($0.from.peer, .acknowledgement) } }, causes: silence),
    StopPoint(
      "started-over", .detect, "The accessory restarted with detect in mid-session, and the device does not react.",
      .device(.detect, .reset), when: { $0.link.strayDetects >= 2 && $0.link.reset == nil },
      causes: [
        KnownCause(
          "accessory-restarted", "The accessory's program restarted over a transport that stayed open.",
          "FieldBehavior.md#f14: two implementations skip detect in mid-session, so neither side continues", .high,
          "Close the transport when the program ends, or let the device send RST when detect arrives twice.")
      ]),
    StopPoint(
      "reset-in-negotiation", .negotiation, "A side reset the link before it was up.", .accessory(.detect),
      // An RST after a repeated offer ends the wait for its answer.
      when: { $0.link.reset != nil && !$0.link.isUp && !$0.link.repeatsOffer },
      causes: [
        bytesSwapped,
        KnownCause(
          "offer-refused", "The offer was not acceptable: no control session, or values out of range.",
          "Link.md#no-control-session: offers without one are refused (CAT)", .medium,
          "Compare the sessions and values of both SYNs.", words: { $0.link.refusal }),
        KnownCause(
          "packet-too-early", "A packet other than SYN came during negotiation.",
          "FieldBehavior.md#f5: an acknowledgement before the SYN+ACK ends BRIDGE's link at once, on both sides",
          .medium,
          "Look for packets without SYN before the last offer.", when: { $0.link.hasPacketBeforeOffer }),
      ]),
    StopPoint(
      "reset-mid-session", nil,
      "A side reset the link in mid-session: before an expected answer, before identification or authentication was complete, or after a message that cannot be read.",
      .accessory(.detect),
      when: {
        $0.link.isUp && $0.link.reset != nil
          && ($0.link.resetIsEarly || $0.ownEnd == .timeout || $0.fault != nil || $0.link.resetFollowsUnlisted)
      },
      turnOf: { history in
        history.fault.map { .of($0.from, $0.id.map(SessionStep.message) ?? .validPacket) }
          ?? history.link.owedExchange?.turn
      }, causes: own + resets + doubts),
    StopPoint(
      "transport-closed", nil, "The transport was closed in the middle of the session, without RST.",
      .accessory(.detect),
      when: {
        $0.end != nil && $0.link.isUp && $0.link.reset == nil && ($0.link.pending != nil || !$0.link.isSettled)
      },
      turnOf: { $0.link.owedExchange?.turn },
      causes: own + [
        stateKept,
        KnownCause(
          "gave-no-answer", "The side that closed had waited for the expected answer.",
          "FieldBehavior.md#f1 and FieldBehavior.md#f11: accessories have a time limit for each phase (BRIDGE 30 s);"
            + " WIO closes without RST", .medium,
          "Compare the time since the request with the side's limit; that of this program is `--timeout`.",
          when: {
            $0.end?.from != nil && !$0.isOwed(by: $0.end?.from) && $0.link.pending != nil && $0.ownEnd == nil
          }),
        KnownCause(
          "answer-impossible", "The side that closed could not give the expected answer.",
          "FieldBehavior.md#f19: BRIDGE's accessory disconnects on a challenge that is not 32 bytes", .medium,
          "Look in its log; the capture has the request.", when: { $0.isOwed(by: $0.end?.from) }),
        KnownCause(
          "cable-pulled", "The cable was pulled, the radio lost, or a program crashed.",
          "Lifecycle.md#end-transport: EOF, detach or a lost channel are its only signs (LIVI,"
            + " CAT)", .medium,
          "Look which side closed: neither, if a device was disconnected from USB."),
      ]),
    sessionRefused, sessionUnanswered, fileUnanswered,
  ]

  /// Stop points of a link that ended without a mistake of either side.
  static let orderlyEnds: [StopPoint] = [
    idleReset, resetAtPower, ruleIgnored, answerOwed, handOverMissing, ended,
    StopPoint(
      "closed", .complete, "The transport was closed while neither side waited for an answer.", .either(),
      when: { $0.end != nil && $0.link.isUp && $0.link.reset == nil }, causes: []),
  ]

  private static let silence: [KnownCause] = [
    KnownCause(
      "does-not-acknowledge", "The other side answers, so it receives the packets, and never acknowledges them.",
      "Reliability.md#ack-cumulative: the acknowledgement field is the last number that was received in order", .high,
      "Acknowledge in each packet with data, and by an ACK of its own after the agreed time.",
      when: { $0.answersWithoutAcknowledging }),
    KnownCause(
      "peer-gone", "The silent side crashed, hangs or lost power, and its transport does not report that.",
      "Reliability.md#silent-peer: only a missing acknowledgement shows it, after timeout times retransmissions (high)",
      .high,
      "Look for activity below iAP2: USB IN transfers, Bluetooth credits, TCP acknowledgements.",
      when: { !$0.answersWithoutAcknowledging }),
    KnownCause(
      "checksums-refused", "The packets arrive damaged, are dropped, and are retransmitted unchanged.",
      "FieldBehavior.md#f9 and FieldBehavior.md#f11: a packet with a wrong payload sum is dropped without an"
        + " answer", .high,
      "Look for the same bytes in a capture of the silent side.", when: { !$0.answersWithoutAcknowledging }),
    KnownCause(
      "usb-packet-multiple", "A transfer of a multiple of 512 bytes was not ended by an empty packet and waits in USB.",
      "USB.md#transfer-multiple: the source of a report is no longer known", nil,
      "Compare the length of the first packet that was not acknowledged with 512.",
      when: { $0.flow?.usbDevice != nil }),
    KnownCause(
      "window-deadlock", "Both sides wait to write: bulk data in both directions fills a bounded queue of the peer.",
      "FieldBehavior.md#f16: BRIDGE with a window of 127 × 65535 and tens of MB in flight", .medium,
      "Try a window of 32 and 4096 bytes.", when: { $0.link.externalAccessories.values.contains(where: \.hasData) }),
  ]

  /// The causes that this program's own captures state in a comment.
  static let own: [KnownCause] = [
    KnownCause(
      "own-timeout",
      "The program that captured ended the session: its `--timeout` passed before identification and authentication were complete.",
      "Sources.md#ours: the comment `disconnected: timeout` in this program's capture", .high,
      "Find out why the expected step did not come; a longer `--timeout` only helps if the other side is slow.",
      when: { $0.ownEnd == .timeout && $0.link.isUp && !($0.link.isIdentified && $0.link.isAuthenticated) }),
    KnownCause(
      "own-silence", "The program that captured ended the session: the other side was silent and answered no probe.",
      "Sources.md#ours: the comment `disconnected: timeout` in this program's capture", .high,
      "Look whether the other side still runs, and for bytes of it below iAP2.",
      when: { $0.ownEnd == .timeout && $0.link.isIdentified && $0.link.isAuthenticated }),
    KnownCause(
      "own-request", "The program that captured was asked to end: by a signal, or because its task was done.",
      "Sources.md#ours: the comment `disconnected: requested` in this program's capture", .high,
      "Run it again, and end it later.", when: { $0.ownEnd == .requested }),
  ]

  /// The cause of a request that stays unanswered on a new link.
  static let stateKept = KnownCause(
    "state-kept",
    "The same request was answered on the link before: the accessory may have kept its state over the reset, and takes"
      + " itself for authenticated or identified.",
    "Reliability.md#rst-effect: the link is down at once, and a new link starts with detect; inferred for the session"
      + " above it", .low,
    "Forget authentication and identification at an RST and at each new link, and answer the requests again.",
    when: { $0.wasAnsweredBefore })

  /// The causes for a link that did not come up.
  static let ownAttempts: [KnownCause] = [
    KnownCause(
      "own-timeout",
      "The program that captured ended the session: its `--timeout` passed, or it had sent detect or SYN as often as it does.",
      "Sources.md#ours: the comment `disconnected: timeout` in this program's capture", .high,
      "Give a longer `--timeout` if the other side starts later.",
      when: { $0.ownEnd == .timeout && !$0.link.isUp })
  ]

  private static let resets: [KnownCause] = [
    stateKept,
    KnownCause(
      "gave-no-answer", "The side that reset had waited for the expected answer.",
      "FieldBehavior.md#f1 and Link.md#detect-timeout: accessories have a time limit for each phase (BRIDGE 30 s,"
        + " a real FLIR 4.7 s for the handshake) and end a session that exceeds it",
      .medium, "Compare the time since the request with that limit; that of this program is `--timeout`.",
      when: {
        !$0.isOwed(by: $0.link.reset?.from) && $0.link.pending != nil && ($0.ownEnd == nil || $0.ownEnd == .linkReset)
      }),
    KnownCause(
      "answer-impossible", "The side that reset could not give the expected answer.",
      "FieldBehavior.md#f19 and FieldBehavior.md#f24: BRIDGE's accessory ends on a challenge that is not 32"
        + " bytes, and on a rejection",
      .medium,
      "Look in its log; the capture has the request.", when: { $0.isOwed(by: $0.link.reset?.from) }),
    KnownCause(
      "unreadable-payload",
      "A control message cannot be read: its length or its parameters are wrong, or it does not begin with 4040.",
      "FieldBehavior.md#f24: BRIDGE's accessory resets and ends on a payload that does not begin so", .medium,
      "Look for errors of `iap2 decode` before the reset, and correct the message's length and parameters.",
      when: { $0.fault.map { !$0.isOfUnknownSession && $0.words == nil } ?? ($0.errors > 0) }),
    KnownCause(
      "parameter-missing", "A message lacks a parameter that it needs.",
      "inferred from Sources.md#generated: the counts of the message catalog", .low,
      "Send it with all parameters that `iap2 messages NAME` lists as needed.",
      when: { $0.fault?.words != nil }, words: { $0.fault?.words }),
    KnownCause(
      "message-not-listed", "The last message before the RST is not listed in parameter 6 or 7 of the identification.",
      "Sessions.md#list-gate: each side sends only what the identification lists; no source shows an RST for it", nil,
      "List the message in parameter 7 if the device sends it, or in 6 if the accessory does, or do not send it.",
      when: { $0.link.resetFollowsUnlisted }),
    KnownCause(
      "session-not-agreed", "Data was sent on a link session that the SYN does not have.",
      "FieldBehavior.md#f6: BRIDGE drops data on other sessions; no source shows an RST for it", nil,
      "Send data on the session of the SYN that has its type.", when: { $0.fault?.isOfUnknownSession ?? false }),
    KnownCause(
      "reconnect-loop", "The same happens after each start, so the link restarts repeatedly.",
      "FieldBehavior.md#f14: after an RST BRIDGE's accessory restarts after 200 ms on the same transport",
      .medium,
      "Compare the last messages of each attempt.", when: { $0.attempts > 2 }),
  ]

  /// Causes for an RST of the accessory that the capture cannot distinguish from a close in order.
  private static let doubts: [KnownCause] = [
    KnownCause(
      "messages-too-fast", "Messages came faster than the accessory can process them.",
      "Sources.md#no-source: no source shows such a reset (profile impatient-car)", nil,
      "Send with an interval (`timing: {interval: 50}` in a profile) and look whether the link stays up.",
      when: { $0.link.resetFollowsBurst }),
    KnownCause(
      "uuid-not-sent", "The accessory waits for the device's UUID and resets without it.",
      "Features.md#device-uuid-needed: one car resets when no 0x4E0C came (PODBOX)", .medium,
      "Send DeviceUUIDUpdate first after identification.", when: { $0.link.lacksUUID }),
  ]

  private static let idleReset = StopPoint(
    "idle-reset", nil, "One side resets the link again and again after the same silence.", .either(.detect),
    when: { $0.repeatedIdleReset != nil }, turnOf: { $0.repeatedIdleReset.map { .of($0.from, .detect) } },
    causes: [
      KnownCause(
        "idle-timer",
        "It ends a link on which nothing is sent, and an idle link has no packets: no keep-alive is known.",
        "Reliability.md#idle-link: no keep-alive of the link is known; an idle link stays up", .low,
        "Let an idle link stay up: remove the timeout, or probe with a packet that needs an acknowledgement.")
    ])

  private static let resetAtPower = StopPoint(
    "reset-at-power", .features,
    "The accessory reset the link directly after the device had reported that its battery is not charging.",
    .accessory(.detect), when: { $0.link.resetFollowsPower },
    causes: [
      KnownCause(
        "charging-taken-for-connection",
        "The accessory takes the end of charging for a disconnected device.",
        "Lifecycle.md#charging-limits: the state is not a sign of the connection: a full battery and a car without current"
          + " end it too", .medium,
        "Do not end the session at a charging state: full (2) counts as supplied. Wait for the end of the transport, or probe.",
        words: { history in
          guard history.link.notCharging?.isCharged == true else { return nil }
          return (
            "The accessory takes the charging state 2, charged, for a disconnected device: the battery is full.",
            "Do not end the session at a charging state: full (2) counts as supplied. Wait for the end of the transport, or probe."
          )
        }),
      KnownCause(
        "ended-in-order", "The accessory ended the session for another reason at this time.", "Sources.md#inferred",
        .low,
        "Look in the accessory's log for its reason."),
    ])

  private static let ended = StopPoint(
    "ended", .complete, "The link was reset while neither side waited for an answer: the session ended in order.",
    .either(),
    when: { $0.link.isUp && $0.link.reset != nil }, causes: doubts)

  static let running = StopPoint(
    "running", .complete, "The session runs; neither side waits for an answer.", .either(), when: { _ in true },
    causes: [])
}

extension LinkHistory {
  /// The time in seconds within which an RST counts as the answer to a message.
  private static var promptReset: Double { 1 }

  /// Whether nothing waits for an acknowledgement or an answer on a link that is up.
  var isIdle: Bool { isUp && pending == nil && traffic.accessory.isAcknowledged && traffic.device.isAcknowledged }

  /// Whether a side reset the link directly after a message that the identification does not list.
  var resetFollowsUnlisted: Bool {
    guard let unlisted, let reset, let from = unlisted.from, reset.from == from.peer else { return false }
    guard let sent = unlisted.time, let ended = reset.time else { return true }
    return ended - sent <= Self.promptReset
  }

  /// Whether the accessory reset the link directly after the device's report that its battery is not charging.
  var resetFollowsPower: Bool {
    guard isUp, let report = notCharging?.event, let reset, reset.from == .accessory, let sent = report.time,
      let ended = reset.time
    else { return false }
    return ended - sent <= Self.promptReset
  }

  /// Whether the last offer was sent more than once, so that its sender had waited for the answer.
  var repeatsOffer: Bool { (lastOffer?.count ?? 0) > 1 }

  /// The last SYN or SYN+ACK.
  var lastOffer: Offer? {
    [offers.accessory, offers.device].compactMap { $0 }.max { $0.event.number < $1.event.number }
  }

  /// The cause of a refused offer and its remedy, as far as the offer shows them.
  var refusal: (text: String, check: String)? {
    guard let offer = lastOffer?.parameters else { return nil }
    let ids = offer.sessions.map(\.id)
    if let twice = ids.first(where: { id in ids.count { $0 == id } > 1 }) {
      return (
        "The offer was not acceptable: two of its sessions have the same id, \(twice).",
        "Give each session of the SYN an id of its own that is not 0."
      )
    }
    if offer.sessionID(of: .control) == nil {
      return ("The offer was not acceptable: it has no control session.", "Add a session of type 0 to the SYN.")
    }
    let fields = offer.outOfRange
    if !fields.isEmpty {
      return (
        "The offer may not be acceptable: values outside the recommended ranges: \(fields.joined(separator: ", ")).",
        "Compare these values with those of captures/real/canon-ivy.txt."
      )
    }
    return offers.accessory != nil && offers.device != nil
      ? nil
      : (
        "The offer was refused, and its sessions and values are usual ones.",
        "Compare the SYN with that of captures/real/canon-ivy.txt."
      )
  }

  /// Whether the accessory reset the link without having received the UUID that it lists.
  var lacksUUID: Bool {
    reset?.from == .accessory && declaration?.received.contains(DeviceUUIDUpdate.id) == true
      && !seen.contains(DeviceUUIDUpdate.id)
  }

  /// Whether authentication and identification are done, or the device acts as if they were.
  var isSettled: Bool { isRunning && (isAuthenticated || features.device != nil && !isAuthenticationMissing) }

  /// The stop point of the oldest request without a response, or of the authentication that the device has not begun.
  var owedExchange: StopPoint? {
    pending.flatMap(StopPoint.waiting) ?? (isAuthenticationMissing ? .authenticationMissing : nil)
  }

  /// Whether an RST does not close the session in order.
  var resetIsEarly: Bool { pending != nil || !isSettled }
}

extension LinkHistory {
  /// The damage of the side with more damaged packets in a row; nil if a valid packet followed on both sides.
  var worstDamage: (from: Side, damage: Damage)? {
    let sides = [Side.accessory, .device].compactMap { side in damage[side].map { (from: side, damage: $0) } }
    return sides.max { $0.damage.count < $1.damage.count }
  }
}

extension ConnectionHistory {
  /// Whether damaged packets stopped the session. One alone may be noise that a retransmission repairs, unless the
  /// session ended early.
  fileprivate var isStoppedByDamage: Bool {
    guard let count = link.worstDamage?.damage.count else { return false }
    return count >= 2 || (link.reset != nil || end != nil) && link.resetIsEarly
  }

  /// Returns whether a side retransmitted as often as the link allows. WIO gives up one earlier
  /// (FieldBehavior.md#f11).
  fileprivate func isExhausted(_ repeats: LinkHistory.Repeats) -> Bool {
    if let ownEnd, ownEnd != .linkReset { return ownEnd == .retransmissionLimit }
    guard let limit = link.offers[repeats.from.peer]?.parameters?.maxRetransmissions else { return repeats.count >= 2 }
    return repeats.count >= max(1, Int(limit) - 1)
  }

  /// Whether an answer to the oldest request came on an earlier link.
  fileprivate var wasAnsweredBefore: Bool {
    guard let turn = link.pending.flatMap(StopPoint.waiting)?.turn, turn.owner == .accessory else { return false }
    return turn.steps.contains { step in
      if case .message(let id) = step { ControlHeader.isImplied(id) && seenBefore.contains(id) } else { false }
    }
  }

  /// Whether the side that does not acknowledge answers what it was asked.
  fileprivate var answersWithoutAcknowledging: Bool {
    link.repeats.map { link.traffic[$0.from.peer].answersWithoutAcknowledgement > 0 } ?? false
  }

  /// Returns whether the oldest request waits for a response of this side.
  fileprivate func isOwed(by side: Side?) -> Bool {
    guard let side, let owner = link.pending.flatMap(StopPoint.waiting)?.turn.owner else { return false }
    return owner == side
  }
}

extension ConnectionHistory {
  /// The silence in seconds from which an RST may be that of a timeout, and the part by which two silences may differ.
  /// Unverified: no source has such a timeout.
  private static var idle: (least: Double, difference: Double) { (3, 0.1) }

  /// The RST of this link, if that of the link before came from the same side after the same silence.
  package var repeatedIdleReset: (from: Side, silence: Double)? {
    guard let last = link.idleReset, let before = previousIdleReset, last.from == before.from,
      min(last.silence, before.silence) >= Self.idle.least,
      abs(last.silence - before.silence) <= Self.idle.difference * last.silence
    else { return nil }
    return (last.from, last.silence)
  }
}
