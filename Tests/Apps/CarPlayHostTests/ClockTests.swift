// swift-iap2 · Apache-2.0

import Testing

@testable import CarPlayHost

/// Tests of the car's clock.
@Suite struct ClockTests {
  /// On another thread of a busy machine, the sleep could begin or continue after the car has found the queue idle.
  @Test @MainActor func aSleepOfTheMainActorBeginsAndEndsThere() async throws {
    let clock = CarClock()
    var isDone = false
    let sleep = Task { @MainActor in
      try await clock.sleep(for: .seconds(1))
      isDone = true
    }
    await MainQueue.settle(MainQueue.thorough, clock) { 0 }
    #expect(clock.nextSleepEnd == .init(offset: .seconds(1)) && !isDone)
    clock.advance(to: .init(offset: .seconds(1)))
    #expect(clock.isWaking && !isDone)
    await MainQueue.settle(MainQueue.brief, clock) { 0 }
    #expect(!clock.isWaking && isDone)
    try await sleep.value
  }

  @Test @MainActor func aCancelledSleepEnds() async {
    let clock = CarClock()
    let sleep = Task { @MainActor in try await clock.sleep(for: .seconds(1)) }
    await MainQueue.settle(MainQueue.thorough, clock) { 0 }
    sleep.cancel()
    await #expect(throws: CancellationError.self) { try await sleep.value }
    #expect(clock.nextSleepEnd == nil && !clock.isWaking)
  }
}
