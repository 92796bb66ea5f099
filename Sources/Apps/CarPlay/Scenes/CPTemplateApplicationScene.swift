// swift-iap2 · Apache-2.0

import PortingSupport
public import UIKit

/// The scene of an app in the car. It comes from the system and is dead after the disconnect.
///
/// `UIScene.delegate` is the app's ``CPTemplateApplicationSceneDelegate``.
@available(iOS 13.0, *)
@preconcurrency @MainActor
open class CPTemplateApplicationScene: UIScene {
  /// The controller of the app's templates.
  public let interfaceController: CPInterfaceController

  /// The window below the templates. Only navigation apps draw in it.
  public let carWindow: CPWindow

  /// The style of the app's own content, such as a map.
  @available(iOS 15.4, *)
  public package(set) var contentStyle: UIUserInterfaceStyle

  /// Creates the scene of a connection.
  package init(
    session: UISceneSession, connectionOptions: UIScene.ConnectionOptions, interfaceController: CPInterfaceController,
    carWindow: CPWindow, contentStyle: UIUserInterfaceStyle
  ) {
    self.interfaceController = interfaceController
    self.carWindow = carWindow
    self.contentStyle = contentStyle
    super.init(session: session, connectionOptions: connectionOptions)
    carWindow.templateApplicationScene = self
  }
}

/// The window of an app in the car.
@preconcurrency @MainActor
open class CPWindow: UIWindow {
  /// The area that the map buttons do not cover. The host moves it.
  public let mapButtonSafeAreaLayoutGuide = UILayoutGuide()

  /// The scene of the window; nil in an app without scenes.
  @available(iOS 13.0, *)
  public weak var templateApplicationScene: CPTemplateApplicationScene?

  /// A car's window belongs to ``templateApplicationScene``.
  @available(*, unavailable, message: "use templateApplicationScene")
  open override var windowScene: UIWindowScene? {
    get { nil }
    set {}
  }
}

/// The delegate of an app's scene in the car. All methods are optional; an app needs one of the methods that connect.
@available(iOS 13.0, *)
@preconcurrency @MainActor
public protocol CPTemplateApplicationSceneDelegate: UISceneDelegate {
  /// Reports to a navigation app that a car is connected. The app sets a root template and the window's controller.
  func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene, didConnect interfaceController: CPInterfaceController,
    to window: CPWindow)
  /// Reports to a navigation app that the car is disconnected.
  func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene, didDisconnect interfaceController: CPInterfaceController,
    from window: CPWindow)
  /// Reports to an app of another category that a car is connected. The app sets a root template.
  @available(iOS 14.0, *)
  func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene, didConnect interfaceController: CPInterfaceController)
  /// Reports to an app of another category that the car is disconnected.
  @available(iOS 14.0, *)
  func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene,
    didDisconnectInterfaceController interfaceController: CPInterfaceController)
  /// Reports that the banner of a navigation alert was tapped.
  func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene, didSelect navigationAlert: CPNavigationAlert)
  /// Reports that the banner of a maneuver was tapped.
  func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene, didSelect maneuver: CPManeuver)
  /// Reports a change of ``CPTemplateApplicationScene/contentStyle``.
  @available(iOS 15.4, *)
  func contentStyleDidChange(_ contentStyle: UIUserInterfaceStyle)
}

@available(iOS 13.0, *)
extension CPTemplateApplicationSceneDelegate {
  /// Does nothing.
  public func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene, didConnect interfaceController: CPInterfaceController,
    to window: CPWindow
  ) { OptionalMethod.isMissing(in: self) }
  /// Does nothing.
  public func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene, didDisconnect interfaceController: CPInterfaceController,
    from window: CPWindow
  ) { OptionalMethod.isMissing(in: self) }
  /// Does nothing.
  @available(iOS 14.0, *)
  public func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene, didConnect interfaceController: CPInterfaceController
  ) { OptionalMethod.isMissing(in: self) }
  /// Does nothing.
  @available(iOS 14.0, *)
  public func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene,
    didDisconnectInterfaceController interfaceController: CPInterfaceController
  ) { OptionalMethod.isMissing(in: self) }
  /// Does nothing.
  public func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene, didSelect navigationAlert: CPNavigationAlert
  ) { OptionalMethod.isMissing(in: self) }
  /// Does nothing.
  public func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene, didSelect maneuver: CPManeuver
  ) { OptionalMethod.isMissing(in: self) }
  /// Does nothing.
  @available(iOS 15.4, *)
  public func contentStyleDidChange(_ contentStyle: UIUserInterfaceStyle) { OptionalMethod.isMissing(in: self) }
}
