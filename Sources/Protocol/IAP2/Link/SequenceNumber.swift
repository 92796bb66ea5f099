// swift-iap2 · Apache-2.0

/// An 8-bit packet sequence number, which wraps from 255 to 0.
///
/// "Newer" means a forward distance of 1…127 (Reliability.md#sequence-compare; low confidence, every known window is
/// smaller).
public struct SequenceNumber: Sendable, Hashable, CustomStringConvertible {
  public var rawValue: UInt8
  public init(_ rawValue: UInt8) { self.rawValue = rawValue }

  public var next: SequenceNumber { SequenceNumber(rawValue &+ 1) }

  /// How many steps forward lead from `other` to here, 0…255.
  public func distance(from other: SequenceNumber) -> Int { Int(rawValue &- other.rawValue) }

  public func advanced(by steps: Int) -> SequenceNumber {
    SequenceNumber(rawValue &+ UInt8(truncatingIfNeeded: steps))
  }

  public var description: String { String(rawValue) }
}
