// swift-iap2 · Apache-2.0

import Foundation
import Testing

@Suite(.ownTurn) struct DiffTests {
  /// Creates captures of runs for the duration of a test.
  private static func captures(
    of scenarios: [String], _ body: ([String]) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var files: [String] = []
    for (number, scenario) in scenarios.enumerated() {
      files.append(folder.appending(path: "\(number).pcapng").path())
      #expect(try await Command.run("run", scenario, "--json", "--capture", files[number]).status == 0)
    }
    try await body(files)
    try FileManager.default.removeItem(at: folder)
  }

  @Test(arguments: ["music", "day", "calls", "accessory"]) func aRunIsEqualToItsRepetition(name: String) async throws {
    try await Self.captures(of: [name, name]) { files in
      let outcome = try await Command.run("diff", files[0], files[1])
      #expect(outcome.status == 0, "\(outcome.output)")
      // A scenario with a CarPlay session has that in front.
      #expect("\n\(outcome.output)".contains("\nequal: ") && outcome.errors.isEmpty)
      #expect(!outcome.output.contains("as far as they can be read"))
      // The challenges differ, so the files are not identical.
      #expect(try Data(contentsOf: URL(filePath: files[0])) != Data(contentsOf: URL(filePath: files[1])))
      #expect(outcome.output.contains("challenge: 2 parameters with different values"))
    }
  }

  @Test func twoSessionsAreComparedStepByStep() async throws {
    try await Self.captures(of: ["music", "Tests/Tools/CommandTests/Fixtures/other-music.yaml"]) { files in
      let text = try await Command.run("diff", files[0], files[1])
      #expect(text.status == 1 && text.errors.isEmpty)
      try expectGolden(text.output, "diff.txt")
      let whole = try await Command.run("diff", files[0], files[1], "--all")
      let shown = whole.output.split(separator: "\n").count { $0.contains("RequestAuthenticationCertificate") }
      #expect(whole.status == 1 && shown == 2)
      let json = try await Command.run("diff", files[0], files[1], "--json")
      #expect(json.status == 1)
      try expectGolden(json.output, "diff.jsonl")
      let lines = try json.output.split(separator: "\n").map {
        try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
      }
      #expect(lines.first?["difference"] as? String == "parameter")
      #expect(lines.last?["equal"] as? Bool == false)
      #expect(lines.last?["differences"] as? Int == lines.count { $0["difference"] != nil })
    }
  }

  @Test func oneOfTwoCanComeFromStandardInput() async throws {
    let capture = "captures/synthetic/worked-session.txt"
    let text = try String(contentsOf: Command.root.appending(path: capture), encoding: .utf8)
    let same = try await Command.run("diff", "-", "captures/formats/rfcomm.pklg", "--json", input: text)
    #expect(same.status == 0)
    #expect(same.output.hasSuffix("{\"differences\":0,\"equal\":true}\n"))
    // One byte of the accessory's protocol data and the checksum are changed.
    let other = text.replacing("68656c6c6feb", with: "68656c6c70ea")
    let outcome = try await Command.run("diff", capture, "-", input: other)
    #expect(outcome.status == 1)
    #expect(
      outcome.output.hasPrefix(
        "first difference: step 14, in data after step 15: EA session of com.acme.p: accessory: 5 bytes, the first"
          + " difference is at byte 4: A 68656c6c6f, B 68656c6c70 (1 difference)\n"))
  }

  @Test func severalConnectionsAreNamed() async throws {
    let records = try String(
      contentsOf: Command.root.appending(path: "captures/synthetic/worked-session.txt"), encoding: .utf8)
    // Two connections of a capture: 157 is the project's own link type, whose records name their connection.
    var pcap: [UInt8] =
      [0xA1, 0xB2, 0xC3, 0xD4, 0, 2, 0, 4] + [UInt8](repeating: 0, count: 8) + [0, 1, 0, 0, 0, 0, 0, 157]
    for connection in [0, 1] as [UInt8] {
      for line in records.split(separator: "\n") where !line.hasPrefix("#") {
        let digits = line.dropFirst(4).prefix { $0 != "#" }.filter(\.isHexDigit)
        // The second ends before its reset.
        if connection == 1, line.hasSuffix("# rst") { continue }
        var bytes: [UInt8] = [1, line.hasPrefix("A") ? 0 : 1, 0, connection]
        var rest = digits[...]
        while !rest.isEmpty {
          bytes.append(try #require(UInt8(rest.prefix(2), radix: 16)))
          rest = rest.dropFirst(2)
        }
        let count = [0, 0, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
        pcap += [UInt8](repeating: 0, count: 8) + count + count + bytes
      }
    }
    let file = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).pcap")
    try Data(pcap).write(to: file)
    let first = try await Command.run("diff", file.path(), "captures/synthetic/worked-session.txt")
    #expect(first.status == 0 && first.errors.contains("has iAP2 in connections 1, 2; connection 1 is compared"))
    let second = try await Command.run("diff", file.path(), file.path(), "--connection", "2")
    #expect(second.status == 0 && second.output.hasPrefix("equal: 16 steps"))
    let third = try await Command.run("diff", file.path(), file.path(), "--connection", "3")
    #expect(third.status == 65 && third.errors.contains("has iAP2 in connections 1, 2, not in 3"))
    try FileManager.default.removeItem(at: file)
  }

  @Test func sealedSessionsAreEqualAsFarAsTheyCanBeRead() async throws {
    let capture = "captures/carplay/peer-headunit.pcap"
    let outcome = try await Command.run("diff", capture, capture)
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("CarPlay session: equal as far as they can be read: 5 requests"))
    #expect(outcome.output.contains("was not compared"))
    let key = "captures/carplay/peer-headunit.keys"
    #expect(try await !Command.run("diff", capture, capture, "--key-log", key).output.contains("as far as"))
    #expect(try await Command.run("diff", capture, capture, "--json").output.contains(#""note":"unread""#))
  }

  @Test func thePageNamesEveryKeyOfASession() async throws {
    let captures = ["captures/carplay/peer-headunit", "captures/carplay/failures/headunit-no-screen-uuid"]
    let outcome = try await Command.run(
      "diff", captures[0] + ".pcap", captures[1] + ".pcap", "--key-log", captures[0] + ".keys", "--key-log",
      captures[1] + ".keys", "--json")
    let page = Command.root.appending(path: "Documentation/Tasks/ReadAndCompareCaptures.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let keys = Set(outcome.output.matches(of: #/"(\w+)":/#).map { String($0.1) })
    #expect(keys.count > 10)
    for key in keys { #expect(text.contains("`\(key)`"), "\(key)") }
  }
}
