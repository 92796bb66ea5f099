// swift-iap2 · Apache-2.0

import CarPlayHost
import NavigationCode

/// The app in an emulated car: `iap2 car Examples/NavigationApp`. With the argument `--naive` it loses its map when the
/// notice of a disconnect is lost.
@main
enum NavigationApp {
  static func main() {
    let isNaive = CommandLine.arguments.contains("--naive")
    let name = "Harbour Maps"
    CarApplication.run(
      isNaive
        ? CarApp([.navigation], name: name) { NaiveCarSceneDelegate() }
        : CarApp([.navigation], name: name) { CarSceneDelegate() })
  }
}
