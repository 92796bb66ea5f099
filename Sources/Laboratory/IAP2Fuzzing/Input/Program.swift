// swift-iap2 · Apache-2.0

/// An input that is read as a program: numbers for decisions, and bytes. After its end, numbers are 0 and bytes are
/// empty.
struct Program {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isOver: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  mutating func number16() -> UInt16 { UInt16(byte()) << 8 | UInt16(byte()) }

  /// Returns the next bytes, at most `count`.
  mutating func take(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  mutating func takeAll() -> [UInt8] { take(rest.count) }
}

extension Array where Element == UInt8 {
  /// Returns the bytes in pieces whose lengths cycle through `lengths`. A length of 0 gives one byte.
  func pieces(_ lengths: [UInt8]) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var start = 0
    while start < count {
      let length = lengths.isEmpty ? count : Swift.max(1, Int(lengths[pieces.count % lengths.count]))
      pieces.append(Array(self[start..<Swift.min(count, start + length)]))
      start += length
    }
    return pieces
  }
}
