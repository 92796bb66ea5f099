// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles

/// A known pause of real devices between the plug and the first picture.
///
/// The signature of CarPlay's auth-setup, about 440 ms more (Authentication.md#signing-time), is not among them:
/// sessions in memory sign at once.
package enum KnownPause: String, Sendable, Hashable, CaseIterable {
  /// Identification is done 2.4 s after detection (medium; FieldBehavior.md#f30). The signature of about 440 ms is part
  /// of it (medium; Authentication.md#signing-time).
  case identification
  /// The offer of CarPlay follows the power of the car after 50 to 150 ms (medium; CarPlayStart.md#availability-time).
  case availability

  /// The signature of the head unit's coprocessor, in milliseconds.
  private static let signature = 440

  /// The length in milliseconds, the longest one if the source has a range.
  package var milliseconds: Int {
    switch self {
    case .identification: 2_400
    case .availability: 150
    }
  }

  /// Lets the sides of a scenario make this pause.
  func apply(to scenario: inout Scenario) {
    switch self {
    case .identification:
      scenario.headUnitBehavior.signMilliseconds = Self.signature
      scenario.phoneBehavior.pacing.delays[IdentificationAccepted.id] = milliseconds - Self.signature
    case .availability: scenario.phoneBehavior.pacing.delays[CarPlayAvailability.id] = milliseconds
    }
  }
}
