// swift-iap2 · Apache-2.0

import CarPlayTesting
import MediaPlayer
import PortingSupport
import Testing

extension CarTests {
  /// Tests of Now Playing, remote commands and the old content API.
  @Suite @MainActor
  struct MediaTests {
    private func nowPlaying(
      _ faults: CarFaults = CarFaults(), _ settings: CarSettings = .standard,
      _ body: @escaping @MainActor () -> Void = {}
    ) async -> Car {
      let car = Car(settings, faults: faults)
      await car.launch(.audio) {
        PlainScene { controller in
          controller.setRootTemplate(list("A"), animated: false) { _, _ in
            body()
            controller.pushTemplate(CPNowPlayingTemplate.shared, animated: true, completion: nil)
          }
        }
      }
      return car
    }

    @Test func aCommandWithoutATargetIsNoCallOfTheApp() async {
      let car = await nowPlaying()
      await car.key(.next)
      #expect(!car.appCalls.contains { $0.hasPrefix("remote command") })
      MPRemoteCommandCenter.shared().nextTrackCommand.addTarget { _ in .success }
      await car.key(.next)
      #expect(car.appCalls.last == "remote command nextTrack")
    }

    // Fault 20; row 9, row 68
    @Test func nowPlayingShowsWhatTheInformationCenterHas() async {
      let car = await nowPlaying()
      #expect(car.screen.shows("Not Playing"))
      MPRemoteCommandCenter.shared().pauseCommand.addTarget { _ in .success }
      MPNowPlayingInfoCenter.default().nowPlayingInfo = [
        MPMediaItemPropertyTitle: "Blue", MPMediaItemPropertyArtist: "Band", MPMediaItemPropertyAlbumTitle: "Colours",
        MPMediaItemPropertyPlaybackDuration: 200.0, MPNowPlayingInfoPropertyElapsedPlaybackTime: 10.0,
        MPNowPlayingInfoPropertyPlaybackRate: 1.0,
      ]
      await car.wait(.seconds(5))
      #expect(car.screen.first(.title)?.line == "title \"Blue\" - \"Band - Colours\"")
      #expect(car.screen.first(.progress)?.line == "progress \"0:15\" - \"-3:05\"")
      #expect(car.screen.all(.command).map(\.title) == ["pause"])
    }

    @Test(arguments: [
      (3599.0, 0.0, "progress \"0:00\" - \"-59:59\""), (3600, 60, "progress \"1:00\" - \"-59:00\""),
      (39_661, 3661, "progress \"1:01:01\" - \"-10:00:00\""),
    ]) func timesOfAnHourHaveHours(duration: Double, elapsed: Double, line: String) async {
      let car = await nowPlaying()
      MPNowPlayingInfoCenter.default().nowPlayingInfo = [
        MPMediaItemPropertyPlaybackDuration: duration, MPNowPlayingInfoPropertyElapsedPlaybackTime: elapsed,
        MPNowPlayingInfoPropertyPlaybackRate: 0.0,
      ]
      await car.settle()
      #expect(car.screen.first(.progress)?.line == line)
      #expect(car.diagnostics(.note).isEmpty)
    }

    // Milliseconds in place of seconds, and the largest number for a live stream
    @Test(arguments: [3_600_000.0, .greatestFiniteMagnitude]) func anAbsurdDurationIsReported(duration: Double) async {
      let car = await nowPlaying()
      MPNowPlayingInfoCenter.default().nowPlayingInfo = [MPMediaItemPropertyPlaybackDuration: duration]
      await car.settle()
      _ = car.screen
      #expect(car.diagnostics(.note).count { $0.what.contains("a duration of 999:59:59 hours") } == 1)
    }

    // IrosTheBeggar/mstream_music PR 136, in a simulator
    @Test(arguments: [true, false]) func theStateOfPlaybackDecidesWhereTheProfileSaysSo(decides: Bool) async {
      var settings = CarSettings.standard
      settings.behavior.playbackStateDecides = decides
      let car = await nowPlaying(CarFaults(), settings)
      let commands = MPRemoteCommandCenter.shared()
      commands.playCommand.addTarget { _ in .success }
      commands.pauseCommand.addTarget { _ in .success }
      let center = MPNowPlayingInfoCenter.default()
      center.nowPlayingInfo = [MPMediaItemPropertyTitle: "Song", MPNowPlayingInfoPropertyPlaybackRate: 1.0]
      await car.settle()
      #expect(car.screen.all(.command).map(\.title) == [decides ? "play" : "pause"])
      center.playbackState = .playing
      #expect(car.screen.all(.command).map(\.title) == ["pause"])
      center.playbackState = .paused
      #expect(car.screen.all(.command).map(\.title) == [decides ? "play" : "pause"])
    }

    @Test func buttonsAndUpNextCallTheApp() async {
      final class Observer: NSObject, CPNowPlayingTemplateObserver {
        var taps = 0
        func nowPlayingTemplateUpNextButtonTapped(_ nowPlayingTemplate: CPNowPlayingTemplate) { taps += 1 }
      }
      let observer = Observer()
      var shuffles = 0
      let car = await nowPlaying {
        let template = CPNowPlayingTemplate.shared
        template.add(observer)
        template.isUpNextButtonEnabled = true
        template.updateNowPlayingButtons([CPNowPlayingShuffleButton { _ in shuffles += 1 }])
      }
      await car.tap("shuffle")
      await car.tap("up next")
      #expect(shuffles == 1 && observer.taps == 1)
    }

    @Test func likeTakesThePlaceOfThePreviousTrack() async {
      let car = await nowPlaying {
        MPRemoteCommandCenter.shared().previousTrackCommand.addTarget { _ in .success }
        MPRemoteCommandCenter.shared().likeCommand.addTarget { _ in .success }
        MPNowPlayingInfoCenter.default().nowPlayingInfo = [MPMediaItemPropertyTitle: "Blue"]
      }
      #expect(car.screen.all(.command).map(\.title) == ["..."])
    }

    // Fault 23; row 12c
    @Test func aSpontaneousCommandStartsSoundInAnAppThatPlaysOnAnyCommand() async {
      for isCareful in [false, true] {
        var faults = CarFaults()
        faults.spontaneousCommands = 1
        var isPlaying = false
        let car = Car(.standard, faults: faults)
        await car.launch(.audio) {
          PlainScene { controller in
            let center = MPRemoteCommandCenter.shared()
            for command in [center.changeShuffleModeCommand, center.changeRepeatModeCommand] as [MPRemoteCommand] {
              command.addTarget { _ in
                if !isCareful { isPlaying = true }
                return .success
              }
            }
            controller.setRootTemplate(list("A"), animated: false, completion: nil)
          }
        }
        #expect(isPlaying == !isCareful)
      }
    }

    /// An app with the old content API: two tabs, albums with tracks.
    final class Content: NSObject, MPPlayableContentDataSource, MPPlayableContentDelegate {
      var loads: [IndexPath] = []
      var answers = true
      var rootCount = 2
      var children = 20
      var setsInfo = true
      var depth = 2
      var contexts: [Int] = []
      var asked = 0

      var onCount: () -> Void = {}
      var startsLate = false
      var late: (((any Error)?) -> Void)?

      func numberOfChildItems(at indexPath: IndexPath) -> Int {
        onCount()
        return indexPath.isEmpty ? rootCount : children
      }
      func contentItem(at indexPath: IndexPath) -> MPContentItem? {
        asked += 1
        let item = MPContentItem(identifier: "\(indexPath)")
        item.title = "Item " + indexPath.map(String.init).joined(separator: ".")
        item.isContainer = indexPath.count < depth
        item.isPlayable = !item.isContainer
        return item
      }
      func beginLoadingChildItems(at indexPath: IndexPath, completionHandler: @escaping ((any Error)?) -> Void) {
        loads.append(indexPath)
        if answers { completionHandler(nil) }
      }
      func playableContentManager(
        _ contentManager: MPPlayableContentManager, initiatePlaybackOfContentItemAt indexPath: IndexPath,
        completionHandler: @escaping ((any Error)?) -> Void
      ) {
        if setsInfo { MPNowPlayingInfoCenter.default().nowPlayingInfo = [MPMediaItemPropertyTitle: "Playing"] }
        if startsLate { late = completionHandler } else { completionHandler(nil) }
      }
      func playableContentManager(
        _ contentManager: MPPlayableContentManager, didUpdate context: MPPlayableContentManagerContext
      ) {
        contexts.append(context.enforcedContentItemsCount)
      }
    }

    final class ContentApp: NSObject, UIApplicationDelegate {
      let content: Content
      init(_ content: Content) { self.content = content }
      func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
      ) -> Bool {
        MPPlayableContentManager.shared().dataSource = content
        MPPlayableContentManager.shared().delegate = content
        return true
      }
    }

    private func old(_ content: Content, tabs: Bool = false, _ settings: CarSettings = .standard) async -> Car {
      let car = Car(settings)
      var app = CarApp(entitlements: [AppCategory.playableContentEntitlement], appDelegate: { ContentApp(content) })
      app.manifest.hasSectionedBrowsing = tabs
      await car.launch(app)
      return car
    }

    @Test func theOldAPIIsBrowsedByIndexPathsAndPlays() async {
      let content = Content()
      let car = await old(content)
      #expect(car.screen.rows == ["Item 0", "Item 1"])
      await car.tap("Item 1")
      #expect(content.loads == [[], [1]])
      #expect(car.screen.rows.first == "Item 1.0")
      await car.tap("Item 1.0")
      #expect(car.screen.kind == .nowPlaying)
      #expect(car.screen.shows("Playing"))
      #expect(car.diagnostics(.order).isEmpty)
      let hasty = Content()
      hasty.setsInfo = false
      hasty.depth = 1
      let other = await old(hasty)
      MPNowPlayingInfoCenter.default().nowPlayingInfo = nil
      await other.tap("Item 1")
      #expect(other.diagnostics(.order).count == 1)
    }

    @Test func theOldAPIKeepsItsLevelBehindTheHomeScreen() async {
      let content = Content()
      let car = await old(content)
      await car.tap("Item 1")
      await car.goHome()
      #expect(car.screen.kind == .home)
      await car.bringBack()
      #expect(car.screen.rows.first == "Item 1.0")
      await car.goHome()
      await car.open()
      #expect(car.screen.rows.first == "Item 1.0")
      await car.back()
      #expect(car.screen.rows == ["Item 0", "Item 1"])
      #expect(content.loads == [[], [1], []])
    }

    @Test func theOldAPILoadsAgainAfterALostDisconnect() async {
      let content = Content()
      let car = await old(content)
      await car.unplug(noticed: false)
      #expect(car.hasGhostConnection)
      await car.replug()
      #expect(content.loads == [[], []])
      #expect(car.screen.rows == ["Item 0", "Item 1"])
    }

    @Test func lookingAtTheScreenAsksTheAppNothing() async {
      for tabs in [false, true] {
        let content = Content()
        let car = await old(content, tabs: tabs)
        let asked = content.asked
        for _ in 0..<3 { #expect(car.screen.rows.count == (tabs ? 20 : 2)) }
        #expect(content.asked == asked)
      }
    }

    @Test func anEarlierCarAsksNothingOfALaterApp() async {
      let first = await old(Content())
      #expect(first.screen.kind == .content)
      let content = Content()
      _ = await old(content)
      #expect(content.loads == [[]])
    }

    @Test func limitsStartWhenTheCarMoves() async {
      let content = Content()
      let car = await old(content)
      await car.tap("Item 0")
      #expect(car.screen.rows.count == 20)
      await car.drive()
      #expect(content.contexts.last == 12)
      #expect(car.screen.rows.count == 12)
    }

    @Test func aDeeperTreeEndsTheApp() async {
      let content = Content()
      content.depth = 9
      let car = await old(content)
      await car.tap("Item 0")
      for level in 1...5 where car.end == nil {
        await car.tap("Item " + Array(repeating: "0", count: level + 1).joined(separator: "."))
      }
      #expect(car.end != nil)
      #expect(car.diagnostics(.depth).count == 1)
    }

    @Test func aFifthTabOfTheOldAPIIsCut() async {
      let content = Content()
      content.rootCount = 5
      let car = await old(content, tabs: true)
      #expect(car.screen.all(.tab).count == 4)
      #expect(car.diagnostics(.cut).contains { $0.what == "5 tabs, 4 shown" })
      await car.tap("Item 2")
      #expect(car.screen.rows.first == "Item 2.0")
    }

    @Test func anEmptyRootIsAnErrorScreen() async {
      let content = Content()
      content.rootCount = 0
      let car = await old(content)
      #expect(car.screen.shows("Unable to load content"))
      #expect(car.diagnostics(.setup).count == 1)
    }

    @Test func aNegativeNumberOfItemsIsReported() async {
      let content = Content()
      content.children = -3
      let car = await old(content)
      await car.tap("Item 0")
      #expect(car.screen.rows.isEmpty && car.screen.kind == .content)
      #expect(car.diagnostics(.note).map(\.what) == ["numberOfChildItems(at:) of [0] is -3"])
    }

    @Test func contentThatReloadsItselfInEachLoadIsReported() async {
      let content = Content()
      content.onCount = { MPPlayableContentManager.shared().reloadData() }
      let car = await old(content)
      #expect(car.screen.first(.spinner) != nil)
      #expect(car.diagnostics(.rate).map(\.what) == ["the content was reloaded 21 times without an act of the driver"])
      await car.wait(.seconds(60))
      #expect(car.diagnostics(.completion).isEmpty)
    }

    @Test func playbackThatStartsLateDoesNotCoverTheHomeScreen() async {
      let content = Content()
      content.depth = 1
      content.startsLate = true
      let car = await old(content)
      await car.tap("Item 0")
      await car.goHome()
      content.late?(nil)
      await car.settle()
      #expect(car.screen.kind == .home)
    }

    // Fault 35
    @Test func contentThatNeverComesTimesOut() async {
      let content = Content()
      content.answers = false
      let car = await old(content)
      #expect(car.screen.first(.spinner) != nil)
      await car.wait(.seconds(11))
      #expect(car.screen.shows("Unable to load content"))
      #expect(car.diagnostics(.completion).count == 1)
    }

    @Test func aLoadWithTooManyQuestionsIsReported() async {
      let content = Content()
      content.rootCount = 220
      let car = await old(content)
      #expect(car.diagnostics(.slow).count == 1)
    }
  }
}
