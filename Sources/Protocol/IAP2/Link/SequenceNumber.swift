// swift-iap2 · Apache-2.0

import Basics

/// The 8-bit sequence number of a packet, which wraps from 255 to 0.
///
/// A number is newer than another if the forward distance is 1 to 127 (Reliability.md#sequence-compare; low: every
/// known window is at most 127).
public struct SequenceNumber: Sendable, Hashable, CustomStringConvertible {
  /// The number.
  public var rawValue: UInt8
  /// Creates a sequence number.
  public init(_ rawValue: UInt8) { self.rawValue = rawValue }

  /// The following sequence number.
  package var next: SequenceNumber { SequenceNumber(rawValue &+ 1) }

  /// Returns the number of steps forward from `other` to this number, 0 to 255.
  package func distance(from other: SequenceNumber) -> Int { Int(rawValue &- other.rawValue) }

  /// Returns the sequence number that is a number of steps forward, modulo 256.
  package func advanced(by steps: Int) -> SequenceNumber {
    SequenceNumber(rawValue &+ UInt8(truncatingIfNeeded: steps))
  }

  /// The number in decimal digits.
  public var description: String { String(rawValue) }
}
