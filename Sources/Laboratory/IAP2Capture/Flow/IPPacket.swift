// swift-iap2 · Apache-2.0

import IAP2

/// The parts of an IP packet's header that its payload needs.
struct IPPacket {
  /// The addresses, of 4 or 16 bytes.
  var source, destination: Range<Int>
  /// The protocol of the payload.
  var protocolNumber: UInt8
  /// The payload. Network cards with segmentation offload leave the length of a captured packet 0: it ends with the
  /// record.
  var payload: Range<Int>
  /// Whether the record lacks bytes of the payload.
  var isCut: Bool

  static let tcp: UInt8 = 6, udp: UInt8 = 17

  /// Fails for anything but an unfragmented packet of IPv4, or one of IPv6 without extension headers.
  init?(_ bytes: RawSpan, from start: Int) {
    guard bytes.byteCount > start else { return nil }
    let header: Int
    let end: Int
    switch bytes.byte(start) >> 4 {
    case 4:
      header = start + Int(bytes.byte(start) & 15) * 4
      guard header >= start + 20, bytes.byteCount >= header, bytes.bigEndian16(start + 6) & 0x3FFF == 0
      else { return nil }
      end = start + Int(bytes.bigEndian16(start + 2))
      protocolNumber = bytes.byte(start + 9)
      (source, destination) = ((start + 12)..<(start + 16), (start + 16)..<(start + 20))
    case 6:
      header = start + 40
      guard bytes.byteCount >= header else { return nil }
      end = header + Int(bytes.bigEndian16(start + 4))
      protocolNumber = bytes.byte(start + 6)
      (source, destination) = ((start + 8)..<(start + 24), (start + 24)..<(start + 40))
    default: return nil
    }
    isCut = end > bytes.byteCount
    payload = header..<min(bytes.byteCount, end > header ? end : bytes.byteCount)
  }

  /// Returns an address followed by a port, in big-endian bytes.
  static func end(_ bytes: RawSpan, _ address: Range<Int>, port place: Int) -> [UInt8] {
    var end: [UInt8] = []
    end.reserveCapacity(address.count + 2)
    for index in address { end.append(bytes.byte(index)) }
    end.append(bytes.byte(place))
    end.append(bytes.byte(place + 1))
    return end
  }
}

/// The parts of a UDP datagram in an IP packet.
package struct UDPDatagram {
  /// The address and the port of the receiver, as in ``TCPSegment``.
  package var destination: [UInt8]
  private let header: IPPacket
  /// The bytes, as a range of the record.
  package var data: Range<Int>
  /// Whether the record lacks bytes of the datagram, because the capture has only the beginnings of packets.
  package var isCut: Bool { header.isCut }

  /// Fails for anything but an unfragmented datagram.
  package init?(_ bytes: RawSpan, from start: Int) {
    guard let packet = IPPacket(bytes, from: start), packet.protocolNumber == IPPacket.udp, packet.payload.count >= 8
    else { return nil }
    let header = packet.payload.lowerBound
    destination = IPPacket.end(bytes, packet.destination, port: header + 2)
    let length = Int(bytes.bigEndian16(header + 4))
    guard length >= 8 else { return nil }
    data = (header + 8)..<min(packet.payload.upperBound, header + length)
    self.header = packet
  }

  /// Returns the address and the port of the sender, as in ``TCPSegment``.
  ///
  /// - Parameter bytes: The record.
  package func source(in bytes: RawSpan) -> [UInt8] {
    IPPacket.end(bytes, header.source, port: header.payload.lowerBound)
  }
}

/// The parts of a TCP segment in an IP packet.
package struct TCPSegment {
  /// The address and the port of the sender and of the receiver: 4 or 16 bytes, and two big-endian ones.
  package var source, destination: [UInt8]
  /// The sequence number.
  package var sequence: UInt32
  /// The next byte that the sender expects; nil without ACK.
  package var acknowledgement: UInt32?
  /// SYN: the sequence number is one less than that of the first byte.
  package var begins: Bool
  /// Whether FIN or RST is set.
  package var ends: Bool
  /// Whether RST is set.
  package var isReset: Bool { flags & 4 != 0 }
  /// The flags as in the header.
  package var flags: UInt8
  /// The receive window of the sender as in the header, without its scale. At 0 the sender takes no more bytes.
  package var window: UInt16
  /// The bytes, as a range of the record.
  package var data: Range<Int>
  /// Whether the record lacks bytes of the segment.
  package var isCut: Bool

  /// Fails for anything but an unfragmented TCP segment over IPv4 or IPv6 without extension headers.
  package init?(_ bytes: RawSpan, from start: Int) {
    guard let packet = IPPacket(bytes, from: start), packet.protocolNumber == IPPacket.tcp, packet.payload.count >= 20
    else { return nil }
    let header = packet.payload.lowerBound
    let data = header + Int(bytes.byte(header + 12) >> 4) * 4
    guard data >= header + 20, data <= packet.payload.upperBound else { return nil }
    source = IPPacket.end(bytes, packet.source, port: header)
    destination = IPPacket.end(bytes, packet.destination, port: header + 2)
    sequence = bytes.integer(header + 4, isLittleEndian: false)
    acknowledgement = bytes.byte(header + 13) & 16 != 0 ? bytes.integer(header + 8, isLittleEndian: false) : nil
    flags = bytes.byte(header + 13)
    begins = flags & 2 != 0
    ends = flags & 5 != 0
    window = bytes.bigEndian16(header + 14)
    self.data = data..<packet.payload.upperBound
    isCut = packet.isCut
  }
}
