// swift-iap2 · Apache-2.0

import CarPlayHost
import RadioCode

/// The app in an emulated car: `iap2 car Examples/RadioApp`. On iOS 13 and older the car uses the app delegate's content.
@main
enum RadioApp {
  static func main() {
    var manifest = AppManifest()
    manifest.hasSectionedBrowsing = true
    CarApplication.run(
      CarApp(
        name: "Radio", entitlements: ["com.apple.developer.carplay-audio", "com.apple.developer.playable-content"],
        manifest: manifest, appDelegate: { AppDelegate() }, carScene: { CarSceneDelegate() }))
  }
}
