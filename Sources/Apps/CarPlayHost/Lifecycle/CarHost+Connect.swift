// swift-iap2 · Apache-2.0

import Basics
import CarPlay
import CarPlayPlatform
import Foundation
import UIKit

extension CarHost {
  static let sceneDelegate = "scene delegate"

  /// Connects phone and car. The home screen appears, unless the phone is locked and must not be used. A phone on a
  /// transport connects without this call.
  package func plugIn() {
    guard !isConnected, transport == nil else { return }
    isConnected = true
    note(.car, "plug in", settings.link.rawValue)
    if changeLink(isPlugged: true, noticed: true) { return }
    endFormerConnection()
    if settings.link == .wired { UIDevice.current.setBattery(state: .charging) }
    enterHome()
  }

  /// Shows the home screen, unless the phone is locked and must not be used.
  func enterHome() {
    guard !phone.isLocked || settings.behavior.allowWhileLocked else {
      front = .off
      return note(.car, "no session", "the phone is locked and may not be used while locked")
    }
    front = .home
    updateMakerScreen()
  }

  /// Whether the home screen has the app's icon.
  package var listsApp: Bool {
    guard installed != nil else { return false }
    let rights = rights
    if isMakersApp { return sharesProtocol }
    if opensSiri { return true }
    return !rights.isEmpty || settings.behavior.listsWithoutEntitlement
  }

  /// Opens the app on the car's screen, as a tap on its icon does.
  package func open() {
    guard isConnected, front != .off, let installed else { return }
    note(.car, "open", installed.name)
    guard listsApp else { return checkSetup(installed) }
    if opensSiri { return openSiri() }
    // An app that has ended is started again, without a phone scene.
    if app == nil { start(installed, phoneScene: false) }
    guard let app else { return }
    guard hasAppConnection else { return connect(app) }
    setForeground(true)
  }

  /// Creates a connection of the app: a scene and new objects.
  func connect(_ running: RunningApp) {
    front = .app
    if isMakersApp { return }
    if rights.usesPlayableContent { return startContent() }
    let hasScene =
      running.description.carScene != nil
      || running.description.manifest.scenes[UISceneSession.Role.carTemplateApplication.rawValue] != nil
      || running.description.manifest.hasScenes
    if settings.iOSVersion >= IOSVersion(13), hasScene || !(running.delegate is any CPApplicationDelegate) {
      if running.delegate is any CPApplicationDelegate {
        report(
          CarDiagnostic(
            .setup, what: "the app delegate is a CPApplicationDelegate and the app has scenes",
            carShows: "only the scene delegate is called", remedy: "remove the old delegate, or support iOS 12 with it")
        )
      }
      return connectScene(running)
    }
    connectOldForm(running)
  }

  /// The traits of the car's screen.
  private func traits(isLate: Bool) -> UITraitCollection {
    UITraitCollection(
      style: interfaceStyle, displayScale: isLate ? 0 : CGFloat(settings.screen.scale), idiom: .carPlay)
  }

  var interfaceStyle: UIUserInterfaceStyle { settings.appearance == .dark ? .dark : .light }
  var mapStyle: UIUserInterfaceStyle { settings.contentStyle == .dark ? .dark : .light }

  private func makeWindow() -> CPWindow {
    let area = settings.screen.appArea
    let window = CPWindow(frame: CGRect(origin: .zero, size: area.size))
    window.screen = carScreen()
    window.hostTraits = traits(isLate: faults.lateTraits)
    window.addLayoutGuide(window.mapButtonSafeAreaLayoutGuide)
    return window
  }

  func carScreen() -> UIScreen {
    UIScreen(
      bounds: CGRect(origin: .zero, size: settings.screen.pointSize), scale: CGFloat(settings.screen.scale),
      style: interfaceStyle, idiom: .carPlay)
  }

  private func connectScene(_ running: RunningApp) {
    let role = UISceneSession.Role.carTemplateApplication
    guard let made = sceneDelegate(role, explicit: running.description.carScene, running, isRequired: true)
    else {
      front = .home
      return
    }
    let controller = CPInterfaceController(carTraitCollection: traits(isLate: faults.lateTraits))
    let style: UIUserInterfaceStyle = faults.lateContentStyle ? (mapStyle == .dark ? .light : .dark) : mapStyle
    let window = makeWindow()
    let scene = CPTemplateApplicationScene(
      session: made.session, connectionOptions: UIScene.ConnectionOptions(), interfaceController: controller,
      carWindow: window, contentStyle: style)
    scene.delegate = made.delegate
    delegateType = String(reflecting: Swift.type(of: made.delegate))
    let connection = CarConnection(scene: scene, controller: controller, window: window, delegate: made.delegate)
    running.car = connection
    running.application.connectedScenes.insert(scene)
    callDelegate(made.delegate, Self.sceneDelegate, "scene(_:willConnectTo:options:)") {
      $0.scene(scene, willConnectTo: made.session, options: UIScene.ConnectionOptions())
    }
    if settings.behavior.foregroundBeforeConnect { enterForeground(connection, scene) }
    guard app === running, tellConnect(connection, scene, made.delegate) else { return }
    if !settings.behavior.foregroundBeforeConnect { enterForeground(connection, scene) }
    becomeActive(connection, scene)
    if settings.behavior.phoneToBackgroundOnConnect { setPhoneScene(foreground: false) }
    finishConnect(connection)
  }

  /// Calls the matching form of `didConnect`. Returns whether the app implements one.
  private func tellConnect(
    _ connection: CarConnection, _ scene: CPTemplateApplicationScene, _ delegate: any UISceneDelegate
  ) -> Bool {
    guard let delegate = delegate as? any CPTemplateApplicationSceneDelegate else {
      raise(.noLifecycleMethods)
      return false
    }
    connection.window.isHidden = false
    let isNavigation = rights.categories.contains(.navigation)
    let wantsWindow = isNavigation || rights.categories.isEmpty || settings.iOSVersion < IOSVersion(14)
    if wantsWindow {
      let isImplemented = callDelegate(delegate, Self.sceneDelegate, "templateApplicationScene(_:didConnect:to:)") {
        $0.templateApplicationScene(scene, didConnect: connection.controller, to: connection.window)
      }
      if isImplemented {
        connection.usesWindow = true
        return app?.car === connection
      }
    }
    guard app?.car === connection else { return false }
    let isImplemented = callDelegate(delegate, Self.sceneDelegate, "templateApplicationScene(_:didConnect:)") {
      $0.templateApplicationScene(scene, didConnect: connection.controller)
    }
    guard app?.car === connection else { return false }
    guard isImplemented else {
      report(
        CarDiagnostic(
          .setup,
          what: wantsWindow
            ? "the scene delegate has no form of didConnect"
            : "the scene delegate has no templateApplicationScene(_:didConnect:)",
          carShows: "an exception",
          remedy: "navigation apps implement templateApplicationScene(_:didConnect:to:), all others the form "
            + "without a window"))
      raise(.noLifecycleMethods)
      return false
    }
    if isNavigation {
      report(
        CarDiagnostic(
          .setup, what: "a navigation app connects without its window", carShows: "templates, and no map below them",
          remedy: "implement templateApplicationScene(_:didConnect:to:)"))
    }
    return true
  }

  private func enterForeground(_ connection: CarConnection, _ scene: CPTemplateApplicationScene) {
    guard app?.car === connection else { return }
    scene.activationState = .foregroundInactive
    callDelegate(connection.delegate, Self.sceneDelegate, "sceneWillEnterForeground(_:)") {
      $0.sceneWillEnterForeground(scene)
    }
  }

  private func becomeActive(_ connection: CarConnection, _ scene: CPTemplateApplicationScene) {
    guard app?.car === connection else { return }
    scene.activationState = .foregroundActive
    connection.isForeground = true
    connection.controller.carTraitCollection = traits(isLate: false)
    connection.window.hostTraits = traits(isLate: false)
    updateApplicationState()
    callDelegate(connection.delegate, Self.sceneDelegate, "sceneDidBecomeActive(_:)") { $0.sceneDidBecomeActive(scene) }
  }

  /// Connects on iOS 12, which calls the app delegate and has no scenes.
  private func connectOldForm(_ running: RunningApp) {
    guard let delegate = running.delegate as? any CPApplicationDelegate else {
      report(
        CarDiagnostic(
          .setup, what: "the app delegate is no CPApplicationDelegate, and iOS \(settings.iOSVersion) has no scenes",
          carShows: "the app's icon, and nothing when it is opened",
          remedy: "let the app delegate adopt CPApplicationDelegate for this version"))
      front = .home
      return
    }
    let connection = CarConnection(
      scene: nil, controller: CPInterfaceController(carTraitCollection: traits(isLate: false)), window: makeWindow(),
      delegate: nil)
    running.car = connection
    connection.usesWindow = true
    connection.window.isHidden = false
    connection.isForeground = true
    updateApplicationState()
    callDelegate(delegate, Self.appDelegate, "application(_:didConnectCarInterfaceController:to:)") {
      $0.application(
        running.application, didConnectCarInterfaceController: connection.controller, to: connection.window)
    }
    finishConnect(connection)
  }

  /// Applies the late corrections, faults and checks that follow a connect.
  private func finishConnect(_ connection: CarConnection) {
    guard app?.car === connection else { return }
    if faults.lateContentStyle {
      events.after(settings.behavior.ipcDelay, .effect) { [weak self] in self?.tellStyle() }
    }
    if generator.chance(faults.spontaneousCommands) { sendSpontaneousCommand() }
    layout()
    checks.append { [weak self] in self?.checkConnect(connection) }
    deliverWithheldDisconnect()
  }

  private func checkConnect(_ connection: CarConnection) {
    guard app?.car === connection else { return }
    if connection.stack.root == nil, !connection.stack.isChanging {
      events.after(settings.behavior.rootDelay, .timer) { [weak self] in
        guard let self, self.app?.car === connection, connection.stack.root == nil else { return }
        self.report(
          CarDiagnostic(
            .lifecycle, what: "no root template was set after didConnect", carShows: "an empty screen",
            remedy: "set a root template before didConnect returns, with a spinner if the content comes later"))
      }
    }
    if connection.usesWindow, rights.categories.contains(.navigation), connection.window.rootViewController == nil {
      report(
        CarDiagnostic(
          .lifecycle, what: "the window has no root view controller after didConnect",
          carShows: "a black map", remedy: "set window.rootViewController in didConnect"))
    }
  }
}
