// swift-iap2 · Apache-2.0

import PortingSupport

/// The form of an integer in a message.
public struct OSLogIntegerFormatting: Sendable {
  private let place: String

  /// Decimal digits.
  public static let decimal = Self(place: "%d")
  /// Hexadecimal digits.
  public static let hex = Self(place: "%x")
  /// Octal digits.
  public static let octal = Self(place: "%o")

  func text(_ value: some BinaryInteger) -> String { FormatText.text(place, [value]) }
}

/// The form of a floating-point number in a message.
public struct OSLogFloatFormatting: Sendable {
  private let place: String
  private let precision: Int

  /// A number of digits behind the point: 6.
  public static let fixed = fixed(precision: 6)
  /// A power of ten.
  public static let exponential = Self(place: "%.*e", precision: 6)
  /// The shorter one of both.
  public static let hybrid = Self(place: "%.*g", precision: 6)

  /// A number of digits behind the point.
  public static func fixed(precision: Int) -> Self { Self(place: "%.*f", precision: precision) }

  func text(_ value: some BinaryFloatingPoint) -> String { FormatText.text(place, [precision, value]) }
}

/// The place of a value in a column.
public struct OSLogStringAlignment: Sendable {
  private let place: String
  private let columns: Int

  /// No column.
  public static let none = right(columns: 0)

  /// At the right of a column.
  public static func right(columns: Int) -> Self { Self(place: "%*@", columns: columns) }

  /// At the left of a column.
  public static func left(columns: Int) -> Self { Self(place: "%-*@", columns: columns) }

  func aligned(_ text: String) -> String { FormatText.text(place, [columns, text]) }
}
