// swift-iap2 · Apache-2.0

import CarPlayPlatform
public import Foundation
public import UIKit

/// A button of the Now Playing screen.
@available(iOS 14.0, *)
@preconcurrency @MainActor
open class CPNowPlayingButton: NSObject {
  /// Whether the button can be pressed.
  public var isEnabled: Bool = true { didSet { noteChange() } }

  /// Whether the button is drawn as selected. The car draws it for image buttons only.
  public var isSelected: Bool = false { didSet { noteChange() } }

  /// Runs when the button is pressed.
  package let handler: ((CPNowPlayingButton) -> Void)?

  /// Creates a button.
  public init(handler: ((CPNowPlayingButton) -> Void)?) {
    self.handler = handler
    super.init()
    noteCreation()
  }
}

/// A button that changes the shuffle mode.
@available(iOS 14.0, *)
@preconcurrency @MainActor
open class CPNowPlayingShuffleButton: CPNowPlayingButton {}

/// A button that changes the repeat mode.
@available(iOS 14.0, *)
@preconcurrency @MainActor
open class CPNowPlayingRepeatButton: CPNowPlayingButton {}

/// A button that adds the content to the library.
@available(iOS 14.0, *)
@preconcurrency @MainActor
open class CPNowPlayingAddToLibraryButton: CPNowPlayingButton {}

/// A button that shows more actions.
@available(iOS 14.0, *)
@preconcurrency @MainActor
open class CPNowPlayingMoreButton: CPNowPlayingButton {}

/// A button that changes the rate of playback.
@available(iOS 14.0, *)
@preconcurrency @MainActor
open class CPNowPlayingPlaybackRateButton: CPNowPlayingButton {}

/// A button with an image of the app.
@available(iOS 14.0, *)
@preconcurrency @MainActor
open class CPNowPlayingImageButton: CPNowPlayingButton {
  /// The image of 20×20 points.
  public let image: UIImage?

  /// Creates a button.
  public init(image: UIImage, handler: ((CPNowPlayingButton) -> Void)?) {
    self.image = image
    super.init(handler: handler)
  }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The size of the image of a Now Playing button in points.
@available(iOS 14.0, *)
@preconcurrency @MainActor
public var CPNowPlayingButtonMaximumImageSize: CGSize { CarPlayModule.imageSizes.nowPlayingButton }
