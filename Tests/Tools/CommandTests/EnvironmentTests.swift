// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// The environment that the tests run in.
@Suite struct EnvironmentTests {
  /// Tests see sets and dictionaries in a random order, as programs do. `tools/shell/build.sh` has the reason why builds set
  /// the variable. `tools/test --filter NAME` builds with it and runs tests without it.
  @Test func theVariableOfTheBuildDoesNotReachTheTests() {
    #expect(ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] == nil)
  }
}
