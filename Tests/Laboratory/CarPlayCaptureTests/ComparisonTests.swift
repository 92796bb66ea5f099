// swift-iap2 · Apache-2.0

import CaptureSupport
import CarPlayAnalysis
import CarPlayCapture
import CarPlaySession
import Foundation
import IAP2Analysis
import IAP2Capture
import Testing

/// Comparisons of sessions with the peer in Python, of which one side has a known fault.
@Suite struct ComparisonTests {
  private func session(_ name: String) throws -> RecordedSession {
    var secrets = SessionSecrets()
    secrets.add(try CaptureFiles.bytes("carplay/\(name).keys"))
    let recorder = CarPlayRecorder()
    var options = CaptureAnalyzerOptions()
    options.sessions = CarPlaySessions(secrets, recorder: recorder)
    var analyzer = CaptureAnalyzer(options: options, sink: SummarySink())
    analyzer.append(try CaptureFiles.bytes("carplay/\(name).pcap"))
    analyzer.finish()
    return try #require(recorder.session)
  }

  private func paths(_ comparison: RecordedSessionComparison) -> Set<String> {
    Set(
      comparison.rows.flatMap { row in
        row.differences.map { "\(comparison.exchange(row)?.name ?? "") \($0.path)" }
      })
  }

  @Test func `the page about comparisons names every rule`() throws {
    let page = CaptureFiles.root.appending(path: "../Documentation/Tasks/ReadAndCompareCaptures.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    for rule in SessionValueRule.allCases { #expect(text.contains("\n| `\(rule.rawValue)` | "), "\(rule)") }
  }

  @Test
  func `an answer that is missing gets no other request's body, and the comparison says what is missing`() throws {
    let request = { (number: Int) in
      RequestMessage(
        .request(method: "POST", path: "/feedback", protocolWord: "RTSP/1.0"),
        headers: RequestHeaders([("CSeq", "\(number)")]), body: [])
    }
    var session = RecordedSession()
    for number in 1...3 { session.take(request(number), on: .control, isExact: true, at: .init(record: number)) }
    session.take(request(2).answer(200), on: .control, isExact: true, at: .init(record: 4))
    session.take(request(9).answer(200), on: .control, isExact: true, at: .init(record: 5))
    #expect(session.exchanges.map { $0.answer != nil } == [false, true, false])
    let bytes = try CaptureFiles.bytes("carplay/peer-phone.pcap")
    let (header, records) = BadCaptureTests.records(bytes)
    var secrets = SessionSecrets()
    secrets.add(try CaptureFiles.bytes("carplay/peer-phone.keys"))
    let recorder = CarPlayRecorder()
    var options = CaptureAnalyzerOptions()
    options.sessions = CarPlaySessions(secrets, recorder: recorder)
    var analyzer = CaptureAnalyzer(options: options, sink: SummarySink())
    // A packet of the screen is missing.
    analyzer.append(header + (records[..<100] + records[103...]).flatMap(\.self))
    analyzer.finish()
    let (whole, other) = (try self.session("peer-phone"), try #require(recorder.session))
    #expect(!whole.lacksBytes && other.lacksBytes)
    let notes = RecordedSessionComparison(whole, other).notes
    #expect(notes.contains { if case .lacking(a: false, b: true) = $0 { true } else { false } })
  }

  @Test(arguments: ["peer-phone", "peer-headunit", "peer-phone-210"])
  func `a session is equal to itself`(name: String) throws {
    let session = try session(name)
    let comparison = RecordedSessionComparison(session, session)
    #expect(comparison.differenceCount == 0)
    #expect(comparison.rows.count == session.exchanges.count { $0.uncounted == nil })
    #expect(comparison.rows.allSatisfy { $0.relation == .equal })
  }

  @Test
  func `a recorded session has every request with its answer, and what its streams sent`() throws {
    let session = try session("peer-phone")
    #expect(session.exchanges.allSatisfy { $0.answer != nil })
    #expect(session.exchanges.map(\.name).contains("SETUP mainAudio"))
    #expect(session.contents[.init(type: .screen, side: .phone)]?.count == 30)
    #expect(session.contents[.init(type: .mainAudio, side: .phone)]?.byteCount == 19_200)
    #expect(!session.isCut)
  }

  /// The faults of the head unit in Python that one value shows, and the request and path of it.
  @Test(arguments: [
    ("headunit-no-screen-uuid", "GET /info displays[0].uuid"),
    ("headunit-no-event-port", "SETUP eventPort"),
    ("headunit-lying-descriptor", "GET /info hidDevices[0].hidDescriptor"),
  ])
  func `the value that a faulty head unit sends is a difference`(name: String, path: String) throws {
    let right = try session("peer-headunit")
    let comparison = RecordedSessionComparison(right, try session("failures/\(name)"))
    #expect(paths(comparison).contains(path))
    // The right session alone goes on.
    #expect(comparison.rows.contains { $0.relation == .onlyInA } || name == "headunit-lying-descriptor")
    let reversed = RecordedSessionComparison(try session("failures/\(name)"), right)
    #expect(reversed.differenceCount == comparison.differenceCount)
    #expect(paths(reversed) == paths(comparison))
  }

  @Test
  func `only the messages of one side are compared if the other one is played`() throws {
    let (a, b) = (try session("peer-phone"), try session("peer-headunit"))
    let phones = RecordedSessionComparison(a, b, only: .phone)
    let headUnits = RecordedSessionComparison(a, b, only: .headUnit)
    #expect(phones.rows.allSatisfy { row in row.differences.allSatisfy { $0.isInAnswer == (row.channel == .events) } })
    #expect(
      headUnits.rows.allSatisfy { row in row.differences.allSatisfy { $0.isInAnswer == (row.channel == .control) } })
    #expect(paths(phones).contains("SETUP model"))
    #expect(paths(headUnits).contains("GET /info displays[0].widthPixels"))
  }

  @Test
  func `a certificate of another head unit may be tolerated`() throws {
    let (a, b) = (try session("peer-phone"), try session("peer-headunit"))
    let path = "POST /auth-setup certificate"
    #expect(paths(RecordedSessionComparison(a, b)).contains(path))
    #expect(!paths(RecordedSessionComparison(a, b, ignoring: [.certificate])).contains(path))
  }

  @Test
  func `screens of any size and numbers that are none are compared`() throws {
    var (a, b) = (RecordedSession(), RecordedSession())
    for (index, width) in [Float.infinity, .nan, -.greatestFiniteMagnitude].enumerated() {
      var picture = ScreenMessage(.configuration, body: [1])
      picture.width = width
      a.take(picture, of: .screen, at: .init(record: index))
    }
    b.take(ScreenMessage(.configuration, body: [2]), of: .screen, at: .init(record: 0))
    #expect(RecordedSessionComparison(a, b).screens.map(\.type) == [.screen])
    let body = PropertyValue.dictionary(["rate": .real(.nan)]).binary
    a.take(
      RequestMessage(.request(method: "POST", path: "/command", protocolWord: "RTSP/1.0"), body: body), on: .control,
      at: .init(record: 1))
    let same = RecordedSessionComparison(a, a)
    #expect(same.rows.count == 1 && same.rows[0].relation == .equal)
  }

  @Test
  func `a recording keeps no more than its limits`() throws {
    var limits = RecordedSession.Limits()
    (limits.exchanges, limits.pieceByteCount) = (3, 1000)
    var session = RecordedSession(limits)
    for number in 0..<5 {
      session.take(
        RequestMessage(
          .request(method: "GET", path: "/info", protocolWord: "RTSP/1.0"),
          headers: RequestHeaders([("CSeq", "\(number)")])),
        on: .control, at: .init(record: number))
      session.take(
        ScreenMessage(.frame, body: [UInt8](repeating: 0, count: 400)), of: .screen, at: .init(record: number))
    }
    #expect(session.exchanges.count == 3)
    #expect(session.pieces.count == 1)
    #expect(session.contents[.init(type: .screen, side: .phone)]?.count == 5)
    #expect(session.isCut)
  }
}
