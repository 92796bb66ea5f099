// swift-iap2 · Apache-2.0

/// Bytes as hexadecimal text, in lowercase.
public enum Hex {
  private static let digits = Array("0123456789abcdef".utf8)

  /// Returns the bytes of an even number of hexadecimal digits; nil for any other text.
  package static func bytes(_ text: Substring) -> [UInt8]? {
    guard text.utf8.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 2)
    var high: UInt8?
    for byte in text.utf8 {
      guard let digit = digit(byte) else { return nil }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    return bytes
  }

  /// Returns two lowercase digits per byte.
  public static func text(_ bytes: [UInt8]) -> String {
    unsafe String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
      for (index, byte) in bytes.enumerated() {
        unsafe buffer[index * 2] = digits[Int(byte >> 4)]
        unsafe buffer[index * 2 + 1] = digits[Int(byte & 15)]
      }
      return bytes.count * 2
    }
  }

  /// Returns the digits of at most 48 bytes, and the number of bytes if there are more.
  package static func shortText(_ bytes: [UInt8]) -> String {
    bytes.count <= 48 ? text(bytes) : text(Array(bytes.prefix(48))) + "… (\(bytes.count) bytes)"
  }

  /// The value of a digit; nil for another character.
  package static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
