// swift-iap2 · Apache-2.0

public import Foundation
import Synchronization

/// The appearance of the user interface.
public enum UIUserInterfaceStyle: Int, Sendable {
  /// No appearance is set.
  case unspecified = 0
  /// The light appearance.
  case light = 1
  /// The dark appearance.
  case dark = 2
}

/// The kind of the device that shows the user interface.
public enum UIUserInterfaceIdiom: Int, Sendable {
  /// No kind is set.
  case unspecified = -1
  /// An iPhone.
  case phone = 0
  /// An iPad.
  case pad = 1
  /// A television.
  case tv = 2
  /// The screen of a car.
  case carPlay = 3
  /// A Mac.
  case mac = 5
  /// A headset.
  case vision = 6
}

/// The direction of the user interface.
public enum UIUserInterfaceLayoutDirection: Int, Sendable {
  /// From left to right, also in cars with the wheel on the right.
  case leftToRight = 0
  /// From right to left.
  case rightToLeft = 1
}

/// The traits of a screen, a window, a view or a controller. A collection never changes, so any thread may use it.
///
/// Invariant for `@unchecked Sendable`: all properties are constant.
open class UITraitCollection: NSObject, @unchecked Sendable {
  /// The appearance.
  public let userInterfaceStyle: UIUserInterfaceStyle
  /// The pixels of a point; 0 if it is not known.
  public let displayScale: CGFloat
  /// The kind of the device.
  public let userInterfaceIdiom: UIUserInterfaceIdiom

  /// Creates a collection without traits.
  public convenience override init() {
    self.init(style: .unspecified, displayScale: 0, idiom: .unspecified)
  }

  /// Creates a collection with an appearance only.
  public convenience init(userInterfaceStyle: UIUserInterfaceStyle) {
    self.init(style: userInterfaceStyle, displayScale: 0, idiom: .unspecified)
  }

  /// Creates a collection with a scale only.
  public convenience init(displayScale: CGFloat) {
    self.init(style: .unspecified, displayScale: displayScale, idiom: .unspecified)
  }

  /// Creates a collection with a kind of device only.
  public convenience init(userInterfaceIdiom: UIUserInterfaceIdiom) {
    self.init(style: .unspecified, displayScale: 0, idiom: userInterfaceIdiom)
  }

  /// Creates a collection of the traits of several ones. The last one that sets a trait wins.
  public convenience init(traitsFrom collections: [UITraitCollection]) {
    self.init(
      style: collections.last { $0.userInterfaceStyle != .unspecified }?.userInterfaceStyle ?? .unspecified,
      displayScale: collections.last { $0.displayScale != 0 }?.displayScale ?? 0,
      idiom: collections.last { $0.userInterfaceIdiom != .unspecified }?.userInterfaceIdiom ?? .unspecified)
  }

  /// Creates a collection with all traits.
  package init(style: UIUserInterfaceStyle, displayScale: CGFloat, idiom: UIUserInterfaceIdiom) {
    userInterfaceStyle = style
    self.displayScale = displayScale
    userInterfaceIdiom = idiom
    super.init()
  }

  private static let shared = Mutex(UITraitCollection(style: .light, displayScale: 3, idiom: .phone))

  /// The traits with which images and colors are resolved where no view is at hand. They are those of the phone until
  /// the app or the host sets others.
  public class var current: UITraitCollection {
    get { shared.withLock { $0 } }
    set { shared.withLock { $0 = newValue } }
  }

  /// Whether another collection has the same traits.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UITraitCollection else { return false }
    return userInterfaceStyle == other.userInterfaceStyle && displayScale == other.displayScale
      && userInterfaceIdiom == other.userInterfaceIdiom
  }

  /// The hash of the traits.
  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(userInterfaceStyle)
    hasher.combine(displayScale)
    hasher.combine(userInterfaceIdiom)
    return hasher.finalize()
  }
}
