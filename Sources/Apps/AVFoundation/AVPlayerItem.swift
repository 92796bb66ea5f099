// swift-iap2 · Apache-2.0

public import Foundation
import Synchronization

/// A sound in a player, with its place and its state.
///
/// It is ready, or has failed, shortly after a player got it, on the main queue.
///
/// Invariant for `@unchecked Sendable`: the state is used under its lock only.
open class AVPlayerItem: NSObject, @unchecked Sendable {
  /// Whether the sound can be played.
  public enum Status: Int, Sendable {
    /// No player has loaded it.
    case unknown
    /// It can be played.
    case readyToPlay
    /// It cannot be played; see `error`.
    case failed
  }

  private struct State {
    var length: Result<Double?, any Error>?
    /// The place in the sound at `start`, or where it rests.
    var place = 0.0
    /// The time at which the sound began to play, and its speed; nil at rest.
    var run: (start: Double, rate: Double)?
    weak var player: AVPlayer?
  }

  /// The sound.
  public let asset: AVAsset
  let observations = KeyValueObservations()
  private let state = Mutex(State())

  /// Creates an item of a local file or a stream.
  public convenience init(url: URL) { self.init(asset: AVURLAsset(url: url)) }

  /// Creates an item of an asset.
  public convenience init(asset: AVAsset) { self.init(asset: asset, automaticallyLoadedAssetKeys: nil) }

  /// Creates an item of an asset. The length is always loaded, whatever the keys are.
  public init(asset: AVAsset, automaticallyLoadedAssetKeys: [String]?) {
    self.asset = asset
    super.init()
  }

  /// Whether the sound can be played.
  open var status: Status {
    switch state.withLock({ $0.length }) {
    case nil: .unknown
    case .success: .readyToPlay
    case .failure: .failed
    }
  }

  /// The reason of the status `failed`.
  open var error: (any Error)? {
    guard case .failure(let error) = state.withLock({ $0.length }) else { return nil }
    return error
  }

  /// The length of the sound. It is indefinite for a stream, and until the item is ready.
  open var duration: CMTime { status == .readyToPlay ? asset.duration : .indefinite }

  /// Whether the sound plays without a stop. Nothing stalls here, so a ready item does.
  open var isPlaybackLikelyToKeepUp: Bool { status == .readyToPlay }

  /// Whether nothing is loaded.
  open var isPlaybackBufferEmpty: Bool { status != .readyToPlay }

  /// Returns the place in the sound.
  open func currentTime() -> CMTime { CMTime(place) }

  /// Goes to a place, and calls the closure on the main queue.
  open func seek(to time: CMTime, completionHandler: (@Sendable (Bool) -> Void)?) {
    let isPlace = time.isNumeric || time.isPositiveInfinity
    if isPlace {
      let change = { self.place = time.seconds }
      if let player, player.currentItem === self { player.move(change) } else { change() }
    }
    if let completionHandler { PlaybackClock.shared.after(0) { completionHandler(isPlace) } }
  }

  /// Goes to a place exactly, whatever the tolerances are, and calls the closure on the main queue.
  open func seek(
    to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime, completionHandler: (@Sendable (Bool) -> Void)?
  ) { seek(to: time, completionHandler: completionHandler) }

  /// Goes to a place. Returns whether the time was one.
  @discardableResult
  open func seek(to time: CMTime) async -> Bool {
    await withCheckedContinuation { continuation in seek(to: time) { continuation.resume(returning: $0) } }
  }

  /// Goes to a place exactly, whatever the tolerances are. Returns whether the time was one.
  @discardableResult
  open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) async -> Bool {
    await seek(to: time)
  }

  // MARK: The player's side

  /// The name for the log.
  final var name: String { asset.source.lastPathComponent }

  /// The length in seconds; nil for a stream, for a failed item, and until the item is ready.
  final var length: Double? { try? state.withLock { $0.length }?.get() }

  /// The place in seconds, between 0 and the length.
  final var place: Double {
    get {
      let now = PlaybackClock.shared.now
      let place = state.withLock { $0.place + ($0.run.map { (now - $0.start) * $0.rate } ?? 0) }
      return min(max(place, 0), length ?? .infinity)
    }
    set {
      let place = newValue.isFinite ? newValue : length ?? place
      state.withLock { $0.place = place }
    }
  }

  /// Whether the place is the end.
  final var isAtEnd: Bool { length.map { place >= $0 } ?? false }

  /// The player that has the item.
  final var player: AVPlayer? {
    get { state.withLock { $0.player } }
    set { state.withLock { $0.player = newValue } }
  }

  /// Reads the length, and reports the status.
  final func load() {
    guard status == .unknown else { return }
    let length = asset.length
    state.withLock { $0.length = length }
    observations.report()
  }

  /// Lets the place move.
  final func run(rate: Double) {
    let (place, now) = (place, PlaybackClock.shared.now)
    state.withLock { ($0.place, $0.run) = (place, (now, rate)) }
  }

  /// Lets the place rest.
  final func rest() {
    let place = place
    state.withLock { ($0.place, $0.run) = (place, nil) }
  }
}

extension AVPlayerItem {
  /// The name of the notification that the sound has played to its end.
  public static let didPlayToEndTimeNotification = Notification.Name("AVPlayerItemDidPlayToEndTimeNotification")
  /// The name of the notification that the sound broke off. A test posts it, as nothing breaks off here.
  public static let failedToPlayToEndTimeNotification = Notification.Name(
    "AVPlayerItemFailedToPlayToEndTimeNotification")
  /// The name of the notification that a stream has to wait. A test posts it, as nothing has to wait here.
  public static let playbackStalledNotification = Notification.Name("AVPlayerItemPlaybackStalledNotification")
}

// swift-format-ignore: AlwaysUseLowerCamelCase
extension Notification.Name {
  /// The name of the notification that the sound of an `AVPlayerItem` has played to its end.
  public static let AVPlayerItemDidPlayToEndTime = AVPlayerItem.didPlayToEndTimeNotification
  /// The name of the notification that the sound of an `AVPlayerItem` broke off. A test posts it.
  public static let AVPlayerItemFailedToPlayToEndTime = AVPlayerItem.failedToPlayToEndTimeNotification
  /// The name of the notification that the stream of an `AVPlayerItem` has to wait. A test posts it.
  public static let AVPlayerItemPlaybackStalled = AVPlayerItem.playbackStalledNotification
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the error of the notification `AVPlayerItemFailedToPlayToEndTime`.
public let AVPlayerItemFailedToPlayToEndTimeErrorKey = "AVPlayerItemFailedToPlayToEndTimeErrorKey"
