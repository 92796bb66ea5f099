// swift-iap2 · Apache-2.0

public import Foundation
import PortingSupport

/// A state of playback.
public enum MPNowPlayingPlaybackState: UInt, Sendable {
  /// The app has not said it.
  case unknown = 0
  /// Something plays.
  case playing = 1
  /// The playback is paused.
  case paused = 2
  /// The playback is stopped.
  case stopped = 3
  /// The system has interrupted the playback.
  case interrupted = 4
}

/// The center of the values that the car, the lock screen and the control center show. Any thread may use it.
open class MPNowPlayingInfoCenter: NSObject, @unchecked Sendable {
  // Invariant for `@unchecked Sendable`: the state is used under its lock only.
  private struct State {
    var info: [String: Any]?
    var playback = MPNowPlayingPlaybackState.unknown
    var writes = 0
  }

  private static let center = MPNowPlayingInfoCenter()
  private let state = Guarded(State())

  /// A write of the app.
  package struct Write: Sendable {
    /// Whether the app wrote on the main thread.
    package let isOnMainThread: Bool
    /// The information after the write; nil for none.
    package let nowPlaying: NowPlaying?
  }

  /// The observer of writes. The system drops writes that come too fast; that is left to the host.
  package let writes = ChangeObserver<Write>()

  /// Creates a center of its own, for tests. Apps have one.
  package override init() { super.init() }

  /// Returns the center.
  open class func `default`() -> MPNowPlayingInfoCenter { center }

  /// The values by the keys of this module; nil if nothing plays.
  ///
  /// The system advances the elapsed time by the rate, so an app does not write it every second.
  open var nowPlayingInfo: [String: Any]? {
    get { state.value.info }
    set {
      let nowPlaying = newValue.map(NowPlaying.init)
      // The former values are released after the lock.
      var info = newValue
      state.with { state in
        swap(&state.info, &info)
        state.writes += 1
      }
      writes(Write(isOnMainThread: MainQueue.isCurrent, nowPlaying: nowPlaying))
    }
  }

  /// The state of playback. iOS takes it from the app's audio; macOS needs it.
  open var playbackState: MPNowPlayingPlaybackState {
    get { state.value.playback }
    set {
      state.with { $0.playback = newValue }
    }
  }

  /// The writes of ``nowPlayingInfo`` since the launch.
  package var writeCount: Int { state.value.writes }

  /// The values of the app as a value.
  package var nowPlaying: NowPlaying? { nowPlayingInfo.map(NowPlaying.init) }

  /// Removes the values of a former app.
  package func reset() { state.value = State() }
}
