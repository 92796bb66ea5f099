// swift-iap2 · Apache-2.0

public import Foundation
import PortingSupport

/// The phone.
@preconcurrency @MainActor open class UIDevice: NSObject {
  /// A state of the battery.
  public enum BatteryState: Int, Sendable {
    /// The app does not monitor the battery.
    case unknown = 0
    /// The phone has no power from outside.
    case unplugged = 1
    /// The phone is charging.
    case charging = 2
    /// The phone has power from outside and is full.
    case full = 3
  }

  /// The phone.
  public static let current = UIDevice()

  /// The name of the notification of another ``batteryState-swift.property``.
  public nonisolated static let batteryStateDidChangeNotification = Notification.Name(
    "UIDeviceBatteryStateDidChangeNotification")
  /// The name of the notification of another ``batteryLevel``.
  public nonisolated static let batteryLevelDidChangeNotification = Notification.Name(
    "UIDeviceBatteryLevelDidChangeNotification")

  /// The name that the user gave the phone.
  public package(set) final var name = "iPhone"
  /// The name of the system.
  public final var systemName: String { "iOS" }
  /// The version of the system.
  public package(set) final var systemVersion = "18.0"
  /// The kind of the device.
  public final var userInterfaceIdiom: UIUserInterfaceIdiom { .phone }
  /// Whether the app asks for the state and level of the battery, and for notifications.
  open var isBatteryMonitoringEnabled = false

  /// The battery as the host has it.
  private var power = (state: BatteryState.unplugged, level: Float(1))

  /// The state of the battery; `unknown` unless it is monitored.
  public final var batteryState: BatteryState { isBatteryMonitoringEnabled ? power.state : .unknown }
  /// The level of the battery from 0 to 1; -1 unless it is monitored.
  public final var batteryLevel: Float { isBatteryMonitoringEnabled ? power.level : -1 }

  /// Gives the battery a state and a level, and posts a notification for each that changed and is monitored.
  package final func setBattery(state: BatteryState, level: Float? = nil) {
    let old = power
    power = (state, min(1, max(0, level ?? old.level)))
    guard isBatteryMonitoringEnabled else { return }
    if power.state != old.state {
      SystemNotification.post(Self.batteryStateDidChangeNotification, object: self)
    }
    if power.level != old.level {
      SystemNotification.post(Self.batteryLevelDidChangeNotification, object: self)
    }
  }
}
