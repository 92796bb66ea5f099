// swift-iap2 · Apache-2.0

import Testing

@testable import CarPlayHost

/// The car's clock.
@Suite struct ClockTests {
  /// Another thread of a busy machine could begin the sleep, or go on behind it, after the car has seen an idle queue.
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
