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

  /// Reads the bits of a TXT record; nil for another text. One number alone has the low 32 bits.
  package init?(text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Self.hexadecimal(String($0)) }
    guard parts.count <= 2, let low = parts.first ?? nil, let high = parts.count == 2 ? parts[1] : 0,
      max(low, high) <= UInt32.max
    else { return nil }
    self.init(rawValue: high << 32 | low)
  }

  /// Reads a number behind `0x`.
  static func hexadecimal(_ text: String) -> UInt64? {
    guard text.lowercased().hasPrefix("0x"), text.utf8.dropFirst(2).first != UInt8(ascii: "+") else { return nil }
    return UInt64(text.dropFirst(2), radix: 16)
  }

  /// A car's head unit.
  public static let car = FeatureBits(bits: [32])
  /// The phone's service for control requests.
  public static let controlAPI = FeatureBits(bits: [37])
  /// Sound without encryption.
  public static let unencryptedAudio = FeatureBits(bits: [22])
  /// Pairing and encryption.
  public static let pairing = FeatureBits(bits: [38])
  /// The smallest set of our head units: screen, sound in the groups that they offer, MFi-SAP, car, control API and
  /// pairing. These are the bits of LIVI's TXT record (CarPlayStart.md#features-values).
  public static let minimum = FeatureBits(bits: [7, 8, 9, 18, 20, 22, 26, 30, 32, 37, 38])
}
