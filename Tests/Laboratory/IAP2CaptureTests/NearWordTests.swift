// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture
import Testing

@testable import Basics

@Suite struct NearWordTests {
  private static let commands = ["run", "headunit", "phone", "decode", "diagram", "diff", "encode", "check"]

  @Test(
    arguments: [
      ("phon", ["phone"]), ("hpone", ["phone"]), ("decoed", ["decode"]), ("PHONE", ["phone"]), ("head", ["headunit"]),
      ("chekc", ["check"]), ("xyzzy", []), ("d", []), ("", []),
    ] as [(String, [String])])
  func aWordWithFewErrorsIsFound(word: String, expected: [String]) {
    #expect(NearWords.of(word, among: Self.commands) == expected)
  }

  /// Times come from integers in capture files; their difference has more digits than the file.
  @Test(
    arguments: [
      (0.1 + 0.2, "0.3"), (1e-5, "0.00001"), (12, "12"), (-3.25, "-3.25"), (0.000_000_001, "0.000000001"),
      (1_767_225_600.123_456_7, "1767225600.1234567"), (0, "0"),
    ] as [(Double, String)])
  func timesOfFieldsHaveNoDigitsOfTheArithmetic(seconds: Double, text: String) {
    #expect(FindingValue.seconds(seconds).text == text)
  }

  @Test(
    arguments: [
      (["headunit", "--trasport", "pty"], "'--trasport'; did you mean --transport?"),
      (["headunit", "--transprot=pty"], "'--transprot'; did you mean --transport?"),
      (["headunit", "--json"], nil), (["headunit", "--", "--trasport"], nil), (["headunit", "--zebra"], nil),
    ] as [([String], String?)])
  func anOptionThatIsMisspeltIsNamed(arguments: [String], expected: String?) {
    let help =
      "USAGE: iap2 headunit [<options>] --transport <transport>\n  --transport <t>  The transport.\n  --json  JSON.\n"
    let error = NearWords.unknownOption(in: arguments, help: help)
    #expect(error == expected.map { "Error: Unknown option \($0)" })
  }
}
