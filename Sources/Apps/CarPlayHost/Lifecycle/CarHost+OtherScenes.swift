// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform
import Foundation
import UIKit

extension CarHost {
  static let dashboardDelegate = "dashboard scene's delegate"
  static let clusterDelegate = "cluster scene's delegate"

  /// Shows the car's dashboard with the app's dashboard scene. This may happen before the main scene connects.
  package func connectDashboard() {
    guard isConnected, let app, app.dashboard == nil, allows(.dashboard, app) else { return }
    guard
      let made = sceneDelegate(
        CPTemplateApplicationDashboardSceneSessionRoleApplication, explicit: app.description.dashboardScene, app,
        isRequired: true)
    else { return }
    let window = UIWindow(frame: CGRect(origin: .zero, size: dashboardSize))
    let scene = CPTemplateApplicationDashboardScene(
      session: made.session, connectionOptions: UIScene.ConnectionOptions(),
      dashboardController: CPDashboardController(), dashboardWindow: window)
    scene.delegate = made.delegate
    scene.activationState = .foregroundActive
    app.dashboard = scene
    app.application.connectedScenes.insert(scene)
    updateApplicationState()
    callDelegate(
      made.delegate as? any CPTemplateApplicationDashboardSceneDelegate, Self.dashboardDelegate,
      "templateApplicationDashboardScene(_:didConnect:to:)"
    ) { $0.templateApplicationDashboardScene(scene, didConnect: scene.dashboardController, to: window) }
  }

  /// Hides the dashboard. Has no effect without a connected car.
  package func hideDashboard() { if isConnected { disconnectDashboard() } }

  /// Hides the instrument cluster. Has no effect without a connected car.
  package func hideCluster() { if isConnected { disconnectCluster() } }

  /// Disconnects the dashboard's scene.
  func disconnectDashboard() {
    guard let app, let scene = app.dashboard else { return }
    callDelegate(
      scene.delegate as? any CPTemplateApplicationDashboardSceneDelegate, Self.dashboardDelegate,
      "templateApplicationDashboardScene(_:didDisconnect:from:)"
    ) {
      $0.templateApplicationDashboardScene(
        scene, didDisconnect: scene.dashboardController, from: scene.dashboardWindow)
    }
    scene.activationState = .unattached
    app.application.connectedScenes.remove(scene)
    app.dashboard = nil
    updateApplicationState()
  }

  /// Shows the app in the instrument cluster: the controller first, then its window.
  package func connectCluster() {
    guard isConnected, let app, app.cluster == nil, allows(.cluster, app) else { return }
    guard
      let made = sceneDelegate(
        CPTemplateApplicationInstrumentClusterSceneSessionRoleApplication, explicit: app.description.clusterScene, app,
        isRequired: true)
    else { return }
    let scene = CPTemplateApplicationInstrumentClusterScene(
      session: made.session, connectionOptions: UIScene.ConnectionOptions(),
      instrumentClusterController: CPInstrumentClusterController(), contentStyle: mapStyle)
    scene.delegate = made.delegate
    scene.activationState = .foregroundActive
    app.cluster = scene
    app.application.connectedScenes.insert(scene)
    let controller = scene.instrumentClusterController
    callDelegate(
      made.delegate as? any CPTemplateApplicationInstrumentClusterSceneDelegate, Self.clusterDelegate,
      "templateApplicationInstrumentClusterScene(_:didConnect:)"
    ) { $0.templateApplicationInstrumentClusterScene(scene, didConnect: controller) }
    events.after(settings.behavior.ipcDelay, .effect) { [weak self] in
      guard let self, self.app?.cluster === scene else { return }
      let window = UIWindow(frame: CGRect(origin: .zero, size: self.dashboardSize))
      controller.instrumentClusterWindow = window
      self.callDelegate(
        controller.delegate, "cluster controller's delegate", "instrumentClusterControllerDidConnect(_:)"
      ) {
        $0.instrumentClusterControllerDidConnect(window)
      }
    }
  }

  /// Disconnects the instrument cluster's scene.
  func disconnectCluster() {
    guard let app, let scene = app.cluster else { return }
    let controller = scene.instrumentClusterController
    if let window = controller.instrumentClusterWindow {
      callDelegate(
        controller.delegate, "cluster controller's delegate", "instrumentClusterControllerDidDisconnectWindow(_:)"
      ) { $0.instrumentClusterControllerDidDisconnectWindow(window) }
    }
    callDelegate(
      scene.delegate as? any CPTemplateApplicationInstrumentClusterSceneDelegate, Self.clusterDelegate,
      "templateApplicationInstrumentClusterScene(_:didDisconnectInstrumentClusterController:)"
    ) {
      $0.templateApplicationInstrumentClusterScene(scene, didDisconnectInstrumentClusterController: controller)
    }
    scene.activationState = .unattached
    app.application.connectedScenes.remove(scene)
    app.cluster = nil
  }

  private enum OtherScene { case dashboard, cluster }

  private func allows(_ scene: OtherScene, _ app: RunningApp) -> Bool {
    let isDashboard = scene == .dashboard
    let version = isDashboard ? IOSVersion(13, 4) : IOSVersion(15, 4)
    let isDeclared =
      isDashboard
      ? app.description.manifest.supportsDashboard || app.description.dashboardScene != nil
      : app.description.manifest.supportsCluster || app.description.clusterScene != nil
    guard rights.categories.contains(.navigation), settings.iOSVersion >= version, isDeclared else {
      report(
        CarDiagnostic(
          .setup, what: isDashboard ? "the app has no dashboard scene" : "the app has no instrument cluster scene",
          carShows: "nothing of the app there",
          remedy: "a navigation app sets "
            + (isDashboard
              ? "CPSupportsDashboardNavigationScene" : "CPSupportsInstrumentClusterNavigationScene")
            + " in its scene manifest, from iOS \(version)"))
      return false
    }
    return true
  }

  /// The size of small windows: a third of the screen (CarPlay/Behavior.md#look-dashboard). Ours.
  private var dashboardSize: CGSize {
    let size = settings.screen.pointSize
    return CGSize(width: size.width / 3, height: size.height)
  }
}
