// swift-iap2 · Apache-2.0

import PortingSupport

// The defaults make the methods optional. Each notes that the app does not implement it.
extension CPMapTemplateDelegate {
  /// The default of an app without the method.
  public func mapTemplate(_ mapTemplate: CPMapTemplate, shouldShowNotificationFor maneuver: CPManeuver) -> Bool {
    OptionalMethod.isMissing(in: self)
    return false
  }

  /// The default of an app without the method.
  public func mapTemplate(_ mapTemplate: CPMapTemplate, shouldShowNotificationFor navigationAlert: CPNavigationAlert)
    -> Bool
  {
    OptionalMethod.isMissing(in: self)
    return false
  }

  /// The default of an app without the method.
  public func mapTemplate(
    _ mapTemplate: CPMapTemplate, shouldUpdateNotificationFor maneuver: CPManeuver,
    with travelEstimates: CPTravelEstimates
  ) -> Bool {
    OptionalMethod.isMissing(in: self)
    return false
  }

  /// The default of an app without the method.
  public func mapTemplateDidShowPanningInterface(_ mapTemplate: CPMapTemplate) { OptionalMethod.isMissing(in: self) }

  /// The default of an app without the method.
  public func mapTemplateWillDismissPanningInterface(_ mapTemplate: CPMapTemplate) {
    OptionalMethod.isMissing(in: self)
  }

  /// The default of an app without the method.
  public func mapTemplateDidDismissPanningInterface(_ mapTemplate: CPMapTemplate) {
    OptionalMethod.isMissing(in: self)
  }

  /// The default of an app without the method.
  public func mapTemplate(_ mapTemplate: CPMapTemplate, panBeganWith direction: CPMapTemplate.PanDirection) {
    OptionalMethod.isMissing(in: self)
  }

  /// The default of an app without the method.
  public func mapTemplate(_ mapTemplate: CPMapTemplate, panEndedWith direction: CPMapTemplate.PanDirection) {
    OptionalMethod.isMissing(in: self)
  }

  /// The default of an app without the method.
  public func mapTemplate(_ mapTemplate: CPMapTemplate, panWith direction: CPMapTemplate.PanDirection) {
    OptionalMethod.isMissing(in: self)
  }

  /// The default of an app without the method.
  public func mapTemplateDidBeginPanGesture(_ mapTemplate: CPMapTemplate) { OptionalMethod.isMissing(in: self) }

  /// The default of an app without the method.
  public func mapTemplate(
    _ mapTemplate: CPMapTemplate, didUpdatePanGestureWithTranslation translation: CGPoint, velocity: CGPoint
  ) {
    OptionalMethod.isMissing(in: self)
  }

  /// The default of an app without the method.
  public func mapTemplate(_ mapTemplate: CPMapTemplate, didEndPanGestureWithVelocity velocity: CGPoint) {
    OptionalMethod.isMissing(in: self)
  }

  /// The default of an app without the method.
  @available(iOS 26.0, *)
  public func mapTemplateDidBeginZoomGesture(_ mapTemplate: CPMapTemplate) { OptionalMethod.isMissing(in: self) }

  /// The default of an app without the method.
  @available(iOS 26.0, *)
  public func mapTemplate(
    _ mapTemplate: CPMapTemplate, didUpdateZoomGestureWithCenter center: CGPoint, scale: CGFloat, velocity: CGFloat
  ) {
    OptionalMethod.isMissing(in: self)
  }

  /// The default of an app without the method.
  @available(iOS 26.0, *)
  public func mapTemplate(_ mapTemplate: CPMapTemplate, didEndZoomGestureWithVelocity velocity: CGFloat) {
    OptionalMethod.isMissing(in: self)
  }

  /// The default of an app without the method.
  @available(iOS 26.0, *)
  public func mapTemplateDidBeginRotationGesture(_ mapTemplate: CPMapTemplate) { OptionalMethod.isMissing(in: self) }

  /// The default of an app without the method.
  @available(iOS 26.0, *)
  public func mapTemplate(
    _ mapTemplate: CPMapTemplate, didRotateWithCenter center: CGPoint, rotation: CGFloat, velocity: CGFloat
  ) {
    OptionalMethod.isMissing(in: self)
  }

  /// The default of an app without the method.
  @available(iOS 26.0, *)
  public func mapTemplate(_ mapTemplate: CPMapTemplate, rotationDidEndWithVelocity velocity: CGFloat) {
    OptionalMethod.isMissing(in: self)
  }

  /// The default of an app without the method.
  @available(iOS 26.0, *)
  public func mapTemplateDidBeginPitchGesture(_ mapTemplate: CPMapTemplate) { OptionalMethod.isMissing(in: self) }

  /// The default of an app without the method.
  @available(iOS 26.0, *)
  public func mapTemplate(_ mapTemplate: CPMapTemplate, pitchWithCenter center: CGPoint) {
    OptionalMethod.isMissing(in: self)
  }

  /// The default of an app without the method.
  @available(iOS 26.0, *)
  public func mapTemplate(_ mapTemplate: CPMapTemplate, pitchEndedWithCenter center: CGPoint) {
    OptionalMethod.isMissing(in: self)
  }

  /// The default of an app without the method.
  public func mapTemplate(_ mapTemplate: CPMapTemplate, willShow navigationAlert: CPNavigationAlert) {
    OptionalMethod.isMissing(in: self)
  }

  /// The default of an app without the method.
  public func mapTemplate(_ mapTemplate: CPMapTemplate, didShow navigationAlert: CPNavigationAlert) {
    OptionalMethod.isMissing(in: self)
  }

  /// The default of an app without the method.
  public func mapTemplate(
    _ mapTemplate: CPMapTemplate, willDismiss navigationAlert: CPNavigationAlert,
    dismissalContext: CPNavigationAlert.DismissalContext
  ) { OptionalMethod.isMissing(in: self) }

  /// The default of an app without the method.
  public func mapTemplate(
    _ mapTemplate: CPMapTemplate, didDismiss navigationAlert: CPNavigationAlert,
    dismissalContext: CPNavigationAlert.DismissalContext
  ) { OptionalMethod.isMissing(in: self) }

  /// The default of an app without the method.
  public func mapTemplate(
    _ mapTemplate: CPMapTemplate, selectedPreviewFor trip: CPTrip, using routeChoice: CPRouteChoice
  ) {
    OptionalMethod.isMissing(in: self)
  }

  /// The default of an app without the method.
  public func mapTemplate(_ mapTemplate: CPMapTemplate, startedTrip trip: CPTrip, using routeChoice: CPRouteChoice) {
    OptionalMethod.isMissing(in: self)
  }

  /// The default of an app without the method.
  public func mapTemplateDidCancelNavigation(_ mapTemplate: CPMapTemplate) { OptionalMethod.isMissing(in: self) }

  /// The default of an app without the method.
  public func mapTemplate(_ mapTemplate: CPMapTemplate, displayStyleFor maneuver: CPManeuver) -> CPManeuverDisplayStyle
  {
    OptionalMethod.isMissing(in: self)
    return .default
  }

  /// The default of an app without the method.
  @available(iOS 17.4, *)
  public func mapTemplateShouldProvideNavigationMetadata(_ mapTemplate: CPMapTemplate) -> Bool {
    OptionalMethod.isMissing(in: self)
    return false
  }

  /// The default of an app without the method.
  @available(iOS 26.4, *)
  public func mapTemplateShouldProvideRouteSharing(_ mapTemplate: CPMapTemplate) -> Bool {
    OptionalMethod.isMissing(in: self)
    return false
  }

  /// The default of an app without the method.
  @available(iOS 26.4, *)
  public func mapTemplate(_ mapTemplate: CPMapTemplate, didReceiveUpdatedRouteSource routeSource: CPRouteSource) {
    OptionalMethod.isMissing(in: self)
  }

  /// The default of an app without the method.
  @available(iOS 26.4, *)
  public func mapTemplate(_ mapTemplate: CPMapTemplate, didReceiveRequestForDestination waypoint: CPNavigationWaypoint)
  {
    OptionalMethod.isMissing(in: self)
  }

  /// The default of an app without the method.
  @available(iOS 26.4, *)
  public func mapTemplate(
    _ mapTemplate: CPMapTemplate, didRequestToInsert waypoint: CPNavigationWaypoint, into segment: CPRouteSegment,
    completion: @escaping (CPTravelEstimates) -> Void
  ) { OptionalMethod.isMissing(in: self) }

  /// The default of an app without the method.
  @available(iOS 26.4, *)
  public func mapTemplate(
    _ mapTemplate: CPMapTemplate, waypoint: CPNavigationWaypoint, accepted: Bool, forSegment segment: CPRouteSegment?
  ) {
    OptionalMethod.isMissing(in: self)
  }

  /// The default of an app without the method.
  @available(iOS 26.4, *)
  public func mapTemplate(_ mapTemplate: CPMapTemplate, willShareDestinationFor trip: CPTrip) {
    OptionalMethod.isMissing(in: self)
  }

  /// The default of an app without the method.
  @available(iOS 26.4, *)
  public func mapTemplate(_ mapTemplate: CPMapTemplate, didShareDestinationFor trip: CPTrip) {
    OptionalMethod.isMissing(in: self)
  }

  /// The default of an app without the method.
  @available(iOS 26.4, *)
  public func mapTemplate(_ mapTemplate: CPMapTemplate, didFailToShareDestinationFor trip: CPTrip, error: any Error) {
    OptionalMethod.isMissing(in: self)
  }
}
