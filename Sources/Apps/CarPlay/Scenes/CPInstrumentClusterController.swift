// swift-iap2 · Apache-2.0

public import Foundation
import PortingSupport
public import UIKit

/// A setting of the car for the compass or the speed limit in the cluster.
@available(iOS 15.4, *)
public enum CPInstrumentClusterSetting: UInt, Sendable {
  /// The car says nothing.
  case unspecified = 0
  /// The app shows it.
  case enabled = 1
  /// The app does not show it.
  case disabled = 2
  /// The user's setting in the app decides.
  case userPreference = 3
}

/// The controller of an app's map in the instrument cluster.
@available(iOS 15.4, *)
@preconcurrency @MainActor
open class CPInstrumentClusterController: NSObject {
  /// The object that learns about the window and the car's settings.
  public weak var delegate: (any CPInstrumentClusterControllerDelegate)?

  /// The window of the map; nil until it is connected.
  public package(set) var instrumentClusterWindow: UIWindow?

  /// The car's setting for the speed limit.
  public package(set) var speedLimitSetting: CPInstrumentClusterSetting = .unspecified

  /// The car's setting for the compass.
  public package(set) var compassSetting: CPInstrumentClusterSetting = .unspecified

  /// The texts that the cluster shows without guidance, the longest first.
  public var inactiveDescriptionVariants: [String] = [] { didSet { noteChange() } }

  /// The texts with attributes that the cluster shows without guidance, the longest first.
  public var attributedInactiveDescriptionVariants: [NSAttributedString] = [] { didSet { noteChange() } }

  /// Creates the controller of a connection.
  package override init() { super.init() }
}

/// An object that learns about the window and the settings of an instrument cluster.
@available(iOS 15.4, *)
@preconcurrency @MainActor
public protocol CPInstrumentClusterControllerDelegate: NSObjectProtocol {
  /// Reports that the window is connected.
  func instrumentClusterControllerDidConnect(_ instrumentClusterWindow: UIWindow)
  /// Reports that the window is disconnected.
  func instrumentClusterControllerDidDisconnectWindow(_ instrumentClusterWindow: UIWindow)
  /// Reports that the driver asks for a larger map. Optional.
  func instrumentClusterControllerDidZoomIn(_ instrumentClusterController: CPInstrumentClusterController)
  /// Reports that the driver asks for a smaller map. Optional.
  func instrumentClusterControllerDidZoomOut(_ instrumentClusterController: CPInstrumentClusterController)
  /// Reports a change of the setting for the compass. Optional.
  func instrumentClusterController(
    _ instrumentClusterController: CPInstrumentClusterController,
    didChangeCompassSetting compassSetting: CPInstrumentClusterSetting)
  /// Reports a change of the setting for the speed limit. Optional.
  func instrumentClusterController(
    _ instrumentClusterController: CPInstrumentClusterController,
    didChangeSpeedLimitSetting speedLimitSetting: CPInstrumentClusterSetting)
}

@available(iOS 15.4, *)
extension CPInstrumentClusterControllerDelegate {
  /// Does nothing.
  public func instrumentClusterControllerDidZoomIn(_ instrumentClusterController: CPInstrumentClusterController) {
    OptionalMethod.isMissing(in: self)
  }
  /// Does nothing.
  public func instrumentClusterControllerDidZoomOut(_ instrumentClusterController: CPInstrumentClusterController) {
    OptionalMethod.isMissing(in: self)
  }
  /// Does nothing.
  public func instrumentClusterController(
    _ instrumentClusterController: CPInstrumentClusterController,
    didChangeCompassSetting compassSetting: CPInstrumentClusterSetting
  ) { OptionalMethod.isMissing(in: self) }
  /// Does nothing.
  public func instrumentClusterController(
    _ instrumentClusterController: CPInstrumentClusterController,
    didChangeSpeedLimitSetting speedLimitSetting: CPInstrumentClusterSetting
  ) { OptionalMethod.isMissing(in: self) }
}
