// swift-iap2 · Apache-2.0

import CarPlay
import Foundation
import MediaPlayer

/// The player of the app, for phone and car. It tells the system what plays, and takes the system's commands.
@MainActor
final class Player {
  private(set) var queue: [Station] = []
  private(set) var station: Station?
  private(set) var isPlaying = false
  private(set) var recent: [Station] = []
  var favourites: Set<Station> = []

  /// Whether the app has asked for the media keys, which it does when it first plays.
  private var takesCommands = false

  private func takeCommands() {
    guard !takesCommands else { return }
    takesCommands = true
    let center = MPRemoteCommandCenter.shared()
    add(center.playCommand) { $0.resume() }
    add(center.pauseCommand) { $0.pause() }
    add(center.nextTrackCommand) { $0.skip(1) }
    add(center.previousTrackCommand) { $0.skip(-1) }
  }

  private func add(_ command: MPRemoteCommand, _ action: @escaping @MainActor @Sendable (Player) -> Void) {
    command.addTarget { [weak self] _ in
      MainActor.assumeIsolated {
        guard let self, self.station != nil else { return .noActionableNowPlayingItem }
        action(self)
        return .success
      }
    }
  }

  /// Plays a station of a list; the keys of the car go through the list.
  func play(_ station: Station, of queue: [Station]) {
    self.queue = queue
    start(station)
  }

  private func start(_ station: Station) {
    takeCommands()
    self.station = station
    isPlaying = true
    recent.removeAll { $0 == station }
    recent.insert(station, at: 0)
    tellSystem()
  }

  private func resume() {
    isPlaying = true
    tellSystem()
  }

  private func pause() {
    isPlaying = false
    tellSystem()
  }

  private func skip(_ count: Int) {
    guard let station, let index = queue.firstIndex(of: station) else { return }
    start(queue[(index + count + queue.count) % queue.count])
  }

  func shuffle() { queue.shuffle() }

  private static let cover = UIImage(named: "Cover", in: .module, compatibleWith: nil)

  private func tellSystem() {
    guard let station else { return }
    var info: [String: Any] = [
      MPMediaItemPropertyTitle: station.name, MPMediaItemPropertyArtist: station.program,
      MPNowPlayingInfoPropertyIsLiveStream: true, MPNowPlayingInfoPropertyPlaybackRate: isPlaying ? 1.0 : 0.0,
    ]
    if let cover = Self.cover {
      info[MPMediaItemPropertyArtwork] = MPMediaItemArtwork(boundsSize: cover.size) { _ in cover }
    }
    MPNowPlayingInfoCenter.default().nowPlayingInfo = info
  }
}
