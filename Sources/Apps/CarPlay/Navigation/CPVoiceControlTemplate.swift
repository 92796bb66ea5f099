// swift-iap2 · Apache-2.0

import CarPlayPlatform

/// A full screen with an image and a title while the app listens and answers. It is presented.
@preconcurrency @MainActor
open class CPVoiceControlTemplate: CPTemplate {
  /// The states, uncut. The car knows the first five.
  public let voiceControlStates: [CPVoiceControlState]

  /// Creates a template.
  public init(voiceControlStates: [CPVoiceControlState]) {
    self.voiceControlStates = voiceControlStates
    super.init()
  }

  /// The identifier of the visible state. It is the first state when the template appears, and nil before. The host
  /// sets it.
  public package(set) var activeStateIdentifier: String?

  /// The buttons on the leading side of the navigation bar.
  @available(iOS 26.4, *)
  public var leadingNavigationBarButtons: [CPBarButton] = [] { didSet { noteChange() } }

  /// The buttons on the trailing side of the navigation bar.
  @available(iOS 26.4, *)
  public var trailingNavigationBarButtons: [CPBarButton] = [] { didSet { noteChange() } }

  /// The back button with an action of the app.
  @available(iOS 26.4, *)
  public var backButton: CPBarButton? { didSet { noteChange() } }

  /// Shows another state. It works while the template is visible, and the system limits the rate.
  public func activateVoiceControlState(withIdentifier identifier: String) {
    CarPlayModule.system.perform(.navigation(.activateVoiceState(self, identifier: identifier)))
  }
}

@available(iOS 26.4, *)
extension CPVoiceControlTemplate: CPBarButtonProviding {}

/// One state of a voice control template, such as listening.
@preconcurrency @MainActor
open class CPVoiceControlState: NSObject {
  /// The most action buttons that the car shows.
  @available(iOS 26.4, *)
  public class var maximumActionButtonCount: Int { CarPlayModule.system.settings.limits.maximumVoiceActionButtons }

  /// The identifier, with which the app shows the state.
  public let identifier: String

  /// The titles, the longest first.
  public let titleVariants: [String]?

  /// The image, at most 150 by 150 points. An animation takes between 0.3 and 5 seconds.
  public let image: UIImage?

  /// Whether an animated image starts again at its end.
  public let repeats: Bool

  /// Creates a state.
  public init(identifier: String, titleVariants: [String]?, image: UIImage?, repeats: Bool) {
    self.identifier = identifier
    self.titleVariants = titleVariants
    self.image = image
    self.repeats = repeats
    super.init()
    noteCreation()
  }

  /// The buttons below the image, uncut.
  @available(iOS 26.4, *)
  public var actionButtons: [CPButton] = [] { didSet { noteChange() } }
}
