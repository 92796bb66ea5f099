// swift-iap2 · Apache-2.0

import IAP2

/// Bytes that went one way, of any number, kept so that two can be compared: the first ones as they are, all of them as
/// a digest for each block.
package struct DataStream: Sendable {
  package private(set) var byteCount = 0
  /// The first bytes.
  package private(set) var head: [UInt8] = []
  private var blocks: [UInt64] = []
  private var running = Self.basis
  private var marks: [Mark] = []

  /// Where in the session bytes came.
  struct Mark: Sendable {
    /// Of the first byte.
    var offset: Int
    /// How many steps were before.
    var stepCount: Int
    var time: Double?
  }

  /// Bytes kept as they are, which make the place of a difference exact.
  package static let maximumHeadByteCount = 1 << 16
  static let blockByteCount = 1 << 16
  /// Blocks with a digest each; what comes behind them shares one.
  private static let maximumBlocks = 1 << 16
  private static let maximumMarks = 1 << 12

  // FNV-1a, 64 bits: two streams that differ are told apart but for one in 2^64. It is no defence against bytes made to
  // look alike.
  private static let basis: UInt64 = 0xCBF2_9CE4_8422_2325
  private static let prime: UInt64 = 0x0000_0100_0000_01B3

  /// - Parameter budget: head bytes that all streams of a session may still keep.
  mutating func append(_ bytes: RawSpan, after stepCount: Int, time: Double?, budget: inout Int) {
    if marks.last?.stepCount != stepCount, marks.count < Self.maximumMarks {
      marks.append(Mark(offset: byteCount, stepCount: stepCount, time: time))
    }
    // Heads have no gaps: once one had no room it stays as it is.
    if head.count == byteCount {
      let kept = min(bytes.byteCount, Self.maximumHeadByteCount - head.count, budget)
      head.append(copying: bytes.extracting(0..<kept))
      budget -= kept
    }
    for offset in 0..<bytes.byteCount {
      running = (running ^ UInt64(bytes.byte(offset))) &* Self.prime
      byteCount += 1
      if byteCount % Self.blockByteCount == 0, blocks.count < Self.maximumBlocks {
        blocks.append(running)
        running = Self.basis
      }
    }
  }

  /// Equal for streams of the same bytes.
  var digests: [UInt64] { [UInt64(byteCount)] + blocks + [running] }

  /// Where in the session a byte came; nil behind the last.
  func mark(of offset: Int) -> Mark? { offset < byteCount ? marks.last { $0.offset <= offset } : nil }

  /// Where two streams part.
  package struct Difference: Sendable, Equatable {
    /// Bytes before it are the same.
    package var offset: Int
    /// Else the difference is somewhere in the 64 KiB behind.
    package var isExact: Bool
  }

  /// Nil for the same bytes.
  func difference(from other: DataStream) -> Difference? {
    guard digests != other.digests else { return nil }
    let common = min(head.count, other.head.count)
    if let offset = (0..<common).first(where: { head[$0] != other.head[$0] }) {
      return Difference(offset: offset, isExact: true)
    }
    let shorter = min(byteCount, other.byteCount)
    if shorter <= common { return Difference(offset: shorter, isExact: true) }
    let whole = min(blocks.count, other.blocks.count)
    let equal = (0..<whole).first { blocks[$0] != other.blocks[$0] } ?? whole
    return Difference(offset: max(equal * Self.blockByteCount, common), isExact: false)
  }
}
