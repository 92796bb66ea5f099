// swift-iap2 · Apache-2.0

import IAP2

/// A parser for the expressions of ``FindingFilter``.
struct FilterParser {
  private struct Token {
    enum Kind: Equatable {
      case word(String)
      case text(String)
      case sign(String)
    }
    var kind: Kind
    var column: Int
  }

  private var tokens: [Token]
  private var next = 0
  private let end: Int

  /// The maximum nesting of parentheses and `not`.
  private static let maximumDepth = 64

  init(_ text: String) throws(FilterError) {
    tokens = try Self.tokens(of: Array(text))
    end = text.count
  }

  // MARK: Tokens

  private static func tokens(of text: [Character]) throws(FilterError) -> [Token] {
    var tokens: [Token] = []
    var index = 0
    while index < text.count {
      let start = index
      let character = text[index]
      if character.isWhitespace {
        index += 1
      } else if character == "\"" || character == "'" {
        tokens.append(Token(kind: .text(try quoted(text, &index)), column: start))
      } else if "()~".contains(character) {
        index += 1
        tokens.append(Token(kind: .sign(String(character)), column: start))
      } else if "=!<>".contains(character) {
        index += 1
        if index < text.count, text[index] == "=" { index += 1 }
        let sign = String(text[start..<index])
        tokens.append(Token(kind: .sign(sign == "==" ? "=" : sign), column: start))
      } else {
        while index < text.count, !text[index].isWhitespace, !"()~=!<>\"'".contains(text[index]) { index += 1 }
        tokens.append(Token(kind: .word(String(text[start..<index])), column: start))
      }
    }
    return tokens
  }

  /// Reads text in quotes of one kind. A backslash escapes the quote and itself.
  private static func quoted(_ text: [Character], _ index: inout Int) throws(FilterError) -> String {
    let start = index
    var value = ""
    index += 1
    while index < text.count, text[index] != text[start] {
      if text[index] == "\\", index + 1 < text.count, text[index + 1] == text[start] || text[index + 1] == "\\" {
        index += 1
      }
      value.append(text[index])
      index += 1
    }
    guard index < text.count else { throw FilterError(reason: .missingQuote, column: start) }
    index += 1
    return value
  }

  // MARK: Expressions

  /// Parses the whole text as one expression.
  mutating func expression() throws(FilterError) -> FindingFilter.Expression {
    let whole = try alternatives(depth: 0)
    if let rest = peek { throw FilterError(reason: .unexpected(Self.text(rest.kind)), column: rest.column) }
    return whole
  }

  private var peek: Token? { next < tokens.count ? tokens[next] : nil }

  private mutating func take(_ word: String) -> Bool {
    guard case .word(let found)? = peek?.kind, found.lowercased() == word else { return false }
    next += 1
    return true
  }

  private mutating func alternatives(depth: Int) throws(FilterError) -> FindingFilter.Expression {
    var parts = [try conjunction(depth: depth)]
    while take("or") { parts.append(try conjunction(depth: depth)) }
    return parts.count == 1 ? parts[0] : .any(parts)
  }

  private mutating func conjunction(depth: Int) throws(FilterError) -> FindingFilter.Expression {
    var parts = [try factor(depth: depth)]
    while take("and") { parts.append(try factor(depth: depth)) }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  private mutating func factor(depth: Int) throws(FilterError) -> FindingFilter.Expression {
    guard depth < Self.maximumDepth else {
      throw FilterError(reason: .tooDeep(limit: Self.maximumDepth), column: peek?.column ?? end)
    }
    if take("not") { return .not(try factor(depth: depth + 1)) }
    guard let token = peek else { throw FilterError(reason: .missingTest, column: end) }
    next += 1
    switch token.kind {
    case .sign("("):
      let inner = try alternatives(depth: depth + 1)
      guard peek?.kind == .sign(")") else {
        throw FilterError(reason: .missingParenthesis, column: peek?.column ?? end)
      }
      next += 1
      return inner
    case .sign(let sign): throw FilterError(reason: .unexpected(sign), column: token.column)
    case .text(let text): return .test(.matches(.named(.text), UserPattern(literal: text)))
    case .word(let word): return .test(try test(word, token.column))
    }
  }

  private mutating func test(_ word: String, _ column: Int) throws(FilterError) -> FindingFilter.Test {
    guard case .sign(let sign)? = peek?.kind, sign != "(", sign != ")" else { return try Self.alone(word, column) }
    let place = peek?.column ?? end
    next += 1
    let field = try Self.field(word, column)
    guard let value = peek else { throw FilterError(reason: .missingValue(after: sign), column: end) }
    next += 1
    let text: String
    switch value.kind {
    case .word(let found), .text(let found): text = found
    case .sign(let found): throw FilterError(reason: .unexpected(found), column: value.column)
    }
    if sign == "~" {
      do { return .matches(field, try UserPattern(text, ignoresCase: true)) } catch {
        throw FilterError(reason: .notAPattern("\(error)"), column: value.column)
      }
    }
    guard let comparison = FindingFilter.Comparison(rawValue: sign) else {
      throw FilterError(reason: .unexpected(sign), column: place)
    }
    return .compare(field, comparison, try Self.literal(text, of: field, comparison, value.column))
  }

  private static func field(_ word: String, _ column: Int) throws(FilterError) -> FindingField {
    do { return try FindingField(parsing: word) } catch {
      switch error {
      case .unknown(let word, let similar):
        throw FilterError(reason: .unknownWord(word, similar: similar), column: column)
      }
    }
  }

  /// Returns the test that a word without an operator stands for.
  private static func alone(_ word: String, _ column: Int) throws(FilterError) -> FindingFilter.Test {
    let small = word.lowercased()
    if let layer = DecodedLine.layers.first(where: { $0.lowercased() == small }) {
      return .compare(.named(.layer), .equal, FindingFilter.Literal(layer))
    }
    if let side = side(small) {
      return .compare(.named(.from), .equal, FindingFilter.Literal(side.rawValue))
    }
    if MessageCatalog.id(named: word, needsPrefix: true) != nil {
      return .compare(.named(.message), .equal, FindingFilter.Literal(word))
    }
    return .isThere(try field(word, column))
  }

  /// Returns the side for either of its names.
  private static func side(_ word: String) -> Side? {
    switch word.lowercased() {
    case "accessory", "headunit": .accessory
    case "device", "phone": .device
    default: nil
    }
  }

  /// Throws for a value that the field cannot have: it is more likely a typing error than a filter meant to match
  /// nothing.
  private static func literal(
    _ text: String, of field: FindingField, _ comparison: FindingFilter.Comparison, _ column: Int
  ) throws(FilterError) -> FindingFilter.Literal {
    let literal = FindingFilter.Literal(text)
    switch comparison {
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      guard literal.number != nil else {
        throw FilterError(reason: .notANumber(text, operation: comparison.rawValue), column: column)
      }
    case .equal, .notEqual: break
    }
    let known: [String]
    switch field {
    case .named(.layer): known = DecodedLine.layers
    case .named(.from):
      if let side = side(text) { return FindingFilter.Literal(side.rawValue) }
      known = Side.allCases.map(\.rawValue)
    case .named(.message), .named(.id):
      guard MessageCatalog[name: text] == nil, literal.number == nil else { return literal }
      known = MessageCatalog.all.map(\.name).filter { $0.lowercased().contains(text.lowercased()) }
    case .named, .synchronization, .parameter, .messageParameter, .session, .body: return literal
    }
    guard known.contains(where: { $0.lowercased() == text.lowercased() }) else {
      throw FilterError(reason: .unknownValue(text, of: field.text, known: known), column: column)
    }
    return literal
  }

  private static func text(_ kind: Token.Kind) -> String {
    switch kind {
    case .word(let text), .sign(let text): text
    case .text(let text): "\"\(text)\""
    }
  }
}
