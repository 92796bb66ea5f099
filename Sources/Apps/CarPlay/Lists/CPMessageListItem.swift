// swift-iap2 · Apache-2.0

import CarPlayPlatform
public import Foundation
public import UIKit

/// The mark at the leading side of a message row.
@available(iOS 14.0, *)
public enum CPMessageLeadingItem: Int, Sendable {
  /// No mark.
  case none = 0
  /// A pin.
  case pin = 1
  /// A star.
  case star = 2
}

/// The mark at the trailing side of a message row.
@available(iOS 14.0, *)
public enum CPMessageTrailingItem: Int, Sendable {
  /// No mark.
  case none = 0
  /// The mark of a muted conversation.
  case mute = 1
}

/// The leading side of a message row.
@available(iOS 14.0, *)
@preconcurrency @MainActor
open class CPMessageListItemLeadingConfiguration: NSObject {
  /// The mark.
  public let leadingItem: CPMessageLeadingItem
  /// The image.
  public let leadingImage: UIImage?
  /// Whether the conversation has unread messages.
  public let isUnread: Bool

  /// Creates the leading side of a row.
  public init(leadingItem: CPMessageLeadingItem, leadingImage: UIImage?, unread: Bool) {
    self.leadingItem = leadingItem
    self.leadingImage = leadingImage
    isUnread = unread
    super.init()
    noteCreation()
  }
}

/// The trailing side of a message row.
@available(iOS 14.0, *)
@preconcurrency @MainActor
open class CPMessageListItemTrailingConfiguration: NSObject {
  /// The mark.
  public let trailingItem: CPMessageTrailingItem
  /// The image.
  public let trailingImage: UIImage?

  /// Creates the trailing side of a row.
  public init(trailingItem: CPMessageTrailingItem, trailingImage: UIImage?) {
    self.trailingItem = trailingItem
    self.trailingImage = trailingImage
    super.init()
    noteCreation()
  }
}

/// A row for a conversation. A tap on it starts Siri.
@available(iOS 14.0, *)
@preconcurrency @MainActor
open class CPMessageListItem: NSObject, CPListTemplateItem {
  /// The identifier of the conversation that Siri passes to the app.
  public var conversationIdentifier: String? { didSet { noteChange() } }
  /// The phone number or mail address that Siri writes to.
  public var phoneOrEmailAddress: String? { didSet { noteChange() } }
  /// The text: the conversation's title or the full name.
  public var text: String? { didSet { noteChange() } }
  /// The leading side.
  public var leadingConfiguration: CPMessageListItemLeadingConfiguration { didSet { noteChange() } }
  /// The trailing side.
  public var trailingConfiguration: CPMessageListItemTrailingConfiguration? { didSet { noteChange() } }
  /// The text below ``text``.
  public var detailText: String? { didSet { noteChange() } }
  /// The image before the detail text.
  @available(iOS 26.0, *)
  public var leadingDetailTextImage: UIImage? { didSet { noteChange() } }
  /// The text at the trailing side, such as a time.
  public var trailingText: String? { didSet { noteChange() } }
  /// An object of the app that goes with the row.
  public var userInfo: Any? { didSet { noteChange() } }
  /// Whether the row can be selected.
  @available(iOS 15.0, *)
  public var isEnabled: Bool = true { didSet { noteChange() } }

  /// The size of images in points.
  public class var maximumImageSize: CGSize { CarPlayModule.imageSizes.messageItem }

  /// Creates a row for a conversation.
  public init(
    conversationIdentifier: String, text: String, leadingConfiguration: CPMessageListItemLeadingConfiguration,
    trailingConfiguration: CPMessageListItemTrailingConfiguration?, detailText: String?, trailingText: String?
  ) {
    self.conversationIdentifier = conversationIdentifier
    self.text = text
    self.leadingConfiguration = leadingConfiguration
    self.trailingConfiguration = trailingConfiguration
    self.detailText = detailText
    self.trailingText = trailingText
    super.init()
    noteCreation()
  }

  /// Creates a row for a person.
  public init(
    fullName: String, phoneOrEmailAddress: String, leadingConfiguration: CPMessageListItemLeadingConfiguration,
    trailingConfiguration: CPMessageListItemTrailingConfiguration?, detailText: String?, trailingText: String?
  ) {
    text = fullName
    self.phoneOrEmailAddress = phoneOrEmailAddress
    self.leadingConfiguration = leadingConfiguration
    self.trailingConfiguration = trailingConfiguration
    self.detailText = detailText
    self.trailingText = trailingText
    super.init()
    noteCreation()
  }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The size of a message row's images in points.
@available(iOS 14.0, *)
@preconcurrency @MainActor
public var CPMaximumMessageItemImageSize: CGSize { CPMessageListItem.maximumImageSize }

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The size in points of the image before a message row's detail text.
@available(iOS 26.0, *)
@preconcurrency @MainActor
public var CPMaximumMessageItemLeadingDetailTextImageSize: CGSize { CarPlayModule.imageSizes.messageItem }
