// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform
import MapKit
import Testing
import UIKit

@MainActor
struct NavigationValueTests {
  @Test("A new map template has the defaults of the real one")
  func mapDefaults() {
    let map = CPMapTemplate()
    #expect(map.automaticallyHidesNavigationBar)
    #expect(map.hidesButtonsWithNavigationBar)
    #expect(!map.isPanningInterfaceVisible)
    #expect(map.currentNavigationAlert == nil)
    #expect(map.mapDelegate == nil)
    #expect(map.mapButtons.isEmpty)
    #expect(map.leadingNavigationBarButtons.isEmpty)
    #expect(map.trailingNavigationBarButtons.isEmpty)
    #expect(map.backButton == nil)
    #expect(map.navigationSession == nil)
  }

  @Test("A new map button is visible and enabled")
  func mapButtonDefaults() {
    let button = CPMapButton(handler: nil)
    #expect(button.isEnabled)
    #expect(!button.isHidden)
    #expect(button.image == nil)
    #expect(button.focusedImage == nil)
  }

  @Test("A new maneuver has no content and the metadata of raw value 0")
  func maneuverDefaults() {
    let maneuver = CPManeuver()
    #expect(maneuver.instructionVariants.isEmpty)
    #expect(maneuver.dashboardInstructionVariants.isEmpty)
    #expect(maneuver.notificationInstructionVariants.isEmpty)
    #expect(maneuver.travelEstimates == nil)
    #expect(maneuver.maneuverType.rawValue == 0)
    #expect(maneuver.junctionType.rawValue == 0)
    #expect(maneuver.trafficSide.rawValue == 0)
    #expect(maneuver.linkedLaneGuidance == nil)
  }

  @Test("A template keeps what the app gives, however much it is")
  func nothingIsCut() {
    RecordingSystem.use { _ in
      let map = CPMapTemplate()
      map.mapButtons = (0..<9).map { _ in CPMapButton(handler: nil) }
      map.trailingNavigationBarButtons = (0..<5).map { CPBarButton(title: "\($0)", handler: nil) }
      map.showTripPreviews((0..<20).map { _ in .sample }, textConfiguration: nil)
      #expect(map.mapButtons.count == 9)
      #expect(map.trailingNavigationBarButtons.count == 5)
      #expect(map.tripPreviews?.trips.count == 20)
    }
  }

  @Test("A preview of routes has one trip, which is selected")
  func routeChoices() throws {
    try RecordingSystem.use { _ in
      let map = CPMapTemplate()
      let trips = [CPTrip.sample, .sample]
      map.showTripPreviews(trips, selectedTrip: trips[1], textConfiguration: nil)
      #expect(map.tripPreviews?.selectedTrip === trips[1])
      #expect(map.tripPreviews?.showsRouteChoices == false)
      map.showRouteChoicesPreview(for: trips[0], textConfiguration: nil)
      let previews = try #require(map.tripPreviews)
      #expect(previews.trips == [trips[0]])
      #expect(previews.selectedTrip === trips[0])
      #expect(previews.showsRouteChoices)
    }
  }

  @Test(
    "A distance or a time that is negative or no number is unknown",
    arguments: [(-1.0, 10.0), (5, -0.5), (.nan, .nan), (.infinity, .infinity), (-1, -1)])
  func unknownEstimates(distance: Double, time: Double) {
    let estimates = CPTravelEstimates(distanceRemaining: .meters(distance), timeRemaining: time)
    #expect((estimates.shownDistance != nil) == (distance == 5))
    #expect((estimates.shownTime != nil) == (time == 10))
    // The app reads back the values that it set.
    #expect(estimates.distanceRemaining.value.bitPattern == distance.bitPattern)
    #expect(estimates.timeRemaining.bitPattern == time.bitPattern)
  }

  @Test("Zero is a known distance and a known time")
  func zeroEstimates() {
    let estimates = CPTravelEstimates(distanceRemaining: .meters(0), timeRemaining: 0)
    #expect(estimates.shownDistance?.value == 0)
    #expect(estimates.shownTime == 0)
  }

  @Test("The distance to display is the shown one")
  func distanceToDisplay() {
    let miles = Measurement(value: 0.2, unit: UnitLength.miles)
    let estimates = CPTravelEstimates(
      distanceRemaining: .meters(321.9), distanceRemainingToDisplay: miles, timeRemaining: 20)
    #expect(estimates.shownDistance == miles)
    #expect(estimates.distanceRemaining == .meters(321.9))
  }

  @Test(
    "The duration of an alert is at least 5 seconds, or 0 until it is dismissed",
    arguments: [(0.0, 0.0), (1, 5), (4.999, 5), (5, 5), (12.5, 12.5), (-3, 5), (.nan, 5)])
  func alertDuration(given: Double, kept: Double) {
    let alert = CPNavigationAlert.sample(duration: given)
    #expect(alert.duration == kept)
    #expect(alert.givenDuration.bitPattern == given.bitPattern)
    #expect(CPNavigationAlertMinimumDuration == 5)
  }

  @Test("The texts of an alert can change, and the change is reported")
  func alertTexts() {
    RecordingSystem.use { system in
      let alert = CPNavigationAlert.sample(duration: 0)
      #expect(alert.subtitleVariants.isEmpty)
      let names = system.changes(of: alert) { alert.updateTitleVariants(["A"], subtitleVariants: ["B"]) }
      #expect(names == ["updateTitleVariants"])
      #expect(alert.titleVariants == ["A"])
      #expect(alert.subtitleVariants == ["B"])
    }
  }

  @Test("The copy of a maneuver is another object with the same values, and neither changes the other")
  func maneuverCopy() throws {
    try RecordingSystem.use { system in
      let lanes = CPLaneGuidance()
      let maneuver = CPManeuver()
      maneuver.instructionVariants = ["Left"]
      maneuver.symbolImage = .sample
      maneuver.userInfo = 7
      maneuver.highwayExitLabel = "Exit 12"
      maneuver.junctionElementAngles = [Measurement(value: 90, unit: .degrees)]
      maneuver.maneuverType = .enter_Ferry
      maneuver.linkedLaneGuidance = lanes
      let changes = system.changes.count
      let copy = try #require(maneuver.copy() as? CPManeuver)
      #expect(system.changes.count == changes)
      #expect(copy !== maneuver)
      #expect(copy.instructionVariants == ["Left"])
      #expect(copy.symbolImage === maneuver.symbolImage)
      #expect(copy.userInfo as? Int == 7)
      #expect(copy.highwayExitLabel == "Exit 12")
      #expect(copy.junctionElementAngles == maneuver.junctionElementAngles)
      #expect(copy.maneuverType == .enter_Ferry)
      #expect(copy.linkedLaneGuidance === lanes)
      copy.instructionVariants = ["Right"]
      #expect(maneuver.instructionVariants == ["Left"])
    }
  }

  @Test("A copy has every property of a maneuver, but for the estimates of a session")
  func maneuverCopyIsComplete() throws {
    let lanes = CPLaneGuidance()
    let maneuver = CPManeuver.full(lanes: lanes)
    let copy = try #require(maneuver.copy() as? CPManeuver)
    let values = maneuver.storedValues
    #expect(copy.storedValues == values)
    // A property that this test does not set has the default value.
    let unset = CPManeuver().storedValues.filter { values[$0.key] == $0.value }
    #expect(Set(unset.keys) == ["updatedTravelEstimates"])
  }

  @Test("The copies of routes, lanes and estimates have the same values")
  func otherCopies() throws {
    let route = CPRouteChoice(
      summaryVariants: ["A"], additionalInformationVariants: ["B"], selectionSummaryVariants: ["C"])
    route.userInfo = "route"
    let routeCopy = try #require(route.copy() as? CPRouteChoice)
    #expect(routeCopy !== route)
    #expect(routeCopy.summaryVariants == ["A"])
    #expect(routeCopy.additionalInformationVariants == ["B"])
    #expect(routeCopy.selectionSummaryVariants == ["C"])
    #expect(routeCopy.userInfo as? String == "route")

    let lane = CPLane(angles: [.degrees(-90), .degrees(0)], highlightedAngle: .degrees(0), isPreferred: true)
    let laneCopy = try #require(lane.copy() as? CPLane)
    #expect(laneCopy !== lane)
    #expect(laneCopy.angles == lane.angles)
    #expect(laneCopy.highlightedAngle == .degrees(0))
    #expect(laneCopy.status == .preferred)

    let guidance = CPLaneGuidance()
    guidance.lanes = [lane]
    guidance.instructionVariants = ["Keep right"]
    let guidanceCopy = try #require(guidance.copy() as? CPLaneGuidance)
    #expect(guidanceCopy !== guidance)
    #expect(guidanceCopy.lanes == [lane])
    #expect(guidanceCopy.instructionVariants == ["Keep right"])

    let estimates = CPTravelEstimates.sample
    #expect(try #require(estimates.copy() as? CPTravelEstimates).timeRemaining == 60)
  }

  @Test("The old angles of a lane are a view of the new ones")
  func oldLaneAngles() {
    let lane = CPLane()
    #expect(lane.status == .notGood)
    #expect(lane.highlightedAngle == nil)
    lane.secondaryAngles = [.degrees(-45), .degrees(30)]
    lane.primaryAngle = .degrees(30)
    #expect(lane.highlightedAngle == .degrees(30))
    #expect(lane.angles == [.degrees(-45), .degrees(30)])
    #expect(lane.secondaryAngles == [.degrees(-45)])
    #expect(CPLane(angles: [], highlightedAngle: .degrees(0), isPreferred: false).status == .good)
  }

  @Test("The enumerations have the published raw values")
  func rawValues() {
    #expect(CPManeuverType(rawValue: 15) == .enter_Ferry)
    #expect(CPManeuverType(rawValue: 28) == .roundaboutExit1)
    #expect(CPManeuverType(rawValue: 46) == .roundaboutExit19)
    #expect(CPManeuverType(rawValue: 53) == .changeHighwayRight)
    #expect(CPManeuverType(rawValue: 54) == nil)
    #expect(CPNavigationSession.PauseReason(rawValue: 0) == nil)
    #expect(CPNavigationSession.PauseReason(rawValue: 5) == .proceedToRoute)
    #expect(CPNavigationAlert.DismissalContext(rawValue: 2) == .systemDismissed)
    #expect(CPMapTemplate.PanDirection([.up, .left]).rawValue == 5)
    #expect(CPMapTemplate.PanDirection.down.rawValue == 8)
    #expect(CPManeuverDisplayStyle.symbolOnly.rawValue == 3)
    #expect(CPManeuverDisplayStyle.default.rawValue == 0)
    #expect(CPRouteSource.vehicle.rawValue == 5)
    #expect(CPManeuverState.execute.rawValue == 3)
  }

  @Test("A trip has its places as map items and as waypoints, whichever the app gave")
  func tripPlaces() {
    let trip = CPTrip.sample
    #expect(trip.destinationWaypoint.name == "Harbour")
    #expect(trip.destinationWaypoint.centerPoint.latitude == 55.8)
    #expect(trip.destinationNameVariants == nil)
    #expect(!trip.hasShareableDestination)
    let waypoint = CPNavigationWaypoint(
      centerPoint: CPLocationCoordinate3D(latitude: 1, longitude: 2, altitude: 3), locationThreshold: .meters(50),
      nameVariants: ["Long name", "Name"], addressVariants: ["Street 1"], entryPoints: [], timeZone: nil)
    let other = CPTrip(originWaypoint: waypoint, destinationWaypoint: waypoint, routeChoices: [])
    #expect(other.destination.name == "Long name")
    #expect(other.origin.placemark.coordinate.longitude == 2)
    #expect(waypoint.address == "Street 1")
  }

  @Test("Each property of a map template, its buttons and its maneuvers reports its change once")
  func changesOfMaps() {
    RecordingSystem.use { system in
      let map = CPMapTemplate()
      let names = system.changes(of: map) {
        map.mapButtons = []
        map.guidanceBackgroundColor = .red
        map.tripEstimateStyle = .dark
        map.automaticallyHidesNavigationBar = false
        map.leadingNavigationBarButtons = []
        map.backButton = nil
      }
      #expect(
        names == [
          "mapButtons", "guidanceBackgroundColor", "tripEstimateStyle", "automaticallyHidesNavigationBar",
          "leadingNavigationBarButtons", "backButton",
        ])
      let button = CPMapButton(handler: nil)
      #expect(system.changes(of: button) { button.isHidden = true } == ["isHidden"])
      let maneuver = CPManeuver()
      #expect(system.changes(of: maneuver) { maneuver.instructionVariants = ["A"] } == ["instructionVariants"])
    }
  }
}

extension CPManeuver {
  /// A maneuver in which every property differs from its default.
  fileprivate static func full(lanes: CPLaneGuidance) -> CPManeuver {
    let maneuver = CPManeuver()
    maneuver.symbolImage = .sample
    maneuver.symbolSet = CPImageSet(lightContentImage: .sample, darkContentImage: .sample)
    maneuver.junctionImage = .sample
    maneuver.instructionVariants = ["a"]
    maneuver.attributedInstructionVariants = [NSAttributedString(string: "b")]
    maneuver.initialTravelEstimates = .sample
    maneuver.userInfo = "c"
    maneuver.dashboardSymbolImage = .sample
    maneuver.dashboardJunctionImage = .sample
    maneuver.dashboardInstructionVariants = ["d"]
    maneuver.dashboardAttributedInstructionVariants = [NSAttributedString(string: "e")]
    maneuver.notificationSymbolImage = .sample
    maneuver.notificationInstructionVariants = ["f"]
    maneuver.notificationAttributedInstructionVariants = [NSAttributedString(string: "g")]
    maneuver.cardBackgroundColor = .red
    maneuver.maneuverType = .uTurn
    maneuver.trafficSide = .left
    maneuver.junctionType = .roundabout
    maneuver.junctionExitAngle = .degrees(10)
    maneuver.junctionElementAngles = [.degrees(20)]
    maneuver.highwayExitLabel = "h"
    maneuver.roadFollowingManeuverVariants = ["i"]
    maneuver.linkedLaneGuidance = lanes
    return maneuver
  }

  /// The stored properties by name, as texts.
  fileprivate var storedValues: [String: String] {
    let children = Mirror(reflecting: self).children.compactMap { child in
      child.label.map { ($0, String(describing: child.value)) }
    }
    return Dictionary(uniqueKeysWithValues: children)
  }
}

extension CPNavigationAlert {
  /// An alert with one action.
  static func sample(duration: TimeInterval) -> CPNavigationAlert {
    CPNavigationAlert(
      titleVariants: ["Delay"], subtitleVariants: nil, image: nil,
      primaryAction: CPAlertAction(title: "OK", style: .default) { _ in }, secondaryAction: nil, duration: duration)
  }
}

extension Measurement where UnitType == UnitAngle {
  /// An angle in degrees.
  static func degrees(_ value: Double) -> Self { Measurement(value: value, unit: .degrees) }
}
