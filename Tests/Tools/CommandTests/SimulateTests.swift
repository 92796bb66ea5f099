// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// Tests of the command `simulate`.
@Suite(.ownTurn) struct SimulateTests {
  private func last(_ run: Command.Outcome) throws -> [String: Any] {
    let line = try #require(run.output.split(separator: "\n").last)
    return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  private func temporary(_ ending: String) -> URL {
    FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).\(ending)")
  }

  @Test func theLastLineIsTheSummary() async throws {
    let run = try await Command.run("simulate", "--seeds", "5..<25", "--json")
    #expect(run.status == 0)
    let summary = try last(run)
    #expect(Set(summary.keys) == ["sessions", "violations", "missed", "false", "failingSeeds"])
    #expect(summary["sessions"] as? Int == 20)
    #expect(summary["violations"] as? Int == 0)
    #expect((summary["failingSeeds"] as? [Any])?.isEmpty == true)
  }

  @Test func shardsAddUpToTheWhole() async throws {
    var files: [String] = []
    for shard in ["0/2", "1/2"] {
      let run = try await Command.run(
        "simulate", "--seeds", "0..<15", "--shard", shard, "--json", "--policy", "notification")
      let file = temporary("json")
      try run.output.write(to: file, atomically: true, encoding: .utf8)
      files.append(file.path())
    }
    defer { for file in files { do { try FileManager.default.removeItem(atPath: file) } catch {} } }
    let merged = try last(try await Command.run("simulate", "--json", "--merge", files[0], files[1]))
    let whole = try last(
      try await Command.run("simulate", "--seeds", "0..<15", "--json", "--policy", "notification"))
    #expect(merged as NSDictionary == whole as NSDictionary)
    #expect(whole["missed"] as? Int ?? 0 > 0)
  }

  @Test func repeatedAndMissingShardsAreReported() async throws {
    let run = try await Command.run("simulate", "--seeds", "0..<12", "--shard", "1/3", "--json")
    let files = [temporary("json"), temporary("json")]
    for file in files { try run.output.write(to: file, atomically: true, encoding: .utf8) }
    defer { for file in files { do { try FileManager.default.removeItem(at: file) } catch {} } }
    let once = try await Command.run("simulate", "--merge", files[0].path())
    #expect(once.status == 1)
    #expect(once.errors.contains("missing of 0..<12, in 3 shards: 0, 2"))
    let twice = try await Command.run("simulate", "--merge", files[0].path(), files[1].path())
    #expect(twice.status == 65)
    #expect(twice.errors.contains("have played the same seeds; leave out one of them"))
  }

  @Test func shardsOfDifferentCampaignsAreNotAddedUp() async throws {
    var files: [String] = []
    defer { for file in files { do { try FileManager.default.removeItem(atPath: file) } catch {} } }
    for (shard, options) in [("0/2", []), ("1/2", ["--faults", "none"])] as [(String, [String])] {
      let run = try await Command(["simulate", "--seeds", "0..<6", "--shard", shard, "--json"] + options).finish()
      let file = temporary("json")
      try run.output.write(to: file, atomically: true, encoding: .utf8)
      files.append(file.path())
    }
    let merged = try await Command(["simulate", "--merge"] + files).finish()
    #expect(merged.status == 65)
    #expect(merged.errors.contains("different campaigns: one has --faults none, the other no options"))
  }

  @Test func aSideHasOneProfile() async throws {
    let run = try await Command.run(
      "simulate", "--seed", "3", "--profile", "thermal-camera", "--profile", "microphone")
    #expect(run.status == 64 && run.output.isEmpty)
  }

  @Test func anInterruptedCampaignReportsItsResultsSoFar() async throws {
    let terminal = try PseudoTerminal()
    let command = try Command(["simulate", "--seeds", "0..<10000000", "--json"], errors: terminal.other)
    try terminal.other.close()
    var shown = ""
    func shows(_ pattern: some RegexComponent) -> Bool {
      while terminal.hasText { shown += String(decoding: terminal.own.availableData, as: UTF8.self) }
      return shown.contains(pattern)
    }
    // The progress is shown after a session, for the first time after a second.
    #expect(try await Command.wait { shows(/[0-9] % of 10000000 sessions/) })
    command.process.interrupt()
    #expect(try await Command.wait { shows(/ended after [0-9]+ of 10000000 sessions/) }, "\(shown)")
    let run = try await command.finish()
    #expect(run.status == 1)
    #expect(try last(run)["sessions"] as? Int ?? 0 > 0)
  }

  @Test func aShardThatHasNotEndedIsNotCounted() async throws {
    let file = temporary("json")
    try "{\"event\":\"details\"}\n".write(to: file, atomically: true, encoding: .utf8)
    defer { do { try FileManager.default.removeItem(at: file) } catch {} }
    let run = try await Command.run("simulate", "--merge", file.path())
    #expect(run.status == 65)
    #expect(run.errors.contains("does not end with a summary"))
  }

  @Test func shardsInOneFileAreAllAddedAndSummariesAloneAreNot() async throws {
    let files = [temporary("json"), temporary("json")]
    defer { for file in files { do { try FileManager.default.removeItem(at: file) } catch {} } }
    var printed: [String] = []
    for shard in ["0/2", "1/2"] {
      printed.append(try await Command.run("simulate", "--seeds", "0..<20", "--shard", shard, "--json").output)
    }
    try printed.joined().write(to: files[0], atomically: true, encoding: .utf8)
    let both = try await Command.run("simulate", "--merge", files[0].path(), "--json")
    #expect(both.status == 0 && both.errors.isEmpty, "\(both.errors)")
    #expect(try last(both)["sessions"] as? Int == 20)
    let twice = try await Command.run("simulate", "--merge", files[0].path(), files[0].path())
    #expect(twice.status == 65 && twice.errors.contains("the same seeds"), "\(twice.errors)")
    let summary = try #require(printed[0].split(separator: "\n").last)
    try "\(summary)\n".write(to: files[1], atomically: true, encoding: .utf8)
    let alone = try await Command.run("simulate", "--merge", files[1].path(), files[1].path())
    #expect(alone.status == 65 && alone.errors.contains("keep the whole output of a shard"), "\(alone.errors)")
  }

  @Test func aSeedsCaptureIsTheSameEachTimeAndReadsWell() async throws {
    // Several sessions at once, whose order must not be a dictionary's.
    let files = [temporary("pcapng"), temporary("pcapng")]
    defer { for file in files { do { try FileManager.default.removeItem(at: file) } catch {} } }
    var outputs: [String] = []
    for file in files {
      let run = try await Command.run("simulate", "--seed", "15", "--capture", file.path(), "--json")
      #expect(run.status == 0)
      outputs.append(run.output)
    }
    #expect(outputs[0] == outputs[1])
    #expect(try Data(contentsOf: files[0]) == Data(contentsOf: files[1]))
    let decoded = try await Command.run("decode", files[0].path())
    #expect(decoded.status == 0)
    #expect(decoded.output.contains("IdentificationInformation"))
  }

  @Test func theStudyIsATableOfCasesAndPolicies() async throws {
    let run = try await Command.run("simulate", "--study", "charging", "--disconnects", "84")
    #expect(run.status == 0)
    let rows = run.output.split(separator: "\n").filter { $0.hasPrefix("| ") }
    #expect(rows.count == 79)
    #expect(rows.contains { $0.contains("battery full") })
    // Each row with disconnects has two: 14 cases of 26 under three policies.
    let lines = try await Command.run("simulate", "--study", "charging", "--disconnects", "84", "--json").output
    #expect(lines.hasSuffix(#"{"disconnects":84,"event":"study","rows":78,"trials":156}"# + "\n"))
  }

  @Test(arguments: [
    ["--seeds", "7"], ["--seeds", "9..<3"], ["--seeds", "a..<b"], ["--shard", "2/2"], ["--shard", "x"],
    ["--faults", "rain"], ["--policy", "hope"], ["--jobs", "0"], ["--capture", "x.pcapng"], ["--disconnects", "9"],
    ["--carplay", "--faults", "corruption"], ["--carplay", "--shard", "0/2"], ["--pauses"],
    ["--seed", "1", "--study", "charging"], ["--confirmation", "2"], ["--study", "charging", "--confirmation", "0"],
  ])
  func contradictoryOptionsAreAUsageError(arguments: [String]) async throws {
    #expect(try await Command(["simulate"] + arguments).finish().status == 64)
  }

  @Test func carPlayCyclesHaveASummary() async throws {
    let run = try await Command.run("simulate", "--carplay", "--seeds", "0..<3", "--json")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    let summary = try last(run)
    #expect(summary["cycles"] as? Int == 12)
    for key in ["violations", "missed", "false", "left"] { #expect(summary[key] as? Int == 0) }
    let text = try await Command.run("simulate", "--carplay", "--seed", "2", "--faults", "none", "--pauses")
    #expect(text.status == 0)
    #expect(text.output.contains("CarPlay session: live"))
    #expect(text.output.hasSuffix("4 cycles of 1 pair, 0 violations, 0 ends missed, 0 false, 0 left behind\n"))
  }

  @Test func aProfileIsPlayed() async throws {
    let run = try await Command.run("simulate", "--seeds", "0..<3", "--profile", "thermal-camera", "--faults", "none")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    let other = try await Command.run("simulate", "--profile", "no-such-thing")
    #expect(other.status == 66)
  }
}
