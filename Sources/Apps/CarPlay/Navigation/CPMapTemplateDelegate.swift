// swift-iap2 · Apache-2.0

/// The receiver of a map template's events. All methods are optional: CarPlay/Frameworks.md#map-delegate-versions.
@preconcurrency @MainActor
public protocol CPMapTemplateDelegate: NSObjectProtocol {
  // MARK: Banners while the app is in the background

  /// Returns whether the car shows a maneuver as a banner over another app.
  func mapTemplate(_ mapTemplate: CPMapTemplate, shouldShowNotificationFor maneuver: CPManeuver) -> Bool
  /// Returns whether the car shows an alert as a banner over another app.
  func mapTemplate(_ mapTemplate: CPMapTemplate, shouldShowNotificationFor navigationAlert: CPNavigationAlert) -> Bool
  /// Returns whether the car updates the banner of a maneuver with new estimates.
  func mapTemplate(
    _ mapTemplate: CPMapTemplate, shouldUpdateNotificationFor maneuver: CPManeuver,
    with travelEstimates: CPTravelEstimates
  ) -> Bool

  // MARK: Panning interface

  /// Reports that the panning interface appeared.
  func mapTemplateDidShowPanningInterface(_ mapTemplate: CPMapTemplate)
  /// Reports that the panning interface is about to disappear.
  func mapTemplateWillDismissPanningInterface(_ mapTemplate: CPMapTemplate)
  /// Reports that the panning interface disappeared.
  func mapTemplateDidDismissPanningInterface(_ mapTemplate: CPMapTemplate)
  /// Reports that a long press of an arrow began.
  func mapTemplate(_ mapTemplate: CPMapTemplate, panBeganWith direction: CPMapTemplate.PanDirection)
  /// Reports that a long press of an arrow ended.
  func mapTemplate(_ mapTemplate: CPMapTemplate, panEndedWith direction: CPMapTemplate.PanDirection)
  /// Reports that an arrow was tapped.
  func mapTemplate(_ mapTemplate: CPMapTemplate, panWith direction: CPMapTemplate.PanDirection)

  // MARK: Gestures, which some cars never report

  /// Reports that a finger began to move the map.
  func mapTemplateDidBeginPanGesture(_ mapTemplate: CPMapTemplate)
  /// Reports the movement of the finger so far in points, and its velocity in points a second.
  func mapTemplate(
    _ mapTemplate: CPMapTemplate, didUpdatePanGestureWithTranslation translation: CGPoint, velocity: CGPoint)
  /// Reports that the finger was lifted, with its velocity in points a second.
  func mapTemplate(_ mapTemplate: CPMapTemplate, didEndPanGestureWithVelocity velocity: CGPoint)
  /// Reports that two fingers began to zoom.
  @available(iOS 26.0, *)
  func mapTemplateDidBeginZoomGesture(_ mapTemplate: CPMapTemplate)
  /// Reports the scale of the zoom and its velocity in scale factors a second.
  @available(iOS 26.0, *)
  func mapTemplate(
    _ mapTemplate: CPMapTemplate, didUpdateZoomGestureWithCenter center: CGPoint, scale: CGFloat, velocity: CGFloat)
  /// Reports that the zoom ended.
  @available(iOS 26.0, *)
  func mapTemplate(_ mapTemplate: CPMapTemplate, didEndZoomGestureWithVelocity velocity: CGFloat)
  /// Reports that two fingers began to rotate the map.
  @available(iOS 26.0, *)
  func mapTemplateDidBeginRotationGesture(_ mapTemplate: CPMapTemplate)
  /// Reports the rotation in radians and its velocity in radians a second.
  @available(iOS 26.0, *)
  func mapTemplate(
    _ mapTemplate: CPMapTemplate, didRotateWithCenter center: CGPoint, rotation: CGFloat, velocity: CGFloat)
  /// Reports that the rotation ended.
  @available(iOS 26.0, *)
  func mapTemplate(_ mapTemplate: CPMapTemplate, rotationDidEndWithVelocity velocity: CGFloat)
  /// Reports that two fingers began to tilt the map.
  @available(iOS 26.0, *)
  func mapTemplateDidBeginPitchGesture(_ mapTemplate: CPMapTemplate)
  /// Reports that two fingers tilt the map.
  @available(iOS 26.0, *)
  func mapTemplate(_ mapTemplate: CPMapTemplate, pitchWithCenter center: CGPoint)
  /// Reports that the tilt ended.
  @available(iOS 26.0, *)
  func mapTemplate(_ mapTemplate: CPMapTemplate, pitchEndedWithCenter center: CGPoint)

  // MARK: Navigation alerts

  /// Reports that an alert is about to appear.
  func mapTemplate(_ mapTemplate: CPMapTemplate, willShow navigationAlert: CPNavigationAlert)
  /// Reports that an alert appeared.
  func mapTemplate(_ mapTemplate: CPMapTemplate, didShow navigationAlert: CPNavigationAlert)
  /// Reports that an alert is about to disappear, and why.
  func mapTemplate(
    _ mapTemplate: CPMapTemplate, willDismiss navigationAlert: CPNavigationAlert,
    dismissalContext: CPNavigationAlert.DismissalContext)
  /// Reports that an alert disappeared, and why.
  func mapTemplate(
    _ mapTemplate: CPMapTemplate, didDismiss navigationAlert: CPNavigationAlert,
    dismissalContext: CPNavigationAlert.DismissalContext)

  // MARK: Trips

  /// Reports that the user selected a trip and a route in the previews.
  func mapTemplate(_ mapTemplate: CPMapTemplate, selectedPreviewFor trip: CPTrip, using routeChoice: CPRouteChoice)
  /// Reports that the user started a trip. The app starts a navigation session.
  func mapTemplate(_ mapTemplate: CPMapTemplate, startedTrip trip: CPTrip, using routeChoice: CPRouteChoice)
  /// Reports that the system ended the guidance, for example because the car's own navigation started.
  func mapTemplateDidCancelNavigation(_ mapTemplate: CPMapTemplate)
  /// Returns the layout of a maneuver.
  func mapTemplate(_ mapTemplate: CPMapTemplate, displayStyleFor maneuver: CPManeuver) -> CPManeuverDisplayStyle
  /// Returns whether the app gives the metadata of maneuvers to the car's cluster and head-up display.
  @available(iOS 17.4, *)
  func mapTemplateShouldProvideNavigationMetadata(_ mapTemplate: CPMapTemplate) -> Bool

  // MARK: Route sharing

  /// Returns whether the app shares its route with the car.
  @available(iOS 26.4, *)
  func mapTemplateShouldProvideRouteSharing(_ mapTemplate: CPMapTemplate) -> Bool
  /// Reports that the owner of the route changed.
  @available(iOS 26.4, *)
  func mapTemplate(_ mapTemplate: CPMapTemplate, didReceiveUpdatedRouteSource routeSource: CPRouteSource)
  /// Reports that the car asks for a destination. The app shows a preview of a trip to it.
  @available(iOS 26.4, *)
  func mapTemplate(_ mapTemplate: CPMapTemplate, didReceiveRequestForDestination waypoint: CPNavigationWaypoint)
  /// Reports that the car proposes a stop in a segment. The app answers with the estimates to it.
  @available(iOS 26.4, *)
  func mapTemplate(
    _ mapTemplate: CPMapTemplate, didRequestToInsert waypoint: CPNavigationWaypoint, into segment: CPRouteSegment,
    completion: @escaping (CPTravelEstimates) -> Void)
  /// Reports whether the user accepted a proposed stop.
  @available(iOS 26.4, *)
  func mapTemplate(
    _ mapTemplate: CPMapTemplate, waypoint: CPNavigationWaypoint, accepted: Bool, forSegment segment: CPRouteSegment?)
  /// Reports that the destination of a trip is about to be shared with the car.
  @available(iOS 26.4, *)
  func mapTemplate(_ mapTemplate: CPMapTemplate, willShareDestinationFor trip: CPTrip)
  /// Reports that the destination of a trip was shared with the car.
  @available(iOS 26.4, *)
  func mapTemplate(_ mapTemplate: CPMapTemplate, didShareDestinationFor trip: CPTrip)
  /// Reports that the car refused the destination of a trip.
  @available(iOS 26.4, *)
  func mapTemplate(_ mapTemplate: CPMapTemplate, didFailToShareDestinationFor trip: CPTrip, error: any Error)
}
