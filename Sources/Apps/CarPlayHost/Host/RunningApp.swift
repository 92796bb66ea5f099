// swift-iap2 · Apache-2.0

import CarPlay
import UIKit

/// A launched app: its delegates and its scenes.
@MainActor
final class RunningApp {
  let description: CarApp
  let application: UIApplication
  var delegate: (any UIApplicationDelegate)?
  /// The phone's own scene.
  var phoneScene: UIScene?
  var phoneDelegate: (any UISceneDelegate)?
  /// The app's connection to the car.
  var car: CarConnection?
  var dashboard: CPTemplateApplicationDashboardScene?
  var cluster: CPTemplateApplicationInstrumentClusterScene?
  /// Whether the app was in front when the car disconnected. It then opens again on a reconnect.
  var reopens = false

  init(_ description: CarApp, application: UIApplication) {
    self.description = description
    self.application = application
  }
}

/// The objects of one connection between the app and the car. A reconnect creates new ones.
@MainActor
final class CarConnection {
  /// The scene; nil for the old form of iOS 12.
  let scene: CPTemplateApplicationScene?
  let controller: CPInterfaceController
  let window: CPWindow
  /// The scene's delegate.
  let delegate: (any UISceneDelegate)?
  /// Whether the app was connected by the method with a window.
  var usesWindow = false
  let stack = TemplateStack()
  /// The templates that were reported to the app as visible, the outermost first.
  var visible: [CPTemplate] = []
  /// The driver's action (`CarHost.turn`) in which the app pushed last.
  var lastPush: Int?
  /// The tab that the car showed last.
  weak var shownTab: CPTemplate?
  /// Whether the user or the app selected another tab.
  var hasChangedTab = false
  /// Whether the scene is in front.
  var isForeground = false
  /// The row, result or content whose handler runs.
  var run: HandlerRun?
  var map = MapState()
  /// The visible navigation alerts, at most one per map.
  var alerts: [ShownNavigationAlert] = []
  var search = SearchState()
  /// The current page of lists, on screens that cannot scroll by a drag.
  var page = 0
  /// The time of the last change of a voice state.
  var lastVoiceChange: CarClock.Instant?

  init(
    scene: CPTemplateApplicationScene?, controller: CPInterfaceController, window: CPWindow,
    delegate: (any UISceneDelegate)?
  ) {
    self.scene = scene
    self.controller = controller
    self.window = window
    self.delegate = delegate
  }
}

/// A running handler of a row, and its completion.
@MainActor
final class HandlerRun {
  let item: AnyObject?
  let name: String
  var showsSpinner = false
  var isComplete = false
  /// Whether a verb waits for the completion: until it is called, released, or too late.
  var isAwaited = true
  var spinner: HostEvents.ID?
  var report: HostEvents.ID?

  init(item: AnyObject?, name: String) {
    self.item = item
    self.name = name
  }
}

/// A banner of an app over another app.
struct Banner {
  enum Content {
    case maneuver(CPManeuver)
    case alert(CPNavigationAlert)
    /// A message with its sender.
    case message(String)
  }

  var content: Content
}
