// swift-iap2 · Apache-2.0

import IAP2

/// Which connection of a capture bytes belong to.
public enum FlowKey: Sendable, Hashable {
  /// Bulk transfers of a device.
  case usb(bus: UInt16, device: UInt8)
  /// HID reports of a phone in device mode.
  case usbReports(bus: UInt16, device: UInt8)
  case rfcomm(adapter: UInt16, connection: UInt16, channel: UInt8)
  case tcp(TCPEndpoints)
  /// ``OwnRecord``.
  case own(connection: UInt16)
  /// A text, which has one, or a log whose pattern tells them apart.
  case text(connection: Int)
}

/// Where a transport was closed: TCP's FIN or RST, RFCOMM's DISC, a USB device that is gone.
package struct TransportEnd: Sendable, Equatable {
  /// Which of two ends closed it; nil where nobody did.
  package var end: Int?
  package var record: Int
  package var time: Double?

  init(end: Int?, _ moment: CaptureMoment) {
    self.end = end
    record = moment.record
    time = moment.time
  }
}

/// Bytes of one end of a connection, lent by the frame or by who put them together.
struct CapturePiece {
  enum Place {
    case frame(Range<Int>)
    case joined(Range<Int>)
  }

  /// Who sent them: known, one of two ends, or anybody.
  enum Sender: Hashable {
    case side(Side)
    /// 0 is the USB host, the Bluetooth host, the lower of two addresses, or who wrote a log.
    case end(Int)
    case unknown
  }

  var flow: FlowKey
  var sender: Sender
  var place: Place
  /// A whole control message, from above the link layer.
  var isMessage = false
  /// SDP said that this is iAP2.
  var isAnnounced = false
  /// Bytes before it are not there.
  var followsGap = false
  /// What somebody wrote of the record.
  var comment: String?
}

/// Tells iAP2 from other bytes.
enum LinkContent {
  /// A stream's bytes begin here with a packet or the detect sequence.
  static func begins(_ bytes: RawSpan) -> Bool {
    switch LinkScanner.scan(bytes, from: 0) {
    case .packet, .detect, .badPayloadChecksum: true
    // A header whose checksum is right is proof enough of a longer packet.
    case .incomplete: bytes.byteCount >= LinkHeader.byteCount && bytes.bigEndian16(0) == 0xFF5A
    case .legacyFrame, .badHeader, .garbage, .end: false
    }
  }

  /// Who must have sent bytes that begin so; nil where either could have.
  static func sender(_ bytes: RawSpan) -> Side? {
    var offset = 0
    while case .packet(let header, let start) = LinkScanner.scan(bytes, from: offset) {
      if header.control.contains(.synchronize) { return header.control.contains(.acknowledge) ? .device : .accessory }
      let payload = header.payload(at: start)
      if payload.count >= ControlHeader.byteCount, bytes.bigEndian16(payload.lowerBound) == 0x4040,
        let entry = MessageCatalog[bytes.bigEndian16(payload.lowerBound + 4)]
      {
        return entry.info.sender
      }
      offset = start + header.byteCount
    }
    return nil
  }

  static func isDetect(_ bytes: RawSpan) -> Bool {
    if case .detect = LinkScanner.scan(bytes, from: 0) { true } else { false }
  }
}
