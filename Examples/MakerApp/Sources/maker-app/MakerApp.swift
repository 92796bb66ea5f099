// swift-iap2 · Apache-2.0

import CarPlayHost
import MakerCode

/// The app in an emulated car with its protocol: `iap2 car Examples/MakerApp --car Examples/MakerApp/maker-car.yaml`.
@main
enum MakerApp {
  static func main() {
    var app = CarApp(
      name: "My Car", entitlements: ["com.apple.developer.carplay-protocols"], appDelegate: { AppDelegate() })
    app.accessoryProtocols = [Climate.name]
    CarApplication.run(app)
  }
}
