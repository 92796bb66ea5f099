// swift-iap2 · Apache-2.0

package import CarPlay
import CarPlayPlatform
import Foundation
import UIKit

extension CarHost {
  static let mapDelegate = "map template's delegate"

  package func perform(_ command: TemplateCommand) {
    guard isOnMain("a method of a template", again: { self.perform(command) }) else { return }
    activity &+= 1
    switch command {
    case .observeSession(let session): sessions.append(WeakBox(session))
    case .selectTab(let tabBar, let index): selectTab(tabBar, index, byUser: false)
    case .navigation(let command):
      guard app != nil else { return }
      perform(command)
    }
  }

  private func perform(_ command: NavigationCommand) {
    switch command {
    case .showTripPreviews(let map): showPreviews(map)
    case .hideTripPreviews: layout()
    case .updateTripEstimates(let trip, _):
      noteRate(trip, "trip estimates")
      tellPhone()
    case .startNavigation(let session, let map): started(session, map)
    case .updateManeuverEstimates(let maneuver, let session): estimatesChanged(maneuver, session)
    case .endNavigation(let session): ended(session)
    case .showPanningInterface(let map, _): setPanning(map, true)
    case .dismissPanningInterface(let map, _): setPanning(map, false)
    case .presentNavigationAlert(let alert, let map, _): present(alert, map)
    case .dismissNavigationAlert(let map, _, let completion): dismissAlert(map, completion)
    case .activateVoiceState(let template, let identifier): activateVoiceState(template, identifier)
    }
  }

  // MARK: Trips

  private func showPreviews(_ map: CPMapTemplate) {
    guard let connection = app?.car, let previews = map.tripPreviews else { return }
    note(.fromApp, "showTripPreviews", "\(previews.trips.count)", object: "map template")
    places.note(map, "showTripPreviews", .here())
    connection.map.selectedTrip = previews.trips.firstIndex { $0 === previews.selectedTrip } ?? 0
    connection.map.selectedRoute = 0
    connection.map.showsRoutes = previews.showsRouteChoices
    if map.isPanningInterfaceVisible { setPanning(map, false) }
    layout()
    tellSelectedPreview(map)
  }

  /// The trips that the car shows.
  func shownTrips(_ map: CPMapTemplate) -> [CPTrip] {
    Array((map.tripPreviews?.trips ?? []).prefix(settings.limits.maximumTrips))
  }

  /// The routes of a trip that the car shows.
  func shownRoutes(_ trip: CPTrip) -> [CPRouteChoice] {
    Array(trip.routeChoices.prefix(settings.limits.maximumRouteChoices))
  }

  /// The selected trip and route.
  func selection(_ map: CPMapTemplate) -> (trip: CPTrip, route: CPRouteChoice?)? {
    guard let connection = app?.car else { return nil }
    let trips = shownTrips(map)
    guard trips.indices.contains(connection.map.selectedTrip) else { return nil }
    let trip = trips[connection.map.selectedTrip]
    let routes = shownRoutes(trip)
    let index = connection.map.selectedRoute
    return (trip, routes.indices.contains(index) ? routes[index] : nil)
  }

  func tellSelectedPreview(_ map: CPMapTemplate) {
    guard let (trip, route) = selection(map), let route else { return }
    callDelegate(map.mapDelegate, Self.mapDelegate, "mapTemplate(_:selectedPreviewFor:using:)", tripName(trip)) {
      $0.mapTemplate(map, selectedPreviewFor: trip, using: route)
    }
  }

  func tripName(_ trip: CPTrip) -> String {
    trip.destinationNameVariants?.first ?? trip.destination.name ?? "destination"
  }

  /// Starts the selected trip, as the button does.
  func startTrip(_ map: CPMapTemplate) {
    guard let (trip, route) = selection(map) else { return }
    guard let route else {
      return report(
        CarDiagnostic(
          .ignored, what: "the trip has no route choice", carShows: "a button that does nothing",
          remedy: "give each trip at least one route choice"))
    }
    callDelegate(map.mapDelegate, Self.mapDelegate, "mapTemplate(_:startedTrip:using:)", tripName(trip)) {
      $0.mapTemplate(map, startedTrip: trip, using: route)
    }
  }

  private func started(_ session: CPNavigationSession, _ map: CPMapTemplate) {
    note(.fromApp, "startNavigationSession", tripName(session.trip), object: "map template")
    guard let connection = app?.car else { return }
    if let old = connection.map.session, old !== session, old.isActive {
      report(
        CarDiagnostic(
          .order, what: "a navigation session was started before the one before it ended",
          carShows: "the card of the newer session", remedy: "call finishTrip or cancelTrip first"))
    }
    connection.map.session = session
    if settings.iOSVersion >= IOSVersion(17, 4) {
      callDelegate(map.mapDelegate, Self.mapDelegate, "mapTemplateShouldProvideNavigationMetadata(_:)") {
        connection.map.providesMetadata = $0.mapTemplateShouldProvideNavigationMetadata(map)
      }
    }
    layout()
    tellPhone()
  }

  private func ended(_ session: CPNavigationSession) {
    note(.fromApp, session.isActive ? "end" : "finishTrip or cancelTrip", object: "navigation session")
    if app?.car?.map.session === session { app?.car?.map.session = nil }
    banner = nil
    layout()
    tellPhone()
  }

  /// Cancels the guidance as the driver does, by the card's button or by the car.
  package func cancelNavigation() {
    guard isConnected, front != .off, let map = guidingMap else { return }
    callDelegate(map.mapDelegate, Self.mapDelegate, "mapTemplateDidCancelNavigation(_:)") {
      $0.mapTemplateDidCancelNavigation(map)
    }
  }

  /// The map template with the running guidance.
  var guidingMap: CPMapTemplate? {
    guard let map = app?.car?.stack.root as? CPMapTemplate ?? currentMap, map.navigationSession != nil else {
      return nil
    }
    return map
  }

  /// The map template on the stack.
  var currentMap: CPMapTemplate? {
    guard let stack = app?.car?.stack else { return nil }
    return stack.templates.lazy.compactMap { $0 as? CPMapTemplate }.first
  }

  // MARK: Guidance

  func sessionChanged(_ session: CPNavigationSession, _ change: String) {
    guard app?.car?.map.session === session else { return }
    if change == "upcomingManeuvers" {
      tellManeuvers(session)
      checkMetadata(session)
    }
    layout()
    tellPhone()
  }

  private func tellManeuvers(_ session: CPNavigationSession) {
    guard let map = currentMap, let connection = app?.car else { return }
    styles = [:]
    for maneuver in session.upcomingManeuvers.prefix(2) {
      callDelegate(map.mapDelegate, Self.mapDelegate, "mapTemplate(_:displayStyleFor:)", maneuverName(maneuver)) {
        styles[ObjectIdentifier(maneuver)] = $0.mapTemplate(map, displayStyleFor: maneuver)
      }
    }
    guard !connection.isForeground, let maneuver = session.upcomingManeuvers.first else { return }
    var shows = false
    callDelegate(
      map.mapDelegate, Self.mapDelegate, "mapTemplate(_:shouldShowNotificationFor:) maneuver", maneuverName(maneuver)
    ) { shows = $0.mapTemplate(map, shouldShowNotificationFor: maneuver) }
    if shows { banner = Banner(content: .maneuver(maneuver)) }
  }

  private func checkMetadata(_ session: CPNavigationSession) {
    guard !session.addedManeuvers.isEmpty else { return }
    guard session.upcomingManeuvers.contains(where: { one in !session.addedManeuvers.contains { $0 === one } }) else {
      return
    }
    report(
      CarDiagnostic(
        .order, what: "a maneuver became upcoming that was not added to the session",
        carShows: "no metadata for the car's own display", remedy: "call add(_:) with all maneuvers first"))
  }

  private func estimatesChanged(_ maneuver: CPManeuver, _ session: CPNavigationSession) {
    noteRate(maneuver, "maneuver estimates")
    tellPhone()
    guard let map = currentMap, let connection = app?.car, !connection.isForeground, banner != nil,
      let estimates = maneuver.travelEstimates
    else { return }
    var shows = false
    callDelegate(
      map.mapDelegate, Self.mapDelegate, "mapTemplate(_:shouldUpdateNotificationFor:with:)", maneuverName(maneuver)
    ) { shows = $0.mapTemplate(map, shouldUpdateNotificationFor: maneuver, with: estimates) }
    if shows { banner = Banner(content: .maneuver(maneuver)) }
  }

  func maneuverName(_ maneuver: CPManeuver) -> String {
    maneuver.instructionVariants.first ?? maneuver.attributedInstructionVariants.first?.string ?? "maneuver"
  }

  /// Taps the banner, which brings the app to the front.
  package func tapBanner() {
    if case .message = banner?.content {
      banner = nil
      return readMessagesByTouch()
    }
    guard let banner, let connection = app?.car else { return }
    setForeground(true)
    let delegate = connection.delegate as? any CPTemplateApplicationSceneDelegate
    let appDelegate = app?.delegate as? any CPApplicationDelegate
    switch (banner.content, connection.scene) {
    case (.maneuver(let maneuver), let scene?):
      callDelegate(delegate, Self.sceneDelegate, "templateApplicationScene(_:didSelect:) maneuver") {
        $0.templateApplicationScene(scene, didSelect: maneuver)
      }
    case (.alert(let alert), let scene?):
      callDelegate(delegate, Self.sceneDelegate, "templateApplicationScene(_:didSelect:) alert") {
        $0.templateApplicationScene(scene, didSelect: alert)
      }
    case (.maneuver(let maneuver), nil):
      callDelegate(appDelegate, Self.appDelegate, "application(_:didSelect:) maneuver") {
        $0.application(UIApplication.shared, didSelect: maneuver)
      }
    case (.message, _): break
    case (.alert(let alert), nil):
      callDelegate(appDelegate, Self.appDelegate, "application(_:didSelect:) alert") {
        $0.application(UIApplication.shared, didSelect: alert)
      }
    }
  }
}
