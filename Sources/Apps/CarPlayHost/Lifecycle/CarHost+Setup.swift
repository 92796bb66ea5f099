// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform
import UIKit

extension CarHost {
  /// Reports faults of an app's entitlements and Info.plist (CarPlay/Behavior.md#info-plist).
  func checkSetup(_ app: CarApp) {
    let version = settings.iOSVersion
    let rights = AppRights(entitlements: app.entitlements, iOSVersion: version)
    if rights.isEmpty {
      report(
        CarDiagnostic(
          .setup, what: "the app has no CarPlay entitlement that iOS \(version) knows",
          carShows: "no icon on the home screen", remedy: laterCategory(app) ?? "ask for an entitlement of a category"))
    }
    if rights.hasPlayableContent, rights.categories.contains(.audio) {
      report(
        CarDiagnostic(
          .note, what: "the app has the entitlements carplay-audio and playable-content",
          carShows: "the CarPlay framework from iOS 14, MPPlayableContent before",
          remedy: "keep the old code only for iOS 13 and older"))
    }
    let pairs = rights.categories.subtracting([.charging, .fueling])
    if pairs.count > 1 {
      report(
        CarDiagnostic(
          .note, what: "the app has \(pairs.map(\.rawValue).sorted().joined(separator: ", ")) together",
          carShows: "the templates of all of them", remedy: "Apple's agreement is needed for such a pair (G)"))
    }
    checkManifest(app)
    checkMaker(app)
  }

  private func laterCategory(_ app: CarApp) -> String? {
    let later = AppCategory.allCases.filter {
      app.entitlements.contains($0.entitlement) && settings.iOSVersion < $0.firstVersion
    }
    guard let first = later.first else { return nil }
    return "\(first.entitlement) works from iOS \(first.firstVersion)"
  }

  private func checkManifest(_ app: CarApp) {
    let manifest = app.manifest
    guard manifest.hasScenes else { return }
    let role = UISceneSession.Role.carTemplateApplication.rawValue
    for (index, scene) in (manifest.scenes[role] ?? []).enumerated() where scene.sceneClass == nil {
      report(
        CarDiagnostic(
          .setup, what: "UISceneClassName is missing in \(role) \(index)", carShows: "a scene of the wrong class",
          remedy: "set UISceneClassName to CPTemplateApplicationScene"))
    }
    if manifest.scenes[UISceneSession.Role.windowApplication.rawValue] == nil, app.phoneScene == nil {
      report(
        CarDiagnostic(
          .note, what: "the manifest has no scene for the phone", carShows: "the app in the car",
          remedy: "add UIWindowSceneSessionRoleApplication, or the phone shows a black screen"))
    }
    if !manifest.supportsMultipleScenes {
      report(
        CarDiagnostic(
          .note, what: "UIApplicationSupportsMultipleScenes is not true", carShows: "the app in the car",
          remedy: "set it to true, as all looked-at apps do, so that phone and car have scenes at once"))
    }
  }
}
