// swift-iap2 · Apache-2.0

import Basics

/// The last line of a ported file, by which the next run knows that it may replace the file.
struct PortMark: Equatable {
  /// The path of the source, seen from the folder of ported files; empty if the line names none.
  let origin: String
  /// Whether the lines before the mark are not those that a run wrote.
  let isEdited: Bool

  private static let beginning = "// Made by iap2 port, which replaces this file unless it was edited. Check "
  private static let separator = ", source "

  /// The mark of a ported file; nil for a file that no run has made. Lines behind the mark are an edit.
  init?(of bytes: [UInt8]) {
    guard let start = Self.start(in: bytes) else { return nil }
    let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.endIndex
    let line = String(decoding: bytes[start..<end], as: UTF8.self)
    let rest = line.dropFirst(Self.beginning.count)
    guard let separator = rest.firstRange(of: Self.separator) else { return nil }
    origin = String(rest[separator.upperBound...])
    isEdited = end != bytes.endIndex - 1 || rest[..<separator.lowerBound] != Self.check(bytes[..<start], origin)
  }

  /// The offset of the last line that begins as a mark.
  private static func start(in bytes: [UInt8]) -> Int? {
    let beginning = Array(beginning.utf8)
    var end = bytes.endIndex
    while true {
      let start = bytes[..<end].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      if bytes[start...].starts(with: beginning) { return start }
      guard start > 0 else { return nil }
      end = start - 1
    }
  }

  /// Returns a text with a mark as its last line, in the place of an older one. The lines before it keep their numbers.
  static func marked(_ text: String, from origin: String) -> String {
    var bytes = Array(text.utf8)
    if let start = start(in: bytes), PortMark(of: bytes)?.isEdited == false { bytes.removeSubrange(start...) }
    if let last = bytes.last, last != 0x0A { bytes.append(0x0A) }
    let origin = origin.printable
    let line = beginning + check(bytes[...], origin) + separator + origin
    return String(decoding: bytes, as: UTF8.self) + line + "\n"
  }

  /// The checksum of a text and the path of its source. It finds edits, not forgery.
  private static func check(_ bytes: ArraySlice<UInt8>, _ origin: String) -> String {
    let text = String((bytes + origin.utf8).fnv1a, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }
}
