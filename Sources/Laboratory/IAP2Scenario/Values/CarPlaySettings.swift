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

  init() {}
}
