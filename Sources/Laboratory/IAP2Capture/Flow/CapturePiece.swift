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
  /// The iAP2 connection inside a CarPlay session.
  case session(Int)
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
  /// Whether the capture lacks bytes behind this piece.
  var isCut = false
  /// The comment that the capture has for the record.
  var comment: String?
  /// The evidence for the sides that the capture has beside the bytes.
  var evidence: SideEvidence?
}
