// swift-iap2 · Apache-2.0

public import PortingSupport

/// A view that the user operates. The base view of a map gets no touches in a car, but a test may send its actions.
@preconcurrency @MainActor open class UIControl: UIView {
  /// User actions on a control.
  public struct Event: OptionSet, Sendable {
    /// The flags.
    public let rawValue: UInt

    /// Creates a set of flags.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// A tap.
    public static let touchUpInside = Event(rawValue: 1 << 6)
    /// Another value.
    public static let valueChanged = Event(rawValue: 1 << 12)
  }

  /// The state of a control.
  public struct State: OptionSet, Sendable {
    /// The flags.
    public let rawValue: UInt

    /// Creates a set of flags.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// No flag.
    public static let normal: State = []
    /// The user presses the control.
    public static let highlighted = State(rawValue: 1 << 0)
    /// The control is off.
    public static let disabled = State(rawValue: 1 << 1)
    /// The control is selected.
    public static let selected = State(rawValue: 1 << 2)
  }

  private struct Action {
    weak var target: AnyObject?
    let selector: Selector
    var events: Event
  }

  private var actions: [Action] = []
  /// Whether the control is on.
  open var isEnabled = true
  /// Whether the control is selected.
  open var isSelected = false

  /// Adds a method of a target for events. The target is not retained.
  open func addTarget(_ target: Any?, action: Selector, for controlEvents: UIControl.Event) {
    guard let target else { return }
    actions.append(Action(target: target as AnyObject, selector: action, events: controlEvents))
  }

  /// Removes a target of events; nil for every target. Selectors are not compared, because methods on Linux have no
  /// identity.
  open func removeTarget(_ target: Any?, action: Selector?, for controlEvents: UIControl.Event) {
    let target = target.map { $0 as AnyObject }
    for index in actions.indices where target == nil || actions[index].target === target {
      actions[index].events.subtract(controlEvents)
    }
    actions.removeAll { $0.events.isEmpty || $0.target == nil }
  }

  /// Calls the methods for events, also while the control is off.
  open func sendActions(for controlEvents: UIControl.Event) {
    for action in actions where !action.events.isDisjoint(with: controlEvents) {
      guard let target = action.target else { continue }
      _ = action.selector.call(target, self)
    }
  }
}

/// A button.
@preconcurrency @MainActor open class UIButton: UIControl {
  private var titles: [UInt: String] = [:]
  private var images: [UInt: UIImage] = [:]
  private var titleColors: [UInt: UIColor] = [:]

  private var state: UIControl.State {
    var state: UIControl.State = []
    if !isEnabled { state.insert(.disabled) }
    if isSelected { state.insert(.selected) }
    return state
  }

  /// Sets the title for a state.
  open func setTitle(_ title: String?, for state: UIControl.State) { titles[state.rawValue] = title }

  /// Returns the title for a state.
  open func title(for state: UIControl.State) -> String? { titles[state.rawValue] ?? titles[0] }

  /// Sets the color of the title for a state.
  open func setTitleColor(_ color: UIColor?, for state: UIControl.State) { titleColors[state.rawValue] = color }

  /// Returns the color of the title for a state.
  open func titleColor(for state: UIControl.State) -> UIColor? { titleColors[state.rawValue] ?? titleColors[0] }

  /// Sets the image for a state.
  open func setImage(_ image: UIImage?, for state: UIControl.State) { images[state.rawValue] = image }

  /// Returns the image for a state.
  open func image(for state: UIControl.State) -> UIImage? { images[state.rawValue] ?? images[0] }

  /// The title that is shown.
  open var currentTitle: String? { title(for: state) }

  /// The image that is shown.
  open var currentImage: UIImage? { image(for: state) }
}
