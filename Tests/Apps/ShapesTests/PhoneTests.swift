// swift-iap2 · Apache-2.0

import CarSupport
import Foundation
import Testing
import UIKit

/// A delegate without any optional method.
private final class EmptyDelegate: UIResponder, UIApplicationDelegate, UIWindowSceneDelegate {}

/// A delegate that is no responder.
private final class PlainDelegate: NSObject, UISceneDelegate {
  var events: [String] = []
  func sceneDidDisconnect(_ scene: UIScene) { events.append("disconnect") }
}

/// Each test has a device and an app of its own. The phone has one list of screens, and apps observe the notifications
/// of any device, so these tests run one after another with those of a car.
@MainActor @Suite(.serialized, .onlyCar) struct PhoneTests {
  /// Records the names of notifications while a body runs.
  private func notifications(_ names: [Notification.Name], of sender: AnyObject, _ body: () -> Void) async
    -> [Notification.Name]
  {
    await drain()
    nonisolated(unsafe) var heard: [Notification.Name] = []
    let tokens = names.map { name in
      NotificationCenter.default.addObserver(forName: name, object: sender, queue: nil) { unsafe heard.append($0.name) }
    }
    body()
    await drain()
    for token in tokens { NotificationCenter.default.removeObserver(token as Any) }
    return unsafe heard
  }

  /// Waits until the notifications so far were posted.
  private func drain() async {
    await withCheckedContinuation { done in OperationQueue.main.addOperation { done.resume() } }
  }

  private let battery = [UIDevice.batteryStateDidChangeNotification, UIDevice.batteryLevelDidChangeNotification]

  @Test func `the battery is unknown and silent until it is monitored`() async {
    let device = UIDevice()
    device.isBatteryMonitoringEnabled = false
    let heard = await notifications(battery, of: device) { device.setBattery(state: .charging, level: 0.4) }
    #expect(heard.isEmpty)
    #expect(device.batteryState == .unknown)
    #expect(device.batteryLevel == -1)
    device.isBatteryMonitoringEnabled = true
    #expect(device.batteryState == .charging)
    #expect(device.batteryLevel == 0.4)
  }

  @Test func `a pulled cable is one notification, and the same state again is none`() async {
    let device = UIDevice()
    device.isBatteryMonitoringEnabled = true
    device.setBattery(state: .charging, level: 0.5)
    let heard = await notifications(battery, of: device) {
      device.setBattery(state: .unplugged)
      device.setBattery(state: .unplugged)
      device.setBattery(state: .unplugged, level: 7)
    }
    #expect(heard == battery)
    #expect(device.batteryState == .unplugged)
    #expect(device.batteryLevel == 1)
  }

  @Test func `the state of the app is told to observers`() async {
    let names = [
      UIApplication.willResignActiveNotification, UIApplication.didEnterBackgroundNotification,
      UIApplication.willEnterForegroundNotification, UIApplication.didBecomeActiveNotification,
    ]
    let app = UIApplication()
    let heard = await notifications(names, of: app) {
      app.applicationState = .active
      app.applicationState = .inactive
      app.applicationState = .background
      app.applicationState = .background
      app.applicationState = .active
    }
    #expect(heard == [names[3], names[0], names[1], names[2], names[3]])
  }

  @Test func `a screen of the car comes and goes beside the phone's`() async {
    let car = UIScreen(
      bounds: CGRect(x: 0, y: 0, width: 400, height: 240), scale: 2, style: .dark, idiom: .carPlay)
    // A former car's screen stays in the list until the next app starts.
    let before = UIScreen.screens
    let names = [UIScreen.didConnectNotification, UIScreen.didDisconnectNotification]
    let heard = await notifications(names, of: car) {
      UIScreen.connect(car)
      UIScreen.connect(car)
      #expect(UIScreen.screens == before + [car])
      UIScreen.disconnect(car)
      UIScreen.disconnect(car)
      UIScreen.disconnect(.main)
    }
    #expect(heard == names)
    #expect(UIScreen.screens == before && before.first == UIScreen.main)
    #expect(car.nativeBounds.size == CGSize(width: 800, height: 480))
    #expect(car.traitCollection.userInterfaceIdiom == .carPlay)
  }

  @Test func `a delegate needs no method, and a scene keeps its delegate`() {
    let configuration = UISceneConfiguration(name: "Car", sessionRole: .windowApplication)
    let session = UISceneSession(role: .windowApplication, configuration: configuration)
    let delegate = EmptyDelegate()
    #expect(delegate.application(.shared, didFinishLaunchingWithOptions: nil))
    let chosen = delegate.application(
      .shared, configurationForConnecting: session, options: UIScene.ConnectionOptions())
    #expect(chosen === configuration)
    let scene = UIWindowScene(session: session, connectionOptions: UIScene.ConnectionOptions())
    var plain: PlainDelegate? = PlainDelegate()
    scene.delegate = plain
    plain = nil
    scene.delegate?.sceneDidBecomeActive(scene)
    scene.delegate?.sceneDidDisconnect(scene)
    #expect((scene.delegate as? PlainDelegate)?.events == ["disconnect"])
    #expect(session.scene === scene)
    let window = UIWindow(windowScene: scene)
    #expect(scene.windows == [window])
    #expect(window.screen === UIScreen.main)
  }

  @Test func `a scene opens URLs as the host says`() async {
    let configuration = UISceneConfiguration(name: nil, sessionRole: .windowApplication)
    let session = UISceneSession(role: .windowApplication, configuration: configuration)
    let scene = UIScene(session: session, connectionOptions: UIScene.ConnectionOptions())
    let url = URL(filePath: "/tel")
    let before = await withCheckedContinuation { done in
      scene.open(url, options: nil) { done.resume(returning: $0) }
    }
    #expect(!before)
    scene.opener = { url, _ in url.path == "/tel" }
    let after = await withCheckedContinuation { done in
      scene.open(url, options: nil) { done.resume(returning: $0) }
    }
    #expect(after)
  }
}
