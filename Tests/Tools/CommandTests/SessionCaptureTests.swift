// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// Commands that read captures of CarPlay sessions.
@Suite(.ownTurn) struct SessionCaptureTests {
  private static let phone = "captures/carplay/peer-phone"
  private static let withKeys = ["\(phone).pcap", "--key-log", "\(phone).keys"]

  @Test func everyFindingHasTheNumberOfItsSession() async throws {
    let outcome = try await Command(["decode"] + Self.withKeys).finish()
    #expect(outcome.status == 0 && outcome.output.contains("device    → accessory  session 1: POST /pair-setup"))
  }

  @Test func theLinkInsideASessionIsExplainedWithIt() async throws {
    let outcome = try await Command(["explain"] + Self.withKeys).finish()
    #expect(outcome.status == 0 && outcome.output.hasPrefix("CarPlay session 1: "), "\(outcome)")
    #expect(outcome.output.contains("\n  iAP2 inside it: stopped at detect: "), "\(outcome)")
    let lines = try await Command(["explain", "--json"] + Self.withKeys).finish().output.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].hasPrefix("{\"breaches\"") && lines[1].contains("\"connection\":1"))
    let one = try await Command(["explain", "--connection", "1"] + Self.withKeys).finish()
    #expect(one.output.hasPrefix("connection 1: iAP2 inside CarPlay session 1\n"))
  }

  @Test func theSummaryHasTheSessions() async throws {
    let outcome = try await Command(["decode", "--summary"] + Self.withKeys).finish()
    for line in [
      "\nCarPlay session 1: phone 127.0.0.1:57760, head unit 127.0.0.1:7778\n  time: ",
      "\n  reached: connected, verified, authenticated, setUp, informed, recording, live\n",
      "\n  end: The phone ended the session in order, with TEARDOWN.\n", "6 SETUP", "\n  mainAudio: ", "\n  screen: ",
    ] {
      #expect(outcome.output.contains(line), "\(line): \(outcome)")
    }
    let json = try await Command(["explain", "--json", "--session", "1"] + Self.withKeys).finish().output
    #expect(json.contains(#"{"byteCount":"#) && json.contains(#""name":"SETUP""#) && json.contains(#""seconds":1."#))
  }

  @Test("A scenario's capture has its CarPlay sessions, and iAP2 inside them", arguments: [true, false])
  func aScenario(isWireless: Bool) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { do { try FileManager.default.removeItem(at: folder) } catch {} }
    let capture = folder.appending(path: "scenario.pcapng").path()
    let keys = folder.appending(path: "scenario.keys").path()
    let scenario = isWireless ? "wireless-carplay" : "wired-carplay"
    let run = try await Command.run("run", scenario, "--capture", capture, "--key-log", keys)
    #expect(run.status == 0 && run.errors.contains("gets every byte of the session's sockets"), "\(run.errors)")
    let explained = try await Command.run("explain", capture)
    #expect(explained.output.contains("\nCarPlay session 1: phone [fe80:"), "\(explained.output)")
    let start = #/\n  bring-up: record [0-9]+ at [0-9.]+s, head unit: CarPlayStartSession over iAP2, connection 1\n/#
    #expect(explained.output.matches(of: start).count == 1, "\(explained.output)")
    #expect(explained.output.contains("AccessoryWiFiConfigurationInformation over iAP2") == isWireless)
    #expect(explained.output.contains("\nCarPlay session 2: phone [fe80:"), "\(explained.output)")
    #expect(explained.output.contains("\n  iAP2 inside it: complete: ") == isWireless, "\(explained.output)")
    let diagram = try await Command.run("diagram", capture).output
    #expect(diagram.matches(of: /<title>CarPlayStartSession 0x4301 over iAP2\n/).count == (isWireless ? 1 : 2))
    let second = try await Command.run("diagram", "--session", "2", capture).output
    #expect(second.matches(of: /<title>CarPlayStartSession 0x4301 over iAP2\n/).count == (isWireless ? 0 : 1))
    let live = "got as far as: connected, verified, authenticated, setUp, informed, recording, live"
    #expect(explained.output.contains(live))
    // The cable is pulled, or the network is lost, and the capture goes on with the next session.
    #expect(explained.output.contains("The session was live and fell silent"), "\(explained.output)")
    // The keys of a scenario are the same in each run, so its capture needs no key log.
    let again = folder.appending(path: "again.pcapng").path()
    #expect(try await Command.run("run", scenario, "--capture", again).status == 0)
    #expect(try await Command.run("diff", capture, again).output.hasPrefix("CarPlay session: equal: "))
    #expect(try String(contentsOfFile: keys, encoding: .utf8).split(separator: "\n").count > 2)
    #expect(try await Command.run("run", "music", "--key-log", keys).status == 64)
  }

  @Test func aSessionWithoutItsBeginningIsNamed() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).pcap")
    defer { do { try FileManager.default.removeItem(at: path) } catch {} }
    let bytes = try Data(contentsOf: Command.root.appending(path: "\(Self.phone).pcap"))
    var (rest, count) = (bytes.dropFirst(24), 0)
    while count < 20 {
      rest = rest.dropFirst(16 + rest.dropFirst(8).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) })
      count += 1
    }
    try (bytes.prefix(24) + rest).write(to: path)
    let closed = try await Command.run("decode", path.path())
    #expect(closed.status == 65 && closed.errors.contains("may be a CarPlay session whose beginning was not captured"))
    let open = try await Command.run("decode", path.path(), "--key-log", "\(Self.phone).keys")
    #expect(open.status == 0 && open.output.contains("the beginning of the session was not captured"))
  }
}
