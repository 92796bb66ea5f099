// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import Testing

extension SessionPair {
  /// Above the deadlines of every test.
  private static let deadlineLimit = 1000

  /// Goes from deadline to deadline until the condition holds or neither side waits. Sessions whose deadlines lead
  /// nowhere fail the test instead of holding it for ever.
  mutating func expireAll(until isDone: (SessionPair) -> Bool, examine: (inout SessionPair) -> Void = { _ in }) {
    for _ in 0..<Self.deadlineLimit {
      guard !isDone(self), expire() else { return }
      examine(&self)
    }
    Issue.record("the sessions still wait after \(Self.deadlineLimit) deadlines")
  }

  /// Loses everything that a side has sent.
  mutating func loseAll(from side: Side) {
    for _ in inFlight[side] ?? [] { lose(from: side) }
  }
}
