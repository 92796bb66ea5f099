// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import Testing

@Suite(.ownTurn) struct DecodeTests {
  static let captures = [
    "real/boya-mini2", "real/canon-ivy", "real/detect", "synthetic/worked-session", "synthetic/damaged",
  ]

  @Test(arguments: captures) func decodingExplainsACapture(name: String) async throws {
    let file = "captures/\(name).txt"
    let golden = name.replacing("/", with: "-")
    let text = try await Command.run("decode", file)
    #expect(text.status == 0)
    #expect(text.errors.isEmpty)
    try expectGolden(text.output, "decode-\(golden).txt")
    let json = try await Command.run("decode", file, "--json")
    #expect(json.status == 0)
    try expectGolden(json.output, "decode-\(golden).jsonl")
  }

  @Test func bytesAreShownFieldByField() async throws {
    let outcome = try await Command.run("decode", "captures/synthetic/worked-session.txt", "--verbose")
    #expect(outcome.status == 0)
    try expectGolden(outcome.output, "decode-verbose.txt")
  }

  @Test func aFilterShowsMatchingFindingsWithTheirPackets() async throws {
    let file = "captures/synthetic/worked-session.txt"
    let outcome = try await Command.run("decode", file, "--filter", "StartIdentification or 0xEA00")
    #expect(outcome.status == 0)
    #expect(
      outcome.output == """
        11  device    → accessory
            0x1D00 StartIdentification
        14  device    → accessory
            0xEA00 StartExternalAccessoryProtocolSession
              0 ExternalAccessoryProtocolIdentifier: 1
              1 ExternalAccessoryProtocolSessionIdentifier: 1

        """)
    let json = try await Command.run("decode", file, "--filter", "StartIdentification", "--json")
    #expect(json.output.split(separator: "\n").count == 1 && json.output.contains("0x1D00"))
    let nothing = try await Command.run("decode", file, "--filter", "PowerUpdate")
    #expect(nothing.status == 0 && nothing.output.isEmpty && nothing.errors.contains("no finding matches"))
    let wrong = try await Command.run("decode", file, "--filter", "message = Foo")
    #expect(wrong.status == 64 && wrong.errors.contains("character 11"))
    let counted = try await Command.run("decode", file, "--filter", "from = device", "--summary")
    #expect(!counted.output.contains("accessory: ") && counted.output.contains("device: 10 packets"))
  }

  @Test func chosenFieldsAreATable() async throws {
    let file = "captures/synthetic/worked-session.txt"
    let fields = "record,from,message,ExternalAccessoryProtocolSessionIdentifier"
    let filter = "record >= 13 and control"
    let table = try await Command.run("decode", file, "--fields", fields, "--filter", filter)
    #expect(
      table.output == """
        record\tfrom\tmessage\tExternalAccessoryProtocolSessionIdentifier
        13\tdevice\tIdentificationAccepted\t
        14\tdevice\tStartExternalAccessoryProtocolSession\t1
        15\taccessory\tStatusExternalAccessoryProtocolSession\t1

        """)
    let objects = try await Command.run("decode", file, "--json", "--fields", fields, "--filter", filter)
    #expect(
      objects.output == """
        {"ExternalAccessoryProtocolSessionIdentifier":null,"from":"device","message":"IdentificationAccepted","record":13}
        {"ExternalAccessoryProtocolSessionIdentifier":1,"from":"device","message":"StartExternalAccessoryProtocolSession","record":14}
        {"ExternalAccessoryProtocolSessionIdentifier":1,"from":"accessory","message":"StatusExternalAccessoryProtocolSession","record":15}

        """)
    let wrong = try await Command.run("decode", file, "--fields", "record,Battery")
    #expect(wrong.status == 64 && wrong.errors.contains("BatteryChargeLevel"))
  }

  @Test(arguments: ["", "\0", "\0\0", "A"]) func inputWithoutACaptureIsNamed(input: String) async throws {
    let outcome = try await Command.run("decode", "-", input: input)
    let words = input.isEmpty ? "standard input is empty" : "nothing in standard input could be decoded as iAP2"
    #expect(outcome.status == 65 && outcome.errors.hasPrefix("iap2: \(words)"), "\(outcome)")
  }

  /// Unknown blocks and comments are converted from one pcapng to another.
  @Test func convertKeepsUnknownBlocks() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { do { try FileManager.default.removeItem(at: folder) } catch {} }
    func little(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
    func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
      little(type) + little(UInt32(body.count + 12)) + body + little(UInt32(body.count + 12))
    }
    // The blocks follow the format's draft: section, interface of link type 157, secrets, statistics of the interface,
    // and a packet of 10 bytes (detect) with a comment.
    let secrets = block(10, Array("LSSK".utf8) + little(4) + [1, 2, 3, 4])
    let packet: [UInt8] = [1, 0, 0, 0, 0xFF, 0x55, 2, 0, 0xEE, 0x10]
    let bytes =
      block(0x0A0D_0D0A, little(0x1A2B_3C4D) + [1, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8))
      + block(1, [157, 0, 0, 0] + little(0)) + secrets + block(5, little(0) + little(0) + little(0))
      + block(
        6,
        little(0) + little(0) + little(9) + little(10) + little(10) + packet + [0, 0]
          + [1, 0, 5, 0] + Array("hello".utf8) + [0, 0, 0] + little(0))
    let source = folder.appending(path: "a.pcapng")
    let target = folder.appending(path: "b.pcapng")
    try Data(bytes).write(to: source)
    let outcome = try await Command.run("convert", source.path(), target.path())
    #expect(outcome.status == 0 && outcome.errors.contains("1 blocks"))
    #expect(try Data(contentsOf: target).range(of: Data(secrets)) != nil)
    for file in [source, target] {
      let text = try await Command.run("decode", file.path())
      #expect(text.output.contains("# hello\n1 0.000000s  accessory → device     detect"), "\(text)")
    }
    let lines = try await Command.run("convert", source.path(), "-", "--to", "text")
    #expect(lines.output.contains("A>D ff550200ee10 # hello\n"))
  }

  /// An existing output is not replaced before the first result, and the capture itself never.
  @Test func convertDoesNotReplaceAFileWithoutAResult() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { do { try FileManager.default.removeItem(at: folder) } catch {} }
    let capture = folder.appending(path: "a.txt")
    let link = folder.appending(path: "b.txt")
    let bytes = Data("A>D ff550200ee10\n".utf8)
    try bytes.write(to: capture)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: capture)
    for output in [capture, link] {
      #expect(try await Command.run("convert", capture.path(), output.path()).status == 64)
      #expect(try Data(contentsOf: capture) == bytes)
    }
    #expect(try await Command.run("convert", "README.md", capture.path()).status == 65)
    #expect(try Data(contentsOf: capture) == bytes)
  }

  /// The text format holds one connection, so one must be chosen.
  @Test func convertToTextTakesOneConnection() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).pcapng").path()
    defer { do { try FileManager.default.removeItem(atPath: path) } catch {} }
    #expect(try await Command.run("run", "replug", "--capture", path).status == 0)
    let both = try await Command.run("convert", path, "-", "--to", "text")
    #expect(both.status == 65 && both.errors.contains("--connection"))
    let second = try await Command.run("convert", path, "-", "--to", "text", "--connection", "2")
    #expect(second.status == 0)
    let found = try await Command.run("decode", "-", "--summary", input: second.output)
    #expect(found.output.contains("connection 1") && !found.output.contains("retransmitted"))
    #expect(try await Command.run("convert", path, "-", "--to", "text", "--connection", "3").status == 65)
  }

  @Test func aGrowingFileIsReadUntilCtrlC() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).txt").path()
    defer { do { try FileManager.default.removeItem(atPath: path) } catch {} }
    try Data("A>D ff550200ee10\n".utf8).write(to: URL(filePath: path))
    let command = try Command(["decode", "--follow", path])
    let grown = try FileHandle(forWritingTo: URL(filePath: path))
    try grown.seekToEnd()
    try grown.write(contentsOf: Data("D>A ff550200ee10\n".utf8))
    #expect(try await Command.wait { try command.outputText.contains("2  device    → accessory  detect") })
    try grown.write(contentsOf: Data("A>D ff550200ee10\n".utf8))
    #expect(try await Command.wait { try command.outputText.contains("3  accessory → device     detect") })
    command.process.interrupt()
    let outcome = try await command.finish()
    #expect(outcome.status == 0 && outcome.output.contains("3 records: 3 with iAP2"))
  }

  @Test func everyLineOfJSONIsAnObjectWithItsKeys() async throws {
    let outcome = try await Command.run("decode", "captures/synthetic/worked-session.txt", "--json")
    let layers = try outcome.output.split(separator: "\n").map { line -> String in
      let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      for key in ["record", "time", "from", "layer"] { #expect(object[key] != nil, "\(line)") }
      return try #require(object["layer"] as? String)
    }
    #expect(Set(layers) == ["detect", "link", "synchronization", "control", "externalAccessory", "fileTransfer"])
  }

  // MARK: Notices

  @Test func theFormOfATextIsReportedOnce() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let text = try String(
      contentsOf: Command.root.appending(path: "captures/formats/dump-hexdump.txt"), encoding: .utf8)
    let file = folder.appending(path: "dump.txt")
    try text.data(using: .utf16)?.write(to: file)
    let outcome = try await Command.run("decode", file.path())
    #expect(outcome.status == 0 && outcome.output.contains("IdentificationInformation"))
    #expect(outcome.errors.matches(of: /read as a text of hexadecimal bytes in UTF-16/).count == 1)
    #expect(outcome.errors.contains("if that is wrong, --pattern describes"))
    try Data().write(to: file)
    for command in ["decode", "explain", "diagram", "convert"] {
      let empty = try await Command(
        command == "convert" ? [command, file.path(), "-", "--to", "text"] : [command, file.path()]
      ).finish()
      #expect(empty.status == 65 && empty.errors == "iap2: \(file.path()) is empty\n")
    }
    try FileManager.default.removeItem(at: folder)
  }
}
