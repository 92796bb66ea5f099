// swift-iap2 · Apache-2.0

/// The checksum of the link layer: the two's complement of the byte sum. The bytes and their checksum add up to zero
/// modulo 256. Evidence: Link.md#checksum (high; WIO, LIVI, CAT, IAP2RS, captures).
package enum Checksum {
  /// Returns the byte sum modulo 256 of a part of a span. The loop is plain so that the compiler vectorizes it.
  ///
  /// - Precondition: `range` lies inside `bytes`.
  @inline(__always)
  package static func sum(_ bytes: RawSpan, _ range: Range<Int>) -> UInt8 {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.byteCount)
    return unsafe bytes.withUnsafeBytes { buffer in
      var total: UInt8 = 0
      for index in range { total &+= unsafe buffer[index] }
      return total
    }
  }

  /// Returns the checksum byte that completes these bytes.
  package static func complement(_ bytes: RawSpan) -> UInt8 { 0 &- sum(bytes, 0..<bytes.byteCount) }
}

extension RawSpan {
  /// Returns the byte at an offset.
  ///
  /// - Precondition: the offset lies inside the span.
  @inline(__always)
  package func byte(_ offset: Int) -> UInt8 { unsafeByte(offset) }

  @inline(__always)
  private func unsafeByte(_ offset: Int) -> UInt8 {
    precondition(offset >= 0 && offset < byteCount)
    return unsafe unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
  }

  /// Returns the big-endian number at an offset.
  ///
  /// - Precondition: two bytes lie at the offset.
  @inline(__always)
  package func bigEndian16(_ offset: Int) -> UInt16 {
    precondition(offset >= 0 && offset &+ 2 <= byteCount)
    return UInt16(bigEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt16.self))
  }
}

extension Array where Element == UInt8 {
  /// Appends a copy of borrowed bytes.
  @inline(__always)
  package mutating func append(copying bytes: RawSpan) {
    unsafe bytes.withUnsafeBytes { unsafe append(contentsOf: $0) }
  }

  /// The array's bytes, borrowed.
  package var rawBytes: RawSpan {
    @_lifetime(borrow self)
    get { unsafe span.bytes }
  }

  /// Creates an array with a copy of borrowed bytes.
  package init(copying bytes: RawSpan) {
    self = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
  }
}
