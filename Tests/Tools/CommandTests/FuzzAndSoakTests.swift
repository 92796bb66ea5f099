// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// Tests of the commands `fuzz` and `soak`.
@Suite(.ownTurn) struct FuzzAndSoakTests {
  private func last(_ run: Command.Outcome) throws -> [String: Any] {
    let line = try #require(run.output.split(separator: "\n").last)
    return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  private func scratch() -> String {
    FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)").path()
  }

  @Test func threeHundredCyclesLeakNothing() async throws {
    let run = try await Command.run("soak", "--cycles", "300", "--json")
    #expect(run.status == 0, "\(run.errors)")
    let line = try last(run)
    #expect(line["cycles"] as? Int == 300)
    let before = try #require(line["before"] as? [String: Int])
    let after = try #require(line["after"] as? [String: Int])
    #expect(before["descriptors"] ?? 0 > 0)
    #expect(after["descriptors"] ?? 0 <= before["descriptors"] ?? 0)
  }

  @Test func aSoakWorksWithFaultInjection() async throws {
    let bad = try await Command.run("soak", "--cycles", "10", "--json", "--fault", "loss=0.05,jitter=20", "--seed", "7")
    #expect(bad.status == 0, "\(bad.errors)")
    #expect(try last(bad)["cycles"] as? Int == 10)
    let cut = try await Command.run("soak", "--cycles", "10", "--fault", "disconnect=externalAccessoryOpened")
    #expect(cut.status == 1 && cut.errors.contains("cycle 1: only 0 of 40000 bytes came back"), "\(cut.errors)")
    for command in [["soak"], ["conformance", "--as", "phone", "--transport", "loopback"]] {
      let alone = try await Command(command + ["--seed", "7"]).finish()
      #expect(alone.status == 64 && alone.errors.contains("--seed is the seed of --fault"), "\(alone.errors)")
    }
  }

  @Test func roundsOnAFaultyTransportAreReproducible() async throws {
    let folder = scratch()
    defer { do { try FileManager.default.removeItem(atPath: folder) } catch {} }
    var outputs: [String] = []
    for _ in 0..<2 {
      let run = try await Command.run(
        "fuzz", "--as", "phone", "--transport", "loopback", "--rounds", "40", "--seed", "8", "--findings", folder,
        "--json", "--fault", "disconnect=random:200")
      outputs.append(run.output)
    }
    #expect(outputs[0] == outputs[1] && outputs[0].contains("--fault"), "\(outputs[0])")
  }

  @Test func aFaultOfARoundCanWaitForAStep() async throws {
    let folder = scratch()
    defer { do { try FileManager.default.removeItem(atPath: folder) } catch {} }
    let rounds = ["fuzz", "--as", "phone", "--transport", "loopback", "--rounds", "5", "--seed", "8", "--json"]
    let clean = try await Command(rounds + ["--findings", folder]).finish()
    let cut = try await Command(rounds + ["--findings", folder, "--fault", "disconnect=authenticated"]).finish()
    #expect(try last(clean)["closed"] as? Int == 0)
    #expect(try last(cut)["closed"] as? Int ?? 0 > 0, "\(cut.output)")
  }

  @Test func aSeedAmongTheFaultsIsTheSeedOfTheRounds() async throws {
    let folder = scratch()
    defer { do { try FileManager.default.removeItem(atPath: folder) } catch {} }
    let run = try await Command.run(
      "fuzz", "--as", "phone", "--transport", "loopback", "--rounds", "40", "--findings", folder, "--json",
      "--fault", "seed=8,disconnect=random:200")
    #expect(run.errors.contains("seed 8;"), "\(run.errors)")
    let finding = try #require(run.output.split(separator: "\n").first { $0.contains("\"finding\"") })
    let fields = try #require(try JSONSerialization.jsonObject(with: Data(finding.utf8)) as? [String: Any])
    let again = try #require(fields["again"] as? String)
    let words = again.split(separator: " ").dropFirst().map(String.init)
    let one = try await Command(words + ["--json"]).finish()
    #expect(one.output.contains(finding), "\(again): \(one.errors)")
  }

  @Test func aClosedTerminalEndsASoakInOrder() async throws {
    let terminal = try PseudoTerminal()
    let soak = try Command(["soak", "--cycles", "1000000"], errors: terminal.other)
    try terminal.other.close()
    #expect(try await Command.wait { terminal.hasText })
    try terminal.own.close()
    let run = try await soak.finish()
    #expect(soak.process.terminationReason == .exit && run.status == 1)
    #expect(run.output.contains(" cycles, ") && !run.output.hasPrefix("1000000 "), "\(run.output)")
  }

  @Test func ctrlCEndsASoakInTheMiddleOfACycle() async throws {
    let socket = scratch() + ".sock"
    // The service reads bytes and returns none, so a cycle would last half a minute.
    let peer = try Command([
      "headunit", "--transport", "unix-listen:\(socket)", "--external-accessory", "com.example.sink=discard",
    ])
    defer { peer.process.terminate() }
    #expect(try await Command.wait { FileManager.default.fileExists(atPath: socket) })
    let soak = try Command([
      "soak", "--cycles", "3", "--transport", "unix:\(socket)", "--exchange", "com.example.sink", "--json",
    ])
    #expect(try await Command.wait { try peer.outputText.contains("open as session") })
    soak.process.interrupt()
    let run = try await soak.finish()
    #expect(run.status == 1 && run.errors.contains("0 of 3 cycles"), "\(run.errors)")
    #expect(try last(run)["cycles"] as? Int == 0)
  }

  @Test func aSoakWithALivePeerDialsForEachCycle() async throws {
    let socket = scratch() + ".sock"
    let peer = try Command([
      "headunit", "--transport", "unix-listen:\(socket)", "--external-accessory", "com.example.echo=echo",
    ])
    defer { peer.process.terminate() }
    #expect(try await Command.wait { FileManager.default.fileExists(atPath: socket) })
    let run = try await Command.run(
      "soak", "--cycles", "10", "--transport", "unix:\(socket)", "--exchange", "com.example.echo", "--json")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try last(run)["cycles"] as? Int == 10)
  }

  @Test func anAbsentPeerIsNoLeak() async throws {
    let run = try await Command.run("soak", "--cycles", "2", "--transport", "unix:\(scratch())")
    #expect(run.status == 69)
  }

  @Test(arguments: zip(["phone", "headunit"], ["8", "9"]))
  func ourOwnRolesSurviveChangedMessages(role: String, seed: String) async throws {
    let folder = scratch()
    defer { do { try FileManager.default.removeItem(atPath: folder) } catch {} }
    let run = try await Command.run(
      "fuzz", "--as", role, "--transport", "loopback", "--rounds", "120", "--seed", seed, "--findings", folder, "--json"
    )
    #expect(run.status == 0, "\(run.output)")
    let line = try last(run)
    #expect(line["rounds"] as? Int == 120)
    #expect(line["hangs"] as? Int == 0)
    let coverage = try #require(line["coverage"] as? [String: Any])
    for session in ["control", "externalAccessory", "file"] {
      let counts = try #require(coverage[session] as? [String: Int])
      #expect(counts.values.allSatisfy { $0 > 10 }, "\(session): \(counts)")
    }
    #expect((coverage["states"] as? [String: Int])?["ready"] ?? 0 > 90)
    #expect((coverage["questions"] as? [String])?.isEmpty == false && coverage["asked"] as? Int ?? 0 > 90)
    #expect((coverage["messages"] as? [String: [String]])?["changed"]?.isEmpty == false)
    // Some mutations turn a packet into a reset, which is a finding with a capture.
    let files = try #require(line["findings"] as? [String])
    #expect(!files.isEmpty)
    for file in files { #expect(FileManager.default.fileExists(atPath: file)) }
  }

  @Test func aRoundIsPlayedAgainByItsNumber() async throws {
    let folder = scratch()
    defer { do { try FileManager.default.removeItem(atPath: folder) } catch {} }
    let common = ["fuzz", "--as", "headunit", "--transport", "loopback", "--seed", "7", "--findings", folder, "--json"]
    let all = try await Command(common + ["--rounds", "60"]).finish()
    let finding = try #require(all.output.split(separator: "\n").first { $0.contains("\"finding\"") })
    let fields = try #require(
      try JSONSerialization.jsonObject(with: Data(finding.utf8)) as? [String: Any])
    let round = try #require(fields["round"] as? Int)
    let capture = try #require(fields["capture"] as? String)
    let first = try Data(contentsOf: URL(filePath: capture))
    try FileManager.default.removeItem(atPath: capture)
    let one = try await Command(common + ["--round", "\(round)"]).finish()
    #expect(one.output.contains(finding))
    // The challenge differs in each run, so only the steps are equal.
    #expect(try !first.isEmpty && !Data(contentsOf: URL(filePath: capture)).isEmpty)
  }

  @Test func aFolderThatCannotBeCreatedIsReportedBeforeAnythingIsSent() async throws {
    let file = scratch()
    try "".write(toFile: file, atomically: true, encoding: .utf8)
    defer { do { try FileManager.default.removeItem(atPath: file) } catch {} }
    let run = try await Command.run("fuzz", "--as", "phone", "--transport", "loopback", "--findings", file)
    #expect(run.status == 66 && run.output.isEmpty)
    #expect(run.errors.contains("cannot create the folder \(file)"))
    // A folder without findings is removed.
    let folder = scratch()
    let one = try await Command.run(
      "fuzz", "--as", "phone", "--transport", "loopback", "--seed", "8", "--round", "0", "--findings", folder)
    #expect(one.status == 0 && one.output.hasPrefix("1 rounds: 0 crashes, 0 hangs, 0 resets"))
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  @Test(arguments: [
    ["--round", "5"], ["--round", "5", "--rounds", "7", "--seed", "1"], ["--round", "100000000", "--seed", "1"],
    ["--findings", ""],
  ])
  func optionsWithoutEffectOnFuzzAreRejected(arguments: [String]) async throws {
    let run = try await Command(["fuzz", "--as", "phone", "--transport", "loopback"] + arguments).finish()
    #expect(run.status == 64)
  }

  @Test func anInterruptedFuzzReportsItsRounds() async throws {
    let folder = scratch()
    defer { do { try FileManager.default.removeItem(atPath: folder) } catch {} }
    let command = try Command([
      "fuzz", "--as", "phone", "--transport", "loopback", "--rounds", "1000000", "--findings", folder, "--json",
    ])
    // Some rounds have been played when the first finding is printed.
    #expect(try await Command.wait { try command.outputText.contains("\"finding\"") })
    command.process.interrupt()
    let run = try await command.finish()
    #expect(run.status == 1)
    #expect(run.errors.contains(" of 1000000 rounds"))
    #expect(try (1..<1_000_000).contains(last(run)["rounds"] as? Int ?? 0))
  }

  @Test func aPeerThatDoesNotReconnectHasCrashed() async throws {
    let socket = scratch() + ".sock"
    let folder = scratch()
    defer { do { try FileManager.default.removeItem(atPath: folder) } catch {} }
    // The peer serves the valid session and one round, and then ends.
    let peer = try Command(["headunit", "--transport", "unix-listen:\(socket)"])
    #expect(try await Command.wait { FileManager.default.fileExists(atPath: socket) })
    let fuzz = try Command([
      "fuzz", "--as", "phone", "--transport", "unix:\(socket)", "--rounds", "5000", "--seed", "5", "--findings", folder,
      "--json",
    ])
    // The peer is killed after at least two sessions.
    _ = try await Command.wait { try peer.outputText.components(separatedBy: "detected").count > 2 }
    kill(peer.process.processIdentifier, SIGKILL)
    let run = try await fuzz.finish()
    #expect(run.status == 1)
    #expect(try last(run)["crashes"] as? Int == 1)
  }

  @Test(arguments: [
    "tcp:192.0.2.1:7000", "tcp-listen:0.0.0.0:7000", "rfcomm:00:11:22:33:44:55", "pty",
  ])
  func fuzzRejectsPeersOnOtherMachines(transport: String) async throws {
    let run = try await Command.run("fuzz", "--as", "phone", "--transport", transport)
    #expect(run.status == 64)
    #expect(run.errors.contains("sockets of this machine"))
  }
}
