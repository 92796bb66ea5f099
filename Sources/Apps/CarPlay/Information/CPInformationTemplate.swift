// swift-iap2 · Apache-2.0

/// A screen with labels, their values and buttons. The car shows the first 10 items and the first 3 buttons.
@available(iOS 14.0, *)
@preconcurrency @MainActor
open class CPInformationTemplate: CPTemplate {
  /// Creates a template.
  public init(
    title: String, layout: CPInformationTemplateLayout, items: [CPInformationItem], actions: [CPTextButton]
  ) {
    self.title = title
    self.layout = layout
    self.items = items
    self.actions = actions
    super.init()
  }

  /// The layout of the items.
  public let layout: CPInformationTemplateLayout

  /// The title.
  public var title: String { didSet { noteChange() } }

  /// The items, uncut.
  public var items: [CPInformationItem] { didSet { noteChange() } }

  /// The buttons at the bottom, uncut.
  public var actions: [CPTextButton] { didSet { noteChange() } }

  /// The buttons on the leading side of the navigation bar, uncut. The car shows two.
  @available(iOS 16.0, *)
  public var leadingNavigationBarButtons: [CPBarButton] = [] { didSet { noteChange() } }

  /// The buttons on the trailing side of the navigation bar, uncut. The car shows two.
  @available(iOS 16.0, *)
  public var trailingNavigationBarButtons: [CPBarButton] = [] { didSet { noteChange() } }

  /// The back button with an action of the app.
  @available(iOS 16.0, *)
  public var backButton: CPBarButton? { didSet { noteChange() } }
}

@available(iOS 16.0, *)
extension CPInformationTemplate: CPBarButtonProviding {}

/// The layouts of an information template.
@available(iOS 14.0, *)
public enum CPInformationTemplateLayout: Int, Sendable {
  /// The value is below its label.
  case leading = 0
  /// The value is beside its label.
  case twoColumn = 1
}

/// A label and its value. It cannot change; the app sets new items.
@available(iOS 14.0, *)
@preconcurrency @MainActor
open class CPInformationItem: NSObject {
  /// The label.
  public let title: String?

  /// The value.
  public let detail: String?

  /// Creates an item.
  public init(title: String?, detail: String?) {
    self.title = title
    self.detail = detail
    super.init()
    noteCreation()
  }
}

/// A label with stars.
@available(iOS 14.0, *)
open class CPInformationRatingItem: CPInformationItem {
  /// The number of full stars, in steps of one half.
  public let rating: NSNumber?

  /// The number of all stars, from 1 to 5.
  public let maximumRating: NSNumber?

  /// Creates an item.
  public init(rating: NSNumber?, maximumRating: NSNumber?, title: String?, detail: String?) {
    self.rating = rating
    self.maximumRating = maximumRating
    super.init(title: title, detail: detail)
  }
}
