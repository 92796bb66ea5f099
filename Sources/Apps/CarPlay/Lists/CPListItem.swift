// swift-iap2 · Apache-2.0

import CarPlayPlatform
public import Foundation
public import UIKit

/// A row of a list.
@available(iOS 14.0, *)
@preconcurrency @MainActor
public protocol CPListTemplateItem: NSObjectProtocol {
  /// The text of the row.
  var text: String? { get }
  /// An object of the app that goes with the row.
  var userInfo: Any? { get set }
  /// Whether the row can be selected.
  @available(iOS 15.0, *)
  var isEnabled: Bool { get set }
}

/// A row of a list that the user can select.
@available(iOS 14.0, *)
@preconcurrency @MainActor
public protocol CPSelectableListItem: CPListTemplateItem {
  /// Runs when the row is selected. The row shows a spinner until the closure of the second parameter is called.
  var handler: ((any CPSelectableListItem, @escaping () -> Void) -> Void)? { get set }
}

/// The accessory at the trailing side of a row.
@available(iOS 14.0, *)
public enum CPListItemAccessoryType: Int, Sendable {
  /// No accessory.
  case none = 0
  /// An arrow: the row opens a screen.
  case disclosureIndicator = 1
  /// A cloud: the content is not on the phone.
  case cloud = 2
}

/// The place of the indicator of a playing row.
@available(iOS 14.0, *)
public enum CPListItemPlayingIndicatorLocation: Int, Sendable {
  /// The leading side, over the image.
  case leading = 0
  /// The trailing side.
  case trailing = 1
}

/// A row with a text, a detail text and an image.
@preconcurrency @MainActor
open class CPListItem: NSObject, CPSelectableListItem {
  /// The place of a list's assistant cell.
  @available(iOS 15.0, *)
  public enum AssistantCellPosition: Int, Sendable {
    /// Above the first section.
    case top = 0
    /// Below the last section.
    case bottom = 1
  }

  /// The conditions of a list's assistant cell.
  @available(iOS 15.0, *)
  public enum AssistantCellVisibility: Int, Sendable {
    /// The cell is hidden.
    case off = 0
    /// The cell is visible while the car limits the interface.
    case whileLimitedUIActive = 1
    /// The cell is visible.
    case always = 2
  }

  /// The text.
  public private(set) var text: String?
  /// The text below ``text``.
  public private(set) var detailText: String?
  /// The image at the leading side.
  public private(set) var image: UIImage?
  /// The image at the trailing side. It is shown instead of the accessory of ``accessoryType``.
  @available(iOS 14.0, *)
  public private(set) var accessoryImage: UIImage?

  /// An object of the app that goes with the row.
  public var userInfo: Any? { didSet { noteChange() } }

  /// Runs when the row is selected. The row shows a spinner until the closure of the second parameter is called. A row
  /// without a handler does not react.
  @available(iOS 14.0, *)
  public var handler: ((any CPSelectableListItem, @escaping () -> Void) -> Void)? { didSet { noteChange() } }

  /// Whether the row can be selected.
  @available(iOS 15.0, *)
  public var isEnabled: Bool = true { didSet { noteChange() } }

  /// The accessory.
  @available(iOS 14.0, *)
  public var accessoryType: CPListItemAccessoryType { didSet { noteChange() } }

  /// Whether the row has the mark of explicit content.
  @available(iOS 14.0, *)
  public var isExplicitContent: Bool = false { didSet { noteChange() } }

  /// The part that was played, from 0 to 1. The car draws nothing for 0.
  @available(iOS 14.0, *)
  public var playbackProgress: CGFloat = 0 { didSet { noteChange() } }

  /// Whether the row has the indicator of playing content.
  @available(iOS 14.0, *)
  public var isPlaying: Bool = false { didSet { noteChange() } }

  /// The place of the indicator of playing content.
  @available(iOS 14.0, *)
  public var playingIndicatorLocation: CPListItemPlayingIndicatorLocation = .leading { didSet { noteChange() } }

  /// The content that the row plays.
  @available(iOS 26.4, *)
  public var playbackConfiguration: CPPlaybackConfiguration? { didSet { noteChange() } }

  /// The size of images in points. The car scales larger images down.
  @available(iOS 14.0, *)
  public class var maximumImageSize: CGSize { CarPlayModule.imageSizes.listItem }

  /// Creates a row with an image and an accessory.
  @available(iOS 14.0, *)
  public init(
    text: String?, detailText: String?, image: UIImage?, accessoryImage: UIImage?,
    accessoryType: CPListItemAccessoryType
  ) {
    self.text = text
    self.detailText = detailText
    self.image = image
    self.accessoryImage = accessoryImage
    self.accessoryType = accessoryType
    super.init()
    noteCreation()
  }

  /// Creates a row of texts.
  public convenience init(text: String?, detailText: String?) {
    self.init(text: text, detailText: detailText, image: nil)
  }

  /// Creates a row with an image.
  public convenience init(text: String?, detailText: String?, image: UIImage?) {
    self.init(text: text, detailText: detailText, image: image, accessoryImage: nil, accessoryType: .none)
  }

  /// Creates a row that may have an arrow.
  @available(iOS, introduced: 12.0, deprecated: 14.0)
  public convenience init(text: String?, detailText: String?, image: UIImage?, showsDisclosureIndicator: Bool) {
    self.init(
      text: text, detailText: detailText, image: image, accessoryImage: nil,
      accessoryType: showsDisclosureIndicator ? .disclosureIndicator : .none)
  }

  /// Whether the row has an arrow.
  @available(iOS, introduced: 12.0, deprecated: 14.0)
  public var showsDisclosureIndicator: Bool { accessoryType == .disclosureIndicator }

  /// The old name of ``isExplicitContent``.
  @available(iOS, introduced: 12.0, deprecated: 14.0)
  public var showsExplicitLabel: Bool {
    get { isExplicitContent }
    set { isExplicitContent = newValue }
  }
}

@available(iOS 14.0, *)
extension CPListItem {
  /// Sets the text and redraws the row.
  public func setText(_ text: String) {
    self.text = text
    noteChange("setText")
  }

  /// Sets the detail text and redraws the row.
  public func setDetailText(_ detailText: String?) {
    self.detailText = detailText
    noteChange("setDetailText")
  }

  /// Sets the image and redraws the row.
  public func setImage(_ image: UIImage?) {
    self.image = image
    noteChange("setImage")
  }

  /// Sets the image at the trailing side and redraws the row.
  public func setAccessoryImage(_ accessoryImage: UIImage?) {
    self.accessoryImage = accessoryImage
    noteChange("setAccessoryImage")
  }
}

@available(iOS 26.4, *)
extension CPListItem: CPPlayableItem {}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The size of a row's image in points in iOS 12 and 13.
@available(iOS, introduced: 12.0, deprecated: 14.0)
public let CPMaximumListItemImageSize = CGSize(width: 44, height: 44)
