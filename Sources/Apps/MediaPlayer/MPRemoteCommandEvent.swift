// swift-iap2 · Apache-2.0

public import Foundation

/// A command that was sent.
open class MPRemoteCommandEvent: NSObject {
  /// The command.
  public let command: MPRemoteCommand
  /// The time, in seconds since the phone was started.
  public let timestamp: TimeInterval

  /// Creates an event.
  package init(_ command: MPRemoteCommand, at timestamp: TimeInterval) {
    self.command = command
    self.timestamp = timestamp
    super.init()
  }
}

/// A command to move by an interval that was sent.
open class MPSkipIntervalCommandEvent: MPRemoteCommandEvent {
  /// The interval, in seconds.
  public let interval: TimeInterval

  init(_ command: MPRemoteCommand, at timestamp: TimeInterval, interval: TimeInterval) {
    self.interval = interval
    super.init(command, at: timestamp)
  }
}

/// The part of a search.
public enum MPSeekCommandEventType: UInt, Sendable {
  /// The user presses the key.
  case beginSeeking = 0
  /// The user releases the key.
  case endSeeking = 1
}

/// A command to search that was sent.
open class MPSeekCommandEvent: MPRemoteCommandEvent {
  /// The part of the search.
  public let type: MPSeekCommandEventType

  init(_ command: MPRemoteCommand, at timestamp: TimeInterval, type: MPSeekCommandEventType) {
    self.type = type
    super.init(command, at: timestamp)
  }
}

/// A command to rate that was sent.
open class MPRatingCommandEvent: MPRemoteCommandEvent {
  /// The rating.
  public let rating: Float

  init(_ command: MPRemoteCommand, at timestamp: TimeInterval, rating: Float) {
    self.rating = rating
    super.init(command, at: timestamp)
  }
}

/// A command to change the rate that was sent.
open class MPChangePlaybackRateCommandEvent: MPRemoteCommandEvent {
  /// The rate.
  public let playbackRate: Float

  init(_ command: MPRemoteCommand, at timestamp: TimeInterval, rate: Float) {
    playbackRate = rate
    super.init(command, at: timestamp)
  }
}

/// A command to change the position that was sent.
open class MPChangePlaybackPositionCommandEvent: MPRemoteCommandEvent {
  /// The position, in seconds.
  public let positionTime: TimeInterval

  init(_ command: MPRemoteCommand, at timestamp: TimeInterval, position: TimeInterval) {
    positionTime = position
    super.init(command, at: timestamp)
  }
}

/// A command to like, dislike or bookmark that was sent.
open class MPFeedbackCommandEvent: MPRemoteCommandEvent {
  /// Whether the user takes it back.
  public let isNegative: Bool

  init(_ command: MPRemoteCommand, at timestamp: TimeInterval, isNegative: Bool) {
    self.isNegative = isNegative
    super.init(command, at: timestamp)
  }
}

/// A command to change how items are repeated that was sent.
open class MPChangeRepeatModeCommandEvent: MPRemoteCommandEvent {
  /// The requested repeat mode.
  public let repeatType: MPRepeatType

  init(_ command: MPRemoteCommand, at timestamp: TimeInterval, type: MPRepeatType) {
    repeatType = type
    super.init(command, at: timestamp)
  }
}

/// A command to change how items are shuffled that was sent.
open class MPChangeShuffleModeCommandEvent: MPRemoteCommandEvent {
  /// The requested shuffle mode.
  public let shuffleType: MPShuffleType

  init(_ command: MPRemoteCommand, at timestamp: TimeInterval, type: MPShuffleType) {
    shuffleType = type
    super.init(command, at: timestamp)
  }
}
