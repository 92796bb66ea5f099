// swift-iap2 · Apache-2.0

public import Foundation
import PortingSupport

/// The parts of the interface that a car limits, for example while it drives.
@available(iOS 12.0, *)
public struct CPLimitableUserInterface: OptionSet, Sendable {
  /// The bits of the set.
  public let rawValue: UInt
  /// Creates a set from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }
  /// The keyboard is not available.
  public static let keyboard = CPLimitableUserInterface(rawValue: 1)
  /// Lists have a limited length.
  public static let lists = CPLimitableUserInterface(rawValue: 2)
}

/// The style of an app's own content, such as a map.
@available(iOS 13.0, *)
public struct CPContentStyle: OptionSet, Sendable {
  /// The bits of the set.
  public let rawValue: UInt
  /// Creates a set from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }
  /// Light content.
  public static let light = CPContentStyle(rawValue: 1)
  /// Dark content.
  public static let dark = CPContentStyle(rawValue: 2)
}

/// An observer of what the car limits and of its style.
@preconcurrency @MainActor
open class CPSessionConfiguration: NSObject {
  /// The object that learns about changes.
  public weak var delegate: (any CPSessionConfigurationDelegate)?

  /// The parts of the interface that the car limits now.
  public var limitedUserInterfaces: CPLimitableUserInterface { CarPlayModule.system.session.limitedUserInterfaces }

  /// The style of the app's content now.
  @available(iOS 13.0, *)
  public var contentStyle: CPContentStyle { CarPlayModule.system.session.contentStyle }

  /// Whether the car can play a video now.
  @available(iOS 26.4, *)
  public var supportsVideoPlayback: Bool { CarPlayModule.system.session.supportsVideoPlayback }

  /// Creates an observer.
  public init(delegate: any CPSessionConfigurationDelegate) {
    self.delegate = delegate
    super.init()
    CarPlayModule.system.perform(.observeSession(self))
  }
}

/// An object that learns when the car's limits or style change. All methods are optional.
@preconcurrency @MainActor
public protocol CPSessionConfigurationDelegate: NSObjectProtocol {
  /// Reports the parts of the interface that the car limits from now on.
  func sessionConfiguration(
    _ sessionConfiguration: CPSessionConfiguration,
    limitedUserInterfacesChanged limitedUserInterfaces: CPLimitableUserInterface)
  /// Reports the style of the app's content from now on.
  @available(iOS 13.0, *)
  func sessionConfiguration(
    _ sessionConfiguration: CPSessionConfiguration, contentStyleChanged contentStyle: CPContentStyle)
}

extension CPSessionConfigurationDelegate {
  /// Does nothing.
  public func sessionConfiguration(
    _ sessionConfiguration: CPSessionConfiguration,
    limitedUserInterfacesChanged limitedUserInterfaces: CPLimitableUserInterface
  ) { OptionalMethod.isMissing(in: self) }
  /// Does nothing.
  @available(iOS 13.0, *)
  public func sessionConfiguration(
    _ sessionConfiguration: CPSessionConfiguration, contentStyleChanged contentStyle: CPContentStyle
  ) { OptionalMethod.isMissing(in: self) }
}
