// swift-iap2 · Apache-2.0

/// The code of a source that a compiler on Linux compiles, as far as the conditions of `#if` show.
///
/// A condition has three values: true, false and unknown. Code under a false condition needs no changes.
struct ConditionalCode {
  private enum Value { case yes, no, unknown }

  /// An open `#if`.
  private struct Region {
    var outer: Bool
    /// Whether a branch so far is compiled for certain.
    var isDecided: Bool
    /// The offset and the condition of a first branch for Apple's systems only.
    var gate: Range<Int>?
    var hasOtherBranch = false
    /// Whether the code around it is compiled for certain.
    var isOuterCertain: Bool
    /// Whether a branch so far has an unknown condition.
    var hasUnknown: Bool
  }

  /// The tokens that are compiled, without the lines of `#if`.
  private(set) var tokens: [Token] = []
  /// The conditions that leave code out on Linux and have no other branch.
  private(set) var gates: [Range<Int>] = []
  /// Whether each of the tokens stands in an `#if`.
  private(set) var isConditional: [Bool] = []
  /// Whether each of the tokens is compiled for certain: no unknown condition is around it.
  private(set) var isCertain: [Bool] = []

  private let source: SourceText
  private let isCarPlay: Bool
  private let isIOS: Bool
  private var regions: [Region] = []
  private var isCompiled = true
  private var isCertainHere = true

  /// The names in conditions that have another one on Linux: that of iOS, if its code is to be compiled there, and those
  /// of modules.
  private(set) var otherNames: [(name: Range<Int>, other: String)] = []

  /// - Parameters:
  ///   - isCarPlay: Whether this project has the modules that apps for CarPlay import.
  ///   - isIOS: Whether `os(iOS)` is true.
  init(_ all: [Token], in source: SourceText, isCarPlay: Bool, isIOS: Bool) {
    self.source = source
    self.isCarPlay = isCarPlay
    self.isIOS = isIOS
    var index = 0
    while index < all.count {
      guard let directive = directive(all, index) else {
        if isCompiled {
          tokens.append(all[index])
          isConditional.append(!regions.isEmpty)
          isCertain.append(isCertainHere)
        }
        index += 1
        continue
      }
      var end = index + 2
      while end < all.count, !all[end].isFirstOfLine { end += 1 }
      handle(directive, all[index..<end])
      index = end
    }
  }

  /// Returns the word of a directive that begins at a token.
  private func directive(_ all: [Token], _ index: Int) -> String? {
    guard all[index].kind == .mark, source.text(all[index].range) == "#", index + 1 < all.count,
      all[index].range.upperBound == all[index + 1].range.lowerBound
    else { return nil }
    let word = source.text(all[index + 1].range)
    return ["if", "elseif", "else", "endif"].contains(word) ? word : nil
  }

  private mutating func handle(_ directive: String, _ line: ArraySlice<Token>) {
    let condition = line.dropFirst(2)
    for index in condition.indices { if let other = otherName(condition, index) { otherNames.append(other) } }
    switch directive {
    case "if":
      let value = value(of: condition)
      let isGate = value == .no && isForApple(condition)
      regions.append(
        Region(
          outer: isCompiled, isDecided: value == .yes,
          gate: isGate && isCompiled
            ? line.first.map { $0.range.lowerBound..<(line.last ?? $0).range.upperBound } : nil,
          isOuterCertain: isCertainHere, hasUnknown: value == .unknown))
      isCompiled = isCompiled && value != .no
      isCertainHere = isCertainHere && value != .unknown
    case "endif":
      guard let region = regions.popLast() else { return }
      if let gate = region.gate, !region.hasOtherBranch { gates.append(gate) }
      isCompiled = region.outer
      isCertainHere = region.isOuterCertain
    default:
      guard let last = regions.indices.last else { return }
      let value = directive == "else" ? .unknown : value(of: condition)
      isCompiled = regions[last].outer && !regions[last].isDecided && value != .no
      regions[last].isDecided = regions[last].isDecided || value == .yes
      regions[last].hasOtherBranch = true
      regions[last].hasUnknown = regions[last].hasUnknown || directive != "else" && value == .unknown
      isCertainHere = regions[last].isOuterCertain && !regions[last].hasUnknown
    }
  }

  // MARK: Conditions

  /// The value of a condition of `||`, `&&`, `!`, `os()` and `canImport()`. One with other parentheses is unknown.
  private func value(of condition: ArraySlice<Token>) -> Value {
    var result = Value.no
    for part in split(condition, "|") {
      var both = Value.yes
      for term in split(part, "&") {
        let value = value(ofTerm: term)
        if value == .no { both = .no } else if value == .unknown, both == .yes { both = .unknown }
      }
      if both == .yes { result = .yes } else if both == .unknown, result == .no { result = .unknown }
    }
    return condition.isEmpty ? .unknown : result
  }

  /// Splits a condition at an operator of two equal marks, outside parentheses.
  private func split(_ tokens: ArraySlice<Token>, _ mark: String) -> [ArraySlice<Token>] {
    var parts: [ArraySlice<Token>] = []
    var start = tokens.startIndex
    var depth = 0
    for index in tokens.indices {
      let text = tokens[index].kind == .mark ? source.text(tokens[index].range) : ""
      if text == "(" { depth += 1 }
      if text == ")" { depth -= 1 }
      guard depth == 0, text == mark else { continue }
      // The second of the two marks has an empty part before it.
      if start < index { parts.append(tokens[start..<index]) }
      start = index + 1
    }
    return parts + [tokens[start...]]
  }

  private func value(ofTerm term: ArraySlice<Token>) -> Value {
    let all = term.map { source.text($0.range) }
    let words = Array(all.drop { $0 == "!" })
    let isNegated = (all.count - words.count) % 2 == 1
    guard words.count == 4, words[1] == "(", words[3] == ")" else { return .unknown }
    let isTrue: Bool
    switch words[0] {
    case "os": isTrue = words[2] == "Linux" || isIOS && words[2] == "iOS"
    case "canImport" where isCarPlay && AppleModule.shapes.contains(AppleModule.places[words[2]] ?? words[2]):
      isTrue = true
    case "canImport" where OpenCombine.modules.contains(words[2]): isTrue = true
    case "canImport" where AppleModule.reason(words[2], isCarPlay: isCarPlay) != nil: isTrue = false
    case "targetEnvironment": isTrue = false
    default: return .unknown
    }
    return isTrue != isNegated ? .yes : .no
  }

  /// Returns the name in `os(iOS)` or `canImport(MODULE)` with the one that it has on Linux; nil for the same name.
  private func otherName(_ condition: ArraySlice<Token>, _ index: Int) -> (name: Range<Int>, other: String)? {
    guard index - 2 >= condition.startIndex else { return nil }
    let name = condition[index].range
    switch source.text(condition[index - 2].range) {
    case "os" where isIOS && source.text(name) == "iOS": return (name, "Linux")
    case "canImport" where source.text(name) == "Combine": return (name, OpenCombine.product)
    case "canImport" where isCarPlay: return AppleModule.places[source.text(name)].map { (name, $0) }
    default: return nil
    }
  }

  /// Returns whether a condition asks for one of Apple's systems by name.
  private func isForApple(_ condition: ArraySlice<Token>) -> Bool {
    let words = condition.map { source.text($0.range) }
    let systems: Set = ["iOS", "macOS", "OSX", "tvOS", "watchOS", "visionOS"]
    return words.indices.contains { $0 + 2 < words.count && words[$0] == "os" && systems.contains(words[$0 + 2]) }
      && !words.contains("!")
  }
}
