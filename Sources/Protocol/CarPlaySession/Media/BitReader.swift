// swift-iap2 · Apache-2.0

/// The bits of a NAL unit behind its header, without the bytes that prevent start codes.
struct BitReader {
  private let bytes: [UInt8]
  private var position = 0

  /// Creates a reader of the payload of a NAL unit.
  init(unit: some Collection<UInt8>) {
    var payload: [UInt8] = []
    var zeros = 0
    for byte in unit.dropFirst() {
      // After two zero bytes an encoder inserts a 3, which is not part of the payload.
      if zeros >= 2, byte == 3 {
        zeros = 0
      } else {
        payload.append(byte)
        zeros = byte == 0 ? zeros + 1 : 0
      }
    }
    bytes = payload
  }

  /// Returns a bit; nil after the last one.
  mutating func bit() -> Bool? {
    guard position < bytes.count * 8 else { return nil }
    defer { position += 1 }
    return bytes[position / 8] & 0x80 >> UInt8(position % 8) != 0
  }

  /// Returns a number of up to 32 bits.
  mutating func bits(_ count: Int) -> Int? {
    var number = 0
    for _ in 0..<count {
      guard let bit = bit() else { return nil }
      number = number << 1 | (bit ? 1 : 0)
    }
    return number
  }

  /// Returns the number of an unsigned exp-Golomb code, at most 2^32 − 2.
  mutating func unsignedCode() -> Int? {
    var zeros = 0
    while let bit = bit() {
      if bit { return bits(zeros).map { (1 << zeros) - 1 + $0 } }
      zeros += 1
      // The standard has no longer codes.
      if zeros > 31 { return nil }
    }
    return nil
  }

  /// Returns the number of a signed exp-Golomb code.
  mutating func signedCode() -> Int? {
    unsignedCode().map { $0 % 2 == 1 ? ($0 + 1) / 2 : -($0 / 2) }
  }
}
