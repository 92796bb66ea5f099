// swift-iap2 · Apache-2.0

import CarPlay

/// The delegate of the car's scene, from iOS 14.
public final class CarSceneDelegate: UIResponder, CPTemplateApplicationSceneDelegate {
  private let radio: Radio
  private var screen: CarScreen?

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
  }

  public func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene,
    didDisconnectInterfaceController interfaceController: CPInterfaceController
  ) { screen = nil }
}
