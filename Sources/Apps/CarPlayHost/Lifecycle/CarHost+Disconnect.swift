// swift-iap2 · Apache-2.0

import Basics
import CarPlay
import CarPlayPlatform
import UIKit

extension CarHost {
  /// Disconnects phone and car.
  ///
  /// - Parameters:
  ///   - noticed: Whether the phone notices. Without it, or by ``CarFaults/loseDisconnect``, the app is not told.
  ///   - powerNoticed: Whether the battery state follows, as it does with a cable that is pulled.
  package func unplug(noticed: Bool = true, powerNoticed: Bool = true) {
    guard isConnected else { return }
    isConnected = false
    note(.car, "unplug", noticed ? "" : "without notice")
    leaveScreen()
    let isLost = generator.chance(faults.loseDisconnect)
    if changeLink(isPlugged: false, noticed: noticed && !isLost) { return }
    if settings.link == .wired, powerNoticed { UIDevice.current.setBattery(state: .unplugged) }
    guard app != nil else { return }
    guard noticed, !isLost else { return note(.car, "disconnect lost", "the app is not told") }
    if withholdDisconnect() { return }
    disconnectDue = events.after(settings.behavior.disconnectDelay, .effect) { [weak self] in self?.disconnect() }
  }

  /// The car shows nothing of the phone any more.
  func leaveScreen() {
    app?.reopens = front == .app
    front = .off
    banner = nil
    showsNowPlaying = false
    showsSiri = false
  }

  /// Keeps the end of the connection from the app until the next connect, by the fault `overlapReconnect`. Returns
  /// whether it does.
  func withholdDisconnect() -> Bool {
    guard faults.overlapReconnect, let connection = app?.car else { return false }
    disconnectDashboard()
    disconnectCluster()
    withheld = connection
    note(.car, "disconnect late", "the app is told after the next connect")
    return true
  }

  /// Tells the app that the car went away, as the phone believes.
  package func disconnect() {
    disconnectDue = nil
    if let withheld, withheld !== app?.car { tellDisconnect(withheld) }
    withheld = nil
    guard let app else { return }
    disconnectDashboard()
    disconnectCluster()
    endContent()
    if let connection = app.car { tellDisconnect(connection) }
    updateMakerScreen()
    tellPhone()
  }

  /// Ends a connection: resign active, background, disconnect.
  func tellDisconnect(_ connection: CarConnection) {
    guard let app else { return }
    if faults.killOnModalDisconnect, connection.stack.presented != nil {
      report(
        CarDiagnostic(
          .modal, what: "the car was disconnected while a template was presented", carShows: "the app is killed",
          remedy: "dismiss what is presented when the battery state changes; keep the state so that a kill is survived")
      )
      return end(.killed(signal: 9, reason: "disconnected while a template was presented"))
    }
    if connection.isForeground { leaveForeground(connection) }
    guard self.app === app else { return }
    tellDidDisconnect(connection, app)
    abandonChanges(of: connection)
    forgetAlerts(of: connection)
    guard self.app === app else { return }
    if app.car === connection { app.car = nil }
    if let scene = connection.scene {
      scene.activationState = .unattached
      tell(connection.delegate, Self.sceneDelegate, "sceneDidDisconnect(_:)") { $0.sceneDidDisconnect(scene) }
      app.application.connectedScenes.remove(scene)
    }
    connection.window.isHidden = true
    updateApplicationState()
    if app.car == nil { sessions = [] }
  }

  private func tellDidDisconnect(_ connection: CarConnection, _ app: RunningApp) {
    guard let scene = connection.scene else {
      tell(
        app.delegate as? any CPApplicationDelegate, Self.appDelegate,
        "application(_:didDisconnectCarInterfaceController:from:)"
      ) {
        $0.application(
          app.application, didDisconnectCarInterfaceController: connection.controller, from: connection.window)
      }
      return
    }
    let delegate = connection.delegate as? any CPTemplateApplicationSceneDelegate
    let isImplemented =
      connection.usesWindow
      ? tell(delegate, Self.sceneDelegate, "templateApplicationScene(_:didDisconnect:from:)") {
        $0.templateApplicationScene(scene, didDisconnect: connection.controller, from: connection.window)
      }
      : tell(delegate, Self.sceneDelegate, "templateApplicationScene(_:didDisconnectInterfaceController:)") {
        $0.templateApplicationScene(scene, didDisconnectInterfaceController: connection.controller)
      }
    guard !isImplemented, self.app === app else { return }
    report(
      CarDiagnostic(
        .setup, what: "the scene delegate has no matching form of didDisconnect",
        carShows: "nothing; the app does not learn that the car went away",
        remedy: connection.usesWindow
          ? "implement templateApplicationScene(_:didDisconnect:from:)"
          : "implement templateApplicationScene(_:didDisconnectInterfaceController:); the name differs from didConnect")
    )
  }

  /// Connects again: the app that was in front opens again, with new objects.
  package func replug() {
    guard !isConnected else { return }
    plugIn()
    if !hasLink { reopen() }
  }

  /// Opens the app again that was in front when the car went away. An app that is not opened learns now of the
  /// disconnect that the fault `overlapReconnect` withheld.
  func reopen() {
    guard front == .home, let app, app.reopens else { return deliverWithheldDisconnect() }
    open()
  }

  /// Ends what is left of a former connection before a new one begins. A disconnect whose notice was lost ends without
  /// a call: the phone drops the old scenes.
  func endFormerConnection() {
    if let due = disconnectDue {
      events.cancel(due)
      disconnect()
    }
    guard let app else { return }
    if let connection = app.car { forgetAlerts(of: connection) }
    guard withheld == nil else {
      app.car = nil
      return
    }
    guard believesInConnection(app) else { return }
    note(.car, "old scenes dropped", "their disconnect was lost")
    app.car?.isForeground = false
    for scene in [app.car?.scene, app.dashboard, app.cluster] as [UIScene?] {
      guard let scene else { continue }
      scene.activationState = .unattached
      app.application.connectedScenes.remove(scene)
    }
    app.car = nil
    app.dashboard = nil
    app.cluster = nil
    content?.stop()
    content = nil
  }

  /// Tells about a disconnect that the fault `overlapReconnect` withheld, after the new connection.
  func deliverWithheldDisconnect() {
    guard let connection = withheld else { return }
    withheld = nil
    tellDisconnect(connection)
  }

  /// Whether the car has gone away and the app was not told.
  package var hasGhostConnection: Bool { !isConnected && app.map(believesInConnection) == true }

  /// Whether the app has a screen on the car, in front or not.
  var hasAppConnection: Bool { app?.car != nil || content != nil || app != nil && makerScreen != nil }

  private func believesInConnection(_ app: RunningApp) -> Bool {
    hasAppConnection || app.dashboard != nil || app.cluster != nil
  }

  // MARK: Front and back

  func leaveForeground(_ connection: CarConnection) {
    connection.isForeground = false
    guard let scene = connection.scene else { return updateApplicationState() }
    scene.activationState = .foregroundInactive
    tell(connection.delegate, Self.sceneDelegate, "sceneWillResignActive(_:)") { $0.sceneWillResignActive(scene) }
    scene.activationState = .background
    updateApplicationState()
    tell(connection.delegate, Self.sceneDelegate, "sceneDidEnterBackground(_:)") { $0.sceneDidEnterBackground(scene) }
  }

  /// Brings the app to the car's front, or sends it to the back. Its stack is kept.
  package func setForeground(_ isInFront: Bool, other: Front = .home) {
    guard isConnected, front != .off else { return }
    showsSiri = false
    showsNowPlaying = false
    let connection = app?.car
    guard isInFront else {
      front = other
      note(.car, other == .home ? "home" : "other app")
      if let connection, connection.isForeground { leaveForeground(connection) }
      return
    }
    guard hasAppConnection else { return note(.car, "no app to bring back") }
    front = .app
    banner = nil
    guard let connection, !connection.isForeground else { return }
    connection.isForeground = true
    guard let scene = connection.scene else { return updateApplicationState() }
    scene.activationState = .foregroundInactive
    tell(connection.delegate, Self.sceneDelegate, "sceneWillEnterForeground(_:)") { $0.sceneWillEnterForeground(scene) }
    scene.activationState = .foregroundActive
    updateApplicationState()
    tell(connection.delegate, Self.sceneDelegate, "sceneDidBecomeActive(_:)") { $0.sceneDidBecomeActive(scene) }
  }
}
