// swift-iap2 · Apache-2.0

/// The facts of a run's sources about each other, as far as a change in one of them depends on it.
struct PortContext {
  /// Whether the sources are those of an app for CarPlay, for which this project has UIKit and other modules.
  var isCarPlay = false
  /// Whether code behind `#if os(iOS)` is compiled on Linux.
  var isIOS = false
  /// The names of the functions that a protocol of a source declares as optional and that get a default body.
  private(set) var defaultedMembers: Set<String> = []
  /// The names of those among them that return nothing. The value of a call of one is nil only without the function.
  private(set) var defaultedMembersWithoutResult: Set<String> = []
  /// The names of the types that the sources declare.
  private(set) var declaredTypes: Set<String> = []
  /// The names of the protocols among them.
  private(set) var protocols: Set<String> = []
  /// The types with a method `main` of their type, also from a superclass or a protocol of the sources.
  private(set) var typesWithMain: Set<String> = []
  /// The classes that iOS creates by their names.
  private(set) var registration = DelegateRegistration([])

  /// The classes that are delegates of the application.
  var applicationDelegates: Set<String> { registration.applicationDelegates }

  init() {}

  private static func typesWithMain(_ types: [SourceDeclarations.TypeDeclaration]) -> Set<String> {
    var found = Set(types.lazy.filter(\.hasMain).map(\.name))
    var count = 0
    while count < found.count {
      count = found.count
      found.formUnion(types.filter { !found.isDisjoint(with: $0.inherited) }.map(\.name))
    }
    return found
  }

  /// - Parameters:
  ///   - isCarPlay: Whether the sources are those of an app for CarPlay; nil if an import of CarPlay decides.
  ///   - isIOS: Whether code behind `#if os(iOS)` is compiled on Linux.
  init(_ sources: [SourceText], isCarPlay: Bool? = nil, isIOS: Bool = false) {
    self.isCarPlay = isCarPlay ?? sources.contains(where: Self.importsCarPlay)
    self.isIOS = isIOS
    let declarations = sources.map { SourceDeclarations($0, isIOS: isIOS) }
    let types = declarations.flatMap(\.types)
    declaredTypes = Set(types.lazy.filter { $0.kind != .extension }.map(\.name))
    protocols = Set(types.lazy.filter { $0.kind == .protocol }.map(\.name))
    guard self.isCarPlay else { return }
    typesWithMain = Self.typesWithMain(types)
    defaultedMembers = declarations.reduce(into: []) { $0.formUnion($1.defaultedMembers) }
    defaultedMembersWithoutResult = declarations.reduce(into: []) { $0.formUnion($1.defaultedMembersWithoutResult) }
    registration = DelegateRegistration(declarations)
  }

  private static func importsCarPlay(_ source: SourceText) -> Bool {
    let name = "CarPlay"
    // Most sources do not have the name at all.
    guard source.bytes.contains(name.utf8) else { return false }
    let tokens = Lexer(source.bytes).tokens
    return tokens.indices.contains { index in
      guard source.text(tokens[index].range) == "import", index + 1 < tokens.count else { return false }
      // An import of one declaration has its kind first: `import class CarPlay.CPTemplate`.
      let isOfKind = Porter.kindsOfImports.contains(source.text(tokens[index + 1].range))
      let first = isOfKind ? index + 2 : index + 1
      return first < tokens.count && source.text(tokens[first].range) == name
    }
  }
}
