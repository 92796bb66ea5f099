// swift-iap2 · Apache-2.0

import Synchronization

/// A platform that loses its notices of disconnects: some of them, by a seed.
///
/// The systems this was reported of lost "at least once out of five" (Lifecycle.md#missed-notice; high for the
/// symptom).
public final class NoticeLoss: Sendable {
  private let probability: Double
  private let generator: Mutex<SeededGenerator>

  /// - Parameter probability: 0…1, for each notice.
  public init(probability: Double, seed: UInt64) {
    self.probability = probability
    generator = Mutex(SeededGenerator(seed: seed))
  }

  /// Whether the next one is lost.
  public func isLost() -> Bool { generator.withLock { $0.chance(probability) } }
}
