// swift-iap2 · Apache-2.0

public import Foundation

// `String(localized:)`, which Foundation on Linux lacks, over the tables of a bundle that it reads.
extension String {
  /// A text to be translated, with values in it. Its key in a table has places of C for the values: `%lld` for an `Int`,
  /// `%lf` for a `Double`, `%@` for a text.
  /// (the places of the other numbers are those of Foundation's open source; not compared with a device)
  public struct LocalizationValue: ExpressibleByStringInterpolation, Sendable {
    /// The pieces of a text.
    public struct StringInterpolation: StringInterpolationProtocol {
      fileprivate var key = ""
      fileprivate var values: [any Sendable] = []

      /// Creates an empty text.
      public init(literalCapacity: Int, interpolationCount: Int) {}

      /// Appends a text.
      public mutating func appendLiteral(_ literal: String) { key += literal.replacing("%", with: "%%") }

      /// Appends a value.
      public mutating func appendInterpolation(_ value: some Any) { append(Self.place(of: value), value) }

      /// Appends a number with its place, such as `%.1f`.
      public mutating func appendInterpolation(_ value: some Numeric, specifier: String) { append(specifier, value) }

      /// Appends a value in a format.
      public mutating func appendInterpolation<Format: FormatStyle>(_ value: Format.FormatInput, format: Format)
      where Format.FormatOutput == String {
        append("%@", format.format(value))
      }

      private mutating func append(_ place: String, _ value: Any) {
        key += place
        // Numbers stay numbers, so that a translation may have another form.
        switch value {
        case let integer as any BinaryInteger where Int64(exactly: integer) != nil:
          values.append(Int64(truncatingIfNeeded: integer))
        case let number as any BinaryFloatingPoint: values.append(Double(number))
        default: values.append(String(describing: value))
        }
      }

      private static func place(of value: Any) -> String {
        switch value {
        case is Int, is Int64: "%lld"
        case is UInt, is UInt64: "%llu"
        case is Int8, is Int16, is Int32: "%d"
        case is UInt8, is UInt16, is UInt32: "%u"
        case is Float: "%f"
        case is Double, is CGFloat: "%lf"
        default: "%@"
        }
      }
    }

    /// The key in a table.
    let key: String
    let values: [any Sendable]

    /// Creates a text.
    public init(_ value: String) { (key, values) = (value, []) }

    /// Creates a text from a literal.
    public init(stringLiteral value: String) { self.init(value) }

    /// Creates a text of pieces.
    public init(stringInterpolation: StringInterpolation) {
      (key, values) = (stringInterpolation.key, stringInterpolation.values)
    }

    /// Returns a translation with the values at its places.
    func text(of translation: String) -> String {
      values.isEmpty ? translation : FormatText.text(translation, values)
    }
  }

  /// Translates a text by a table of a bundle. A text without a translation stays as it is.
  ///
  /// The language is that of the process: Foundation on Linux has no choice of another locale.
  public init(
    localized value: LocalizationValue, table: String? = nil, bundle: Bundle? = nil, locale: Locale = .current,
    comment: StaticString? = nil
  ) {
    self = value.text(of: (bundle ?? .main).localizedString(forKey: value.key, value: nil, table: table))
  }

  /// Translates the text of a key by a table of a bundle.
  public init(
    localized key: StaticString, defaultValue: LocalizationValue, table: String? = nil, bundle: Bundle? = nil,
    locale: Locale = .current, comment: StaticString? = nil
  ) {
    self = defaultValue.text(
      of: (bundle ?? .main).localizedString(forKey: "\(key)", value: defaultValue.key, table: table))
  }
}
