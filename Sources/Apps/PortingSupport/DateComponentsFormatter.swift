// swift-iap2 · Apache-2.0

public import Foundation

/// A formatter of durations, which Foundation on Linux lacks, as far as players and navigation use it.
///
/// The styles and the treatment of zeros are those of Apple's public documentation. The words are English, from the
/// Unicode CLDR, whatever the locale is; they were not compared with a device. (unverified)
///
/// Invariant for `@unchecked Sendable`: as on Apple's systems, nothing changes a setting while another thread formats.
open class DateComponentsFormatter: Formatter, @unchecked Sendable {
  /// A style for the names of units.
  public enum UnitsStyle: Int, Sendable {
    /// `1:02:05`.
    case positional
    /// `1h 2m 5s`.
    case abbreviated
    /// `1 hr, 2 min, 5 sec`.
    case short
    /// `1 hour, 2 minutes, 5 seconds`.
    case full
    /// `one hour, two minutes, five seconds`.
    case spellOut
    /// `1hr 2min 5sec`.
    case brief
  }

  /// A treatment of units whose value is zero.
  public struct ZeroFormattingBehavior: OptionSet, Sendable {
    public let rawValue: UInt
    /// Creates a treatment from its raw value.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Leading zeros are dropped in the positional style, and all zeros in the others.
    public static let `default` = Self(rawValue: 1 << 0)
    /// Units before the first one that is not zero are dropped.
    public static let dropLeading = Self(rawValue: 1 << 1)
    /// Units between others that are not zero are dropped.
    public static let dropMiddle = Self(rawValue: 1 << 2)
    /// Units behind the last one that is not zero are dropped.
    public static let dropTrailing = Self(rawValue: 1 << 3)
    /// All units that are zero are dropped.
    public static let dropAll: Self = [.dropLeading, .dropMiddle, .dropTrailing]
    /// No unit is dropped.
    public static let pad = Self(rawValue: 1 << 16)
  }

  /// The style for the names of units.
  open var unitsStyle = UnitsStyle.positional
  /// The units that the text may have, out of years, months, weeks of a month, days, hours, minutes and seconds. Without
  /// any, all but the weeks are allowed.
  open var allowedUnits: NSCalendar.Unit = []
  /// The treatment of units whose value is zero.
  open var zeroFormattingBehavior = ZeroFormattingBehavior.default
  /// The maximum number of units, the largest ones; 0 for no limit.
  open var maximumUnitCount = 0
  /// Whether the text ends with `remaining`.
  open var includesTimeRemainingPhrase = false
  /// Whether the text begins with `About`.
  open var includesApproximationPhrase = false
  /// The calendar of the units; nil for the current one.
  open var calendar: Calendar?

  /// Returns the text of a duration in seconds; nil for a number that is no duration.
  open func string(from interval: TimeInterval) -> String? {
    guard interval.isFinite, interval.magnitude < Self.maximumInterval else { return nil }
    let start = Date(timeIntervalSinceReferenceDate: 0)
    // A day has 24 hours here, whatever the zone does in that year.
    var calendar = calendar ?? .current
    calendar.timeZone = .gmt
    return string(from: components(from: start, to: start.addingTimeInterval(interval), calendar))
  }

  /// Returns the text of the time from one date to another.
  open func string(from startDate: Date, to endDate: Date) -> String? {
    string(from: components(from: startDate, to: endDate, calendar ?? .current))
  }

  private func components(from start: Date, to end: Date, _ calendar: Calendar) -> DateComponents {
    calendar.dateComponents(Set(units.map(\.component)), from: start, to: end)
  }

  /// Returns the text of components.
  open func string(from components: DateComponents) -> String? {
    let values = units.map { (unit: $0, value: components.value(for: $0.component) ?? 0) }
    let isNegative = values.contains { $0.value < 0 }
    var shown = kept(values.map { (unit: $0.unit, value: abs($0.value)) })
    if maximumUnitCount > 0 { shown = Array(shown.prefix(maximumUnitCount)) }
    let text = unitsStyle == .positional ? positional(shown) : named(shown)
    let phrase = includesTimeRemainingPhrase ? "\(text) remaining" : text
    return (includesApproximationPhrase ? "About " : "") + (isNegative ? "-" : "") + phrase
  }

  open override func string(for object: Any?) -> String? { (object as? DateComponents).flatMap { string(from: $0) } }

  // MARK: Units

  /// Ten thousand years, beyond which calendars are no use.
  private static let maximumInterval = 3.2e11

  private struct Unit {
    var flag: NSCalendar.Unit
    var component: Calendar.Component
    var names: (one: String, many: String)
    var short: (one: String, many: String)
    var letter: String
  }

  private static let all = [
    Unit(flag: .year, component: .year, names: ("year", "years"), short: ("yr", "yrs"), letter: "y"),
    Unit(flag: .month, component: .month, names: ("month", "months"), short: ("mth", "mths"), letter: "mo"),
    Unit(flag: .weekOfMonth, component: .weekOfMonth, names: ("week", "weeks"), short: ("wk", "wks"), letter: "w"),
    Unit(flag: .day, component: .day, names: ("day", "days"), short: ("day", "days"), letter: "d"),
    Unit(flag: .hour, component: .hour, names: ("hour", "hours"), short: ("hr", "hr"), letter: "h"),
    Unit(flag: .minute, component: .minute, names: ("minute", "minutes"), short: ("min", "min"), letter: "m"),
    Unit(flag: .second, component: .second, names: ("second", "seconds"), short: ("sec", "sec"), letter: "s"),
  ]

  private var units: [Unit] {
    let allowed = Self.all.filter { allowedUnits.contains($0.flag) }
    return allowed.isEmpty ? Self.all.filter { $0.flag != .weekOfMonth } : allowed
  }

  /// Returns the units that stay. Of zeros alone, the smallest unit stays.
  private func kept(_ values: [(unit: Unit, value: Int)]) -> [(unit: Unit, value: Int)] {
    var behavior = zeroFormattingBehavior
    if behavior.contains(.pad) { return values }
    if behavior.contains(.default) { behavior = unitsStyle == .positional ? .dropLeading : .dropAll }
    guard let first = values.firstIndex(where: { $0.value != 0 }),
      let last = values.lastIndex(where: { $0.value != 0 })
    else { return behavior.contains(.dropLeading) ? Array(values.suffix(1)) : values }
    return values.indices.filter { index in
      values[index].value != 0 || index < first && !behavior.contains(.dropLeading)
        || index > last && !behavior.contains(.dropTrailing)
        || (first...last).contains(index) && !behavior.contains(.dropMiddle)
    }.map { values[$0] }
  }

  // MARK: Texts

  /// Days and longer units have their letters, the others stand between colons.
  private func positional(_ values: [(unit: Unit, value: Int)]) -> String {
    let clock = values.filter { [.hour, .minute, .second].contains($0.unit.component) }
    let isPadded = zeroFormattingBehavior.contains(.pad) && clock.count > 1
    let digits = clock.enumerated().map { number, part in
      number > 0 || isPadded ? (part.value < 10 ? "0" : "") + "\(part.value)" : "\(part.value)"
    }.joined(separator: ":")
    let days = values.dropLast(clock.count).map { "\($0.value)\($0.unit.letter)" }
    return (days + (digits.isEmpty ? [] : [digits])).joined(separator: " ")
  }

  private func named(_ values: [(unit: Unit, value: Int)]) -> String {
    let texts = values.map { unit, value in
      switch unitsStyle {
      case .abbreviated, .positional: "\(value)\(unit.letter)"
      case .brief: "\(value)\(value == 1 ? unit.short.one : unit.short.many)"
      case .short: "\(value) \(value == 1 ? unit.short.one : unit.short.many)"
      case .full: "\(value) \(value == 1 ? unit.names.one : unit.names.many)"
      case .spellOut: "\(Self.words(value)) \(value == 1 ? unit.names.one : unit.names.many)"
      }
    }
    return texts.joined(separator: [.abbreviated, .brief].contains(unitsStyle) ? " " : ", ")
  }

  private static func words(_ number: Int) -> String {
    let formatter = NumberFormatter()
    formatter.numberStyle = .spellOut
    formatter.locale = Locale(identifier: "en_US")
    return formatter.string(from: NSNumber(value: number)) ?? "\(number)"
  }
}
