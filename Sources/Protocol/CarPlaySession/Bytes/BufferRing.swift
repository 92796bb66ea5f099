// swift-iap2 · Apache-2.0

/// Buffers for payloads that take turns, so that a payload which its receiver has released costs no new memory.
///
/// A payload that is still held keeps its bytes: its buffer is shared then, and its next turn begins with new memory.
struct BufferRing: Sendable {
  /// The payloads that a receiver may hold at once without new memory: those of one piece of 64 KiB from a socket.
  private static let count = 4

  var buffers = [[UInt8]](repeating: [], count: BufferRing.count)
  private var index = 0

  /// Returns the place of the next buffer, which is empty.
  mutating func turn() -> Int {
    index = (index + 1) % buffers.count
    buffers[index].removeAll(keepingCapacity: true)
    return index
  }
}
