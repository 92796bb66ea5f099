// swift-iap2 · Apache-2.0

import CarPlay

/// The delegate of the map template: panning by buttons and by fingers, and trips.
final class MapDelegate: NSObject, CPMapTemplateDelegate {
  private unowned let screen: CarScreen
  private var map: MapViewController { screen.navigator.map }
  /// The translation of the gesture so far.
  private var translation = CGPoint.zero

  init(_ screen: CarScreen) { self.screen = screen }

  func mapTemplateDidShowPanningInterface(_ mapTemplate: CPMapTemplate) { screen.showButtons(isPanning: true) }

  func mapTemplateDidDismissPanningInterface(_ mapTemplate: CPMapTemplate) { screen.showButtons(isPanning: false) }

  func mapTemplate(_ mapTemplate: CPMapTemplate, panWith direction: CPMapTemplate.PanDirection) { map.pan(direction) }

  func mapTemplate(_ mapTemplate: CPMapTemplate, panBeganWith direction: CPMapTemplate.PanDirection) {
    map.pan(direction)
  }

  func mapTemplateDidBeginPanGesture(_ mapTemplate: CPMapTemplate) { translation = .zero }

  func mapTemplate(
    _ mapTemplate: CPMapTemplate, didUpdatePanGestureWithTranslation translation: CGPoint, velocity: CGPoint
  ) {
    map.drag(CGPoint(x: translation.x - self.translation.x, y: translation.y - self.translation.y))
    self.translation = translation
  }

  func mapTemplate(_ mapTemplate: CPMapTemplate, startedTrip trip: CPTrip, using routeChoice: CPRouteChoice) {
    screen.startTrip(trip, routeChoice)
  }

  func mapTemplateShouldProvideNavigationMetadata(_ mapTemplate: CPMapTemplate) -> Bool { true }

  func mapTemplateDidCancelNavigation(_ mapTemplate: CPMapTemplate) { screen.navigator.stop() }

  func mapTemplate(_ mapTemplate: CPMapTemplate, displayStyleFor maneuver: CPManeuver) -> CPManeuverDisplayStyle {
    Guidance.isLanes(maneuver) ? .symbolOnly : .leadingSymbol
  }
}

/// The delegate of the search template.
final class SearchDelegate: NSObject, CPSearchTemplateDelegate {
  private unowned let screen: CarScreen

  init(_ screen: CarScreen) { self.screen = screen }

  func searchTemplate(
    _ searchTemplate: CPSearchTemplate, updatedSearchText searchText: String,
    completionHandler: @escaping ([CPListItem]) -> Void
  ) {
    let found = Place.all.filter { $0.name.localizedCaseInsensitiveContains(searchText) }
    completionHandler(
      found.map { place in
        let item = CPListItem(text: place.name, detailText: nil)
        item.userInfo = place
        return item
      })
  }

  func searchTemplate(
    _ searchTemplate: CPSearchTemplate, selectedResult item: CPListItem, completionHandler: @escaping () -> Void
  ) {
    if let place = item.userInfo as? Place { screen.preview(place) }
    completionHandler()
  }
}
