// swift-iap2 · Apache-2.0

package import IAP2

/// Facts about a text log that the user supplies (CaptureFormats.md#text-logs): a pattern for its lines, and the words
/// by which it names the sender.
package struct TextLog: Sendable {
  /// The reason why a pattern cannot be used.
  package enum Problem: Error, Equatable, Sendable {
    /// The text is not a regular expression; the value is the standard library's message.
    case notAPattern(String)
    /// The pattern has no group `hex`.
    case missingGroup
  }

  /// The content of a line of the log.
  struct Line {
    var time: Double?
    var sender: CaptureSender?
    var connection: String?
    var bytes: [UInt8]
    var isElided: Bool
  }

  /// The groups of the pattern; all but `hex` may be missing.
  package enum Group: String, Sendable, CaseIterable {
    /// A number of seconds, a clock time, or a date with a clock time.
    case time
    /// Any text that distinguishes connections.
    case conn
    /// One of the user's words, or a word that any log may have (TX, in, ->).
    case dir
    /// The bytes: pairs of digits with anything between them.
    case hex
    /// The number of bytes that the log states; fewer digits show that the log left bytes out.
    case length
  }

  /// The patterns with the side of the lines that they match; nil for lines that state their side themselves.
  private let patterns: [(pattern: UserPattern, side: Side?)]
  /// The maximum length in bytes of a line to match: the largest message with three characters per byte, and as much
  /// again. The time per line depends on the pattern.
  private static let maximumLineByteCount = 1 << 18
  /// The user's words in lowercase.
  private let words: [String: Side]

  /// Creates the layout of a log.
  ///
  /// - Parameters:
  ///   - pattern: The pattern of lines that state their side by a word, or not at all.
  ///   - sides: The patterns of lines of one side. They are tried first, in this order.
  ///   - words: The words of the log for data from the accessory or the device, in any case.
  package init(
    pattern: String? = nil, sides: [(pattern: String, side: Side)] = [], words: [String: Side] = [:]
  ) throws(Problem) {
    self.words = Dictionary(words.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
    var patterns: [(pattern: UserPattern, side: Side?)] = []
    for (text, side) in sides.map({ ($0.pattern, Optional($0.side)) }) + (pattern.map { [($0, nil)] } ?? []) {
      do { patterns.append((try UserPattern(text), side)) } catch { throw .notAPattern("\(error)") }
    }
    guard patterns.allSatisfy({ $0.pattern.hasGroup(Group.hex.rawValue) }) else { throw .missingGroup }
    self.patterns = patterns
  }

  /// Whether the user described the lines, and not only the words in them.
  var hasPatterns: Bool { !patterns.isEmpty }

  /// Returns nil for a line that no pattern matches.
  func read(_ text: Substring) -> Line? {
    guard text.utf8.count <= Self.maximumLineByteCount else { return nil }
    return patterns.lazy.compactMap { read(text, $0.pattern, $0.side) }.first
  }

  private func read(_ text: Substring, _ pattern: UserPattern, _ side: Side?) -> Line? {
    guard let match = pattern.match(text) else { return nil }
    func group(_ group: Group) -> Substring? {
      guard pattern.hasGroup(group.rawValue) else { return nil }
      return match[group.rawValue]?.substring
    }
    guard let bytes = Self.bytes(group(.hex) ?? ""), !bytes.isEmpty else { return nil }
    let stated = group(.length).flatMap { FindingNumber(String($0)) }
    return Line(
      time: group(.time).flatMap(HexDump.Line.time),
      sender: side.map(CaptureSender.side) ?? group(.dir).flatMap { sender(String($0)) },
      connection: group(.conn).map(String.init), bytes: bytes,
      isElided: stated.map { $0 > .integer(Int128(bytes.count)) } ?? false)
  }

  /// Returns nil for a word that states no sender.
  func sender(_ word: String) -> CaptureSender? {
    words[word.lowercased()].map(CaptureSender.side) ?? CaptureSender(word: word)
  }

  /// Returns the bytes of pairs of digits with anything between them; nil if a digit is alone.
  private static func bytes(_ text: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    for word in text.split(whereSeparator: { !$0.isASCII || !$0.isHexDigit && $0 != "x" && $0 != "X" }) {
      guard let part = HexDump.Line.bytes(word) else { return nil }
      bytes += part
    }
    return bytes
  }
}
