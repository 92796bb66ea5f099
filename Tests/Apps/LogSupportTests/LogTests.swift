// swift-iap2 · Apache-2.0

import Testing

@testable import LogSupport

@Suite struct LogTests {
  @Test("A message has its values, whatever their privacy is")
  func message() {
    let (name, count) = ("Blue Monk", 3)
    let message: OSLogMessage = "song \(name, privacy: .private(mask: .hash)), \(count, privacy: .public) of 7"
    #expect(message.text == "song Blue Monk, 3 of 7")
  }

  @Test(
    "A message in the form of C takes each value at its place",
    arguments: [
      ("track %{public}@ at %.1f s", ["Blue Monk", 2.25], "track Blue Monk at 2.2 s"),
      ("%d %ld %u 100%%", [1, 2, 3], "1 2 3 100%"), ("0x%02X, 0x%{private}x", [255, 16], "0xff, 0x10"),
      ("missing %@ and %d", ["a"], "missing a and %d"), ("none", ["left out"], "none"),
      ("%d", ["a text in the place of a number"], "a text in the place of a number"),
      ("%", [], "%"), ("%{", ["a"], "%{"), ("é%@é", ["ü"], "éüé"),
    ] as [(String, [any Sendable], String)])
  func format(message: String, values: [any Sendable], expected: String) {
    #expect(OSLogFormat.text(message, values) == expected)
  }
}
