// swift-iap2 · Apache-2.0

import CarPlayPlatform

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The largest size of a button's image in points, which some apps read in the place of `CPButton.maximumImageSize`.
@available(iOS 14.0, *)
@preconcurrency @MainActor
public var CPButtonMaximumImageSize: CGSize { CPButton.maximumImageSize }

/// A round button with an image, for contacts and other templates.
@available(iOS 14.0, *)
@preconcurrency @MainActor
open class CPButton: NSObject {
  /// The largest size of the image in points. A larger image is scaled down.
  public class var maximumImageSize: CGSize { CarPlayModule.system.settings.imageSizes.contactAction }

  /// The action of the button.
  package let handler: ((CPButton) -> Void)?

  /// Creates a button.
  ///
  /// - Parameters:
  ///   - image: The image.
  ///   - handler: Runs when the user presses the button.
  public init(image: UIImage, handler: ((CPButton) -> Void)? = nil) {
    self.image = image
    self.handler = handler
    super.init()
    noteCreation()
  }

  /// Creates a button whose image and action come from the system.
  init(systemButtonWith handler: ((CPButton) -> Void)?) {
    image = nil
    self.handler = handler
    super.init()
    noteCreation()
  }

  /// The image. A button for calls, directions or messages has none of its own, because the car draws it.
  public let image: UIImage?

  /// The title below the image.
  public var title: String? { didSet { noteChange() } }

  /// Whether the button reacts.
  public var isEnabled = true { didSet { noteChange() } }
}

/// A button with a title, for information and points of interest.
@available(iOS 14.0, *)
@preconcurrency @MainActor
open class CPTextButton: NSObject {
  /// The action of the button.
  package let handler: ((CPTextButton) -> Void)?

  /// Creates a button.
  ///
  /// - Parameters:
  ///   - title: The title.
  ///   - textStyle: The color of the button.
  ///   - handler: Runs when the user presses the button.
  public init(title: String, textStyle: CPTextButtonStyle, handler: ((CPTextButton) -> Void)? = nil) {
    self.title = title
    self.textStyle = textStyle
    self.handler = handler
    super.init()
    noteCreation()
  }

  /// The title.
  public var title: String { didSet { noteChange() } }

  /// The color of the button.
  public var textStyle: CPTextButtonStyle { didSet { noteChange() } }
}

/// The colors of a text button.
@available(iOS 14.0, *)
public enum CPTextButtonStyle: Int, Sendable {
  /// The color of other buttons.
  case normal = 0
  /// The color of a button that ends something.
  case cancel = 1
  /// The color of a button that agrees.
  case confirm = 2
}
