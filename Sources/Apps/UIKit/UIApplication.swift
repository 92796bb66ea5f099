// swift-iap2 · Apache-2.0

public import Foundation
import PortingSupport

/// The app as a whole.
@preconcurrency @MainActor open class UIApplication: UIResponder {
  /// A state of the app.
  public enum State: Int, Sendable {
    /// A scene of the app gets events.
    case active = 0
    /// The app is in front and gets no events.
    case inactive = 1
    /// No scene of the app is in front.
    case background = 2
  }

  /// The key of an option of the launch.
  public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
    /// The text of the key.
    public let rawValue: String

    /// Creates a key.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// The key of an option of a URL that another app is to open.
  public struct OpenExternalURLOptionsKey: RawRepresentable, Hashable, Sendable {
    /// The text of the key.
    public let rawValue: String

    /// Creates a key.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Whether only an app that owns the URL's site may open it.
    public static let universalLinksOnly = OpenExternalURLOptionsKey(
      rawValue: "UIApplicationOpenURLOptionUniversalLinksOnly")
  }

  /// The app.
  public package(set) static var shared = UIApplication()

  /// The delegate. It is not retained.
  open weak var delegate: (any UIApplicationDelegate)?
  /// The state. The host sets it, and observers get the notifications of the change.
  public package(set) final var applicationState = State.inactive {
    willSet {
      if applicationState == .active, newValue != .active { post(Self.willResignActiveNotification) }
      if applicationState == .background, newValue != .background { post(Self.willEnterForegroundNotification) }
    }
    didSet {
      if oldValue != .background, applicationState == .background { post(Self.didEnterBackgroundNotification) }
      if oldValue != .active, applicationState == .active { post(Self.didBecomeActiveNotification) }
    }
  }
  /// The connected scenes, on the phone and in the car.
  public package(set) final var connectedScenes: Set<UIScene> = []
  /// The direction of the user interface. A car with the wheel on the right does not change it.
  open var userInterfaceLayoutDirection: UIUserInterfaceLayoutDirection { .leftToRight }
  /// Whether the phone stays on while the user does not touch it. It has no effect on a car.
  open var isIdleTimerDisabled = false
  /// The number of background tasks that the app began.
  final var backgroundTaskCount = 0
  /// The host's function that opens URLs for the app. Without it, no URL is opened.
  package final var opener: (@MainActor (URL) -> Bool)?

  /// Creates the app. The host creates one for each launch.
  package override init() { super.init() }

  /// The name of the notification that the app gets events.
  public nonisolated static let didBecomeActiveNotification = Notification.Name(
    "UIApplicationDidBecomeActiveNotification")
  /// The name of the notification that the app will get no events.
  public nonisolated static let willResignActiveNotification = Notification.Name(
    "UIApplicationWillResignActiveNotification")
  /// The name of the notification that the app is no longer in front.
  public nonisolated static let didEnterBackgroundNotification = Notification.Name(
    "UIApplicationDidEnterBackgroundNotification")
  /// The name of the notification that the app comes to the front.
  public nonisolated static let willEnterForegroundNotification = Notification.Name(
    "UIApplicationWillEnterForegroundNotification")

  private func post(_ name: Notification.Name) { SystemNotification.post(name, object: self) }

  /// Opens a URL in the app that handles it.
  @preconcurrency
  open func open(
    _ url: URL, options: [UIApplication.OpenExternalURLOptionsKey: Any] = [:],
    completionHandler completion: (@MainActor @Sendable (Bool) -> Void)? = nil
  ) {
    let isOpen = opener?(url) ?? false
    DispatchQueue.main.async { completion?(isOpen) }
  }
}

/// A delegate that follows the life cycle of the app. All methods are optional.
@preconcurrency @MainActor public protocol UIApplicationDelegate: NSObjectProtocol {
  /// The window of an app without scenes.
  var window: UIWindow? { get set }
  /// Tells the delegate that the launch has begun.
  func application(
    _ application: UIApplication, willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool
  /// Tells the delegate that the launch is almost done. No scene may be connected yet.
  func application(
    _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool
  /// Returns the configuration of a scene that will be connected.
  func application(
    _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
    options: UIScene.ConnectionOptions
  ) -> UISceneConfiguration
  /// Tells the delegate that the user discarded scenes.
  func application(_ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>)
  /// Tells the delegate that the app gets events.
  func applicationDidBecomeActive(_ application: UIApplication)
  /// Tells the delegate that the app will get no events.
  func applicationWillResignActive(_ application: UIApplication)
  /// Tells the delegate that the app is no longer in front.
  func applicationDidEnterBackground(_ application: UIApplication)
  /// Tells the delegate that the app comes to the front.
  func applicationWillEnterForeground(_ application: UIApplication)
  /// Tells the delegate that the app ends.
  func applicationWillTerminate(_ application: UIApplication)
}

extension UIApplicationDelegate {
  /// No window. A delegate that has one declares the property itself.
  public var window: UIWindow? {
    get { nil }
    set {}
  }
  /// Returns true.
  public func application(
    _ application: UIApplication, willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    OptionalMethod.isMissing(in: self)
    return true
  }
  /// Returns true.
  public func application(
    _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    OptionalMethod.isMissing(in: self)
    return true
  }
  /// Returns the configuration of the session, which is the one of Info.plist.
  public func application(
    _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
    options: UIScene.ConnectionOptions
  ) -> UISceneConfiguration {
    OptionalMethod.isMissing(in: self)
    return connectingSceneSession.configuration
  }
  /// Does nothing.
  public func application(_ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>) {
    OptionalMethod.isMissing(in: self)
  }
  /// Does nothing.
  public func applicationDidBecomeActive(_ application: UIApplication) {
    OptionalMethod.isMissing(in: self)
  }
  /// Does nothing.
  public func applicationWillResignActive(_ application: UIApplication) {
    OptionalMethod.isMissing(in: self)
  }
  /// Does nothing.
  public func applicationDidEnterBackground(_ application: UIApplication) {
    OptionalMethod.isMissing(in: self)
  }
  /// Does nothing.
  public func applicationWillEnterForeground(_ application: UIApplication) {
    OptionalMethod.isMissing(in: self)
  }
  /// Does nothing.
  public func applicationWillTerminate(_ application: UIApplication) {
    OptionalMethod.isMissing(in: self)
  }
}

extension UIApplicationDelegate where Self: UIWindowSceneDelegate {
  /// No window, for a delegate of the app and of a scene.
  public var window: UIWindow? {
    get { nil }
    set {}
  }
}
