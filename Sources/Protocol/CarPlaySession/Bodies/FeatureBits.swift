// swift-iap2 · Apache-2.0

/// The feature bits of a head unit. Source: CarPlaySession.md#feature-bits.
public struct FeatureBits: OptionSet, Sendable, Hashable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }

  private init(bits: [UInt64]) { self.init(rawValue: bits.reduce(0) { $0 | 1 << $1 }) }

  /// Sound without encryption.
  public static let unencryptedAudio = FeatureBits(bits: [22])
  /// Pairing and encryption.
  public static let pairing = FeatureBits(bits: [38])
  /// The smallest set of our head units: screen, sound in the groups that they offer, MFi-SAP, car, control API and
  /// pairing. These are the bits of LIVI's TXT record (CarPlayStart.md#features-values).
  public static let minimum = FeatureBits(bits: [7, 8, 9, 18, 20, 22, 26, 30, 32, 37, 38])
}
