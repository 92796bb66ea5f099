// swift-iap2 · Apache-2.0

import CarPlayTesting
import Testing

extension CarTests {
  /// A test of random operation. `tools/proof` runs a million steps of the same function.
  @Suite @MainActor
  struct RandomOperationTests {
    @Test(arguments: UInt64(0)..<20)
    func aSeedNeverCrashesOrHangsTheCar(_ seed: UInt64) async {
      let summary = await RandomOperation.run(seed: seed, steps: 150)
      #expect(summary.steps == 150)
      #expect(summary.events > 20)
      let again = await RandomOperation.run(seed: seed, steps: 150)
      #expect(again == summary)
    }
  }
}
