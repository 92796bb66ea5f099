// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform
import Foundation

/// The state of a map template's screen that the app does not have.
@MainActor
struct MapState {
  /// Whether the navigation bar is visible. It hides after a time without touch.
  var isNavigationBarVisible = true
  var hideBar: HostEvents.ID?
  /// The indices of the selected trip of the previews and of its route.
  var selectedTrip = 0
  var selectedRoute = 0
  /// Whether the list of routes is open.
  var showsRoutes = false
  /// The current pan of a finger: the distance so far, and whether it was reported to the app.
  var pan: (distance: CGPoint, isReported: Bool)?
  /// The distance in points by which the driver moved the map.
  var moved = CGPoint.zero
  /// The direction of the held pan button.
  var heldDirection: CPMapTemplate.PanDirection?
  /// The session that the phone shows; nil without one.
  var session: CPNavigationSession?
  /// Whether the app allows the car's own displays to show the guidance.
  var providesMetadata = false

  /// Moves the map.
  mutating func move(x: Double, y: Double) {
    moved = CGPoint(x: CarMap.bounded(moved.x + x), y: CarMap.bounded(moved.y + y))
  }
}

/// A navigation alert on a map, and the event that ends it.
@MainActor
struct ShownNavigationAlert {
  let map: CPMapTemplate
  let alert: CPNavigationAlert
  var timeout: HostEvents.ID?
}

/// The state of a search template's screen.
@MainActor
struct SearchState {
  var text = ""
  var results: [CPListItem] = []
  var isKeyboardVisible = true
  /// The number of the newest question. An answer to an older one may arrive late.
  var question = 0
  var isWaiting = false
  /// Whether a verb waits for the results: until they come, or are too late.
  var isAwaited = false
}
