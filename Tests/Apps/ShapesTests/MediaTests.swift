// swift-iap2 · Apache-2.0

import Foundation
import MediaPlayer
import PortingSupport
import Synchronization
import Testing

/// Each test has centers of its own, because tests of other targets use those of the phone meanwhile.
@Suite struct MediaTests {
  private let center = MPRemoteCommandCenter()

  @Test func `a command without a target and one that is off are not handled`() {
    #expect(center.perform(.play, at: 1) == .noTarget)
    center.playCommand.addTarget { _ in .success }
    #expect(center.perform(.play, at: 2) == .handled([.success]))
    center.playCommand.isEnabled = false
    #expect(center.perform(.play, at: 3) == .disabled)
  }

  @Test func `each target gives its status, in the order in which they were added`() {
    let first = center.nextTrackCommand.addTarget { _ in .noSuchContent }
    center.nextTrackCommand.addTarget { _ in .commandFailed }
    #expect(center.perform(.nextTrack, at: 1) == .handled([.noSuchContent, .commandFailed]))
    center.nextTrackCommand.removeTarget(first)
    #expect(center.perform(.nextTrack, at: 2) == .handled([.commandFailed]))
    center.nextTrackCommand.removeTarget(nil)
    #expect(center.perform(.nextTrack, at: 3) == .noTarget)
  }

  @Test func `a command brings its value`() {
    let heard = Mutex<[String]>([])
    func note(_ text: String) -> MPRemoteCommandHandlerStatus {
      heard.withLock { $0.append(text) }
      return .success
    }
    center.skipForwardCommand.preferredIntervals = [15, 30]
    center.skipForwardCommand.addTarget { note("skip \(($0 as? MPSkipIntervalCommandEvent)?.interval ?? 0)") }
    center.changePlaybackRateCommand.addTarget {
      note("rate \(($0 as? MPChangePlaybackRateCommandEvent)?.playbackRate ?? 0)")
    }
    center.changePlaybackPositionCommand.addTarget {
      note("position \(($0 as? MPChangePlaybackPositionCommandEvent)?.positionTime ?? 0) at \($0.timestamp)")
    }
    center.likeCommand.addTarget { note("like \(($0 as? MPFeedbackCommandEvent)?.isNegative == true)") }
    for request in [
      .skipForward(nil), .skipForward(30), .changeRate(1.5), .changePosition(42), .like(isNegative: true),
    ] as [RemoteCommandRequest] {
      #expect(center.perform(request, at: 7) == .handled([.success]))
    }
    #expect(heard.withLock { $0 } == ["skip 15.0", "skip 30.0", "rate 1.5", "position 42.0 at 7.0", "like true"])
  }

  @Test func `a target that removes itself while it is called, or whose owner dies with it, does no harm`() {
    final class Player {
      let center: MPRemoteCommandCenter
      var token: Any?
      init(_ center: MPRemoteCommandCenter) { self.center = center }
      deinit { center.pauseCommand.removeTarget(token) }
    }
    nonisolated(unsafe) let once = Player(center)
    unsafe once.token = center.pauseCommand.addTarget { _ in
      unsafe once.center.pauseCommand.removeTarget(unsafe once.token)
      return .success
    }
    #expect(center.perform(.pause, at: 1) == .handled([.success]))
    #expect(center.perform(.pause, at: 2) == .noTarget)

    var dying: Player? = Player(center)
    weak let reference = dying
    center.pauseCommand.addTarget { [dying] _ in dying == nil ? .commandFailed : .success }
    dying = nil
    #expect(center.perform(.pause, at: 3) == .handled([.success]))
    // The player is released here, and its deinit removes targets again.
    center.pauseCommand.removeTarget(nil)
    #expect(reference == nil)
  }

  @Test func `changes of commands are told by their names`() {
    let heard = Mutex<[String]>([])
    center.changes.set { name in heard.withLock { $0.append(name) } }
    defer { center.changes.set(nil) }
    center.likeCommand.isActive = true
    center.changePlaybackRateCommand.supportedPlaybackRates = [0.5, 1, 2]
    center.playCommand.addTarget { _ in .success }
    #expect(heard.withLock { $0 } == ["likeCommand", "changePlaybackRateCommand", "playCommand"])
  }

  @Test func `every write of now playing is counted with its thread, and none is dropped here`() async {
    let info = MPNowPlayingInfoCenter()
    let heard = Mutex<[Bool]>([])
    info.writes.set { write in heard.withLock { $0.append(write.isOnMainThread) } }
    defer { info.writes.set(nil) }
    for second in 0..<100 { info.nowPlayingInfo = [MPNowPlayingInfoPropertyElapsedPlaybackTime: Double(second)] }
    #expect(info.writeCount == 100)
    await MainActor.run { info.nowPlayingInfo = nil }
    #expect(heard.withLock { $0 }.count == 101)
    #expect(heard.withLock { $0.last } == true)
    #expect(info.nowPlaying == nil)
  }

  @Test func `now playing has the values of the app, whatever number type it uses`() throws {
    let info: [String: Any] = [
      MPMediaItemPropertyTitle: "Night Bus", MPMediaItemPropertyArtist: "The Testers",
      MPMediaItemPropertyPlaybackDuration: 100, MPNowPlayingInfoPropertyElapsedPlaybackTime: Float(12.5),
      MPNowPlayingInfoPropertyPlaybackRate: NSNumber(value: 1.5), MPNowPlayingInfoPropertyIsLiveStream: true,
      MPNowPlayingInfoPropertyMediaType: MPNowPlayingInfoMediaType.audio.rawValue,
      MPNowPlayingInfoPropertyPlaybackQueueCount: 3,
    ]
    let center = MPNowPlayingInfoCenter()
    center.nowPlayingInfo = info
    let playing = try #require(center.nowPlaying)
    #expect(playing.title == "Night Bus")
    #expect(playing.duration == 100)
    #expect(playing.elapsed == 12.5)
    #expect(playing.rate == 1.5)
    #expect(playing.isLive)
    #expect(playing.mediaType == .audio)
    #expect(playing.queueCount == 3)
    #expect(playing.wrongTypes.isEmpty)
  }

  @Test func `values of a wrong type are named`() {
    let playing = NowPlaying([
      MPMediaItemPropertyTitle: 7, MPMediaItemPropertyArtwork: UIImage(),
      MPMediaItemPropertyPlaybackDuration: Double.infinity, MPNowPlayingInfoPropertyPlaybackQueueIndex: 1e300,
    ])
    #expect(
      playing.wrongTypes == [MPMediaItemPropertyArtwork, MPMediaItemPropertyPlaybackDuration, MPMediaItemPropertyTitle])
    #expect(playing.title == nil)
    #expect(playing.queueIndex == 1_000_000_000_000_000)
  }

  @Test func `artwork is asked for in the size of the place`() {
    let artwork = MPMediaItemArtwork(boundsSize: CGSize(width: 600, height: 600)) { size in
      UIImage(data: ImageFiles.png(width: Int(size.width), height: Int(size.height))) ?? UIImage()
    }
    #expect(artwork.bounds.size == CGSize(width: 600, height: 600))
    #expect(artwork.image(at: CGSize(width: 30, height: 30))?.size == CGSize(width: 30, height: 30))
  }
}

/// An app with a tree of content, and items that are its own.
private final class Library: NSObject, MPPlayableContentDataSource, MPPlayableContentDelegate {
  final class Song: MPContentItem {
    var songs = [MPContentItem]()
  }

  var limits: [Int] = []

  func numberOfChildItems(at indexPath: IndexPath) -> Int { indexPath.isEmpty ? 1 : 0 }
  func contentItem(at indexPath: IndexPath) -> MPContentItem? {
    let song = Song(identifier: "song")
    song.title = "Night Bus"
    return indexPath.count == 1 ? song : nil
  }
  func playableContentManager(
    _ contentManager: MPPlayableContentManager, didUpdate context: MPPlayableContentManagerContext
  ) { limits.append(context.contentLimitsEnforced ? context.enforcedContentItemsCount : -1) }
}

extension MediaTests {
  @Test func `a content tree tells its changes, and has the limits of the car`() {
    let manager = MPPlayableContentManager()
    let heard = Mutex<[String]>([])
    manager.changes.set { change in heard.withLock { $0.append("\(change)") } }
    defer { manager.changes.set(nil) }
    let library = Library()
    manager.dataSource = library
    manager.delegate = library
    manager.beginUpdates()
    manager.endUpdates()
    manager.endUpdates()
    manager.reloadData()
    #expect(heard.withLock { $0 } == ["dataSource", "delegate", "updates(1)", "updates(0)", "updates(0)", "reload"])
    manager.setLimits(PlayableContentLimits(itemCount: 12, areEnforced: true))
    #expect(manager.context.enforcedContentItemsCount == 12)
    manager.setLimits(PlayableContentLimits())
    #expect(manager.context.enforcedContentItemsCount == .max)
  }

  @MainActor @Test func `a missing method of the app is noted and answered`() throws {
    let manager = MPPlayableContentManager()
    let library = Library()
    manager.dataSource = library
    manager.delegate = library
    var isLoaded = false
    let loads = OptionalMethod.isImplemented(
      "beginLoadingChildItems(at:completionHandler:)", by: manager.dataSource
    ) { $0.beginLoadingChildItems(at: IndexPath()) { isLoaded = $0 == nil } }
    #expect(isLoaded && !loads)
    let plays = OptionalMethod.isImplemented(
      "playableContentManager(_:initiatePlaybackOfContentItemAt:completionHandler:)", by: manager.delegate
    ) { $0.playableContentManager(manager, initiatePlaybackOfContentItemAt: [0]) { _ in } }
    #expect(!plays)
    let adapts = OptionalMethod.isImplemented("playableContentManager(_:didUpdate:)", by: manager.delegate) {
      $0.playableContentManager(manager, didUpdate: manager.context)
    }
    #expect(adapts)
    #expect(library.limits == [-1])
    let item = try #require(manager.dataSource?.contentItem(at: [0]))
    #expect(item is Library.Song)
    #expect(item.playbackProgress == -1)
  }

  @Test func `the data source of the content tree is not retained`() {
    let manager = MPPlayableContentManager()
    manager.dataSource = Library()
    #expect(manager.dataSource == nil)
  }
}
