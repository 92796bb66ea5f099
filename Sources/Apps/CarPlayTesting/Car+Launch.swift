// swift-iap2 · Apache-2.0

import CarPlay
public import CarPlayHost
public import CarPlayPlatform
import Foundation
public import UIKit

extension Car {
  /// Launches an app on the car's screen: connects the car, starts the app's process, and opens it.
  ///
  /// - Parameters:
  ///   - category: The app's category, which determines its entitlement.
  ///   - phoneScene: Whether the app was open on the phone before. Without it, this is a cold start by the car.
  ///   - scene: A closure that creates the delegate of the CarPlay scene.
  public func launch(
    _ category: AppCategory, phoneScene: Bool = false, scene: @escaping @MainActor () -> any UISceneDelegate
  ) async {
    await launch(CarApp([category], carScene: scene), phoneScene: phoneScene)
  }

  /// Launches an app with a scene delegate of a class that has an initialiser without arguments.
  public func launch<Delegate: UISceneDelegate & EmptyInitializer>(
    _ type: Delegate.Type, as category: AppCategory, phoneScene: Bool = false
  ) async {
    await launch(category, phoneScene: phoneScene) { Delegate() }
  }

  /// Launches an app with an app delegate of the old form of iOS 12, or with scenes of its manifest.
  public func launch(
    _ category: AppCategory, phoneScene: Bool = false, appDelegate: @escaping @MainActor () -> any UIApplicationDelegate
  ) async {
    await launch(CarApp(entitlements: [category.entitlement], appDelegate: appDelegate), phoneScene: phoneScene)
  }

  /// Launches an app.
  public func launch(_ app: CarApp, phoneScene: Bool = false) async {
    await act { host.plugIn() }
    await act {
      host.start(app, phoneScene: phoneScene)
      host.open()
    }
  }

  /// Starts an app on the phone only. Its CarPlay scene is created when the car connects and the app is opened.
  public func start(_ app: CarApp, phoneScene: Bool = true) async {
    await act { host.start(app, phoneScene: phoneScene) }
  }
}

/// A class that can be created without arguments, for ``Car/launch(_:as:phoneScene:)``. Linux cannot create an object
/// of a class without this requirement.
@MainActor
public protocol EmptyInitializer {
  /// Creates an object.
  init()
}
