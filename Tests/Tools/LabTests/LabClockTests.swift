// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Transport
import Synchronization
import Testing

@testable import Lab

@Suite struct LabClockTests {
  /// Runs a body at the pace of a clock on a thread of its own.
  private static func run(
    _ clock: LabClock, _ body: @escaping @Sendable (VirtualTime) async throws -> MonotonicTime
  ) async throws -> MonotonicTime {
    try await withCheckedThrowingContinuation { ended in
      Thread { ended.resume(with: Result { try VirtualTime.run(pace: clock, body) }) }.start()
    }
  }

  @Test("A time that stands still moves to the next event, and no further")
  func jumps() async throws {
    let clock = LabClock(isPaused: true, speed: 1)
    let seen = Mutex<[Double]>([])
    async let end = Self.run(clock) { time in
      for second in 1...3 {
        try await time.sleep(until: .zero.advanced(by: .seconds(second)))
        seen.withLock { $0.append(time.now.seconds) }
      }
      return time.now
    }
    for count in 1...3 {
      while !clock.jump() { await Task.yield() }
      while seen.withLock(\.count) < count { await Task.yield() }
      #expect(seen.withLock { $0 } == (1...count).map(Double.init))
      #expect(clock.now.seconds == Double(count))
    }
    #expect(try await end.seconds == 3)
  }

  @Test("A session whose time stands still ends all the same")
  func ends() async throws {
    let clock = LabClock(isPaused: true, speed: 1)
    async let end = Self.run(clock) { time in
      try await time.sleep(until: .zero.advanced(by: .seconds(3600)))
      return time.now
    }
    clock.finish()
    #expect(try await end.seconds == 3600)
  }

  @Test("A task of the session that another thread wakes runs at the present time")
  func wakes() async throws {
    let clock = LabClock(isPaused: true, speed: 1)
    let signal = Signal()
    async let end = Self.run(clock) { time in
      await signal.wait()
      return time.now
    }
    signal.notify()
    #expect(try await end == .zero)
  }

  /// Returns the events of a scenario in their order.
  private static func events(_ scenario: Scenario, pace: LabClock?) async throws -> [String] {
    try await withCheckedThrowingContinuation { ended in
      Thread {
        let events = Mutex<[String]>([])
        let result = Result {
          try VirtualTime.run(pace: pace) { time in
            let player = ScenarioPlayer(
              scenario, clock: time,
              show: { role, event in events.withLock { $0.append("\(role) \(event.time.seconds) \(event.event.name)") }
              })
            return await player.play()
          }
        }
        ended.resume(with: result.map { _ in events.withLock { $0 } })
      }.start()
    }
  }

  @Test("A scenario has the same events at the same times at any pace")
  func sameEvents() async throws {
    let scenario = try #require(try BundledScenarios.scenario("day"))
    let wanted = try await Self.events(scenario, pace: nil)
    #expect(wanted.count > 300)
    #expect(try await Self.events(scenario, pace: LabClock(isPaused: false, speed: 100)) == wanted)
  }
}
