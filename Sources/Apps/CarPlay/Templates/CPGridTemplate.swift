// swift-iap2 · Apache-2.0

import CarPlayPlatform
public import Foundation
public import UIKit

/// A grid of buttons.
///
/// The car shows the first ``CPGridTemplateMaximumItems`` buttons and cuts the others without a word. The properties
/// keep what the app gave.
@preconcurrency @MainActor
open class CPGridTemplate: CPTemplate, CPBarButtonProviding {
  /// The title.
  public private(set) var title: String?

  /// The buttons that the app gave.
  public private(set) var gridButtons: [CPGridButton]

  /// The buttons of the leading side of the navigation bar.
  public var leadingNavigationBarButtons: [CPBarButton] = [] { didSet { noteChange() } }

  /// The buttons of the trailing side of the navigation bar.
  public var trailingNavigationBarButtons: [CPBarButton] = [] { didSet { noteChange() } }

  /// The app's own back button.
  public var backButton: CPBarButton? { didSet { noteChange() } }

  /// The size of the buttons' images in points.
  @available(iOS 26.0, *)
  public class var maximumGridButtonImageSize: CGSize { CarPlayModule.imageSizes.gridButton }

  /// Creates a grid.
  public init(title: String?, gridButtons: [CPGridButton]) {
    self.title = title
    self.gridButtons = gridButtons
    super.init()
  }

  /// Replaces the buttons.
  @available(iOS 15.0, *)
  public func updateGridButtons(_ gridButtons: [CPGridButton]) {
    self.gridButtons = gridButtons
    noteChange("updateGridButtons")
  }

  /// Replaces the title.
  @available(iOS 15.0, *)
  public func updateTitle(_ title: String) {
    self.title = title
    noteChange("updateTitle")
  }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The number of buttons of a grid that a car shows.
@available(iOS 15.0, *)
@preconcurrency @MainActor
public var CPGridTemplateMaximumItems: Int { CarPlayModule.limits.maximumGridButtons }

/// A conversation that a grid button stands for.
@available(iOS 26.0, *)
@preconcurrency @MainActor
open class CPMessageGridItemConfiguration: NSObject {
  /// The identifier of the conversation.
  public let conversationIdentifier: String
  /// Whether the conversation has unread messages.
  public let isUnread: Bool

  /// Creates a configuration.
  public init(conversationIdentifier: String, unread: Bool) {
    self.conversationIdentifier = conversationIdentifier
    isUnread = unread
    super.init()
    noteCreation()
  }
}

/// A button of a grid. It needs an image and a title that is not empty.
@preconcurrency @MainActor
open class CPGridButton: NSObject {
  /// Whether the button can be pressed.
  public var isEnabled: Bool = true { didSet { noteChange() } }

  /// The titles, the longest first.
  public private(set) var titleVariants: [String]

  /// The image of 40×40 points.
  public private(set) var image: UIImage

  /// The conversation that the button stands for.
  @available(iOS 26.0, *)
  public let messageConfiguration: CPMessageGridItemConfiguration?

  /// Runs when the button is pressed.
  package let handler: ((CPGridButton) -> Void)?

  /// Creates a button.
  public init(titleVariants: [String], image: UIImage, handler: ((CPGridButton) -> Void)?) {
    self.titleVariants = titleVariants
    self.image = image
    messageConfiguration = nil
    self.handler = handler
    super.init()
    noteCreation()
  }

  /// Creates a button for a conversation.
  @available(iOS 26.0, *)
  public init(
    titleVariants: [String], image: UIImage, messageConfiguration: CPMessageGridItemConfiguration?,
    handler: ((CPGridButton) -> Void)?
  ) {
    self.titleVariants = titleVariants
    self.image = image
    self.messageConfiguration = messageConfiguration
    self.handler = handler
    super.init()
    noteCreation()
  }

  /// Replaces the image.
  @available(iOS 26.0, *)
  public func updateImage(_ image: UIImage) {
    self.image = image
    noteChange("updateImage")
  }

  /// Replaces the titles.
  @available(iOS 26.0, *)
  public func updateTitleVariants(_ titleVariants: [String]) {
    self.titleVariants = titleVariants
    noteChange("updateTitleVariants")
  }
}
