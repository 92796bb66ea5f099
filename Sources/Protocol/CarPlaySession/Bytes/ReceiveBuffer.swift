// swift-iap2 · Apache-2.0

/// The bytes of a stream that arrived and were not read.
///
/// A piece that arrives when all bytes were read is kept without a copy, and released once it is read. Otherwise the
/// bytes that were read are removed when more bytes arrive. So the remaining bytes are not moved after each short
/// message.
struct ReceiveBuffer: Sendable {
  private var bytes: [UInt8] = []
  private var start = 0

  /// The bytes that were not read.
  var unread: ArraySlice<UInt8> { bytes[start...] }

  /// Whether all bytes were read.
  var isEmpty: Bool { start == bytes.count }

  /// Adds received bytes.
  mutating func add(_ piece: some Sequence<UInt8>) {
    if isEmpty {
      bytes = Array(piece)
    } else {
      bytes.removeFirst(start)
      bytes += piece
    }
    start = 0
  }

  /// Marks bytes as read.
  ///
  /// - Precondition: At least `count` bytes are unread.
  mutating func skip(_ count: Int) {
    start += count
    if isEmpty { (bytes, start) = ([], 0) }
  }

  /// Appends at most `count` unread bytes to `other`.
  mutating func move(_ count: Int, to other: inout [UInt8]) {
    let moved = min(count, bytes.count - start)
    other += bytes[start..<start + moved]
    skip(moved)
  }
}
