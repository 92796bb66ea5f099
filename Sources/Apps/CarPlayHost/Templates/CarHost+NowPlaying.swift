// swift-iap2 · Apache-2.0

import Basics
import CarPlay
import CarPlayPlatform
import Foundation
package import MediaPlayer
import UIKit

/// The Now Playing information that the car has.
@MainActor
struct NowPlayingState {
  /// The image that the app's artwork provided to the car.
  var artwork: UIImage?
  /// The artwork that was last asked for an image.
  var asked: MPMediaItemArtwork?
  /// The information that the car shows.
  var shown: NowPlaying?
  /// The time of the last write that the system accepted.
  var lastWrite: CarClock.Instant?
  /// The number of writes that the system accepts now.
  private var free = Self.burst
  private var lastRefill: CarClock.Instant?

  /// The number of writes that are accepted in a burst, such as after a change of the track. Ours.
  private static let burst = 10.0

  /// Accepts a write, or drops it. After a burst, one write is accepted in each period.
  mutating func take(_ write: MPNowPlayingInfoCenter.Write, at now: CarClock.Instant, period: Double) -> Bool {
    if let lastRefill, period > 0 {
      free = min(Self.burst, free + lastRefill.duration(to: now) / .seconds(1) / period)
    }
    lastRefill = now
    guard free >= 1 || period <= 0 else { return false }
    free -= 1
    lastWrite = now
    shown = write.nowPlaying
    return true
  }

  /// Allows a full burst again. The time between two actions of a driver is long enough for it.
  mutating func rest() { free = Self.burst }
}

extension CarHost {
  /// The size of the artwork that the car requests: half of the screen's height. Ours.
  private var artworkSize: CGSize {
    let side = settings.screen.pointSize.height / 2
    return CGSize(width: side, height: side)
  }

  /// Observes the Now Playing information of this process.
  func watchNowPlaying() {
    MPNowPlayingInfoCenter.default().writes.set { [weak self] write in
      Self.onMain { self?.nowPlayingWritten(write) }
    }
  }

  private func nowPlayingWritten(_ write: MPNowPlayingInfoCenter.Write) {
    note(.fromApp, "nowPlayingInfo", object: "information center")
    guard nowPlaying.take(write, at: clock.now, period: settings.behavior.nowPlayingThrottle) else {
      return report(
        CarDiagnostic(
          .rate,
          what:
            "the Now Playing information was written more often than each \(settings.behavior.nowPlayingThrottle) s",
          carShows: "dropped updates: \"Application exceeded audio metadata throttle limit\"",
          remedy: "write it when the track or the rate changes; the car counts the elapsed time itself"))
    }
    askForArtwork()
    tellPhone()
  }

  private func askForArtwork() {
    guard let artwork = nowPlaying.shown?.artwork else {
      nowPlaying.artwork = nil
      nowPlaying.asked = nil
      return
    }
    guard artwork !== nowPlaying.asked else { return }
    nowPlaying.asked = artwork
    nowPlaying.artwork = nil
    let size = artworkSize
    // The real system calls the provider away from the main thread (Pocket Casts 1207).
    guard faults.artworkOffMain else { return setArtwork(artwork.image(at: size), size) }
    Task.detached { [weak self] in
      let image = artwork.image(at: size)
      await self?.setArtwork(image, size)
    }
  }

  private func setArtwork(_ image: UIImage?, _ size: CGSize) {
    activity &+= 1
    nowPlaying.artwork = image
    tellPhone()
    guard let content = image?.content, content.hasKnownSize else { return }
    guard content.size.width > size.width * 2 || content.size.height > size.height * 2 else { return }
    report(
      CarDiagnostic(
        .image,
        what:
          "artwork of \(Self.whole(content.size.width))x\(Self.whole(content.size.height)) for \(Self.whole(size.width)) points",
        carShows: "the artwork late, scaled down", remedy: "return an image of the asked size"))
  }

  /// Returns the elapsed time, which the car extrapolates from the rate.
  func elapsed(_ info: NowPlaying) -> Double {
    let start = info.elapsed ?? 0
    guard let written = nowPlaying.lastWrite else { return start }
    let passed = written.duration(to: clock.now)
    let seconds = Double(passed.components.seconds) + Double(passed.components.attoseconds) / 1e18
    return start + seconds * (info.rate ?? 1)
  }

  /// Sends a remote command, as a key of the car or of the screen does.
  package func send(_ request: RemoteCommandRequest) {
    guard isConnected, front != .off else { return }
    sendCommand(request)
  }

  /// Sends a remote command to the app.
  func sendCommand(_ request: RemoteCommandRequest) {
    guard app != nil else { return }
    let index = log.count
    note(.toApp, "remote command", "\(request)", object: "command center")
    let time = clock.now.offset
    let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    let result = measure("remote command \(request)") {
      MPRemoteCommandCenter.shared().perform(request, at: seconds)
    }
    switch result {
    case .noTarget, .disabled:
      if log.indices.contains(index) { log[index].isImplemented = false }
      note(.note, "remote command without a target", "\(request)")
    case .handled(let statuses):
      let failed = statuses.filter { $0 != .success }
      if !failed.isEmpty { note(.fromApp, "remote command failed", "\(failed.map(\.rawValue))", object: "app") }
    }
  }

  /// Sends the shuffle or repeat command that some cars send without a user (zonble).
  func sendSpontaneousCommand() {
    note(.car, "spontaneous command")
    send(generator.chance(0.5) ? .changeShuffle(.items) : .changeRepeat(.all))
  }

  /// Notifies the observers of the Now Playing template.
  func tellNowPlaying(_ method: String, _ call: (any CPNowPlayingTemplateObserver) -> Void) {
    for observer in CPNowPlayingTemplate.current.observers {
      callDelegate(observer, "Now Playing observer", method, call: call)
    }
  }

  /// Opens the Now Playing screen from the home screen or by a key. The app gets no call to push it.
  package func openNowPlaying() {
    guard isConnected, front != .off else { return }
    note(.car, "open Now Playing")
    showsNowPlaying = true
  }
}
