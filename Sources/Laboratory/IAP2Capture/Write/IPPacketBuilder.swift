// swift-iap2 · Apache-2.0

import IAP2

/// A builder of IP packets with right checksums. An end is an address of 4 or 16 bytes, and a port of two.
struct IPPacketBuilder: Sendable {
  private var packetCount: UInt16 = 0

  /// Returns a TCP segment in its packet (RFC 9293, 3.1).
  mutating func segment(
    _ bytes: [UInt8], flags: UInt8, sequence: UInt32, acknowledged: UInt32, from source: [UInt8], to target: [UInt8]
  ) -> [UInt8] {
    var body = Array(source.suffix(2) + target.suffix(2)) + sequence.bigEndianBytes + acknowledged.bigEndianBytes
    body += [5 << 4, flags, 0xFF, 0xFF, 0, 0, 0, 0] + bytes
    return packet(body, IPPacket.tcp, checksumAt: 16, source.dropLast(2), target.dropLast(2))
  }

  /// Returns a UDP datagram in its packet. A datagram of more than 65,000 bytes does not pass a socket and is cut.
  mutating func datagram(_ bytes: [UInt8], from source: [UInt8], to target: [UInt8]) -> [UInt8] {
    let bytes = Array(bytes.prefix(65_000))
    let body = Array(source.suffix(2) + target.suffix(2)) + UInt16(8 + bytes.count).bigEndianBytes + [0, 0] + bytes
    return packet(body, IPPacket.udp, checksumAt: 6, source.dropLast(2), target.dropLast(2))
  }

  /// Returns an IP packet, with the checksum of the protocol in it (RFC 791, 8200, 1071).
  private mutating func packet(
    _ body: [UInt8], _ protocolNumber: UInt8, checksumAt place: Int, _ from: ArraySlice<UInt8>, _ to: ArraySlice<UInt8>
  ) -> [UInt8] {
    packetCount &+= 1
    let pseudo = Array(from + to) + [0, 0] + UInt16(body.count).bigEndianBytes + [0, protocolNumber]
    var body = body
    let sum = Self.checksum(pseudo + body).bigEndianBytes
    (body[place], body[place + 1]) = (sum[0], sum[1])
    guard from.count == 4 else {
      return [0x60, 0, 0, 0] + UInt16(body.count).bigEndianBytes + [protocolNumber, 64] + from + to + body
    }
    var header: [UInt8] = [0x45, 0] + UInt16(20 + body.count).bigEndianBytes + packetCount.bigEndianBytes
    header += [0x40, 0, 64, protocolNumber, 0, 0] + from + to
    let headerSum = Self.checksum(header).bigEndianBytes
    (header[10], header[11]) = (headerSum[0], headerSum[1])
    return header + body
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt16 {
    ~InternetChecksum.folded(InternetChecksum.sum(bytes.rawBytes, 0..<bytes.count))
  }
}
