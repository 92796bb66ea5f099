// swift-iap2 · Apache-2.0

/// Buffers for payloads that take turns, so that a payload which its receiver has released costs no new memory.
///
/// A payload that is still held keeps its bytes: its buffer is shared then, and its next turn begins with new memory.
struct BufferRing: Sendable {
  /// The buffers: a piece of 64 KiB from a socket completes four frames of 20 kB, which a receiver may hold, and begins
  /// a fifth.
  private static let count = 5

  private var buffers = [[UInt8]](repeating: [], count: BufferRing.count)
  private var index = 0

  /// The buffer whose turn it is.
  var current: [UInt8] {
    get { buffers[index] }
    _modify { yield &buffers[index] }
  }

  /// Begins the turn of the next buffer, which is empty then.
  mutating func turn() {
    index = (index + 1) % buffers.count
    current.removeAll(keepingCapacity: true)
  }
}
