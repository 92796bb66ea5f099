// swift-iap2 · Apache-2.0

import IAP2

/// The checksum of a TCP segment or of a UDP datagram in an IP packet (RFC 9293, 3.1; RFC 768).
package struct TransportChecksum {
  /// The sender of a packet, by its address and the protocol. A network card computes the checksums of all or of none.
  /// The card of the receiver may join segments to large ones and leave the checksum of one, so these count by
  /// themselves.
  package struct Sender: Hashable, Sendable {
    private let high, low: UInt64
    private let protocolNumber: UInt8
    private let isLarge: Bool

    fileprivate init(_ bytes: RawSpan, _ address: Range<Int>, _ protocolNumber: UInt8, isLarge: Bool) {
      func integer(_ place: Int) -> UInt64 { bytes.integer(place, isLittleEndian: false) }
      if address.count == 16 {
        (high, low) = (integer(address.lowerBound), integer(address.lowerBound + 8))
      } else {
        let number: UInt32 = bytes.integer(address.lowerBound, isLittleEndian: false)
        (high, low) = (0, UInt64(number))
      }
      (self.protocolNumber, self.isLarge) = (protocolNumber, isLarge)
    }
  }

  /// The sender.
  package let sender: Sender
  /// Whether the checksum is right.
  package let isRight: Bool

  /// The largest packet of Ethernet.
  private static let maximumByteCount = 1500

  /// Fails if the packet has no checksum that can be judged: none at all, or a cut packet. The kernel makes the checksum
  /// of a reset, which has no data, even if the card makes all others, so it proves nothing. A card that makes the
  /// checksums gets packets with the sum of the addresses and the length alone, and a capture on its machine has these.
  package init?(_ bytes: RawSpan, from start: Int) {
    guard let packet = IPPacket(bytes, from: start), !packet.isCut else { return nil }
    let range: Range<Int>
    let place: Int
    switch packet.protocolNumber {
    case IPPacket.tcp where packet.payload.count >= 20:
      let header = packet.payload.lowerBound
      let hasData = packet.payload.count > Int(bytes.byte(header + 12) >> 4) * 4
      guard hasData || bytes.byte(header + 13) & 4 == 0 else { return nil }
      (range, place) = (packet.payload, packet.payload.lowerBound + 16)
    case IPPacket.udp where packet.payload.count >= 8:
      let count = Int(bytes.bigEndian16(packet.payload.lowerBound + 4))
      guard count >= 8, count <= packet.payload.count else { return nil }
      range = packet.payload.lowerBound..<packet.payload.lowerBound + count
      place = packet.payload.lowerBound + 6
    default: return nil
    }
    let given = bytes.bigEndian16(place)
    guard given != 0 else { return nil }
    let pseudo =
      InternetChecksum.sum(bytes, packet.source) + InternetChecksum.sum(bytes, packet.destination)
      + UInt64(packet.protocolNumber) + UInt64(range.count)
    let isRight = InternetChecksum.folded(pseudo + InternetChecksum.sum(bytes, range)) == 0xFFFF
    guard isRight || given != InternetChecksum.folded(pseudo) else { return nil }
    self.isRight = isRight
    sender = Sender(
      bytes, packet.source, packet.protocolNumber, isLarge: packet.payload.upperBound - start > Self.maximumByteCount)
  }
}

/// The sum of IP, TCP and UDP (RFC 1071).
enum InternetChecksum {
  /// Returns the sum of the 16-bit numbers of a range; carries are still to be added.
  static func sum(_ bytes: RawSpan, _ range: Range<Int>) -> UInt64 {
    var sum: UInt64 = 0
    var place = range.lowerBound
    // Numbers of 32 bits have the same sum when it is folded.
    while place + 8 <= range.upperBound {
      let number: UInt64 = bytes.integer(place, isLittleEndian: false)
      sum += number >> 32 + number & 0xFFFF_FFFF
      place += 8
    }
    if place + 4 <= range.upperBound {
      let number: UInt32 = bytes.integer(place, isLittleEndian: false)
      sum += UInt64(number)
      place += 4
    }
    if place + 2 <= range.upperBound {
      sum += UInt64(bytes.bigEndian16(place))
      place += 2
    }
    if place < range.upperBound { sum += UInt64(bytes.byte(place)) << 8 }
    return sum
  }

  /// Returns a sum with its carries added.
  static func folded(_ sum: UInt64) -> UInt16 {
    var sum = sum
    while sum > 0xFFFF { sum = (sum & 0xFFFF) + (sum >> 16) }
    return UInt16(sum)
  }
}
