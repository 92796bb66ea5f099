// swift-iap2 · Apache-2.0

import CarPlay

/// The navigation of the app, for phone and car. It lives as long as the app.
@MainActor
final class Navigator {
  static let shared = Navigator()

  let map = MapViewController()
  /// The phone's window. It has the map while no car has it.
  let phoneWindow: UIWindow
  /// The screen of the connected car.
  private(set) var car: CarScreen?
  /// The positions of the connected car.
  private var locations: LocationWatch?
  /// The destination of the guidance. It outlives a connection.
  private(set) var destination: Place?
  private(set) var route: Route?
  /// Whether the map of the city is on the phone. Without it there is nothing to show.
  var hasMapData = true

  init() {
    phoneWindow = UIWindow(frame: UIScreen.main.bounds)
    phoneWindow.rootViewController = map
    phoneWindow.makeKeyAndVisible()
  }

  // MARK: The car

  /// Shows the map on a car. A car that was connected before is left: its end may have been lost.
  func connect(_ controller: CPInterfaceController, _ window: CPWindow) {
    leaveCar()
    phoneWindow.rootViewController = UIViewController()
    window.rootViewController = map
    let screen = CarScreen(controller: controller, window: window, navigator: self)
    car = screen
    locations = LocationWatch { [map] in map.show($0) }
    screen.start()
  }

  /// Takes the map back to the phone, if this is the car that has it.
  func disconnect(_ controller: CPInterfaceController) {
    guard car?.controller === controller else { return }
    leaveCar()
  }

  private func leaveCar() {
    guard let left = car else { return }
    car = nil
    locations = nil
    left.end()
    left.window.rootViewController = nil
    phoneWindow.rootViewController = map
  }

  // MARK: Guidance

  func start(_ route: Route, to place: Place) {
    destination = place
    self.route = route
  }

  func stop() {
    destination = nil
    route = nil
    car?.guidance?.end()
    car?.guidance = nil
  }

  /// Takes a position from the navigation engine.
  func advance(_ progress: Progress) {
    guard let route else { return }
    guard progress.turn < route.turns.count else {
      car?.guidance?.arrive()
      return stop()
    }
    car?.guidance?.show(progress)
  }

  /// The engine found a faster route.
  func suggest(_ route: Route) { car?.ask(about: route) }

  /// The engine learned of an accident on the route.
  func warn(_ text: String) { car?.guidance?.warn(text) }
}
