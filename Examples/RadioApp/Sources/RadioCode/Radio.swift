// swift-iap2 · Apache-2.0

import CarPlay
import MediaPlayer

/// The app, for phone and car.
@MainActor
final class Radio {
  static let shared = Radio(.city)

  let catalog: Catalog
  let player = Player()
  /// Whether the user has logged in on the phone.
  var isLoggedIn = true

  init(_ catalog: Catalog) { self.catalog = catalog }
}

/// The app delegate. It has the content for cars before iOS 14; from iOS 14 the scene's delegate is asked instead.
public final class AppDelegate: UIResponder, UIApplicationDelegate {
  private let content: StationContent

  init(_ radio: Radio) {
    content = StationContent(radio)
    super.init()
  }

  public convenience override init() { self.init(.shared) }

  public func application(
    _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    MPPlayableContentManager.shared().dataSource = content
    MPPlayableContentManager.shared().delegate = content
    return true
  }
}
