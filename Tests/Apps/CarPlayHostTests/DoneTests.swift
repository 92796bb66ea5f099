// swift-iap2 · Apache-2.0

import CarPlayTesting
import IAP2Roles
import Testing

extension CarTests {
  /// Tests as a navigation team would write them: its scene delegate, the cut button, and a cable that is pulled during
  /// an alert while the notification is lost.
  @Suite @MainActor
  struct DoneTests {
    /// The team's scene delegate, with the workaround of 2GIS: it observes the battery.
    final class TeamScene: NSObject, CPTemplateApplicationSceneDelegate {
      private(set) var controller: CPInterfaceController?
      private var token: (any NSObjectProtocol)?
      let map = CPMapTemplate()

      func templateApplicationScene(
        _ scene: CPTemplateApplicationScene, didConnect interfaceController: CPInterfaceController, to window: CPWindow
      ) {
        controller = interfaceController
        window.rootViewController = UIViewController()
        map.mapButtons = mapButtons(["pan", "minus", "plus", "location"])
        interfaceController.setRootTemplate(map, animated: false, completion: nil)
        UIDevice.current.isBatteryMonitoringEnabled = true
        token = NotificationCenter.default.addObserver(
          forName: UIDevice.batteryStateDidChangeNotification, object: nil, queue: nil
        ) { [weak self] _ in
          MainActor.assumeIsolated { if UIDevice.current.batteryState == .unplugged { self?.leave() } }
        }
      }

      func templateApplicationScene(
        _ scene: CPTemplateApplicationScene, didDisconnect interfaceController: CPInterfaceController,
        from window: CPWindow
      ) { leave() }

      private func leave() {
        controller = nil
        if let token { NotificationCenter.default.removeObserver(token) }
        token = nil
      }
    }

    @Test func theTeamSeesItsAppSurvive() async throws {
      var settings = try CarSettings.profile("standard")
      settings.limits.maximumMapButtons = 3
      let car = Car(settings)
      var scenes: [TeamScene] = []
      await car.follow(.notification)
      await car.launch(.navigation) {
        scenes.append(TeamScene())
        return scenes[scenes.count - 1]
      }
      #expect(car.diagnostics(.cut).map(\.what) == ["4 map buttons, 3 shown"])
      scenes[0].controller?.presentTemplate(alert("Route lost", "OK"), animated: true, completion: nil)
      await car.settle()
      #expect(car.screen.title == "Route lost")
      await car.unplug(noticed: false)
      await car.wait(.seconds(2))
      #expect(car.hasGhostConnection)
      #expect(scenes[0].controller == nil)
      await car.replug()
      #expect(car.end == nil)
      #expect(car.screen.kind == .map)
      #expect(scenes.count == 2)
      #expect(scenes.last?.controller != nil)
    }

    @Test func theWorkaroundDoesNotSeeAPowerBankButThePhonesPolicyMay() async {
      for (policy, isTold) in [(LifecyclePolicy.notification, false), (.evidence, true)] {
        let car = Car(.standard)
        await car.follow(policy, powerBank: 2000)
        var isConnected = false
        await car.launch(.navigation) {
          let scene = MapScene { _ in isConnected = true }
          scene.onDisconnect = { _, _ in isConnected = false }
          return scene
        }
        #expect(isConnected)
        await car.unplug(noticed: false)
        await car.wait(.seconds(120))
        #expect(isConnected == !isTold)
      }
    }

    @Test func aNoticedUnplugIsADisconnectUnderEveryPolicy() async {
      for policy in LifecyclePolicy.allCases {
        let car = Car(.standard)
        await car.follow(policy)
        await car.launch(.navigation) { MapScene() }
        await car.unplug()
        #expect(car.appCalls.filter { $0.contains("didDisconnect") }.count == 1)
        #expect(!car.hasGhostConnection)
        await car.replug()
        #expect(car.screen.kind == .map)
      }
    }
  }
}
