// swift-iap2 · Apache-2.0

public import Foundation

/// The session of a scene. It outlives the scene's object.
@preconcurrency @MainActor open class UISceneSession: NSObject {
  /// The purpose of a scene.
  public struct Role: RawRepresentable, Hashable, Sendable {
    /// The text that Info.plist has.
    public let rawValue: String

    /// Creates a role from the text that Info.plist has.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A scene with windows on the phone.
    public static let windowApplication = Role(rawValue: "UIWindowSceneSessionRoleApplication")
  }

  /// The role.
  public final let role: UISceneSession.Role
  /// The configuration.
  public package(set) final var configuration: UISceneConfiguration
  /// The identifier.
  public final let persistentIdentifier: String
  /// The connected scene.
  public internal(set) final weak var scene: UIScene?
  /// Values of the app.
  open var userInfo: [String: Any]?

  /// Creates a session.
  package init(
    role: UISceneSession.Role, configuration: UISceneConfiguration, persistentIdentifier: String = UUID().uuidString
  ) {
    self.role = role
    self.configuration = configuration
    self.persistentIdentifier = persistentIdentifier
    super.init()
  }
}

/// The classes of a scene and of its delegate.
@preconcurrency @MainActor open class UISceneConfiguration: NSObject {
  /// The name in Info.plist.
  public final let name: String?
  /// The role.
  public final let role: UISceneSession.Role
  /// The class of the scene.
  open var sceneClass: AnyClass?
  /// The class of the delegate.
  open var delegateClass: AnyClass?

  /// Creates a configuration.
  public init(name: String?, sessionRole: UISceneSession.Role) {
    self.name = name
    role = sessionRole
    super.init()
  }
}
