// swift-iap2 · Apache-2.0

public import Foundation

/// A rectangle in a view that constraints may name.
@preconcurrency @MainActor open class UILayoutGuide: NSObject {
  /// The view.
  public internal(set) final weak var owningView: UIView?
  /// The name of the guide.
  open var identifier = ""
  /// The rectangle, in the coordinates of the view. The host sets it, because constraints are not solved.
  public package(set) final var layoutFrame = CGRect.zero

  /// Creates a guide without a view.
  public override init() { super.init() }
}

/// A relation of two edges or sizes. Constraints are kept and not solved: the host gives views their frames.
@preconcurrency @MainActor open class NSLayoutConstraint: NSObject {
  /// A relation of two values.
  public enum Relation: Int, Sendable {
    /// The first one is at most the second one.
    case lessThanOrEqual = -1
    /// Both are equal.
    case equal = 0
    /// The first one is at least the second one.
    case greaterThanOrEqual = 1
  }

  /// The view or guide of the first value.
  public final weak var firstItem: AnyObject?
  /// The view or guide of the second value; nil for a constant.
  public final weak var secondItem: AnyObject?
  /// The relation.
  public final let relation: NSLayoutConstraint.Relation
  /// The factor of the second value.
  public final let multiplier: CGFloat
  /// The constant that is added to the second value, in points.
  open var constant: CGFloat
  /// The priority.
  open var priority = UILayoutPriority.required
  /// Whether the constraint is used.
  open var isActive = false

  init(
    _ first: AnyObject?, _ relation: Relation, _ second: AnyObject?, multiplier: CGFloat, constant: CGFloat
  ) {
    firstItem = first
    secondItem = second
    self.relation = relation
    self.multiplier = multiplier
    self.constant = constant
    super.init()
  }

  /// Activates constraints.
  open class func activate(_ constraints: [NSLayoutConstraint]) {
    for constraint in constraints { constraint.isActive = true }
  }

  /// Deactivates constraints.
  open class func deactivate(_ constraints: [NSLayoutConstraint]) {
    for constraint in constraints { constraint.isActive = false }
  }
}

/// The priority of a constraint, up to 1000.
public struct UILayoutPriority: RawRepresentable, Hashable, Sendable {
  /// The number.
  public let rawValue: Float

  /// Creates a priority.
  public init(rawValue: Float) { self.rawValue = rawValue }

  /// Creates a priority.
  public init(_ rawValue: Float) { self.rawValue = rawValue }

  /// A constraint that must hold.
  public static let required = UILayoutPriority(1000)
  /// A constraint that holds if it can.
  public static let defaultHigh = UILayoutPriority(750)
  /// A constraint that gives way.
  public static let defaultLow = UILayoutPriority(250)
}

/// An edge, a center or a size of a view or guide.
@preconcurrency @MainActor open class NSLayoutAnchor<AnchorType: AnyObject>: NSObject {
  final weak var item: AnyObject?

  init(_ item: AnyObject) {
    self.item = item
    super.init()
  }

  /// Returns a constraint that both values are equal.
  open func constraint(
    equalTo anchor: NSLayoutAnchor<AnchorType>, constant: CGFloat = 0
  ) -> NSLayoutConstraint {
    NSLayoutConstraint(item, .equal, anchor.item, multiplier: 1, constant: constant)
  }

  /// Returns a constraint that this value is at least the other one.
  open func constraint(
    greaterThanOrEqualTo anchor: NSLayoutAnchor<AnchorType>, constant: CGFloat = 0
  ) -> NSLayoutConstraint {
    NSLayoutConstraint(item, .greaterThanOrEqual, anchor.item, multiplier: 1, constant: constant)
  }

  /// Returns a constraint that this value is at most the other one.
  open func constraint(
    lessThanOrEqualTo anchor: NSLayoutAnchor<AnchorType>, constant: CGFloat = 0
  ) -> NSLayoutConstraint {
    NSLayoutConstraint(item, .lessThanOrEqual, anchor.item, multiplier: 1, constant: constant)
  }
}

/// A horizontal edge or center.
@preconcurrency @MainActor open class NSLayoutXAxisAnchor: NSLayoutAnchor<NSLayoutXAxisAnchor> {}

/// A vertical edge or center.
@preconcurrency @MainActor open class NSLayoutYAxisAnchor: NSLayoutAnchor<NSLayoutYAxisAnchor> {}

/// A width or height.
@preconcurrency @MainActor open class NSLayoutDimension: NSLayoutAnchor<NSLayoutDimension> {
  /// Returns a constraint that the size is a constant.
  open func constraint(equalToConstant constant: CGFloat) -> NSLayoutConstraint {
    NSLayoutConstraint(item, .equal, nil, multiplier: 0, constant: constant)
  }

  /// Returns a constraint that the size is at least a constant.
  open func constraint(greaterThanOrEqualToConstant constant: CGFloat) -> NSLayoutConstraint {
    NSLayoutConstraint(item, .greaterThanOrEqual, nil, multiplier: 0, constant: constant)
  }

  /// Returns a constraint that the size is at most a constant.
  open func constraint(lessThanOrEqualToConstant constant: CGFloat) -> NSLayoutConstraint {
    NSLayoutConstraint(item, .lessThanOrEqual, nil, multiplier: 0, constant: constant)
  }

  /// Returns a constraint that the size is a part of another one.
  open func constraint(
    equalTo anchor: NSLayoutDimension, multiplier: CGFloat, constant: CGFloat = 0
  ) -> NSLayoutConstraint {
    NSLayoutConstraint(item, .equal, anchor.item, multiplier: multiplier, constant: constant)
  }
}

extension UILayoutGuide {
  /// The leading edge.
  public var leadingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor(self) }
  /// The trailing edge.
  public var trailingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor(self) }
  /// The left edge.
  public var leftAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor(self) }
  /// The right edge.
  public var rightAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor(self) }
  /// The top edge.
  public var topAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor(self) }
  /// The bottom edge.
  public var bottomAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor(self) }
  /// The width.
  public var widthAnchor: NSLayoutDimension { NSLayoutDimension(self) }
  /// The height.
  public var heightAnchor: NSLayoutDimension { NSLayoutDimension(self) }
  /// The horizontal center.
  public var centerXAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor(self) }
  /// The vertical center.
  public var centerYAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor(self) }
}

extension UIView {
  /// The leading edge.
  public var leadingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor(self) }
  /// The trailing edge.
  public var trailingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor(self) }
  /// The left edge.
  public var leftAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor(self) }
  /// The right edge.
  public var rightAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor(self) }
  /// The top edge.
  public var topAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor(self) }
  /// The bottom edge.
  public var bottomAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor(self) }
  /// The width.
  public var widthAnchor: NSLayoutDimension { NSLayoutDimension(self) }
  /// The height.
  public var heightAnchor: NSLayoutDimension { NSLayoutDimension(self) }
  /// The horizontal center.
  public var centerXAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor(self) }
  /// The vertical center.
  public var centerYAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor(self) }
}
