// swift-iap2 · Apache-2.0

import Basics
import CarPlay
import CarPlayPlatform
import UIKit

extension CarHost {
  /// Disconnects phone and car.
  ///
  /// - Parameters:
  ///   - noticed: Whether the phone is notified. Without it, or by ``CarFaults/loseDisconnect``, the app gets no call.
  ///   - powerNoticed: Whether the battery state follows, as it does after a cable is pulled.
  package func unplug(noticed: Bool = true, powerNoticed: Bool = true) {
    guard isConnected else { return }
    isConnected = false
    note(.car, "unplug", noticed ? "" : "without notice")
    leaveScreen()
    let isLost = generator.chance(faults.loseDisconnect)
    if changeLink(isPlugged: false, noticed: noticed && !isLost) { return }
    if settings.link == .wired, powerNoticed { UIDevice.current.setBattery(state: .unplugged) }
    guard app != nil else { return }
    guard noticed, !isLost else { return note(.car, "disconnect lost", "the app gets no didDisconnect") }
    if withholdDisconnect() { return }
    disconnectDue = events.after(settings.behavior.disconnectDelay, .effect) { [weak self] in self?.disconnect() }
  }

  /// Removes the phone's content from the car's screen.
  func leaveScreen() {
    app?.reopens = front == .app
    front = .off
    banner = nil
    showsNowPlaying = false
    showsSiri = false
  }

  /// Withholds the end of the connection from the app until the next connect, if the fault `overlapReconnect` is on.
  /// Returns whether it does.
  func withholdDisconnect() -> Bool {
    guard faults.overlapReconnect, let connection = app?.car else { return false }
    disconnectDashboard()
    disconnectCluster()
    withheld = connection
    note(.car, "disconnect late", "didDisconnect comes after the next connect")
    return true
  }

  /// Notifies the app of the disconnect, when the phone has detected it.
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
      callDelegate(connection.delegate, Self.sceneDelegate, "sceneDidDisconnect(_:)") { $0.sceneDidDisconnect(scene) }
      app.application.connectedScenes.remove(scene)
    }
    connection.window.isHidden = true
    updateApplicationState()
    if app.car == nil { sessions = [] }
  }

  private func tellDidDisconnect(_ connection: CarConnection, _ app: RunningApp) {
    guard let scene = connection.scene else {
      callDelegate(
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
      ? callDelegate(delegate, Self.sceneDelegate, "templateApplicationScene(_:didDisconnect:from:)") {
        $0.templateApplicationScene(scene, didDisconnect: connection.controller, from: connection.window)
      }
      : callDelegate(delegate, Self.sceneDelegate, "templateApplicationScene(_:didDisconnectInterfaceController:)") {
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

  /// Connects again. The app that was in front opens again, with new objects.
  package func replug() {
    guard !isConnected else { return }
    plugIn()
    if !hasLink { reopen() }
  }

  /// Opens the app again that was in front at the disconnect. An app that is not opened is now notified of the
  /// disconnect that the fault `overlapReconnect` withheld.
  func reopen() {
    guard front == .home, let app, app.reopens else { return deliverWithheldDisconnect() }
    open()
  }

  /// Ends the remains of a former connection before a new one begins. A disconnect whose notification was lost ends
  /// without a call: the phone drops the old scenes.
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

  /// Notifies the app of a disconnect that the fault `overlapReconnect` withheld, after the new connection.
  func deliverWithheldDisconnect() {
    guard let connection = withheld else { return }
    withheld = nil
    tellDisconnect(connection)
  }

  /// Whether the car is disconnected and the app still has the connection.
  package var hasGhostConnection: Bool { !isConnected && app.map(believesInConnection) == true }

  /// Whether the app has a screen in the car, in front or not.
  var hasAppConnection: Bool { app?.car != nil || content != nil || app != nil && makerScreen != nil }

  private func believesInConnection(_ app: RunningApp) -> Bool {
    hasAppConnection || app.dashboard != nil || app.cluster != nil
  }

  // MARK: Front and back

  func leaveForeground(_ connection: CarConnection) {
    connection.isForeground = false
    guard let scene = connection.scene else { return updateApplicationState() }
    scene.activationState = .foregroundInactive
    callDelegate(connection.delegate, Self.sceneDelegate, "sceneWillResignActive(_:)") {
      $0.sceneWillResignActive(scene)
    }
    scene.activationState = .background
    updateApplicationState()
    callDelegate(connection.delegate, Self.sceneDelegate, "sceneDidEnterBackground(_:)") {
      $0.sceneDidEnterBackground(scene)
    }
  }

  /// Brings the app to the car's front, or sends it to the back. The app keeps its stack.
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
    callDelegate(connection.delegate, Self.sceneDelegate, "sceneWillEnterForeground(_:)") {
      $0.sceneWillEnterForeground(scene)
    }
    scene.activationState = .foregroundActive
    updateApplicationState()
    callDelegate(connection.delegate, Self.sceneDelegate, "sceneDidBecomeActive(_:)") { $0.sceneDidBecomeActive(scene) }
  }
}
