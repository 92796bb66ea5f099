// swift-iap2 · Apache-2.0

import AVFoundation
import CallKit
import CarPlay
import CarPlayPlatform
import CoreLocation
import Foundation
import MediaPlayer
import PortingSupport
import UIKit
import UserNotifications

extension CarHost {
  /// Starts the app's process. The car's scene connects later, when the app is opened.
  ///
  /// - Parameter phoneScene: Whether the user opened the app on the phone, so that it has a phone scene. A start by the
  ///   car creates none.
  package func start(_ description: CarApp, phoneScene: Bool) {
    removeApp()
    installed = description
    end = nil
    takeTurn()
    CPNowPlayingTemplate.current = CPNowPlayingTemplate()
    MPNowPlayingInfoCenter.default().reset()
    MPRemoteCommandCenter.shared().reset()
    MPPlayableContentManager.shared().reset()
    CallSystem.shared.reset()
    LocationFeed.reset()
    AVAudioSession.sharedInstance().reset()
    PlaybackClock.shared.reset()
    Microphone.shared.reset()
    UNUserNotificationCenter.current().reset()
    nowPlaying = NowPlayingState()
    watchNowPlaying()
    watchCommands()
    watchCalls()
    watchLocations()
    watchSound()
    watchNotifications()
    watchImages()
    let application = UIApplication()
    UIApplication.shared = application
    let running = RunningApp(description, application: application)
    app = running
    note(.car, "launch", phoneScene ? "with a phone scene" : "without a phone scene")
    checkSetup(description)
    // A process has one phone. The screen of a former car is removed, without a notification.
    UIScreen.screens = [.main]
    updateMakerScreen(isLaunch: true)
    let delegate = description.appDelegate?() ?? registeredAppDelegate(description)
    running.delegate = delegate
    application.delegate = delegate
    application.applicationState = .inactive
    callDelegate(delegate, Self.appDelegate, "application(_:willFinishLaunchingWithOptions:)") {
      _ = $0.application(application, willFinishLaunchingWithOptions: nil)
    }
    callDelegate(delegate, Self.appDelegate, "application(_:didFinishLaunchingWithOptions:)") {
      _ = $0.application(application, didFinishLaunchingWithOptions: nil)
    }
    guard app === running else { return }
    application.applicationState = .background
    if phoneScene { connectPhoneScene(running) }
  }

  static let appDelegate = "app delegate"
  static let phoneDelegate = "phone scene's delegate"

  private func registeredAppDelegate(_ description: CarApp) -> (any UIApplicationDelegate)? {
    guard description.carScene == nil, let entry = SceneDelegateRegistry.applicationDelegate else { return nil }
    return entry.make() as? any UIApplicationDelegate
  }

  private func connectPhoneScene(_ running: RunningApp) {
    let role = UISceneSession.Role.windowApplication
    guard let made = sceneDelegate(role, explicit: running.description.phoneScene, running, isRequired: false)
    else { return activatePhoneApp(running) }
    let scene = UIWindowScene(session: made.session, connectionOptions: UIScene.ConnectionOptions())
    scene.delegate = made.delegate
    running.phoneScene = scene
    running.phoneDelegate = made.delegate
    running.application.connectedScenes.insert(scene)
    callDelegate(made.delegate, Self.phoneDelegate, "scene(_:willConnectTo:options:)") {
      $0.scene(scene, willConnectTo: made.session, options: UIScene.ConnectionOptions())
    }
    setPhoneScene(foreground: !phone.isLocked)
  }

  /// Sends the delegate calls of an app without scenes.
  private func activatePhoneApp(_ running: RunningApp) {
    running.application.applicationState = .active
    callDelegate(running.delegate, Self.appDelegate, "applicationDidBecomeActive(_:)") {
      $0.applicationDidBecomeActive(running.application)
    }
  }

  /// Moves the phone's scene to the front or the back.
  func setPhoneScene(foreground: Bool) {
    guard let app, let scene = app.phoneScene, let delegate = app.phoneDelegate else { return }
    let isForeground = scene.activationState == .foregroundActive
    guard isForeground != foreground else { return }
    if foreground {
      scene.activationState = .foregroundInactive
      callDelegate(delegate, Self.phoneDelegate, "sceneWillEnterForeground(_:)") { $0.sceneWillEnterForeground(scene) }
      scene.activationState = .foregroundActive
      callDelegate(delegate, Self.phoneDelegate, "sceneDidBecomeActive(_:)") { $0.sceneDidBecomeActive(scene) }
    } else {
      scene.activationState = .foregroundInactive
      callDelegate(delegate, Self.phoneDelegate, "sceneWillResignActive(_:)") { $0.sceneWillResignActive(scene) }
      scene.activationState = .background
      callDelegate(delegate, Self.phoneDelegate, "sceneDidEnterBackground(_:)") { $0.sceneDidEnterBackground(scene) }
    }
    updateApplicationState()
  }

  /// Updates the app's state from its scenes.
  func updateApplicationState() {
    guard let app else { return }
    let states = app.application.connectedScenes.map(\.activationState)
    let isOldCarInFront = app.car?.scene == nil && app.car?.isForeground == true
    if states.contains(.foregroundActive) || isOldCarInFront {
      app.application.applicationState = .active
    } else if states.contains(.foregroundInactive) {
      app.application.applicationState = .inactive
    } else {
      app.application.applicationState = .background
    }
  }

  // MARK: Delegates

  /// A delegate with the session of its scene.
  struct MadeDelegate {
    var delegate: any UISceneDelegate
    var session: UISceneSession
  }

  /// Returns the delegate of a role: from a closure, from the app delegate's configuration, or of the manifest's class.
  func sceneDelegate(
    _ role: UISceneSession.Role, explicit: (@MainActor () -> any UISceneDelegate)?, _ running: RunningApp,
    isRequired: Bool
  ) -> MadeDelegate? {
    let entry = running.description.manifest.scenes[role.rawValue]?.first
    let configuration = UISceneConfiguration(name: entry?.name, sessionRole: role)
    let session = UISceneSession(role: role, configuration: configuration)
    var chosen = configuration
    callDelegate(
      running.delegate, Self.appDelegate, "application(_:configurationForConnecting:options:)", role.rawValue
    ) {
      chosen = $0.application(
        running.application, configurationForConnecting: session, options: UIScene.ConnectionOptions())
    }
    session.configuration = chosen
    if let explicit { return MadeDelegate(delegate: explicit(), session: session) }
    let name = chosen.delegateClass.map { String(reflecting: $0) } ?? entry?.delegateClass
    guard let name else {
      if isRequired { reportMissingScene(role) }
      return nil
    }
    guard let delegate = delegate(named: name, role) else { return nil }
    return MadeDelegate(delegate: delegate, session: session)
  }

  private func delegate(named name: String, _ role: UISceneSession.Role) -> (any UISceneDelegate)? {
    switch SceneDelegateRegistry.find(name) {
    case .found(let entry):
      let object = entry.make()
      if let delegate = object as? any UISceneDelegate { return delegate }
      report(
        CarDiagnostic(
          .setup, what: "\(name) of \(role.rawValue) is not a scene delegate", carShows: "nothing of the app",
          remedy: "let the class adopt CPTemplateApplicationSceneDelegate"))
    case .unknown(let similar):
      let hint = similar.isEmpty ? "" : "; there is \(similar.joined(separator: ", "))"
      report(
        CarDiagnostic(
          .setup, what: "the class \(name) of \(role.rawValue) is not registered\(hint)",
          carShows: "nothing of the app",
          remedy: "correct UISceneDelegateClassName, or register the class in SceneDelegateRegistry"))
    case .ambiguous(let names):
      report(
        CarDiagnostic(
          .setup, what: "the class \(name) of \(role.rawValue) fits \(names.joined(separator: ", "))",
          carShows: "nothing of the app", remedy: "write the module's name into UISceneDelegateClassName"))
    }
    return nil
  }

  private func reportMissingScene(_ role: UISceneSession.Role) {
    report(
      CarDiagnostic(
        .setup, what: "no scene of the role \(role.rawValue)",
        carShows: "the app's icon, and nothing when it is opened",
        remedy: "add the role to UISceneConfigurations, or return a configuration in "
          + "application(_:configurationForConnecting:options:)"))
  }
}
