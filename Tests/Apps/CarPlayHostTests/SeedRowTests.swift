// swift-iap2 · Apache-2.0

import CarPlayTesting
import Foundation
import MediaPlayer
import Testing

extension CarTests {
  /// Claims of published reports of app teams that no other test covers.
  @Suite @MainActor
  struct SeedRowTests {
    // New features depend on the iOS version and not on the car.
    @Test func theSameCarAllowsAnActionSheetOnlyWithALateriOS() async {
      for (version, isAllowed) in [(IOSVersion(16), false), (IOSVersion(17), true)] {
        var settings = CarSettings.standard
        settings.iOSVersion = version
        let car = Car(settings)
        await car.launch(.audio) {
          PlainScene { controller in
            controller.setRootTemplate(CPListTemplate(title: "Albums", sections: []), animated: false) { _, _ in
              let sheet = CPActionSheetTemplate(title: "Sort by", message: nil, actions: [])
              controller.presentTemplate(sheet, animated: true, completion: nil)
            }
          }
        }
        #expect((car.end == nil) == isAllowed)
        #expect((car.screen.kind == .sheet) == isAllowed)
      }
    }

    // A knob moves the focus and selects.
    @Test func aKnobMovesTheFocusAndSelects() async throws {
      let car = Car(try .profile("knob"))
      await car.launch(.audio) {
        PlainScene { controller in
          let items = ["One", "Two"].map { text in
            let item = CPListItem(text: text, detailText: nil)
            item.handler = { _, completion in
              item.setDetailText("chosen")
              completion()
            }
            return item
          }
          controller.setRootTemplate(
            CPListTemplate(title: "Rows", sections: [CPListSection(items: items)]), animated: false, completion: nil)
        }
      }
      #expect(car.screen.focus?.title == "One")
      await car.turn()
      await car.press()
      #expect(car.screen.part("Two")?.detail == "chosen" && car.screen.part("One")?.detail == "")
    }

    // An app without an entitlement is not listed, and Now Playing shows its content.
    @Test func anAppWithoutAnEntitlementIsNotListedAndNowPlayingShowsIt() async {
      let car = Car(.standard)
      await car.launch(CarApp(entitlements: [], carScene: { PlainScene { _ in } }))
      #expect(car.screen.kind == .home && car.screen.all(.icon).isEmpty)
      #expect(car.diagnostics(.setup).first?.carShows == "no icon on the home screen")
      MPNowPlayingInfoCenter.default().nowPlayingInfo = [MPMediaItemPropertyTitle: "Tide tables"]
      await car.openNowPlaying()
      #expect(car.screen.shows("Tide tables"))
    }

    // Each category has a first version and its table of templates.
    @Test func eachCategoryHasAFirstVersionAndItsTemplates() {
      #expect(AppCategory.navigation.firstVersion == IOSVersion(12))
      #expect(AppCategory.audio.firstVersion == IOSVersion(14))
      for category in AppCategory.allCases where category != .automaker {
        #expect(TemplateRules.allowed(category, IOSVersion(26, 4)).isSuperset(of: [.alert, .grid, .list, .tabBar]))
        #expect(TemplateRules.allowed(category, IOSVersion(11)).isEmpty)
      }
      let old = AppRights(entitlements: [AppCategory.playableContentEntitlement], iOSVersion: IOSVersion(10))
      #expect(old.usesPlayableContent && !old.isEmpty)
    }

    // The home button does not change the app.
    @Test func theHomeButtonKeepsTheStack() async {
      let car = Car(.standard)
      await car.launch(.audio) {
        PlainScene { controller in
          controller.setRootTemplate(CPListTemplate(title: "Library", sections: []), animated: false) { _, _ in
            controller.pushTemplate(CPListTemplate(title: "Albums", sections: []), animated: true, completion: nil)
          }
        }
      }
      #expect(car.screen.title == "Albums")
      await car.goHome()
      #expect(car.screen.kind == .home && car.screen.all(.icon).count == 1)
      await car.bringBack()
      #expect(car.screen.title == "Albums" && car.isConnected)
    }

    // Playback continues when the car connects and disconnects.
    @Test func whatPlaysGoesOnWhenTheCarConnects() async {
      let car = Car(.standard)
      await car.start(
        CarApp([.audio]) {
          PlainScene { $0.setRootTemplate(CPListTemplate(title: "", sections: []), animated: false, completion: nil) }
        })
      MPNowPlayingInfoCenter.default().nowPlayingInfo = [
        MPMediaItemPropertyTitle: "Tide tables", MPNowPlayingInfoPropertyPlaybackRate: 1.0,
      ]
      await car.plugIn()
      await car.openNowPlaying()
      #expect(car.screen.shows("Tide tables"))
      #expect(!car.appCalls.contains { $0.hasPrefix("remote command") })
    }

    // The phone is an iPhone, and the window's screen is the car's.
    @Test func theWindowHasTheCarsScreenAndThePhoneIsAPhone() async throws {
      let scene = MapScene()
      let car = Car(try .profile("ultra-wide"))
      await car.launch(.navigation) { scene }
      let window = try #require(scene.window)
      #expect(window.screen.bounds.size == CGSize(width: 640, height: 240) && window.screen.scale == 3)
      #expect(window.traitCollection.userInterfaceIdiom == .carPlay)
      #expect(window.bounds.width < 640, "the dock is not the app's")
      #expect(UIDevice.current.userInterfaceIdiom == .phone)
    }

    // The entitlement of maps in the entitlements file.
    @Test func theEntitlementsFileDecidesAboutTheCategory() throws {
      let key = AppCategory.navigation.entitlement
      let rights = { (value: Any) throws -> AppRights in
        AppRights(entitlements: try Entitlements.read([key: value]), iOSVersion: IOSVersion(26))
      }
      #expect(try rights(true).categories == [.navigation])
      #expect(try rights(false).isEmpty)
      #expect(throws: CarFileProblem.self) { try rights("YES") }
    }

    // Without an entitlement the exception names no class.
    @Test func withoutAnEntitlementTheSetOfAllowedClassesIsNull() async throws {
      let car = Car(try .profile("simulator"))
      await car.launch(
        CarApp(
          entitlements: [],
          carScene: {
            PlainScene { $0.setRootTemplate(CPListTemplate(title: "", sections: []), animated: false, completion: nil) }
          }))
      let exception = try #require(car.exception)
      #expect(exception.name == "NSInvalidArgumentException" && exception.reason.hasSuffix("Allowed classes: (null)"))
      #expect(car.diagnostics(.setup).contains { $0.remedy.contains(AppCategory.navigation.entitlement) })
    }

    // A view on the map is not a fault. A window without a controller is one.
    @Test func aWindowWithoutAControllerIsReportedAndASignOnTheMapIsNot() async {
      let car = Car(.standard)
      await car.launch(.navigation) {
        MapScene { scene in
          let sign = UILabel()
          sign.text = "50"
          scene.window?.rootViewController?.view.addSubview(sign)
        }
      }
      #expect(car.diagnostics.isEmpty && car.end == nil)
      let black = Car(.standard)
      await black.launch(.navigation) { MapScene { $0.window?.rootViewController = nil } }
      #expect(black.diagnostics(.lifecycle).map(\.carShows) == ["a black map"])
    }

    // An instruction with an image inside is shown by its text.
    @Test func anAttributedInstructionIsShownByItsText() async {
      let scene = MapScene()
      let car = Car(.standard)
      await car.launch(.navigation) { scene }
      let place = MKMapItem(placemark: MKPlacemark(coordinate: CLLocationCoordinate2D(latitude: 1, longitude: 2)))
      let session = scene.map.startNavigationSession(for: CPTrip(origin: place, destination: place, routeChoices: []))
      let maneuver = CPManeuver()
      maneuver.attributedInstructionVariants = [NSAttributedString(string: "Exit 12 to the harbour")]
      session.upcomingManeuvers = [maneuver]
      await car.settle()
      #expect(car.screen.first(.maneuver)?.title == "Exit 12 to the harbour")
    }

    // A symbol keeps its name.
    @Test func aSymbolOnAButtonKeepsItsName() async {
      let car = Car(.standard)
      await car.launch(.navigation) {
        MapScene { scene in
          let button = CPMapButton { _ in }
          button.image = UIImage(systemName: "dpad.fill")
          scene.map.mapButtons = [button]
        }
      }
      #expect(car.screen.all(.mapButton).map(\.title) == ["dpad.fill"])
    }

    // About one disconnect in five is lost, and the same seed loses the same ones.
    @Test func theSameSeedLosesTheSameDisconnects() async {
      var runs: [[Bool]] = []
      for seed in [7, 7, 8] as [UInt64] {
        var faults = CarFaults()
        faults.loseDisconnect = 0.2
        let car = Car(.standard, faults: faults, seed: seed)
        await car.launch(.navigation) { MapScene() }
        var lost: [Bool] = []
        for _ in 0..<60 {
          await car.unplug()
          lost.append(car.hasGhostConnection)
          await car.replug()
        }
        runs.append(lost)
      }
      #expect(runs[0] == runs[1] && runs[0] != runs[2])
      #expect((3...25).contains(runs[0].count { $0 }))
    }
  }
}
