// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles

/// A report of the app to the phone: the part that the phone forwards over iAP2.
struct AppReport: Sendable, Equatable {
  /// The content that plays.
  struct Song: Sendable, Equatable {
    var item: MediaItem
    var isPlaying: Bool
    /// The position in milliseconds, at the time of the report.
    var elapsed: Int
    /// The rate of playback in percent of the normal one.
    var speed: Int
    /// The position in the queue from 0, and the number of its items.
    var index: Int, count: Int
    /// The modes of the app's commands.
    var shuffle = PlaybackShuffleMode.off
    var repeating = PlaybackRepeatMode.off
    /// The time at which the app wrote the information.
    var write: CarClock.Instant?
  }

  /// The guidance of a navigation session.
  struct Guidance: Sendable, Equatable {
    var route: Route
    var reported: IAP2Roles.Guidance.Reported
    var state: RouteGuidanceState
  }

  /// The name of the app.
  var app = ""
  var song: Song?
  var guidance: Guidance?
  /// The calls, the oldest one first.
  var calls: [Call] = []
  /// The reasons of the calls that ended since the last report.
  var ended: [String: CallDisconnectReason] = [:]
  /// Whether the microphone is muted in a call.
  var isMuted = false
  /// Whether the app wants locations.
  var wantsLocation = false
}

extension AppReport {
  /// The longest text that the phone forwards, in bytes. A display has room for less, and a message has 64 KiB for all
  /// texts.
  private static let maximumText = 512

  /// Returns a text that fits into a message, cut at a character.
  static func text(_ text: String?) -> String {
    guard let text, text.utf8.count > maximumText else { return text ?? "" }
    var end = text.startIndex
    var count = 0
    while end < text.endIndex {
      count += text[end].utf8.count
      guard count <= maximumText else { break }
      end = text.index(after: end)
    }
    return String(text[..<end])
  }

  /// The maximum number of items in a queue. A queue of an app can be longer than a head unit accepts.
  private static let maximumQueue = 1000

  /// Updates the phone's state. Only the differences from an earlier report are written, so that the position of a song
  /// continues.
  func apply(to state: inout PhoneState, after old: AppReport?) {
    state.appsDecide = true
    if song != old?.song || app != old?.app { apply(song, to: &state.player) }
    if calls != old?.calls { state.telephone.follow(calls, ended: ended) }
    state.telephone.isMuted = isMuted
    state.wantsLocation = wantsLocation
    guard guidance != old?.guidance else { return }
    if let guidance {
      state.guide(guidance.route, guidance.reported, guidance.state)
    } else {
      state.endNavigation()
    }
  }

  /// Fills the queue. The other items have no title, because an app reports only their number.
  private func apply(_ song: Song?, to player: inout MediaPlayer) {
    player.appName = app
    guard let song else {
      player.replaceQueue([])
      return
    }
    let count = min(max(song.count, 1), Self.maximumQueue)
    let index = min(max(song.index, 0), count - 1)
    player.queue = (0..<count).map { position in
      position == index ? song.item : MediaItem(identifier: UInt64(position), title: "", duration: .zero)
    }
    player.index = index
    player.elapsedMilliseconds = song.elapsed
    player.speed = song.speed
    player.status = song.isPlaying ? .playing : .paused
    player.shuffleMode = song.shuffle
    player.repeatMode = song.repeating
  }
}
