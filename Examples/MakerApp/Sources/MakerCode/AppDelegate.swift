// swift-iap2 · Apache-2.0

import CarPlay

/// The delegate of the app. It has a window on the car's screen as long as there is one.
public final class AppDelegate: UIResponder, UIApplicationDelegate {
  private(set) var carWindow: UIWindow?
  let climate = Climate()
  private var observers: [any NSObjectProtocol] = []

  public func application(
    _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    for name in [UIScreen.didConnectNotification, UIScreen.didDisconnectNotification] {
      observers.append(
        NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [weak self] _ in
          MainActor.assumeIsolated { self?.updateCarWindow() }
        })
    }
    updateCarWindow()
    return true
  }

  /// Makes the window of the car's screen, or drops it. Other displays, such as a television, get none.
  private func updateCarWindow() {
    guard let screen = UIScreen.screens.first(where: { $0.traitCollection.userInterfaceIdiom == .carPlay }) else {
      carWindow = nil
      return
    }
    guard carWindow == nil else { return }
    let window = UIWindow(frame: screen.bounds)
    window.screen = screen
    let controller = UIViewController()
    // Only what this car can do is shown.
    controller.title = Climate.isAvailable && climate.connect() ? "Climate" : "No functions in this car"
    window.rootViewController = controller
    window.isHidden = false
    carWindow = window
  }

  func stop() { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
}
