// swift-iap2 · Apache-2.0

import IAP2

/// The bytes of one direction, in a form that two streams can be compared by. The first bytes are kept unchanged; all
/// bytes are kept as one digest per block.
package struct DataStream: Sendable {
  /// The number of bytes.
  package private(set) var byteCount = 0
  /// The first bytes, at most ``maximumHeadByteCount``.
  package private(set) var head: [UInt8] = []
  private var blocks: [UInt64] = []
  private var running = Self.basis
  private var marks: [Mark] = []

  /// A place in the session at which bytes were sent.
  struct Mark: Sendable {
    /// The offset of the first byte.
    var offset: Int
    /// The number of steps before the bytes.
    var stepCount: Int
    var time: Double?
  }

  /// The maximum of bytes that are kept unchanged. Within them, the place of a difference is exact.
  package static let maximumHeadByteCount = 1 << 16
  static let blockByteCount = 1 << 16
  /// The maximum number of blocks with a digest each. The bytes after them share one digest.
  private static let maximumBlocks = 1 << 16
  private static let maximumMarks = 1 << 12

  // FNV-1a with 64 bits: two different streams have equal digests with a probability of 2^-64. It does not protect
  // against bytes that are made to collide.
  private static let basis: UInt64 = 0xCBF2_9CE4_8422_2325
  private static let prime: UInt64 = 0x0000_0100_0000_01B3

  /// Creates a stream without bytes.
  package init() {}

  /// Appends bytes.
  ///
  /// - Parameter budget: the head bytes that all streams of a session may still keep.
  package mutating func append(_ bytes: RawSpan, after stepCount: Int, time: Double?, budget: inout Int) {
    if marks.last?.stepCount != stepCount, marks.count < Self.maximumMarks {
      marks.append(Mark(offset: byteCount, stepCount: stepCount, time: time))
    }
    // Heads have no gaps: after the first bytes without room, none are kept.
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

  /// The digests, which are equal for streams of the same bytes.
  var digests: [UInt64] { [UInt64(byteCount)] + blocks + [running] }

  /// Returns the place in the session at which a byte was sent; nil for an offset beyond the last byte.
  func mark(of offset: Int) -> Mark? { offset < byteCount ? marks.last { $0.offset <= offset } : nil }

  /// The place at which two streams begin to differ.
  package struct Difference: Sendable, Equatable {
    /// The number of equal bytes before the difference.
    package var offset: Int
    /// Whether the offset is exact; otherwise the difference is within the 64 KiB after it.
    package var isExact: Bool
  }

  /// Returns the first difference, or nil for equal streams.
  package func difference(from other: DataStream) -> Difference? {
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
