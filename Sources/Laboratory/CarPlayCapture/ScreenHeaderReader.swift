// swift-iap2 · Apache-2.0

import CarPlaySession

/// A reader of a screen whose key is not known. Headers and all bodies but those of pictures are in the clear.
struct ScreenHeaderReader: Sendable {
  private var header: [UInt8] = []
  private var body: [UInt8] = []
  /// The bytes of the present body that are still to come; nil within a header.
  private var missing: Int?
  private var arrived: [UInt8] = []
  private var start = 0

  mutating func add(_ bytes: [UInt8]) {
    arrived.removeFirst(start)
    start = 0
    arrived += bytes
  }

  /// Returns the next message and the size of its body; nil until more bytes arrive. The body of a picture is empty.
  mutating func next() throws(ScreenOpener.Problem) -> (ScreenMessage, Int)? {
    let rest = arrived[start...]
    if missing == nil {
      guard rest.count >= ScreenMessage.headerByteCount else { return nil }
      header = Array(rest.prefix(ScreenMessage.headerByteCount))
      start += header.count
      let count = header.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      guard count <= ScreenMessage.maximumBodyByteCount else { throw .bodyTooLong(count) }
      (missing, body) = (count, [])
    }
    guard let count = missing else { return nil }
    let taken = arrived[start...].prefix(count)
    var message = ScreenMessage(header: header[...])
    // A picture's body is of no use without its key, so it is not kept.
    if message.kind != .frame { body += taken }
    start += taken.count
    missing = count - taken.count
    guard missing == 0 else { return nil }
    missing = nil
    message.body = body
    return (message, header.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) })
  }
}
