// swift-iap2 · Apache-2.0

import IAP2

/// The two addresses and ports of a TCP connection, the lower first.
public struct TCPEndpoints: Sendable, Hashable {
  /// The address of 4 or 16 bytes, followed by the port in two big-endian bytes.
  var low: [UInt8]
  var high: [UInt8]

  /// Both ends as text, as in `10.0.0.1:5000 and 10.0.0.2:6000`.
  public var description: String { "\(Self.text(low)) and \(Self.text(high))" }

  /// Returns one end as text: 0 for the lower one.
  func text(_ end: Int) -> String { Self.text(end == 0 ? low : high) }

  private static func text(_ end: [UInt8]) -> String {
    let port = end.count >= 2 ? Int(end[end.count - 2]) << 8 | Int(end[end.count - 1]) : 0
    let address = end.dropLast(2)
    if address.count == 4 { return address.map(String.init).joined(separator: ".") + ":\(port)" }
    let groups = stride(from: 0, to: address.count - 1, by: 2).map {
      String(Int(address[$0]) << 8 | Int(address[$0 + 1]), radix: 16)
    }
    return "[\(groups.joined(separator: ":"))]:\(port)"
  }
}

/// A filter that finds iAP2 in TCP streams and puts retransmitted and reordered segments in order.
struct TCPTap: Sendable {
  private struct Stream: Sendable {
    /// The sequence number of the next byte in order; nil before the first segment.
    var next: UInt32?
    var early: [(sequence: UInt32, bytes: [UInt8])] = []
    var earlyByteCount = 0
    /// The acknowledgement number that the receiver sent last.
    var acknowledged: UInt32?

    /// The sequence number of the first early segment, when the receiver has acknowledged beyond it: the bytes before
    /// it were never captured.
    var behindLoss: UInt32? {
      guard let acknowledged, let first = early.map(\.sequence).min(by: { Int32(bitPattern: $0 &- $1) < 0 }) else {
        return nil
      }
      return Int32(bitPattern: acknowledged &- first) > 0 ? first : nil
    }
  }

  private struct Key: Hashable {
    var endpoints: TCPEndpoints
    var isFromLow: Bool

    func precedes(_ other: Key) -> Bool {
      let (mine, theirs) = (endpoints.low + endpoints.high, other.endpoints.low + other.endpoints.high)
      return mine == theirs ? isFromLow && !other.isFromLow : mine.lexicographicallyPrecedes(theirs)
    }
  }

  private var streams: [Key: Stream] = [:]
  private var links: Set<TCPEndpoints> = []
  private var others: Set<TCPEndpoints> = []
  /// The bytes of the last segments that were put in order.
  private(set) var joined: [UInt8] = []
  /// After the end of the capture: the streams with early segments, in reverse order.
  private var waiting: [Key]?
  /// The connections with iAP2 that were closed.
  private(set) var ends: [TCPEndpoints: TransportEnd] = [:]

  private static let maximumStreams = 65_536
  /// The maximum of bytes that wait for a missing one: a receive window. Beyond it, the missing bytes count as not
  /// captured.
  private static let maximumEarlyByteCount = 1 << 22

  /// Returns the iAP2 bytes of an IP packet that are next in order.
  ///
  /// - Parameter start: the offset of the IP packet.
  mutating func take(_ bytes: RawSpan, from start: Int, at moment: CaptureMoment) -> CapturePiece? {
    guard let segment = TCPSegment(bytes, from: start) else { return nil }
    let isFromLow = segment.source.lexicographicallyPrecedes(segment.destination)
    let endpoints =
      isFromLow
      ? TCPEndpoints(low: segment.source, high: segment.destination)
      : TCPEndpoints(low: segment.destination, high: segment.source)
    if segment.begins {
      links.remove(endpoints)
      others.remove(endpoints)
      ends[endpoints] = nil
      streams[Key(endpoints: endpoints, isFromLow: isFromLow)] = Stream(next: segment.sequence &+ 1)
      return nil
    }
    if segment.ends, links.contains(endpoints), ends[endpoints] == nil {
      ends[endpoints] = TransportEnd(end: isFromLow ? 0 : 1, moment)
    }
    if let lost = acknowledge(segment, endpoints, isFromLow) { return lost }
    guard !segment.data.isEmpty, !others.contains(endpoints) else { return nil }
    if !links.contains(endpoints) {
      guard links.count + others.count < Self.maximumStreams else { return nil }
      guard LinkContent.begins(bytes.extracting(segment.data)) else {
        others.insert(endpoints)
        return nil
      }
      links.insert(endpoints)
    }
    let key = Key(endpoints: endpoints, isFromLow: isFromLow)
    var stream = streams[key] ?? Stream()
    defer { streams[key] = stream }
    guard let (place, followsGap) = order(segment, bytes, &stream) else { return nil }
    return CapturePiece(
      flow: .tcp(endpoints), sender: .end(isFromLow ? 0 : 1), place: place, followsGap: followsGap)
  }

  /// Returns the early segments of the other end that this acknowledgement releases; nil when the segment has data of
  /// its own.
  private mutating func acknowledge(
    _ segment: TCPSegment, _ endpoints: TCPEndpoints, _ isFromLow: Bool
  ) -> CapturePiece? {
    let key = Key(endpoints: endpoints, isFromLow: !isFromLow)
    guard let acknowledgement = segment.acknowledgement, streams[key] != nil else { return nil }
    streams[key]?.acknowledged = acknowledgement
    guard segment.data.isEmpty, var stream = streams[key], let first = stream.behindLoss else { return nil }
    stream.next = first
    defer { streams[key] = stream }
    return release(&stream, []).map { place in
      CapturePiece(flow: .tcp(endpoints), sender: .end(isFromLow ? 1 : 0), place: place, followsGap: true)
    }
  }

  /// Returns the bytes that still wait when the capture ends, one piece per call; nil when none are left.
  mutating func flush() -> CapturePiece? {
    // A dictionary has no stable order, so the keys are sorted.
    var keys = waiting ?? streams.filter { !$0.value.early.isEmpty }.keys.sorted { $1.precedes($0) }
    defer { waiting = keys }
    while let key = keys.last {
      guard var stream = streams[key], !stream.early.isEmpty else {
        keys.removeLast()
        continue
      }
      stream.next = stream.early.map(\.sequence).min { Int32(bitPattern: $0 &- $1) < 0 }
      defer { streams[key] = stream }
      return release(&stream, []).map { place in
        CapturePiece(flow: .tcp(key.endpoints), sender: .end(key.isFromLow ? 0 : 1), place: place, followsGap: true)
      }
    }
    return nil
  }

  /// Returns the bytes that are next in order; nil when a byte before them is missing or all of them are repeated.
  private mutating func order(
    _ segment: TCPSegment, _ bytes: RawSpan, _ stream: inout Stream
  ) -> (CapturePiece.Place, followsGap: Bool)? {
    let next = stream.next ?? segment.sequence
    let ahead = Int32(bitPattern: segment.sequence &- next)
    if ahead > 0 {
      stream.next = next
      stream.early.append((segment.sequence, [UInt8](copying: bytes.extracting(segment.data))))
      stream.earlyByteCount += segment.data.count
      // Continue after the missing bytes when they were never captured.
      let isFull = stream.earlyByteCount > Self.maximumEarlyByteCount
      let first = isFull ? stream.early.map(\.sequence).min { Int32(bitPattern: $0 &- $1) < 0 } : stream.behindLoss
      guard let first else { return nil }
      stream.next = first
      return release(&stream, []).map { ($0, true) }
    }
    let known = Int(-Int64(ahead))
    guard known < segment.data.count else { return nil }
    let fresh = (segment.data.lowerBound + known)..<segment.data.upperBound
    stream.next = next &+ UInt32(fresh.count)
    guard !stream.early.isEmpty else { return (.frame(fresh), false) }
    return release(&stream, [UInt8](copying: bytes.extracting(fresh))).map { ($0, false) }
  }

  private mutating func release(_ stream: inout Stream, _ start: [UInt8]) -> CapturePiece.Place? {
    joined = start
    var isMoving = true
    while isMoving, let next = stream.next {
      isMoving = false
      for index in stream.early.indices {
        let behind = Int(Int32(bitPattern: next &- stream.early[index].sequence))
        guard behind >= 0 else { continue }
        let segment = stream.early.remove(at: index)
        stream.earlyByteCount -= segment.bytes.count
        if behind < segment.bytes.count {
          joined += segment.bytes[behind...]
          stream.next = next &+ UInt32(segment.bytes.count - behind)
        }
        isMoving = true
        break
      }
    }
    return joined.isEmpty ? nil : .joined(0..<joined.count)
  }
}

/// The parts of a TCP segment in an IP packet.
struct TCPSegment {
  var source: [UInt8]
  var destination: [UInt8]
  var sequence: UInt32
  /// The next byte that the sender expects; nil without ACK.
  var acknowledgement: UInt32?
  /// SYN: the sequence number is one less than that of the first byte.
  var begins: Bool
  /// Whether FIN or RST is set.
  var ends: Bool
  var data: Range<Int>

  /// Fails for anything but an unfragmented TCP segment over IPv4 or IPv6 without extension headers.
  init?(_ bytes: RawSpan, from start: Int) {
    guard bytes.byteCount > start else { return nil }
    let header: Int
    let end: Int
    let addresses: (Range<Int>, Range<Int>)
    switch bytes.byte(start) >> 4 {
    case 4:
      header = start + Int(bytes.byte(start) & 15) * 4
      guard header >= start + 20, bytes.byteCount >= header, bytes.byte(start + 9) == 6,
        bytes.bigEndian16(start + 6) & 0x3FFF == 0
      else { return nil }
      end = start + Int(bytes.bigEndian16(start + 2))
      addresses = ((start + 12)..<(start + 16), (start + 16)..<(start + 20))
    case 6:
      header = start + 40
      guard bytes.byteCount >= header, bytes.byte(start + 6) == 6 else { return nil }
      end = header + Int(bytes.bigEndian16(start + 4))
      addresses = ((start + 8)..<(start + 24), (start + 24)..<(start + 40))
    default: return nil
    }
    guard bytes.byteCount >= header + 20 else { return nil }
    let data = header + Int(bytes.byte(header + 12) >> 4) * 4
    // Network cards with segmentation offload leave the length of a captured packet 0.
    let last = min(bytes.byteCount, end > header ? end : bytes.byteCount)
    guard data >= header + 20, data <= last else { return nil }
    source = [UInt8](copying: bytes.extracting(addresses.0)) + bytes.bigEndian16(header).bigEndianBytes
    destination = [UInt8](copying: bytes.extracting(addresses.1)) + bytes.bigEndian16(header + 2).bigEndianBytes
    sequence = bytes.integer(header + 4, isLittleEndian: false)
    acknowledgement = bytes.byte(header + 13) & 16 != 0 ? bytes.integer(header + 8, isLittleEndian: false) : nil
    begins = bytes.byte(header + 13) & 2 != 0
    ends = bytes.byte(header + 13) & 5 != 0
    self.data = data..<last
  }
}
