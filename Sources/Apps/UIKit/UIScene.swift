// swift-iap2 · Apache-2.0

public import Foundation
import PortingSupport

/// An instance of the app's user interface: on the phone, or on a screen of the car.
@preconcurrency @MainActor open class UIScene: UIResponder {
  /// A state of a scene.
  public enum ActivationState: Int, Sendable {
    /// The scene is not connected.
    case unattached = -1
    /// The scene is in front and gets events.
    case foregroundActive = 0
    /// The scene is in front and gets no events.
    case foregroundInactive = 1
    /// The scene is not in front.
    case background = 2
  }

  /// The reasons of a connection of a scene.
  @preconcurrency @MainActor open class ConnectionOptions: NSObject {
    /// The URLs that the scene opens.
    public final let urlContexts: Set<UIOpenURLContext>

    /// Creates options.
    package init(urlContexts: Set<UIOpenURLContext>) {
      self.urlContexts = urlContexts
      super.init()
    }

    /// Creates options without URLs.
    public convenience override init() { self.init(urlContexts: []) }
  }

  /// Options of a URL that came from another app.
  @preconcurrency @MainActor open class OpenURLOptions: NSObject {
    /// The bundle identifier of the other app.
    public final let sourceApplication: String?
    /// Whether the app must use the document where it is.
    public final let openInPlace: Bool

    /// Creates options.
    package init(sourceApplication: String?, openInPlace: Bool) {
      self.sourceApplication = sourceApplication
      self.openInPlace = openInPlace
      super.init()
    }
  }

  /// Options of a URL that another app is to open.
  @preconcurrency @MainActor open class OpenExternalURLOptions: NSObject {
    /// Whether only an app that owns the URL's site may open it.
    public final var universalLinksOnly = false
  }

  /// The session of the scene.
  public final let session: UISceneSession
  /// The delegate. The scene retains it.
  open var delegate: (any UISceneDelegate)?
  /// The state.
  public package(set) final var activationState = ActivationState.unattached
  /// The title for the user.
  open var title: String?
  /// The host's function that opens URLs for the scene. Without it, no URL is opened.
  package final var opener: (@MainActor (URL, UIScene.OpenExternalURLOptions?) -> Bool)?

  /// Creates a scene that is not connected.
  public init(session: UISceneSession, connectionOptions: UIScene.ConnectionOptions) {
    self.session = session
    super.init()
    session.scene = self
  }

  /// Opens a URL in the app that handles it. On a screen of the car that app must have CarPlay.
  open func open(
    _ url: URL, options: UIScene.OpenExternalURLOptions?,
    completionHandler completion: (@MainActor (Bool) -> Void)? = nil
  ) {
    let isOpen = opener?(url, options) ?? false
    DispatchQueue.main.async { completion?(isOpen) }
  }

  /// Responders above a scene: the application.
  open override var next: UIResponder? { UIApplication.shared }
}

/// A scene with windows on the phone.
@preconcurrency @MainActor open class UIWindowScene: UIScene {
  /// The windows of the scene.
  public package(set) final var windows: [UIWindow] = []
  /// The screen of the scene.
  public package(set) final var screen = UIScreen.main
  /// The traits of the scene.
  open var traitCollection: UITraitCollection { screen.traitCollection }
}

/// A URL for a scene.
@preconcurrency @MainActor open class UIOpenURLContext: NSObject {
  /// The URL.
  public final let url: URL
  /// The options.
  public final let options: UIScene.OpenURLOptions

  /// Creates a context.
  package init(url: URL, options: UIScene.OpenURLOptions) {
    self.url = url
    self.options = options
    super.init()
  }
}

/// A delegate that follows the life cycle of a scene. All methods are optional.
@preconcurrency @MainActor public protocol UISceneDelegate: NSObjectProtocol {
  /// Tells the delegate that the scene is added to the app.
  func scene(
    _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions)
  /// Tells the delegate that the scene is removed. Its objects are dead.
  func sceneDidDisconnect(_ scene: UIScene)
  /// Tells the delegate that the scene gets events.
  func sceneDidBecomeActive(_ scene: UIScene)
  /// Tells the delegate that the scene will get no events.
  func sceneWillResignActive(_ scene: UIScene)
  /// Tells the delegate that the scene comes to the front.
  func sceneWillEnterForeground(_ scene: UIScene)
  /// Tells the delegate that the scene is no longer in front.
  func sceneDidEnterBackground(_ scene: UIScene)
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Tells the delegate that the scene opens URLs.
  func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>)
}

extension UISceneDelegate {
  /// Does nothing.
  public func scene(
    _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
  ) {
    OptionalMethod.isMissing(in: self)
  }
  /// Does nothing.
  public func sceneDidDisconnect(_ scene: UIScene) {
    OptionalMethod.isMissing(in: self)
  }
  /// Does nothing.
  public func sceneDidBecomeActive(_ scene: UIScene) {
    OptionalMethod.isMissing(in: self)
  }
  /// Does nothing.
  public func sceneWillResignActive(_ scene: UIScene) {
    OptionalMethod.isMissing(in: self)
  }
  /// Does nothing.
  public func sceneWillEnterForeground(_ scene: UIScene) {
    OptionalMethod.isMissing(in: self)
  }
  /// Does nothing.
  public func sceneDidEnterBackground(_ scene: UIScene) {
    OptionalMethod.isMissing(in: self)
  }
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Does nothing.
  public func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {
    OptionalMethod.isMissing(in: self)
  }
}

/// The delegate of a scene with windows on the phone.
@preconcurrency @MainActor public protocol UIWindowSceneDelegate: UISceneDelegate {
  /// The window of the scene.
  var window: UIWindow? { get set }
}

extension UIWindowSceneDelegate {
  /// No window. A delegate that has one declares the property itself.
  public var window: UIWindow? {
    get { nil }
    set {}
  }
}
