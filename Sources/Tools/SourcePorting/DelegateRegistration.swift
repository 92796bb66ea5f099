// swift-iap2 · Apache-2.0

/// The classes of an app that iOS creates by their names, and the source that registers them.
struct DelegateRegistration {
  /// A class that cannot be registered.
  struct Problem {
    /// The index of the source that declares the class.
    var source: Int
    var range: Range<Int>
    var reason: String
  }

  /// A class that is registered.
  struct Registered: Equatable {
    var name: String
    var objectiveCName: String?
    var isApplicationDelegate: Bool
  }

  /// The name of the file with the registration.
  static let fileName = "PortedSceneDelegates.swift"

  private static let applicationProtocols: Set<String> = ["UIApplicationDelegate", "CPApplicationDelegate"]
  private static let sceneProtocols: Set<String> = [
    "UISceneDelegate", "UIWindowSceneDelegate", "CPTemplateApplicationSceneDelegate",
    "CPTemplateApplicationDashboardSceneDelegate", "CPTemplateApplicationInstrumentClusterSceneDelegate",
  ]

  private(set) var registered: [Registered] = []
  private(set) var problems: [Problem] = []
  /// The classes that adopt a protocol of delegates of the application.
  private(set) var applicationDelegates: Set<String> = []

  init(_ sources: [SourceDeclarations]) {
    let types = sources.flatMap(\.types)
    let ofApplication = Self.heirs(of: Self.applicationProtocols, in: types)
    let ofScenes = Self.heirs(of: Self.sceneProtocols, in: types)
    let plain = Set(types.lazy.filter(\.hasPlainInitializer).map(\.name))
    var classes: [(source: Int, type: SourceDeclarations.TypeDeclaration)] = []
    for (index, source) in sources.enumerated() {
      classes += source.types.lazy.filter { type in
        type.kind == .class && (ofApplication.contains(type.name) || ofScenes.contains(type.name))
      }.map { (index, $0) }
    }
    let delegates = classes.map(\.type).filter { ofApplication.contains($0.name) }
    applicationDelegates = Set(delegates.map(\.name))
    let first = Self.first(delegates)
    var names: Set<String> = []
    for (source, type) in classes {
      if let reason = Self.reason(type, isPlain: plain.contains(type.name)) {
        problems.append(Problem(source: source, range: type.range, reason: reason))
      } else if names.insert(type.name).inserted {
        registered.append(
          Registered(
            name: type.name, objectiveCName: type.objectiveCName, isApplicationDelegate: first == type.name))
      }
    }
    registered.sort { $0.name < $1.name }
    guard applicationDelegates.count > 1, first == nil else { return }
    for (source, type) in classes where ofApplication.contains(type.name) {
      problems.append(
        Problem(
          source: source, range: type.range,
          reason: "several classes are delegates of the application and none has @main; name one to the host"))
    }
  }

  /// The types that inherit from a protocol, directly or not.
  private static func heirs(
    of protocols: Set<String>, in types: [SourceDeclarations.TypeDeclaration]
  ) -> Set<String> {
    var direct: [String: [String]] = [:]
    for type in types { for name in Set(type.inherited) { direct[name, default: []].append(type.name) } }
    var found: Set<String> = []
    var next = protocols.flatMap { direct[$0] ?? [] }
    while let name = next.popLast() {
      guard found.insert(name).inserted else { continue }
      // A list of inherited types has names without the types around them.
      next += direct[name.split(separator: ".").last.map(String.init) ?? name] ?? []
    }
    return found
  }

  /// The class that the app starts with: the one that has `@main`, or the only one.
  private static func first(_ delegates: [SourceDeclarations.TypeDeclaration]) -> String? {
    let marked = delegates.first { !$0.attributes.isDisjoint(with: ["main", "UIApplicationMain"]) }
    return marked?.name ?? (Set(delegates.map(\.name)).count == 1 ? delegates.first?.name : nil)
  }

  /// The reason why a class cannot be registered; nil if it can.
  private static func reason(
    _ type: SourceDeclarations.TypeDeclaration, isPlain: Bool
  ) -> String? {
    if !type.isCertain {
      return "#if decides whether the class exists; register it with SceneDelegateRegistry.register beside it"
    }
    if type.isPrivate { return "the class is private, so no other file can create it; remove the modifier" }
    if type.isGeneric { return "iOS creates no generic class by its name" }
    if type.hasInitializer, !isPlain {
      return "the class cannot be created without arguments; give it an init() that other files can call"
    }
    return nil
  }

  /// The source that registers the classes.
  var text: String {
    var lines = [
      "// The classes of the app that iOS creates by the names in Info.plist.", "", "import UIKit", "",
      "/// The delegates of the app's scenes and of the app.", "@MainActor public enum PortedSceneDelegates {",
      "  /// Registers the classes, so that a host can create them by their names.",
      "  public static func register() {",
    ]
    for type in registered {
      let name = type.objectiveCName.map { ", objectiveCName: \"\($0)\"" } ?? ""
      let first = type.isApplicationDelegate ? ", isApplicationDelegate: true" : ""
      lines.append("    SceneDelegateRegistry.register(\(type.name).self\(name)\(first)) { \(type.name)() }")
    }
    return (lines + ["  }", "}", ""]).joined(separator: "\n")
  }
}
