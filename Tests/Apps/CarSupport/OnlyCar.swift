// swift-iap2 · Apache-2.0

package import Testing

/// A trait of tests that suspend while they use what a process has once: the system of `CarPlayModule`, or the
/// notifications of the application. These tests run one after another, in all targets of the test process.
package struct OnlyCar: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  @MainActor private static var isTaken = false
  @MainActor private static var waiting: [CheckedContinuation<Void, Never>] = []

  @MainActor package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Self.take()
    defer { Self.giveBack() }
    try await function()
  }

  @MainActor private static func take() async {
    guard isTaken else {
      isTaken = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  @MainActor private static func giveBack() {
    guard !waiting.isEmpty else {
      isTaken = false
      return
    }
    waiting.removeFirst().resume()
  }
}

extension Trait where Self == OnlyCar {
  package static var onlyCar: Self { Self() }
}
