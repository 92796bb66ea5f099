// swift-iap2 · Apache-2.0

public import Foundation

/// The result of a command.
public enum MPRemoteCommandHandlerStatus: Int, Sendable {
  /// The app performed the command.
  case success = 0
  /// The content does not exist.
  case noSuchContent = 100
  /// Nothing plays.
  case noActionableNowPlayingItem = 110
  /// The device does not exist.
  case deviceNotFound = 120
  /// The app could not perform the command.
  case commandFailed = 200
}

/// A command that the car, a headset or the lock screen sends to the app. Any thread may use it.
///
/// Invariant for `@unchecked Sendable`: the state is used under its lock only.
open class MPRemoteCommand: NSObject, @unchecked Sendable {
  private struct Target {
    let token: NSObject
    let handler: (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus
  }

  private struct State {
    var isEnabled = true
    var targets: [Target] = []
  }

  private let state = Guarded(State())
  /// The name of the command's property of ``MPRemoteCommandCenter``.
  package let name: String
  let changed: @Sendable (String) -> Void

  init(_ name: String, _ changed: @escaping @Sendable (String) -> Void) {
    self.name = name
    self.changed = changed
    super.init()
  }

  /// Whether the command may be sent. A command that is off is dimmed or not drawn.
  open var isEnabled: Bool {
    get { state.value.isEnabled }
    set {
      state.with { $0.isEnabled = newValue }
      changed(name)
    }
  }

  /// Adds a handler of the command. The result is the argument of ``removeTarget(_:)``.
  @discardableResult
  open func addTarget(handler: @escaping (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus) -> Any {
    let target = Target(token: NSObject(), handler: handler)
    state.with { $0.targets.append(target) }
    changed(name)
    return target.token
  }

  /// Removes a handler of the command; nil for every handler.
  open func removeTarget(_ target: Any?) {
    let token = target.map { $0 as AnyObject }
    // The removed targets are released after the lock.
    _ = state.with { state in
      let old = state.targets
      state.targets.removeAll { token == nil || $0.token === token }
      return old
    }
    changed(name)
  }

  /// The number of targets. A command without one is not drawn.
  package var targetCount: Int { state.value.targets.count }

  /// Sends the command, as a car does: to each target in the order in which they were added.
  package func perform(_ event: MPRemoteCommandEvent) -> RemoteCommandResult {
    let state = state.value
    guard state.isEnabled else { return .disabled }
    guard !state.targets.isEmpty else { return .noTarget }
    return .handled(state.targets.map { $0.handler(event) })
  }

  func reset() { state.value = State() }
}

/// The outcome of a command.
package enum RemoteCommandResult: Hashable, Sendable {
  /// The app has switched the command off.
  case disabled
  /// The app does not handle the command.
  case noTarget
  /// The results of the app's targets, in the order in which they were added.
  case handled([MPRemoteCommandHandlerStatus])
}

/// A command to move by an interval.
open class MPSkipIntervalCommand: MPRemoteCommand, @unchecked Sendable {
  private let intervals = Guarded<[NSNumber]>([10])

  /// The intervals, in seconds. The first one is drawn.
  open var preferredIntervals: [NSNumber] {
    get { intervals.value }
    set {
      intervals.value = newValue
      changed(name)
    }
  }

  override func reset() {
    super.reset()
    intervals.value = [10]
  }
}

/// A command to change the rate of playback.
open class MPChangePlaybackRateCommand: MPRemoteCommand, @unchecked Sendable {
  private let rates = Guarded<[NSNumber]>([])

  /// The rates that the user may choose.
  open var supportedPlaybackRates: [NSNumber] {
    get { rates.value }
    set {
      rates.value = newValue
      changed(name)
    }
  }

  override func reset() {
    super.reset()
    rates.value = []
  }
}

/// A command to change the position.
open class MPChangePlaybackPositionCommand: MPRemoteCommand, @unchecked Sendable {}

/// A way to repeat.
public enum MPRepeatType: Int, Sendable {
  /// Nothing is repeated.
  case off = 0
  /// One item is repeated.
  case one = 1
  /// All items are repeated.
  case all = 2
}

/// A command to change how items are repeated.
open class MPChangeRepeatModeCommand: MPRemoteCommand, @unchecked Sendable {
  private let type = Guarded(MPRepeatType.off)

  /// The current repeat mode.
  open var currentRepeatType: MPRepeatType {
    get { type.value }
    set {
      type.value = newValue
      changed(name)
    }
  }

  override func reset() {
    super.reset()
    type.value = .off
  }
}

/// A way to shuffle.
public enum MPShuffleType: Int, Sendable {
  /// Nothing is shuffled.
  case off = 0
  /// Items are shuffled.
  case items = 1
  /// Albums or lists are shuffled.
  case collections = 2
}

/// A command to change how items are shuffled.
open class MPChangeShuffleModeCommand: MPRemoteCommand, @unchecked Sendable {
  private let type = Guarded(MPShuffleType.off)

  /// The current shuffle mode.
  open var currentShuffleType: MPShuffleType {
    get { type.value }
    set {
      type.value = newValue
      changed(name)
    }
  }

  override func reset() {
    super.reset()
    type.value = .off
  }
}

/// A command to rate the content.
open class MPRatingCommand: MPRemoteCommand, @unchecked Sendable {
  private let range = Guarded<(minimum: Float, maximum: Float)>((0, 1))

  /// The lowest rating.
  open var minimumRating: Float {
    get { range.value.minimum }
    set {
      range.with { $0.minimum = newValue }
      changed(name)
    }
  }

  /// The highest rating.
  open var maximumRating: Float {
    get { range.value.maximum }
    set {
      range.with { $0.maximum = newValue }
      changed(name)
    }
  }

  override func reset() {
    super.reset()
    range.value = (0, 1)
  }
}

/// A command to like, dislike or bookmark the content.
open class MPFeedbackCommand: MPRemoteCommand, @unchecked Sendable {
  private let content = Guarded<(isActive: Bool, title: String, shortTitle: String)>((false, "", ""))

  /// Whether the content is liked, disliked or bookmarked now.
  open var isActive: Bool {
    get { content.value.isActive }
    set {
      content.with { $0.isActive = newValue }
      changed(name)
    }
  }

  /// The title in the menu of the car.
  open var localizedTitle: String {
    get { content.value.title }
    set {
      content.with { $0.title = newValue }
      changed(name)
    }
  }

  /// The title where there is less room.
  open var localizedShortTitle: String {
    get { content.value.shortTitle }
    set {
      content.with { $0.shortTitle = newValue }
      changed(name)
    }
  }

  override func reset() {
    super.reset()
    content.value = (false, "", "")
  }
}
