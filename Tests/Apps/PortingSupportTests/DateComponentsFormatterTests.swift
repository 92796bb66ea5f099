// swift-iap2 · Apache-2.0

import Foundation
import PortingSupport
import Testing

/// Durations as text. The first test has the styles of Apple's public documentation.
@Suite struct DateComponentsFormatterTests {
  private static func text(
    _ interval: TimeInterval, _ style: DateComponentsFormatter.UnitsStyle, _ units: NSCalendar.Unit = [],
    _ zeros: DateComponentsFormatter.ZeroFormattingBehavior = .default
  ) -> String? {
    let formatter = DateComponentsFormatter()
    (formatter.unitsStyle, formatter.allowedUnits, formatter.zeroFormattingBehavior) = (style, units, zeros)
    return formatter.string(from: interval)
  }

  @Test(
    arguments: [
      (.positional, "1:02:05"), (.abbreviated, "1h 2m 5s"), (.short, "1 hr, 2 min, 5 sec"),
      (.full, "1 hour, 2 minutes, 5 seconds"), (.spellOut, "one hour, two minutes, five seconds"),
      (.brief, "1hr 2min 5sec"),
    ] as [(DateComponentsFormatter.UnitsStyle, String)])
  func everyStyle(style: DateComponentsFormatter.UnitsStyle, expected: String) {
    #expect(Self.text(3725, style) == expected)
  }

  @Test(
    arguments: [
      (3600, .default, "1:00:00"), (65, .default, "1:05"), (5, .default, "5"), (5, .pad, "00:00:05"),
      (3600, .dropAll, "1"), (3605, .dropMiddle, "1:05"), (0, .default, "0"), (0, .pad, "00:00:00"),
      (-65, .default, "-1:05"), (59.9, .default, "59"),
    ] as [(TimeInterval, DateComponentsFormatter.ZeroFormattingBehavior, String)])
  func zerosInPositions(
    interval: TimeInterval, zeros: DateComponentsFormatter.ZeroFormattingBehavior, expected: String
  ) {
    #expect(Self.text(interval, .positional, [.hour, .minute, .second], zeros) == expected)
  }

  @Test func unitsOfNavigation() {
    #expect(Self.text(5400, .full, [.hour, .minute]) == "1 hour, 30 minutes")
    #expect(Self.text(59, .full, [.hour, .minute]) == "0 minutes")
    #expect(Self.text(90_000, .abbreviated, [.day, .hour, .minute]) == "1d 1h")
    #expect(Self.text(7200, .short, [.minute]) == "120 min")
    #expect(Self.text(.infinity, .full) == nil && Self.text(.nan, .full) == nil && Self.text(1e300, .full) == nil)
    let formatter = DateComponentsFormatter()
    (formatter.unitsStyle, formatter.maximumUnitCount) = (.full, 1)
    formatter.includesTimeRemainingPhrase = true
    formatter.includesApproximationPhrase = true
    #expect(formatter.string(from: 3725) == "About 1 hour remaining")
    #expect(formatter.string(for: DateComponents(minute: 3)) == "About 3 minutes remaining")
    #expect(formatter.string(for: 3) == nil)
  }

  /// A day in spring with 23 hours: a duration of 24 hours ends on the next day, an hour later.
  @Test func datesHaveTheDaysOfTheirZone() throws {
    let formatter = DateComponentsFormatter()
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "Europe/Berlin"))
    (formatter.calendar, formatter.unitsStyle, formatter.allowedUnits) = (calendar, .full, [.day, .hour])
    let start = try #require(calendar.date(from: DateComponents(year: 2026, month: 3, day: 28, hour: 12)))
    #expect(formatter.string(from: start, to: start.addingTimeInterval(86_400)) == "1 day, 1 hour")
    #expect(formatter.string(from: 86_400) == "1 day")
  }
}
