// swift-iap2 · Apache-2.0

package import IAP2

/// A report of an app to the phone: the part that the phone forwards over iAP2.
package struct AppReport: Sendable, Equatable, Codable {
  /// The content that plays.
  package struct Song: Sendable, Equatable, Codable {
    package var item: MediaItem
    package var isPlaying: Bool
    /// The position in milliseconds, at the time of the report.
    package var elapsed: Int
    /// The rate of playback in percent of the normal one.
    package var speed: Int
    /// The position in the queue from 0, and the number of its items.
    package var index: Int, count: Int
    /// The modes of the app's commands.
    package var shuffle = PlaybackShuffleMode.off
    package var repeating = PlaybackRepeatMode.off
    /// The time at which the app wrote the information, since the car's start.
    package var write: Duration?

    package init(
      item: MediaItem, isPlaying: Bool, elapsed: Int, speed: Int, index: Int, count: Int, write: Duration?
    ) {
      (self.item, self.isPlaying, self.elapsed, self.speed) = (item, isPlaying, elapsed, speed)
      (self.index, self.count, self.write) = (index, count, write)
    }
  }

  /// The guidance of a navigation session.
  package struct Guidance: Sendable, Equatable, Codable {
    package var route: Route
    package var reported: IAP2Roles.Guidance.Reported
    package var state: RouteGuidanceState

    package init(route: Route, reported: IAP2Roles.Guidance.Reported, state: RouteGuidanceState) {
      (self.route, self.reported, self.state) = (route, reported, state)
    }
  }

  /// The name of the app.
  package var app = ""
  package var song: Song?
  package var guidance: Guidance?
  /// The calls, the oldest one first.
  package var calls: [Call] = []
  /// The reasons of the calls that ended since the last report.
  package var ended: [String: CallDisconnectReason] = [:]
  /// Whether the microphone is muted in a call.
  package var isMuted = false
  /// Whether the app wants locations.
  package var wantsLocation = false
  /// On the way from one program to another: the artwork in Base64, in place of that of the song; nil for the artwork of
  /// the report before.
  package var artwork: String?

  /// Creates a report of an app that does nothing.
  package init() {}

  /// Returns the index of the report whose song the phone forwards: that of an app that plays, else the first one with a
  /// song; nil without one.
  package static func song(of reports: [AppReport]) -> Int? {
    reports.firstIndex { $0.song?.isPlaying == true } ?? reports.firstIndex { $0.song != nil }
  }

  /// Joins the reports of several apps.
  package init(joining reports: [AppReport]) {
    let player = Self.song(of: reports).map { reports[$0] }
    app = player?.app ?? reports.first?.app ?? ""
    song = player?.song
    guidance = reports.lazy.compactMap(\.guidance).first
    calls = reports.flatMap(\.calls)
    ended = reports.reduce(into: [:]) { $0.merge($1.ended) { first, _ in first } }
    isMuted = reports.contains(where: \.isMuted)
    wantsLocation = reports.contains(where: \.wantsLocation)
  }
}

extension PlaybackShuffleMode: Codable {}
extension PlaybackRepeatMode: Codable {}
extension MediaType: Codable {}
extension RouteGuidanceState: Codable {}
extension ManeuverType: Codable {}
extension DrivingSide: Codable {}
extension JunctionType: Codable {}
extension LaneStatus: Codable {}
extension CallService: Codable {}
extension CallDirection: Codable {}
extension CallStatus: Codable {}
extension CallDisconnectReason: Codable {}
extension AcceptAction: Codable {}
extension EndAction: Codable {}
extension DTMFTone: Codable {}

extension AppReport {
  /// The longest text that the phone forwards, in bytes. A display has room for less, and a message has 64 KiB for all
  /// texts.
  private static let maximumText = 512

  /// Returns a text that fits into a message, cut at a character.
  package static func text(_ text: String?) -> String {
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
  package func apply(to state: inout PhoneState, after old: AppReport?) {
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
