// swift-iap2 · Apache-2.0

import IAP2

/// An identifier of a connection of a capture.
public enum FlowKey: Sendable, Hashable {
  /// The bulk transfers of a USB device.
  case usb(bus: UInt16, device: UInt8)
  /// The HID reports of a phone in device mode.
  case usbReports(bus: UInt16, device: UInt8)
  /// An RFCOMM server channel of a Bluetooth connection.
  case rfcomm(adapter: UInt16, connection: UInt16, channel: UInt8)
  /// A TCP connection.
  case tcp(TCPEndpoints)
  /// A connection of this project's own link type 157 (``OwnRecord``).
  case own(connection: UInt16)
  /// A connection of a text. The project's own text form has one; a log has several when its pattern has a `conn`
  /// group.
  case text(connection: Int)
}

/// The end of a transport: TCP's FIN or RST, RFCOMM's DISC, or a USB device that was disconnected.
package struct TransportEnd: Sendable, Equatable {
  /// The end that closed the transport, 0 or 1; nil when neither did, as when a USB device is unplugged.
  package var end: Int?
  /// The number of the record that shows the end.
  package var record: Int
  /// The time of that record in seconds; nil when the capture has no times.
  package var time: Double?

  init(end: Int?, _ moment: CaptureMoment) {
    self.end = end
    record = moment.record
    time = moment.time
  }
}

/// Bytes of one end of a connection, borrowed from the frame or from the tap that joined them.
struct CapturePiece {
  enum Place {
    case frame(Range<Int>)
    case joined(Range<Int>)
  }

  /// The sender of a piece: a known side, one of two ends, or unknown.
  enum Sender: Hashable {
    case side(Side)
    /// 0 is the USB host, the Bluetooth host, the lower of two addresses, or the program that wrote a log.
    case end(Int)
    case unknown
  }

  var flow: FlowKey
  var sender: Sender
  var place: Place
  /// Whether the bytes are a whole control message, without link packets around it.
  var isMessage = false
  /// Whether an SDP answer named this channel as iAP2.
  var isAnnounced = false
  /// Whether the capture lacks bytes before this piece.
  var followsGap = false
  /// The comment that the capture has for the record.
  var comment: String?
  /// The evidence for the sides that the capture has beside the bytes.
  var evidence: SideEvidence?
}

/// Functions that recognize iAP2 and its sender from bytes.
enum LinkContent {
  /// Returns whether the bytes begin with a packet or the detect sequence.
  static func begins(_ bytes: RawSpan) -> Bool {
    switch LinkScanner.scan(bytes, from: 0) {
    case .packet, .detect, .badPayloadChecksum: true
    // An incomplete packet needs a valid header checksum, so its header has to be complete.
    case .incomplete: bytes.byteCount >= LinkHeader.byteCount && bytes.bigEndian16(0) == LinkHeader.start
    case .legacyFrame, .badHeader, .garbage, .end: false
    }
  }

  /// Returns the only side that can have sent bytes with this beginning; nil when either can have.
  static func sender(_ bytes: RawSpan) -> Side? {
    var offset = 0
    while case .packet(let header, let start) = LinkScanner.scan(bytes, from: offset) {
      if header.control.contains(.synchronize) { return header.control.contains(.acknowledge) ? .device : .accessory }
      let payload = header.payload(at: start)
      if payload.count >= ControlHeader.byteCount, bytes.bigEndian16(payload.lowerBound) == ControlHeader.start,
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
