// swift-iap2 · Apache-2.0

import Basics
import Synchronization

/// A source of random decisions, from a seed, on which disconnect notifications of a platform are lost.
///
/// Systems with this fault were reported to lose "at least once out of five" (Lifecycle.md#missed-notice; high for the
/// symptom).
public final class NoticeLoss: Sendable {
  private let probability: Double
  private let generator: Mutex<SeededGenerator>

  /// Creates a fault.
  ///
  /// - Parameters:
  ///   - probability: The probability, 0…1, that a notification is lost.
  ///   - seed: The seed of the random numbers.
  public init(probability: Double, seed: UInt64) {
    self.probability = probability
    generator = Mutex(SeededGenerator(seed: seed))
  }

  /// Returns whether the next notification is lost.
  public func isLost() -> Bool { generator.withLock { $0.chance(probability) } }
}
