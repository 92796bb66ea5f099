// swift-iap2 · Apache-2.0

import IAP2Runtime
import IAP2Transport
import Synchronization
import Testing

@testable import IAP2Scenario

/// The memory that a run of virtual time leaves.
@Suite struct LeftoverTests {
  /// A clock that may have ended.
  private final class Memory: Sendable {
    private struct Weak: Sendable { weak let time: VirtualTime? }
    private let kept = Mutex<Weak?>(nil)

    func keep(_ time: VirtualTime) { kept.withLock { $0 = Weak(time: time) } }
    var isKept: Bool { kept.withLock { $0?.time != nil } }
  }

  @Test(
    "No task of a scenario keeps its clock after the run, however its cable ended",
    arguments: [
      "wait: 1", "halfOpen: true", "cut: true", "faults: {delay: 50}", "headUnit: disconnect",
      "phone: {open: com.example.stall}\n  - phone: {write: {protocol: com.example.stall, bytes: 100000}}",
    ])
  func scenario(step: String) throws {
    let scenario = try Scenario(
      yaml: "headUnit: {features: all, protocols: {com.example.stall: stall}}\nsteps:\n"
        + "  - expect: {headUnit: connected}\n  - \(step)\n",
      file: "test.yaml")
    #expect(try !Self.leavesClock(scenario))
  }

  @Test(
    "No task of a bundled scenario does",
    arguments: ["day", "accessory", "replug", "wireless", "wired-carplay", "wireless-carplay"])
  func bundled(name: String) throws {
    #expect(try !Self.leavesClock(try #require(try BundledScenarios.scenario(name))))
  }

  private static func leavesClock(_ scenario: Scenario) throws -> Bool {
    let memory = Memory()
    let outcome = try VirtualTime.run { time in
      memory.keep(time)
      var player = ScenarioPlayer(scenario, clock: time, show: { _, _ in })
      let (steps, added) = AsyncStream<Scenario.Step>.makeStream()
      added.finish()
      player.added = (steps, { _, _ in })
      return await player.play()
    }
    #expect(outcome == .complete)
    return memory.isKept
  }
}
