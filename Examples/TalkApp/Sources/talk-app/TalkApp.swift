// swift-iap2 · Apache-2.0

import CarPlayHost
import TalkCode

/// The app in an emulated car: `iap2 car Examples/TalkApp`.
@main
enum TalkApp {
  static func main() {
    var app = CarApp([.communication], name: "Talk") { CarSceneDelegate() }
    app.entitlements.insert("com.apple.developer.siri")
    app.intents = { IntentHandler() }
    CarApplication.run(app)
  }
}
