// swift-iap2 · Apache-2.0

public import Foundation

/// A controller of a view: the map of a navigation app, or a page on the phone.
@preconcurrency @MainActor open class UIViewController: UIResponder {
  private var loadedView: UIView?
  /// The controller that has this one as a child.
  public private(set) final weak var parent: UIViewController?
  /// The children.
  public private(set) final var children: [UIViewController] = []
  /// The controller that this one presents.
  public private(set) final var presentedViewController: UIViewController?
  /// The controller that presents this one.
  public private(set) final weak var presentingViewController: UIViewController?
  /// The title.
  open var title: String?
  /// The insets that the controller adds to the safe area of its view.
  open var additionalSafeAreaInsets = UIEdgeInsets.zero {
    didSet { if additionalSafeAreaInsets != oldValue { loadedView?.updateSafeArea() } }
  }
  /// The appearance of the controller; `unspecified` for that of the window.
  open var overrideUserInterfaceStyle = UIUserInterfaceStyle.unspecified {
    didSet { loadedView?.overrideUserInterfaceStyle = overrideUserInterfaceStyle }
  }
  private var appearance = Appearance.disappeared

  private enum Appearance { case disappeared, appeared }

  /// Creates a controller. The name of a nib is ignored, because Linux has no nibs.
  public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { super.init() }

  /// Creates a controller.
  public convenience override init() { self.init(nibName: nil, bundle: nil) }

  /// Returns nil: Linux has no archives of controllers.
  public required init?(coder: NSCoder) { return nil }

  // MARK: View

  /// The view. The first use loads it and then calls ``viewDidLoad()``.
  open var view: UIView! {
    get {
      loadViewIfNeeded()
      return loadedView
    }
    set {
      loadedView?.controller = nil
      loadedView = newValue
      newValue?.controller = self
      if overrideUserInterfaceStyle != .unspecified {
        newValue?.overrideUserInterfaceStyle = overrideUserInterfaceStyle
      }
    }
  }

  /// The view if it is loaded.
  public final var viewIfLoaded: UIView? { loadedView }

  /// Whether the view is loaded.
  public final var isViewLoaded: Bool { loadedView != nil }

  /// Loads the view if it is not loaded.
  public final func loadViewIfNeeded() {
    guard loadedView == nil else { return }
    loadView()
    if loadedView == nil { view = UIView() }
    viewDidLoad()
  }

  /// Makes the view. A controller with a view of its own overrides it.
  open func loadView() {
    let new = UIView(frame: UIScreen.main.bounds)
    new.autoresizingMask = [.flexibleWidth, .flexibleHeight]
    view = new
  }

  /// Tells the delegate that the view is loaded.
  open func viewDidLoad() {}

  /// Tells the delegate that the view will be shown.
  open func viewWillAppear(_ animated: Bool) {}

  /// Tells the delegate that the view is shown.
  open func viewDidAppear(_ animated: Bool) {}

  /// Tells the delegate that the view will be taken away.
  open func viewWillDisappear(_ animated: Bool) {}

  /// Tells the delegate that the view is taken away.
  open func viewDidDisappear(_ animated: Bool) {}

  /// Tells the delegate that the view is about to lay out its subviews.
  open func viewWillLayoutSubviews() {}

  /// Tells the delegate that the view has laid out its subviews.
  open func viewDidLayoutSubviews() {}

  /// Tells the delegate that the safe area of the view is another one.
  open func viewSafeAreaInsetsDidChange() {}

  /// Tells the delegate that traits changed. The new ones are in ``traitCollection``.
  open func traitCollectionDidChange(_ previousTraitCollection: UITraitCollection?) {}

  /// The traits of the view, or the current ones while it is not loaded.
  open var traitCollection: UITraitCollection {
    let above = loadedView?.traitCollection ?? parent?.traitCollection ?? UITraitCollection.current
    guard overrideUserInterfaceStyle != .unspecified else { return above }
    return UITraitCollection(traitsFrom: [above, UITraitCollection(userInterfaceStyle: overrideUserInterfaceStyle)])
  }

  /// The superview of the view.
  open override var next: UIResponder? { loadedView?.superview ?? parent }

  // MARK: Children and presentation

  /// Adds a child. It leaves its former parent. The app adds the child's view itself.
  open func addChild(_ childController: UIViewController) {
    guard childController !== self, childController.parent !== self else { return }
    childController.removeFromParent()
    children.append(childController)
    childController.parent = self
  }

  /// Removes the controller from its parent.
  open func removeFromParent() {
    parent?.children.removeAll { $0 === self }
    parent = nil
  }

  /// Tells the delegate that the controller will have another parent.
  open func willMove(toParent parent: UIViewController?) {}

  /// Tells the delegate that the controller has another parent.
  open func didMove(toParent parent: UIViewController?) {}

  /// Presents a controller. Nothing happens if this one already presents a controller.
  open func present(
    _ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (@MainActor () -> Void)? = nil
  ) {
    guard presentedViewController == nil, viewControllerToPresent !== self else { return }
    presentedViewController = viewControllerToPresent
    viewControllerToPresent.presentingViewController = self
    if let window = loadedView?.window, let presented = viewControllerToPresent.view {
      presented.frame = window.bounds
      viewControllerToPresent.appear(animated: flag) { window.addSubview(presented) }
    }
    if let completion { DispatchQueue.main.async { completion() } }
  }

  /// Takes away the presented controller, or this one if it is presented.
  open func dismiss(animated flag: Bool, completion: (@MainActor () -> Void)? = nil) {
    if let presented = presentedViewController {
      presented.disappear(animated: flag) { presented.loadedView?.removeFromSuperview() }
      presented.presentingViewController = nil
      presentedViewController = nil
      if let completion { DispatchQueue.main.async { completion() } }
    } else {
      presentingViewController?.dismiss(animated: flag, completion: completion)
    }
  }

  /// Shows the controller and its children, and tells them.
  final func appear(animated: Bool, _ change: () -> Void = {}) {
    guard appearance == .disappeared else { return change() }
    appearance = .appeared
    loadViewIfNeeded()
    viewWillAppear(animated)
    change()
    loadedView?.layoutIfNeeded()
    viewDidAppear(animated)
    for child in children { child.appear(animated: animated) }
  }

  /// Takes the controller and its children away, and tells them.
  final func disappear(animated: Bool, _ change: () -> Void = {}) {
    guard appearance == .appeared else { return change() }
    appearance = .disappeared
    for child in children { child.disappear(animated: animated) }
    viewWillDisappear(animated)
    change()
    viewDidDisappear(animated)
  }

  /// Tells the controller, its children and the presented controller that traits changed.
  final func traitsDidChange(from previous: UITraitCollection) {
    if isViewLoaded { traitCollectionDidChange(previous) }
    for child in children { child.traitsDidChange(from: previous) }
    presentedViewController?.traitsDidChange(from: previous)
  }
}
