// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform
import UIKit

/// Apps of a car's maker. Only cars with one of their EA protocols show them, and the apps draw their own screen
/// (CarPlay/Frameworks.md#automaker).
extension CarHost {
  /// Whether the installed app is an app of a car's maker.
  var isMakersApp: Bool { rights.categories == [.automaker] }

  /// Whether the car has one of the EA protocols of the app's entitlement.
  var sharesProtocol: Bool {
    !Set(settings.accessoryProtocols).isDisjoint(with: installed?.accessoryProtocols ?? [])
  }

  /// Connects or disconnects the car's screen of an app that draws it itself. Notifications report the change to the
  /// app.
  ///
  /// - Parameter isLaunch: Whether the app is being launched. It then finds a connected screen without a notification.
  func updateMakerScreen(isLaunch: Bool = false) {
    let isWanted = isConnected && front != .off && isMakersApp && sharesProtocol
    if isWanted, makerScreen == nil {
      let screen = carScreen()
      makerScreen = screen
      if !isLaunch { note(.toApp, "UIScreen.didConnectNotification", object: "notification center") }
      UIScreen.connect(screen, isAnnounced: !isLaunch)
    } else if !isWanted, let screen = makerScreen {
      makerScreen = nil
      note(.toApp, "UIScreen.didDisconnectNotification", object: "notification center")
      UIScreen.disconnect(screen)
    }
  }

  /// The part for the app's window on the car's screen. The host has its view controller, not its pixels.
  func makerElement() -> Element {
    guard let screen = makerScreen, let window = UIWindow.shown(on: screen) else {
      return Element(ScreenNode(.error, "The app has no window on the car's screen"))
    }
    return Element(ScreenNode(.content, window.rootViewController?.title ?? "", marks: [.ownWindow]))
  }

  /// Reports a car maker's app that no car can show.
  func checkMaker(_ app: CarApp) {
    guard isMakersApp else { return }
    if app.accessoryProtocols.isEmpty {
      report(
        CarDiagnostic(
          .setup, what: "the entitlement \(AppCategory.automaker.entitlement) lists no EA protocol",
          carShows: "no icon in any car", remedy: "list the protocols of the maker's cars"))
    } else if !sharesProtocol {
      note(
        .note, "the car has no EA protocol of the app",
        "\(app.accessoryProtocols.sorted().joined(separator: ", ")); the car has "
          + (settings.accessoryProtocols.isEmpty ? "none" : settings.accessoryProtocols.joined(separator: ", ")))
    }
  }
}
