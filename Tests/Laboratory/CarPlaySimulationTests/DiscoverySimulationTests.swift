// swift-iap2 · Apache-2.0

import CarPlaySimulation
import Testing

/// A thousand cycles of a phone that comes and goes, on a bad network and in virtual time.
@Suite struct DiscoverySimulationTests {
  @Test(arguments: [
    (UInt64(1), DiscoverySimulation.Faults()), (2, .init(loss: 0.2, callLoss: 0.1, delay: .milliseconds(500))),
    (3, .init(loss: 0.1, callLoss: 0.1)), (4, .init(loss: 0.3, delay: .seconds(2))),
  ])
  func aThousandCyclesMissNothingAndLeaveNothing(_ seed: UInt64, _ faults: DiscoverySimulation.Faults) {
    var simulation = DiscoverySimulation(seed: seed, faults: faults)
    simulation.run(cycles: 1000)
    let result = simulation.result
    #expect(result.missed == 0 && result.unwanted == 0, "seed \(seed): \(result)")
    #expect(result.sessions >= 1000 && result.ends == result.sessions, "seed \(seed): \(result)")
    #expect(simulation.isQuiet, "seed \(seed): \(result)")
  }

  @Test func theSameSeedGivesTheSameRun() {
    var runs: [DiscoverySimulation] = (0..<2).map { _ in
      DiscoverySimulation(seed: 9, faults: .init(loss: 0.2, callLoss: 0.2, delay: .seconds(1)))
    }
    for index in runs.indices { runs[index].run(cycles: 100) }
    #expect(runs[0].result == runs[1].result && runs[0].now == runs[1].now)
  }
}
