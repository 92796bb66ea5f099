// swift-iap2 · Apache-2.0

import Foundation
import FoundationXML
import Testing

@testable import RunReports

/// Tests of the reports of runs.
@Suite(.ownTurn) struct RunReportTests {
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appending(path: "iap2-report-test-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { do { try FileManager.default.removeItem(at: url) } catch {} }

    func path(_ name: String) -> String { url.appending(path: name).path() }
    func text(_ name: String) throws -> String { try String(contentsOf: url.appending(path: name), encoding: .utf8) }
    func xml(_ name: String) throws -> XMLReading { try XMLReading(Data(contentsOf: url.appending(path: name))) }
  }

  /// The elements of an XML document; the parser of the system judges its form.
  private final class XMLReading: NSObject, XMLParserDelegate {
    private(set) var elements: [(name: String, attributes: [String: String])] = []

    init(_ data: Data) throws {
      super.init()
      let parser = XMLParser(data: data)
      parser.delegate = self
      guard parser.parse() else { throw parser.parserError ?? CocoaError(.fileReadCorruptFile) }
    }

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) { elements.append((name, attributes)) }

    func all(_ name: String) -> [[String: String]] { elements.filter { $0.name == name }.map(\.attributes) }
  }

  private static let failing = """
    headUnit: {}
    steps:
      - expect: {phone: connected}
      - expect: {phone: nowPlaying, within: 5}

    """

  @Test("A run has its steps, messages and outcome in a page, and its outcome in JUnit")
  func aRun() async throws {
    let folder = try Folder()
    let run = try await Command.run(
      "run", "music", "--report", folder.path("run.html"), "--junit", folder.path("run.xml"))
    #expect(run.status == 0)
    let page = try folder.text("run.html")
    #expect(page.contains(">passed<") && !page.contains("What failed"))
    #expect(page.contains(#"<td>step</td><td>expect headUnit nowPlaying  (music.yaml:"#))
    #expect(page.contains(#"<td>head unit ◄─── phone</td><td>NowPlayingUpdate 0x5001"#))
    let ladder = try #require(page.firstMatch(of: /data:image\/svg\+xml;base64,([^"]+)"/))
    let drawing = try XMLReading(try #require(Data(base64Encoded: String(ladder.1))))
    #expect(drawing.elements.first?.name == "svg" && drawing.elements.count > 100)
    let suite = try folder.xml("run.xml")
    #expect(suite.all("testsuite").first?["failures"] == "0")
    #expect(suite.all("testcase").map { $0["name"] } == ["music"])
  }

  @Test("A run that fails has its reports, too, and says what failed")
  func aFailedRun() async throws {
    let folder = try Folder()
    try Self.failing.write(toFile: folder.path("wait.yaml"), atomically: true, encoding: .utf8)
    let run = try await Command.run(
      "run", folder.path("wait.yaml"), "--report", folder.path("run.html"), "--junit", folder.path("run.xml"))
    #expect(run.status == 1)
    #expect(try folder.text("run.html").contains("wait.yaml:4: expect phone nowPlaying: expected nowPlaying"))
    let suite = try folder.xml("run.xml")
    #expect(suite.all("testsuite").first?["failures"] == "1")
    #expect(suite.all("failure").first?["message"]?.contains("expected nowPlaying") == true)
  }

  @Test("A page says what differs from the run of an earlier page")
  func against() async throws {
    let folder = try Folder()
    _ = try await Command.run("run", "music", "--report", folder.path("a.html"))
    let same = try await Command.run(
      "run", "music", "--report", folder.path("b.html"), "--base", folder.path("a.html"))
    #expect(same.status == 0)
    #expect(try folder.text("b.html").contains("No difference, times aside."))
    // The end is found otherwise.
    _ = try await Command.run(
      "run", "lost-notification", "--report", folder.path("c.html"))
    let other = try await Command.run(
      "run", "lost-notification", "--policy", "notification", "--report", folder.path("d.html"), "--base",
      folder.path("c.html"))
    #expect(other.status == 1)
    let page = try folder.text("d.html")
    #expect(page.contains("lost-notification failed, and did not before: "))
    #expect(page.contains(#"<div class="removed fail">"#))
  }

  @Test("A campaign and a seed of it have reports")
  func simulations() async throws {
    let folder = try Folder()
    let options = ["--report", folder.path("s.html"), "--junit", folder.path("s.xml")]
    #expect(try await Command(["simulate", "--seeds", "0..<5"] + options).finish().status == 0)
    #expect(try folder.text("s.html").contains("5 sessions, 0 violations"))
    #expect(try folder.xml("s.xml").all("testcase").map { $0["name"] } == ["all seeds"])
    #expect(try await Command(["simulate", "--seed", "3"] + options).finish().status == 0)
    #expect(try folder.text("s.html").contains("<h2>seed 3</h2>"))
    #expect(try await Command(["simulate", "--carplay", "--seed", "3"] + options).finish().status == 0)
    #expect(try folder.text("s.html").contains("CarPlay session: live"))
  }

  @Test("A conformance page compares verdicts")
  func conformance() async throws {
    let folder = try Folder()
    let command = ["conformance", "--as", "phone", "--transport", "loopback", "--only"]
    #expect(
      try await Command(command + ["detect,AUT-01", "--html", folder.path("a.html")]).finish().status == 0)
    #expect(
      try await Command(
        command + ["detect", "--report", folder.path("b.html"), "--base", folder.path("a.html")]
      ).finish().status == 0)
    #expect(try folder.text("b.html").contains("<p>AUT-01 was not run</p>"))
  }

  @Test("Options without effect and bases that are none are refused before a run")
  func refused() async throws {
    let folder = try Folder()
    try "x".write(toFile: folder.path("x.html"), atomically: true, encoding: .utf8)
    #expect(try await Command.run("run", "music", "--base", folder.path("x.html")).status == 64)
    #expect(try await Command.run("car", "/bin/true", "--report", folder.path("y.html")).status == 64)
    #expect(try await Command.run("simulate", "--study", "charging", "--junit", folder.path("y.xml")).status == 64)
    let base = try await Command.run(
      "run", "music", "--report", folder.path("y.html"), "--base", folder.path("x.html"))
    #expect(base.status == 65 && base.output.isEmpty && base.errors.contains("is no report of a run"))
    #expect(!FileManager.default.fileExists(atPath: folder.path("y.html")))
    #expect(try await Command.run("run", "music", "--report", folder.path("none/y.html")).status == 66)
  }

  @Test("Text of a run is no markup, and no text ends the data of a page")
  func escaped() throws {
    var report = RunReport(title: "</script><b>&")
    var part = RunReport.Part("a\"b")
    part.rows = [RunReport.Row(.content, time: 1, who: "</script>", "<img src=x>\u{7}")]
    (part.failure, part.details) = ("<i>", ["]]>", "second"])
    report.parts = [part]
    let page = try report.html(against: nil)
    #expect(
      !page.contains("<b>&") && !page.contains("<img src=x>") && page.components(separatedBy: "</script>").count == 2)
    #expect(RunBase(page: page) == RunBase(report))
    let suite = try XMLReading(Data(report.junit.utf8))
    #expect(suite.all("failure") == [["message": "<i>"]] && suite.all("testcase").first?["name"] == "a\"b")
  }

  @Test("Rows are compared without their times, and long runs in bounded time")
  func comparison() {
    func run(_ rows: [String], failure: String? = nil, at startTime: Int = 0) -> RunBase {
      var report = RunReport(title: "x")
      var part = RunReport.Part("p")
      part.rows = rows.enumerated().map { RunReport.Row(.content, time: Double(startTime + $0), who: "", $1) }
      part.failure = failure
      report.parts = [part]
      return RunBase(report)
    }
    #expect(RunComparison(run(["a", "b"]), base: run(["a", "b"], at: 5)).lines.isEmpty)
    #expect(
      RunComparison(run(["a", "c", "d"]), base: run(["a", "b", "d"])).lines == [
        .remark("p differs from row 2 on: 1 rows in place of 1"), .removed("b"), .added("c"),
      ])
    #expect(
      RunComparison(run(["a"], failure: "f"), base: run(["a"])).lines == [
        .remark("p failed, and did not before: f")
      ])
    let long = (0..<20_000).map { "row \($0)" }
    let lines = RunComparison(run(long), base: run(long.reversed())).lines
    #expect(lines.count == 202 && lines.last == .remark("39800 more rows differ"))
  }

  @Test("A recorder keeps a bounded number of rows and picture bytes, and counts the rest")
  func bounds() {
    let recorder = RunRecorder(title: "x")
    recorder.begin("p")
    for number in 0..<RunRecorder.maximumRows + 7 {
      recorder.add(RunReport.Row(.content, time: nil, who: "", "\(number)"))
    }
    let half = [UInt8](repeating: 0, count: RunRecorder.maximumPictureByteCount / 2)
    for name in ["a", "b", "c"] { recorder.add(RunReport.Picture(name: name, type: "image/png", bytes: half)) }
    let report = recorder.report
    #expect(report.parts[0].rows.count == RunRecorder.maximumRows && report.parts[0].omitted == 7)
    #expect(report.pictures.map(\.name) == ["a", "b"] && report.facts.count == 1)
  }
}
