// swift-iap2 · Apache-2.0

/// The types that a source of an app for CarPlay declares and extends.
struct SourceDeclarations {
  /// A declaration or an extension of a type.
  struct TypeDeclaration {
    enum Kind: String {
      case `class`, `struct`, `enum`, actor, `protocol`, `extension`
    }

    var kind: Kind
    /// The name with the types around it, such as `Outer.Scene`.
    var name: String
    /// The names after the colon, each without its module or outer type.
    var inherited: [String] = []
    var modifiers: Set<String>
    /// The attributes before the declaration, such as `main`.
    var attributes: Set<String>
    /// The name of `@objc(NAME)`.
    var objectiveCName: String?
    var isGeneric = false
    /// Whether a type around it cannot be used in another file.
    var isInPrivateType = false
    /// Whether Linux compiles it for certain: no unknown condition of `#if` is around it.
    var isCertain: Bool
    /// Whether the class has an initializer that is not a convenience.
    var hasInitializer = false
    /// Whether the class has an initializer that another file can call without arguments.
    var hasPlainInitializer = false
    /// Whether the type has a method `main` of its own type.
    var hasMain = false
    /// The keyword and the name.
    var range: Range<Int>

    var isPrivate: Bool { isInPrivateType || !modifiers.isDisjoint(with: ["private", "fileprivate"]) }
  }

  private(set) var types: [TypeDeclaration] = []
  /// The names of optional functions that get a default body.
  private(set) var defaultedMembers: Set<String> = []
  /// The names of those among them that return nothing.
  private(set) var defaultedMembersWithoutResult: Set<String> = []
  let source: SourceText

  /// The limit of braces around a type. A deeper one is not read, because its name has those of all types around it. No
  /// program that people write comes near it.
  private static let maximumDepth = 100
  /// The limit of tokens in a list of inherited types, which bounds the search for its end.
  private static let inheritedTokenCount = 200
  /// The limit of tokens in the parameters of an initializer, which bounds the search for default values.
  private static let parameterTokenCount = 1000
  private static let modifiers: Set<String> = [
    "public", "open", "package", "internal", "private", "fileprivate", "final", "convenience", "required", "override",
    "nonisolated", "static", "class",
  ]

  init(_ source: SourceText, isIOS: Bool = false) {
    self.source = source
    var context = PortContext()
    context.isCarPlay = true
    context.isIOS = isIOS
    read(Porter(source, in: context))
  }

  /// The innermost type at an open brace.
  private struct Scope {
    /// The index of the type.
    var type: Int?
    /// Whether the brace is not the type's own, or is that of a type in a function.
    var isLocal: Bool
  }

  /// The attributes and modifiers before a declaration.
  private struct Prefix {
    var modifiers: Set<String> = []
    var attributes: Set<String> = []
    var objectiveCName: String?
  }

  private mutating func read(_ porter: Porter) {
    var open: [Scope] = []
    var declared: Int?
    var prefix = Prefix()
    var index = 0
    while index < porter.tokens.count {
      let word = porter.word(index)
      switch word {
      case "@":
        index = Self.readAttribute(porter, index, &prefix)
        continue
      case "{":
        let outer = open.last
        open.append(
          declared.map { Scope(type: $0, isLocal: outer?.isLocal ?? false) } ?? Scope(type: outer?.type, isLocal: true))
        declared = nil
      case "}": _ = open.popLast()
      case "init":
        if let type = open.last?.type, open.last?.isLocal == false { readInitializer(porter, index, prefix, of: type) }
      case "func" where !prefix.modifiers.isDisjoint(with: ["static", "class"]) && porter.word(index + 1) == "main":
        if let type = open.last?.type, open.last?.isLocal == false { types[type].hasMain = true }
      case _ where porter.tokens[index].kind == .word:
        if let kind = TypeDeclaration.Kind(rawValue: word), let name = porter.declaredType(index),
          open.count < Self.maximumDepth
        {
          declared = types.count
          add(porter, index, kind, name, prefix, in: open.last)
        } else if Self.modifiers.contains(word) {
          prefix.modifiers.insert(word)
          index += 1
          continue
        }
      default: break
      }
      prefix = Prefix()
      index += 1
    }
    let defaulted = porter.optionalFunctions().filter { $0.defaultBody != nil }
    defaultedMembers = Set(defaulted.map(\.name))
    defaultedMembersWithoutResult = Set(defaulted.lazy.filter { $0.defaultBody == "{}" }.map(\.name))
  }

  /// - Returns: the index of the token after the attribute.
  private static func readAttribute(_ porter: Porter, _ index: Int, _ prefix: inout Prefix) -> Int {
    let name = porter.word(index + 1)
    prefix.attributes.insert(name)
    guard porter.touchesNext(index + 1), porter.word(index + 2) == "(", let end = porter.closers[index + 2] else {
      return index + 2
    }
    if name == "objc", end == index + 4 { prefix.objectiveCName = porter.word(index + 3) }
    return end + 1
  }

  private mutating func add(
    _ porter: Porter, _ index: Int, _ kind: TypeDeclaration.Kind, _ name: String, _ prefix: Prefix, in outer: Scope?
  ) {
    let outerType = outer?.type.map { types[$0] }
    var type = TypeDeclaration(
      kind: kind, name: (outerType.map { $0.name + "." } ?? "") + name, modifiers: prefix.modifiers,
      attributes: prefix.attributes, objectiveCName: prefix.objectiveCName, isCertain: porter.isCertain[index],
      range: porter.range(index, index + 1))
    type.isInPrivateType = outer?.isLocal ?? false || outerType?.isPrivate ?? false
    var next = index + 2
    let limit = next + Self.inheritedTokenCount
    while porter.word(next) == "." { next += 2 }
    type.isGeneric = porter.word(next) == "<"
    var depth = 0
    var isList = false
    while next < min(limit, porter.tokens.count) {
      let word = porter.word(next)
      if word == "{" || word == "where" { break }
      if word == "<" || word == "(" { depth += 1 }
      if word == ">" || word == ")" { depth -= 1 }
      if word == ":", depth == 0 { isList = true }
      // The last name of a path counts: `CarPlay.CPInterfaceControllerDelegate`.
      if isList, depth == 0, porter.isName(next), porter.word(next + 1) != ".", porter.word(next - 1) != "@" {
        type.inherited.append(source.text(porter.tokens[next].range))
      }
      next += 1
    }
    types.append(type)
  }

  /// Reads an initializer that the type declares, not one that it calls.
  private mutating func readInitializer(_ porter: Porter, _ index: Int, _ prefix: Prefix, of type: Int) {
    guard index == 0 || porter.word(index - 1) != "." else { return }
    let isFailable = ["?", "!"].contains(porter.word(index + 1))
    guard porter.word(index + (isFailable ? 2 : 1)) == "(",
      let end = porter.closers[index + (isFailable ? 2 : 1)]
    else { return }
    if !prefix.modifiers.contains("convenience"), types[type].kind != .extension { types[type].hasInitializer = true }
    let first = index + 2
    guard !isFailable, prefix.modifiers.isDisjoint(with: ["private", "fileprivate"]),
      !["throws", "async"].contains(porter.word(end + 1)), end - first <= Self.parameterTokenCount,
      porter.hasDefaults(first..<end)
    else { return }
    types[type].hasPlainInitializer = true
  }
}

extension Porter {
  /// Returns the name of the type or protocol whose declaration begins at a keyword.
  func declaredType(_ index: Int) -> String? {
    guard word(index) == "protocol" else {
      return index > 0 && word(index - 1) == "import" ? nil : Self.declaredName(tokens, index, in: source)
    }
    return isName(index + 1) && isStatement(index) ? source.text(tokens[index + 1].range) : nil
  }

  func isName(_ index: Int) -> Bool {
    index < tokens.count && (tokens[index].kind == .word || tokens[index].kind == .quotedWord)
  }

  /// Returns whether every parameter between two parentheses has a default value.
  fileprivate func hasDefaults(_ parameters: Range<Int>) -> Bool {
    guard !parameters.isEmpty else { return true }
    var depth = 0
    var hasDefault = false
    for index in parameters {
      switch word(index) {
      case "(", "[", "{": depth += 1
      case ")", "]", "}": depth -= 1
      case "=" where depth == 0: hasDefault = true
      case "," where depth == 0:
        guard hasDefault else { return false }
        hasDefault = false
      default: break
      }
    }
    return hasDefault
  }
}
