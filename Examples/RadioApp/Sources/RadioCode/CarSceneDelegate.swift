// swift-iap2 · Apache-2.0

import CarPlay

/// The delegate of the car's scene, from iOS 14.
///
/// Systems of the field end an app that presents an alert when the notice of a disconnect comes. So the alert goes when
/// the phone stops charging, which is earlier. Over a wireless link nothing tells it.
public final class CarSceneDelegate: UIResponder, CPTemplateApplicationSceneDelegate {
  private let radio: Radio
  private var screen: CarScreen?
  private var cable: (any NSObjectProtocol)?

  init(_ radio: Radio) {
    self.radio = radio
    super.init()
  }

  public convenience override init() { self.init(.shared) }

  public func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene, didConnect interfaceController: CPInterfaceController
  ) {
    screen = CarScreen(interfaceController, radio)
    screen?.start()
    watchCable(interfaceController)
  }

  public func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene,
    didDisconnectInterfaceController interfaceController: CPInterfaceController
  ) {
    screen = nil
    if let cable { NotificationCenter.default.removeObserver(cable) }
    cable = nil
  }

  private func watchCable(_ controller: CPInterfaceController) {
    UIDevice.current.isBatteryMonitoringEnabled = true
    cable = NotificationCenter.default.addObserver(
      forName: UIDevice.batteryStateDidChangeNotification, object: nil, queue: nil
    ) { [weak controller] _ in
      MainActor.assumeIsolated {
        guard UIDevice.current.batteryState == .unplugged, controller?.presentedTemplate != nil else { return }
        controller?.dismissTemplate(animated: false, completion: nil)
      }
    }
  }
}
