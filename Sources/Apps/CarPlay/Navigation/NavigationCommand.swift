// swift-iap2 · Apache-2.0

/// A request of a map template, of its navigation session or of a voice control template.
@MainActor
package enum NavigationCommand {
  /// The app shows previews: ``CPMapTemplate/tripPreviews``. The host reports the selected trip and route.
  case showTripPreviews(CPMapTemplate)
  /// The app hides the previews.
  case hideTripPreviews(CPMapTemplate)
  /// The app set the estimates of a trip: ``CPTrip/estimates``.
  case updateTripEstimates(CPTrip, CPMapTemplate)
  /// A session started. An earlier session of the template may still be active.
  case startNavigation(CPNavigationSession, CPMapTemplate)
  /// The app set the estimates of a maneuver: ``CPManeuver/travelEstimates``.
  case updateManeuverEstimates(CPManeuver, CPNavigationSession)
  /// The session was finished or cancelled: ``CPNavigationSession/state``.
  case endNavigation(CPNavigationSession)
  /// The host shows the panning interface and sets ``CPMapTemplate/isPanningInterfaceVisible``.
  case showPanningInterface(CPMapTemplate, animated: Bool)
  /// The host hides the panning interface.
  case dismissPanningInterface(CPMapTemplate, animated: Bool)
  /// The host shows an alert and sets ``CPMapTemplate/currentNavigationAlert``.
  case presentNavigationAlert(CPNavigationAlert, CPMapTemplate, animated: Bool)
  /// The host hides the alert and calls `completion` with whether there was one.
  case dismissNavigationAlert(CPMapTemplate, animated: Bool, completion: (Bool) -> Void)
  /// The host shows a state and sets ``CPVoiceControlTemplate/activeStateIdentifier``.
  case activateVoiceState(CPVoiceControlTemplate, identifier: String)
}
