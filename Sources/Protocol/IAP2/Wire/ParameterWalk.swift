// swift-iap2 · Apache-2.0

extension RawSpan {
  /// Calls `body` for each parameter of a run, in wire order, with known and unknown ids alike.
  ///
  /// - Parameters:
  ///   - range: The bytes of the run.
  ///   - body: Receives the id, the range of the whole parameter with its header, and the range of its value.
  /// - Throws: ``WireError`` if a length is impossible, and the errors of `body`.
  package func forEachParameter(
    in range: Range<Int>,
    _ body: (_ id: UInt16, _ whole: Range<Int>, _ value: Range<Int>) throws(WireError) -> Void
  ) throws(WireError) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      guard range.upperBound - offset >= 4 else { throw WireError(.truncated, offset: offset) }
      let length = Int(bigEndian16(offset))
      guard length >= 4, length <= range.upperBound - offset else {
        throw WireError(.badLength(length), offset: offset)
      }
      try body(bigEndian16(offset + 2), offset..<(offset + length), (offset + 4)..<(offset + length))
      offset += length
    }
  }
}
