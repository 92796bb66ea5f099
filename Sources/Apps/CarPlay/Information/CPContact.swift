// swift-iap2 · Apache-2.0

/// A person or a place, with up to four buttons. A change is visible at once.
@available(iOS 14.0, *)
@preconcurrency @MainActor
open class CPContact: NSObject {
  /// Creates a contact.
  public init(name: String, image: UIImage) {
    self.name = name
    self.image = image
    super.init()
    noteCreation()
  }

  /// The name.
  public var name: String { didSet { noteChange() } }

  /// The image, which the car cuts to a circle.
  public var image: UIImage { didSet { noteChange() } }

  /// The second line.
  public var subtitle: String? { didSet { noteChange() } }

  /// The third line.
  public var informativeText: String? { didSet { noteChange() } }

  /// The buttons, uncut.
  public var actions: [CPButton]? { didSet { noteChange() } }
}

/// A button that calls a contact.
@available(iOS 14.0, *)
open class CPContactCallButton: CPButton {
  /// Creates a button.
  public init(handler: ((CPButton) -> Void)? = nil) { super.init(systemButtonWith: handler) }
}

/// A button that shows the way to a contact.
@available(iOS 14.0, *)
open class CPContactDirectionsButton: CPButton {
  /// Creates a button.
  public init(handler: ((CPButton) -> Void)? = nil) { super.init(systemButtonWith: handler) }
}

/// A button that starts a message to a contact with Siri. It has no handler.
@available(iOS 14.0, *)
open class CPContactMessageButton: CPButton {
  /// The phone number or the mail address.
  public let phoneOrEmail: String

  /// Creates a button.
  public init(phoneOrEmail: String) {
    self.phoneOrEmail = phoneOrEmail
    super.init(systemButtonWith: nil)
  }
}

/// A screen with one contact.
@available(iOS 14.0, *)
@preconcurrency @MainActor
open class CPContactTemplate: CPTemplate, CPBarButtonProviding {
  /// Creates a template.
  public init(contact: CPContact) {
    self.contact = contact
    super.init()
  }

  /// The contact.
  public var contact: CPContact { didSet { noteChange() } }

  /// The buttons on the leading side of the navigation bar, uncut. The car shows two.
  public var leadingNavigationBarButtons: [CPBarButton] = [] { didSet { noteChange() } }

  /// The buttons on the trailing side of the navigation bar, uncut. The car shows two.
  public var trailingNavigationBarButtons: [CPBarButton] = [] { didSet { noteChange() } }

  /// The back button with an action of the app.
  public var backButton: CPBarButton? { didSet { noteChange() } }
}
