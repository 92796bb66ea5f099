// swift-iap2 · Apache-2.0

import Foundation

/// The form of an integer in a message.
public struct OSLogIntegerFormatting: Sendable {
  private let radix: Int

  /// Decimal digits.
  public static let decimal = Self(radix: 10)
  /// Hexadecimal digits.
  public static let hex = Self(radix: 16)
  /// Octal digits.
  public static let octal = Self(radix: 8)

  func text(_ value: some BinaryInteger) -> String { String(value, radix: radix) }
}

/// The form of a floating-point number in a message.
public struct OSLogFloatFormatting: Sendable {
  private let kind: String
  private let precision: Int

  /// A number of digits behind the point: 6.
  public static let fixed = fixed(precision: 6)
  /// A power of ten.
  public static let exponential = Self(kind: "e", precision: 6)
  /// The shorter one of both.
  public static let hybrid = Self(kind: "g", precision: 6)

  /// A number of digits behind the point.
  public static func fixed(precision: Int) -> Self { Self(kind: "f", precision: precision) }

  func text(_ value: Double) -> String { String(format: "%.\(min(max(precision, 0), 99))\(kind)", value) }
}

/// The place of a value in a column.
public struct OSLogStringAlignment: Sendable {
  private let columns: Int
  private let isRight: Bool

  /// No column.
  public static let none = Self(columns: 0, isRight: true)

  /// At the right of a column.
  public static func right(columns: Int) -> Self { Self(columns: columns, isRight: true) }

  /// At the left of a column.
  public static func left(columns: Int) -> Self { Self(columns: columns, isRight: false) }

  /// The widest column. A screen of text is narrower.
  private static let maximumWidth = 200

  func aligned(_ text: String) -> String {
    let space = String(repeating: " ", count: max(0, min(columns, Self.maximumWidth) - text.count))
    return isRight ? space + text : text + space
  }
}
