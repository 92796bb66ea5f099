// swift-iap2 · Apache-2.0

/// One open EA session: what waits to be sent, and how much was received and not yet read.
///
/// The protocol has no flow control of its own below the shared window, so each session has ours: a bounded queue for
/// sending, and two marks for what is unread. Above the high mark packets are acknowledged late, and only as fast as the
/// reader reads; a reader that has stopped does not slow the others like this, but its session is closed at the limit.
struct ExternalAccessorySession: Sendable {
  let id: UInt16
  private var queue: [UInt8] = []
  private var head = 0
  var unreadByteCount = 0
  /// Whether acknowledgements are held back because of it.
  var isHolding = false
  /// Bytes read since acknowledgements were last given while holding.
  var readWhileHolding = 0

  init(id: UInt16) { self.id = id }

  var queuedByteCount: Int { queue.count - head }

  /// Takes as much as fits.
  mutating func enqueue(_ bytes: RawSpan, limit: Int) -> Int {
    let count = min(bytes.byteCount, limit - queuedByteCount)
    guard count > 0 else { return 0 }
    if head > 0, head == queue.count || head >= queue.count / 2 {
      queue.removeFirst(head)
      head = 0
    }
    queue.append(copying: bytes.extracting(0..<count))
    return count
  }

  /// Lends the next bytes to be sent and forgets them.
  mutating func take(_ count: Int, _ body: (RawSpan) -> Void) {
    body(queue.rawBytes.extracting(head..<(head + count)))
    head += count
    if head == queue.count {
      head = 0
      // A session that fell quiet keeps no memory.
      queue.removeAll(keepingCapacity: queue.capacity <= 1 << 14)
    }
  }
}
