// swift-iap2 · Apache-2.0

/// The facts of a run's sources about each other, as far as a change in one of them depends on it.
struct PortContext {
  /// Whether the sources are those of an app for CarPlay, for which this project has UIKit and other modules.
  var isCarPlay = false
  /// The names of the functions that a protocol of a source declares as optional and that get a default body.
  private(set) var defaultedMembers: Set<String> = []
  /// The classes that iOS creates by their names.
  private(set) var registration = DelegateRegistration([])

  /// The classes that are delegates of the application.
  var applicationDelegates: Set<String> { registration.applicationDelegates }

  init() {}

  /// - Parameter isCarPlay: Whether the sources are those of an app for CarPlay; nil if an import of CarPlay decides.
  init(_ sources: [SourceText], isCarPlay: Bool? = nil) {
    self.isCarPlay = isCarPlay ?? sources.contains(where: Self.importsCarPlay)
    guard self.isCarPlay else { return }
    let declarations = sources.map(SourceDeclarations.init)
    defaultedMembers = declarations.reduce(into: []) { $0.formUnion($1.defaultedMembers) }
    registration = DelegateRegistration(declarations)
  }

  private static func importsCarPlay(_ source: SourceText) -> Bool {
    let name = "CarPlay"
    // Most sources do not have the name at all.
    guard source.bytes.contains(name.utf8) else { return false }
    let tokens = Lexer(source.bytes).tokens
    return tokens.indices.dropLast().contains { index in
      source.text(tokens[index].range) == "import" && source.text(tokens[index + 1].range) == name
    }
  }
}
