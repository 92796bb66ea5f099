// swift-iap2 · Apache-2.0

import CarPlayPlatform

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The shortest time in seconds for which a navigation alert is visible: 5.
public let CPNavigationAlertMinimumDuration: TimeInterval = CarBehavior().minimumNavigationAlertDuration

/// An alert over the map, with one or two actions. A tapped action closes it.
@preconcurrency @MainActor
open class CPNavigationAlert: NSObject {
  /// The reasons for which an alert disappears.
  public enum DismissalContext: UInt, Sendable {
    /// The duration is over.
    case timeout = 0
    /// The user tapped an action.
    case userDismissed = 1
    /// The app took the alert away.
    case systemDismissed = 2
  }

  /// The titles, the longest first.
  public private(set) var titleVariants: [String]

  /// The subtitles, the longest first.
  public private(set) var subtitleVariants: [String]

  /// The image.
  @available(iOS 13.0, *)
  public let image: UIImage?

  /// The image in a light and a dark variant.
  @available(iOS, introduced: 12.0, deprecated: 13.0)
  public let imageSet: CPImageSet?

  /// The first action.
  public let primaryAction: CPAlertAction

  /// The second action.
  public let secondaryAction: CPAlertAction?

  /// The time in seconds for which the alert is visible; 0 until it is dismissed. Shorter values than
  /// ``CPNavigationAlertMinimumDuration`` are raised to it.
  public let duration: TimeInterval

  /// The duration that the app gave.
  package let givenDuration: TimeInterval

  /// Creates an alert.
  @available(iOS 13.0, *)
  public convenience init(
    titleVariants: [String], subtitleVariants: [String]?, image: UIImage?, primaryAction: CPAlertAction,
    secondaryAction: CPAlertAction?, duration: TimeInterval
  ) {
    self.init(
      titleVariants: titleVariants, subtitleVariants: subtitleVariants, image: image, imageSet: nil,
      primaryAction: primaryAction, secondaryAction: secondaryAction, duration: duration)
  }

  /// Creates an alert with an image in a light and a dark variant.
  @available(iOS, introduced: 12.0, deprecated: 13.0)
  public convenience init(
    titleVariants: [String], subtitleVariants: [String]?, imageSet: CPImageSet?, primaryAction: CPAlertAction,
    secondaryAction: CPAlertAction?, duration: TimeInterval
  ) {
    self.init(
      titleVariants: titleVariants, subtitleVariants: subtitleVariants, image: nil, imageSet: imageSet,
      primaryAction: primaryAction, secondaryAction: secondaryAction, duration: duration)
  }

  private init(
    titleVariants: [String], subtitleVariants: [String]?, image: UIImage?, imageSet: CPImageSet?,
    primaryAction: CPAlertAction, secondaryAction: CPAlertAction?, duration: TimeInterval
  ) {
    self.titleVariants = titleVariants
    self.subtitleVariants = subtitleVariants ?? []
    self.image = image
    self.imageSet = imageSet
    self.primaryAction = primaryAction
    self.secondaryAction = secondaryAction
    givenDuration = duration
    let minimum = CarPlayModule.system.settings.behavior.minimumNavigationAlertDuration
    self.duration = duration == 0 ? 0 : max(minimum, duration)
    super.init()
    noteCreation()
  }

  /// Changes the texts of the alert, also while it is visible.
  public func updateTitleVariants(_ newTitleVariants: [String], subtitleVariants newSubtitleVariants: [String]) {
    titleVariants = newTitleVariants
    subtitleVariants = newSubtitleVariants
    noteChange("updateTitleVariants")
  }
}
