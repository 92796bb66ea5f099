// swift-iap2 · Apache-2.0

import CarPlay

/// The delegate of the car's scene.
///
/// The phone's notice that the car went away can get lost, so the charger's state counts as well.
public final class CarSceneDelegate: UIResponder, CPTemplateApplicationSceneDelegate {
  private let navigator: Navigator
  private var cable: CableWatch?

  init(_ navigator: Navigator) {
    self.navigator = navigator
    super.init()
  }

  public convenience override init() { self.init(.shared) }

  public func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene, didConnect interfaceController: CPInterfaceController,
    to window: CPWindow
  ) {
    navigator.connect(interfaceController, window)
    cable = CableWatch { [navigator] in
      // Systems of the field end an app that presents a template when the disconnect comes.
      if interfaceController.presentedTemplate != nil {
        interfaceController.dismissTemplate(animated: false, completion: nil)
      }
      navigator.disconnect(interfaceController)
    }
  }

  public func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene, didDisconnect interfaceController: CPInterfaceController,
    from window: CPWindow
  ) {
    cable = nil
    navigator.disconnect(interfaceController)
  }

  public func contentStyleDidChange(_ contentStyle: UIUserInterfaceStyle) {
    navigator.map.isDark = contentStyle == .dark
  }
}

/// Reports that the phone stopped charging, which is how a pulled cable shows when the phone's notice is lost.
///
/// It knows nothing over a wireless connection, and nothing of a phone that another source charges.
@MainActor
final class CableWatch {
  private var observer: (any NSObjectProtocol)?

  init(onUnplugged: @escaping @MainActor @Sendable () -> Void) {
    UIDevice.current.isBatteryMonitoringEnabled = true
    // A phone that does not charge now hangs on no cable.
    guard UIDevice.current.batteryState != .unplugged else { return }
    observer = NotificationCenter.default.addObserver(
      forName: UIDevice.batteryStateDidChangeNotification, object: nil, queue: nil
    ) { _ in
      MainActor.assumeIsolated {
        if UIDevice.current.batteryState == .unplugged { onUnplugged() }
      }
    }
  }

  isolated deinit {
    if let observer { NotificationCenter.default.removeObserver(observer) }
  }
}
