// swift-iap2 · Apache-2.0

import CarPlayPlatform
public import Foundation
public import UIKit

/// The place of an overlay on an image.
@available(iOS 26.4, *)
public enum CPImageOverlayAlignment: Int, Sendable {
  /// The leading side.
  case leading = 0
  /// The center.
  case center = 1
  /// The trailing side.
  case trailing = 2
}

/// A text on an image.
@available(iOS 26.4, *)
@preconcurrency @MainActor
open class CPImageOverlay: NSObject {
  /// The text.
  public let text: String
  /// The color of the text.
  public let textColor: UIColor
  /// The color behind the text.
  public let backgroundColor: UIColor
  /// The place of the text.
  public let alignment: CPImageOverlayAlignment

  /// Creates an overlay.
  public init(text: String, textColor: UIColor, backgroundColor: UIColor, alignment: CPImageOverlayAlignment) {
    self.text = text
    self.textColor = textColor
    self.backgroundColor = backgroundColor
    self.alignment = alignment
    super.init()
    noteCreation()
  }
}

/// The teams and the state of a sports event on an image.
@available(iOS 26.4, *)
@preconcurrency @MainActor
open class CPSportsOverlay: NSObject {
  /// The team on the left.
  public let leftTeam: CPNowPlayingSportsTeam
  /// The team on the right.
  public let rightTeam: CPNowPlayingSportsTeam
  /// The state of the event.
  public let eventStatus: CPNowPlayingSportsEventStatus?

  /// Creates an overlay.
  public init(
    leftTeam: CPNowPlayingSportsTeam, rightTeam: CPNowPlayingSportsTeam, eventStatus: CPNowPlayingSportsEventStatus?
  ) {
    self.leftTeam = leftTeam
    self.rightTeam = rightTeam
    self.eventStatus = eventStatus
    super.init()
    noteCreation()
  }
}

/// An image with overlays.
@available(iOS 26.4, *)
@preconcurrency @MainActor
open class CPThumbnailImage: NSObject {
  /// The image.
  public let image: UIImage
  /// The text on the image.
  public let imageOverlay: CPImageOverlay?
  /// The sports event on the image.
  public let sportsOverlay: CPSportsOverlay?

  /// Creates an image with overlays.
  public init(image: UIImage, imageOverlay: CPImageOverlay?, sportsOverlay: CPSportsOverlay?) {
    self.image = image
    self.imageOverlay = imageOverlay
    self.sportsOverlay = sportsOverlay
    super.init()
    noteCreation()
  }
}

/// A header with details above a list.
@available(iOS 26.4, *)
@preconcurrency @MainActor
open class CPListTemplateDetailsHeader: NSObject {
  /// The image.
  public let thumbnail: CPThumbnailImage
  /// The title.
  public let title: String?
  /// The text below the title.
  public let subtitle: String?
  /// The longer texts, the longest first.
  public let bodyVariants: [NSAttributedString]
  /// The buttons.
  public let actionButtons: [CPButton]

  /// The number of buttons that the car shows.
  // Unverified: no source tells the number, so that of an information template's actions is used.
  public class var maximumActionButtonCount: Int { CarPlayModule.limits.maximumInformationActions }

  /// The size of the buttons' images in points.
  // Unverified: no source tells the size, so that of a contact's actions is used.
  public class var maximumActionButtonSize: CGSize { CarPlayModule.imageSizes.contactAction }

  /// Creates a header.
  public init(
    thumbnail: CPThumbnailImage, title: String?, subtitle: String?, bodyVariants: [NSAttributedString],
    actionButtons: [CPButton]
  ) {
    self.thumbnail = thumbnail
    self.title = title
    self.subtitle = subtitle
    self.bodyVariants = bodyVariants
    self.actionButtons = actionButtons
    super.init()
    noteCreation()
  }
}
