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
    case .missingValue(let sign): "nothing stands behind \(sign)"
    case .missingTest: "something to ask for is missing here"
    case .unexpected(let word): "\(word) cannot stand here"
    case .missingParenthesis: "a ) is missing here"
    case .missingQuote: "the quote that begins here has no end"
    case .notAPattern(let reason): "no regular expression: \(reason)"
    case .notANumber(let text, let sign): "\(sign) compares numbers, and \"\(text)\" is none"
    case .tooDeep(let limit): "more than \(limit) parentheses or nots inside each other"
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
