// swift-iap2 · Apache-2.0

public import CarPlay
public import CarPlayPlatform
public import Intents

/// An app before its launch, as the phone has it: its entitlements, its Info.plist and the factories of its delegates.
@MainActor
public struct CarApp {
  /// The name under the icon.
  public var name: String
  /// The entitlements that the signature grants.
  public var entitlements: Set<String>
  /// The EA protocols that the entitlement of a car maker's app lists, `carplay-protocols`.
  public var accessoryProtocols: [String] = []
  /// The parts of Info.plist that CarPlay reads.
  public var manifest: AppManifest
  /// The factory of the app delegate.
  public var appDelegate: (@MainActor () -> any UIApplicationDelegate)?
  /// The factory of the CarPlay scene's delegate. Without it the manifest's class is looked up in the registry.
  public var carScene: (@MainActor () -> any UISceneDelegate)?
  /// The factory of the phone scene's delegate.
  public var phoneScene: (@MainActor () -> any UISceneDelegate)?
  /// The factory of the dashboard scene's delegate.
  public var dashboardScene: (@MainActor () -> any UISceneDelegate)?
  /// The factory of the instrument cluster scene's delegate.
  public var clusterScene: (@MainActor () -> any UISceneDelegate)?
  /// The factory of the object that provides Siri's intent handlers: the app's extension, or its delegate.
  public var intents: (@MainActor () -> any INIntentHandlerProviding)?

  /// Creates an app.
  public init(
    name: String = "App", entitlements: Set<String>, manifest: AppManifest = AppManifest(),
    appDelegate: (@MainActor () -> any UIApplicationDelegate)? = nil,
    carScene: (@MainActor () -> any UISceneDelegate)? = nil
  ) {
    self.name = name
    self.entitlements = entitlements
    self.manifest = manifest
    self.appDelegate = appDelegate
    self.carScene = carScene
  }

  /// Creates an app with the entitlements of the given categories.
  public init(
    _ categories: [AppCategory], name: String = "App",
    carScene: @escaping @MainActor () -> any UISceneDelegate
  ) {
    self.init(name: name, entitlements: Set(categories.map(\.entitlement)), carScene: carScene)
  }
}

/// The parts of an Info.plist that CarPlay reads (CarPlay/Behavior.md#info-plist).
public struct AppManifest: Sendable, Hashable {
  /// The configuration of a scene.
  public struct Scene: Sendable, Hashable {
    /// The name, `UISceneConfigurationName`.
    public var name: String?
    /// The class of the scene, `UISceneClassName`.
    public var sceneClass: String?
    /// The class of the delegate, `UISceneDelegateClassName`, without expansion.
    public var delegateClass: String?

    /// Creates a configuration.
    public init(name: String? = nil, sceneClass: String? = nil, delegateClass: String? = nil) {
      self.name = name
      self.sceneClass = sceneClass
      self.delegateClass = delegateClass
    }
  }

  /// Whether the app has a scene manifest.
  public var hasScenes = false
  /// Whether the app supports several scenes.
  public var supportsMultipleScenes = false
  /// Whether the app has a dashboard scene.
  public var supportsDashboard = false
  /// Whether the app has an instrument cluster scene.
  public var supportsCluster = false
  /// The configurations by the role's raw name.
  public var scenes: [String: [Scene]] = [:]
  /// Whether the children of the old content API's root are tabs.
  public var hasSectionedBrowsing = false
  /// Whether the old content API may start playback immediately.
  public var hasImmediatePlayback = false
  /// The background modes.
  public var backgroundModes: [String] = []

  /// Creates an empty manifest, for an app whose delegates are given as closures.
  public init() {}
}
