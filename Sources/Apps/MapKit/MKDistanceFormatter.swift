// swift-iap2 · Apache-2.0

public import CoreLocation
public import Foundation

/// A formatter of distances for people, as navigation shows them.
///
/// The units and the styles are those of Apple's public documentation. How a device rounds is not documented: the
/// rounding here and the English words, whatever the locale is, are ours. (unverified)
///
/// Invariant for `@unchecked Sendable`: as on Apple's systems, nothing changes a setting while another thread formats.
open class MKDistanceFormatter: Formatter, @unchecked Sendable {
  /// A system of units.
  public enum Units: UInt, Sendable {
    /// That of the locale.
    case `default`
    /// Meters and kilometers.
    case metric
    /// Feet and miles.
    case imperial
    /// Yards and miles.
    case imperialWithYards
  }

  /// A style for the names of units.
  public enum DistanceUnitStyle: UInt, Sendable {
    /// Abbreviated.
    case `default`
    /// `2 km`.
    case abbreviated
    /// `2 kilometers`.
    case full
  }

  /// The system of units.
  open var units = Units.default
  /// The style for the names of units.
  open var unitStyle = DistanceUnitStyle.default
  /// The locale, which has the default units.
  open var locale: Locale! = .current

  /// A unit of length.
  private enum Unit: CaseIterable {
    case meter, kilometer, foot, yard, mile

    /// Its length in meters.
    var meters: Double {
      switch self {
      case .meter: 1
      case .kilometer: 1000
      case .foot: 0.3048
      case .yard: 0.9144
      case .mile: 1609.344
      }
    }

    /// Its abbreviation, its name, and the name of several.
    var names: (short: String, one: String, many: String) {
      switch self {
      case .meter: ("m", "meter", "meters")
      case .kilometer: ("km", "kilometer", "kilometers")
      case .foot: ("ft", "foot", "feet")
      case .yard: ("yd", "yard", "yards")
      case .mile: ("mi", "mile", "miles")
      }
    }
  }

  /// Returns the text of a distance; the one of 0 for a distance that is negative or no number.
  open func string(fromDistance distance: CLLocationDistance) -> String {
    let distance = distance.isFinite ? max(0, distance) : 0
    let (small, large) = pair
    let count = Self.rounded(distance / small.meters)
    // From a kilometer, or a tenth of a mile, the large unit is shorter.
    let isSmall = large == .kilometer ? count < 1000 : distance < large.meters / 10
    return isSmall ? text(count, small) : text(Self.roundedLarge(distance / large.meters), large)
  }

  /// Returns the distance in meters of a text with a number and a unit; -1 for another text.
  open func distance(from distance: String) -> CLLocationDistance {
    let text = distance.trimmingCharacters(in: .whitespaces)
    let number = text.prefix { $0.isNumber || $0 == "." }
    let name = text.dropFirst(number.count).trimmingCharacters(in: .whitespaces).lowercased()
    let unit = Unit.allCases.first { [$0.names.short, $0.names.one, $0.names.many].contains(name) }
    guard let value = Double(number), let unit else { return -1 }
    return value * unit.meters
  }

  /// Returns the text of a distance that is a number; nil for another object.
  open override func string(for object: Any?) -> String? {
    (object as? CLLocationDistance ?? (object as? NSNumber)?.doubleValue).map { string(fromDistance: $0) }
  }

  private var pair: (small: Unit, large: Unit) {
    switch units {
    case .metric: (.meter, .kilometer)
    case .imperial: (.foot, .mile)
    case .imperialWithYards: (.yard, .mile)
    case .default:
      switch locale?.measurementSystem {
      case .us?: (.foot, .mile)
      case .uk?: (.yard, .mile)
      default: (.meter, .kilometer)
      }
    }
  }

  /// Rounds to steps of 50 from 100 on, and to steps of 10 below.
  private static func rounded(_ count: Double) -> Double {
    let step: Double = count < 95 ? 10 : 50
    return (count / step).rounded() * step
  }

  /// Rounds to tenths below 10, and to whole units from there on.
  private static func roundedLarge(_ count: Double) -> Double {
    count < 9.95 ? (count * 10).rounded() / 10 : count.rounded()
  }

  private func text(_ count: Double, _ unit: Unit) -> String {
    let number = count == count.rounded() ? String(format: "%.0f", count) : String(format: "%.1f", count)
    let names = unit.names
    return number + " " + (unitStyle == .full ? (count == 1 ? names.one : names.many) : names.short)
  }
}
