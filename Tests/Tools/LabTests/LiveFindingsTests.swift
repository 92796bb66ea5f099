// swift-iap2 · Apache-2.0

import CaptureSupport
import IAP2Analysis
import IAP2Capture
import Testing

@testable import Lab

/// The broken rules that a running session shows.
@Suite struct LiveFindingsTests {
  /// Returns the rows of a capture that comes piece by piece.
  private static func rows(of bytes: [UInt8], piece: Int) -> (during: [LabEntry], end: [LabEntry]) {
    var findings = LiveFindings()
    var during: [LabEntry] = []
    // The header is a piece of its own.
    findings.take([], at: 0)
    for start in stride(from: 0, to: bytes.count, by: piece) {
      findings.take(Array(bytes[start..<min(start + piece, bytes.count)]), at: 0)
      during += findings.news()
    }
    return (during, findings.end())
  }

  @Test("Captures with broken rules show each rule once, as iap2 explain does, and then where the connection stopped")
  func brokenRules() throws {
    var count = 0
    for number in 1...30 {
      let name = "blind/a-\(number < 10 ? "0" : "")\(number).txt"
      let bytes = try CaptureFiles.bytes(name)
      var analyzer = CaptureAnalyzer(sink: ExplanationSink())
      analyzer.append(bytes)
      analyzer.finish()
      let explanations = Explanation.all(analyzer)
      let rows = Self.rows(of: bytes, piece: 256)
      let broken = (rows.during + rows.end).filter { $0.name == "rule broken" || $0.name == "owed" }
      let expected = Set(explanations.flatMap(\.breaches).map(\.detail))
      #expect(expected.isSubset(of: Set(broken.map(\.text))), "\(name)")
      #expect(rows.during.allSatisfy { $0.name == "rule broken" }, "\(name)")
      #expect(rows.end.count { $0.name == "stops here" || $0.name == "complete" } >= 1, "\(name)")
      count += rows.during.count
    }
    #expect(count > 10)
  }
}
