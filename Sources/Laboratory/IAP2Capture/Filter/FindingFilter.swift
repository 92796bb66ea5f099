// swift-iap2 · Apache-2.0

import IAP2

/// Which findings of a capture somebody wants to see.
///
///     expression = term {"or" term}
///     term       = factor {"and" factor}
///     factor     = "not" factor | "(" expression ")" | test
///     test       = field operator value | word | "text"
///     operator   = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~"
///
/// A word alone is a layer, a side, a message by its name or number, or a field or parameter that is there; a text alone
/// is looked for in names, texts and data. Letters count whatever their case. Of a parameter that comes more than once
/// one value is enough; `!=` wants the field to be there and no value to be equal. `~` takes a regular expression.
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

  /// What a field is compared with.
  struct Literal: Sendable {
    /// In small letters.
    let small: String
    let number: FindingNumber?

    init(_ text: String) {
      small = text.lowercased()
      number = FindingNumber(text)
    }
  }

  private let expression: Expression

  /// - Throws: what is wrong, and where.
  package init(parsing text: String) throws(FilterError) {
    var parser = try FilterParser(text)
    expression = try parser.expression()
  }

  /// - Parameter lines: what belongs together, as a message and what is wrong with it; what one has, all have.
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

/// Why a filter cannot be read.
package struct FilterError: Error, Equatable, Sendable {
  package enum Reason: Equatable, Sendable {
    case unknownWord(String, similar: [String])
    case unknownValue(String, of: String, known: [String])
    case missingValue(after: String)
    case missingTest
    case unexpected(String)
    case missingParenthesis
    case missingQuote
    case notAPattern(String)
    case notANumber(String, operation: String)
    case tooDeep(limit: Int)
  }

  package var reason: Reason
  /// Characters from the start of the filter.
  package var column: Int
}
