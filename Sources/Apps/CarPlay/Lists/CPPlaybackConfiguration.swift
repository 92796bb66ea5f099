// swift-iap2 · Apache-2.0

public import Foundation

/// The kind of content that an item plays.
@available(iOS 26.4, *)
public enum CPPlaybackPresentation: Int, Sendable {
  /// No preference.
  case none = 0
  /// Sound.
  case audio = 1
  /// A video.
  case video = 2
}

/// The action that an item offers for its content.
@available(iOS 26.4, *)
public enum CPPlaybackAction: Int, Sendable {
  /// No action.
  case none = 0
  /// Play.
  case play = 1
  /// Pause.
  case pause = 2
  /// Play again.
  case replay = 3
}

/// The content that an item plays.
@available(iOS 26.4, *)
@preconcurrency @MainActor
open class CPPlaybackConfiguration: NSObject {
  /// The preferred kind of content.
  public let preferredPresentation: CPPlaybackPresentation
  /// The action.
  public let playbackAction: CPPlaybackAction
  /// The time that was played, in seconds.
  public let elapsedTime: TimeInterval
  /// The length, in seconds.
  public let duration: TimeInterval

  /// Creates a configuration.
  public init(
    preferredPresentation: CPPlaybackPresentation, playbackAction: CPPlaybackAction, elapsedTime: TimeInterval,
    duration: TimeInterval
  ) {
    self.preferredPresentation = preferredPresentation
    self.playbackAction = playbackAction
    self.elapsedTime = elapsedTime
    self.duration = duration
    super.init()
    noteCreation()
  }
}

/// An item that plays content.
@available(iOS 26.4, *)
@preconcurrency @MainActor
public protocol CPPlayableItem: NSObjectProtocol {
  /// The content.
  var playbackConfiguration: CPPlaybackConfiguration? { get set }
}
