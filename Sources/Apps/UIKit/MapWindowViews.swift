// swift-iap2 · Apache-2.0

public import Foundation

// Views that apps put over the map. They keep what the app sets, for tests and for the host's tree; nothing is drawn.

/// The alignment of text.
public enum NSTextAlignment: Int, Sendable {
  /// To the left.
  case left = 0
  /// In the middle.
  case center = 1
  /// To the right.
  case right = 2
  /// To both sides.
  case justified = 3
  /// By the language.
  case natural = 4
}

/// A view with a text.
@preconcurrency @MainActor open class UILabel: UIView {
  /// The text.
  open var text: String?
  /// The text with attributes.
  open var attributedText: NSAttributedString? { didSet { text = attributedText?.string } }
  /// The font.
  open var font: UIFont! = UIFont.systemFont(ofSize: 17)
  /// The color of the text.
  open var textColor: UIColor! = UIColor.label
  /// The alignment of the text.
  open var textAlignment = NSTextAlignment.natural
  /// The lines at most; 0 for as many as there is room for.
  open var numberOfLines = 1
}

/// A view with an image.
@preconcurrency @MainActor open class UIImageView: UIView {
  /// The image.
  open var image: UIImage?

  /// Creates a view as large as an image.
  public init(image: UIImage?) {
    self.image = image
    super.init(frame: CGRect(origin: .zero, size: image?.size ?? .zero))
  }

  /// Creates a view with a frame.
  public override init(frame: CGRect) { super.init(frame: frame) }

  /// Returns nil: Linux has no archives of views.
  public required init?(coder: NSCoder) { return nil }
}

extension NSLayoutConstraint {
  /// A direction in which views follow each other.
  public enum Axis: Int, Sendable {
    /// From left to right.
    case horizontal = 0
    /// From top to bottom.
    case vertical = 1
  }
}

/// A view with views in a row or column. Their places are not computed.
@preconcurrency @MainActor open class UIStackView: UIView {
  /// The views in the row or column.
  public private(set) final var arrangedSubviews: [UIView] = []
  /// The direction.
  open var axis = NSLayoutConstraint.Axis.horizontal
  /// The distance between two views, in points.
  open var spacing: CGFloat = 0

  /// Creates a row of views.
  public convenience init(arrangedSubviews views: [UIView]) {
    self.init(frame: .zero)
    for view in views { addArrangedSubview(view) }
  }

  /// Adds a view at the end.
  open func addArrangedSubview(_ view: UIView) {
    arrangedSubviews.removeAll { $0 === view }
    arrangedSubviews.append(view)
    if view.superview !== self { addSubview(view) }
  }

  /// Removes a view from the row or column. It stays a subview.
  open func removeArrangedSubview(_ view: UIView) { arrangedSubviews.removeAll { $0 === view } }
}
