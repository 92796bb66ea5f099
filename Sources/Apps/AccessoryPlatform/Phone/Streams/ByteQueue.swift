// swift-iap2 · Apache-2.0

/// Bytes in order of arrival.
struct ByteQueue: Sendable {
  private var bytes: [UInt8] = []
  private var head = 0

  var count: Int { bytes.count - head }
  var isEmpty: Bool { head == bytes.count }

  mutating func append(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

  mutating func append(_ more: UnsafeBufferPointer<UInt8>) { unsafe bytes.append(contentsOf: more) }

  /// Removes all bytes and returns them.
  mutating func takeAll() -> [UInt8] {
    defer {
      bytes = []
      head = 0
    }
    if head > 0 { bytes.removeFirst(head) }
    return bytes
  }

  /// Moves bytes to a buffer and returns their number.
  mutating func move(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    let count = min(count, buffer.count)
    guard count > 0 else { return 0 }
    unsafe bytes.withUnsafeBufferPointer { source in
      _ = unsafe buffer.update(fromContentsOf: UnsafeBufferPointer(rebasing: source[head..<head + count]))
    }
    head += count
    if head == bytes.count {
      bytes.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= 1 << 16 {
      bytes.removeFirst(head)
      head = 0
    }
    return count
  }
}
