// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform

extension CarHost {
  func present(_ alert: CPNavigationAlert, _ map: CPMapTemplate) {
    note(.fromApp, "present(navigationAlert:)", alert.titleVariants.first ?? "", object: "map template")
    guard let connection = app?.car else { return }
    guard map.currentNavigationAlert == nil else {
      return report(
        CarDiagnostic(
          .ignored, what: "a navigation alert was presented while another one is visible", carShows: "the first alert",
          remedy: "dismiss the first alert, or update it with updateTitleVariants"))
    }
    if alert.duration != alert.givenDuration {
      report(
        CarDiagnostic(
          .note, what: "a navigation alert has a duration of \(alert.givenDuration) s",
          carShows: "the alert for \(alert.duration) s",
          remedy: "give at least CPNavigationAlertMinimumDuration, or 0 for no end"))
    }
    if !connection.isForeground {
      var shows = false
      callDelegate(map.mapDelegate, Self.mapDelegate, "mapTemplate(_:shouldShowNotificationFor:) alert") {
        shows = $0.mapTemplate(map, shouldShowNotificationFor: alert)
      }
      if shows { banner = Banner(content: .alert(alert)) }
    }
    map.currentNavigationAlert = alert
    connection.alerts.append(ShownNavigationAlert(map: map, alert: alert))
    callDelegate(map.mapDelegate, Self.mapDelegate, "mapTemplate(_:willShow:)") { $0.mapTemplate(map, willShow: alert) }
    events.after(settings.behavior.ipcDelay, .effect) { [weak self, weak map] in
      guard let self, let map, map.currentNavigationAlert === alert else { return }
      self.callDelegate(map.mapDelegate, Self.mapDelegate, "mapTemplate(_:didShow:)") {
        $0.mapTemplate(map, didShow: alert)
      }
    }
    guard alert.duration > 0, let index = connection.alerts.firstIndex(where: { $0.alert === alert }) else { return }
    connection.alerts[index].timeout = events.after(alert.duration, .timer) { [weak self, weak map] in
      guard let self, let map, map.currentNavigationAlert === alert else { return }
      self.takeAway(alert, map, .timeout)
    }
  }

  func dismissAlert(_ map: CPMapTemplate, _ completion: @escaping (Bool) -> Void) {
    guard let alert = map.currentNavigationAlert else { return completion(false) }
    takeAway(alert, map, .systemDismissed) { completion(true) }
  }

  /// Runs the handler of a tapped action and closes the alert.
  func choose(_ action: CPAlertAction, of alert: CPNavigationAlert, _ map: CPMapTemplate) {
    note(.toApp, "action handler", action.title, object: "navigation alert")
    measure("the action \(action.title)") { action.handler(action) }
    guard app != nil, map.currentNavigationAlert === alert else { return }
    takeAway(alert, map, .userDismissed)
  }

  private func takeAway(
    _ alert: CPNavigationAlert, _ map: CPMapTemplate, _ context: CPNavigationAlert.DismissalContext,
    then: @escaping @MainActor () -> Void = {}
  ) {
    let connection = app?.car
    let shown = connection?.alerts.first { $0.map === map }
    events.cancel(shown?.timeout)
    connection?.alerts.removeAll { $0.map === map }
    map.currentNavigationAlert = nil
    if case .alert(let shown)? = banner?.content, shown === alert { banner = nil }
    let reason =
      switch context {
      case .timeout: "timeout"
      case .userDismissed: "userDismissed"
      case .systemDismissed: "systemDismissed"
      }
    callDelegate(map.mapDelegate, Self.mapDelegate, "mapTemplate(_:willDismiss:dismissalContext:)", reason) {
      $0.mapTemplate(map, willDismiss: alert, dismissalContext: context)
    }
    events.after(settings.behavior.ipcDelay, .effect) { [weak self, weak map] in
      guard let self, let map else { return }
      if self.app?.car === connection {
        self.callDelegate(map.mapDelegate, Self.mapDelegate, "mapTemplate(_:didDismiss:dismissalContext:)", reason) {
          $0.mapTemplate(map, didDismiss: alert, dismissalContext: context)
        }
      }
      then()
    }
  }

  /// Removes the alerts of an ended connection. Ours: the calls of phones in this case are not published, so the app
  /// gets none.
  func forgetAlerts(of connection: CarConnection) {
    for shown in connection.alerts {
      events.cancel(shown.timeout)
      shown.map.currentNavigationAlert = nil
    }
    connection.alerts = []
  }
}
