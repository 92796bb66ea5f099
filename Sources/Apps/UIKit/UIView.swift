// swift-iap2 · Apache-2.0

public import Foundation

/// A rectangle of a window. Views are kept and not drawn.
@preconcurrency @MainActor open class UIView: UIResponder {
  /// The sides of a view that grow with its superview.
  public struct AutoresizingMask: OptionSet, Sendable {
    /// The flags.
    public let rawValue: UInt

    /// Creates a set of flags.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The width follows.
    public static let flexibleWidth = AutoresizingMask(rawValue: 1 << 1)
    /// The height follows.
    public static let flexibleHeight = AutoresizingMask(rawValue: 1 << 4)
  }

  /// The rectangle in the coordinates of the superview, in points.
  open var frame: CGRect {
    didSet {
      guard frame != oldValue else { return }
      if frame.size != oldValue.size { resizeSubviews(from: oldValue.size) }
      updateSafeArea()
    }
  }

  /// The view that has this one.
  public private(set) final weak var superview: UIView?
  /// The views of this one, from back to front.
  public private(set) final var subviews: [UIView] = []
  /// The guides that the app added.
  public private(set) final var layoutGuides: [UILayoutGuide] = []
  /// The distances from the edges that bars and cards of the system cover.
  public private(set) final var safeAreaInsets = UIEdgeInsets.zero
  /// The area that no bar or card of the system covers.
  public final let safeAreaLayoutGuide = UILayoutGuide()
  /// Whether the view is hidden.
  open var isHidden = false
  /// The opacity from 0 to 1.
  open var alpha: CGFloat = 1
  /// The color behind the content.
  open var backgroundColor: UIColor?
  /// The color of buttons and template images.
  open var tintColor: UIColor! = UIColor.systemBlue
  /// Whether the frame makes constraints. It has no effect, because constraints are not solved.
  open var translatesAutoresizingMaskIntoConstraints = true
  /// The sides of the view that grow with its superview.
  open var autoresizingMask: UIView.AutoresizingMask = []
  /// The appearance of the view and its subviews; `unspecified` for that of the superview.
  open var overrideUserInterfaceStyle = UIUserInterfaceStyle.unspecified

  /// The controller whose view this is.
  final weak var controller: UIViewController?
  private var needsLayout = true

  /// Creates a view with a frame.
  public init(frame: CGRect) {
    self.frame = frame
    super.init()
    safeAreaLayoutGuide.owningView = self
    safeAreaLayoutGuide.layoutFrame = CGRect(origin: .zero, size: frame.size)
  }

  /// Creates a view without a size.
  public convenience override init() { self.init(frame: .zero) }

  /// Returns nil: Linux has no archives of views.
  public required init?(coder: NSCoder) { return nil }

  /// The rectangle in the view's own coordinates, in points.
  open var bounds: CGRect {
    get { CGRect(origin: .zero, size: frame.size) }
    set { frame.size = newValue.size }
  }

  /// The middle of the frame, in the coordinates of the superview.
  open var center: CGPoint {
    get { CGPoint(x: frame.midX, y: frame.midY) }
    set { frame.origin = CGPoint(x: newValue.x - frame.width / 2, y: newValue.y - frame.height / 2) }
  }

  /// The window of the view.
  open var window: UIWindow? { superview?.window }

  /// The traits: those of the superview, with the view's own appearance.
  open var traitCollection: UITraitCollection {
    let above = superview?.traitCollection ?? UITraitCollection.current
    guard overrideUserInterfaceStyle != .unspecified else { return above }
    return UITraitCollection(traitsFrom: [above, UITraitCollection(userInterfaceStyle: overrideUserInterfaceStyle)])
  }

  /// The direction of the view. A car with the wheel on the right does not change it.
  open var effectiveUserInterfaceLayoutDirection: UIUserInterfaceLayoutDirection { .leftToRight }

  /// The controller of the view, or the superview.
  open override var next: UIResponder? { controller ?? superview }

  // MARK: Hierarchy

  /// Adds a view in front of the others. It leaves its former superview.
  open func addSubview(_ view: UIView) { insertSubview(view, at: subviews.count) }

  /// Adds a view at a position from the back. It leaves its former superview.
  open func insertSubview(_ view: UIView, at index: Int) {
    guard !isDescendant(of: view) else { return }
    view.removeFromSuperview()
    let formerWindow = view.window
    subviews.insert(view, at: max(0, min(index, subviews.count)))
    view.superview = self
    view.didMove(from: formerWindow)
    view.updateSafeArea()
    setNeedsLayout()
  }

  /// Removes the view from its superview.
  open func removeFromSuperview() {
    guard let superview else { return }
    let formerWindow = window
    superview.subviews.removeAll { $0 === self }
    self.superview = nil
    didMove(from: formerWindow)
    updateSafeArea()
  }

  /// Whether a view is this one, or has it somewhere below.
  open func isDescendant(of view: UIView) -> Bool {
    var above: UIView? = self
    while let current = above {
      if current === view { return true }
      above = current.superview
    }
    return false
  }

  private func didMove(from formerWindow: UIWindow?) {
    didMoveToSuperview()
    if formerWindow !== window { windowDidChange() }
  }

  private func windowDidChange() {
    didMoveToWindow()
    for view in subviews { view.windowDidChange() }
  }

  /// Tells the delegate that the superview is another one.
  open func didMoveToSuperview() {}

  /// Tells the delegate that the window is another one.
  open func didMoveToWindow() {}

  /// Adds a guide.
  open func addLayoutGuide(_ layoutGuide: UILayoutGuide) {
    layoutGuide.owningView?.removeLayoutGuide(layoutGuide)
    layoutGuide.owningView = self
    layoutGuides.append(layoutGuide)
  }

  /// Removes a guide.
  open func removeLayoutGuide(_ layoutGuide: UILayoutGuide) {
    guard layoutGuides.contains(where: { $0 === layoutGuide }) else { return }
    layoutGuides.removeAll { $0 === layoutGuide }
    layoutGuide.owningView = nil
  }

  // MARK: Layout

  /// Requests a layout by the next ``layoutIfNeeded()``.
  open func setNeedsLayout() { needsLayout = true }

  /// Lays out the view and its subviews if a layout is requested.
  open func layoutIfNeeded() {
    if needsLayout {
      needsLayout = false
      controller?.viewWillLayoutSubviews()
      layoutSubviews()
      controller?.viewDidLayoutSubviews()
    }
    for view in subviews { view.layoutIfNeeded() }
  }

  /// Sets the frames of the subviews. The default does nothing.
  open func layoutSubviews() {}

  private func resizeSubviews(from old: CGSize) {
    for view in subviews {
      if view.autoresizingMask.contains(.flexibleWidth) { view.frame.size.width += frame.width - old.width }
      if view.autoresizingMask.contains(.flexibleHeight) { view.frame.size.height += frame.height - old.height }
    }
    setNeedsLayout()
  }

  // MARK: Safe area

  /// Tells the delegate that ``safeAreaInsets`` are others.
  open func safeAreaInsetsDidChange() {}

  /// The insets that the view gets from above, before those that its controller adds.
  var inheritedSafeAreaInsets: UIEdgeInsets {
    guard let superview else { return .zero }
    let above = superview.safeAreaInsets
    return UIEdgeInsets(
      top: max(0, above.top - frame.minY), left: max(0, above.left - frame.minX),
      bottom: max(0, above.bottom - (superview.frame.height - frame.maxY)),
      right: max(0, above.right - (superview.frame.width - frame.maxX)))
  }

  /// Computes the insets of the view and its subviews, and tells views and controllers whose insets changed.
  final func updateSafeArea() {
    var insets = inheritedSafeAreaInsets
    let added = controller?.additionalSafeAreaInsets ?? .zero
    insets.top += added.top
    insets.left += added.left
    insets.bottom += added.bottom
    insets.right += added.right
    let isChanged = insets != safeAreaInsets
    safeAreaInsets = insets
    safeAreaLayoutGuide.layoutFrame = bounds.inset(by: insets)
    if isChanged {
      setNeedsLayout()
      safeAreaInsetsDidChange()
      controller?.viewSafeAreaInsetsDidChange()
    }
    for view in subviews { view.updateSafeArea() }
  }
}
