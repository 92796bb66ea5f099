// swift-iap2 · Apache-2.0

package import CarPlaySession

/// The CarPlay sessions of a scenario: the head unit that offers them.
package struct CarPlaySettings: Sendable {
  /// The generation of the head unit and of the phone.
  package var generation = Generation.current
  /// The screens of the head unit.
  package var displays = [DisplaySettings(width: 1280, height: 720)]
  /// Whether the phone is paired with the head unit already.
  package var isPaired = false
  /// Whether the session is on the car's access point, and not on the cable of the link.
  package var isWireless = false
  /// Whether the phone shows a picture on the main screen in each session, without a step.
  package var showsScreen = false
  /// The latency of each direction of the network.
  package var latencyMilliseconds = 1
  /// The probability that the network loses a datagram.
  package var datagramLoss = 0.0
  /// The seed of the losses.
  package var seed: UInt64 = 1
  /// The times of the sessions of each side.
  package var headUnitTimes = SessionTimes(), phoneTimes = SessionTimes()

  init() {}
}
