// swift-iap2 · Apache-2.0

import IAP2
import Testing
import WireSupport

@testable import IAP2Roles

/// Route guidance (Features.md#route-guidance).
@Suite struct RouteGuidanceTests {
  private static func route(_ maneuvers: Int, metres: Int = 100, lanes: Bool = false) -> Route {
    Route(
      destination: "Office", start: "First Street",
      maneuvers: (0..<maneuvers).map { number in
        var maneuver = Route.Maneuver(type: .leftTurn, description: "Turn", road: "Road \(number)", distance: metres)
        maneuver.exit = "\(number)"
        if lanes { maneuver.lanes = [Route.Lane(status: .good, angles: [0])] }
        return maneuver
      })
  }

  private static func ids(_ output: PolicyOutput) -> [UInt16] { output.sent.map { ControlHeader.id(of: $0) } }

  private static func maneuvers(_ output: PolicyOutput) throws -> [RouteGuidanceManeuverUpdate] {
    try output.sent.filter { ControlHeader.id(of: $0) == 0x5202 }.map {
      try RouteGuidanceManeuverUpdate(decoding: $0.rawBytes)
    }
  }

  private static func update(_ output: PolicyOutput) throws -> RouteGuidanceUpdate {
    let bytes = try #require(output.sent.first { ControlHeader.id(of: $0) == 0x5201 })
    return try RouteGuidanceUpdate(decoding: bytes.rawBytes)
  }

  /// Features.md#route-start: an empty 0x5200 works too.
  @Test func anEmptyStartIsEnough() throws {
    var phone = try PhoneBench(.routeGuidance)
    #expect(phone.receive(0x5200).sent.isEmpty)
    let begun = phone.change { $0.navigate(Self.route(2)) }
    let update = try Self.update(begun)
    #expect(update.routeGuidanceState == .routeSet && update.destinationName == "Office")
    #expect(update.currentRoadName == "First Street" && update.distanceRemaining == 200)
    #expect(update.routeGuidanceManeuverCurrentList?.elements == [0, 1])
    // 19 and 20 are sent on request only.
    #expect(update.sourceName == nil && update.sourceSupportsRouteGuidance == nil)
    #expect(try Self.maneuvers(begun).map(\.exitInfo) == [nil, nil])
    let asked = phone.receive(0x5200, parameter(1, []) + parameter(3, []))
    #expect(try Self.update(asked).sourceName == "Maps")
    #expect(try Self.maneuvers(asked).map(\.exitInfo) == ["0", "1"])
  }

  /// An app of others may leave the guidance to the car, or have none for it (15 and 20).
  @Test func theAppOfARouteSaysHowItGuides() throws {
    var phone = try PhoneBench(.routeGuidance)
    _ = phone.receive(0x5200, parameter(1, []) + parameter(2, []))
    var route = Self.route(1)
    (route.source, route.isShownInApp, route.supportsGuidance) = ("Other Maps", false, false)
    let update = try Self.update(phone.change { $0.navigate(route) })
    #expect(update.sourceName == "Other Maps" && update.routeGuidanceBeingShownInApp == false)
    #expect(update.sourceSupportsRouteGuidance == false)
  }

  @Test func anUnknownDisplayIsNamedAndStartsNothing() throws {
    var phone = try PhoneBench(.routeGuidance) { $0.navigate(Self.route(1)) }
    #expect(
      phone.receive(0x5200, parameter(0, [0, 31]))
        == PolicyOutput([.event(.violation(.unknownTarget(message: 0x5200)))]))
    #expect(phone.change { $0.drive { $0.move(by: 10) } }.sent.isEmpty)
  }

  /// Features.md#route-maneuvers: about 20 ahead, each once, and indexes that only grow.
  @Test func maneuversAreSentInABurstThenOneByOne() throws {
    var phone = try PhoneBench(.routeGuidance) { $0.navigate(Self.route(50)) }
    #expect(try Self.maneuvers(phone.receive(0x5200)).map(\.index) == Array(0..<20))
    #expect(try Self.maneuvers(phone.change { $0.drive { $0.move(by: 99) } }).isEmpty)
    #expect(try Self.maneuvers(phone.change { $0.drive { $0.move(by: 1) } }).map(\.index) == [20])
    #expect(try Self.maneuvers(phone.change { $0.drive { $0.move(by: 4000) } }).map(\.index) == Array(21..<50))
    #expect(try Self.maneuvers(phone.change { $0.navigate(Self.route(2)) }).map(\.index) == [50, 51])
    phone.change { $0.endNavigation() }
    #expect(try Self.maneuvers(phone.change { $0.navigate(Self.route(1)) }).map(\.index) == [52])
  }

  @Test func anUpdateHasOnlyWhatChanged() throws {
    var phone = try PhoneBench(.routeGuidance) {
      $0.navigate(Self.route(3))
      $0.drive { $0.speed = 10 }
    }
    phone.receive(0x5200)
    let update = try Self.update(phone.wait(milliseconds: 2000))
    #expect(update.distanceRemaining == 280 && update.distanceToNextManeuver == 80)
    #expect(update.timeRemainingToDestination == 28)
    #expect(update.routeGuidanceState == nil && update.destinationName == nil && update.currentRoadName == nil)
    #expect(update.routeGuidanceManeuverCurrentList == nil)
    let next = try Self.update(phone.wait(milliseconds: 8000))
    #expect(next.currentRoadName == "Road 0" && next.routeGuidanceManeuverCurrentList?.elements == [1, 2])
    let end = try Self.update(phone.wait(milliseconds: 60_000))
    #expect(end.routeGuidanceState == .arrived && end.distanceRemaining == 0)
    #expect(end.routeGuidanceManeuverCurrentList?.elements == [])
  }

  @Test func theEndOfARouteIsReportedOnce() throws {
    var phone = try PhoneBench(.routeGuidance) { $0.navigate(Self.route(2)) }
    phone.receive(0x5200)
    let end = phone.change { $0.endNavigation() }
    #expect(Self.ids(end) == [0x5201])
    let update = try Self.update(end)
    #expect(update.routeGuidanceState == .noRouteSet && update.destinationName == "")
    #expect(phone.change { $0.name = "Other" }.sent.isEmpty)
  }

  /// Features.md#route-lanes: 0x5204 needs its place in list 7 and parameters 7 and 8 of component 30.
  @Test func lanesAreSentOnlyToADisplayThatStoresThem() throws {
    let isListed: [(Bool, (inout IdentificationInformation) -> Void)] = [
      (true, { _ in }), (false, { $0.messagesReceivedFromDevice.elements.removeAll { $0 == 0x5204 } }),
      (
        false,
        {
          $0.routeGuidanceDisplayComponent[0].maximumLaneGuidanceDescriptionLength = nil
          $0.routeGuidanceDisplayComponent[0].maximumLaneGuidanceStorageCapacity = nil
        }
      ),
    ]
    for (comes, change) in isListed {
      var phone = try PhoneBench(.routeGuidance, { $0.navigate(Self.route(2, lanes: true)) }, change: change)
      let output = phone.receive(0x5200)
      #expect(Self.ids(output).count { $0 == 0x5204 } == (comes ? 2 : 0))
      #expect(Self.ids(output).count { $0 == 0x5202 } == 2)
    }
  }

  @Test func aStopEndsTheUpdates() throws {
    var phone = try PhoneBench(.routeGuidance) { $0.navigate(Self.route(2)) }
    phone.receive(0x5200)
    expectStops(&phone, 0x5203) { $0.drive { $0.move(by: 50) } }
  }

  @Test(arguments: [
    (0, "0", DistanceUnits.meters), (999, "999", .meters), (1000, "1.0", .kilometers), (1049, "1.0", .kilometers),
    (1050, "1.1", .kilometers), (12_345, "12.3", .kilometers),
  ]) func distancesAreReadable(metres: Int, shown: String, units: DistanceUnits) {
    #expect(Guidance.display(metres) == (shown, units))
  }

  @Test func aHeadUnitForgetsManeuversWithTheRoute() throws {
    var car = try HeadUnitBench(.routeGuidance)
    car.receive(0x5202, parameter(1, [0, 7]) + parameter(2, text("Turn")) + parameter(0x66, [1]))
    car.receive(0x5204, parameter(1, [0, 7]))
    car.receive(0x5201, parameter(1, [1]) + parameter(13, [0, 7, 0, 8]))
    // Index 8 was named and has not arrived.
    #expect(car.policy.currentManeuvers.map(\.maneuverDescription) == ["Turn"] && car.policy.lanes.count == 1)
    car.receive(0x5201, parameter(1, [0]))
    #expect(car.policy.maneuvers.isEmpty && car.policy.lanes.isEmpty)
  }
}
