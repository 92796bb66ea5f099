// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

extension StopPoint {
  /// The share of packets, one of this many, above which a capture with cut packets shows too little.
  private static let cutShare = 4

  /// Stop points of captures that show no connection, or only a part of one.
  static let capture: [StopPoint] = [
    StopPoint(
      "not-iap2", .detect, "The accessory's interface carries bytes, and none of them is iAP2.", .accessory(.detect),
      when: { !$0.hasContent && $0.link.legacy.accessory == nil && $0.link.legacy.device == nil },
      causes: [
        KnownCause(
          "another-protocol", "The interface carries another protocol; its class does not prove iAP2.",
          "USB.md#similar-interfaces: interfaces beside it, such as FF/F0/01, look much the same", .low,
          "Compare the first bytes with ff550200ee10 and ff5a."),
        KnownCause(
          "lost-beginning", "The capture began within the session, or lost bytes.", "Sources.md#inferred", .low,
          "Start the capture before the cable is plugged in."),
      ]),
    StopPoint(
      "checksums-only", .negotiation, "Every packet of the capture has a wrong checksum.", .either(.synchronize),
      when: {
        $0.damagedPackets.accessory + $0.damagedPackets.device > 0 && $0.packets.accessory + $0.packets.device == 0
      },
      causes: [
        KnownCause(
          "checksum-arithmetic", "The sender computes its checksums wrongly.",
          "FieldBehavior.md#f9: two accessories drop a packet with a wrong payload sum"
            + " and look byte by byte after a wrong header, without an answer", .high,
          "Add up the eight bytes of a header and its checksum: 0 modulo 256."),
        KnownCause(
          "line-noise", "The line changes bytes: wrong speed, wrong parity, or no common ground.",
          "inferred from FieldBehavior.md#f9", .low,
          "Compare two transmissions of the same packet: noise differs between them."),
      ]),
    StopPoint(
      "records-cut", nil, "The capture has only the beginnings of packets, so it does not show what the sides did.",
      .either(),
      when: { history in
        let packets = history.packets.accessory + history.packets.device
        return history.cutPackets > 0 && (!history.link.isUp || history.cutPackets * cutShare > packets)
      },
      causes: [
        KnownCause(
          "record-limit", "The capture was made with a limit for the bytes of a record.", "Sources.md#inferred", .low,
          "Capture again without a limit: the full Bluetooth log of Android's developer options, `tcpdump -s 0`, or"
            + " usbmon's binary interface in place of its text.")
      ]),
    StopPoint(
      "one-side-only", nil, "The capture has only one side's bytes.", .either(),
      when: { history in
        let sides = history.packets
        guard history.damagedPackets[sides.accessory == 0 ? .accessory : .device] == 0 else { return false }
        guard (sides.accessory == 0) != (sides.device == 0), history.link.isUp else { return false }
        return history.last?.from == (sides.accessory == 0 ? .device : .accessory)
          && history.link.detects[sides.accessory == 0 ? .accessory : .device] == 0
      },
      causes: [
        KnownCause(
          "half-capture", "One direction was not captured, so the answers of one side are unknown.",
          "inferred: a side that acknowledges has received packets (Reliability.md#ack-cumulative)", .low,
          "Capture both directions.")
      ]),
  ]
}
