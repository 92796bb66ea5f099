// swift-iap2 · Apache-2.0

/// The feature bits of a head unit. Source: CarPlaySession.md#feature-bits.
public struct FeatureBits: OptionSet, Sendable, Hashable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }

  private init(bits: [UInt64]) { self.init(rawValue: bits.reduce(0) { $0 | 1 << $1 }) }

  /// The bits as the TXT record of a head unit has them, the low 32 first: `0x280,0x0`. Source:
  /// CarPlayStart.md#txt-keys.
  package var text: String {
    "0x" + String(rawValue & 0xFFFF_FFFF, radix: 16) + ",0x" + String(rawValue >> 32, radix: 16)
  }

  /// Sound without encryption.
  public static let unencryptedAudio = FeatureBits(bits: [22])
  /// Pairing and encryption.
  public static let pairing = FeatureBits(bits: [38])
  /// The smallest set of our head units: screen, sound in the groups that they offer, MFi-SAP, car, control API and
  /// pairing. These are the bits of LIVI's TXT record (CarPlayStart.md#features-values).
  public static let minimum = FeatureBits(bits: [7, 8, 9, 18, 20, 22, 26, 30, 32, 37, 38])
}
