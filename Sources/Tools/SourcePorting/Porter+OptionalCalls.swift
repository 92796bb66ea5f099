// swift-iap2 · Apache-2.0

/// Uses of functions that are optional in a protocol of Objective-C and have a default body on Linux.
///
/// An object without the function gets the default body there. So a use that depends on the absence of the function is
/// left: its fallback would not run any more.
extension Porter {
  private static let noFallback =
    "on Linux every object has the function, because it has a default body, so the fallback would not run; move the "
    + "function to a protocol of its own, and ask the object for it with `as?`"

  /// The limit of tokens before a call that are read to find the beginning of its statement.
  private static let chainTokenCount = 400

  /// A use of an optional function.
  ///
  /// - Parameter hasNoResult: Whether the function returns nothing. The default body of any other one returns nil, as
  ///   the call of a missing function does.
  mutating func applyUseOfOptional(at index: Int, hasNoResult: Bool) {
    if matches(index + 1, "?", "("), let end = closers[index + 2] {
      if hasNoResult, isValueUsed(index, end) {
        leave(range(index, index + 1), Self.noFallback)
      } else {
        change(range(index, index + 1), by: [(range(index + 1, index + 1), "")])
      }
    } else if matches(index + 1, "?", "?") {
      leave(range(index, index), Self.noFallback)
    } else if matches(index + 1, "!", "=", "nil") || matches(index + 1, "=", "=", "nil") {
      leave(range(index, index + 3), Self.noFallback)
    } else if matches(index + 1, "!", "("), touchesNext(index) {
      leave(range(index, index + 1), "the function has a default body; remove the exclamation mark")
    } else if word(index + 1) != "(", isBound(startOfChain(index)) {
      leave(range(index, index), Self.noFallback)
    }
  }

  /// Whether the code uses the value of a call: as an operand, as an argument or in a condition.
  private func isValueUsed(_ name: Int, _ end: Int) -> Bool {
    if matches(end + 1, "?", "?") || matches(end + 1, "!", "=") || matches(end + 1, "=", "=") { return true }
    let start = startOfChain(name)
    guard start > 0 else { return false }
    switch word(start - 1) {
    case "=": return start < 3 || word(start - 2) != "_" || Self.bindings.contains(word(start - 3))
    case "(", "[", ",", "return", "?", "&", "|", "case", "switch": return true
    // The last expression of a closure is its value; a closure whose value is `Void?` is rare, so a call counts as a
    // statement.
    default: return false
    }
  }

  private static let bindings: Set<String> = ["let", "var"]

  /// Whether an expression that begins at a token is bound by `if let`, `guard var`, `if case let name?` and their kin.
  private func isBound(_ start: Int) -> Bool {
    guard start >= 4, word(start - 1) == "=" else { return false }
    let name = word(start - 2) == "?" ? start - 3 : start - 2
    return Self.bindings.contains(word(name - 1)) && (isName(name) || word(name) == "_")
  }

  /// The first token of the chain of members that ends in a name: `a` in `a?.b[0].name`.
  private func startOfChain(_ name: Int) -> Int {
    var index = name
    let limit = max(0, name - Self.chainTokenCount)
    while index - 2 >= limit, word(index - 1) == "." {
      index -= 2
      while index > limit, ["?", "!"].contains(word(index)) { index -= 1 }
      while index > limit, [")", "]"].contains(word(index)) {
        guard let open = opener(of: index, limit) else { return index }
        index = open
        // The name of the function or of the collection, if the parenthesis is not the whole operand.
        guard index > limit, touchesNext(index - 1), isName(index - 1) || [")", "]"].contains(word(index - 1)) else {
          break
        }
        index -= 1
      }
    }
    return index
  }

  /// The token that opens what another one closes.
  private func opener(of close: Int, _ limit: Int) -> Int? {
    var depth = 0
    for index in stride(from: close, through: limit, by: -1) {
      if [")", "]"].contains(word(index)) { depth += 1 }
      if ["(", "["].contains(word(index)) { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }
}
