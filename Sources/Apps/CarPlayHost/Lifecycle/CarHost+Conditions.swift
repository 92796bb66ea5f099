// swift-iap2 · Apache-2.0

import CarPlay
package import CarPlayPlatform
import Foundation
import UIKit

extension CarHost {
  /// Locks or unlocks the phone. The car stays connected; the phone's scene goes to the background.
  package func setLocked(_ isLocked: Bool) {
    guard phone.isLocked != isLocked else { return }
    phone.isLocked = isLocked
    note(.car, isLocked ? "lock phone" : "unlock phone")
    for problem in protectedFiles.set(isLocked: isLocked) { note(.note, "protected file", problem) }
    setPhoneScene(foreground: !isLocked)
    if isLocked, faults.dismissKeyboard, let connection = app?.car { connection.search.isKeyboardVisible = false }
    if !isLocked, isConnected, front == .off {
      front = .home
      updateMakerScreen()
    }
  }

  /// Opens or answers a permission question, which appears on the phone only (S0).
  package func setQuestion(_ isOpen: Bool) {
    guard phone.hasOpenQuestion != isOpen else { return }
    phone.hasOpenQuestion = isOpen
    note(.car, isOpen ? "question on the phone" : "question answered")
    guard isOpen else { return }
    let before = screen()
    checks.append { [weak self] in
      guard let self, self.phone.hasOpenQuestion, self.front == .app, self.screen() == before else { return }
      self.report(
        CarDiagnostic(
          .note, what: "the phone asks for a permission and the car's screen does not change",
          carShows: "no alert of the system; the driver does not know why nothing happens",
          remedy: "present a text that asks the driver to use the phone when it is safe"))
    }
  }

  /// Starts or stops driving. The car's limits apply while it moves.
  package func setDriving(_ driving: Bool) {
    guard isDriving != driving else { return }
    let before = session.limitedUserInterfaces
    isDriving = driving
    note(.car, driving ? "drive" : "park")
    let after = session.limitedUserInterfaces
    guard before != after else { return }
    if before.contains(.keyboard) != after.contains(.keyboard) {
      app?.car?.search.isKeyboardVisible = !after.contains(.keyboard)
    }
    for session in sessions.compactMap(\.object) {
      callDelegate(
        session.delegate, "session configuration's delegate", "sessionConfiguration(_:limitedUserInterfacesChanged:)",
        Self.names(after)
      ) { $0.sessionConfiguration(session, limitedUserInterfacesChanged: after) }
    }
    contentLimitsChanged()
  }

  private static func names(_ limits: CPLimitableUserInterface) -> String {
    let names = (limits.contains(.keyboard) ? ["keyboard"] : []) + (limits.contains(.lists) ? ["lists"] : [])
    return names.isEmpty ? "none" : names.joined(separator: ", ")
  }

  /// Changes the style of the user interface.
  package func setAppearance(_ style: CarStyle) {
    guard settings.appearance != style else { return }
    settings.appearance = style
    note(.car, "appearance", style.rawValue)
    if !faults.splitStyles { phone.style = style }
    guard let connection = app?.car else { return }
    let traits = UITraitCollection(
      style: interfaceStyle, displayScale: CGFloat(settings.screen.scale), idiom: .carPlay)
    connection.window.hostTraits = traits
    connection.controller.carTraitCollection = traits
  }

  /// Changes the style of maps.
  package func setContentStyle(_ style: CarStyle) {
    guard settings.contentStyle != style else { return }
    settings.contentStyle = style
    note(.car, "content style", style.rawValue)
    tellStyle()
  }

  /// Reports the style of maps to scenes and session configurations.
  func tellStyle() {
    guard let app else { return }
    let style = mapStyle
    if let connection = app.car, let scene = connection.scene, settings.iOSVersion >= IOSVersion(15, 4) {
      scene.contentStyle = style
      callDelegate(
        connection.delegate as? any CPTemplateApplicationSceneDelegate, Self.sceneDelegate, "contentStyleDidChange(_:)",
        settings.contentStyle.rawValue
      ) { $0.contentStyleDidChange(style) }
    }
    if let cluster = app.cluster {
      cluster.contentStyle = style
      callDelegate(
        cluster.delegate as? any CPTemplateApplicationInstrumentClusterSceneDelegate, Self.clusterDelegate,
        "contentStyleDidChange(_:)", settings.contentStyle.rawValue
      ) { $0.contentStyleDidChange(style) }
    }
    guard settings.iOSVersion >= IOSVersion(13) else { return }
    for session in sessions.compactMap(\.object) {
      callDelegate(
        session.delegate, "session configuration's delegate", "sessionConfiguration(_:contentStyleChanged:)",
        settings.contentStyle.rawValue
      ) { $0.sessionConfiguration(session, contentStyleChanged: self.session.contentStyle) }
    }
  }

  /// Changes the screen, as a car with several view areas does.
  package func setScreen(_ screen: CarScreen) {
    guard settings.screen != screen else { return }
    settings.screen = screen
    note(.car, "screen", "\(screen.pixelWidth) × \(screen.pixelHeight) pixels")
    layout()
  }

  /// Gives the app a part of the display, or all of it. Only the whole display has its safe area. Pictures have even
  /// sides. Returns the reason if the display is smaller.
  package func setViewArea(width: Int, height: Int) -> String? {
    guard width <= display.pixelWidth, height <= display.pixelHeight else {
      return "the display has \(display.pixelWidth) × \(display.pixelHeight) pixels"
    }
    var screen = settings.screen
    let isWhole = width == display.pixelWidth && height == display.pixelHeight
    (screen.pixelWidth, screen.pixelHeight) = (width & ~1, height & ~1)
    screen.safeArea = isWhole ? display.safeArea : CarInsets()
    setScreen(screen)
    return nil
  }

  /// Changes the driver's side.
  package func setDrivingSide(_ side: DrivingSide) {
    guard settings.screen.drivingSide != side else { return }
    settings.screen.drivingSide = side
    note(.car, "driving side", side.rawValue)
    layout()
  }

  /// Handles a frame that the app draws on the GPU. With the fault on, a frame in the background ends the app (OsmAnd
  /// 4578).
  package func submitFrame() {
    guard faults.denyGPUInBackground, let app, app.application.applicationState == .background else { return }
    report(
      CarDiagnostic(
        .lifecycle, what: "a frame was drawn on the GPU while the app is in the background",
        carShows: "a black map, or the app is killed",
        remedy: "stop rendering in sceneDidEnterBackground and start again in sceneWillEnterForeground"))
    end(.killed(signal: 9, reason: "drawing on the GPU in the background is not permitted"))
  }
}
