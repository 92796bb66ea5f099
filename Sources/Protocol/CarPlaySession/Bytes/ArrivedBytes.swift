// swift-iap2 · Apache-2.0

/// The bytes of a stream that arrived and were not read.
///
/// Bytes that were read go away when more arrive, so many short messages of one piece are not moved again and again.
struct ArrivedBytes: Sendable {
  private var bytes: [UInt8] = []
  private var start = 0

  /// The bytes that were not read.
  var unread: ArraySlice<UInt8> { bytes[start...] }

  /// Takes bytes.
  mutating func add(_ piece: some Sequence<UInt8>) {
    bytes.removeFirst(start)
    start = 0
    bytes += piece
  }

  /// Marks bytes as read.
  ///
  /// - Precondition: As many were not read.
  mutating func skip(_ count: Int) { start += count }
}
