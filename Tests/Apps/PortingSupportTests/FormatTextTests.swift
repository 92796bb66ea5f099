// swift-iap2 · Apache-2.0

import Foundation
import Testing

@testable import PortingSupport

@Suite struct FormatTextTests {
  @Test(
    "Each value goes to its place, in its form, as printf writes it",
    arguments: [
      ("%d %ld %u 100%%", [1, 2, 3], "1 2 3 100%"), ("0x%02X, 0x%{private}x, %o", [10, 16, 8], "0x0A, 0x10, 10"),
      ("%02d:%02d", [5, 3], "05:03"), ("%.1f", [Float(2.25)], "2.2"),
      ("%5.1f|%-5d|%05d", [2.25, 7, -42], "  2.2|7    |-0042"),
      ("%Lf", [1.5], "1.500000"), ("%.*f", [2, 1.239], "1.24"), ("%*d", [4, 7], "   7"),
      ("%e", [1500.0], "1.500000e+03"),
      ("%2$@ %1$@", ["a", "b"], "b a"), ("%1$d %1$d", [3], "3 3"), ("é%@é", ["ü"], "éüé"),
      ("track %{public}@ at %.1f s", ["Blue Monk", 2.25], "track Blue Monk at 2.2 s"),
    ] as [(String, [any Sendable], String)])
  func values(format: String, values: [any Sendable], expected: String) {
    #expect(FormatText.text(format, values) == expected)
  }

  @Test(
    "Places and values that do not fit are no fault",
    arguments: [
      ("missing %@ and %d", ["a"], "missing a and %d"), ("none", ["left out"], "none"),
      ("%d", ["a text in the place of a number"], "a text in the place of a number"), ("%f", [3], "3"),
      ("%", [], "%"), ("%{", ["a"], "%{"), ("%0$@", ["a"], "%0$@"), ("%9$@ %@", ["a"], "%9$@ a"),
      ("%*d", ["wide", 7], "7"), ("%.*f", [Int.max, 1.0], "1." + String(repeating: "0", count: 99)),
      ("%.*f", [-5, 1.0], "1"),
      ("%*d", [Int.max, 7], String(repeating: " ", count: 199) + "7"), ("%99999d", [7], "%99999d"),
      ("%@", ["%d"], "%d"),
    ] as [(String, [any Sendable], String)])
  func misfits(format: String, values: [any Sendable], expected: String) {
    #expect(FormatText.text(format, values) == expected)
  }
}
