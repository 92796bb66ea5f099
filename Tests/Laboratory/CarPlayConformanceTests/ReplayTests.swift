// swift-iap2 · Apache-2.0

import CaptureSupport
import CarPlayAnalysis
import CarPlayCapture
import CarPlaySession
import IAP2Analysis
import IAP2Capture
import Testing

@testable import CarPlayConformance

/// Recorded sessions of the peer in Python, played against this package's sides in memory.
struct ReplayTests {
  private func recording(_ name: String) throws -> RecordedSession {
    var secrets = SessionSecrets()
    secrets.add(try CaptureFiles.bytes("carplay/\(name).keys"))
    let recorder = CarPlayRecorder(limits: SessionReplay.limits)
    var options = CaptureAnalyzerOptions()
    options.sessions = CarPlaySessions(secrets, recorder: recorder)
    var analyzer = CaptureAnalyzer(options: options, sink: SummarySink())
    analyzer.append(try CaptureFiles.bytes("carplay/\(name).pcap"))
    analyzer.finish()
    return try #require(recorder.session)
  }

  private func differences(_ comparison: RecordedSessionComparison) -> [String] {
    comparison.rows.flatMap { row in
      let name = comparison.exchange(row)?.name ?? ""
      return row.relation == .changed
        ? row.differences.map { "\(name) \($0.path)" } : row.relation == .equal ? [] : ["\(name) \(row.relation)"]
    }
  }

  @Test(arguments: [1, nil] as [Double?])
  func `a recorded phone plays its whole session at another head unit`(speed: Double?) async throws {
    let replay = try SessionReplay(try recording("peer-phone"), speed: speed)
    let result = try #require(await replay.play(against: try SessionReference.headUnit { $0 }))
    #expect(result.stop == nil)
    // The head unit has another display, and sends commands of its own.
    let found = differences(RecordedSessionComparison(replay.recording, result.session, only: .headUnit))
    #expect(found.contains("GET /info displays[0].widthPixels"))
    #expect(found.filter { !$0.hasPrefix("GET /info") }.allSatisfy { $0.hasSuffix("onlyInB") })
    for source in replay.recording.contents.keys {
      #expect(result.session.contents[source]?.count == replay.recording.contents[source]?.count, "\(source)")
    }
  }

  @Test
  func `a replay of a replay finds no difference at the same head unit`() async throws {
    let first = try SessionReplay(try recording("peer-phone"))
    let live = try #require(await first.play(against: try SessionReference.headUnit { $0 }))
    let second = try SessionReplay(live.session)
    let again = try #require(await second.play(against: try SessionReference.headUnit { $0 }))
    #expect(again.stop == nil)
    #expect(differences(RecordedSessionComparison(live.session, again.session, only: .headUnit)) == [])
  }

  @Test
  func `a recorded head unit answers another phone`() async throws {
    let replay = try SessionReplay(try recording("peer-headunit"))
    let result = try #require(await replay.play(against: try SessionReference.phone()))
    let found = differences(RecordedSessionComparison(replay.recording, result.session, only: .phone))
    #expect(found.contains("SETUP name"))
    // The phone took the recorded display, and answered the recorded touches.
    let screens = result.session.exchanges.filter { $0.name == "SETUP screen" }
    #expect(screens.first?.streams?.first?.uuid == "5c9a1f1e-0000-4000-8000-000000000110")
    #expect(result.session.exchanges.filter { $0.command == "hidSendReport" }.map { $0.answer?.status } == [200, 200])
    let first = try SessionReplay(result.session)
    let again = try #require(await first.play(against: try SessionReference.phone()))
    #expect(differences(RecordedSessionComparison(result.session, again.session, only: .phone)) == [])
  }

  @Test
  func `a head unit that answers otherwise is a difference with its request and key`() async throws {
    let replay = try SessionReplay(try recording("peer-phone"))
    let tamper = Tamper(answer: { request, answer in
      if request.path == "/info" { answer = answer.changing { $0["model"] = "another" } }
    })
    let right = try #require(await replay.play(against: try SessionReference.headUnit { $0 }))
    let wrong = try #require(
      await replay.play(against: try SessionReference.headUnit { TamperedHeadUnit($0, tamper) }))
    let found = differences(RecordedSessionComparison(right.session, wrong.session, only: .headUnit))
    #expect(found == ["GET /info model"])
  }

  @Test(arguments: [1e300, -1e300, .infinity, .nan] as [Double])
  func `a capture may have any times`(seconds: Double) throws {
    let replay = try SessionReplay(try recording("peer-headunit"), speed: 1e-300)
    var clock = ReplayClock(replay, at: .zero)
    let wait = clock.wait(for: .init(record: 1, seconds: seconds), now: .zero)
    #expect(wait >= .zero && wait <= .seconds(86_400))
  }

  @Test
  func `a recording that stops early is played as far as it goes`() async throws {
    let replay = try SessionReplay(try recording("failures/headunit-no-screen-uuid"))
    let result = try #require(await replay.play(against: try SessionReference.headUnit { $0 }))
    #expect(result.stop == nil)
    let found = differences(RecordedSessionComparison(replay.recording, result.session, only: .headUnit))
    #expect(found.contains("GET /info displays[0].uuid"))
  }

  @Test
  func `a session without pair-verify or without keys is refused`() throws {
    #expect(throws: SessionReplay.Problem.unverified) { try SessionReplay(try recording("peer-phone-210")) }
    #expect(throws: SessionReplay.Problem.unfinished) { try SessionReplay(RecordedSession()) }
  }
}
