// swift-iap2 · Apache-2.0

public import Foundation

/// The commands that the app handles. Any thread may use it.
///
/// Invariant for `@unchecked Sendable`: all properties are constant.
open class MPRemoteCommandCenter: NSObject, @unchecked Sendable {
  private static let center = MPRemoteCommandCenter()

  /// The observer of changes. It gets the name of the command's property.
  package let changes: ChangeObserver<String>

  /// Pauses the playback.
  public let pauseCommand: MPRemoteCommand
  /// Starts the playback.
  public let playCommand: MPRemoteCommand
  /// Ends the playback.
  public let stopCommand: MPRemoteCommand
  /// Starts or pauses the playback.
  public let togglePlayPauseCommand: MPRemoteCommand
  /// Turns a language on.
  public let enableLanguageOptionCommand: MPRemoteCommand
  /// Turns a language off.
  public let disableLanguageOptionCommand: MPRemoteCommand
  /// Changes the rate.
  public let changePlaybackRateCommand: MPChangePlaybackRateCommand
  /// Changes how items are repeated.
  public let changeRepeatModeCommand: MPChangeRepeatModeCommand
  /// Changes how items are shuffled.
  public let changeShuffleModeCommand: MPChangeShuffleModeCommand
  /// Plays the next item.
  public let nextTrackCommand: MPRemoteCommand
  /// Plays the previous item.
  public let previousTrackCommand: MPRemoteCommand
  /// Moves forward by an interval.
  public let skipForwardCommand: MPSkipIntervalCommand
  /// Moves backward by an interval.
  public let skipBackwardCommand: MPSkipIntervalCommand
  /// Searches forward.
  public let seekForwardCommand: MPRemoteCommand
  /// Searches backward.
  public let seekBackwardCommand: MPRemoteCommand
  /// Changes the position.
  public let changePlaybackPositionCommand: MPChangePlaybackPositionCommand
  /// Rates the content.
  public let ratingCommand: MPRatingCommand
  /// Likes the content.
  public let likeCommand: MPFeedbackCommand
  /// Dislikes the content.
  public let dislikeCommand: MPFeedbackCommand
  /// Bookmarks the content.
  public let bookmarkCommand: MPFeedbackCommand

  /// Creates a center of its own, for tests. Apps have one.
  package override init() {
    let changes = ChangeObserver<String>()
    self.changes = changes
    let changed: @Sendable (String) -> Void = { changes($0) }
    pauseCommand = MPRemoteCommand("pauseCommand", changed)
    playCommand = MPRemoteCommand("playCommand", changed)
    stopCommand = MPRemoteCommand("stopCommand", changed)
    togglePlayPauseCommand = MPRemoteCommand("togglePlayPauseCommand", changed)
    enableLanguageOptionCommand = MPRemoteCommand("enableLanguageOptionCommand", changed)
    disableLanguageOptionCommand = MPRemoteCommand("disableLanguageOptionCommand", changed)
    changePlaybackRateCommand = MPChangePlaybackRateCommand("changePlaybackRateCommand", changed)
    changeRepeatModeCommand = MPChangeRepeatModeCommand("changeRepeatModeCommand", changed)
    changeShuffleModeCommand = MPChangeShuffleModeCommand("changeShuffleModeCommand", changed)
    nextTrackCommand = MPRemoteCommand("nextTrackCommand", changed)
    previousTrackCommand = MPRemoteCommand("previousTrackCommand", changed)
    skipForwardCommand = MPSkipIntervalCommand("skipForwardCommand", changed)
    skipBackwardCommand = MPSkipIntervalCommand("skipBackwardCommand", changed)
    seekForwardCommand = MPRemoteCommand("seekForwardCommand", changed)
    seekBackwardCommand = MPRemoteCommand("seekBackwardCommand", changed)
    changePlaybackPositionCommand = MPChangePlaybackPositionCommand("changePlaybackPositionCommand", changed)
    ratingCommand = MPRatingCommand("ratingCommand", changed)
    likeCommand = MPFeedbackCommand("likeCommand", changed)
    dislikeCommand = MPFeedbackCommand("dislikeCommand", changed)
    bookmarkCommand = MPFeedbackCommand("bookmarkCommand", changed)
    super.init()
  }

  /// Returns the center.
  open class func shared() -> MPRemoteCommandCenter { center }

  /// The commands, in the order of the properties.
  package var commands: [MPRemoteCommand] {
    [
      pauseCommand, playCommand, stopCommand, togglePlayPauseCommand, enableLanguageOptionCommand,
      disableLanguageOptionCommand, changePlaybackRateCommand, changeRepeatModeCommand, changeShuffleModeCommand,
      nextTrackCommand, previousTrackCommand, skipForwardCommand, skipBackwardCommand, seekForwardCommand,
      seekBackwardCommand, changePlaybackPositionCommand, ratingCommand, likeCommand, dislikeCommand, bookmarkCommand,
    ]
  }

  /// Removes the settings of a former app.
  package func reset() { for command in commands { command.reset() } }
}

/// A command with its values, as a car sends it.
package enum RemoteCommandRequest: Hashable, Sendable {
  case pause, play, stop, togglePlayPause, nextTrack, previousTrack
  /// A jump; nil for the first interval that the app prefers.
  case skipForward(TimeInterval?)
  case skipBackward(TimeInterval?)
  case seekForward(MPSeekCommandEventType)
  case seekBackward(MPSeekCommandEventType)
  case changeRate(Float)
  case changePosition(TimeInterval)
  case changeRepeat(MPRepeatType)
  case changeShuffle(MPShuffleType)
  case rate(Float)
  case like(isNegative: Bool)
  case dislike(isNegative: Bool)
  case bookmark(isNegative: Bool)
}

extension MPRemoteCommandCenter {
  /// Sends a command to the app. A real phone does it on the main thread.
  ///
  /// - Parameters:
  ///   - request: The command.
  ///   - timestamp: The time of the event, in seconds since the phone was started.
  package func perform(_ request: RemoteCommandRequest, at timestamp: TimeInterval) -> RemoteCommandResult {
    let event = event(of: request, at: timestamp)
    return event.command.perform(event)
  }

  private func event(of request: RemoteCommandRequest, at time: TimeInterval) -> MPRemoteCommandEvent {
    switch request {
    case .pause: MPRemoteCommandEvent(pauseCommand, at: time)
    case .play: MPRemoteCommandEvent(playCommand, at: time)
    case .stop: MPRemoteCommandEvent(stopCommand, at: time)
    case .togglePlayPause: MPRemoteCommandEvent(togglePlayPauseCommand, at: time)
    case .nextTrack: MPRemoteCommandEvent(nextTrackCommand, at: time)
    case .previousTrack: MPRemoteCommandEvent(previousTrackCommand, at: time)
    case .skipForward(let interval): skip(skipForwardCommand, interval, time)
    case .skipBackward(let interval): skip(skipBackwardCommand, interval, time)
    case .seekForward(let type): MPSeekCommandEvent(seekForwardCommand, at: time, type: type)
    case .seekBackward(let type): MPSeekCommandEvent(seekBackwardCommand, at: time, type: type)
    case .changeRate(let rate): MPChangePlaybackRateCommandEvent(changePlaybackRateCommand, at: time, rate: rate)
    case .changePosition(let position):
      MPChangePlaybackPositionCommandEvent(changePlaybackPositionCommand, at: time, position: position)
    case .changeRepeat(let type): MPChangeRepeatModeCommandEvent(changeRepeatModeCommand, at: time, type: type)
    case .changeShuffle(let type): MPChangeShuffleModeCommandEvent(changeShuffleModeCommand, at: time, type: type)
    case .rate(let rating): MPRatingCommandEvent(ratingCommand, at: time, rating: rating)
    case .like(let isNegative): MPFeedbackCommandEvent(likeCommand, at: time, isNegative: isNegative)
    case .dislike(let isNegative): MPFeedbackCommandEvent(dislikeCommand, at: time, isNegative: isNegative)
    case .bookmark(let isNegative): MPFeedbackCommandEvent(bookmarkCommand, at: time, isNegative: isNegative)
    }
  }

  private func skip(
    _ command: MPSkipIntervalCommand, _ interval: TimeInterval?, _ time: TimeInterval
  ) -> MPRemoteCommandEvent {
    let preferred = command.preferredIntervals.first?.doubleValue ?? 0
    return MPSkipIntervalCommandEvent(command, at: time, interval: interval ?? preferred)
  }
}
