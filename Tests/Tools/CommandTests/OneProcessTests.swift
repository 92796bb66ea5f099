// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Capture
import IAP2Fuzzing
import IAP2Simulation
import Testing

@Suite(.ownTurn) struct OneProcessTests {
  @Test func aWholeSessionIsPlayedWithTheSameOutputEachTime() async throws {
    let ladder = try await Command.run("run")
    #expect(ladder.status == 0)
    try expectGolden(ladder.output, "run.txt")
    let json = try await Command.run("run", "--json")
    #expect(json.status == 0)
    try expectGolden(json.output, "run.jsonl")
    let last = try #require(json.output.split(separator: "\n").last)
    #expect(last.contains("\"event\":\"finished\"") && last.contains("\"ok\":true"))
  }

  @Test func theReadmeShowsTheOutputOfTheCommand() async throws {
    let ladder = try await Command.run("run")
    let readme = try String(contentsOf: Command.root.appending(path: "README.md"), encoding: .utf8)
    let shown = readme.split(separator: "\n").filter { $0.firstMatch(of: /^    \d\.\d+s/) != nil }.map {
      $0.dropFirst(4)
    }
    #expect(shown.count >= 10)
    for line in shown {
      // A shortened line ends with an ellipsis.
      let start = line.hasSuffix("…") ? line.dropLast() : line
      #expect(ladder.output.contains(start), "\(line)")
    }
  }

  @Test func aCaptureOfARunIsSummedUpAndTimed() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).pcapng").path()
    defer { do { try FileManager.default.removeItem(atPath: path) } catch {} }
    #expect(try await Command.run("run", "music", "--capture", path).status == 0)
    let summary = try await Command.run("decode", path, "--summary", "--stats", "--gap", "0.5")
    #expect(summary.status == 0)
    for text in [
      "connection 1: transport 1 of the program that captured",
      "reached: detect, link, authenticated, identified", "accessory is \"swift-iap2 Head Unit\"",
      "features: Authentication", "0x5001 NowPlayingUpdate:", "acknowledgements by the device:",
      "answers to AuthenticationResponse: 2.000 ms",
    ] { #expect(summary.output.contains(text), "\(text)") }
    // For a pipe the summary is at the end.
    let text = try String(contentsOf: Command.root.appending(path: "captures/formats/dump-log.txt"), encoding: .utf8)
    let piped = try await Command.run("decode", "-", input: text)
    let lines = piped.output.split(separator: "\n")
    #expect(piped.status == 0 && lines.first?.contains("detect") == true)
    #expect(lines.contains { $0.hasPrefix("connection 1:") })
  }

  @Test func theCatalogIsShownWholeAndByMessage() async throws {
    let all = try await Command.run("messages")
    #expect(all.status == 0)
    #expect(all.output.contains("0x1D01"))
    let byName = try await Command.run("messages", "StartPowerUpdates", "--json")
    let byID = try await Command.run("messages", "0xAE00", "--json")
    #expect(byName.output == byID.output && byName.status == 0)
    try expectGolden(byID.output, "messages-ae00.jsonl")
    let unknown = try await Command.run("messages", "Nonsense")
    #expect(unknown.status != 0 && !unknown.errors.isEmpty)
  }

  @Test func rawBytesOfOneSideDecodeAsItsRecordsDo() async throws {
    let text = try String(
      contentsOf: Command.root.appending(path: "captures/synthetic/worked-session.txt"), encoding: .utf8)
    var raw = Data()
    var records = ""
    for line in text.split(separator: "\n") {
      guard let range = line.range(of: "A>D "), !line.hasPrefix("#") else { continue }
      records += line + "\n"
      let digits = line[range.upperBound...].prefix { $0 != "#" }.filter(\.isHexDigit)
      var rest = digits[...]
      while !rest.isEmpty {
        raw.append(try #require(UInt8(rest.prefix(2), radix: 16)))
        rest = rest.dropFirst(2)
      }
    }
    let file = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).bin")
    try raw.write(to: file)
    let fromRaw = try await Command.run("decode", "--from", "accessory", file.path())
    let fromText = try await Command.run("decode", "-", input: records)
    // Records and times differ, the findings are equal.
    func found(_ outcome: Command.Outcome) -> [Substring] {
      // The summary belongs to a file with another number of records.
      outcome.output.split(separator: "\n").drop { !$0.contains("→") }.prefix { !$0.contains(" records: ") }
        .map { $0[($0.range(of: "accessory →")?.lowerBound ?? $0.startIndex)...] }
    }
    #expect(fromRaw.status == 0 && found(fromRaw).count > 10)
    #expect(found(fromRaw) == found(fromText))
    try FileManager.default.removeItem(at: file)
  }

  @Test func outputThatCannotBeWrittenIsAFailure() async throws {
    let process = Process()
    process.executableURL = Command.program
    process.arguments = ["run"]
    process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 1)
    #expect(said.contains("No space left"))
  }

  @Test func everyMessageComesBackFromItsJSON() async throws {
    var records = ""
    var messages: [String] = []
    for (number, entry) in MessageCatalog.all.enumerated() {
      var distinct = DistinctBytes()
      let message = distinct.message(entry)
      messages.append(Hex.text(message))
      var packet: [UInt8] = []
      LinkPacket.append(
        to: &packet, control: .acknowledge, sequence: SequenceNumber(UInt8(truncatingIfNeeded: number)),
        acknowledgement: SequenceNumber(0), session: 1, payload: unsafe message.span.bytes)
      records += "A>D \(Hex.text(packet))\n"
    }
    let decoded = try await Command.run("decode", "-", "--json", input: records)
    #expect(decoded.status == 0)
    let encoded = try await Command.run("encode", "-", input: decoded.output)
    #expect(encoded.status == 0, "\(encoded.errors)")
    #expect(encoded.output.split(separator: "\n").map(String.init) == messages)
  }

  @Test func checkSessionComparesMessagesWithTheLists() async throws {
    let decoded = try await Command.run("decode", "captures/synthetic/worked-session.txt", "--json")
    let stray = #"{"from":"device","name":"NowPlayingUpdate"}"# + "\n"
    let outcome = try await Command.run("check", "session", "-", "--json", input: decoded.output + stray)
    #expect(outcome.status == 1)
    #expect(outcome.output.contains(#""messages":["0x5001 NowPlayingUpdate"]"#))
    #expect(outcome.output.contains(#""rule":"undeclared","severity":"reject""#))
    let identification = #"{"name":"IdentificationInformation","parameters":[{"name":"Name","value":"x"}]}"#
    let check = try await Command.run("check", "identification", "-", "--json", input: identification)
    #expect(check.status == 1 && check.output.contains(#""parameters":[1,2,3,4,5,6,7,8,9,12,13]"#))
  }

  static let handmade: [(json: String, hex: String?)] = [
    (
      #"{"name":"powerupdate","parameters":[{"name":"BatteryChargeLevel","value":80},{"id":5,"value":"charged"}]}"#,
      "40400011ae010006000600500005000502"
    ),
    (#"{"id":"1D00"}"#, "404000061d00"),
    (
      #"{"id":"0xFE77","parameters":[{"id":1,"value":"abcd"},{"id":2,"type":"void","value":true}]}"#,
      "40400010fe7700060001abcd00040002"
    ),
    (#"{"layer":"externalAccessory","session":7,"data":"0102"}"#, "00070102"),
    (#"{"layer":"link","sequence":1}"#, ""),
    (#"{"name":"Nonsense"}"#, nil), (#"{"id":"0x10000"}"#, nil), (#"{"id":"AE01","parameters":[{"value":1}]}"#, nil),
    (#"{"id":"AE01","parameters":[{"id":6,"value":65536}]}"#, nil),
    (#"{"id":"AE01","parameters":[{"id":6,"value":{}}]}"#, nil), (#"{"layer":"nowhere"}"#, nil), ("[", nil),
    (#"{"id":"AE01","parameters":[{"id":60,"value":"xyz"}]}"#, nil),
    (#"{"id":"AE01","parameters":[{"id":60,"value":"+1"}]}"#, nil), (#"{"id":"+AE0"}"#, nil), ("[1]", nil),
    // The minimum and maximum of number types, and text for types that the decoder writes as text.
    (#"{"id":"AE01","parameters":[{"id":6,"value":65535}]}"#, "4040000cae0100060006ffff"),
    (#"{"id":"FE77","parameters":[{"id":1,"type":"i8","value":-128}]}"#, "4040000bfe770005000180"),
    (
      #"{"id":"FE77","parameters":[{"id":1,"type":"u64","value":"18446744073709551615"}]}"#,
      "40400012fe77000c0001ffffffffffffffff"
    ),
    (
      #"{"id":"FE77","parameters":[{"id":1,"type":"i64","value":"-2"}]}"#,
      "40400012fe77000c0001fffffffffffffffe"
    ),
    (#"{"id":"0x1D03","parameters":[{"id":6,"type":"void","value":[20480]}]}"#, "4040000c1d03000600065000"),
    (#"{"from":"device","id":"0xAE01","name":"PowerUpdate","parameters":[],"record":1,"time":null}"#, "40400006ae01"),
    (
      #"{"id":"AE01","parameters":[{"id":5,"name":"BatteryChargingState","type":"enum","value":2,"case":"Charged"}]}"#,
      "4040000bae010005000502"
    ),
  ]

  /// Invalid messages, each with the text of its error.
  static let mistaken: [(json: String, says: String)] = [
    (#"{"name":"PowerUpdate","params":[]}"#, #""params""#), (#"{"name":"PowerUpdate","hex":"00"}"#, #""hex""#),
    (#"{"name":"PowerUpdate","parameters":{"BatteryChargeLevel":80}}"#, #""parameters" must be a list"#),
    (#"{"name":"PowerUpdate","parameters":null}"#, #""parameters" must be a list"#),
    (#"{"name":"PowerUpdate","parameters":[5]}"#, "a parameter must be a JSON object"),
    (#"{"name":"PowerUpdate","parameters":[{"id":6,"val":1}]}"#, #""val""#),
    (#"{"name":"PowerUpdate","from":"nobody"}"#, #""from""#),
    (#"{"name":"PowerUpdate","id":44545}"#, #""id" must be text"#),
    (#"{"name":"PowerUpdate","layer":1}"#, #""layer""#),
    (#"{"layer":"externalAccessory","session":7,"bytes":"00"}"#, #""bytes""#),
    (#"{"layer":"externalAccessory","session":-1,"data":"00"}"#, "session must be a number from 0 to 65535"),
    (#"{"id":"AE01","name":"NowPlayingUpdate"}"#, "NowPlayingUpdate is not the name of 0xAE01"),
    (#"{"id":"AE01","name":"Nonsense"}"#, "Nonsense is not the name of 0xAE01"),
    (#"{"id":"AE01","parameters":[{"id":6,"name":"BatteryChargingState","value":1}]}"#, "not the name of parameter 6"),
    (#"{"id":"AE01","parameters":[{"id":"6","value":1}]}"#, #""id" must be a number"#),
    (#"{"id":"AE01","parameters":[{"id":6,"value":-1}]}"#, "BatteryChargeLevel must be a number from 0 to 65535"),
    (#"{"id":"AE01","parameters":[{"id":6,"value":"5000"}]}"#, "not text"),
    (#"{"id":"AE01","parameters":[{"id":6,"value":8.5}]}"#, "a number from 0 to 65535"),
    (#"{"id":"AE01","parameters":[{"id":5,"value":256}]}"#, "a number from 0 to 255"),
    (#"{"id":"AE01","parameters":[{"id":5,"value":"10"}]}"#, #"no case "10""#),
    (#"{"id":"AE01","parameters":[{"id":5,"value":1,"case":"Charged"}]}"#, #""case""#),
    (#"{"id":"FE77","parameters":[{"id":1,"type":"i8","value":128}]}"#, "-128 to 127"),
    (#"{"id":"FE77","parameters":[{"id":1,"type":"u64","value":"0x10"}]}"#, "0 to 18446744073709551615"),
    (#"{"id":"FE77","parameters":[{"id":1,"type":"u64","value":-1}]}"#, "0 to 18446744073709551615"),
    (#"{"id":"FE77","parameters":[{"id":1,"type":"array-of-u16","value":["1"]}]}"#, "0 to 65535"),
  ]

  @Test(arguments: mistaken.indices) func encodeRejectsContradictoryMessages(index: Int) async throws {
    let (json, says) = Self.mistaken[index]
    let outcome = try await Command.run("encode", "-", input: #"{"id":"1D00"}"# + "\n" + json)
    #expect(outcome.status == 65 && outcome.output == "404000061d00\n", "\(json)")
    #expect(outcome.errors.contains("line 2: ") && outcome.errors.contains(says), "\(outcome.errors)")
  }

  @Test(arguments: handmade.indices) func encodeMakesMessagesFromJSON(index: Int) async throws {
    let (json, hex) = Self.handmade[index]
    let outcome = try await Command.run("encode", "-", input: json)
    #expect(outcome.status == (hex == nil ? 65 : 0), "\(json)")
    #expect(outcome.output == (hex ?? "") + (hex?.isEmpty == false ? "\n" : ""), "\(json)")
    if hex == nil { #expect(outcome.errors.contains("line 1"), "\(json)") }
  }

  static let checked: [(text: String, status: Int32, says: String)] = [
    // Profiles in both forms of YAML, and in JSON on one line and on several.
    ("features: [power]\nprotocols:\n  com.example.echo: echo\n", 0, "a phone would accept it"),
    ("# mine\n---\nname: Mine\nfeatures:\n- power\n", 0, "a phone would accept it"),
    ("{features: [power], identification: {name: Mine}}\n", 0, "a phone would accept it"),
    (#"{"name":"Mine","features":["power"]}"#, 0, "a phone would accept it"),
    ("{\n  \"name\": \"Mine\",\n  \"identification\": {\n    \"name\": \"\"\n  }\n}\n", 0, "identification-name"),
    (#"{"features":["power"],"protocols":{"echo":"echo"}}"#, 0, "ea-names"),
    ("role: phone\n", 65, "profile of a phone"),
    ("features: [power]\ncolor: red\n", 65, "standard input:2: color"),
    ("{\n  \"features\": [\"power\"],\n  \"color\": 1\n}\n", 65, "standard input:3: color"),
    ("{\"features\":[\"power\"],\n\"protocols\":{\n", 65, "standard input:"),
    // Messages, and inputs that resemble a profile or a message.
    (#"{"name":"IdentificationInformation","parameters":[]}"#, 1, "schema"),
    ("{\"id\":\"1D00\"}\n{\"name\":\"IdentificationInformation\",\"parameters\":[]}", 1, "schema"),
    (#"{"name":"PowerUpdate","features":[],"parameters":[]}"#, 65, #"line 1: unknown key "features""#),
    ("link: up\nsome words\n", 65, "-"), ("name: Mine\n", 65, "-"),
  ]

  @Test(arguments: checked.indices) func theKindOfAFileIsDetectedFromItsContent(index: Int) async throws {
    let (text, status, says) = Self.checked[index]
    let outcome = try await Command.run("check", "identification", "-", input: text)
    #expect(outcome.status == status && (outcome.output + outcome.errors).contains(says), "\(text): \(outcome)")
  }

  @Test func aListWithAnIncompleteNumberIsReportedAsAList() async throws {
    let names = (0...5).map { #"{"id":\#($0),"value":"x"}"# }.joined(separator: ",")
    let outcome = try await Command.run(
      "check", "identification", "-",
      input: #"{"id":"1D01","parameters":[\#(names),{"id":6,"value":[]},{"id":7,"type":"blob","value":"00"}]}"#)
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("parameter 7, is a list of u16, which 1 byte cannot be"), "\(outcome.output)")
  }

  @Test func aProfileNeedsNoFileExtension() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)")
    try Data("{\n  \"role\": \"headUnit\",\n  \"features\": [\"power\"]\n}\n".utf8).write(to: file)
    let outcome = try await Command.run("check", "identification", file.path())
    #expect(outcome.status == 0 && outcome.output == "a phone would accept it\n", "\(outcome)")
    try FileManager.default.removeItem(at: file)
  }

  @Test func aListenerDoesNotReplaceAnOrdinaryFile() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)")
    try Data("precious".utf8).write(to: file)
    let outcome = try await Command.run("headunit", "--transport", "unix-listen:\(file.path())")
    #expect(outcome.status == 69 && outcome.errors.contains("in use"))
    #expect(try Data(contentsOf: file) == Data("precious".utf8))
    try FileManager.default.removeItem(at: file)
  }

  @Test func aFileToReceiveInIsTruncatedByTheFirstBytes() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)")
    try Data("precious".utf8).write(to: file)
    let outcome = try await Command.run(
      "phone", "--transport", "tcp:127.0.0.1:1", "--json", "--open", "x", "--send", "README.md", "--receive",
      file.path())
    #expect(outcome.status == 69)
    #expect(try Data(contentsOf: file) == Data("precious".utf8))
    // The last line is printed also without a connection.
    #expect(outcome.output.contains("\"event\":\"finished\"") && outcome.output.contains("\"ok\":false"))
    try FileManager.default.removeItem(at: file)
  }

  @Test func manyLinesWithTheSameFaultAreTwoErrors() async throws {
    let lines = String(repeating: "A>D zz\n", count: 10_000) + "A>D ff550200ee10\n"
    let outcome = try await Command.run("decode", "-", "--json", input: lines)
    let found = outcome.output.split(separator: "\n")
    #expect(outcome.status == 0 && found.count == 3)
    #expect(found[1].contains("9999 more lines") && found[1].contains("\"offset\":7"))
    #expect(found[2].contains("\"layer\":\"detect\"") && found[2].contains("\"record\":10001"))
  }

  @Test func aLineTooLongForARecordIsSkipped() async throws {
    let long = "A>D " + String(repeating: "ff", count: 3 << 20) + "\n"
    let outcome = try await Command.run(
      "decode", "-", input: "A>D ff550200ee10\n" + long + "D>A ff550200ee10\n")
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    let lines = outcome.output.split(separator: "\n").prefix { !$0.contains("records: ") }
    #expect(lines.count == 3 && lines[1].contains("longer than") && lines[2].contains("detect"))
  }

  static let failures: [(arguments: [String], input: String, status: Int32)] = [
    (["decode", "/nowhere/file.txt"], "", 66),
    (["decode", "/"], "", 66),
    (["decode", "-"], "A>D zz\n", 65),
    (["decode", "-"], "A>D 333333333333\n", 65),
    (["decode", "-"], "A>D 333333 ff550200ee10\n", 0),
    (["decode", "-"], "", 65),
    (["decode", "-"], "# nothing\n", 65),
    (["decode", "-"], "1e13 A>D ff550200ee10\n", 65),
    (["decode", "-", "--from", "nobody"], "", 64),
    (["decode"], "", 64),
    (["nonsense"], "", 64),
    (["headunit"], "", 64),
    (["headunit", "--transport", "carrier-pigeon:1"], "", 64),
    (["headunit", "--transport", "tcp:127.0.0.1:0"], "", 64),
    (["headunit", "--transport", "usb"], "", 64), (["phone", "--transport", "usb-gadget"], "", 64),
    (["phone", "--transport", "usb:329:2022"], "", 64), (["headunit", "--transport", "usb-gadget:.."], "", 64),
    (["phone", "--transport", "usb:ffff:ffff", "--once"], "", 69),
    (["headunit", "--transport", "usb-gadget:nothing"], "", 69),
    (["headunit", "--transport", "pty", "--link", "max-length=1"], "", 64),
    (["headunit", "--transport", "pty", "--external-accessory", "a=b"], "", 64),
    (["headunit", "--transport", "pty", "--certificate", "x"], "", 64),
    (["headunit", "--transport", "pty", "--name", String(repeating: "n", count: 256)], "", 64),
    (["headunit", "--transport", "pty"] + (0..<256).flatMap { ["--external-accessory", "p\($0)=echo"] }, "", 64),
    (["headunit", "--transport", "unix:/" + String(repeating: "x", count: 107)], "", 64),
    (["headunit", "--transport", "pty", "--once", "--timeout", "0.1", "--link", "max-outstanding=2"], "", 1),
    (["phone", "--transport", "tcp:127.0.0.1:1", "--order", "sideways"], "", 64),
    (["phone", "--transport", "tcp:127.0.0.1:1", "--send", "x"], "", 64),
    (["phone", "--transport", "tcp:127.0.0.1:1", "--timeout", "-1"], "", 64),
    (["phone", "--transport", "tcp:127.0.0.1:1"], "", 69),
    (["phone", "--transport", "unix:/nowhere/socket"], "", 69),
    (["phone", "--transport", "serial:/nowhere/tty"], "", 69),
    (["phone", "--transport", "pty", "--authentication", "/nowhere/ca.pem"], "", 66),
    (["phone", "--transport", "pty", "--authentication", "README.md"], "", 65),
    (["phone", "--transport", "pty", "--open", "x", "--send", "/nowhere/in"], "", 66),
    (["headunit", "--transport", "pty", "--certificate", "README.md", "--key", "README.md"], "", 65),
    (["phone", "--transport", "pty", "--once", "--timeout", "0.2"], "", 1),
    (["phone", "--transport", "pty", "--open", "x", "--receive", "/nowhere/out"], "", 66),
    (["phone", "--transport", "pty", "--open", "x", "--receive", "/sys/kernel/uevent_seqnum"], "", 77),
    (["decode", "/proc/self/mem"], "", 66),
    (["check", "identification", "captures/synthetic/worked-session.txt"], "", 0),
    (["check", "identification", "captures/real/detect.txt"], "", 65),
    (["check", "identification", "/nowhere"], "", 66),
    (["check", "identification", "microphone"], "", 0),
    (["check", "identification", "Sources/Laboratory/IAP2Scenario/Profiles/printer.yaml"], "", 0),
    (["check", "identification", "/nowhere.yaml"], "", 66),
    (["check", "identification", "-"], #"{"name":"IdentificationInformation","parameters":[]}"#, 1),
    (["check", "identification", "-"], "{", 65),
    (["check", "session", "captures/synthetic/worked-session.txt"], "", 0),
    (["check", "session", "-"], #"{"name":"PowerUpdate"}"#, 65),
    (["bridge", "--transport", "pty", "--protocol", "x"], "", 64),
    (["bridge", "--transport", "pty", "--protocol", "x", "--stdio", "--pty"], "", 64),
    (["bridge", "--transport", "pty", "--protocol", "x", "--tcp-listen", "nowhere"], "", 64),
    (["bridge", "--transport", "tcp:127.0.0.1:1", "--protocol", "x", "--stdio"], "", 69),
    (["bridge", "--transport", "pty", "--protocol", "x", "--tcp-listen", "1.2.3.4:80"], "", 69),
    (["headunit", "--transport", "pty", "--profile", "nosuch"], "", 66),
    (["headunit", "--transport", "pty", "--profile", "README.md"], "", 65),
    (["headunit", "--transport", "pty", "--profile", "printer", "--link", "max-outstanding=0"], "", 64),
    (["headunit", "--transport", "pty", "--profile", "printer", "--external-accessory", "a=echo"], "", 64),
    (["headunit", "--transport", "pty", "--profile", "slow-phone"], "", 65),
    (["phone", "--transport", "pty", "--profile", "printer"], "", 65),
    (["phone", "--transport", "pty", "--profile", "slow-phone", "--scenario", "music"], "", 64),
    (["bridge", "--transport", "pty", "--protocol", "a", "--stdio", "--scenario", "music"], "", 64),
    (["check", "identification", "slow-phone"], "", 65),
    (["decode", "captures/formats/usbmon.pcapng", "--summary"], "", 0),
    (["decode", "captures/formats/usbmon.pcapng", "--summary", "--json"], "", 64),
    (["decode", "captures/formats/usbmon.pcapng", "--stats", "--gap", "0"], "", 64),
    (["convert", "captures/formats/rfcomm.pklg", "-", "--to", "text"], "", 0),
    (["convert", "captures/formats/rfcomm.pklg", "-"], "", 64),
    (["convert", "captures/nothing", "-", "--to", "text"], "", 66),
    (["convert", "LICENSE", "-", "--to", "text"], "", 65),
    (["run", "apps", "--capture", "/dev/full"], "", 1),
    (["run", "nosuch"], "", 66),
    (["run", "/nowhere/mine.yaml"], "", 66),
    (["run", "README.md"], "", 65),
    (["run", "--list"], "", 0),
    (["run", "rules"], "", 0),
    (["headunit", "--transport", "pty", "--scenario", "nosuch"], "", 66),
    (["headunit", "--transport", "pty", "--scenario", "music", "--external-accessory", "a.b.c=echo"], "", 64),
    (["phone", "--transport", "pty", "--scenario", "music", "--open", "a.b.c"], "", 64),
    (["phone", "--transport", "pty", "--linger", "1"], "", 64),
    (["phone", "--transport", "pty", "--expect-echo"], "", 64),
    (["phone", "--transport", "pty", "--open", "a.b.c", "--linger", "-1"], "", 64),
    (["run", "--pace", "sideways"], "", 64),
    (["diff", "captures/synthetic/worked-session.txt", "captures/formats/usbmon.pcap"], "", 0),
    (["diff", "captures/real/boya-mini2.txt", "captures/formats/usbmon.pcap"], "", 1),
    (["diff", "-", "captures/real/detect.txt"], "A>D ff550200ee10\nD>A ff550200ee10\n", 0),
    (["diff", "captures/real/detect.txt", "-"], "A>D ff550200ee10\n", 1),
    (["diff", "captures/real/detect.txt", "-"], "A>D 333333\n", 65),
    (["diff", "captures/real/detect.txt", "README.md"], "", 65),
    (["diff", "captures/real/detect.txt", "captures/real/detect.txt", "--connection", "2"], "", 65),
    (["diff", "captures/real/detect.txt", "/nowhere"], "", 66),
    (["diff", "captures/real/detect.txt"], "", 64),
    (["diff", "-", "-"], "", 64),
    (["diff", "-", "captures/real/detect.txt", "--ignore", "nonsense"], "", 64),
    (["diff", "-", "captures/real/detect.txt", "--connection", "0"], "", 64),
    (["--version"], "", 0),
    (["--help"], "", 0),
  ]

  @Test(arguments: failures.indices) func exitCodesAreThoseOfTheContract(index: Int) async throws {
    let (arguments, input, status) = Self.failures[index]
    let outcome = try await Command(arguments, input: .text(input)).finish()
    #expect(outcome.status == status, "\(arguments): \(outcome.errors)")
    if status != 0, status != 1 {
      #expect(!outcome.errors.isEmpty, "\(arguments)")
    }
  }
}
