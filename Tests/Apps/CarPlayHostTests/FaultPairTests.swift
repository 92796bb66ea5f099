// swift-iap2 · Apache-2.0

import CarPlayTesting
import MediaPlayer
import PortingSupport
import Synchronization
import Testing

extension CarTests {
  /// Failures that occur in the field, each with a naive app that it breaks and a careful app that it does not break.
  /// The tests of each part contain the other pairs.
  @Suite @MainActor
  struct FaultPairTests {
    private func audio(
      _ settings: CarSettings = .standard, _ faults: CarFaults = CarFaults(),
      _ onConnect: @escaping @MainActor (CPInterfaceController) -> Void
    ) async -> Car {
      let car = Car(settings, faults: faults)
      await car.launch(.audio) { PlainScene(onConnect) }
      return car
    }

    // Fault 8
    @Test func aListHangsOfAnAppThatForgetsAnErrorsCompletion() async {
      for isCareful in [false, true] {
        var kept: [() -> Void] = []
        let row = CPListItem(text: "Radio", detailText: nil)
        // The load fails.
        row.handler = { _, completion in isCareful ? completion() : kept.append(completion) }
        let template = CPListTemplate(title: "A", sections: [CPListSection(items: [row])])
        let car = await audio { $0.setRootTemplate(template, animated: false, completion: nil) }
        await car.tap("Radio")
        await car.wait(.seconds(6))
        #expect(car.screen.part("Radio")?.hasSpinner == !isCareful)
        #expect(car.diagnostics(.completion).isEmpty == isCareful)
      }
    }

    // Fault 10, stuck
    @Test func aStuckChangeHoldsAnAppThatWaitsForItForEver() async {
      for isCareful in [false, true] {
        var faults = CarFaults()
        faults.stuckChange = 1
        let play = { MPNowPlayingInfoCenter.default().nowPlayingInfo = [MPMediaItemPropertyTitle: "Blue"] }
        let car = await audio(.standard, faults) { controller in
          controller.setRootTemplate(list("A"), animated: false) { _, _ in if !isCareful { play() } }
          if isCareful { play() }
        }
        await car.openNowPlaying()
        #expect(car.screen.shows("Blue") == isCareful)
        #expect(car.diagnostics(.completion).count == 1)
      }
    }

    // Fault 14
    @Test func aRemoteImageThatFailsHidesTheOnlyNameOfARow() async throws {
      let logo = try #require(UIImage(data: TestImages.png(width: 44, height: 44), scale: 2))
      for isCareful in [false, true] {
        var faults = CarFaults()
        faults.imageFailure = 1
        let row = CPListItem(text: isCareful ? "Radio One" : nil, detailText: nil)
        let car = await audio(.standard, faults) {
          $0.setRootTemplate(
            CPListTemplate(title: "A", sections: [CPListSection(items: [row])]), animated: false, completion: nil)
        }
        row.setImage(logo)
        #expect(car.screen.all(.row)[0].marks == ["[placeholder]"])
        #expect(car.screen.shows("Radio One") == isCareful)
      }
    }

    // Fault 17
    @Test func anAppThatReadsTheScaleAtConnectGetsZero() async {
      final class ScaleScene: NSObject, CPTemplateApplicationSceneDelegate {
        var isCareful = false
        var scale: CGFloat = 0
        var controller: CPInterfaceController?
        func templateApplicationScene(
          _ scene: CPTemplateApplicationScene, didConnect interfaceController: CPInterfaceController
        ) {
          controller = interfaceController
          interfaceController.setRootTemplate(list("A"), animated: false, completion: nil)
          if !isCareful { scale = interfaceController.carTraitCollection.displayScale }
        }
        func sceneDidBecomeActive(_ scene: UIScene) {
          if isCareful { scale = controller?.carTraitCollection.displayScale ?? 0 }
        }
      }
      for isCareful in [false, true] {
        var faults = CarFaults()
        faults.lateTraits = true
        let scene = ScaleScene()
        scene.isCareful = isCareful
        let car = Car(.standard, faults: faults)
        await car.launch(.audio) { scene }
        #expect(scene.scale == (isCareful ? 2 : 0))
      }
    }

    // Fault 20
    @Test func nowPlayingIsEmptyForAnAppThatOpensItBeforeItHasInformation() async {
      for isCareful in [false, true] {
        let car = await audio { controller in
          controller.setRootTemplate(list("A"), animated: false) { _, _ in
            if isCareful { MPNowPlayingInfoCenter.default().nowPlayingInfo = [MPMediaItemPropertyTitle: "Blue"] }
            controller.pushTemplate(CPNowPlayingTemplate.shared, animated: false, completion: nil)
          }
        }
        #expect(car.screen.shows("Not Playing") == !isCareful)
        #expect(car.screen.shows("Blue") == isCareful)
      }
    }

    // Fault 21
    @Test func artworkIsMissingOfAProviderThatNeedsTheMainThread() async throws {
      let cover = try #require(UIImage(systemName: "music.note"))
      for isCareful in [false, true] {
        var faults = CarFaults()
        faults.artworkOffMain = true
        let car = await audio(.standard, faults) { controller in
          let artwork = MPMediaItemArtwork(boundsSize: CGSize(width: 100, height: 100)) { _ in
            // A cache that only the main thread may use has no image on other threads.
            isCareful || MainQueue.isCurrent ? cover : UIImage()
          }
          MPNowPlayingInfoCenter.default().nowPlayingInfo = [
            MPMediaItemPropertyTitle: "Blue", MPMediaItemPropertyArtwork: artwork,
          ]
          controller.setRootTemplate(list("A"), animated: false) { _, _ in
            controller.pushTemplate(CPNowPlayingTemplate.shared, animated: false, completion: nil)
          }
        }
        #expect(await car.wait(until: { car.screen.first(.artwork)?.title != "none" }))
        #expect((car.screen.first(.artwork)?.title == "music.note") == isCareful)
      }
    }

    // Fault 22
    @Test func theLastTitleIsDroppedOfAnAppThatWritesAllTheTime() async {
      for isCareful in [false, true] {
        let car = await audio { controller in
          controller.setRootTemplate(list("A"), animated: false) { _, _ in
            controller.pushTemplate(CPNowPlayingTemplate.shared, animated: false, completion: nil)
          }
        }
        for second in 0..<30 where !isCareful || second == 29 {
          MPNowPlayingInfoCenter.default().nowPlayingInfo = [MPMediaItemPropertyTitle: "Second \(second)"]
        }
        await car.settle()
        #expect(car.screen.shows("Second 29") == isCareful)
        #expect(car.diagnostics(.rate).isEmpty == isCareful)
        // The time between two actions of the driver allows more writes.
        for round in 0..<30 {
          await car.key(.next)
          MPNowPlayingInfoCenter.default().nowPlayingInfo = [MPMediaItemPropertyTitle: "Track \(round)"]
        }
        await car.settle()
        #expect(car.screen.shows("Track 29"))
        #expect(car.diagnostics(.rate).isEmpty == isCareful)
      }
    }

    // Fault 24
    @Test func drivingHidesTheEndOfAListWhoseAppDoesNotAskForTheLimit() async {
      for isCareful in [false, true] {
        let car = await audio { controller in
          var rows = (1...20).map { "Song \($0)" } + ["Downloads"]
          if isCareful { rows.swapAt(0, 20) }
          controller.setRootTemplate(list("A", rows), animated: false, completion: nil)
        }
        await car.drive()
        #expect(car.screen.shows("Downloads") == isCareful)
        #expect(car.diagnostics(.cut).map(\.what) == ["21 rows, 12 shown"])
      }
    }

    /// A search delegate that returns the typed text.
    private final class Finder: NSObject, CPSearchTemplateDelegate {
      func searchTemplate(
        _ searchTemplate: CPSearchTemplate, updatedSearchText searchText: String,
        completionHandler: @escaping ([CPListItem]) -> Void
      ) { completionHandler([CPListItem(text: searchText, detailText: nil)]) }
      func searchTemplate(
        _ searchTemplate: CPSearchTemplate, selectedResult item: CPListItem, completionHandler: @escaping () -> Void
      ) { completionHandler() }
    }

    // Fault 25
    @Test func aLockedPhoneLeavesNothingToAnAppThatOnlyHasASearch() async {
      for (isOn, isCareful) in [(false, false), (true, false), (true, true)] {
        var faults = CarFaults()
        faults.dismissKeyboard = isOn
        let finder = Finder()
        let car = Car(.standard, faults: faults)
        await car.launch(.navigation) {
          MapScene { scene in
            if isCareful {
              scene.map.trailingNavigationBarButtons = [
                CPBarButton(title: "Recent") { _ in
                  scene.controller?.pushTemplate(list("Recent", ["Home"]), animated: false, completion: nil)
                }
              ]
            }
            let search = CPSearchTemplate()
            search.delegate = finder
            scene.controller?.pushTemplate(search, animated: false, completion: nil)
          }
        }
        await car.lock()
        await withKnownIssue {
          await car.type("Home")
        } when: {
          isOn
        } matching: {
          $0.comments.contains { $0.rawValue.hasPrefix("the locked phone took the keyboard away") }
        }
        #expect(car.screen.shows("Home") == !isOn)
        guard isCareful else { continue }
        await car.back()
        await car.tap("Recent")
        #expect(car.screen.shows("Home"))
      }
    }

    // Fault 26; row 58
    @Test func oneRowIsSeenOfAnAppThatPutsTheBestResultLast() async {
      final class Searcher: NSObject, CPSearchTemplateDelegate {
        var isCareful = false
        func searchTemplate(
          _ searchTemplate: CPSearchTemplate, updatedSearchText searchText: String,
          completionHandler: @escaping ([CPListItem]) -> Void
        ) {
          let results = ["Far away", "Near"]
          completionHandler(
            (isCareful ? results.reversed() : results).map { CPListItem(text: $0, detailText: nil) })
        }
        func searchTemplate(
          _ searchTemplate: CPSearchTemplate, selectedResult item: CPListItem, completionHandler: @escaping () -> Void
        ) { completionHandler() }
      }
      for isCareful in [false, true] {
        let searcher = Searcher()
        searcher.isCareful = isCareful
        let car = Car(.standard)
        await car.launch(.navigation) {
          MapScene { scene in
            let search = CPSearchTemplate()
            search.delegate = searcher
            scene.controller?.pushTemplate(search, animated: false, completion: nil)
          }
        }
        await car.type("cafe")
        #expect(car.screen.rows == [isCareful ? "Near" : "Far away"])
      }
    }

    // Fault 27
    @Test func aRegionCallAwayFromTheMainThreadEndsAnAppThatUsesTheFrameworkThere() async {
      final class Naive: NSObject, CPPointOfInterestTemplateDelegate {
        func pointOfInterestTemplate(
          _ template: CPPointOfInterestTemplate, didChangeMapRegion region: MKCoordinateRegion
        ) { template.setPointsOfInterest([], selectedIndex: NSNotFound) }
      }
      final class Careful: NSObject, CPPointOfInterestTemplateDelegate {
        let wasOnMain = Mutex<Bool?>(nil)
        nonisolated func pointOfInterestTemplate(
          _ template: CPPointOfInterestTemplate, didChangeMapRegion region: MKCoordinateRegion
        ) {
          wasOnMain.withLock { $0 = MainQueue.isCurrent }
          Task { @MainActor in template.setPointsOfInterest([], selectedIndex: NSNotFound) }
        }
      }
      for isAway in [false, true] {
        for isCareful in [false, true] {
          let careful = Careful()
          let delegate: any CPPointOfInterestTemplateDelegate = isCareful ? careful : Naive()
          var faults = CarFaults()
          faults.offMainCallbacks = isAway
          let car = Car(.standard, faults: faults)
          await car.launch(.charging) {
            PlainScene {
              let points = CPPointOfInterestTemplate(title: "A", pointsOfInterest: [], selectedIndex: NSNotFound)
              points.pointOfInterestDelegate = delegate
              $0.setRootTemplate(points, animated: false, completion: nil)
            }
          }
          #expect((car.end == nil) == (isCareful || !isAway))
          #expect(car.diagnostics(.thread).count == (isAway ? 1 : 0))
          if isCareful { #expect(careful.wasOnMain.withLock { $0 } == !isAway) }
        }
      }
    }

    // Fault 28, Fault 29; row 40, row 41
    @Test func aMapStaysOfAnAppThatOnlyKnowsGestures() async {
      final class Mover: NSObject, CPMapTemplateDelegate {
        var moves = 0
        func mapTemplate(_ mapTemplate: CPMapTemplate, panWith direction: CPMapTemplate.PanDirection) { moves += 1 }
        func mapTemplate(
          _ mapTemplate: CPMapTemplate, didUpdatePanGestureWithTranslation translation: CGPoint, velocity: CGPoint
        ) { moves += 1 }
      }
      for hasGestures in [false, true] {
        for isCareful in [false, true] {
          var settings = CarSettings.standard
          settings.behavior.panGestures = hasGestures
          let mover = Mover()
          let car = Car(settings)
          await car.launch(.navigation) {
            MapScene { scene in
              scene.map.mapDelegate = mover
              let move = CPMapButton { _ in scene.map.showPanningInterface(animated: false) }
              move.image = UIImage(systemName: "dpad.fill")
              if isCareful { scene.map.mapButtons = [move] }
            }
          }
          // A short drag has no effect: a gesture needs a quarter of the screen.
          await car.pan(x: 10, y: 0)
          #expect(mover.moves == 0)
          await car.pan(x: 200, y: 0)
          if isCareful {
            await car.tap("dpad.fill")
            await car.tap("left")
          }
          #expect(mover.moves == (hasGestures ? 1 : 0) + (isCareful ? 1 : 0))
        }
      }
    }

    // Fault 30; row 32
    @Test func aLockedPhoneHidesTheSongsOfAnAppThatReadsThemAtConnect() async throws {
      let songs = FileManager.default.temporaryDirectory.appending(path: "songs-\(UUID().uuidString).json")
      try Data("Blue".utf8).write(to: songs)
      for isCareful in [false, true] {
        let car = Car(.standard)
        await car.protect(songs)
        let copy = isCareful ? try String(contentsOf: songs, encoding: .utf8) : nil
        await car.lock()
        await car.launch(.audio) {
          PlainScene { controller in
            let song = (try? String(contentsOf: songs, encoding: .utf8)) ?? copy
            controller.setRootTemplate(list("A", song.map { [$0] } ?? []), animated: false, completion: nil)
          }
        }
        #expect(car.screen.shows("Blue") == isCareful)
        await car.unlock()
      }
      try FileManager.default.removeItem(at: songs)
    }

    // Fault 33
    @Test func aSecondLevelAfterAChangeOfTheTabIsReported() async {
      for isCareful in [false, true] {
        let car = await audio { controller in
          let albums = list("Albums", ["Open"]) { _ in
            controller.pushTemplate(list("Album", ["Song"]), animated: false) { _, _ in
              if !isCareful { controller.pushTemplate(list("Song"), animated: false, completion: nil) }
            }
          }
          let tabs = CPTabBarTemplate(templates: [list("Radio"), albums])
          controller.setRootTemplate(tabs, animated: false, completion: nil)
        }
        await car.tap("Albums")
        await car.tap("Open")
        #expect(car.diagnostics(.note).contains { $0.what.hasPrefix("two templates") } == !isCareful)
      }
    }

    // Fault 34
    @Test func imageRowsInALongListAreReported() async {
      for isCareful in [false, true] {
        let images = CPListImageRowItem(text: "New", images: [])
        let rows = (1...(isCareful ? 2 : 20)).map { CPListItem(text: "Song \($0)", detailText: nil) }
        let car = await audio {
          $0.setRootTemplate(
            CPListTemplate(title: "A", sections: [CPListSection(items: [images] + rows)]), animated: false,
            completion: nil)
        }
        #expect(car.diagnostics(.note).contains { $0.what.contains("image rows") } == !isCareful)
      }
    }
  }
}
