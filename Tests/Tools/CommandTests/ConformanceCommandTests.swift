// swift-iap2 · Apache-2.0

import Foundation
import Testing

@Suite(.ownTurn) struct ConformanceCommandTests {
  private static func lines(_ text: String) throws -> [[String: Any]] {
    try text.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  @Test(arguments: ["headunit", "phone"])
  func `the project's other role passes, and the last line is a summary`(role: String) async throws {
    let outcome = try await Command.run("conformance", "--as", role, "--transport", "loopback", "--json")
    #expect(outcome.status == 0, "\(outcome.output.suffix(500))")
    let lines = try Self.lines(outcome.output)
    let summary = try #require(lines.last)
    #expect(summary["fail"] as? Int == 0 && summary["inconclusive"] as? Int == 0)
    #expect(summary["checks"] as? Int == lines.count - 1 && lines.count > 61)
    for key in ["id", "area", "title", "requirement", "evidence", "verdict", "milliseconds"] {
      #expect(lines.dropLast().allSatisfy { $0[key] != nil }, "\(key)")
    }
  }

  @Test
  func `the list names each check with requirement and evidence`() async throws {
    let all = try Self.lines(await Command.run("conformance", "--list", "--json").output)
    #expect(Set(all.compactMap { $0["id"] as? String }).count == all.count && all.count >= 60)
    let ofPhones = try await Command.run("conformance", "--list", "--as", "headunit", "--only", "detect").output
    #expect(ofPhones.contains("DET-03") && !ofPhones.contains("DET-01"))
    #expect(ofPhones.contains("Link.md#detect-device-silent"))
  }

  @Test
  func `each check writes its capture, and the run a report for build servers`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)")
    let report = folder.appending(path: "report.xml")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let outcome = try await Command.run(
      "conformance", "--as", "headunit", "--transport", "loopback", "--only", "detect,AUT-22", "--captures",
      folder.appending(path: "run").path(), "--junit", report.path(), "--json")
    #expect(outcome.status == 0)
    let captures = try Self.lines(outcome.output).compactMap { $0["capture"] as? String }
    #expect(captures.count == 6)
    let session = try #require(captures.first { $0.hasSuffix("AUT-22.pcapng") })
    let decoded = try await Command.run("decode", session)
    #expect(decoded.status == 0 && decoded.output.contains("AuthenticationSucceeded"))
    let text = try String(contentsOf: report, encoding: .utf8)
    #expect(text.contains("tests=\"6\" failures=\"0\"") && text.contains("name=\"AUT-22 A correct response succeeds\""))
    try FileManager.default.removeItem(at: folder)
  }

  @Test(arguments: ["tcp", "unix", "pty"])
  func `a head unit in another process is checked`(transport: String) async throws {
    let (headUnit, address) = try await TwoProcessTests.headUnit(transport, [])
    let outcome = try await Command.run(
      "conformance", "--as", "phone", "--transport", address, "--only", "DET-01,NEG-04,SUM-07,AUT-04,IDN-05")
    headUnit.process.terminate()
    _ = try await headUnit.finish()
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(outcome.output.contains("5 checks: 5 passed, 0 failed"), "\(outcome.output)")
    #expect(outcome.errors.contains("and no other peer"))
  }

  @Test
  func `--restart starts a peer again that has gone, and ends it with the run`() async throws {
    // An accessory that detects, and whose process ends after one connection.
    let mortal = """
      import socket
      listener = socket.create_server(("127.0.0.1", 0))
      print("listening at 127.0.0.1:%d" % listener.getsockname()[1], flush=True)
      peer, _ = listener.accept()
      listener.close()
      peer.sendall(bytes.fromhex("ff550200ee10"))
      while peer.recv(4096): pass
      """
    let peer = try await Peer(program: ["python3", "-c", mortal])
    let address = peer.transport
    let note = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).pid").path()
    let listening = address.replacing("tcp:", with: "tcp-listen:")
    let outcome = try await Command.run(
      "conformance", "--as", "phone", "--transport", address, "--only", "DET-01", "--restart",
      "echo $$ > \(note); exec \(Command.program.path()) headunit --transport \(listening)")
    _ = try await peer.finish()
    #expect(outcome.status == 0 && outcome.output.contains("1 checks: 1 passed"), "\(outcome.output)\(outcome.errors)")
    let text = try String(contentsOfFile: note, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    let process = try #require(Int32(text))
    #expect(try await Command.wait { kill(process, 0) != 0 })
    try FileManager.default.removeItem(atPath: note)
  }

  @Test(arguments: ["conformance", "fuzz"])
  func `--restart takes a command for a peer of the user`(command: String) async throws {
    let own = try await Command.run(command, "--as", "phone", "--transport", "loopback", "--restart", "true")
    #expect(own.status == 64 && own.errors.contains("loopback is this program's other role"))
    let empty = try await Command.run(command, "--as", "phone", "--transport", "tcp:127.0.0.1:7000", "--restart", " ")
    #expect(empty.status == 64 && empty.errors.contains("this one is empty"))
  }

  @Test
  func `a failed required check makes the exit status 1, and the last lines say what to repair`() async throws {
    // Acknowledgements arrive too late.
    let late = ["conformance", "--as", "phone", "--transport", "loopback", "--fault", "delay=1500", "--seed", "1"]
    let outcome = try await Command(late + ["--only", "ACK-02,ACK-03"]).finish()
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("fail          ACK-02") && outcome.output.contains("high; required]"))
    #expect(outcome.output.contains("2 failed (1 required, 1 observed)"), "\(outcome.output)")
    #expect(outcome.output.contains("\nRepair first: ACK-02, acknowledgements."))
    #expect(outcome.output.contains("\nACK-03 fails, but is observed in other implementations only."))
    #expect(outcome.output.contains("run again without --fault"))
    let again = try await Command(late + ["--only", "ACK-02", "--json"]).finish()
    let summary = try #require(try Self.lines(again.output).last)
    #expect(summary["repairFirst"] as? String == "ACK-02" && summary["failRequired"] as? Int == 1)
    #expect((summary["advice"] as? [String])?.count == 2)
  }

  @Test
  func `failures of checks that are not required are counted and leave the exit status 0`() async throws {
    let (headUnit, address) = try await TwoProcessTests.headUnit("unix", ["--profile", "first-message-car"])
    let outcome = try await Command.run(
      "conformance", "--as", "phone", "--transport", address, "--only", "FRA-01,FRA-02", "--timeout", "4", "--json")
    headUnit.process.terminate()
    _ = try await headUnit.finish()
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    let lines = try Self.lines(outcome.output)
    #expect(lines.compactMap { $0["strictness"] as? String } == ["required", "recommended"])
    #expect(lines.compactMap { $0["verdict"] as? String } == ["pass", "fail"])
    #expect((lines[1]["reason"] as? String)?.contains("within 4 s") == true)
    #expect(lines[2]["fail"] as? Int == 1 && lines[2]["failRecommended"] as? Int == 1)
  }

  @Test
  func `a peer of this program's own role is a wrong use and no failed check`() async throws {
    let (headUnit, address) = try await TwoProcessTests.headUnit("unix", [])
    let outcome = try await Command.run("conformance", "--as", "headunit", "--transport", address)
    headUnit.process.terminate()
    _ = try await headUnit.finish()
    #expect(outcome.status == 64 && outcome.output.isEmpty, "\(outcome.output)")
    #expect(outcome.errors.contains("the peer is a head unit") && outcome.errors.contains("use --as phone"))
  }

  @Test
  func `captures in a folder without permission are refused before the first check`() async throws {
    for command in [["conformance", "--captures"], ["fuzz", "--findings"]] {
      let outcome = try await Command(
        [command[0], "--as", "phone", "--transport", "loopback", command[1], "/sys/iap2/run"]
      ).finish()
      #expect(outcome.status == 77, "\(outcome.errors)")
      #expect(outcome.output.isEmpty && outcome.errors.contains("cannot create the folder /sys/iap2/run: "))
      let isOwnText =
        outcome.errors.contains("Permission denied") || outcome.errors.contains("Operation not permitted")
        || outcome.errors.contains("Read-only file system")
      #expect(isOwnText, "\(outcome.errors)")
    }
  }

  @Test
  func `a terminal shows the progress of the checks`() async throws {
    let terminal = try PseudoTerminal()
    let command = try Command(
      ["conformance", "--as", "phone", "--transport", "tcp-listen:127.0.0.1:0"], errors: terminal.other)
    try terminal.other.close()
    var text = ""
    let isShown = try await Command.wait {
      while terminal.hasText { text += String(decoding: terminal.own.availableData, as: UTF8.self) }
      return text.contains("looking for the peer, ")
    }
    #expect(isShown, "\(text)")
    command.process.interrupt()
    #expect(try await command.finish().status == 1)
  }

  @Test
  func `the authority of --authentication is checked, and any accepts everything`() async throws {
    let common = ["conformance", "--as", "phone", "--transport", "loopback", "--only", "AUT-04,AUT-10", "--json"]
    for (authority, verdicts) in [
      ("test", ["pass", "pass"]), ("any", ["notApplicable", "notApplicable"]),
      ("Tests/Tools/CommandTests/Fixtures/other-ca.pem", ["pass", "fail"]),
    ] {
      let outcome = try await Command(common + ["--authentication", authority]).finish()
      #expect(try Self.lines(outcome.output).compactMap { $0["verdict"] as? String } == verdicts, "\(authority)")
    }
  }

  @Test
  func `an absent peer and Ctrl-C have their own exit codes`() async throws {
    let nobody = try await Command.run("conformance", "--as", "phone", "--transport", "unix:/nonexistent/socket")
    #expect(nobody.status == 69, "\(nobody.errors)")
    let waiting = try Command(["conformance", "--as", "phone", "--transport", "tcp-listen:127.0.0.1:0", "--json"])
    #expect(try await Command.wait { try waiting.errorText.contains("waiting at") })
    waiting.process.interrupt()
    let outcome = try await waiting.finish()
    #expect(outcome.status == 1 && outcome.errors.contains("ended after 0 of"))
    #expect(outcome.output.contains("\"checks\":0"))
  }

  @Test
  func `a wrong check gets the nearest ones`() async throws {
    let outcome = try await Command.run("conformance", "--as", "phone", "--transport", "loopback", "--only", "windws")
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("windws is neither a check, a strictness nor an area; did you mean windows?"))
  }

  @Test(arguments: [
    ["--transport", "loopback"], ["--as", "phone"], ["--as", "phone", "--transport", "loopback", "--only", "XYZ-1"],
    ["--as", "phone", "--transport", "loopback", "--only", "DET-03"], ["--as", "phone", "--transport", "usb-gadget"],
    ["--as", "car", "--transport", "loopback"], ["--markdown"],
    ["--as", "phone", "--transport", "loopback", "--only", ""],
    ["--as", "phone", "--transport", "loopback", "--only", "DET-01", "--skip", "detect"],
    ["--as", "phone", "--transport", "loopback", "--timeout", "0"],
    ["--as", "headunit", "--transport", "loopback", "--authentication", "any"],
    ["--as", "phone", "--transport", "loopback", "--authenticator", "emulated"],
  ])
  func `contradictory options are usage errors`(arguments: [String]) async throws {
    #expect(try await Command(["conformance"] + arguments).finish().status == 64)
  }
}
