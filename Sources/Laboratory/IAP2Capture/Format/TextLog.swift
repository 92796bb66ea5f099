// swift-iap2 · Apache-2.0

package import IAP2

/// What a user knows of a text log (CaptureFormats.md#text-logs): a pattern for its lines, and the words by which it
/// says who sent something.
package struct TextLog: Sendable {
  package enum Problem: Error, Equatable, Sendable {
    case notAPattern(String)
    /// The pattern has no group for the bytes.
    case missingGroup
  }

  /// What a line of the log says.
  struct Line {
    var time: Double?
    var sender: CaptureSender?
    var connection: String?
    var bytes: [UInt8]
    var isElided: Bool
  }

  /// The pattern's groups; all but `hex` may be missing.
  package enum Group: String, Sendable, CaseIterable {
    /// Seconds, a clock or a date with a clock.
    case time
    /// Which of several connections: any text.
    case conn
    /// One of the words, or one that any log has (TX, in, ->).
    case dir
    /// The bytes: pairs of digits, whatever is between them.
    case hex
    /// How many bytes there were; fewer were left out by the log.
    case length
  }

  private let pattern: UserPattern?
  /// Bytes of a line that the pattern is asked about: the largest message with three characters a byte, and as much
  /// again. How long a line takes is the pattern's own matter.
  private static let maximumLineByteCount = 1 << 18
  /// In small letters.
  private let words: [String: Side]

  /// - Parameter words: what the log writes where the accessory or the device sent something.
  package init(pattern: String? = nil, words: [String: Side] = [:]) throws(Problem) {
    self.words = Dictionary(words.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
    do { self.pattern = try pattern.map { try UserPattern($0) } } catch { throw .notAPattern("\(error)") }
    guard self.pattern?.hasGroup(Group.hex.rawValue) ?? true else { throw .missingGroup }
  }

  /// Nil for a line that the pattern does not fit.
  func read(_ text: Substring) -> Line? {
    guard let pattern, text.utf8.count <= Self.maximumLineByteCount, let match = pattern.match(text) else { return nil }
    func group(_ group: Group) -> Substring? {
      guard pattern.hasGroup(group.rawValue) else { return nil }
      return match[group.rawValue]?.substring
    }
    guard let bytes = Self.bytes(group(.hex) ?? ""), !bytes.isEmpty else { return nil }
    let stated = group(.length).flatMap { FindingNumber(String($0)) }
    return Line(
      time: group(.time).flatMap(HexDump.Line.time), sender: group(.dir).flatMap { sender(String($0)) },
      connection: group(.conn).map(String.init), bytes: bytes,
      isElided: stated.map { $0 > .integer(Int128(bytes.count)) } ?? false)
  }

  /// Nil for a word that says nothing of it.
  func sender(_ word: String) -> CaptureSender? {
    words[word.lowercased()].map(CaptureSender.side) ?? CaptureSender(word: word)
  }

  /// Pairs of digits with or without something between them; nil where a digit is alone.
  private static func bytes(_ text: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    for word in text.split(whereSeparator: { !$0.isASCII || !$0.isHexDigit && $0 != "x" && $0 != "X" }) {
      guard let part = HexDump.Line.bytes(word) else { return nil }
      bytes += part
    }
    return bytes
  }
}
