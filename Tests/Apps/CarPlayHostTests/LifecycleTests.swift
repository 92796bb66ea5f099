// swift-iap2 · Apache-2.0

import CarPlayHost
import CarPlayTesting
import IAP2Roles
import MediaPlayer
import Testing

extension CarTests {
  /// Tests of an app's life cycle with a car.
  @Suite @MainActor
  struct LifecycleTests {
    @Test func changesWithoutAnEndAreReported() async {
      let car = Car(.standard)
      @MainActor func replace(_ controller: CPInterfaceController) {
        controller.setRootTemplate(list("A"), animated: false) { _, _ in replace(controller) }
      }
      await car.launch(.audio) { PlainScene { replace($0) } }
      #expect(car.diagnostics(.completion).contains { $0.what.contains("changes followed one another") })
      // Another app replaces this one, so that the next test has an idle main queue.
      await car.unplug()
    }

    /// Equal and later versions reach a version, by numeric comparison. The version is that of the car whose verb ran
    /// last.
    @Test func theAppRunsOnTheVersionOfItsCar() async throws {
      let cars = [(try CarSettings.profile("ios12"), [12]), (CarSettings.standard, [12, 14, 26])]
      for (settings, reached) in cars {
        let car = Car(settings)
        await car.launch(.navigation) { MapScene() }
        for version in [12, 14, 26, 27] {
          #expect(iOSVersionIsAtLeast(version) == reached.contains(version), "\(settings.name) \(version)")
        }
        #expect(UIDevice.current.systemVersion == "\(settings.iOSVersion.major).\(settings.iOSVersion.minor)")
        await car.unplug()
      }
      var settings = CarSettings.standard
      settings.iOSVersion = IOSVersion(17, 4)
      let car = Car(settings)
      await car.lock()
      #expect(iOSVersionIsAtLeast(17, 4) && iOSVersionIsAtLeast(16, 9) && !iOSVersionIsAtLeast(17, 4, 1))
      #expect(!iOSVersionIsAtLeast(17, 10))
    }

    @Test func aColdStartByTheCarHasNoPhoneScene() async {
      let car = Car(.standard)
      await car.lock()
      await car.launch(.navigation) { MapScene() }
      #expect(
        car.calls.prefix(4) == [
          "scene(_:willConnectTo:options:)", "templateApplicationScene(_:didConnect:to:)",
          "sceneWillEnterForeground(_:)",
          "sceneDidBecomeActive(_:)",
        ])
      #expect(car.appCalls == ["templateApplicationScene(_:didConnect:to:)"])
      #expect(UIApplication.shared.connectedScenes.count == 1)
    }

    @Test func anAudioAppIsConnectedWithoutAWindow() async {
      let car = Car(.standard)
      await car.launch(.audio) { PlainScene { $0.setRootTemplate(list("A"), animated: false, completion: nil) } }
      await car.unplug()
      #expect(
        car.appCalls == [
          "templateApplicationScene(_:didConnect:)", "templateApplicationScene(_:didDisconnectInterfaceController:)",
        ])
      #expect(
        car.calls == [
          "scene(_:willConnectTo:options:)", "templateApplicationScene(_:didConnect:)", "sceneWillEnterForeground(_:)",
          "sceneDidBecomeActive(_:)", "sceneWillResignActive(_:)", "sceneDidEnterBackground(_:)",
          "templateApplicationScene(_:didDisconnectInterfaceController:)", "sceneDidDisconnect(_:)",
        ])
    }

    @Test func aDelegateWithoutAFormOfConnectRaises() async {
      final class Empty: NSObject, CPTemplateApplicationSceneDelegate {}
      let car = Car(.standard)
      await car.launch(.audio) { Empty() }
      #expect(car.exception == .noLifecycleMethods)
      #expect(car.diagnostics(.setup).contains { $0.remedy.contains("without a window") })
    }

    // Fault 1; row 25, row 26
    @Test func aLostDisconnectBreaksAnAppWithoutTheBatteryWorkaround() async {
      UIDevice.current.isBatteryMonitoringEnabled = true
      for watchesBattery in [false, true] {
        var faults = CarFaults()
        faults.loseDisconnect = 1
        let car = Car(.standard, faults: faults)
        var kept: CPInterfaceController?
        await car.launch(.navigation) {
          MapScene { scene in if kept == nil { kept = scene.controller } }
        }
        let token = NotificationCenter.default.addObserver(
          forName: UIDevice.batteryStateDidChangeNotification, object: nil, queue: nil
        ) { _ in
          MainActor.assumeIsolated {
            if watchesBattery, UIDevice.current.batteryState == .unplugged { kept = nil }
          }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        await car.unplug()
        #expect(car.hasGhostConnection)
        #expect(!car.appCalls.contains { $0.contains("didDisconnect") })
        await car.replug()
        kept?.pushTemplate(list("Late"), animated: true, completion: nil)
        await car.settle()
        #expect((car.exception == .staleController) == !watchesBattery)
      }
    }

    // Fault 1
    @Test func aDisconnectThatWasLostBehindTheHomeScreenLeavesNoDeadObjects() async {
      let car = Car(.standard)
      var controllers: [CPInterfaceController] = []
      await car.launch(.navigation) { MapScene { controllers.append($0.controller!) } }
      await car.goHome()
      await car.unplug(noticed: false)
      #expect(car.hasGhostConnection)
      await car.replug()
      #expect(!car.hasGhostConnection && !car.showsApp)
      await car.open()
      #expect(controllers.count == 2)
      #expect(car.screen.kind == .map)
      #expect(UIApplication.shared.connectedScenes.count == 1)
      controllers[0].pushTemplate(list("Late"), animated: true, completion: nil)
      await car.settle()
      #expect(car.exception == .staleController)
    }

    @Test func aLateNoticeIsTheOnlyDisconnect() async {
      for overlaps in [false, true] {
        var faults = CarFaults()
        faults.overlapReconnect = overlaps
        let car = Car(.standard, faults: faults)
        await car.launch(.navigation) { MapScene() }
        await car.unplug(noticed: overlaps)
        await car.noticeUnplug()
        #expect(!car.hasGhostConnection)
        await car.replug()
        #expect(car.screen.kind == .map)
        #expect(car.appCalls.filter { $0.contains("didDisconnect") }.count == 1)
      }
    }

    @Test func aWithheldDisconnectReachesAnAppThatIsNotOpenedAgain() async {
      for (plugsIn, opens) in [(true, false), (true, true), (false, false)] {
        var faults = CarFaults()
        faults.overlapReconnect = true
        let car = Car(.standard, faults: faults)
        await car.launch(.navigation) { MapScene() }
        await car.goHome()
        await car.unplug()
        #expect(!car.appCalls.contains { $0.contains("didDisconnect") })
        if plugsIn { await car.replug() }
        if opens { await car.open() }
        if !plugsIn { await car.noticeUnplug() }
        #expect(car.appCalls.filter { $0.contains("didDisconnect") }.count == 1)
        #expect(car.appCalls.filter { $0.contains("didConnect") }.count == (opens ? 2 : 1))
        #expect(UIApplication.shared.connectedScenes.count == (opens ? 1 : 0))
      }
    }

    @Test func aWithheldDisconnectFollowsTheLinksBelief() async {
      var faults = CarFaults()
      faults.overlapReconnect = true
      let car = Car(.standard, faults: faults)
      await car.follow(.notification)
      await car.launch(.navigation) { MapScene() }
      #expect(car.screen.kind == .map)
      await car.unplug()
      #expect(!car.appCalls.contains { $0.contains("didDisconnect") })
      await car.replug()
      #expect(
        car.appCalls.filter { $0.hasPrefix("templateApplicationScene") } == [
          "templateApplicationScene(_:didConnect:to:)", "templateApplicationScene(_:didConnect:to:)",
          "templateApplicationScene(_:didDisconnect:from:)",
        ])
    }

    @Test func withoutACarNoVerbReachesTheApp() async {
      var app = CarApp([.navigation]) { MapScene() }
      app.dashboardScene = { EmptyDashboard() }
      let car = Car(.standard)
      await car.launch(app)
      await car.showDashboard()
      let target = MPRemoteCommandCenter.shared().playCommand.addTarget { _ in .success }
      await car.unplug(noticed: false)
      let count = car.calls.count
      await withKnownIssue { await car.key(.play) }
      await withKnownIssue { await car.cancelNavigation() }
      await car.hideDashboard()
      await withKnownIssue { await car.hideCluster() }
      #expect(car.calls.count == count, "\(car.calls.dropFirst(count))")
      MPRemoteCommandCenter.shared().playCommand.removeTarget(target)
    }

    private final class EmptyDashboard: NSObject, CPTemplateApplicationDashboardSceneDelegate {}

    @Test func anAppThatObservesOnTheMainQueueIsToldAndNothingHangs() async {
      UIDevice.current.isBatteryMonitoringEnabled = true
      var heard: [String] = []
      let names = [UIDevice.batteryStateDidChangeNotification, UIApplication.didEnterBackgroundNotification]
      let car = Car(.standard)
      await car.launch(.navigation) { MapScene() }
      let tokens = names.map { name in
        NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { note in
          let name = note.name.rawValue
          MainActor.assumeIsolated { heard.append(name) }
        }
      }
      await car.goHome()
      #expect(heard == [names[1].rawValue])
      await car.unplug(noticed: false)
      #expect(heard == [names[1].rawValue, names[0].rawValue])
      for token in tokens { NotificationCenter.default.removeObserver(token) }
    }

    // Fault 2; row 27
    @Test func aSlowDisconnectEndsTheApp() async {
      for isSlow in [false, true] {
        let car = Car(.standard)
        let clock = car.clock
        await car.launch(.navigation) {
          let scene = MapScene()
          scene.onDisconnect = { _, _ in if isSlow { clock.spend(.seconds(12)) } }
          return scene
        }
        await car.unplug()
        guard case .watchdog(let call, _) = car.end else {
          #expect(!isSlow)
          continue
        }
        #expect(isSlow)
        #expect(call == "templateApplicationScene(_:didDisconnect:from:)")
        #expect(car.diagnostics(.slow).count == 1)
      }
    }

    // Fault 2; row 27
    @Test(arguments: [false, true]) func aCallThatComputesOrSleepsInRealTimeIsSlow(sleeps: Bool) async {
      let car = Car(.standard)
      var busy = Duration.zero
      await car.launch(.navigation) {
        let scene = MapScene()
        scene.onDisconnect = { _, _ in
          let before = MachineCounters()
          if sleeps {
            usleep(500_000)
          } else {
            while MachineCounters().processor - before.processor < .milliseconds(300) {}
          }
          busy = MachineCounters().busy - before.busy
        }
        return scene
      }
      #expect(!car.diagnostics(.slow).contains { $0.what.contains("didDisconnect") })
      await car.unplug()
      // On a busy machine, the time of a sleep is not distinguishable from that of a wait for the machine.
      let isSlow = car.diagnostics(.slow).contains { $0.what.contains("didDisconnect") }
      #expect(isSlow || sleeps && busy > .milliseconds(200))
      #expect(car.end == nil)
    }

    @Test func theTimeOfACallIsThatOnAProcessorOrWithoutThatOfABusyMachine() {
      let second = Duration.seconds(1)
      #expect(WorkTime.spent(real: second, processor: .zero, busy: .zero) == second)
      #expect(WorkTime.spent(real: second, processor: .zero, busy: .milliseconds(900)) == .milliseconds(100))
      #expect(WorkTime.spent(real: second, processor: .milliseconds(300), busy: second) == .milliseconds(300))
    }

    // Fault 3
    @Test(arguments: [false, true])
    func aCablePulledUnderAnAlertKillsAnAppThatDoesNotWatchTheBattery(overlaps: Bool) async {
      UIDevice.current.isBatteryMonitoringEnabled = true
      for watchesBattery in [false, true] {
        var faults = CarFaults()
        faults.killOnModalDisconnect = true
        faults.overlapReconnect = overlaps
        let car = Car(.standard, faults: faults)
        let scene = MapScene { scene in
          scene.controller?.presentTemplate(alert("Route lost", "OK"), animated: false) { _, _ in }
        }
        await car.launch(.navigation) { scene }
        let token = NotificationCenter.default.addObserver(
          forName: UIDevice.batteryStateDidChangeNotification, object: nil, queue: nil
        ) { _ in
          MainActor.assumeIsolated {
            guard watchesBattery, UIDevice.current.batteryState == .unplugged else { return }
            scene.controller?.dismissTemplate(animated: false) { _, _ in }
          }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        #expect(car.screen.kind == .alert)
        await car.unplug()
        if overlaps {
          scene.onConnect = { _ in }
          await car.replug()
        }
        #expect((car.end != nil) == !watchesBattery)
        #expect(car.diagnostics(.modal).isEmpty == watchesBattery)
      }
    }

    // Fault 4; row 23
    @Test func aFrameInTheBackgroundKillsAnAppThatDoesNotStop() async {
      for stops in [false, true] {
        var faults = CarFaults()
        faults.denyGPUInBackground = true
        let car = Car(.standard, faults: faults)
        await car.launch(.navigation) { MapScene() }
        car.submitFrame()
        #expect(car.end == nil)
        await car.openOtherApp()
        // The call of an app's own renderer.
        if !stops || UIApplication.shared.applicationState != .background { CarApplication.submitFrame() }
        #expect((car.end == nil) == stops)
      }
    }

    // Fault 5
    @Test func aReconnectBringsNewObjects() async {
      for keepsOld in [true, false] {
        let car = Car(.standard)
        var first: CPInterfaceController?
        var latest: CPInterfaceController?
        await car.launch(.navigation) {
          MapScene { scene in
            if first == nil { first = scene.controller }
            latest = scene.controller
          }
        }
        await car.unplug()
        await car.replug()
        #expect(first !== latest)
        let controller = keepsOld ? first : latest
        controller?.pushTemplate(list("A"), animated: false, completion: nil)
        await car.settle()
        #expect((car.exception == .staleController) == keepsOld)
      }
    }

    // Fault 6
    @Test func aReconnectBeforeTheDisconnectConfusesAnAppThatDoesNotCompare() async {
      for compares in [false, true] {
        var faults = CarFaults()
        faults.overlapReconnect = true
        let car = Car(.standard, faults: faults)
        var current: CPInterfaceController?
        let make: @MainActor () -> MapScene = {
          let scene = MapScene { current = $0.controller }
          scene.onDisconnect = { _, controller in if !compares || controller === current { current = nil } }
          return scene
        }
        await car.launch(.navigation) { make() }
        await car.unplug()
        await car.replug()
        #expect((current == nil) == !compares)
        #expect(
          car.appCalls.filter { $0.hasPrefix("templateApplicationScene") } == [
            "templateApplicationScene(_:didConnect:to:)", "templateApplicationScene(_:didConnect:to:)",
            "templateApplicationScene(_:didDisconnect:from:)",
          ])
      }
    }

    // Fault 7
    @Test func aColdStartShowsNothingOfAnAppThatSetsUpInItsPhoneScene() async {
      final class PhoneScene: NSObject, UIWindowSceneDelegate {
        var onConnect: () -> Void = {}
        func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
          onConnect()
        }
      }
      for (setsUpEarly, opensOnPhone) in [(false, false), (true, false), (false, true)] {
        var rows: [String] = []
        var app = CarApp([.audio]) {
          PlainScene { controller in
            if setsUpEarly { rows = ["Song"] }
            if !rows.isEmpty { controller.setRootTemplate(list("A", rows), animated: false, completion: nil) }
          }
        }
        app.phoneScene = {
          let scene = PhoneScene()
          scene.onConnect = { rows = ["Song"] }
          return scene
        }
        let car = Car(.standard)
        await car.launch(app, phoneScene: opensOnPhone)
        await car.wait(.seconds(2))
        let works = setsUpEarly || opensOnPhone
        #expect((car.screen.rows == ["Song"]) == works)
        #expect(car.diagnostics(.lifecycle).isEmpty == works)
      }
    }

    @Test func theOldFormOfIOS12CallsTheAppDelegate() async throws {
      let car = Car(try .profile("ios12"))
      let app = OldAppDelegate()
      await car.launch(.navigation, appDelegate: { app })
      #expect(car.screen.kind == .map)
      await car.unplug()
      #expect(
        car.calls == [
          "application(_:willFinishLaunchingWithOptions:)", "application(_:didFinishLaunchingWithOptions:)",
          "application(_:didConnectCarInterfaceController:to:)",
          "application(_:didDisconnectCarInterfaceController:from:)",
        ])
      #expect(car.appCalls == Array(car.calls.dropFirst(2)))
      #expect(app.controller == nil)
    }

    @Test func aLockedPhoneThatMayNotBeUsedGetsNoSession() async {
      var settings = CarSettings.standard
      settings.behavior.allowWhileLocked = false
      let car = Car(settings)
      await car.lock()
      await car.launch(.audio) { PlainScene { $0.setRootTemplate(list("A"), animated: false, completion: nil) } }
      #expect(car.screen.kind == .locked)
      await car.unlock()
      await car.open()
      #expect(car.screen.kind == .list)
    }

    @Test func withoutAPhoneTheScreenIsTheCarsOwn() async {
      let car = Car(.standard)
      #expect(car.screen.kind == .off)
      await car.plugIn()
      #expect(car.screen.kind == .home)
    }

    @Test func aWirelessCarDoesNotChargeThePhone() async throws {
      UIDevice.current.isBatteryMonitoringEnabled = true
      UIDevice.current.setBattery(state: .unplugged)
      let car = Car(try .profile("wireless-night"))
      await car.plugIn()
      #expect(UIDevice.current.batteryState == .unplugged)
      let wired = Car(.standard)
      await wired.plugIn()
      #expect(UIDevice.current.batteryState == .charging)
      await wired.unplug()
      #expect(UIDevice.current.batteryState == .unplugged)
    }

    // Fault 30; row 32
    @Test func aLockedPhoneHidesProtectedFiles() async throws {
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("tracks-\(UUID().uuidString).json")
      try Data("songs".utf8).write(to: file)
      let car = Car(.standard)
      await car.protect(file)
      await car.lock()
      #expect(!FileManager.default.fileExists(atPath: file.path))
      await car.unlock()
      #expect(try Data(contentsOf: file) == Data("songs".utf8))
      try FileManager.default.removeItem(at: file)
    }

    // The states of both scenes differ.
    @Test func phoneAndCarSceneHaveStatesOfTheirOwn() async {
      final class PhoneScene: NSObject, UIWindowSceneDelegate {}
      var app = CarApp([.navigation]) { MapScene() }
      app.phoneScene = { PhoneScene() }
      let car = Car(.standard)
      await car.launch(app, phoneScene: true)
      await car.goHome()
      let states = Set(UIApplication.shared.connectedScenes.map(\.activationState))
      #expect(states == [.foregroundActive, .background])
    }
  }
}
