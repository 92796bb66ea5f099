// swift-iap2 · Apache-2.0

import Synchronization

/// Random bytes that are the same in each run. They are for simulations and tests, never for real keys.
public final class SeededBytes: Sendable {
  private let state: Mutex<UInt64>

  /// Creates a source of bytes that follow from a seed.
  public init(_ seed: UInt64) { state = Mutex(seed) }

  /// Returns the next bytes.
  public func bytes(_ count: Int) -> [UInt8] {
    state.withLock { state in
      (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 33)
      }
    }
  }
}
