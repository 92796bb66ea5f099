// swift-iap2 · Apache-2.0

/// One open EA session: the bytes that wait to be sent, and the number of bytes received and not yet read.
///
/// All sessions share the link's window, and the protocol has no flow control for one session. So each session has two
/// bounds of this project: a bounded queue for sending, and two marks for unread bytes. Above the high mark packets are
/// acknowledged late, only as fast as the reader reads. A reader that has stopped does not delay the other sessions;
/// its own session is closed at the limit.
struct ExternalAccessorySession: Sendable {
  let id: UInt16
  private var queue: [UInt8] = []
  private var head = 0
  var unreadByteCount = 0
  /// Whether acknowledgements are delayed because of this session.
  var isHolding = false
  /// The bytes read since packets were last acknowledged while holding.
  var readWhileHolding = 0

  init(id: UInt16) { self.id = id }

  var queuedByteCount: Int { queue.count - head }

  /// Queues as many bytes as fit and returns how many.
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

  /// Calls `body` with the next bytes to send and removes them from the queue.
  mutating func take(_ count: Int, _ body: (RawSpan) -> Void) {
    body(queue.rawBytes.extracting(head..<(head + count)))
    head += count
    if head == queue.count {
      head = 0
      // An idle session keeps no large buffer.
      queue.removeAll(keepingCapacity: queue.capacity <= 1 << 14)
    }
  }
}
