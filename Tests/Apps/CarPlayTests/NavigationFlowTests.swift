// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform
import CarSupport
import MapKit
import PortingSupport
import Testing
import UIKit

/// A drive as published texts on navigation apps describe it, with alternating calls of the app and events of the car.
@MainActor
struct NavigationFlowTests {
  @Test("A navigation app previews a trip, guides it, reroutes, warns and arrives")
  func wholeDrive() throws {
    try RecordingSystem.use { system in
      let app = RouteApp()
      let map = app.map

      // The car keeps four map buttons and shows the previews.
      #expect(map.mapButtons.count == 4)
      app.preview()
      #expect(system.takeNavigation() == ["showTripPreviews"])
      let previews = try #require(map.tripPreviews)
      #expect(previews.trips.map(\.destination.name) == ["Harbour"])
      #expect(previews.trips[0].routeChoices.map(\.summaryVariants) == [["Coast road"], ["Hill road"]])
      #expect(previews.textConfiguration?.startButtonTitle == "Drive")

      // The user selects the second route and starts it.
      let trip = previews.trips[0]
      map.mapDelegate?.mapTemplate(map, selectedPreviewFor: trip, using: trip.routeChoices[1])
      #expect(app.overviewOf === trip.routeChoices[1])
      map.mapDelegate?.mapTemplate(map, startedTrip: trip, using: trip.routeChoices[1])
      #expect(system.takeNavigation() == ["hideTripPreviews", "startNavigation"])
      #expect(map.tripPreviews == nil)
      let session = try #require(map.navigationSession)
      #expect(session === app.session)
      #expect(session.trip === trip)
      #expect(session.pause?.reason == .loading)
      #expect(session.pause?.description == "Calculating")

      // The first instructions resume the session: a turn, and its lanes as a second maneuver.
      app.guide()
      #expect(session.pause == nil)
      #expect(session.upcomingManeuvers.map(\.instructionVariants) == [["Turn left into Main Street", "Left"], []])
      let styles = session.upcomingManeuvers.map { map.mapDelegate?.mapTemplate(map, displayStyleFor: $0) }
      #expect(styles == [.leadingSymbol, .symbolOnly])
      #expect(session.upcomingManeuvers[0].travelEstimates?.distanceRemaining.value == 300)

      // The position changes.
      app.approach(meters: 120, seconds: 14)
      #expect(system.takeNavigation() == ["updateManeuverEstimates", "updateTripEstimates"])
      #expect(session.upcomingManeuvers[0].travelEstimates?.distanceRemaining.value == 120)
      #expect(trip.estimates?.travel.timeRemaining == 614)
      #expect(trip.estimates?.timeRemainingColor == .orange)

      // The driver misses the turn.
      session.pauseTrip(for: .rerouting, description: nil)
      #expect(session.pause?.reason == .rerouting)
      app.guide()
      #expect(session.pause == nil)

      // The app warns of a delay and then removes the warning.
      app.warn()
      map.dismissNavigationAlert(animated: true) { app.alertWasVisible = $0 }
      #expect(system.takeNavigation() == ["presentNavigationAlert", "dismissNavigationAlert"])

      // The driver arrives.
      session.pauseTrip(for: .arrived, description: "Harbour")
      session.finishTrip()
      #expect(system.takeNavigation() == ["endNavigation"])
      #expect(map.navigationSession == nil)
      #expect(system.diagnostics.isEmpty)
    }
  }

  @Test("The panning interface is the host's to show, and its steps have directions")
  func panning() {
    RecordingSystem.use { system in
      let app = RouteApp()
      app.map.showPanningInterface(animated: true)
      #expect(!app.map.isPanningInterfaceVisible)
      app.map.isPanningInterfaceVisible = true
      app.map.mapDelegate?.mapTemplate(app.map, panWith: [.left, .up])
      app.map.mapDelegate?.mapTemplate(app.map, panWith: .right)
      #expect(app.steps == [CGPoint(x: -1, y: -1), CGPoint(x: 1, y: 0)])
      app.map.dismissPanningInterface(animated: false)
      #expect(system.takeNavigation() == ["showPanningInterface", "dismissPanningInterface"])
    }
  }

  @Test("Without a car, a dismissed alert was not visible, and the call returns", .onlyCar)
  func dismissWithoutACar() async {
    await RecordingSystem.useWhileWaiting { _ in
      CarPlayModule.system = NoCar.shared
      #expect(await CPMapTemplate().dismissNavigationAlert(animated: false) == false)
    }
  }

  @Test("A delegate implements the methods of maps that it has")
  func optionalMapMethods() {
    RecordingSystem.use { _ in
      let app = RouteApp()
      #expect(
        OptionalMethod.isImplemented("mapTemplate(_:displayStyleFor:)", by: app.map.mapDelegate) {
          _ = $0.mapTemplate(app.map, displayStyleFor: CPManeuver())
        })
      #expect(
        !OptionalMethod.isImplemented("mapTemplateDidBeginPanGesture(_:)", by: app.map.mapDelegate) {
          $0.mapTemplateDidBeginPanGesture(app.map)
        })
      #expect(app.map.mapDelegate?.mapTemplate(app.map, shouldShowNotificationFor: CPManeuver()) == false)
      #expect(app.map.mapDelegate?.mapTemplateShouldProvideNavigationMetadata(app.map) == false)
    }
  }
}

/// A navigation app with one trip.
@MainActor
private final class RouteApp: NSObject, CPMapTemplateDelegate {
  let map = CPMapTemplate()
  var session: CPNavigationSession?
  var overviewOf: CPRouteChoice?
  var alertWasVisible: Bool?
  var steps: [CGPoint] = []

  override init() {
    super.init()
    map.mapDelegate = self
    map.mapButtons = ["dpad.fill", "minus.magnifyingglass", "plus.magnifyingglass", "location"].map { name in
      let button = CPMapButton { [weak self] _ in self?.map.showPanningInterface(animated: true) }
      button.image = UIImage(systemName: name)
      return button
    }
  }

  func preview() {
    let routes = ["Coast road", "Hill road"].map {
      CPRouteChoice(
        summaryVariants: [$0], additionalInformationVariants: ["18 km"], selectionSummaryVariants: [$0])
    }
    let trip = CPTrip(
      origin: .place("Home", 55.7, 37.6), destination: .place("Harbour", 55.8, 37.4), routeChoices: routes)
    map.showTripPreviews(
      [trip],
      textConfiguration: CPTripPreviewTextConfiguration(
        startButtonTitle: "Drive", additionalRoutesButtonTitle: "Routes", overviewButtonTitle: "All"))
  }

  func mapTemplate(_ mapTemplate: CPMapTemplate, selectedPreviewFor trip: CPTrip, using routeChoice: CPRouteChoice) {
    overviewOf = routeChoice
  }

  func mapTemplate(_ mapTemplate: CPMapTemplate, startedTrip trip: CPTrip, using routeChoice: CPRouteChoice) {
    map.hideTripPreviews()
    session = map.startNavigationSession(for: trip)
    session?.pauseTrip(for: .loading, description: "Calculating")
  }

  func mapTemplate(_ mapTemplate: CPMapTemplate, displayStyleFor maneuver: CPManeuver) -> CPManeuverDisplayStyle {
    maneuver.userInfo as? String == "lanes" ? .symbolOnly : .leadingSymbol
  }

  func mapTemplate(_ mapTemplate: CPMapTemplate, panWith direction: CPMapTemplate.PanDirection) {
    let x = direction.contains(.left) ? -1 : direction.contains(.right) ? 1 : 0
    let y = direction.contains(.up) ? -1 : direction.contains(.down) ? 1 : 0
    steps.append(CGPoint(x: x, y: y))
  }

  func guide() {
    let turn = CPManeuver()
    turn.symbolImage = .sample
    turn.instructionVariants = ["Turn left into Main Street", "Left"]
    turn.initialTravelEstimates = .init(distanceRemaining: .meters(300), timeRemaining: 30)
    let lanes = CPManeuver()
    lanes.symbolImage = .sample
    lanes.userInfo = "lanes"
    session?.upcomingManeuvers = [turn, lanes]
  }

  func approach(meters: Double, seconds: Double) {
    guard let session, let maneuver = session.upcomingManeuvers.first else { return }
    session.updateEstimates(.init(distanceRemaining: .meters(meters), timeRemaining: seconds), for: maneuver)
    map.update(
      .init(distanceRemaining: .meters(18_000), timeRemaining: 600 + seconds), for: session.trip, with: .orange)
  }

  func warn() {
    map.present(
      navigationAlert: CPNavigationAlert(
        titleVariants: ["Delay of 12 minutes"], subtitleVariants: nil, image: nil,
        primaryAction: CPAlertAction(title: "OK", style: .default) { _ in }, secondaryAction: nil, duration: 10),
      animated: true)
  }
}

extension MKMapItem {
  /// A place with a name.
  @MainActor static func place(_ name: String, _ latitude: Double, _ longitude: Double) -> MKMapItem {
    let coordinate = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
    let item = MKMapItem(placemark: MKPlacemark(coordinate: coordinate))
    item.name = name
    return item
  }
}

extension Measurement where UnitType == UnitLength {
  /// A distance in meters.
  static func meters(_ value: Double) -> Self { Measurement(value: value, unit: .meters) }
}

extension RecordingSystem {
  /// The names of the navigation commands since the last call.
  func takeNavigation() -> [String] {
    takeCommands().map { command in
      guard case .navigation(let navigation) = command else { return "other" }
      return switch navigation {
      case .showTripPreviews: "showTripPreviews"
      case .hideTripPreviews: "hideTripPreviews"
      case .updateTripEstimates: "updateTripEstimates"
      case .startNavigation: "startNavigation"
      case .updateManeuverEstimates: "updateManeuverEstimates"
      case .endNavigation: "endNavigation"
      case .showPanningInterface: "showPanningInterface"
      case .dismissPanningInterface: "dismissPanningInterface"
      case .presentNavigationAlert: "presentNavigationAlert"
      case .dismissNavigationAlert: "dismissNavigationAlert"
      case .activateVoiceState: "activateVoiceState"
      }
    }
  }
}
