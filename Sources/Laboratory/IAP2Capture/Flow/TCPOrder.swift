// swift-iap2 · Apache-2.0

import IAP2

/// The bytes of one direction of a TCP connection, in order: retransmitted and reordered segments are put in their
/// places.
package struct TCPOrder: Sendable {
  /// The sequence number of the next byte in order; nil before the first segment.
  private var next: UInt32?
  private var early: [(sequence: UInt32, bytes: [UInt8])] = []
  private var earlyByteCount = 0
  /// The acknowledgement number that the receiver sent last.
  private var acknowledged: UInt32?

  /// The maximum of bytes that wait for a missing one: a receive window. Beyond it, the missing bytes count as not
  /// captured.
  private static let maximumEarlyByteCount = 1 << 22

  /// Creates an order.
  ///
  /// - Parameter next: The sequence number of the first byte; nil if the capture does not show the beginning.
  package init(next: UInt32? = nil) { self.next = next }

  /// Whether the place of the first byte is known.
  package var hasBegun: Bool { next != nil }

  /// Whether segments wait for missing bytes.
  package var isWaiting: Bool { !early.isEmpty }

  /// Returns whether the receiver acknowledges bytes that have not come in order: the capture lacks them, or has them
  /// later.
  package func lacks(_ acknowledged: UInt32) -> Bool {
    // FIN counts as one byte. Without any bytes and without a beginning, the other side sent what the capture lacks.
    next.map { Int32(bitPattern: acknowledged &- $0) > 1 } ?? true
  }

  /// The bytes that are next in order.
  package enum Piece {
    /// A part of the segment, as a range of its record.
    case segment(Range<Int>)
    /// Bytes of several segments.
    case joined([UInt8])
  }

  /// Takes a segment with data. Returns the bytes that are next in order, and whether the capture lacks bytes before
  /// them; nil when a byte before them is missing or all of them are repeated.
  package mutating func take(_ segment: TCPSegment, _ bytes: RawSpan) -> (piece: Piece, followsGap: Bool)? {
    let expected = next ?? segment.sequence
    let ahead = Int32(bitPattern: segment.sequence &- expected)
    if ahead > 0 {
      next = expected
      early.append((segment.sequence, [UInt8](copying: bytes.extracting(segment.data))))
      earlyByteCount += segment.data.count
      // Continue after the missing bytes when they were never captured.
      guard let first = earlyByteCount > Self.maximumEarlyByteCount ? firstEarly : behindLoss else { return nil }
      next = first
      return released([]).map { (.joined($0), true) }
    }
    let known = Int(-Int64(ahead))
    guard known < segment.data.count else { return nil }
    let fresh = (segment.data.lowerBound + known)..<segment.data.upperBound
    next = expected &+ UInt32(fresh.count)
    guard isWaiting else { return (.segment(fresh), false) }
    return released([UInt8](copying: bytes.extracting(fresh))).map { (.joined($0), false) }
  }

  /// Notes an acknowledgement of the receiver. Returns the early bytes behind a gap that it releases: the receiver has
  /// bytes that were never captured.
  ///
  /// - Parameter releases: Whether bytes are released.
  package mutating func acknowledge(_ number: UInt32, releases: Bool) -> [UInt8]? {
    acknowledged = number
    guard releases, let first = behindLoss else { return nil }
    next = first
    return released([])
  }

  /// Returns the bytes that wait, up to the next gap, when the capture ends; nil without any.
  package mutating func flush() -> [UInt8]? {
    guard let first = firstEarly else { return nil }
    next = first
    return released([])
  }

  private var firstEarly: UInt32? { early.map(\.sequence).min { Int32(bitPattern: $0 &- $1) < 0 } }

  /// The sequence number of the first early segment, when the receiver has acknowledged beyond it: the bytes before it
  /// were never captured.
  private var behindLoss: UInt32? {
    guard let acknowledged, let first = firstEarly else { return nil }
    return Int32(bitPattern: acknowledged &- first) > 0 ? first : nil
  }

  private mutating func released(_ start: [UInt8]) -> [UInt8]? {
    var joined = start
    var isMoving = true
    while isMoving, let expected = next {
      isMoving = false
      for index in early.indices {
        let behind = Int(Int32(bitPattern: expected &- early[index].sequence))
        guard behind >= 0 else { continue }
        let segment = early.remove(at: index)
        earlyByteCount -= segment.bytes.count
        if behind < segment.bytes.count {
          joined += segment.bytes[behind...]
          next = expected &+ UInt32(segment.bytes.count - behind)
        }
        isMoving = true
        break
      }
    }
    return joined.isEmpty ? nil : joined
  }
}
