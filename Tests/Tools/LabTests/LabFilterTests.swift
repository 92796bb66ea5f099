// swift-iap2 · Apache-2.0

import Testing

@testable import Lab

@Suite struct LabFilterTests {
  @Test(
    "A pattern whose work grows exponentially with the text is refused",
    arguments: [
      "(a+)+b", "(a|a)*b", "(a|ab)+c", "((a+))+b", "(?:a*b?)*c", "(.*a){20}", "(a+){2,}b", #"(a)\1+"#, "(?=a+)b",
      ".*.*.*.*x", "a?a?a?a?a?a?a?a?a?b", "(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)", "[[a]]+",
    ])
  func refused(pattern: String) {
    #expect(throws: PatternCost.Problem.self) { _ = try PatternCost(pattern) }
    #expect(throws: LabFilter.Problem.self) { _ = try LabFilter("text ~ \"\(pattern.replacing("\\", with: "\\\\"))\"") }
  }

  @Test(
    "Usual patterns are accepted",
    arguments: [
      "^Start", "Identification|Authentication", "Now.*Update", "[0-9]+ bytes?", #"\d{2,4}"#, "(?:ab)+", "(abc)*x",
      "(a|b)c?", #"[\]+*]x"#, "a.*b.*c", #"\(.*\)"#,
    ])
  func accepted(pattern: String) throws {
    _ = try PatternCost(pattern)
    _ = try LabFilter("text ~ \"\(pattern.replacing("\\", with: "\\\\"))\"")
  }

  @Test("More repetitions allow shorter texts")
  func lengths() throws {
    let simple = try PatternCost("a.*b")
    #expect(!simple.isTooLong(10_000) && simple.isTooLong(100_000))
    let double = try PatternCost("a.*b.*c")
    #expect(!double.isTooLong(900) && double.isTooLong(10_000))
    #expect(!(try PatternCost("abc")).isTooLong(.max))
  }

  @Test("The problem of a pattern has its column, and quotes of other values are no patterns")
  func columns() throws {
    let problem = #expect(throws: LabFilter.Problem.self) { _ = try LabFilter("control and text ~ (a+)+") }
    #expect(problem?.text.isEmpty == false)
    let quoted = #expect(throws: LabFilter.Problem.self) { _ = try LabFilter("control and text ~ \"(a+)+\"") }
    #expect(quoted?.text.hasPrefix("character 20: a repeated group") == true)
    _ = try LabFilter("\"(a+)+\" or \"~ (a+)+\"")
    #expect(throws: LabFilter.Problem.self) { _ = try LabFilter(String(repeating: "a", count: 1001)) }
  }

  @Test("An entry that is too long for a pattern is left out, and one without a pattern is not")
  func longEntries() throws {
    let hex = String(repeating: "00", count: 60_000)
    // Data of an EA session would be as long; the bytes of a damaged capture are enough here.
    let entries = LinkEntries.all(of: "A>D ff550200ee10\nD>A \(hex)\n").enumerated().map {
      NumberedEntry(number: $0, entry: $1)
    }
    let result = try LabFilter("text ~ \"a.*b.*c\" or layer = detect").result(of: entries, within: .seconds(60))
    #expect(result.isInTime && result.numbers.contains(0))
    let late = try LabFilter("detect").result(of: entries, within: .zero)
    #expect(!late.isInTime && late.numbers.isEmpty)
  }
}
