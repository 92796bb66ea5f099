// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform
import MediaPlayer
import UIKit

extension ScreenBuilder {
  func nowPlaying(_ template: CPNowPlayingTemplate) -> [Element] {
    var parts = NowPlayingScreen(host: host, width: width).parts()
    if template.isAlbumArtistButtonEnabled {
      parts.append(
        Element(ScreenNode(.button, "album artist")) { [host] in
          host.tellNowPlaying("nowPlayingTemplateAlbumArtistButtonTapped(_:)") {
            $0.nowPlayingTemplateAlbumArtistButtonTapped(template)
          }
        })
    }
    if template.isUpNextButtonEnabled {
      parts.append(host.reporting { upNextButton(template) })
    }
    let kept = limits.maximumNowPlayingButtons
    host.reportCut(
      "Now Playing buttons", given: template.nowPlayingButtons.count, kept: kept, of: template,
      "updateNowPlayingButtons", remedy: "use at most \(kept) buttons")
    return parts + template.nowPlayingButtons.prefix(kept).map(nowPlayingButton)
  }

  private func upNextButton(_ template: CPNowPlayingTemplate) -> Element {
    let title = text(template.upNextTitle, of: template, "upNextTitle", in: TextRoom(points: width / 4))
    return Element(
      ScreenNode(.button, title?.text ?? "up next", isCut: title?.isCut ?? false), title, focusGroup: 0
    ) { [host] in
      host.tellNowPlaying("nowPlayingTemplateUpNextButtonTapped(_:)") {
        $0.nowPlayingTemplateUpNextButtonTapped(template)
      }
    }
  }

  private func nowPlayingButton(_ button: CPNowPlayingButton) -> Element {
    host.reporting { plainNowPlayingButton(button) }
  }

  private func plainNowPlayingButton(_ button: CPNowPlayingButton) -> Element {
    let name =
      switch button {
      case is CPNowPlayingShuffleButton: "shuffle"
      case is CPNowPlayingRepeatButton: "repeat"
      case is CPNowPlayingAddToLibraryButton: "add to library"
      case is CPNowPlayingMoreButton: "more"
      case is CPNowPlayingPlaybackRateButton: "playback rate"
      case let image as CPNowPlayingImageButton:
        self.image(image.image, settings.imageSizes.nowPlayingButton, of: image, "image") ?? "image"
      default: "button"
      }
    let isImage = button is CPNowPlayingImageButton
    return Element(
      ScreenNode(.option, name, isEnabled: button.isEnabled, isSelected: isImage && button.isSelected)
    ) { [host] in host.run("Now Playing button", name) { button.handler?(button) } }
    .showing((button as? CPNowPlayingImageButton)?.image, of: host)
  }
}

/// The Now Playing screen of the app that plays. It uses only the information center and the remote commands.
@MainActor
struct NowPlayingScreen {
  let host: CarHost
  let width: Double

  func parts() -> [Element] {
    guard let info = host.nowPlaying.shown else {
      return [Element(ScreenNode(.title, "Not Playing"))] + transport(isPlaying: false, dimmed: true)
    }
    for key in info.wrongTypes {
      host.report(
        CarDiagnostic(
          .note, what: "the Now Playing information has a value for \(key) that is of another type or no finite number",
          carShows: "nothing in its place", remedy: "give the type that the key's documentation names"))
    }
    let room = TextRoom(points: width / 2)
    let title = FittedText(info.title ?? "", in: room)
    let detail = FittedText([info.artist, info.albumTitle].compactMap(\.self).joined(separator: " - "), in: room)
    let isPlaying = isPlaying(info)
    return [artwork(info), Element(ScreenNode(.title, title.text, detail: detail.text, isCut: title.isCut))]
      + progress(info) + transport(isPlaying: isPlaying, dimmed: false)
  }

  /// Returns whether the car shows the key for pause.
  private func isPlaying(_ info: NowPlaying) -> Bool {
    guard host.settings.behavior.playbackStateDecides else { return (info.rate ?? 1) != 0 }
    return MPNowPlayingInfoCenter.default().playbackState == .playing
  }

  private func artwork(_ info: NowPlaying) -> Element {
    guard let image = host.nowPlaying.artwork else { return Element(ScreenNode(.artwork, "none")) }
    return Element(ScreenNode(.artwork, image.content.name ?? image.content.text)).showing(image, of: host)
  }

  private func progress(_ info: NowPlaying) -> [Element] {
    if info.isLive { return [Element(ScreenNode(.progress, "LIVE"))] }
    guard let duration = info.duration, duration > 0 else { return [] }
    if duration >= Self.longestDuration {
      host.report(
        CarDiagnostic(
          .note, what: "the Now Playing information has a duration of \(Self.clock(duration)) hours",
          carShows: "a bar that does not move",
          remedy: "give seconds, not milliseconds, and MPNowPlayingInfoPropertyIsLiveStream for a live stream"))
    }
    let elapsed = min(duration, max(0, host.elapsed(info)))
    return [Element(ScreenNode(.progress, Self.clock(elapsed), detail: "-" + Self.clock(duration - elapsed)))]
  }

  /// The duration in seconds from which a duration is reported: four days, longer than the longest audio books. Ours.
  private static let longestDuration = 345_600.0
  /// The longest time in seconds that is shown.
  private static let longestTime = 3_599_999.0

  /// Returns a time as minutes and seconds, or as hours, minutes and seconds.
  private static func clock(_ seconds: Double) -> String {
    let whole = Int(min(max(seconds, 0), longestTime))
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes) = (whole / 3600, whole / 60 % 60)
    return (hours > 0 ? "\(hours):\(two(minutes))" : "\(minutes)") + ":" + two(whole % 60)
  }

  /// Returns the transport keys for the enabled remote commands. Skip commands replace track buttons. Like, dislike and
  /// bookmark appear behind an ellipsis in place of the previous-track button (S2).
  private func transport(isPlaying: Bool, dimmed: Bool) -> [Element] {
    let center = MPRemoteCommandCenter.shared()
    func key(_ name: String, _ command: MPRemoteCommand, _ request: RemoteCommandRequest) -> Element {
      Element(ScreenNode(.command, name, isEnabled: command.isEnabled && !dimmed)) { [host] in host.send(request) }
    }
    func has(_ command: MPRemoteCommand) -> Bool { command.targetCount > 0 }
    var keys: [Element] = []
    let feedback = [center.likeCommand, center.dislikeCommand, center.bookmarkCommand].contains(where: has)
    if feedback {
      keys.append(Element(ScreenNode(.command, "...")) { [host] in host.note(.car, "feedback menu") })
    } else if has(center.skipBackwardCommand) {
      keys.append(key("skip backward", center.skipBackwardCommand, .skipBackward(nil)))
    } else if has(center.previousTrackCommand) {
      keys.append(key("previous", center.previousTrackCommand, .previousTrack))
    }
    keys += playKeys(center, isPlaying, key, has)
    if has(center.skipForwardCommand) {
      keys.append(key("skip forward", center.skipForwardCommand, .skipForward(nil)))
    } else if has(center.nextTrackCommand) {
      keys.append(key("next", center.nextTrackCommand, .nextTrack))
    }
    return keys + rateKey(center, dimmed)
  }

  /// Returns the key of the playback rate. It needs a command with rates and a default rate. A tap selects the next
  /// higher rate, and after the highest the lowest one (S2).
  private func rateKey(_ center: MPRemoteCommandCenter, _ dimmed: Bool) -> [Element] {
    let command = center.changePlaybackRateCommand
    let rates = command.supportedPlaybackRates.map(\.floatValue).filter { $0 > 0 && $0.isFinite }.sorted()
    guard command.targetCount > 0, let lowest = rates.first, let usual = host.nowPlaying.shown?.defaultRate,
      usual > 0
    else { return [] }
    let present = Float(host.nowPlaying.shown?.rate ?? usual)
    let rate = present > 0 ? present : Float(usual)
    let next = rates.first { $0 > rate } ?? lowest
    let name = rate == rate.rounded() ? "\(Int(max(0, min(rate, 1000))))x" : "\(rate)x"
    return [
      Element(ScreenNode(.command, name, isEnabled: command.isEnabled && !dimmed)) { [host] in
        host.send(.changeRate(next))
      }
    ]
  }

  private func playKeys(
    _ center: MPRemoteCommandCenter, _ isPlaying: Bool,
    _ key: (String, MPRemoteCommand, RemoteCommandRequest) -> Element, _ has: (MPRemoteCommand) -> Bool
  ) -> [Element] {
    if isPlaying {
      if has(center.pauseCommand) { return [key("pause", center.pauseCommand, .pause)] }
    } else if has(center.playCommand) {
      return [key("play", center.playCommand, .play)]
    }
    guard has(center.togglePlayPauseCommand) else { return [] }
    return [key(isPlaying ? "pause" : "play", center.togglePlayPauseCommand, .togglePlayPause)]
  }
}
