// swift-iap2 · Apache-2.0

import Basics

/// The bytes of a source, with the lines and columns that a compiler reports for them.
struct SourceText {
  let bytes: [UInt8]
  private let lineStarts: [Int]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var starts = [0]
    for (offset, byte) in bytes.enumerated() {
      let isEnd = byte == 0x0A || byte == 0x0D && !(offset + 1 < bytes.count && bytes[offset + 1] == 0x0A)
      if isEnd { starts.append(offset + 1) }
    }
    lineStarts = starts
  }

  /// The line of a byte and its column in bytes of UTF-8, each counted from 1.
  func position(_ offset: Int) -> SourcePosition {
    var low = 0
    var high = lineStarts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    return SourcePosition(line: low + 1, column: offset - lineStarts[low] + 1)
  }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// A part of the source for a report: one line, cut if it is long, without characters that a terminal acts on.
  func excerpt(_ range: Range<Int>) -> String {
    // Invalid bytes at the cut become one character.
    Self.excerpt(text(range.lowerBound..<min(range.upperBound, range.lowerBound + 4 * Self.excerptLength)))
  }

  /// A text for a report, in the same form.
  static func excerpt(_ text: String) -> String {
    let line = text.split { $0.isWhitespace }.joined(separator: " ").printable
    return line.count > excerptLength ? line.prefix(excerptLength) + "…" : line
  }

  private static let excerptLength = 120
}

/// A place in a source, as compilers report it.
public struct SourcePosition: Hashable, Sendable {
  /// The line, counted from 1.
  public var line: Int
  /// The column in bytes of UTF-8, counted from 1.
  public var column: Int
}
