// swift-iap2 · Apache-2.0

/// A buffer for bytes that arrive in pieces. It returns lines of a limited length.
package struct LineBuffer {
  /// The longest line in bytes.
  package let limit: Int
  /// Whether a longer line is split into several lines. Otherwise the buffer is overfull and stores no more bytes.
  package let splits: Bool
  private var bytes: [UInt8] = []
  /// Whether a line exceeded the limit.
  package private(set) var isOverfull = false

  package init(limit: Int, splits: Bool) {
    self.limit = limit
    self.splits = splits
  }

  /// Adds bytes and returns the complete lines without their ends.
  package mutating func add(_ piece: some Sequence<UInt8>) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    for byte in piece where !isOverfull {
      if byte == 0x0A {
        lines.append(bytes)
        bytes = []
        continue
      }
      bytes.append(byte)
      guard bytes.count > limit else { continue }
      if splits { lines.append(bytes) } else { isOverfull = true }
      bytes = []
    }
    return lines
  }

  /// Returns the bytes of an unfinished line and removes them.
  package mutating func takeRest() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }
}
