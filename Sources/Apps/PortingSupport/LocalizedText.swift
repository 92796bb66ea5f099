// swift-iap2 · Apache-2.0

public import Foundation

// `String(localized:)`, which Foundation on Linux lacks, over the tables of a bundle that it reads.
extension String {
  /// A text to be translated, with values in it. Its key in a table has `%lld` in the place of an integer, `%lf` in that
  /// of a floating-point number, and `%@` elsewhere, as on Apple's systems.
  public struct LocalizationValue: ExpressibleByStringInterpolation, Sendable, Hashable {
    /// The pieces of a text.
    public struct StringInterpolation: StringInterpolationProtocol {
      fileprivate var key = ""
      fileprivate var values: [String] = []

      /// Creates an empty text.
      public init(literalCapacity: Int, interpolationCount: Int) {}

      /// Appends a text.
      public mutating func appendLiteral(_ literal: String) { key += literal.replacing("%", with: "%%") }

      /// Appends an integer.
      public mutating func appendInterpolation(_ value: some BinaryInteger) { append("%lld", "\(value)") }

      /// Appends a number.
      public mutating func appendInterpolation(_ value: some BinaryFloatingPoint) { append("%lf", "\(value)") }

      /// Appends any other value.
      public mutating func appendInterpolation(_ value: some Any) { append("%@", String(describing: value)) }

      private mutating func append(_ place: String, _ value: String) {
        key += place
        values.append(value)
      }
    }

    /// The key in a table.
    let key: String
    let values: [String]

    /// Creates a text.
    public init(_ value: String) { (key, values) = (value, []) }

    /// Creates a text from a literal.
    public init(stringLiteral value: String) { self.init(value) }

    /// Creates a text of pieces.
    public init(stringInterpolation: StringInterpolation) {
      (key, values) = (stringInterpolation.key, stringInterpolation.values)
    }

    /// Returns a translation with the values at its places: `%@`, or `%2$@` for the second one.
    func text(of translation: String) -> String {
      guard !values.isEmpty else { return translation }
      var (text, next, rest) = ("", 0, translation[...])
      while let start = rest.firstIndex(of: "%") {
        text += rest[..<start]
        rest = rest[start...]
        guard let place = unsafe rest.prefixMatch(of: Self.place) else {
          text += "%"
          rest = rest.dropFirst()
          continue
        }
        rest = rest[place.range.upperBound...]
        guard place.output.2 != "%" else {
          text += "%"
          continue
        }
        let index = place.output.1.flatMap { Int($0) }.map { $0 - 1 } ?? next
        next += 1
        text += values.indices.contains(index) ? values[index] : String(place.output.0)
      }
      return text + rest
    }

    nonisolated(unsafe) private static let place = #/%(?:([0-9]{1,2})\$)?(?:hh|h|ll|l|q|z)?([@dfiu%])/#
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
