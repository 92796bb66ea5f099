// swift-iap2 · Apache-2.0

import CarPlayHost
public import IAP2Roles

extension Car {
  /// Makes a complete iAP2 connection between head unit and phone decide when the app is connected. Call it before the
  /// car connects.
  ///
  /// Without it the phone follows the cable: an unplug that the phone notices is a disconnect after
  /// `CarBehavior.disconnectDelay`. With it, `didDisconnect` comes when the phone's policy decides, and
  /// `UIDevice.batteryState` follows the power messages.
  ///
  /// - Parameters:
  ///   - policy: The evidence that ends a connection on the phone.
  ///   - batteryPercent: The battery level of the phone in percent. A full phone does not charge.
  ///   - powerBank: The current of a power bank in milliamperes; 0 for none.
  ///   - seed: The seed of the lost notifications.
  public func follow(
    _ policy: LifecyclePolicy, batteryPercent: Int = 60, powerBank: Int = 0, seed: UInt64 = 1
  ) async {
    await act { host.follow(policy: policy, batteryPercent: batteryPercent, otherCurrent: powerBank, seed: seed) }
  }
}
