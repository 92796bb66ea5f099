// swift-iap2 · Apache-2.0

import IAP2

/// A filter for the findings of a capture.
///
///     expression = term {"or" term}
///     term       = factor {"and" factor}
///     factor     = "not" factor | "(" expression ")" | test
///     test       = field operator value | word | "text"
///     operator   = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~"
///
/// A word alone is a layer, a side, a message by its name or number, or a field or parameter that must be present. A
/// text alone is searched in names, texts and data. Case is ignored. Of a parameter with several values, one must
/// match; `!=` is true if the field is present and no value is equal. `~` takes a regular expression.
package struct FindingFilter: Sendable {
  indirect enum Expression: Sendable {
    case all([Expression])
    case any([Expression])
    case not(Expression)
    case test(Test)
  }

  enum Test: Sendable {
    case isThere(FindingField)
    case compare(FindingField, Comparison, Literal)
    case matches(FindingField, UserPattern)
  }

  enum Comparison: String, Sendable, CaseIterable {
    case equal = "="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
  }

  /// The value that a field is compared with.
  struct Literal: Sendable {
    /// The text in lowercase.
    let small: String
    let number: FindingNumber?

    init(_ text: String) {
      small = text.lowercased()
      number = FindingNumber(text)
    }
  }

  private let expression: Expression

  /// Parses a filter.
  ///
  /// - Throws: the problem and its column.
  package init(parsing text: String) throws(FilterError) {
    var parser = try FilterParser(text)
    expression = try parser.expression()
  }

  /// Returns whether lines match.
  ///
  /// - Parameter lines: lines that belong together, such as a message and its errors. A field of one counts for all of
  ///   them.
  package func matches(_ lines: [DecodedLine]) -> Bool { Self.matches(expression, lines) }

  private static func matches(_ expression: Expression, _ lines: [DecodedLine]) -> Bool {
    switch expression {
    case .all(let parts): parts.allSatisfy { matches($0, lines) }
    case .any(let parts): parts.contains { matches($0, lines) }
    case .not(let part): !matches(part, lines)
    case .test(let test): matches(test, lines)
    }
  }

  private static func matches(_ test: Test, _ lines: [DecodedLine]) -> Bool {
    switch test {
    case .isThere(let field): lines.contains { !field.values($0).isEmpty }
    case .matches(let field, let pattern):
      lines.contains { field.values($0).contains { pattern.isFound(in: $0.text) } }
    case .compare(let field, .notEqual, let literal):
      isNonEmpty(lines.flatMap(field.values)) { !matches($0, .equal, literal) }
    case .compare(let field, let comparison, let literal):
      lines.contains { field.values($0).contains { matches($0, comparison, literal) } }
    }
  }

  private static func isNonEmpty(_ values: [FindingValue], _ test: (FindingValue) -> Bool) -> Bool {
    !values.isEmpty && values.allSatisfy(test)
  }

  private static func matches(_ value: FindingValue, _ comparison: Comparison, _ literal: Literal) -> Bool {
    guard let left = value.number, let right = literal.number else {
      let isSame = value.text.lowercased() == literal.small
      return switch comparison {
      case .equal: isSame
      case .notEqual: !isSame
      // Texts have no order.
      case .less, .lessOrEqual, .greater, .greaterOrEqual: false
      }
    }
    return switch comparison {
    case .equal: left == right
    case .notEqual: left != right
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    case .greaterOrEqual: left >= right
    }
  }
}

/// An error in the text of a filter.
package struct FilterError: Error, Equatable, Sendable {
  /// The reason of the error.
  package enum Reason: Equatable, Sendable {
    /// The word is neither a field nor a message, layer, side or parameter; similar names are listed.
    case unknownWord(String, similar: [String])
    /// The field cannot have this value.
    case unknownValue(String, of: String, known: [String])
    /// A value is missing after the operator.
    case missingValue(after: String)
    /// The text ends where a test is expected.
    case missingTest
    /// The token is not allowed at this place.
    case unexpected(String)
    /// A closing parenthesis is missing.
    case missingParenthesis
    /// The closing quote is missing.
    case missingQuote
    /// The value after `~` is not a regular expression.
    case notAPattern(String)
    /// The operator needs a number.
    case notANumber(String, operation: String)
    /// The nesting of parentheses and `not` exceeds the limit.
    case tooDeep(limit: Int)
  }

  /// The reason.
  package var reason: Reason
  /// The offset in the filter's text, in characters from 0.
  package var column: Int
}
