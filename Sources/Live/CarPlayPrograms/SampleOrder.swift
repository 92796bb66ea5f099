// swift-iap2 · Apache-2.0

/// The order of the bytes in samples. A stream has the highest byte first, files and codecs have the lowest one first.
enum SampleOrder {
  /// Returns samples of a number of bytes each in the other order.
  static func swapped(_ bytes: some Collection<UInt8>, width: Int) -> [UInt8] {
    var bytes = Array(bytes)
    for start in stride(from: 0, to: bytes.count - width + 1, by: width) {
      for offset in 0..<width / 2 { bytes.swapAt(start + offset, start + width - 1 - offset) }
    }
    return bytes
  }
}
