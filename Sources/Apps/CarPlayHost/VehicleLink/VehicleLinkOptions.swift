// swift-iap2 · Apache-2.0

package import CarPlayPlatform
package import IAP2Roles

/// Options for the iAP2 connection of car and phone.
package struct VehicleLinkOptions: Sendable, Hashable {
  /// The kind of the connection. Only a cable supplies the phone with current.
  package var link = CarLink.wired
  /// The policy by which each side decides that the other one is disconnected.
  package var policy = LifecyclePolicy.notification
  /// The times of ``IAP2Roles/LifecyclePolicy/evidence``.
  package var times = VehicleLinkOptions.liveTimes
  /// The probability, 0…1, that the notification about a pulled cable is lost, drawn for each side. Apps lost about one
  /// in five (CarPlay/Behavior.md#fault-lost-disconnect).
  package var noticeLoss = 0.0
  /// The seed of the lost notifications.
  package var seed: UInt64 = 0
  /// The time from the pull to the notification in milliseconds.
  // Unverified: no published source states it.
  package var noticeMilliseconds = 150
  /// The time from the pull to the phone's report that its supply stopped, in milliseconds.
  // Unverified: no published source states it.
  package var supplyMilliseconds = 500
  /// The transmission time from one side to the other in milliseconds. Values below 1 count as 1.
  package var delayMilliseconds = 1
  /// The charge level of the phone in percent.
  package var batteryPercent = 60
  /// The features about the car itself.
  // Unverified: a phone also accepts the car's position and status over Bluetooth.
  package var vehicleFeatures: HeadUnitFeatures = [.location, .vehicleStatus]
  /// The time at ``MonotonicTime/zero`` in Unix seconds, for the positions of the car.
  package var unixTime = LocationFix.plainStart
  /// The current of a power bank, a wall charger or a charging pad in milliamperes; 0 without one.
  package var otherCurrent = 0

  private static var liveTimes: LifecycleTimes {
    var times = LifecycleTimes()
    times.silenceMilliseconds = LifecycleTimes.liveSilenceMilliseconds
    return times
  }

  /// Creates options for a cable whose disconnect is always notified.
  package init() {}

  /// The head unit of the car: one for CarPlay with its position and its status. Over a cable it supplies current. Over
  /// Bluetooth the CarPlay session carries now playing and route guidance. Unverified: that a phone rejects them there
  /// (Identification.md#wireless-messages).
  var headUnit: HeadUnitProfile {
    let apps: HeadUnitFeatures = [.nowPlaying, .routeGuidance, .calls, .hid]
    let features: HeadUnitFeatures =
      link == .wired ? HeadUnitFeatures.standard.union(apps) : [.wirelessCarPlay, .deviceNotifications, .calls]
    return .standard(name: "Car", features: features.union(vehicleFeatures))
  }

  /// The phone before its first connection.
  var phone: PhoneState {
    var state = PhoneState()
    state.battery = Battery(percent: batteryPercent)
    state.battery.wallCurrent = max(0, otherCurrent)
    state.wantsLocation = false
    state.offersCarPlay = link == .wired
    state.offersWirelessCarPlay = link == .wireless
    return state
  }
}
