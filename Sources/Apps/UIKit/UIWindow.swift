// swift-iap2 · Apache-2.0

public import Foundation

/// A window of the phone or of a screen of the car.
@preconcurrency @MainActor open class UIWindow: UIView {
  /// The screen of the window.
  open var screen = UIScreen.main
  /// The scene of the window.
  open weak var windowScene: UIWindowScene? {
    didSet {
      guard windowScene !== oldValue else { return }
      oldValue?.windows.removeAll { $0 === self }
      windowScene?.windows.append(self)
    }
  }

  /// The windows of the app, weakly, for the host of a car.
  private static var made: [WeakWindow] = []

  private struct WeakWindow { weak var window: UIWindow? }

  /// Returns the window that the app shows on a screen; nil without one.
  package static func shown(on screen: UIScreen) -> UIWindow? {
    made.removeAll { $0.window == nil }
    return made.lazy.compactMap(\.window).last { $0.screen === screen && !$0.isHidden }
  }

  /// The controller whose view fills the window. A window that is shown loads the view at once.
  open var rootViewController: UIViewController? {
    didSet {
      guard rootViewController !== oldValue else { return }
      oldValue?.disappear(animated: false) { oldValue?.viewIfLoaded?.removeFromSuperview() }
      if !isHidden { showRoot() }
    }
  }

  /// Whether the window is hidden. A new window is.
  open override var isHidden: Bool {
    didSet {
      guard isHidden != oldValue else { return }
      if isHidden { rootViewController?.disappear(animated: false) } else { showRoot() }
    }
  }

  /// The insets that bars and cards of the car cover. The host sets them.
  package final var hostSafeAreaInsets = UIEdgeInsets.zero {
    didSet { if hostSafeAreaInsets != oldValue { updateSafeArea() } }
  }

  /// The traits that the host gives the window; nil for those of the screen.
  package final var hostTraits: UITraitCollection? {
    didSet {
      let previous = oldValue ?? screen.traitCollection
      if previous != hostTraits ?? screen.traitCollection { rootViewController?.traitsDidChange(from: previous) }
    }
  }

  /// Creates a hidden window.
  public override init(frame: CGRect) {
    super.init(frame: frame)
    isHidden = true
    Self.made.removeAll { $0.window == nil }
    Self.made.append(WeakWindow(window: self))
  }

  /// Creates a hidden window of a scene, as large as its screen.
  public convenience init(windowScene: UIWindowScene) {
    self.init(frame: windowScene.screen.bounds)
    screen = windowScene.screen
    attach(to: windowScene)
  }

  /// Sets the scene. The observer of the property is not called within an initializer.
  private func attach(to windowScene: UIWindowScene) { self.windowScene = windowScene }

  /// Returns nil: Linux has no archives of views.
  public required init?(coder: NSCoder) { return nil }

  /// Shows the window.
  open func makeKeyAndVisible() { isHidden = false }

  /// The window itself.
  open override var window: UIWindow? { self }

  /// The traits of the screen, or those that the host gave.
  open override var traitCollection: UITraitCollection {
    let base = hostTraits ?? screen.traitCollection
    guard overrideUserInterfaceStyle != .unspecified else { return base }
    return UITraitCollection(traitsFrom: [base, UITraitCollection(userInterfaceStyle: overrideUserInterfaceStyle)])
  }

  /// The scene of the window.
  open override var next: UIResponder? { windowScene ?? UIApplication.shared }

  override var inheritedSafeAreaInsets: UIEdgeInsets { hostSafeAreaInsets }

  private func showRoot() {
    guard let root = rootViewController, let view = root.view else { return }
    root.appear(animated: false) {
      view.autoresizingMask = [.flexibleWidth, .flexibleHeight]
      view.frame = bounds
      insertSubview(view, at: 0)
    }
  }
}
