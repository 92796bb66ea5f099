// swift-iap2 · Apache-2.0

import Basics
import Synchronization

/// Random bytes that are the same in each run. They are for simulations and tests, never for real keys.
public final class SeededBytes: Sendable {
  private let generator: Mutex<SeededGenerator>

  /// Creates a source of bytes that follow from a seed.
  public init(_ seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

  /// Returns the next bytes.
  public func bytes(_ count: Int) -> [UInt8] {
    generator.withLock { generator in (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next() >> 32) } }
  }
}
