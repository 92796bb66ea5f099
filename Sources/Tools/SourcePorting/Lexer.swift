// swift-iap2 · Apache-2.0

/// A piece of Swift source outside comments.
struct Token: Equatable {
  enum Kind: Equatable {
    /// A name or a keyword.
    case word
    /// A name between backticks, which is never a keyword.
    case quotedWord
    /// One character of an operator or of punctuation, or a run of `#`.
    case mark
    /// The start of a string literal. Tokens of interpolations follow it.
    case string
    /// A number or a regular expression.
    case literal
  }

  var kind: Kind
  /// The bytes of the token in the source.
  var range: Range<Int>
  /// Whether the token is the first of its line.
  var isFirstOfLine: Bool
}

/// A reader of tokens. It knows what decides whether bytes are code: comments, strings with their interpolations, raw
/// and multi-line strings, regular expressions and quoted names.
///
/// It is not a parser, and it is not swift-syntax. `port` changes a dozen forms that tokens show. swift-syntax takes 1
/// to 2.5 minutes to build on two cores, which every first build of `iap2` would pay. Its parser is recursive, so a
/// limit of depth would have to protect it from hostile sources.
///
/// Every loop moves forward, and open strings are on an array, so no source can overflow the stack.
struct Lexer {
  /// A string or a comment without an end.
  struct Unterminated: Equatable {
    var offset: Int
    var what: String
  }

  /// A string literal whose end is not read yet.
  private struct OpenString {
    var start: Int
    var poundCount: Int
    var isMultiline: Bool
    /// The open parentheses of the interpolation that is being read.
    var parenthesisCount = 0
  }

  private let bytes: [UInt8]
  private var index = 0
  private var strings: [OpenString] = []
  private var isInString = false
  private var isFirstOfLine = true
  /// No regular expression begins before this offset: a search for its end has failed on this line.
  private var regexBarrier = 0
  private(set) var tokens: [Token] = []
  private(set) var unterminated: [Unterminated] = []

  /// The search for the end of a raw string that begins like a multi-line string, in bytes. It bounds the work for a
  /// line of such strings.
  private static let rawStringSearchByteCount = 1000

  /// Words after which an expression begins, so that a slash after them begins a regular expression.
  private static let wordsBeforeExpressions: Set<String> = [
    "return", "in", "case", "where", "if", "guard", "while", "switch", "try", "await", "throw", "else", "is", "as",
  ]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    if byte(index) == UInt8(ascii: "#"), byte(index + 1) == UInt8(ascii: "!") { skipLine() }
    while index < bytes.count { if isInString { readString() } else { readCode() } }
    for open in strings { unterminated.append(Unterminated(offset: open.start, what: "string")) }
  }

  private func byte(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

  private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  private mutating func skipLine() { while index < bytes.count, !Self.isLineEnd(bytes[index]) { index += 1 } }

  private mutating func add(_ kind: Token.Kind, to end: Int) {
    tokens.append(Token(kind: kind, range: index..<end, isFirstOfLine: isFirstOfLine))
    isFirstOfLine = false
    index = end
  }

  // MARK: Code

  private mutating func readCode() {
    let first = bytes[index]
    switch first {
    case 0x0A, 0x0D:
      isFirstOfLine = true
      index += 1
    case 0...0x20: index += 1
    case UInt8(ascii: "/") where byte(index + 1) == UInt8(ascii: "/"): skipLine()
    case UInt8(ascii: "/") where byte(index + 1) == UInt8(ascii: "*"): skipComment()
    case UInt8(ascii: "/"): readSlash()
    case UInt8(ascii: "\""): openString(poundCount: 0)
    case UInt8(ascii: "#"): readPounds()
    case UInt8(ascii: "`"): readQuotedWord()
    case UInt8(ascii: "0")...UInt8(ascii: "9"): readNumber()
    case _ where isWord(first):
      var end = index
      while end < bytes.count, isWord(bytes[end]) || isDigit(bytes[end]) { end += 1 }
      add(.word, to: end)
    default:
      if !closeInterpolation(first) { add(.mark, to: index + 1) }
    }
  }

  /// Counts a parenthesis of an interpolation.
  ///
  /// - Returns: whether it was the end of the interpolation.
  private mutating func closeInterpolation(_ byte: UInt8) -> Bool {
    guard let last = strings.indices.last else { return false }
    if byte == UInt8(ascii: "(") { strings[last].parenthesisCount += 1 }
    guard byte == UInt8(ascii: ")") else { return false }
    guard strings[last].parenthesisCount == 0 else {
      strings[last].parenthesisCount -= 1
      return false
    }
    index += 1
    isInString = true
    return true
  }

  private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
      UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }

  private mutating func readNumber() {
    var end = index
    while end < bytes.count {
      let isPoint = bytes[end] == UInt8(ascii: ".") && isDigit(byte(end + 1))
      guard isPoint || isDigit(bytes[end]) || isWord(bytes[end]) else { break }
      end += 1
    }
    add(.literal, to: end)
  }

  private mutating func readQuotedWord() {
    var end = index + 1
    while end < bytes.count, bytes[end] != UInt8(ascii: "`"), !Self.isLineEnd(bytes[end]) { end += 1 }
    if byte(end) == UInt8(ascii: "`") { add(.quotedWord, to: end + 1) } else { add(.mark, to: end) }
  }

  private mutating func skipComment() {
    let start = index
    var depth = 0
    repeat {
      if bytes[index] == UInt8(ascii: "/"), byte(index + 1) == UInt8(ascii: "*") {
        depth += 1
        index += 2
      } else if bytes[index] == UInt8(ascii: "*"), byte(index + 1) == UInt8(ascii: "/") {
        depth -= 1
        index += 2
      } else {
        if Self.isLineEnd(bytes[index]) { isFirstOfLine = true }
        index += 1
      }
    } while depth > 0 && index < bytes.count
    if depth > 0 { unterminated.append(Unterminated(offset: start, what: "comment")) }
  }

  // MARK: Regular expressions

  /// Reads an operator or a regular expression.
  private mutating func readSlash() {
    guard index >= regexBarrier, !isAfterOperand, canBeginRegex(byte(index + 1)) else {
      return add(.mark, to: index + 1)
    }
    var end = index + 1
    while end < bytes.count, !Self.isLineEnd(bytes[end]), bytes[end] != UInt8(ascii: "/") {
      end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    if byte(end) == UInt8(ascii: "/") {
      add(.literal, to: end + 1)
    } else {
      regexBarrier = end
      add(.mark, to: index + 1)
    }
  }

  private func canBeginRegex(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte != UInt8(ascii: ")") && byte != UInt8(ascii: ",") && byte != UInt8(ascii: "=")
  }

  private var isAfterOperand: Bool {
    guard let last = tokens.last else { return false }
    switch last.kind {
    case .quotedWord, .string, .literal: return true
    case .word: return !Self.wordsBeforeExpressions.contains(String(decoding: bytes[last.range], as: UTF8.self))
    // A postfix `!` or `?` is more frequent than a prefix `!` before a regular expression.
    case .mark: return ")]}?!".utf8.contains(bytes[last.range.lowerBound])
    }
  }

  /// Reads a run of `#`: the start of a raw string or of a regular expression, or a mark.
  private mutating func readPounds() {
    var end = index
    while byte(end) == UInt8(ascii: "#") { end += 1 }
    let poundCount = end - index
    switch byte(end) {
    case UInt8(ascii: "\""): openString(poundCount: poundCount)
    case UInt8(ascii: "/"): readExtendedRegex(poundCount)
    default: add(.mark, to: end)
    }
  }

  private mutating func readExtendedRegex(_ poundCount: Int) {
    let start = index
    var end = index + poundCount + 1
    let isMultiline = Self.isLineEnd(byte(end))
    while end < bytes.count, isMultiline || !Self.isLineEnd(bytes[end]) {
      if bytes[end] == UInt8(ascii: "/"), hasPounds(poundCount, at: end + 1) {
        return add(.literal, to: end + 1 + poundCount)
      }
      end += bytes[end] == UInt8(ascii: "\\") && !Self.isLineEnd(byte(end + 1)) ? 2 : 1
    }
    unterminated.append(Unterminated(offset: start, what: "regular expression"))
    add(.literal, to: min(end, bytes.count))
  }

  // MARK: Strings

  private func hasPounds(_ count: Int, at offset: Int) -> Bool {
    guard count <= bytes.count - offset else { return false }
    return bytes[offset..<offset + count].allSatisfy { $0 == UInt8(ascii: "#") }
  }

  private func hasThreeQuotes(at offset: Int) -> Bool {
    (0..<3).allSatisfy { byte(offset + $0) == UInt8(ascii: "\"") }
  }

  private mutating func openString(poundCount: Int) {
    let quote = index + poundCount
    let isMultiline = hasThreeQuotes(at: quote) && !(poundCount > 0 && endsOnItsLine(poundCount, after: quote))
    strings.append(OpenString(start: index, poundCount: poundCount, isMultiline: isMultiline))
    add(.string, to: quote + (isMultiline ? 3 : 1))
    isInString = true
  }

  /// Returns whether a raw string that begins with three quotes has one line, such as `#"""#`.
  private func endsOnItsLine(_ poundCount: Int, after quote: Int) -> Bool {
    var offset = quote + 1
    while offset < min(bytes.count, quote + Self.rawStringSearchByteCount), !Self.isLineEnd(bytes[offset]) {
      if bytes[offset] == UInt8(ascii: "\""), hasPounds(poundCount, at: offset + 1) { return true }
      offset += 1
    }
    return false
  }

  /// Reads to the end of the innermost string or to its next interpolation.
  private mutating func readString() {
    guard let open = strings.last else {
      isInString = false
      return
    }
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\\") where hasPounds(open.poundCount, at: index + 1):
        index += 1 + open.poundCount
        if byte(index) == UInt8(ascii: "(") {
          index += 1
          isInString = false
          return
        }
        // An escaped line end ends a string of one line all the same.
        if !Self.isLineEnd(byte(index)) { index += 1 }
      case UInt8(ascii: "\"") where isEnd(of: open):
        index += (open.isMultiline ? 3 : 1) + open.poundCount
        return closeString()
      case 0x0A, 0x0D:
        guard open.isMultiline else {
          unterminated.append(Unterminated(offset: open.start, what: "string"))
          return closeString()
        }
        index += 1
      default: index += 1
      }
    }
  }

  private func isEnd(of open: OpenString) -> Bool {
    guard open.isMultiline else { return hasPounds(open.poundCount, at: index + 1) }
    return hasThreeQuotes(at: index) && hasPounds(open.poundCount, at: index + 3)
  }

  private mutating func closeString() {
    strings.removeLast()
    isInString = false
  }
}
