// swift-iap2 · Apache-2.0

import CarPlayHost
import NavigationCode

/// The app in an emulated car: `iap2 car Examples/NavigationApp`.
@main
enum NavigationApp {
  static func main() {
    CarApplication.run(CarApp([.navigation], name: "Harbour Maps") { CarSceneDelegate() })
  }
}
