// swift-iap2 · Apache-2.0

import IAP2

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
