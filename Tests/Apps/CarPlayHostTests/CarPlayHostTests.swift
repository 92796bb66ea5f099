// swift-iap2 · Apache-2.0

import CarPlayTesting
import Testing

/// A navigation app with a map, four map buttons and a list of favourites.
@MainActor
final class NavigationScene: NSObject, CPTemplateApplicationSceneDelegate {
  var controller: CPInterfaceController?
  let map = CPMapTemplate()

  func templateApplicationScene(
    _ scene: CPTemplateApplicationScene, didConnect interfaceController: CPInterfaceController, to window: CPWindow
  ) {
    controller = interfaceController
    window.rootViewController = UIViewController()
    map.mapButtons = ["dpad.fill", "minus", "plus", "location"].map { name in
      let button = CPMapButton { _ in }
      button.image = UIImage(systemName: name)
      return button
    }
    map.leadingNavigationBarButtons = [
      CPBarButton(title: "Favourites") { [weak self] _ in self?.showFavourites() }
    ]
    interfaceController.setRootTemplate(map, animated: false, completion: nil)
  }

  func showFavourites() {
    let items = ["Home", "Work"].map { CPListItem(text: $0, detailText: nil) }
    items[0].handler = { _, completion in completion() }
    items[1].handler = { _, _ in }
    let list = CPListTemplate(title: "Favourites", sections: [CPListSection(items: items)])
    controller?.pushTemplate(list, animated: true, completion: nil)
  }

  func templateApplicationScene(
    _ scene: CPTemplateApplicationScene, didDisconnect interfaceController: CPInterfaceController,
    from window: CPWindow
  ) { controller = nil }
}

@Suite(.serialized) @MainActor
struct FirstTests {
  @Test func theFirstTest() async {
    var settings = CarSettings.standard
    settings.limits.maximumMapButtons = 3
    let car = Car(settings)
    await car.launch(.navigation) { NavigationScene() }
    print(car.screen)
    await car.tap("Favourites")
    print(car.screen)
    await car.tap("Work")
    await car.wait(.seconds(6))
    print(car.screen)
    await car.unplug()
    for d in car.diagnostics { print(d) }
    for e in car.log { print(e) }
    let clock = ContinuousClock()
    let t = await clock.measure { for _ in 0..<100 { await car.turn() } }
    print(t)
    let t2 = await clock.measure { await car.replug(); for _ in 0..<50 { await car.tap("Favourites"); await car.back() } }
    print(t2)
  }
}
