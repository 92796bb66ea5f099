// swift-iap2 · Apache-2.0

import Testing

@testable import IAP2Scenario

/// Tests of patterns for the bytes of EA sessions.
@Suite struct DataPatternTests {
  /// Returns the number of bytes up to the end of the first match, in pieces of this size; nil without a match.
  static func end(_ pattern: String, _ text: String, piece: Int = 1 << 20) throws -> Int? {
    var search = DataPattern.Search(try DataPattern(pattern))
    let bytes = Array(text.utf8)
    var start = 0
    while start < bytes.count {
      let next = min(bytes.count, start + piece)
      if let end = search.end(in: bytes[start..<next]) { return end }
      start = next
    }
    return nil
  }

  static let matches: [(pattern: String, text: String, end: Int?)] = [
    ("TEMP", "xTEMPy", 5), ("TEMP", "TEM", nil), ("T.M", "T\nM TxM", 7), ("[0-9]+;", "a12;", 4),
    ("\\d{2,3}\\.\\d", "1.5 22.5", 8), ("a|bc", "xbc", 3), ("(?:ab){3}", "ababab", 6), ("(ab){3}", "abab", nil),
    ("x?y", "y", 1), ("^B", "AB\nB", 4), ("^OK$", "OK", nil), ("^OK$", "OK\r\n", 2), ("OK$\\r\\n", "OK\r\n", 4),
    ("[^,]+,", "ab,", 3), ("\\x41\\x42", "AB", 2), ("\\.", "a.", 2), ("[]a]", "]", 1), ("[a-]", "-", 1),
    ("\\s\\S\\w\\W\\D", " aa--", 5), ("a{0}b", "b", 1), ("é", "é", 2), ("()", "a", nil), ("a*", "baa", 2),
  ]

  @Test(arguments: matches.indices) func aPatternMatchesWhereverTheBytesAreSplit(index: Int) throws {
    let (pattern, text, end) = Self.matches[index]
    for piece in 1...max(1, text.utf8.count) {
      #expect(try Self.end(pattern, text, piece: piece) == end, "/\(pattern)/ in pieces of \(piece)")
    }
  }

  @Test(
    arguments: [
      ("(a", 2), ("a)", 1), ("*a", 0), ("[a", 2), ("a{2", 3), ("a{3,2}", 6), ("a**", 2), ("\\q", 1), ("\\", 1),
      ("\\x4", 2), ("a{501}", 5), ("(?i)a", 2), ("[b-a]", 4), ("a{x}", 2),
    ] as [(String, Int)])
  func aWrongPatternIsAnErrorWithItsPlace(pattern: String, offset: Int) {
    do throws(DataPattern.Problem) {
      _ = try DataPattern(pattern)
      Issue.record("read: \(pattern)")
    } catch { #expect(error.offset == offset && !error.text.isEmpty, "\(pattern): \(error)") }
  }

  /// Patterns that take exponential time in an engine that goes back.
  @Test(arguments: ["(a*)*b", "(a|a)*b", "(a+)+b", "(a|aa)+b", "a?a?a?a?a?a?a?a?a?a?a?a?aaaaaaaaaaaab"])
  func aHostilePatternTakesTimeByTheByte(pattern: String) throws {
    #expect(try Self.end(pattern, String(repeating: "a", count: 5000)) == nil)
    #expect(try Self.end(pattern, String(repeating: "a", count: 5000) + "b") == 5001)
  }

  @Test(arguments: ["((a{100}){100}){100}", "(((){500}){500}){500}x", "((((((a?){50}){50}){50}){50}){50}){50}"])
  func aPatternThatWouldGrowIsBounded(pattern: String) throws {
    do throws(DataPattern.Problem) { _ = try Self.program(pattern) } catch { #expect(error.text.contains("too long")) }
  }

  private static func program(_ pattern: String) throws(DataPattern.Problem) -> DataPattern { try DataPattern(pattern) }

  @Test func groupsInGroupsAreBounded() {
    let deep = String(repeating: "(", count: 100_000) + String(repeating: ")", count: 100_000)
    #expect(throws: DataPattern.Problem.self) { try DataPattern(deep) }
  }
}
