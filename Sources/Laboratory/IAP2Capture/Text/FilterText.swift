// swift-iap2 · Apache-2.0

import IAP2

/// Text of errors in a filter expression or a list of fields, with similar names.
package enum FilterText {
  /// Returns an error in a list of fields.
  package static func text(_ problem: FindingField.Problem) -> String {
    switch problem {
    case .unknown(let word, let similar): unknown(word, similar)
    }
  }

  /// Returns an error in a filter expression with its column.
  package static func text(_ error: FilterError) -> String { "character \(error.column + 1): \(text(error.reason))" }

  private static func text(_ reason: FilterError.Reason) -> String {
    switch reason {
    case .unknownWord(let word, let similar): unknown(word, similar)
    case .unknownValue(let value, let field, let known):
      "no \(field) is \"\(value)\"" + (known.isEmpty ? "" : "; there is \(list(known))")
    case .missingValue(let sign): "the value after \(sign) is missing"
    case .missingTest: "a test is missing here"
    case .unexpected(let word): "\(word) is not allowed here"
    case .missingParenthesis: "a ) is missing here"
    case .missingQuote: "the quote that begins here is not closed"
    case .notAPattern(let reason): "not a regular expression: \(reason)"
    case .notANumber(let text, let sign): "\(sign) compares numbers, and \"\(text)\" is not a number"
    case .tooDeep(let limit): "parentheses or nots are nested deeper than \(limit)"
    }
  }

  private static func unknown(_ word: String, _ similar: [String]) -> String {
    "no field, layer, message or parameter is called \"\(word)\""
      + (similar.isEmpty ? "; `iap2 messages` lists messages and parameters" : "; there is \(list(similar))")
  }

  private static func list(_ words: [String]) -> String {
    words.prefix(8).joined(separator: ", ") + (words.count > 8 ? ", …" : "")
  }
}
