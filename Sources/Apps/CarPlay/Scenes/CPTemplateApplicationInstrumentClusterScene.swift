// swift-iap2 · Apache-2.0

import Foundation
import PortingSupport
public import UIKit

/// The scene of a navigation app in the car's instrument cluster.
///
/// `UIScene.delegate` is the app's ``CPTemplateApplicationInstrumentClusterSceneDelegate``.
@available(iOS 15.4, *)
@preconcurrency @MainActor
open class CPTemplateApplicationInstrumentClusterScene: UIScene {
  /// The controller of the cluster.
  public let instrumentClusterController: CPInstrumentClusterController

  /// The style of the map.
  public package(set) var contentStyle: UIUserInterfaceStyle

  /// Creates the scene of a connection.
  package init(
    session: UISceneSession, connectionOptions: UIScene.ConnectionOptions,
    instrumentClusterController: CPInstrumentClusterController, contentStyle: UIUserInterfaceStyle
  ) {
    self.instrumentClusterController = instrumentClusterController
    self.contentStyle = contentStyle
    super.init(session: session, connectionOptions: connectionOptions)
  }
}

/// The delegate of a scene in the instrument cluster. All methods are optional.
@available(iOS 15.4, *)
@preconcurrency @MainActor
public protocol CPTemplateApplicationInstrumentClusterSceneDelegate: UISceneDelegate {
  /// Reports that the cluster is connected. Its window comes later, to the controller's delegate.
  func templateApplicationInstrumentClusterScene(
    _ templateApplicationInstrumentClusterScene: CPTemplateApplicationInstrumentClusterScene,
    didConnect instrumentClusterController: CPInstrumentClusterController)
  /// Reports that the cluster is disconnected.
  func templateApplicationInstrumentClusterScene(
    _ templateApplicationInstrumentClusterScene: CPTemplateApplicationInstrumentClusterScene,
    didDisconnectInstrumentClusterController instrumentClusterController: CPInstrumentClusterController)
  /// Reports a change of ``CPTemplateApplicationInstrumentClusterScene/contentStyle``.
  func contentStyleDidChange(_ contentStyle: UIUserInterfaceStyle)
}

@available(iOS 15.4, *)
extension CPTemplateApplicationInstrumentClusterSceneDelegate {
  /// Does nothing.
  public func templateApplicationInstrumentClusterScene(
    _ templateApplicationInstrumentClusterScene: CPTemplateApplicationInstrumentClusterScene,
    didConnect instrumentClusterController: CPInstrumentClusterController
  ) { OptionalMethod.isMissing(in: self) }
  /// Does nothing.
  public func templateApplicationInstrumentClusterScene(
    _ templateApplicationInstrumentClusterScene: CPTemplateApplicationInstrumentClusterScene,
    didDisconnectInstrumentClusterController instrumentClusterController: CPInstrumentClusterController
  ) { OptionalMethod.isMissing(in: self) }
  /// Does nothing.
  public func contentStyleDidChange(_ contentStyle: UIUserInterfaceStyle) { OptionalMethod.isMissing(in: self) }
}

// Without this default, a class that is the delegate of both kinds of scene has two defaults to choose from.
@available(iOS 15.4, *)
extension CPTemplateApplicationInstrumentClusterSceneDelegate where Self: CPTemplateApplicationSceneDelegate {
  /// Does nothing.
  public func contentStyleDidChange(_ contentStyle: UIUserInterfaceStyle) { OptionalMethod.isMissing(in: self) }
}
