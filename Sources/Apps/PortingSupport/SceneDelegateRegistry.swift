// swift-iap2 · Apache-2.0

public import Foundation

/// The classes of the app that iOS creates by the names in Info.plist: delegates of scenes and of the application.
///
/// A class that is found by its name on Linux cannot be instantiated, because `NSObject.init` is not `required` there. So
/// each class is registered with a closure that creates an object. `iap2 port` writes the registration of an app's classes.
@MainActor public enum SceneDelegateRegistry {
  /// A registered class.
  package struct Entry {
    /// The name of the class, such as `Module.CarPlaySceneDelegate`.
    package let name: String
    /// The name that the class has by `@objc(NAME)`.
    package let objectiveCName: String?
    /// Whether the app starts with the class as its delegate.
    package let isApplicationDelegate: Bool
    /// Creates an object.
    package let make: @MainActor () -> AnyObject
  }

  /// The result of a search.
  package enum Match {
    case found(Entry)
    /// No class has the name. The names of classes that differ by their module only.
    case unknown(similar: [String])
    /// More than one class has the name, which has a variable in the place of its module.
    case ambiguous([String])
  }

  /// The registered classes, in the order of their registration.
  package private(set) static var entries: [Entry] = []

  /// The class that the app starts with; nil if none is registered.
  package static var applicationDelegate: Entry? { entries.last { $0.isApplicationDelegate } }

  /// Registers a class. A class that is registered again is replaced.
  ///
  /// - Parameters:
  ///   - type: The class. Its name is that of the module and the class.
  ///   - objectiveCName: The name that the class has by `@objc(NAME)`.
  ///   - isApplicationDelegate: Whether the app starts with the class as its delegate.
  ///   - make: Creates an object.
  public static func register<Delegate: NSObject>(
    _ type: Delegate.Type, objectiveCName: String? = nil, isApplicationDelegate: Bool = false,
    make: @escaping @MainActor () -> Delegate
  ) {
    let entry = Entry(
      name: String(reflecting: type), objectiveCName: objectiveCName, isApplicationDelegate: isApplicationDelegate,
      make: make)
    entries.removeAll { $0.name == entry.name }
    entries.append(entry)
  }

  /// Finds a class by its name in Info.plist.
  ///
  /// - Parameter name: The name with its module, such as `App.SceneDelegate` or `$(PRODUCT_MODULE_NAME).SceneDelegate`, or
  ///   the name of `@objc(NAME)`. A variable stands for any module.
  package static func find(_ name: String) -> Match {
    if let entry = entries.first(where: { $0.name == name || $0.objectiveCName == name }) { return .found(entry) }
    let similar = entries.filter { withoutModule($0.name) == withoutModule(name) }
    guard name.hasPrefix("$"), let entry = similar.first else { return .unknown(similar: similar.map(\.name)) }
    return similar.count == 1 ? .found(entry) : .ambiguous(similar.map(\.name))
  }

  /// Removes every class.
  package static func removeAll() { entries = [] }

  private static func withoutModule(_ name: String) -> Substring {
    name.firstIndex(of: ".").map { name[name.index(after: $0)...] } ?? Substring(name)
  }
}
