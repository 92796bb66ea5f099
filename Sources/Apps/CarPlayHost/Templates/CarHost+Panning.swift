// swift-iap2 · Apache-2.0

package import CarPlay
import CarPlayPlatform
import Foundation

extension CarHost {
  /// Shows or hides the panning interface, which has four arrows and fewer map buttons.
  func setPanning(_ map: CPMapTemplate, _ isVisible: Bool) {
    guard map.isPanningInterfaceVisible != isVisible else { return }
    note(.fromApp, isVisible ? "showPanningInterface" : "dismissPanningInterface", object: "map template")
    if isVisible {
      map.isPanningInterfaceVisible = true
      callDelegate(map.mapDelegate, Self.mapDelegate, "mapTemplateDidShowPanningInterface(_:)") {
        $0.mapTemplateDidShowPanningInterface(map)
      }
      let buttons = map.leadingNavigationBarButtons + map.trailingNavigationBarButtons
      checks.append { [weak self, weak map] in
        guard let self, let map, map.isPanningInterfaceVisible, buttons.isEmpty,
          map.leadingNavigationBarButtons.isEmpty, map.trailingNavigationBarButtons.isEmpty
        else { return }
        self.report(
          CarDiagnostic(
            .note, what: "the panning interface has no bar button to leave it",
            carShows: "arrows that the driver cannot dismiss", remedy: "add a Done button to the navigation bar"))
      }
    } else {
      callDelegate(map.mapDelegate, Self.mapDelegate, "mapTemplateWillDismissPanningInterface(_:)") {
        $0.mapTemplateWillDismissPanningInterface(map)
      }
      map.isPanningInterfaceVisible = false
      callDelegate(map.mapDelegate, Self.mapDelegate, "mapTemplateDidDismissPanningInterface(_:)") {
        $0.mapTemplateDidDismissPanningInterface(map)
      }
    }
    layout()
  }

  /// Presses an arrow of the panning interface, or moves the knob in a direction. A diagonal has two directions.
  package func panButton(_ direction: CPMapTemplate.PanDirection, isHeld: Bool = false) {
    guard front == .app, let map = frontMap, map.isPanningInterfaceVisible, !direction.isEmpty else { return }
    note(.car, "pan button", direction.text)
    // The map moves against the arrow.
    app?.car?.map.move(
      x: (direction.contains(.left) ? Self.panStep : 0) - (direction.contains(.right) ? Self.panStep : 0),
      y: (direction.contains(.up) ? Self.panStep : 0) - (direction.contains(.down) ? Self.panStep : 0))
    guard isHeld else {
      _ = callDelegate(map.mapDelegate, Self.mapDelegate, "mapTemplate(_:panWith:)", direction.text) {
        $0.mapTemplate(map, panWith: direction)
      }
      return
    }
    callDelegate(map.mapDelegate, Self.mapDelegate, "mapTemplate(_:panBeganWith:)", direction.text) {
      $0.mapTemplate(map, panBeganWith: direction)
    }
    callDelegate(map.mapDelegate, Self.mapDelegate, "mapTemplate(_:panEndedWith:)", direction.text) {
      $0.mapTemplate(map, panEndedWith: direction)
    }
  }

  /// Drags a finger over the map, from the beginning to the end of a gesture.
  ///
  /// The app is notified only on a screen that reports gestures, and only after the finger has moved far enough: about
  /// a quarter of the screen on cars (S0).
  package func dragMap(x: Double, y: Double) {
    guard front == .app, let map = frontMap else { return }
    note(.car, "drag", "\(x), \(y)")
    guard settings.behavior.panGestures, settings.inputs.contains(.touch) else {
      return report(
        CarDiagnostic(
          .note, what: "the car \(settings.name) reports no pan gestures", carShows: "a map that a finger cannot move",
          remedy: "offer the panning interface on a map button"))
    }
    let area = settings.screen.appArea.size
    let needed = settings.behavior.panThreshold * min(area.width, area.height)
    let distance = (x * x + y * y).squareRoot()
    guard distance >= needed, distance.isFinite else { return note(.note, "drag too short", "\(needed) points needed") }
    callDelegate(map.mapDelegate, Self.mapDelegate, "mapTemplateDidBeginPanGesture(_:)") {
      $0.mapTemplateDidBeginPanGesture(map)
    }
    let rest = (distance - needed) / distance
    let translation = CGPoint(x: x * rest, y: y * rest)
    app?.car?.map.move(x: translation.x, y: translation.y)
    // Ours: the gesture lasts half a second.
    let velocity = CGPoint(x: translation.x * 2, y: translation.y * 2)
    callDelegate(
      map.mapDelegate, Self.mapDelegate, "mapTemplate(_:didUpdatePanGestureWithTranslation:velocity:)",
      "\(Self.whole(translation.x)), \(Self.whole(translation.y))"
    ) { $0.mapTemplate(map, didUpdatePanGestureWithTranslation: translation, velocity: velocity) }
    callDelegate(map.mapDelegate, Self.mapDelegate, "mapTemplate(_:didEndPanGestureWithVelocity:)") {
      $0.mapTemplate(map, didEndPanGestureWithVelocity: velocity)
    }
  }

  /// Shows or hides the navigation bar after a touch of the map.
  package func touchMap() {
    guard front == .app, let connection = app?.car, frontMap != nil else { return }
    note(.car, "touch map")
    connection.map.isNavigationBarVisible.toggle()
    if connection.map.isNavigationBarVisible { scheduleBarHiding() }
    layout()
  }

  /// Schedules the hiding of the map's navigation bar after a time without touch.
  func scheduleBarHiding() {
    guard let connection = app?.car else { return }
    events.cancel(connection.map.hideBar)
    connection.map.hideBar = events.after(settings.behavior.navigationBarHideDelay, .timer) { [weak self] in
      guard let self, self.app?.car === connection, let map = self.frontMap, map.automaticallyHidesNavigationBar,
        !map.isPanningInterfaceVisible
      else { return }
      connection.map.isNavigationBarVisible = false
      self.layout()
    }
  }

  /// The map template that gets the user's input.
  var frontMap: CPMapTemplate? { app?.car?.stack.front as? CPMapTemplate }

  func mapChanged(_ map: CPMapTemplate, _ change: String) { layout() }
}

extension CPMapTemplate.PanDirection {
  /// The directions as text, such as `left up`.
  var text: String {
    let names: [(Self, String)] = [(.left, "left"), (.right, "right"), (.up, "up"), (.down, "down")]
    return names.filter { contains($0.0) }.map(\.1).joined(separator: " ")
  }
}
