// swift-iap2 · Apache-2.0

/// Signatures of ECDSA in DER, as some programs send them.
package enum DERSignature {
  /// Returns a signature in DER.
  ///
  /// - Parameter raw: The numbers r and s, of the same size.
  package static func bytes(of raw: [UInt8]) -> [UInt8] {
    let numbers = number(raw.prefix(raw.count / 2)) + number(raw.suffix(raw.count / 2))
    return [0x30, UInt8(numbers.count)] + numbers
  }

  /// Returns an integer, which is not negative and as short as it can be.
  private static func number(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    let digits = Array(bytes.drop { $0 == 0 })
    let value = digits.first.map { $0 < 0x80 } == true ? digits : [0] + digits
    return [2, UInt8(value.count)] + value
  }
}
