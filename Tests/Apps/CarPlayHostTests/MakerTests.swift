// swift-iap2 · Apache-2.0

import CarPlayTesting
import Testing
import UIKit

extension CarTests {
  /// Tests of apps of a car's maker.
  @Suite @MainActor
  struct MakerTests {
    /// An app that draws its own screen in the car while the car is connected.
    private final class MakerDelegate: NSObject, UIApplicationDelegate {
      var window: UIWindow?
      var changes: [String] = []
      private var observers: [any NSObjectProtocol] = []

      func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
      ) -> Bool {
        for (name, word) in [
          (UIScreen.didConnectNotification, "connected"), (UIScreen.didDisconnectNotification, "disconnected"),
        ] {
          observers.append(
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [weak self] _ in
              MainActor.assumeIsolated {
                self?.changes.append(word)
                self?.updateCarWindow()
              }
            })
        }
        updateCarWindow()
        return true
      }

      /// Creates the window of the car's screen, or removes it. Other displays get no window.
      private func updateCarWindow() {
        guard let screen = UIScreen.screens.first(where: { $0.traitCollection.userInterfaceIdiom == .carPlay }) else {
          window = nil
          return
        }
        guard window == nil else { return }
        let window = UIWindow(frame: screen.bounds)
        window.screen = screen
        let controller = UIViewController()
        controller.title = "Seat heating"
        window.rootViewController = controller
        window.isHidden = false
        self.window = window
      }

      func stop() { observers.forEach(NotificationCenter.default.removeObserver) }
    }

    private func app(_ delegate: MakerDelegate, _ protocols: [String]) -> CarApp {
      var app = CarApp(
        name: "My Car", entitlements: [AppCategory.automaker.entitlement], appDelegate: { delegate })
      app.accessoryProtocols = protocols
      return app
    }

    private func car(_ protocols: [String]) -> Car {
      var settings = CarSettings.standard
      settings.accessoryProtocols = protocols
      return Car(settings)
    }

    @Test func aMakersAppDrawsItsOwnScreenWhileTheCarIsThere() async {
      let delegate = MakerDelegate()
      let car = car(["com.example.car.seats", "com.example.car.climate"])
      await car.launch(app(delegate, ["com.example.car.climate"]))
      #expect(car.screen.line == "content \"Seat heating\" own window")
      #expect(delegate.changes.isEmpty, "the screen was there before the launch")
      #expect(delegate.window?.screen.bounds.size == CGSize(width: 400, height: 240))
      await car.unplug()
      #expect(delegate.window == nil && delegate.changes == ["disconnected"])
      #expect(UIScreen.screens.count == 1)
      await car.replug()
      #expect(delegate.window != nil && delegate.changes == ["disconnected", "connected"])
      delegate.stop()
    }

    @Test func aMakersAppIsShownOnlyInACarWithOneOfItsProtocols() async {
      for (own, cars, isShown) in [
        (["com.example.car.climate"], ["com.example.car.climate"], true),
        (["com.example.car.climate"], ["com.example.other"], false), (["com.example.car.climate"], [], false),
        ([], ["com.example.car.climate"], false),
      ] {
        let delegate = MakerDelegate()
        let car = car(cars)
        await car.launch(app(delegate, own))
        #expect(car.screen.kind == (isShown ? .content : .home), "\(own) \(cars)")
        #expect(!car.screen.shows("My Car"))
        #expect(car.diagnostics(.setup).count == (own.isEmpty ? 1 : 0))
        delegate.stop()
      }
    }

    @Test func aMakersAppWorksWithoutACar() async {
      let delegate = MakerDelegate()
      let car = car(["com.example.car.climate"])
      await car.start(app(delegate, ["com.example.car.climate"]))
      #expect(delegate.window == nil && car.end == nil)
      #expect(car.screen.kind == .off)
      await car.replug()
      #expect(delegate.window != nil, "the notification brings the window")
      #expect(car.screen.shows("My Car"), "the icon is on the home screen")
      await car.tap("My Car")
      #expect(car.screen.kind == .content)
      delegate.stop()
    }
  }
}
