// swift-iap2 · Apache-2.0

package import IAP2

/// A link packet of a check. Its checksums are calculated when it is encoded.
package struct Packet: Sendable, Hashable {
  package var control: LinkControl
  package var sequence: SequenceNumber
  package var acknowledgement: SequenceNumber
  package var session: UInt8
  package var payload: [UInt8]

  package init(
    _ control: LinkControl, sequence: SequenceNumber, acknowledgement: SequenceNumber = SequenceNumber(0),
    session: UInt8 = 0, payload: [UInt8] = []
  ) {
    self.control = control
    self.sequence = sequence
    self.acknowledgement = acknowledgement
    self.session = session
    self.payload = payload
  }

  init(_ header: LinkHeader, payload: [UInt8]) {
    self.init(
      header.control, sequence: header.sequence, acknowledgement: header.acknowledgement, session: header.session,
      payload: payload)
  }

  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    LinkPacket.append(
      to: &bytes, control: control, sequence: sequence, acknowledgement: acknowledgement, session: session,
      payload: payload.rawBytes)
    return bytes
  }

  package var byteCount: Int {
    payload.isEmpty ? LinkHeader.byteCount : LinkHeader.overheadByteCount + payload.count
  }

  package var isReset: Bool { control.contains(.reset) }
  package var isSynchronization: Bool { control.contains(.synchronize) && !isReset }
  /// Whether the packet is a SYN+ACK.
  package var isAnswer: Bool { isSynchronization && control.contains(.acknowledge) }
  /// Whether the packet is an EAK.
  package var isSelective: Bool { control.contains(.extendedAcknowledge) && !isSynchronization && !isReset }
  package var isData: Bool { !payload.isEmpty && !isSynchronization && !isSelective && !isReset }
  package var isPureAcknowledgement: Bool { control == .acknowledge && payload.isEmpty }

  /// The link parameters of a SYN or SYN+ACK; nil for other packets and malformed payloads.
  package var proposal: LinkSynchronization? {
    guard isSynchronization else { return nil }
    do { return try LinkSynchronization(payload.rawBytes) } catch { return nil }
  }

  /// The identifier of the message that starts in this packet; nil when none does.
  package var messageID: UInt16? {
    guard isData, payload.count >= ControlHeader.byteCount, payload.starts(with: ControlHeader.start.bigEndianBytes)
    else {
      return nil
    }
    return ControlHeader.id(of: payload)
  }

  var text: String {
    let number = hexadecimal(sequence.rawValue)
    if isReset { return "RST" }
    if isSynchronization { return control.contains(.acknowledge) ? "SYN+ACK \(number)" : "SYN \(number)" }
    if isSelective { return "EAK of \(payload.map { hexadecimal($0) }.joined(separator: " "))" }
    if let messageID { return "data \(number) (message \(hexadecimal(messageID)))" }
    if isData { return "data \(number) on session \(session)" }
    if control.contains(.acknowledge) { return "ACK of \(hexadecimal(acknowledgement.rawValue))" }
    return "a packet with control \(hexadecimal(control.rawValue))"
  }
}

/// A unit of the byte stream on a transport.
package enum Unit: Sendable, Equatable {
  case detect
  case packet(Packet)
  /// A packet with a wrong payload checksum.
  case damaged(Packet)
  /// Bytes that belong to no unit of the link, such as a header with a wrong checksum.
  case noise([UInt8])
  /// The end of the transport.
  case end

  /// The encoded unit, with correct checksums.
  package var bytes: [UInt8] {
    switch self {
    case .detect: LinkScanner.detect
    case .packet(let packet), .damaged(let packet): packet.bytes
    case .noise(let bytes): bytes
    case .end: []
    }
  }

  package var packet: Packet? { if case .packet(let packet) = self { packet } else { nil } }

  var text: String {
    switch self {
    case .detect: "the detect sequence"
    case .packet(let packet): packet.text
    case .damaged(let packet): "\(packet.text) with a wrong payload checksum"
    case .noise(let bytes): "\(bytes.count) bytes that are not a packet"
    case .end: "the end of the transport"
    }
  }
}

/// A reader that splits a byte stream into its units.
package struct UnitReader: Sendable {
  private var bytes: [UInt8] = []
  /// The number of bytes in `bytes` that have been read.
  private var offset = 0

  package init() {}

  package mutating func add(_ more: [UInt8]) {
    bytes.removeFirst(offset)
    offset = 0
    bytes += more
  }

  /// Returns the next unit, or nil when it is incomplete. Consecutive bytes that belong to no packet are one unit.
  package mutating func next() -> Unit? {
    let start = offset
    while true {
      switch LinkScanner.scan(bytes.rawBytes, from: offset) {
      case .legacyFrame(let range), .garbage(let range): offset = range.upperBound
      case .badHeader: offset += 1
      case _ where offset > start: return .noise(Array(bytes[start..<offset]))
      case .packet(let header, _): return .packet(take(header))
      case .badPayloadChecksum(let header, _): return .damaged(take(header))
      case .detect:
        offset += LinkScanner.detect.count
        return .detect
      case .incomplete, .end: return nil
      }
    }
  }

  private mutating func take(_ header: LinkHeader) -> Packet {
    let payload = Array(bytes[header.payload(at: offset)])
    offset += header.byteCount
    return Packet(header, payload: payload)
  }
}

/// A control message with its header.
package struct Message: Sendable, Hashable {
  package var bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Creates a message from parameters.
  package init(_ id: UInt16, _ parameters: [(id: UInt16, value: [UInt8])] = []) {
    bytes = ControlHeader.message(
      id,
      body: parameters.flatMap { UInt16($0.value.count + 4).bigEndianBytes + $0.id.bigEndianBytes + $0.value })
  }

  package var id: UInt16 { ControlHeader.id(of: bytes) }

  /// The top-level parameters in wire order, up to the first malformed one.
  package var parameters: [(id: UInt16, value: [UInt8])] {
    var found: [(id: UInt16, value: [UInt8])] = []
    let raw = bytes.rawBytes
    do throws(WireError) {
      try raw.forEachParameter(in: try ControlHeader.body(raw)) { id, _, value in
        found.append((id, [UInt8](copying: raw.extracting(value))))
      }
    } catch {}
    return found
  }

  package subscript(id: UInt16) -> [UInt8]? { parameters.first { $0.id == id }?.value }

  package func number(_ id: UInt16) -> Int? { self[id].map { $0.reduce(0) { $0 << 8 | Int($1) } } }
}

extension SequenceNumber {
  /// The sequence number in upper-case hexadecimal digits, as decoders show it.
  var text: String { hexadecimal(rawValue) }
}

/// Returns a number in upper-case hexadecimal digits, padded with zeros to its width.
func hexadecimal<Number: FixedWidthInteger>(_ number: Number) -> String {
  let digits = String(number, radix: 16, uppercase: true)
  return String(repeating: "0", count: max(0, Number.bitWidth / 4 - digits.count)) + digits
}

extension Message {
  /// Creates a message whose parameters are those of a group's value.
  init(_ id: UInt16, nested value: [UInt8]) { self.init(ControlHeader.message(id, body: value)) }
}
