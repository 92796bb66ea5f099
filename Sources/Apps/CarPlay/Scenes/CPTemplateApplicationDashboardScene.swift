// swift-iap2 · Apache-2.0

public import Foundation
import PortingSupport
public import UIKit

/// The scene of a navigation app on the car's dashboard.
///
/// `UIScene.delegate` is the app's ``CPTemplateApplicationDashboardSceneDelegate``.
@available(iOS 13.4, *)
@preconcurrency @MainActor
open class CPTemplateApplicationDashboardScene: UIScene {
  /// The controller of the dashboard's buttons.
  public let dashboardController: CPDashboardController

  /// The window of the map.
  public let dashboardWindow: UIWindow

  /// Creates the scene of a connection.
  package init(
    session: UISceneSession, connectionOptions: UIScene.ConnectionOptions, dashboardController: CPDashboardController,
    dashboardWindow: UIWindow
  ) {
    self.dashboardController = dashboardController
    self.dashboardWindow = dashboardWindow
    super.init(session: session, connectionOptions: connectionOptions)
  }
}

/// The delegate of a scene on the dashboard. All methods are optional.
@available(iOS 13.4, *)
@preconcurrency @MainActor
public protocol CPTemplateApplicationDashboardSceneDelegate: UISceneDelegate {
  /// Reports that the dashboard is connected. The app sets the window's controller.
  func templateApplicationDashboardScene(
    _ templateApplicationDashboardScene: CPTemplateApplicationDashboardScene,
    didConnect dashboardController: CPDashboardController, to window: UIWindow)
  /// Reports that the dashboard is disconnected.
  func templateApplicationDashboardScene(
    _ templateApplicationDashboardScene: CPTemplateApplicationDashboardScene,
    didDisconnect dashboardController: CPDashboardController, from window: UIWindow)
}

@available(iOS 13.4, *)
extension CPTemplateApplicationDashboardSceneDelegate {
  /// Does nothing.
  public func templateApplicationDashboardScene(
    _ templateApplicationDashboardScene: CPTemplateApplicationDashboardScene,
    didConnect dashboardController: CPDashboardController, to window: UIWindow
  ) { OptionalMethod.isMissing(in: self) }
  /// Does nothing.
  public func templateApplicationDashboardScene(
    _ templateApplicationDashboardScene: CPTemplateApplicationDashboardScene,
    didDisconnect dashboardController: CPDashboardController, from window: UIWindow
  ) { OptionalMethod.isMissing(in: self) }
}

/// The controller of a dashboard's buttons.
@available(iOS 13.4, *)
@preconcurrency @MainActor
open class CPDashboardController: NSObject {
  /// The buttons that the dashboard shows while no route is active. It shows the first two.
  public var shortcutButtons: [CPDashboardButton] = [] { didSet { noteChange() } }

  /// Creates the controller of a connection.
  package override init() { super.init() }
}

/// A button on the dashboard. It is drawn with an image and a title that is not empty.
@available(iOS 13.4, *)
@preconcurrency @MainActor
open class CPDashboardButton: NSObject {
  /// The titles, the longest first.
  public let titleVariants: [String]
  /// The subtitles, the longest first.
  public let subtitleVariants: [String]
  /// The image of 30×30 points.
  public let image: UIImage
  /// Runs when the button is pressed.
  package let handler: ((CPDashboardButton) -> Void)?

  /// Creates a button.
  public init(
    titleVariants: [String], subtitleVariants: [String], image: UIImage, handler: ((CPDashboardButton) -> Void)?
  ) {
    self.titleVariants = titleVariants
    self.subtitleVariants = subtitleVariants
    self.image = image
    self.handler = handler
    super.init()
  }
}
