// swift-iap2 · Apache-2.0

import Foundation
import Testing

@Suite(.ownTurn) struct ExplainTests {
  static func files(_ folder: String) -> [String] {
    do {
      let path = Command.root.appending(path: "captures/\(folder)").path()
      return try FileManager.default.contentsOfDirectory(atPath: path).sorted().map { "\(folder)/\($0)" }
    } catch { return [] }
  }

  /// Every capture of a session or of a failure, with the output of all commands that read it.
  @Test(arguments: files("sessions") + files("failures")) func aCaptureIsDecodedAndExplained(name: String) async throws
  {
    let file = "captures/\(name)"
    var shown = ""
    for arguments in [["decode"], ["explain"], ["explain", "--json"]] {
      let outcome = try await Command(arguments + [file]).finish()
      // Only `explain` reports a bus without data.
      #expect(outcome.status == 0 || arguments == ["decode"] && outcome.status == 65 && file.hasSuffix(".pcap"))
      shown += "$ iap2 \((arguments + [file]).joined(separator: " "))\n\(outcome.output)\(outcome.errors)"
    }
    try expectGolden(shown, "captures/\(name.replacing("/", with: "-")).txt")
  }

  @Test func everyCaptureHasItsLineInTheReadme() throws {
    let readme = try String(contentsOf: Command.root.appending(path: "captures/README.md"), encoding: .utf8)
    for name in Self.files("sessions") + Self.files("failures") {
      #expect(readme.contains("`\(name.split(separator: "/").last ?? "")`"), "\(name)")
    }
  }

  @Test func theJSONHasItsKeysAndTheListHasEveryPoint() async throws {
    let outcome = try await Command.run("explain", "captures/failures/challenge-unanswered.txt", "--json")
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    #expect(object["connection"] as? Int == 1 && object["stage"] as? String == "authentication")
    #expect(object["reached"] as? [String] == ["detect", "negotiation"] && object["complete"] as? Bool == false)
    #expect(object["lastFrom"] as? String == "device" && object["lastRecord"] as? Int == 8)
    #expect(object["turn"] as? String == "accessory")
    #expect(object["expected"] as? [String] == ["0xAA03 AuthenticationResponse"])
    let causes = try #require(object["causes"] as? [[String: String]])
    for cause in causes { #expect(Set(cause.keys) == ["id", "text", "evidence", "confidence", "check"]) }
    let list = try await Command.run("explain", "--list", "--json")
    let points = try list.output.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(points.contains { $0["point"] as? String == "challenge-unanswered" } && points.count > 40)
    let words = Set(points.flatMap { $0["causes"] as? [[String: String]] ?? [] }.compactMap { $0["confidence"] })
    #expect(words == ["high", "medium", "low", "unverified"])
    let text = try await Command.run("explain", "--list")
    #expect(text.status == 0 && text.output.contains("challenge-unanswered (authentication): "))
  }

  @Test(arguments: ["session-refused.txt", "identification-rejected.absent.txt", "transport-closed.pcap"])
  func theCommandsThatShowMoreRun(name: String) async throws {
    let explained = try await Command.run("explain", "captures/failures/\(name)")
    let commands = explained.output.split(separator: "\n").filter { $0.hasPrefix("  see: iap2 ") }
    #expect(!commands.isEmpty)
    for command in commands {
      // Every second part is between quotes, which are one word.
      let parts = command.dropFirst("  see: iap2 ".count).split(separator: "'", omittingEmptySubsequences: false)
      let words = parts.enumerated().flatMap { index, part in
        index.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [String(part)]
      }
      let outcome = try await Command(words).finish()
      #expect(outcome.status == (words[0] == "check" ? 1 : 0) && !outcome.output.isEmpty, "\(words): \(outcome)")
    }
  }

  /// Standard input is closed after `explain`.
  @Test func standardInputHasNoCommandThatShowsMore() async throws {
    let capture = try String(
      contentsOf: Command.root.appending(path: "captures/failures/session-refused.txt"), encoding: .utf8)
    let outcome = try await Command(["explain", "-"], input: .text(capture)).finish()
    #expect(outcome.status == 0 && !outcome.output.contains("see:"))
  }

  static let failures: [(arguments: [String], input: String, status: Int32, says: String)] = [
    (["explain", "README.md"], "", 65, "could be decoded"),
    (["explain", "-"], "A>D 00112233\n", 65, "could be decoded"),
    (["explain", "captures/synthetic/worked-session.txt", "--connection", "2"], "", 65, "connection 1, not in 2"),
    (["explain", "captures/synthetic/worked-session.txt", "--connection", "0"], "", 64, "from 1"),
    (["explain"], "", 64, "capture"), (["explain", "--list", "x.txt"], "", 64, "--list"),
    (["explain", "--list", "--connection", "1"], "", 64, "--list"),
    (["explain", "--list", "--swap"], "", 64, "--list"),
    (["explain", "--list", "--from", "device"], "", 64, "--list"),
    (["explain", "nowhere.txt"], "", 66, "nowhere.txt"),
  ]

  @Test(arguments: failures.indices) func aFileThatCannotBeExplainedIsAFailure(index: Int) async throws {
    let (arguments, input, status, says) = Self.failures[index]
    let outcome = try await Command(arguments, input: .text(input)).finish()
    #expect(outcome.status == status && outcome.errors.contains(says), "\(arguments): \(outcome)")
  }

  @Test func damageOfTheFileIsReportedOnceWithoutAConnection() async throws {
    let worked = try String(
      contentsOf: Command.root.appending(path: "captures/synthetic/worked-session.txt"), encoding: .utf8)
    let damaged = worked.replacing("A>D ff5a0009402b6400cf", with: "A>D ff5a0009402b6400c\nA>D ff5a0009402b6400cf")
    let whole = try await Command(["explain", "-"], input: .text(worked)).finish()
    let outcome = try await Command(["explain", "-"], input: .text(damaged)).finish()
    #expect(outcome.status == 0 && whole.errors.isEmpty)
    #expect(outcome.errors == "iap2: standard input is damaged in 1 place: `iap2 decode` shows them\n")
    #expect(!outcome.output.contains("damaged"))
  }

  /// The project's own captures have a comment for the end of the transport.
  @Test func aSessionOnAnEndedTransportIsNotRunning() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).pcapng").path()
    defer { do { try FileManager.default.removeItem(atPath: path) } catch {} }
    #expect(try await Command.run("run", "day", "--capture", path).status == 0)
    let outcome = try await Command.run("explain", path, "--json")
    #expect(outcome.output.contains(#""point":"closed""#))
  }

  @Test func theSelectedConnectionIsShown() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).pcapng").path()
    defer { do { try FileManager.default.removeItem(atPath: path) } catch {} }
    #expect(try await Command.run("run", "replug", "--capture", path).status == 0)
    let both = try await Command.run("explain", path)
    let second = try await Command.run("explain", path, "--connection", "2")
    #expect(both.output.contains("connection 1: ") && both.output.contains("connection 2: "))
    #expect(second.output.hasPrefix("connection 2: ") && both.output.hasSuffix(second.output))
  }
}
