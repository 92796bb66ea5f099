// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

extension StopPoint {
  /// Stop points of a fault that the bytes of one side show, whatever the other side did then.
  static let faults: [StopPoint] = [
    StopPoint(
      "message-unfinished", nil, "One side sent the beginning of a control message, and its rest never came.",
      .either(.restOfMessage), when: { $0.leftUnfinished != nil },
      turnOf: { history in history.leftUnfinished.map { .of($0.from, .restOfMessage) } },
      causes: [
        KnownCause(
          "length-field", "The length field of the message counts more bytes than were sent.",
          "Sessions.md#message-form: the length counts from 40 40 to the last byte", .high,
          "Compare the length field with the message: it has the bytes from 40 40 to the end of the last parameter."),
        KnownCause(
          "sender-stopped", "The sender stopped within the message, or left out a packet of it.",
          "Sessions.md#message-reassembly: a message may need several packets", .low,
          "Look in its log for the packets that it sent."),
      ]),
    StopPoint(
      "link-rule-broken", nil, "One side broke a rule of the link, and the session did not go on.",
      .either(.correctPacket), when: { $0.breach != nil && $0.link.worstDamage == nil },
      turnOf: { turn($0, of: $0.breach?.from, .correctPacket) },
      causes: [
        KnownCause(
          "window-exceeded", "More packets were under way than the window of the other side allows.",
          "Reliability.md#beyond-window: a packet beyond the window is dropped (WIO, CAT, BRIDGE)", .high,
          "Send at most as many packets as the other side's SYN or SYN+ACK declares, and wait for acknowledgements.",
          when: { if case .window = $0.breach?.rule { true } else { false } }),
        KnownCause(
          "packet-too-long", "A packet is longer than the other side takes.",
          "Link.md#oversized-packet: CAT closes the link", .medium,
          "Split the message over several packets, none longer than the maximum in the other side's SYN or SYN+ACK.",
          when: { if case .packetLength = $0.breach?.rule { true } else { false } }),
        KnownCause(
          "number-used-twice",
          "A new packet has the sequence number of an earlier one, so the other side drops it as a duplicate.",
          "Reliability.md#duplicate: a number up to the last in order is not delivered again", .high,
          "Give each packet with data the next sequence number.",
          when: { if case .sequenceNumber = $0.breach?.rule { true } else { false } }),
        KnownCause(
          "number-left-out",
          "A sequence number was left out, so the other side keeps or drops what follows and waits for the missing packet.",
          "Reliability.md#first-data and Reliability.md#sequence-owners: each packet with data has the next number, and"
            + " a pure ACK owns none", .high,
          "Give each packet with data the number after that of the last one; a pure ACK, an EAK and an RST own no number.",
          when: { if case .gap = $0.breach?.rule { true } else { false } }),
        KnownCause(
          "number-goes-back",
          "A new packet has a number far behind the last one, so the other side takes it for an old packet and drops it.",
          "Reliability.md#duplicate and Reliability.md#sequence-owners: numbers have eight bits, and a number behind the"
            + " last in order is not delivered", .high,
          "Count modulo 256 with all eight bits: 0 follows 255, and each packet with data has the next number.",
          when: { if case .backwards = $0.breach?.rule { true } else { false } }),
        KnownCause(
          "eak-not-followed", "The EAK asks for a packet that is missing, and the sender retransmits other packets.",
          "Reliability.md#eak-payload and Reliability.md#eak-resend: an EAK lists the missing numbers, and its receiver"
            + " retransmits exactly these", .high,
          "Read the payload of the EAK as the numbers that are missing, and retransmit exactly these packets.",
          when: { if case .otherPacket = $0.breach?.rule { true } else { false } }),
      ]),
  ]

  /// Returns the turn of the side that made a fault: the answer that it owes, or else a step without the fault.
  static func turn(_ history: ConnectionHistory, of side: Side?, _ step: SessionStep) -> SessionTurn? {
    guard let side else { return nil }
    let owed = history.link.pending.flatMap(waiting(for:))?.turn
    return owed?.owner == side ? owed : .of(side, step)
  }

  static let fileUnanswered = StopPoint(
    "file-unanswered", .features, "One side offered a file, and the other neither started nor cancelled it.",
    .accessory(.file), when: { $0.link.isUp && $0.link.offeredFile != nil && $0.link.pending == nil },
    turnOf: { history in history.link.offeredFile?.event.from.map { .of($0.peer, .file) } },
    causes: [
      KnownCause(
        "not-handled", "The other side's program does not answer a Setup.",
        "FileTransfer.md#order: Setup is followed by Start of the receiver", .high,
        "Let it answer each Setup with Start, or with Cancel if it does not want the file."),
      KnownCause(
        "not-expected", "No message has announced the file's id, so the other side does not expect it.",
        "FileTransfer.md#announcement: a control message names the id before Setup or about then", .medium,
        "Look for the message that names the id, such as 0x5001 for artwork."),
    ])
}
