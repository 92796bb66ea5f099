// swift-iap2 · Apache-2.0

extension FixedWidthInteger where Self: UnsignedInteger {
  /// The bytes, the highest first.
  package var bigEndianBytes: [UInt8] {
    stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
  }

  /// The bytes, the lowest first.
  package var littleEndianBytes: [UInt8] { bigEndianBytes.reversed() }

  /// Adds the bytes to others, the lowest first.
  package func appendLittleEndian(to bytes: inout [UInt8]) {
    for shift in stride(from: 0, to: Self.bitWidth, by: 8) { bytes.append(UInt8(truncatingIfNeeded: self >> shift)) }
  }

  /// Reads a number whose highest byte comes first. Readers of captures read millions, so it is specialized where it is
  /// used.
  @inlinable package init(bigEndianBytes bytes: some Sequence<UInt8>) {
    self = 0
    for byte in bytes { self = self << 8 | Self(truncatingIfNeeded: byte) }
  }

  /// Reads a number whose lowest byte comes first.
  @inlinable package init(littleEndianBytes bytes: some BidirectionalCollection<UInt8>) {
    self.init(bigEndianBytes: bytes.reversed())
  }
}

extension UInt16 {
  /// The two bytes, the high one first. Messages are written with it, so it is made without a loop.
  @inlinable package var bigEndianBytes: [UInt8] { [UInt8(self >> 8), UInt8(truncatingIfNeeded: self)] }
}
