// swift-iap2 · Apache-2.0

/// A ring of buffers for payloads. It reuses the memory of a payload that its receiver has released.
///
/// A payload that is still held keeps its bytes: its buffer is then shared, and gets new memory at its next turn.
struct BufferRing: Sendable {
  /// The number of buffers. A piece of 64 KiB from a socket completes four frames of 20 kB, which a receiver may hold,
  /// and begins a fifth.
  private static let count = 5

  private var buffers = [[UInt8]](repeating: [], count: BufferRing.count)
  private var index = 0

  /// The current buffer.
  var current: [UInt8] {
    get { buffers[index] }
    _modify { yield &buffers[index] }
  }

  /// Makes the next buffer the current one, and empties it.
  mutating func turn() {
    index = (index + 1) % buffers.count
    current.removeAll(keepingCapacity: true)
  }
}
