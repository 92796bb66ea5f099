// swift-iap2 · Apache-2.0

import PortingSupport
public import UIKit

/// The delegate of an app without scenes, as navigation apps of iOS 12 have it.
@available(iOS, introduced: 12.0, deprecated: 13.0)
@preconcurrency @MainActor
public protocol CPApplicationDelegate: UIApplicationDelegate {
  /// Reports that a car is connected. The app sets a root template and a view controller of the window.
  func application(
    _ application: UIApplication, didConnectCarInterfaceController interfaceController: CPInterfaceController,
    to window: CPWindow)
  /// Reports that the car is disconnected.
  func application(
    _ application: UIApplication, didDisconnectCarInterfaceController interfaceController: CPInterfaceController,
    from window: CPWindow)
  /// Reports that the banner of a navigation alert was tapped. Optional.
  func application(_ application: UIApplication, didSelect navigationAlert: CPNavigationAlert)
  /// Reports that the banner of a maneuver was tapped. Optional.
  func application(_ application: UIApplication, didSelect maneuver: CPManeuver)
}

@available(iOS, introduced: 12.0, deprecated: 13.0)
extension CPApplicationDelegate {
  /// Does nothing.
  public func application(_ application: UIApplication, didSelect navigationAlert: CPNavigationAlert) {
    OptionalMethod.isMissing(in: self)
  }
  /// Does nothing.
  public func application(_ application: UIApplication, didSelect maneuver: CPManeuver) {
    OptionalMethod.isMissing(in: self)
  }
}
