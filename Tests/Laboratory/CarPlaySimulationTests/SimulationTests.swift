// swift-iap2 · Apache-2.0

import CarPlaySession
import CarPlaySimulation
import Testing

@Suite("CarPlay sessions drawn from seeds")
struct SimulationTests {
  /// The number of seeds. `tools/proof carplay` plays more.
  private static let count: UInt64 = 200

  @Test("Every invariant holds after every step")
  func invariants() {
    var (live, delivered) = (0, 0)
    for seed in 0..<Self.count {
      var simulation = SessionSimulation(seed: seed)
      let outcome = simulation.run()
      #expect(outcome.violations.isEmpty, "\(outcome)")
      if outcome.wasLive { live += 1 }
      delivered += outcome.deliveredCount
    }
    #expect(UInt64(live) > Self.count / 2, "\(live) of \(Self.count) sessions became live")
    #expect(UInt64(delivered) > Self.count, "\(delivered) contents arrived")
  }

  @Test("A seed plays the same again", arguments: [1, 2, 3, 5, 8, 13, 21, 34] as [UInt64])
  func replay(seed: UInt64) {
    var (one, two) = (SessionSimulation(seed: seed), SessionSimulation(seed: seed))
    #expect(one.run() == two.run())
  }
}
