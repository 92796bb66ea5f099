// swift-iap2 · Apache-2.0

import Basics
import IAP2
import IAP2Roles
import YAMLForms

/// Routes with their maneuvers.
enum RouteForms {
  private static let angle = Form<Int>.integer(-360...360).map { Int16($0) }

  private static let lane = Form<Route.Lane>.keys(
    .key("status", .choice(["notGood": LaneStatus.notGood, "good": .good, "preferred": .preferred]), or: .good),
    .key("angles", .list(angle), or: []), .optional("highlight", angle)
  ) { _, status, angles, highlight in Route.Lane(status: status, angles: angles, highlight: highlight) }

  private static let type = Form<String>.text.checked { name, value throws(FileProblem) in
    guard let found = ManeuverType.names.first(where: { "\($0.1)" == name }) else {
      throw value.problem("no maneuver is called \"\(name)\"; `iap2 messages RouteGuidanceManeuverUpdate` lists all")
    }
    return ManeuverType(rawValue: found.0)
  }.with(.choice(ManeuverType.names.map { "\($0.1)" }))

  private static let maneuver = Form<Route.Maneuver>.keys(
    .required("type", type), .key("description", .text, or: ""), .key("road", .text, or: ""),
    .key("distance", .integer(0...10_000_000), or: 0),
    .optional("side", .choice(["right": DrivingSide.rightHandTraffic, "left": .leftHandTraffic])),
    .optional("junction", .choice(["intersection": JunctionType.singleIntersection, "roundabout": .roundabout])),
    .key("angles", .list(angle), or: []), .optional("exitAngle", angle), .key("exit", .text, or: ""),
    .key("lanes", .list(lane), or: [])
  ) { _, type, description, road, distance, side, junction, angles, exitAngle, exit, lanes in
    var maneuver = Route.Maneuver(type: type, description: description, road: road, distance: distance)
    if let side { maneuver.drivingSide = side }
    (maneuver.junction, maneuver.angles, maneuver.exitAngle) = (junction, angles, exitAngle)
    (maneuver.exit, maneuver.lanes) = (exit, lanes)
    return maneuver
  }.named("maneuver")

  private static let maximumManeuvers = 10_000

  static let route = Form<Route>.keys(
    .key("destination", .text, or: ""), .key("start", .text, or: ""), .optional("source", .text),
    .key("shownInApp", .flag, or: true), .key("supportsGuidance", .flag, or: true),
    .required("maneuvers", .list(maneuver, count: 1...maximumManeuvers, "1 to \(maximumManeuvers) maneuvers"))
  ) { _, destination, start, source, isShownInApp, supportsGuidance, maneuvers in
    var route = Route(destination: destination, start: start, maneuvers: maneuvers)
    if let source { route.source = source }
    (route.isShownInApp, route.supportsGuidance) = (isShownInApp, supportsGuidance)
    return route
  }
}
