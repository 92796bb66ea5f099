// swift-iap2 · Apache-2.0

import CarPlay

/// A delegate of the car's scene with two mistakes. The tests show what each of them does.
///
/// - It believes that every connection ends with `didDisconnect`, so it ignores a new car while it has one.
/// - At the end of a connection it does not look which one ended.
public final class NaiveCarSceneDelegate: UIResponder, CPTemplateApplicationSceneDelegate {
  private let navigator: Navigator

  init(_ navigator: Navigator) {
    self.navigator = navigator
    super.init()
  }

  public convenience override init() { self.init(.shared) }

  public func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene, didConnect interfaceController: CPInterfaceController,
    to window: CPWindow
  ) {
    guard navigator.car == nil else { return }
    navigator.connect(interfaceController, window)
  }

  public func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene, didDisconnect interfaceController: CPInterfaceController,
    from window: CPWindow
  ) {
    guard let car = navigator.car else { return }
    navigator.disconnect(car.controller)
  }
}
