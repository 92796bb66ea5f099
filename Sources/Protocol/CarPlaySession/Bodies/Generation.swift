// swift-iap2 · Apache-2.0

/// A generation of head units, by the version of the session's protocol. The exact limits between them are inferred.
///
/// Source: CarPlaySession.md#generations.
public enum Generation: Int, Sendable, Hashable, CaseIterable, Codable {
  /// No pairing; keys come from auth-setup.
  case old = 210
  /// Pairing is offered.
  case middle = 280
  /// Pairing is demanded.
  case current = 320

  /// Whether a head unit pairs.
  public var offersPairing: Bool { self != .old }
  /// Whether a head unit refuses requests before pair-verify with status 403.
  public var demandsPairing: Bool { self == .current }
  /// The version that a head unit states: 210.81 of a car in [CAT], 280.33.8 of [WIO], and 320.17, which is ours.
  public var sourceVersion: String {
    switch self {
    case .old: "210.81"
    case .middle: "280.33.8"
    case .current: "320.17"
    }
  }
}
