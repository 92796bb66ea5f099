// swift-iap2 · Apache-2.0

import CarPlayTesting
import Foundation

/// Operates cars at random: `car-operation FIRST-SEED COUNT STEPS` prints a line for each seed. `tools/proof cars` runs
/// it.
@main enum CarOperation {
  static func main() async {
    let numbers = CommandLine.arguments.dropFirst().compactMap(UInt64.init)
    guard numbers.count == 3, numbers[2] <= Int.max else {
      print("usage: car-operation FIRST-SEED COUNT STEPS")
      exit(64)
    }
    for seed in numbers[0]..<(numbers[0] + numbers[1]) {
      let summary = await RandomOperation.run(seed: seed, steps: Int(numbers[2]))
      // Not print: a crash would take the lines of its buffer along.
      let line = "\(seed) \(summary.steps) \(summary.shown) \(summary.events) \(summary.reports) \(summary.ends)\n"
      FileHandle.standardOutput.write(Data(line.utf8))
    }
  }
}
