// swift-iap2 · Apache-2.0

// The defaults make the methods optional. Each notes that the app does not implement it.
extension CPMapTemplateDelegate {
  /// The default of an app without the method.
  public func mapTemplate(_ mapTemplate: CPMapTemplate, shouldShowNotificationFor maneuver: CPManeuver) -> Bool {
    CarPlayModule.unimplemented(of: self)
    return false
  }

  /// The default of an app without the method.
  public func mapTemplate(_ mapTemplate: CPMapTemplate, shouldShowNotificationFor navigationAlert: CPNavigationAlert)
    -> Bool
  {
    CarPlayModule.unimplemented(of: self)
    return false
  }

  /// The default of an app without the method.
  public func mapTemplate(
    _ mapTemplate: CPMapTemplate, shouldUpdateNotificationFor maneuver: CPManeuver,
    with travelEstimates: CPTravelEstimates
  ) -> Bool {
    CarPlayModule.unimplemented(of: self)
    return false
  }

  /// The default of an app without the method.
  public func mapTemplateDidShowPanningInterface(_ mapTemplate: CPMapTemplate) { CarPlayModule.unimplemented(of: self) }

  /// The default of an app without the method.
  public func mapTemplateWillDismissPanningInterface(_ mapTemplate: CPMapTemplate) {
    CarPlayModule.unimplemented(of: self)
  }

  /// The default of an app without the method.
  public func mapTemplateDidDismissPanningInterface(_ mapTemplate: CPMapTemplate) {
    CarPlayModule.unimplemented(of: self)
  }

  /// The default of an app without the method.
  public func mapTemplate(_ mapTemplate: CPMapTemplate, panBeganWith direction: CPMapTemplate.PanDirection) {
    CarPlayModule.unimplemented(of: self)
  }

  /// The default of an app without the method.
  public func mapTemplate(_ mapTemplate: CPMapTemplate, panEndedWith direction: CPMapTemplate.PanDirection) {
    CarPlayModule.unimplemented(of: self)
  }

  /// The default of an app without the method.
  public func mapTemplate(_ mapTemplate: CPMapTemplate, panWith direction: CPMapTemplate.PanDirection) {
    CarPlayModule.unimplemented(of: self)
  }

  /// The default of an app without the method.
  public func mapTemplateDidBeginPanGesture(_ mapTemplate: CPMapTemplate) { CarPlayModule.unimplemented(of: self) }

  /// The default of an app without the method.
  public func mapTemplate(
    _ mapTemplate: CPMapTemplate, didUpdatePanGestureWithTranslation translation: CGPoint, velocity: CGPoint
  ) {
    CarPlayModule.unimplemented(of: self)
  }

  /// The default of an app without the method.
  public func mapTemplate(_ mapTemplate: CPMapTemplate, didEndPanGestureWithVelocity velocity: CGPoint) {
    CarPlayModule.unimplemented(of: self)
  }

  /// The default of an app without the method.
  @available(iOS 26.0, *)
  public func mapTemplateDidBeginZoomGesture(_ mapTemplate: CPMapTemplate) { CarPlayModule.unimplemented(of: self) }

  /// The default of an app without the method.
  @available(iOS 26.0, *)
  public func mapTemplate(
    _ mapTemplate: CPMapTemplate, didUpdateZoomGestureWithCenter center: CGPoint, scale: CGFloat, velocity: CGFloat
  ) {
    CarPlayModule.unimplemented(of: self)
  }

  /// The default of an app without the method.
  @available(iOS 26.0, *)
  public func mapTemplate(_ mapTemplate: CPMapTemplate, didEndZoomGestureWithVelocity velocity: CGFloat) {
    CarPlayModule.unimplemented(of: self)
  }

  /// The default of an app without the method.
  @available(iOS 26.0, *)
  public func mapTemplateDidBeginRotationGesture(_ mapTemplate: CPMapTemplate) { CarPlayModule.unimplemented(of: self) }

  /// The default of an app without the method.
  @available(iOS 26.0, *)
  public func mapTemplate(
    _ mapTemplate: CPMapTemplate, didRotateWithCenter center: CGPoint, rotation: CGFloat, velocity: CGFloat
  ) {
    CarPlayModule.unimplemented(of: self)
  }

  /// The default of an app without the method.
  @available(iOS 26.0, *)
  public func mapTemplate(_ mapTemplate: CPMapTemplate, rotationDidEndWithVelocity velocity: CGFloat) {
    CarPlayModule.unimplemented(of: self)
  }

  /// The default of an app without the method.
  @available(iOS 26.0, *)
  public func mapTemplateDidBeginPitchGesture(_ mapTemplate: CPMapTemplate) { CarPlayModule.unimplemented(of: self) }

  /// The default of an app without the method.
  @available(iOS 26.0, *)
  public func mapTemplate(_ mapTemplate: CPMapTemplate, pitchWithCenter center: CGPoint) {
    CarPlayModule.unimplemented(of: self)
  }

  /// The default of an app without the method.
  @available(iOS 26.0, *)
  public func mapTemplate(_ mapTemplate: CPMapTemplate, pitchEndedWithCenter center: CGPoint) {
    CarPlayModule.unimplemented(of: self)
  }

  /// The default of an app without the method.
  public func mapTemplate(_ mapTemplate: CPMapTemplate, willShow navigationAlert: CPNavigationAlert) {
    CarPlayModule.unimplemented(of: self)
  }

  /// The default of an app without the method.
  public func mapTemplate(_ mapTemplate: CPMapTemplate, didShow navigationAlert: CPNavigationAlert) {
    CarPlayModule.unimplemented(of: self)
  }

  /// The default of an app without the method.
  public func mapTemplate(
    _ mapTemplate: CPMapTemplate, willDismiss navigationAlert: CPNavigationAlert,
    dismissalContext: CPNavigationAlert.DismissalContext
  ) { CarPlayModule.unimplemented(of: self) }

  /// The default of an app without the method.
  public func mapTemplate(
    _ mapTemplate: CPMapTemplate, didDismiss navigationAlert: CPNavigationAlert,
    dismissalContext: CPNavigationAlert.DismissalContext
  ) { CarPlayModule.unimplemented(of: self) }

  /// The default of an app without the method.
  public func mapTemplate(
    _ mapTemplate: CPMapTemplate, selectedPreviewFor trip: CPTrip, using routeChoice: CPRouteChoice
  ) {
    CarPlayModule.unimplemented(of: self)
  }

  /// The default of an app without the method.
  public func mapTemplate(_ mapTemplate: CPMapTemplate, startedTrip trip: CPTrip, using routeChoice: CPRouteChoice) {
    CarPlayModule.unimplemented(of: self)
  }

  /// The default of an app without the method.
  public func mapTemplateDidCancelNavigation(_ mapTemplate: CPMapTemplate) { CarPlayModule.unimplemented(of: self) }

  /// The default of an app without the method.
  public func mapTemplate(_ mapTemplate: CPMapTemplate, displayStyleFor maneuver: CPManeuver) -> CPManeuverDisplayStyle
  {
    CarPlayModule.unimplemented(of: self)
    return .default
  }

  /// The default of an app without the method.
  @available(iOS 17.4, *)
  public func mapTemplateShouldProvideNavigationMetadata(_ mapTemplate: CPMapTemplate) -> Bool {
    CarPlayModule.unimplemented(of: self)
    return false
  }

  /// The default of an app without the method.
  @available(iOS 26.4, *)
  public func mapTemplateShouldProvideRouteSharing(_ mapTemplate: CPMapTemplate) -> Bool {
    CarPlayModule.unimplemented(of: self)
    return false
  }

  /// The default of an app without the method.
  @available(iOS 26.4, *)
  public func mapTemplate(_ mapTemplate: CPMapTemplate, didReceiveUpdatedRouteSource routeSource: CPRouteSource) {
    CarPlayModule.unimplemented(of: self)
  }

  /// The default of an app without the method.
  @available(iOS 26.4, *)
  public func mapTemplate(_ mapTemplate: CPMapTemplate, didReceiveRequestForDestination waypoint: CPNavigationWaypoint)
  {
    CarPlayModule.unimplemented(of: self)
  }

  /// The default of an app without the method.
  @available(iOS 26.4, *)
  public func mapTemplate(
    _ mapTemplate: CPMapTemplate, didRequestToInsert waypoint: CPNavigationWaypoint, into segment: CPRouteSegment,
    completion: @escaping (CPTravelEstimates) -> Void
  ) { CarPlayModule.unimplemented(of: self) }

  /// The default of an app without the method.
  @available(iOS 26.4, *)
  public func mapTemplate(
    _ mapTemplate: CPMapTemplate, waypoint: CPNavigationWaypoint, accepted: Bool, forSegment segment: CPRouteSegment?
  ) {
    CarPlayModule.unimplemented(of: self)
  }

  /// The default of an app without the method.
  @available(iOS 26.4, *)
  public func mapTemplate(_ mapTemplate: CPMapTemplate, willShareDestinationFor trip: CPTrip) {
    CarPlayModule.unimplemented(of: self)
  }

  /// The default of an app without the method.
  @available(iOS 26.4, *)
  public func mapTemplate(_ mapTemplate: CPMapTemplate, didShareDestinationFor trip: CPTrip) {
    CarPlayModule.unimplemented(of: self)
  }

  /// The default of an app without the method.
  @available(iOS 26.4, *)
  public func mapTemplate(_ mapTemplate: CPMapTemplate, didFailToShareDestinationFor trip: CPTrip, error: any Error) {
    CarPlayModule.unimplemented(of: self)
  }
}
