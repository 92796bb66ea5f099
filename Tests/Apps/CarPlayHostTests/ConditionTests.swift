// swift-iap2 · Apache-2.0

import CarPlayTesting
import Testing

extension CarTests {
  /// Tests of day and night, limits, background, setup faults and the car's clock.
  @Suite @MainActor
  struct ConditionTests {
    final class StyleScene: NSObject, CPTemplateApplicationSceneDelegate, CPSessionConfigurationDelegate {
      var styles: [String] = []
      var session: CPSessionConfiguration?
      var window: CPWindow?

      func templateApplicationScene(
        _ scene: CPTemplateApplicationScene, didConnect interfaceController: CPInterfaceController, to window: CPWindow
      ) {
        self.window = window
        window.rootViewController = UIViewController()
        session = CPSessionConfiguration(delegate: self)
        styles.append("connect \(scene.contentStyle.rawValue)")
        interfaceController.setRootTemplate(CPMapTemplate(), animated: false, completion: nil)
      }
      func contentStyleDidChange(_ contentStyle: UIUserInterfaceStyle) {
        styles.append("scene \(contentStyle.rawValue)")
      }
      func sessionConfiguration(
        _ sessionConfiguration: CPSessionConfiguration, contentStyleChanged contentStyle: CPContentStyle
      ) { styles.append("session \(contentStyle.rawValue)") }
      func sessionConfiguration(
        _ sessionConfiguration: CPSessionConfiguration, limitedUserInterfacesChanged limited: CPLimitableUserInterface
      ) { styles.append("limits \(limited.rawValue)") }
    }

    @Test func mapAndInterfaceHaveStylesOfTheirOwn() async {
      let scene = StyleScene()
      let car = Car(.standard)
      await car.launch(.navigation) { scene }
      await car.setContentStyle(.dark)
      #expect(scene.styles == ["connect 1", "scene 2", "session 2"])
      #expect(scene.window?.traitCollection.userInterfaceStyle == .light)
      await car.setAppearance(.dark)
      #expect(scene.styles.count == 3)
      #expect(scene.window?.traitCollection.userInterfaceStyle == .dark)
    }

    // Fault 16: the style is wrong at connect and is corrected later
    @Test func aLateContentStyleIsCorrectedByACall() async {
      var faults = CarFaults()
      faults.lateContentStyle = true
      let scene = StyleScene()
      let car = Car(.standard, faults: faults)
      await car.launch(.navigation) { scene }
      #expect(scene.styles == ["connect 2", "scene 1", "session 1"])
    }

    @Test func drivingTellsTheSessionConfiguration() async {
      let scene = StyleScene()
      let car = Car(.standard)
      await car.launch(.navigation) { scene }
      await car.drive()
      #expect(scene.session?.limitedUserInterfaces == [.keyboard, .lists])
      await car.park()
      #expect(scene.styles.suffix(2) == ["limits 3", "limits 0"])
    }

    @Test func thePhonesOrderMayPutTheForegroundFirst() async throws {
      let car = Car(try .profile("simulator"))
      await car.launch(.navigation) { MapScene() }
      #expect(
        car.calls.prefix(4) == [
          "scene(_:willConnectTo:options:)", "sceneWillEnterForeground(_:)",
          "templateApplicationScene(_:didConnect:to:)", "sceneDidBecomeActive(_:)",
        ])
    }

    @Test func anAppThatTakesTheCarsClockSleepsInVirtualTime() async {
      let car = Car(.standard)
      let clock = car.clock
      var isDone = false
      await car.launch(.audio) {
        PlainScene { controller in
          controller.setRootTemplate(list("A"), animated: false, completion: nil)
          Task { @MainActor in
            try await clock.sleep(for: .seconds(3600))
            isDone = true
          }
        }
      }
      #expect(!isDone)
      await car.wait(.seconds(3600))
      #expect(isDone)
    }

    @Test func realTimeOfAnAppIsWaitedFor() async {
      let car = Car(.standard)
      await car.launch(.audio) {
        PlainScene { controller in
          controller.setRootTemplate(list("Loading"), animated: false) { _, _ in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) {
              DispatchQueue.main.async {
                controller.setRootTemplate(list("Loaded"), animated: false, completion: nil)
              }
            }
          }
        }
      }
      #expect(await car.wait(until: { car.screen.title == "Loaded" }))
    }

    @Test func aClassThatIsNotRegisteredIsNamed() async throws {
      let car = Car(.standard)
      var app = CarApp(entitlements: [AppCategory.audio.entitlement])
      app.manifest.hasScenes = true
      app.manifest.scenes["CPTemplateApplicationSceneSessionRoleApplication"] = [
        AppManifest.Scene(sceneClass: nil, delegateClass: "App.NoSuchScene")
      ]
      await car.launch(app)
      let texts = car.diagnostics(.setup).map(\.what)
      #expect(
        texts.contains(
          "the class App.NoSuchScene of CPTemplateApplicationSceneSessionRoleApplication is not registered"))
      #expect(texts.contains { $0.hasPrefix("UISceneClassName is missing") })
      #expect(car.screen.kind == .home)
    }

    @Test func aRegisteredClassIsLaunchedByItsManifest() async throws {
      SceneDelegateRegistry.register(PlainScene.self) {
        PlainScene { $0.setRootTemplate(list("Registered"), animated: false, completion: nil) }
      }
      let car = Car(.standard)
      var app = CarApp(entitlements: [AppCategory.audio.entitlement])
      app.manifest.hasScenes = true
      app.manifest.scenes["CPTemplateApplicationSceneSessionRoleApplication"] = [
        AppManifest.Scene(sceneClass: "CPTemplateApplicationScene", delegateClass: "$(PRODUCT_MODULE_NAME).PlainScene")
      ]
      await car.launch(app)
      #expect(car.screen.title == "Registered")
    }

    // Fault 32; row 15
    @Test func anAppWithoutEntitlementIsNotListedOrRaisesInTheSimulator() async throws {
      for name in ["standard", "simulator"] {
        let car = Car(try .profile(name))
        let app = CarApp([]) { MapScene() }
        await car.launch(app)
        #expect((car.screen.first(.icon) == nil) == (name == "standard"))
        #expect((car.exception?.reason.hasSuffix("Allowed classes: (null)") == true) == (name == "simulator"))
        #expect(car.diagnostics(.setup).contains { $0.what.contains("no CarPlay entitlement") })
      }
    }

    @Test func aDrivingTaskThatRefreshesTooOftenIsReported() async {
      for seconds in [3, 15] {
        let template = list("Doors", ["Lock"])
        let car = Car(.standard)
        await car.launch(.drivingTask) {
          PlainScene { $0.setRootTemplate(template, animated: false, completion: nil) }
        }
        template.updateSections(template.sections)
        await car.wait(.seconds(seconds))
        template.updateSections(template.sections)
        #expect(car.diagnostics(.rate).isEmpty == (seconds == 15))
      }
    }

    @Test func aStepOfATestIsShort() async {
      // In the log of a hundred steps, the host never waits in real time: virtual time passes instead.
      let car = Car(.standard)
      await car.launch(.navigation) {
        MapScene { scene in
          scene.map.leadingNavigationBarButtons = [
            CPBarButton(title: "Places") { [weak scene] _ in
              scene?.controller?.pushTemplate(list("Places"), animated: true, completion: nil)
            }
          ]
        }
      }
      for _ in 0..<50 {
        await car.tap("Places")
        await car.back()
      }
      #expect(car.clock.now.offset > .seconds(37))
      #expect(car.screen.kind == .map)
    }
  }
}
