// swift-iap2 · Apache-2.0

import CarPlayHost
public import IAP2Roles

extension Car {
  /// Lets a whole iAP2 connection between head unit and phone decide what the app is told, before the car connects.
  ///
  /// Without this the phone follows the cable: a noticed unplug is a disconnect after
  /// `CarBehavior.disconnectDelay`. With it, `didDisconnect` comes when the phone's policy says so, and
  /// `UIDevice.batteryState` follows the power messages.
  ///
  /// - Parameters:
  ///   - policy: The evidence that ends a connection on the phone.
  ///   - batteryPercent: The charge of the phone. A full phone does not charge.
  ///   - powerBank: The current of a power bank in milliamperes; 0 for none.
  ///   - seed: The seed of lost notices.
  public func follow(
    _ policy: LifecyclePolicy, batteryPercent: Int = 60, powerBank: Int = 0, seed: UInt64 = 1
  ) async {
    await act { host.follow(policy: policy, batteryPercent: batteryPercent, otherCurrent: powerBank, seed: seed) }
  }
}
