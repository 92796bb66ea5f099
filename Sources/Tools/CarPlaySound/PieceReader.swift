// swift-iap2 · Apache-2.0

/// A reader of a program's output, which comes in parts of any size.
protocol PieceReader: Sendable {
  /// Reads the next bytes.
  ///
  /// - Returns: The pieces that are complete now.
  mutating func pieces(in bytes: ArraySlice<UInt8>) throws(SoundProblem) -> [[UInt8]]
}

/// The samples of a program, without those at the start that belong to no packet.
struct SampleReader: PieceReader {
  /// The number of bytes that are left out.
  private var skipped: Int
  private let frameByteCount: Int
  /// The start of an incomplete sample.
  private var rest: ArraySlice<UInt8> = []

  init(skippedFrames: Int, frameByteCount: Int) {
    (skipped, self.frameByteCount) = (skippedFrames * frameByteCount, frameByteCount)
  }

  mutating func pieces(in bytes: ArraySlice<UInt8>) -> [[UInt8]] {
    let count = min(skipped, bytes.count)
    skipped -= count
    let present = rest + bytes.dropFirst(count)
    let whole = present.count / frameByteCount * frameByteCount
    rest = present.dropFirst(whole)
    return whole > 0 ? [Array(present.prefix(whole))] : []
  }
}
