// swift-iap2 · Apache-2.0

import AVFoundation
import MediaPlayer

/// A player of an app: it follows the states of the player and its items, and writes the Now Playing information.
public final class RadioPlayer {
  private let player = AVPlayer()
  private var observations: [NSKeyValueObservation] = []
  private var timeObserver: Any?
  private var endObserver: (any NSObjectProtocol)?
  public private(set) var state = "idle"
  public private(set) var endCount = 0
  public private(set) var elapsed: TimeInterval = 0

  public init() {
    player.automaticallyWaitsToMinimizeStalling = true
    endObserver = NotificationCenter.default.addObserver(
      forName: .AVPlayerItemDidPlayToEndTime, object: nil, queue: .main
    ) { [weak self] note in
      guard let self, note.object as? AVPlayerItem == self.player.currentItem else { return }
      self.endCount += 1
    }
    observations.append(
      player.observe(\.timeControlStatus, options: [.initial, .new]) { [weak self] player, _ in
        switch player.timeControlStatus {
        case .paused: self?.state = "paused"
        case .waitingToPlayAtSpecifiedRate: self?.state = "loading"
        case .playing: self?.state = "playing"
        @unknown default: break
        }
      })
  }

  deinit {
    if let timeObserver { player.removeTimeObserver(timeObserver) }
    if let endObserver { NotificationCenter.default.removeObserver(endObserver) }
  }

  public func play(_ url: URL, title: String) {
    let item = AVPlayerItem(asset: AVAsset(url: url))
    observations.append(
      item.observe(\.status) { [weak self] item, _ in
        guard item.status == .readyToPlay else { return }
        self?.player.play()
        MPNowPlayingInfoCenter.default().nowPlayingInfo = [
          MPMediaItemPropertyTitle: title,
          MPMediaItemPropertyPlaybackDuration: CMTimeGetSeconds(item.duration),
        ]
      })
    player.replaceCurrentItem(with: item)
    guard timeObserver == nil else { return }
    timeObserver = player.addPeriodicTimeObserver(
      forInterval: CMTimeMakeWithSeconds(1, preferredTimescale: 1), queue: DispatchQueue.main
    ) { [weak self] time in
      self?.elapsed = time.seconds
    }
  }
}
