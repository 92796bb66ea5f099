// swift-iap2 · Apache-2.0

extension Porter {
  /// An optional function of a protocol of Objective-C.
  struct OptionalFunction {
    var name: String
    /// The declaration without its body, on one line.
    var signature: String
    /// The body of a default implementation; nil if no value stands for a missing one.
    var defaultBody: String?
    /// The token `optional`.
    var keyword: Int
    /// The token of the brace that closes the protocol, and the protocol's name and access.
    var end: Int
    var protocolName: String
    var access: String
  }

  /// The limit of tokens in a declaration of a function, which bounds the search for its end.
  private static let signatureTokenCount = 400

  /// The optional functions of the protocols at the top level of the source.
  func optionalFunctions() -> [OptionalFunction] {
    var functions: [OptionalFunction] = []
    var depth = 0
    var current: (name: String, access: String, found: [OptionalFunction])?
    var index = 0
    while index < tokens.count {
      switch word(index) {
      case "{": depth += 1
      case "}":
        depth -= 1
        guard depth <= 0, let ended = current else { break }
        functions += ended.found.map { function in
          var function = function
          function.end = index
          return function
        }
        current = nil
      case "protocol" where depth == 0 && isName(index + 1):
        let isPublic = index > 0 && ["public", "package"].contains(word(index - 1))
        current = (source.text(tokens[index + 1].range), isPublic ? word(index - 1) + " " : "", [])
      case "optional" where depth == 1 && current != nil && index > 0:
        if let name = current?.name, let access = current?.access,
          let function = optionalFunction(after: index, name, access)
        {
          current?.found.append(function)
        }
      default: break
      }
      index += 1
    }
    return functions
  }

  private func optionalFunction(after index: Int, _ protocolName: String, _ access: String) -> OptionalFunction? {
    guard word(index + 1) == "func", isName(index + 2), word(index + 3) == "(", var last = closers[index + 3] else {
      return nil
    }
    let isOfObjectiveC = word(index - 1) == "objc" || word(index - 1) == ")"
    guard isOfObjectiveC else { return nil }
    let limit = min(tokens.count, index + Self.signatureTokenCount)
    while last + 1 < limit, continuesSignature(last + 1) { last += 1 }
    guard last < limit, !(index...last).contains(where: { tokens[$0].kind == .string }) else { return nil }
    let parameters = closers[index + 3] ?? last
    let result = (parameters..<last).first { word($0) == "-" && word($0 + 1) == ">" }.map { $0 + 2 }
    return OptionalFunction(
      name: source.text(tokens[index + 2].range), signature: line(index + 1, last),
      defaultBody: defaultBody(of: result, last), keyword: index, end: 0, protocolName: protocolName, access: access)
  }

  /// Whether a token belongs to the declaration before it: it stands on the same line or cannot begin a member.
  private func continuesSignature(_ index: Int) -> Bool {
    guard !["}", ";"].contains(word(index)) else { return false }
    return !tokens[index].isFirstOfLine || ["-", "throws", "async"].contains(word(index)) || word(index - 1) == ">"
  }

  /// The body for a result that begins at a token; nil without a value for it.
  private func defaultBody(of result: Int?, _ last: Int) -> String? {
    guard let result, result <= last else { return "{}" }
    if word(last) == "?" { return "{ nil }" }
    let isVoid = result == last && word(last) == "Void" || matches(result, "(", ")") && result + 1 == last
    return isVoid ? "{}" : nil
  }

  /// The code from a token to another one on one line, without comments.
  private func line(_ first: Int, _ last: Int) -> String {
    var text = ""
    for index in first...last {
      if index > first, !touchesNext(index - 1) { text += " " }
      text += source.text(tokens[index].range)
    }
    return text
  }

  /// Gives the optional functions default bodies, in an extension behind the protocol's closing brace.
  mutating func addDefaultBodies(_ defaulted: [OptionalFunction]) {
    for (end, group) in Dictionary(grouping: defaulted, by: \.end) {
      guard let first = group.first else { continue }
      let bodies = group.map { "\(first.access)\($0.signature) \($0.defaultBody ?? "{}")" }.joined(separator: "; ")
      let place = range(end, end)
      change(place, by: [(place.upperBound..<place.upperBound, "; extension \(first.protocolName) { \(bodies) }")])
    }
  }
}
