// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import Testing

/// Tests of the command's options for the disconnect policy.
@Suite(.ownTurn) struct LifecycleCommandTests {
  static func events(_ run: Command.Outcome) throws -> [[String: Any]] {
    try run.output.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
  }

  static func ends(_ run: Command.Outcome, of role: String) throws -> [[String: Any]] {
    try events(run).filter { $0["event"] as? String == "disconnected" && $0["role"] as? String == role }
  }

  @Test func evidenceDetectsAnEndWithoutNotification() async throws {
    let run = try await Command.run("run", "lost-notification", "--json")
    #expect(run.status == 0)
    // The phone has the sign of its battery. The head unit has only silence: four probes of 1.5 s, the agreed time.
    for (role, cause, limit) in [("phone", "chargingStopped", 800.0), ("headUnit", "timeout", 6000)] {
      let ends = try Self.ends(run, of: role)
      #expect(ends.count == 1)
      #expect(ends.first?["cause"] as? String == cause)
      #expect((ends.first?["evidence"] as? [[String: Any]])?.isEmpty == false)
      #expect((ends.first?["latencyMilliseconds"] as? Double ?? 9999) <= limit)
    }
  }

  @Test func theNotificationPolicyMissesAnEndWithoutNotification() async throws {
    let run = try await Command.run("run", "lost-notification", "--json", "--policy", "notification")
    #expect(run.status == 1)
    #expect(try Self.ends(run, of: "phone").isEmpty)
    #expect(try Self.ends(run, of: "headUnit").isEmpty)
  }

  @Test func theWorkaroundDetectsTheSourceOfCharging() async throws {
    let text = """
      headUnit: {features: [power]}
      noticeLoss: 1
      steps:
        - expect: {headUnit: powerChanged, values: {BatteryChargingState: STATE}}
        - halfOpen: true
        - phone: {battery: {car: 0}}
        - expect: {phone: disconnected, values: {cause: chargingStopped}, within: 1}
      """
    for (level, state, status) in [(50, "Charging", 0), (100, "Charged", 1)] as [(Int, String, Int32)] {
      let file = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).yaml")
      try "phone: {battery: {level: \(level)}}\n\(text.replacing("STATE", with: state))"
        .write(to: file, atomically: true, encoding: .utf8)
      defer { do { try FileManager.default.removeItem(at: file) } catch {} }
      let run = try await Command.run("run", file.path(), "--policy", "charging")
      #expect(run.status == status, "\(state): \(run.errors)")
    }
  }

  @Test(arguments: [
    "noticed-pull", "full-battery", "no-charge", "engine-start", "wall-charger", "late-notice", "both-signals",
    "wireless-lost", "charging-pad", "power-port", "alert-shown", "lossy-platform",
  ])
  func bundledLifecycleScenariosPass(scenario: String) async throws {
    #expect(try await Command.run("run", scenario).status == 0)
  }

  @Test func aChargerIsNeitherConnectedNorDisconnectedBeforeTheCar() async throws {
    let run = try await Command.run("run", "power-port", "--json")
    let names = try Self.events(run).compactMap { $0["event"] as? String }
    for name in ["connected", "disconnected"] { #expect(names.count { $0 == name } == 2, "one \(name) for each role") }
    #expect(!names.contains("suspected"))
    #expect(try Self.events(run).allSatisfy { $0["time"] as? Double ?? 9 >= 2 })
  }

  @Test(arguments: [
    ("evidence", "1", 5, 5), ("notification", "0", 5, 5), ("notification", "1", 0, 0),
  ])
  func onlyTheEvidencePolicyDetectsEveryEndOfALossyPlatform(policy: String, loss: String, phone: Int, headUnit: Int)
    async throws
  {
    let run = try await Command.run("run", "lossy-platform", "--json", "--policy", policy, "--notice-loss", loss)
    #expect(run.status == (phone == 5 ? 0 : 1))
    #expect(try Self.ends(run, of: "phone").count == phone)
    #expect(try Self.ends(run, of: "headUnit").count == headUnit)
  }

  @Test func faultsArePrintedWithTheOptionThatRepeatsThem() async throws {
    let first = try await Command.run("run", "music", "--json", "--fault", "loss=0.03,jitter=5")
    let plan = try #require(first.errors.firstMatch(of: /again with --fault (\S+)/)?.output.1)
    let again = try await Command.run("run", "music", "--json", "--fault", String(plan))
    #expect(first.output == again.output && first.status == again.status)
    // Both kinds of chance have one seed, and one line repeats the run.
    let both = try await Command.run("run", "lossy-platform", "--notice-loss", "0.2", "--fault", "jitter=5,seed=9")
    #expect(both.errors.contains("again with --fault jitter=5,seed=9\n"), "\(both.errors)")
    #expect(both.errors.contains("by the same seed\n") && !both.errors.contains("--seed"), "\(both.errors)")
    let other = try await Command.run("run", "music", "--fault", "lag=1")
    #expect(other.status == 64 && other.errors.contains("unknown fault \"lag\""))
  }

  @Test func theSeedOfAScenarioIsUsed() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).yaml")
    defer { do { try FileManager.default.removeItem(at: file) } catch {} }
    let steps = "steps: [expect: {phone: connected}]\n"
    try "fault: loss=0.1,seed=5\n\(steps)".write(to: file, atomically: true, encoding: .utf8)
    let named = try await Command.run("run", file.path())
    #expect(named.errors.contains("again with --fault loss=0.1,seed=5\n"))
    let given = try await Command.run("run", file.path(), "--seed", "6")
    #expect(given.errors.contains("again with --fault loss=0.1,seed=6\n"))
    try "fault: loss=0.1\n\(steps)".write(to: file, atomically: true, encoding: .utf8)
    var seeds: Set<String> = []
    for _ in 0..<3 {
      let run = try await Command.run("run", file.path())
      seeds.insert(String(try #require(run.errors.firstMatch(of: /seed=([0-9]+)/)?.output.1)))
    }
    #expect(seeds.count > 1)
    let alone = try await Command.run("run", file.path(), "--fault", "seed=7")
    #expect(alone.errors.contains("again with --fault loss=0.1,seed=7\n"))
    let nothing = try await Command.run("run", "music", "--seed", "7")
    #expect(nothing.status == 64 && nothing.errors.contains("neither is given"), "\(nothing.errors)")
    // Probabilities of 0 and 1 accept the same command line.
    let end = try await Command.run("run", "lossy-platform", "--notice-loss", "0", "--seed", "7")
    #expect(end.status == 0, "\(end.errors)")
  }
}
