// swift-iap2 · Apache-2.0

/// The pass over a source's code that decides what changes and what stays behind.
struct Porter {
  let source: SourceText
  /// The code that Linux compiles.
  let tokens: [Token]
  /// The index of the parenthesis that closes the one at an index; nil for every other token and without an end.
  let closers: [Int?]
  /// The name of the type around each token; nil outside types.
  let types: [String?]
  /// Whether each token stands in an `#if`.
  let isConditional: [Bool]
  /// Whether each token is compiled for certain.
  let isCertain: [Bool]
  /// The facts of the run's sources about each other.
  let context: PortContext
  /// The tokens of the names that come from a module with views.
  var usesOfViews: [Int] = []
  /// Whether the source has to import ExternalAccessory for names that Foundation on Linux lacks.
  var needsModule = false

  /// Whether the source imports Combine, whose names come from OpenCombine.
  private(set) var importsCombine = false
  /// Whether the source imports a module with views, whose names are reported with the import.
  private(set) var importsViews = false
  /// The names of the optional members that the source declares.
  private(set) var optionalMembers: Set<String> = []
  /// The keywords `optional` of functions that get a default body.
  var defaultedKeywords: Set<Int> = []

  var edits = Edits()
  private(set) var changes: [PortedSource.Change] = []
  private(set) var remainders: [PortedSource.Remainder] = []

  init(_ source: SourceText, in context: PortContext) {
    self.source = source
    let lexer = Lexer(source.bytes)
    self.context = context
    let code = ConditionalCode(lexer.tokens, in: source, isCarPlay: context.isCarPlay, isIOS: context.isIOS)
    tokens = code.tokens
    isConditional = code.isConditional
    isCertain = code.isCertain
    closers = Self.closers(code.tokens, in: source)
    types = Self.enclosingTypes(code.tokens, in: source)
    for part in lexer.unterminated {
      leave(
        part.offset..<min(part.offset + 20, source.bytes.count),
        "this \(part.what) has no end, so the code after it is not understood; repair the source")
    }
    for gate in code.gates {
      leave(
        gate,
        "Linux leaves this code out; if it is to run on Linux, \(namesIOS(gate) ? "give --ios, or " : "")ask for "
          + "canImport(\(module)) or os(Linux), too")
    }
    for (name, other) in code.otherNames { change(name, by: [(name, other)]) }
  }

  /// Applies every rule to every token.
  mutating func run() {
    usesOfViews = context.isCarPlay ? [] : findUsesOfViews()
    needsModule = findsNeedOfModule()
    importsCombine = tokens.indices.contains { index in
      guard word(index) == "import", isStatement(index) else { return false }
      return OpenCombine.modules.contains(word(index + (Self.kindsOfImports.contains(word(index + 1)) ? 2 : 1)))
    }
    importsViews =
      context.isCarPlay
      || tokens.indices.contains { word($0) == "import" && AppleModule.ofViews.contains(word($0 + 1)) }
    let defaulted = context.isCarPlay ? optionalFunctions().filter { $0.defaultBody != nil } : []
    defaultedKeywords = Set(defaulted.map(\.keyword))
    optionalMembers = Set(
      tokens.indices.filter { matches($0, "objc", "optional", "func") && !defaultedKeywords.contains($0 + 1) }.map {
        word($0 + 3)
      })
    var index = 0
    while index < tokens.count {
      index = max(index + 1, apply(at: index))
    }
    addDefaultBodies(defaulted)
    addImports((needsModule ? [module] : []) + missingPartsOfFoundation())
    changes.sort { ($0.position.line, $0.position.column) < ($1.position.line, $1.position.column) }
    remainders.sort { ($0.position.line, $0.position.column) < ($1.position.line, $1.position.column) }
  }

  /// - Returns: the index of the next token to look at.
  private mutating func apply(at index: Int) -> Int {
    switch word(index) {
    case "@": return applyAttribute(at: index)
    case "#": return applyPoundWord(at: index)
    case "import": return isStatement(index) ? applyImport(at: index) : index + 1
    case "actor" where declaredType(index) != nil:
      leaveActorOfObjectiveC(at: index)
      return index + 1
    default:
      if tokens[index].kind == .word { applyName(at: index) }
      return index + 1
    }
  }

  private func namesIOS(_ range: Range<Int>) -> Bool { source.bytes[range].contains("iOS".utf8) }

  // MARK: Results

  /// Records a change and edits the source.
  ///
  /// - Parameters:
  ///   - range: The code that the report shows.
  ///   - replacements: The parts of it that change, in order.
  mutating func change(_ range: Range<Int>, by replacements: [(range: Range<Int>, text: String)]) {
    var becomes = Edits()
    for replacement in replacements {
      edits.replace(replacement.range, with: replacement.text)
      becomes.replace(replacement.range, with: replacement.text)
    }
    changes.append(
      PortedSource.Change(
        position: source.position(range.lowerBound), was: source.excerpt(range),
        becomes: SourceText.excerpt(becomes.applied(to: source, range))))
  }

  mutating func leave(_ range: Range<Int>, _ reason: String) {
    remainders.append(
      PortedSource.Remainder(
        position: source.position(range.lowerBound), code: source.excerpt(range), reason: reason))
  }

  // MARK: Reading

  /// The text of a token; empty after the end, and for a string or a literal, which is never a word or a mark.
  func word(_ index: Int) -> String {
    guard tokens.indices.contains(index), tokens[index].kind == .word || tokens[index].kind == .mark else { return "" }
    return source.text(tokens[index].range)
  }

  /// Whether the words of tokens are these.
  func matches(_ index: Int, _ words: String...) -> Bool {
    words.indices.allSatisfy { word(index + $0) == words[$0] }
  }

  /// Whether nothing stands between a token and the next one.
  func touchesNext(_ index: Int) -> Bool {
    index + 1 < tokens.count && tokens[index].range.upperBound == tokens[index + 1].range.lowerBound
  }

  /// The bytes from a token to another one.
  func range(_ first: Int, _ last: Int) -> Range<Int> {
    tokens[first].range.lowerBound..<tokens[min(last, tokens.count - 1)].range.upperBound
  }

  /// Whether a word begins a statement or follows an attribute or a modifier, so that it is no name of a member.
  func isStatement(_ index: Int) -> Bool { index == 0 || word(index - 1) != "." }

  private static func closers(_ tokens: [Token], in source: SourceText) -> [Int?] {
    var closers = [Int?](repeating: nil, count: tokens.count)
    var open: [Int] = []
    for (index, token) in tokens.enumerated() where token.kind == .mark {
      switch source.bytes[token.range.lowerBound] {
      case UInt8(ascii: "("): open.append(index)
      case UInt8(ascii: ")"): if let first = open.popLast() { closers[first] = index }
      default: break
      }
    }
    return closers
  }

  /// Finds the types by their keywords and braces.
  private static func enclosingTypes(_ tokens: [Token], in source: SourceText) -> [String?] {
    var types = [String?](repeating: nil, count: tokens.count)
    var open: [String?] = []
    var current: String?
    var declared: String?
    for (index, token) in tokens.enumerated() {
      types[index] = current
      if token.kind == .mark {
        switch source.bytes[token.range.lowerBound] {
        case UInt8(ascii: "{"):
          open.append(current)
          current = declared ?? current
          declared = nil
        case UInt8(ascii: "}"): if let outer = open.popLast() { current = outer }
        default: break
        }
      } else if token.kind == .word, let name = declaredName(tokens, index, in: source) {
        declared = name
      }
    }
    return types
  }

  /// Returns the name of the type whose declaration begins at a keyword.
  static func declaredName(_ tokens: [Token], _ index: Int, in source: SourceText) -> String? {
    let keywords: Set = ["class", "struct", "actor", "enum", "extension"]
    let modifiers: Set = ["func", "var", "let", "subscript", "override", "final"]
    guard index + 1 < tokens.count, tokens[index].range.count <= 9,
      keywords.contains(source.text(tokens[index].range)),
      tokens[index + 1].kind == .word || tokens[index + 1].kind == .quotedWord,
      index == 0 || source.text(tokens[index - 1].range) != "."
    else { return nil }
    var name = source.text(tokens[index + 1].range)
    guard !modifiers.contains(name) else { return nil }
    var next = index + 2
    // An extension of a nested type.
    while next + 1 < tokens.count, source.text(tokens[next].range) == ".", tokens[next + 1].kind != .mark {
      name += "." + source.text(tokens[next + 1].range)
      next += 2
    }
    return name
  }
}
