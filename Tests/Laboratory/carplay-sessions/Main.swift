// swift-iap2 · Apache-2.0

import CarPlaySimulation
import Foundation

/// Plays CarPlay sessions of both sides: `carplay-sessions FIRST-SEED COUNT` prints a line for each seed whose invariants
/// do not hold, and last the numbers of sessions, of those that became live, of contents that arrived, and of violations.
/// `tools/proof carplay` runs it.
@main enum CarPlaySessions {
  static func main() {
    let numbers = CommandLine.arguments.dropFirst().compactMap(UInt64.init)
    guard numbers.count == 2, CommandLine.arguments.count == 3,
      numbers[0].addingReportingOverflow(numbers[1]).overflow == false
    else {
      print("usage: carplay-sessions FIRST-SEED COUNT")
      exit(64)
    }
    var (live, delivered, violations) = (0, 0, 0)
    for seed in numbers[0]..<numbers[0] + numbers[1] {
      var simulation = SessionSimulation(seed: seed)
      let outcome = simulation.run()
      live += outcome.wasLive ? 1 : 0
      delivered += outcome.deliveredCount
      guard !outcome.violations.isEmpty else { continue }
      violations += 1
      // Not print: a crash would take the lines of its buffer along.
      FileHandle.standardOutput.write(Data("\(outcome)\n".utf8))
    }
    print("\(numbers[1]) \(live) \(delivered) \(violations)")
    exit(violations == 0 ? 0 : 1)
  }
}
