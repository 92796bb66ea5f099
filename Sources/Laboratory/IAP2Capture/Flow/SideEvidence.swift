// swift-iap2 · Apache-2.0

package import IAP2

/// The evidence by which the sides of a connection were decided, where neither a SYN nor a control message proves them.
package struct SideEvidence: Sendable, Equatable {
  /// The kind of evidence.
  package enum Kind: Sendable, Hashable {
    /// The side that sent detect before any packet (Link.md#detect-accessory-first).
    case detect
    /// The same in a log of a program, which may lack the bytes before it.
    case loggedDetect
    /// An SDP answer with an iAP2 service (Bluetooth.md#uuids).
    case service
    /// The class of device of the Bluetooth peer: a phone, or an audio device (Bluetooth.md#class-of-device).
    case deviceClass
    /// The side whose pure ACKs carry the next sequence number, which no device was seen to do (FieldBehavior.md#f27).
    case acknowledgements
    /// The side that sent first. It proves nothing.
    case firstSender
  }

  /// The kind of evidence.
  package var kind: Kind
  /// The side of end 0, as the evidence shows it.
  package var first: Side
  /// The number of the end that the evidence is about, 0 or 1.
  package var end: Int

  /// The confidence; nil for a guess.
  package var confidence: Confidence? {
    switch kind {
    case .detect, .service: .high
    case .loggedDetect, .deviceClass, .acknowledgements: .medium
    case .firstSender: nil
    }
  }

  /// - Parameters:
  ///   - end: the end that the evidence is about.
  ///   - side: the side of that end.
  init(_ kind: Kind, end: Int, is side: Side) {
    self.kind = kind
    self.end = end
    first = end == 0 ? side : side.peer
  }

  /// Returns the stronger of two kinds of evidence; the earlier one if both are equally strong.
  func combined(with other: SideEvidence?) -> SideEvidence {
    guard let other else { return self }
    return Self.order.firstIndex(of: other.kind) ?? 0 < Self.order.firstIndex(of: kind) ?? 0 ? other : self
  }

  private static let order: [Kind] = [
    .detect, .service, .deviceClass, .acknowledgements, .loggedDetect, .firstSender,
  ]
}

/// A search for the sides of a connection in the bytes of its two ends.
///
/// A SYN and a control message prove the side of their sender. Packets may begin in one piece and end in a later one.
struct SideFinder: Sendable {
  fileprivate struct End: Sendable {
    /// The beginning of a packet whose rest has not been received.
    var carry: [UInt8] = []
    var lastData: SequenceNumber?
    /// The numbers of pure ACKs with the sequence number of the last data packet, and with the one after it.
    var withLast = 0
    var withNext = 0

    /// Whether the end sends pure ACKs with one number and practically never with the other.
    static func isClear(_ count: Int, against other: Int) -> Bool { count >= 3 && count >= 10 * other }
    var usesNext: Bool { Self.isClear(withNext, against: withLast) }
  }

  private var ends = [End(), End()]
  private var hasPackets = false
  /// The end that sent the first detect sequence before any packet.
  private var detector: Int?

  /// Whether any packet or detect sequence was found.
  var hasContent: Bool { hasPackets || detector != nil }

  /// Takes the next bytes of an end. Returns the proven side of that end; nil without proof.
  mutating func take(_ bytes: RawSpan, end: Int) -> Side? {
    // The state is swapped out of `self`, because `self` changes too.
    var state = End()
    swap(&state, &ends[end])
    defer { swap(&state, &ends[end]) }
    guard !state.carry.isEmpty else { return scan(bytes, end, &state) }
    var working: [UInt8] = []
    swap(&working, &state.carry)
    working.append(copying: bytes)
    return scan(working.rawBytes, end, &state)
  }

  private mutating func scan(_ bytes: RawSpan, _ end: Int, _ state: inout End) -> Side? {
    var offset = 0
    while true {
      switch LinkScanner.scan(bytes, from: offset) {
      case .packet(let header, let start):
        hasPackets = true
        if let side = Self.sender(header, bytes, start) { return side }
        state.note(header)
        offset = start + header.byteCount
      case .badPayloadChecksum(let header, let start): offset = start + header.byteCount
      case .detect(let start):
        if !hasPackets, detector == nil { detector = end }
        offset = start + LinkScanner.detect.count
      case .badHeader(_, let start, _): offset = start + 1
      case .legacyFrame(let range), .garbage(let range): offset = range.upperBound
      case .incomplete(let start, _):
        // A packet has at most 65 535 bytes.
        state.carry = [UInt8](copying: bytes.extracting(start..<bytes.byteCount))
        return nil
      case .end: return nil
      }
    }
  }

  private static func sender(_ header: LinkHeader, _ bytes: RawSpan, _ start: Int) -> Side? {
    if header.control.contains(.synchronize) { return header.control.contains(.acknowledge) ? .device : .accessory }
    let payload = header.payload(at: start)
    guard payload.count >= ControlHeader.byteCount, bytes.bigEndian16(payload.lowerBound) == ControlHeader.start,
      bytes.bigEndian16(payload.lowerBound + 2) >= UInt16(ControlHeader.byteCount)
    else { return nil }
    return MessageCatalog[bytes.bigEndian16(payload.lowerBound + 4)]?.info.sender
  }

  /// The evidence in the bytes so far; nil without any.
  var evidence: SideEvidence? {
    if let detector { return SideEvidence(.detect, end: detector, is: .accessory) }
    guard ends[0].usesNext != ends[1].usesNext else { return nil }
    return SideEvidence(.acknowledgements, end: ends[0].usesNext ? 0 : 1, is: .accessory)
  }
}

extension SideFinder.End {
  fileprivate mutating func note(_ header: LinkHeader) {
    if header.payloadByteCount > 0 {
      lastData = header.sequence
    } else if header.control == .acknowledge, let lastData {
      if header.sequence == lastData { withLast += 1 }
      if header.sequence == lastData.next { withNext += 1 }
    }
  }
}
