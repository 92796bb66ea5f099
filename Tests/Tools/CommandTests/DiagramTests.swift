// swift-iap2 · Apache-2.0

import Foundation
import FoundationXML
import IAP2
import Testing

@Suite(.ownTurn) struct DiagramTests {
  private static let worked = "captures/synthetic/worked-session.txt"

  /// Two drives one after the other: more than 300 steps.
  private static func longSession() async throws -> String {
    let file = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).pcapng")
    #expect(try await Command.run("run", "day", "--json", "--capture", file.path()).status == 0)
    let text = try await Command.run("convert", file.path(), "-", "--to", "text")
    #expect(text.status == 0)
    try FileManager.default.removeItem(at: file)
    let lines = text.output.split(separator: "\n").filter { $0.first?.isNumber ?? false }
    let later = try lines.map { line in
      let space = try #require(line.firstIndex(of: " "))
      return "\((try #require(Double(line[..<space]))) + 100)\(line[space...])"
    }
    return (lines.map(String.init) + later).joined(separator: "\n") + "\n"
  }

  // MARK: Contents

  @Test func everyMessageOfTheWorkedSessionIsAnArrow() async throws {
    let drawing = try await SVGText.read(of: Self.worked)
    let names = drawing.filter { $0.style == "name" }.map(\.text)
    #expect(
      names == [
        "detect", "detect", "SYN", "SYN+ACK", "RequestAuthenticationCertificate 0xAA00",
        "AuthenticationCertificate 0xAA01", "RequestAuthenticationChallengeResponse 0xAA02",
        "AuthenticationResponse 0xAA03", "AuthenticationSucceeded 0xAA05", "StartIdentification 0x1D00",
        "IdentificationInformation 0x1D01", "IdentificationAccepted 0x1D02",
        "StartExternalAccessoryProtocolSession 0xEA00", "StatusExternalAccessoryProtocolSession 0xEA03",
        "com.acme.p 5 bytes", "file 128 setup", "file 128 start", "file 128 data 5 bytes", "file 128 success",
        "RST seq 108",
      ])
    #expect(drawing.contains { $0.style == "head-detail" && $0.text == "Emu" })
    let features = drawing.filter { $0.style == "chapter" }.map(\.text)
    #expect(
      features == ["Detect", "Link", "Authentication", "Identification", "External Accessory", "File Transfer", "Link"])
    let more = drawing.filter { $0.style == "more" }.map(\.text)
    #expect(more.contains("\"hello\"") && more.contains("5 bytes announced, type 2"))
    #expect(more.count { $0 == "window 5 × 2048, retransmit 1500 ms × 30, ACK within 73 ms or 3 packets" } == 2)
  }

  @Test func everyFormatGivesTheSameDrawing() async throws {
    /// The texts without times, comments and the capture's name.
    func drawn(_ file: String) async throws -> [SVGText] {
      try await SVGText.read(of: file, "--filter", "not comment").filter {
        $0.style != "time" && $0.style != "left" && $0.y > 150
      }
    }
    let expected = try await drawn(Self.worked)
    #expect(expected.count > 40)
    for name in try FileManager.default.contentsOfDirectory(
      atPath: Command.root.appending(path: "captures/formats").path())
    {
      // Breaks are left out, because these captures have other times.
      #expect(try await drawn("captures/formats/\(name)") == expected, "\(name)")
    }
  }

  @Test func thePageHasTheDrawingAndItsDetails() async throws {
    let svg = try await Command.run("diagram", Self.worked)
    let page = try await Command.run("diagram", Self.worked, "--to", "html")
    #expect(page.status == 0 && page.errors.isEmpty && page.output.hasSuffix("</html>\n"))
    let arrows = svg.output.matches(of: /<text class="(name|more|time)".*<\/text>/).map(\.output.0)
    #expect(arrows.count > 40)
    // Times that the row above has too are there for selected rows only.
    #expect(page.output.matches(of: /<text class="(name|more|time)".*<\/text>/).map(\.output.0) == arrows)
    #expect(page.output.matches(of: /<li tabindex="0"/).count == 20)
    // The details have the parameters, the times and the bytes.
    #expect(page.output.contains("<pre>141 bytes, Identification\n0 Name: &quot;Emu&quot;\n"))
    #expect(page.output.contains("accessory → device, record 12<"))
    #expect(page.output.contains("<pre>session 1, 1 datagram, 5 bytes\n\n68 65 6c 6c 6f</pre>"))
    // The page uses no network, and no script but its own.
    #expect(page.output.matches(of: /<script/).count == 1 && page.output.contains("script-src 'sha256-"))
    for word in ["http://", "https://", "url(", "@import", "<link", "<img"] {
      #expect(!page.output.contains(word), "\(word)")
    }
  }

  @Test func packetsAreDrawnIfRequested() async throws {
    let packets = try await Command.run("diagram", Self.worked, "--link")
    #expect(packets.output.contains(">ACK <tspan class=\"suffix\">seq 43 ack 100</tspan>"))
    #expect(!packets.output.contains("not shown"))
    #expect((try await Command.run("diagram", Self.worked)).output.contains("16 plain packets not shown"))
  }

  // MARK: Time

  @Test(arguments: ["folded", "scale"]) func nothingOverlapsInALongSession(time: String) async throws {
    let outcome = try await Command.run("diagram", "-", "--time", time, input: try await Self.longSession())
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    let (drawing, arrows) = try SVGText.read(outcome.output)
    let names = drawing.filter { $0.style == "name" }
    #expect(names.count > 300 && arrows.count >= names.count)
    // Each name is on its own arrow and does not overlap the one above.
    for name in names {
      #expect(!arrows.contains { name.box.minY - 2 < $0 && $0 < name.box.maxY }, "\(name.text)")
      #expect(arrows.contains { (0...6).contains($0 - name.box.maxY) }, "\(name.text)")
    }
    let boxes = drawing.map { (text: $0.text, box: $0.box) }.sorted { $0.box.minY < $1.box.minY }
    for (index, one) in boxes.enumerated() {
      #expect(one.box.minX >= 0 && one.box.maxX <= 1290 && one.box.minY >= 0, "\(one)")
      for other in boxes[(index + 1)...].prefix(while: { $0.box.minY < one.box.maxY }) {
        #expect(!one.box.intersects(other.box), "\(one.text) and \(other.text)")
      }
    }
  }

  @Test func silenceIsABreakOrADistance() async throws {
    let session = try await Self.longSession()
    let folded = try SVGText.parse(try await Command.run("diagram", "-", input: session).output)
    let pauses = folded.filter { $0.style == "pause" }.map(\.text)
    #expect(pauses.count == 31 && pauses.contains("500 ms of silence") && pauses.contains("1 min 32 s of silence"))
    let patient = try await Command.run("diagram", "-", "--gap", "2", input: session)
    #expect(try SVGText.parse(patient.output).count { $0.style == "pause" } == 1)

    let scaled = try SVGText.parse(try await Command.run("diagram", "-", "--time", "scale", input: session).output)
    let words = try #require(scaled.first { $0.text.hasPrefix("Time runs down, to scale: 100 pixels are ") })
    let unit = try #require(words.text.firstMatch(of: /are ([\d.]+) s\./))
    let scale = 100 / (try #require(Double(unit.1)))
    #expect(!scaled.contains { $0.style == "pause" })
    // Steps far enough apart for the scale are exactly as far apart as their times.
    let times = scaled.filter { $0.style == "time" }.map { (seconds: Double($0.text) ?? .nan, y: $0.y) }
    let names = Set(scaled.filter { $0.style == "name" }.map { $0.y + 11 })
    var compared = 0
    for (before, after) in zip(times, times.dropFirst()) where (after.seconds - before.seconds) * scale > 60 {
      // The last arrow before the silence may be rows below the position of its time.
      let last = try #require(names.filter { $0 < after.y }.max())
      #expect(abs((after.y - last) - (after.seconds - before.seconds) * scale) <= 2)
      compared += 1
    }
    #expect(compared > 0)
  }

  @Test func aCaptureWithoutTimesHasNoScale() async throws {
    let outcome = try await Command.run("diagram", Self.worked, "--time", "scale")
    #expect(outcome.status == 0)
    #expect(outcome.errors == "iap2: \(Self.worked) has no times: drawn without a time scale\n")
    #expect(outcome.output.contains("without a scale"))
    #expect(try SVGText.parse(outcome.output).filter { $0.style == "time" }.map(\.text).first == "1")
  }

  // MARK: Bad input

  /// A session with a hostile text in every name.
  private static func hostile(_ name: String) -> String {
    func parameter(_ id: UInt16, _ value: [UInt8]) -> [UInt8] {
      let count = value.count + 4
      return [UInt8(count >> 8), UInt8(count & 0xFF), UInt8(id >> 8), UInt8(id & 0xFF)] + value
    }
    func message(_ id: UInt16, _ parameters: [UInt8]) -> [UInt8] {
      let count = parameters.count + 6
      return [0x40, 0x40, UInt8(count >> 8), UInt8(count & 0xFF), UInt8(id >> 8), UInt8(id & 0xFF)] + parameters
    }
    func line(
      _ side: String, _ sequence: UInt8, _ payload: [UInt8], control: LinkControl = .acknowledge, _ session: UInt8
    )
      -> String
    {
      var packet: [UInt8] = []
      LinkPacket.append(
        to: &packet, control: control, sequence: SequenceNumber(sequence), acknowledgement: SequenceNumber(0),
        session: session, payload: unsafe payload.span.bytes)
      return "\(side) " + packet.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    let text = Array(name.utf8) + [0]
    let offer: [UInt8] = [1, 5, 8, 0, 5, 0xDC, 0, 0x49, 0x1E, 3, 1, 0, 2, 3, 2, 1]
    let protocols = parameter(10, parameter(0, [1]) + parameter(1, text) + parameter(2, [0]))
    return [
      line("A>D", 43, offer, control: .synchronize, 0),
      line("D>A", 100, offer, control: [.synchronize, .acknowledge], 0),
      line("A>D", 44, message(0x1D01, parameter(0, text) + protocols), 1),
      line("D>A", 101, message(0x4E09, parameter(0, text)), 1),
      line("D>A", 102, message(0xEA00, parameter(0, [1]) + parameter(1, [0, 1])), 1),
      line("A>D", 45, [0, 1] + Array("<b>&amp;</b>".utf8), 3),
    ].joined(separator: "\n")
  }

  private static let hostileNames: [String] = [
    "</text><script>alert(1)</script>", "a & b \" ' ]]> <!--", "\u{1}\u{1B}[31mred\u{7F}\u{9B}\n\t",
    "\u{202E}gnp.exe\u{2066}", "\u{2028}\u{85}",
    // U+FFFE, U+FFFF and U+FDD0 are not characters.
    String(decoding: [0xEF, 0xBF, 0xBE, 0xEF, 0xBF, 0xBF, 0xEF, 0xB7, 0x90] as [UInt8], as: UTF8.self),
    "e" + String(repeating: "\u{301}", count: 200), String(repeating: "漢", count: 400),
    String(repeating: "W", count: 5000),
  ]

  @Test(arguments: hostileNames)
  func namesOfAPeerAreOnlyText(name: String) async throws {
    let session = Self.hostile(name)
    let svg = try await Command.run("diagram", "-", input: session)
    let page = try await Command.run("diagram", "-", "--to", "html", input: session)
    #expect(svg.status == 0 && page.status == 0)
    let drawing = try SVGText.parse(svg.output)
    #expect(drawing.count { $0.style == "name" } == 6)
    for text in drawing { #expect(text.box.maxX <= 1290, "\(text)") }
    for output in [svg.output, page.output] {
      #expect(output.matches(of: /<script/).count == (output == svg.output ? 0 : 1) && !output.contains("<b>&amp;</b>"))
      #expect(output.contains("&lt;b&gt;&amp;amp;&lt;/b&gt;"))
      for scalar in output.unicodeScalars where scalar != "\n" {
        #expect(scalar.properties.generalCategory != .control && !(0x202A...0x202E).contains(scalar.value))
        #expect(!(0x2066...0x2069).contains(scalar.value) && scalar.value & 0xFFFE != 0xFFFE)
      }
      #expect(!output.unicodeScalars.contains { $0 == "\u{2028}" })
      #expect(!output.contains(String(repeating: "\u{301}", count: 4)))
    }
  }

  @Test func commentsOfACaptureAreMarksAndOnlyText() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).pcapng")
    #expect(try await Command.run("run", "music", "--json", "--capture", file.path()).status == 0)
    let notes = try await SVGText.read(of: file.path()).filter { $0.style == "note" }.map(\.text)
    #expect(notes.contains("link up") && notes.contains { $0.hasPrefix("disconnected: ") })
    // The replacement has the same length.
    let (known, hostile) = (Data("link up".utf8), Data("</g>&\"\u{1}".utf8.prefix(7)))
    var capture = try Data(contentsOf: file)
    while let range = capture.range(of: known) { capture.replaceSubrange(range, with: hostile) }
    try capture.write(to: file)
    #expect(try await SVGText.read(of: file.path()).contains { $0.style == "note" && $0.text == "</g>&\"\u{FFFD}" })
    let page = try await Command.run("diagram", file.path(), "--to", "html")
    #expect(page.output.contains("comment &lt;/g&gt;&amp;&quot;\u{FFFD}</b>"))
    try FileManager.default.removeItem(at: file)
  }

  @Test func aFilterKeepsTheNamesOfMatchingFindings() async throws {
    let outcome = try await Command.run("diagram", Self.worked, "--filter", "synchronization or externalAccessory")
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    let drawing = try SVGText.parse(outcome.output)
    #expect(drawing.filter { $0.style == "name" }.map(\.text) == ["SYN", "SYN+ACK", "com.acme.p 5 bytes"])
    #expect(drawing.contains { $0.style == "head-detail" && $0.text == "Emu" })
    let nothing = try await Command.run("diagram", Self.worked, "--filter", "StartHID")
    #expect(nothing.status == 0 && nothing.errors == "iap2: no finding matches the filter\n")
  }

  @Test func aDrawingReportsItsLimit() async throws {
    let lines = (0..<5100).map { number in
      // The detect sequences alternate between the sides, so no two form a run.
      "\(number) \(number % 2 == 0 ? "A>D" : "D>A") ff550200ee10"
    }
    let outcome = try await Command.run("diagram", "-", "--gap", "10", input: lines.joined(separator: "\n"))
    #expect(outcome.status == 0)
    let text = "100 more steps, from record 5001 on, are not drawn: there is a limit of 5000 steps"
    #expect(outcome.errors == "iap2: connection 1: \(text)\n")
    let drawing = try SVGText.parse(outcome.output)
    #expect(drawing.count { $0.style == "name" } == 5000 && drawing.last?.text == text)
  }

  @Test func failuresHaveTheirExitCodes() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    func end(_ arguments: String...) async throws -> (Int32, String) {
      let outcome = try await Command(["diagram"] + arguments).finish()
      #expect(outcome.output.isEmpty)
      return (outcome.status, outcome.errors)
    }
    let output = folder.appending(path: "a.svg").path()
    let nothing = try await end("README.md", "-o", output)
    #expect(nothing.0 == 65 && nothing.1.contains("iap2: nothing in README.md could be decoded as iAP2: it has "))
    #expect(try await end("no-such-file", "-o", output) == (66, "iap2: no such file: no-such-file\n"))
    #expect(
      try await end(Self.worked, "-o", "no/such/folder.svg")
        == (66, "iap2: cannot write no/such/folder.svg: No such file or directory\n"))
    #expect(
      try await end(Self.worked, "-o", "/dev/full", "--to", "svg")
        == (1, "iap2: cannot write /dev/full: No space left on device\n"))
    #expect(try await end(Self.worked, "-o", "a.png").0 == 64)
    #expect(try await end(Self.worked, "-o", Self.worked, "--to", "svg").0 == 64)
    #expect(try await end(Self.worked, "--time", "log").0 == 64)
    #expect(try await end(Self.worked, "--gap", "0").0 == 64)
    #expect(
      try await end(Self.worked, "--connection", "2") == (
        65, "iap2: \(Self.worked) has iAP2 in connection 1, not in connection 2\n"
      ))
    // The format follows the extension, with the same contents as on standard output.
    let page = folder.appending(path: "a.HTML").path()
    #expect(try await end(Self.worked, "--output", page) == (0, ""))
    let written = try String(contentsOf: URL(filePath: page), encoding: .utf8)
    #expect(written == (try await Command.run("diagram", Self.worked, "--to", "html").output))
    try FileManager.default.removeItem(at: folder)
  }
}

/// A text of an SVG file with its position.
private struct SVGText: Equatable {
  var text: String
  /// The first class of the element.
  var style: String
  var x: Double
  var y: Double
  var anchor: String

  /// The covered rectangle with the widest usual fonts.
  var box: CGRect {
    let advance =
      switch style {
      case "name", "head-name": 7.6
      case "title": 11.5
      case "time", "more", "tick": 6.7
      default: 7.0
      }
    let width = text.unicodeScalars.reduce(0) { $0 + ($1.value < 0x2E80 ? advance : advance * 1.9) }
    let left = anchor == "end" ? x - width : anchor == "middle" ? x - width / 2 : x
    return CGRect(x: left, y: y - 9, width: width, height: 11)
  }

  static func read(of file: String, _ options: String...) async throws -> [SVGText] {
    // The times differ by a few milliseconds or a second, so there are no breaks.
    let outcome = try await Command(["diagram", file, "--gap", "1000"] + options).finish()
    // A notice states the recognized form of a foreign text.
    #expect(outcome.status == 0 && (outcome.errors.isEmpty || outcome.errors.contains("read as a text")))
    return try parse(outcome.output)
  }

  /// Returns all texts in order. Throws if the file is malformed or incomplete.
  static func parse(_ svg: String) throws -> [SVGText] { try read(svg).texts }

  /// Returns the texts and the heights of arrows.
  static func read(_ svg: String) throws -> (texts: [SVGText], arrows: [Double]) {
    let parser = XMLParser(data: Data(svg.utf8))
    let reader = Reader()
    parser.delegate = reader
    #expect(parser.parse() && parser.parserError == nil, "\(parser.parserError?.localizedDescription ?? "")")
    // The parser accepts a truncated file.
    #expect(reader.isWhole)
    return (reader.texts, reader.arrows)
  }

  private final class Reader: NSObject, XMLParserDelegate {
    var texts: [SVGText] = []
    var arrows: [Double] = []
    var isWhole = false
    private var offsets = [(x: 0.0, y: 0.0)]
    private var open: SVGText?

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) {
      var offset = offsets[offsets.count - 1]
      if let move = attributes["transform"]?.firstMatch(of: /translate\((\d+),(\d+)\)/) {
        offset = (offset.x + (Double(move.1) ?? .nan), offset.y + (Double(move.2) ?? .nan))
      }
      offsets.append(offset)
      if attributes["class"] == "line", let line = attributes["d"]?.firstMatch(of: /^M\d+ (\d+)H/) {
        arrows.append(offset.y + (Double(line.1) ?? .nan))
      }
      guard name == "text" else { return }
      open = SVGText(
        text: "", style: String(attributes["class"]?.split(separator: " ").first ?? ""),
        x: offset.x + (Double(attributes["x"] ?? "") ?? .nan), y: offset.y + (Double(attributes["y"] ?? "") ?? .nan),
        anchor: attributes["text-anchor"] ?? "start")
    }

    func parser(_ parser: XMLParser, foundCharacters characters: String) { open?.text += characters }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
      offsets.removeLast()
      if name == "svg" { isWhole = offsets.count == 1 }
      guard name == "text", let text = open else { return }
      texts.append(text)
      open = nil
    }
  }
}
