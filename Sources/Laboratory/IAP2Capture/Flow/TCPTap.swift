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

  /// Returns an end, an address and a port, as text.
  package static func text(_ end: [UInt8]) -> String {
    let port = end.count >= 2 ? Int(end[end.count - 2]) << 8 | Int(end[end.count - 1]) : 0
    return "\(address(end.dropLast(2))):\(port)"
  }

  /// Returns an address of 4 or 16 bytes as text; the latter in brackets.
  package static func address(_ bytes: ArraySlice<UInt8>) -> String {
    if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
    let groups = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map {
      String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16)
    }
    return "[\(groups.joined(separator: ":"))]"
  }
}

/// A filter that finds iAP2 in TCP streams and puts retransmitted and reordered segments in order.
struct TCPTap: Sendable {
  private struct Key: Hashable {
    var endpoints: TCPEndpoints
    var isFromLow: Bool

    func precedes(_ other: Key) -> Bool {
      let (mine, theirs) = (endpoints.low + endpoints.high, other.endpoints.low + other.endpoints.high)
      return mine == theirs ? isFromLow && !other.isFromLow : mine.lexicographicallyPrecedes(theirs)
    }
  }

  private var streams: [Key: TCPOrder] = [:]
  private var links: Set<TCPEndpoints> = []
  private var others: Set<TCPEndpoints> = []
  /// The bytes of the last segments that were put in order.
  private(set) var joined: [UInt8] = []
  /// After the end of the capture: the streams with early segments, in reverse order.
  private var waiting: [Key]?
  /// The connections with iAP2 that were closed.
  private(set) var ends: [TCPEndpoints: TransportEnd] = [:]

  private static let maximumStreams = 65_536

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
      streams[Key(endpoints: endpoints, isFromLow: isFromLow)] = TCPOrder(next: segment.sequence &+ 1)
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
    guard let (piece, followsGap) = streams[key, default: TCPOrder()].take(segment, bytes) else { return nil }
    return CapturePiece(
      flow: .tcp(endpoints), sender: .end(isFromLow ? 0 : 1), place: place(piece), followsGap: followsGap)
  }

  private mutating func place(_ piece: TCPOrder.Piece) -> CapturePiece.Place {
    switch piece {
    case .segment(let range): return .frame(range)
    case .joined(let bytes):
      joined = bytes
      return .joined(0..<bytes.count)
    }
  }

  /// Returns the early segments of the other end that this acknowledgement releases; nil when the segment has data of
  /// its own.
  private mutating func acknowledge(
    _ segment: TCPSegment, _ endpoints: TCPEndpoints, _ isFromLow: Bool
  ) -> CapturePiece? {
    let key = Key(endpoints: endpoints, isFromLow: !isFromLow)
    guard let number = segment.acknowledgement,
      let bytes = streams[key]?.acknowledge(number, releases: segment.data.isEmpty)
    else { return nil }
    return CapturePiece(
      flow: .tcp(endpoints), sender: .end(isFromLow ? 1 : 0), place: place(.joined(bytes)), followsGap: true)
  }

  /// Returns the bytes that still wait when the capture ends, one piece per call; nil when none are left.
  mutating func flush() -> CapturePiece? {
    // A dictionary has no stable order, so the keys are sorted.
    var keys = waiting ?? streams.filter { $0.value.isWaiting }.keys.sorted { $1.precedes($0) }
    defer { waiting = keys }
    while let key = keys.last {
      guard let bytes = streams[key]?.flush() else {
        keys.removeLast()
        continue
      }
      return CapturePiece(
        flow: .tcp(key.endpoints), sender: .end(key.isFromLow ? 0 : 1), place: place(.joined(bytes)),
        followsGap: true)
    }
    return nil
  }
}
