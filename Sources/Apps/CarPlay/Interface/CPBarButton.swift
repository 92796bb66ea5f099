// swift-iap2 · Apache-2.0

public import Foundation
public import UIKit

/// The look of a bar button.
@available(iOS 14.0, *)
public enum CPBarButtonStyle: Int, Sendable {
  /// The text or image alone.
  case none = 0
  /// A rounded background.
  case rounded = 1
}

/// A template with buttons in its navigation bar.
///
/// The car shows two leading and two trailing buttons and cuts the others without a word.
@preconcurrency @MainActor
public protocol CPBarButtonProviding: NSObjectProtocol {
  /// The buttons of the leading side.
  var leadingNavigationBarButtons: [CPBarButton] { get set }
  /// The buttons of the trailing side.
  var trailingNavigationBarButtons: [CPBarButton] { get set }
  /// The app's own back button. Its handler has to pop the template.
  var backButton: CPBarButton? { get set }
}

/// A button of a navigation bar.
@preconcurrency @MainActor
open class CPBarButton: NSObject {
  /// The content of a button.
  @available(iOS, introduced: 12.0, deprecated: 14.0)
  public enum `Type`: UInt, Sendable {
    /// A text.
    case text = 0
    /// An image.
    case image = 1
  }

  /// Whether the button can be pressed.
  public var isEnabled: Bool = true { didSet { noteChange() } }

  /// The look of the button.
  @available(iOS 14.0, *)
  public var buttonStyle: CPBarButtonStyle = .none { didSet { noteChange() } }

  /// The image. The car shows the title instead if there is one, and the first frame of an animated image.
  public var image: UIImage? { didSet { noteChange() } }

  /// The title.
  public var title: String? { didSet { noteChange() } }

  /// The content of the button, as its initialiser chose it.
  @available(iOS, introduced: 12.0, deprecated: 14.0)
  public let buttonType: `Type`

  /// Runs when the button is pressed.
  package let handler: ((CPBarButton) -> Void)?

  /// Creates a button with an image.
  @available(iOS 14.0, *)
  public init(image: UIImage, handler: ((CPBarButton) -> Void)?) {
    self.image = image
    self.handler = handler
    buttonType = .image
    super.init()
    noteCreation()
  }

  /// Creates a button with a title.
  @available(iOS 14.0, *)
  public init(title: String, handler: ((CPBarButton) -> Void)?) {
    self.title = title
    self.handler = handler
    buttonType = .text
    super.init()
    noteCreation()
  }

  /// Creates a button without content.
  @available(iOS, introduced: 12.0, deprecated: 14.0)
  public init(type: `Type`, handler: ((CPBarButton) -> Void)?) {
    buttonType = type
    self.handler = handler
    super.init()
    noteCreation()
  }
}

/// A button that opens Siri to write a message.
@available(iOS 14.0, *)
@preconcurrency @MainActor
open class CPMessageComposeBarButton: CPBarButton {
  /// Creates a button with the image of the system.
  public init() { super.init(type: .image, handler: nil) }

  /// Creates a button with an image.
  public init(image: UIImage) { super.init(image: image, handler: nil) }
}
