// swift-iap2 · Apache-2.0

public import MapKit

/// A journey from an origin to a destination, with one or more routes. The car shows the first three routes.
@preconcurrency @MainActor
open class CPTrip: NSObject {
  /// The estimates that an app set for a trip.
  package struct Estimates: Sendable {
    /// The remaining distance and time.
    package let travel: CPTravelEstimates
    /// The color of the remaining time.
    package let timeRemainingColor: CPTimeRemainingColor
  }

  /// The start.
  public let origin: MKMapItem

  /// The end.
  public let destination: MKMapItem

  /// The start as a waypoint.
  @available(iOS 26.4, *)
  public let originWaypoint: CPNavigationWaypoint

  /// The end as a waypoint.
  @available(iOS 26.4, *)
  public let destinationWaypoint: CPNavigationWaypoint

  /// The routes, uncut, the preferred one first.
  public let routeChoices: [CPRouteChoice]

  /// Creates a trip between two map items.
  public init(origin: MKMapItem, destination: MKMapItem, routeChoices: [CPRouteChoice]) {
    self.origin = origin
    self.destination = destination
    originWaypoint = CPNavigationWaypoint(mapItem: origin, locationThreshold: nil, entryPoints: [])
    destinationWaypoint = CPNavigationWaypoint(mapItem: destination, locationThreshold: nil, entryPoints: [])
    self.routeChoices = routeChoices
    super.init()
    noteCreation()
  }

  /// Creates a trip between two waypoints.
  @available(iOS 26.4, *)
  public init(
    originWaypoint origin: CPNavigationWaypoint, destinationWaypoint destination: CPNavigationWaypoint,
    routeChoices: [CPRouteChoice]
  ) {
    self.origin = origin.mapItem
    self.destination = destination.mapItem
    originWaypoint = origin
    destinationWaypoint = destination
    self.routeChoices = routeChoices
    super.init()
    noteCreation()
  }

  /// A value of the app.
  public var userInfo: Any? { didSet { noteChange() } }

  /// The names of the destination, the longest first. Without them the car shows the name of the map item.
  @available(iOS 17.4, *)
  public var destinationNameVariants: [String]? { didSet { noteChange() } }

  /// Whether the car may take over the destination.
  @available(iOS 26.1, *)
  public var hasShareableDestination = false { didSet { noteChange() } }

  /// The latest estimates.
  package var estimates: Estimates?
}

/// One route of a trip.
@preconcurrency @MainActor
open class CPRouteChoice: NSObject {
  /// The names of the route, the longest first.
  public let summaryVariants: [String]

  /// Remarks about the route, such as tolls, the longest first.
  public let additionalInformationVariants: [String]?

  /// The names of the route in the list of routes, the longest first.
  public let selectionSummaryVariants: [String]?

  /// Creates a route.
  public init(
    summaryVariants: [String], additionalInformationVariants: [String], selectionSummaryVariants: [String]
  ) {
    self.summaryVariants = summaryVariants
    self.additionalInformationVariants = additionalInformationVariants
    self.selectionSummaryVariants = selectionSummaryVariants
    super.init()
    noteCreation()
  }

  init(copying other: CPRouteChoice) {
    summaryVariants = other.summaryVariants
    additionalInformationVariants = other.additionalInformationVariants
    selectionSummaryVariants = other.selectionSummaryVariants
    userInfo = other.userInfo
    super.init()
    noteCreation()
  }

  /// A value of the app.
  public var userInfo: Any? { didSet { noteChange() } }
}

extension CPRouteChoice: @MainActor NSCopying {
  /// Returns a new route with the same texts and the same `userInfo`.
  public func copy(with zone: NSZone? = nil) -> Any { CPRouteChoice(copying: self) }
}

/// The titles of the buttons of trip previews. Without a title, the car uses its own.
public final class CPTripPreviewTextConfiguration: NSObject, Sendable {
  /// The title of the button that starts the trip.
  public let startButtonTitle: String?

  /// The title of the button that shows more routes.
  public let additionalRoutesButtonTitle: String?

  /// The title of the button that shows all trips.
  public let overviewButtonTitle: String?

  /// Creates titles.
  public init(startButtonTitle: String?, additionalRoutesButtonTitle: String?, overviewButtonTitle: String?) {
    self.startButtonTitle = startButtonTitle
    self.additionalRoutesButtonTitle = additionalRoutesButtonTitle
    self.overviewButtonTitle = overviewButtonTitle
    super.init()
  }
}
