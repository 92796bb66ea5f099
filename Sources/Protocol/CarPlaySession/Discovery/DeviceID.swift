// swift-iap2 · Apache-2.0

/// The address of a head unit or a phone: 48 bits, as of a network card.
public struct DeviceID: Sendable, Hashable, CustomStringConvertible {
  /// The address as a number.
  public let number: UInt64

  /// Creates an address; nil for a number of more than 48 bits.
  public init?(number: UInt64) {
    guard number < 1 << 48 else { return nil }
    self.number = number
  }

  /// Reads `AA:BB:CC:DD:EE:FF`, or its 12 digits without colons; nil for another text. Letters ignore case.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 1 && text.utf8.count == 12 || parts.count == 6 && parts.allSatisfy({ $0.utf8.count == 2 })
    else { return nil }
    let digits = parts.joined()
    guard digits.utf8.allSatisfy({ Self.isHexDigit($0) }), let number = UInt64(digits, radix: 16) else { return nil }
    self.number = number
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte & 0xDF)
  }

  /// The address in capital letters with colons.
  public var description: String {
    (0..<6).reversed().map { place in
      let byte = UInt8(truncatingIfNeeded: number >> (8 * UInt64(place)))
      return (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined(separator: ":")
  }
}
