// swift-iap2 · Apache-2.0

import CaptureSupport
import CarPlayCapture
import IAP2Capture
import Lab
import Testing

/// The rows of a capture with a CarPlay session.
@Suite struct CaptureLabTests {
  @Test("An announcement has one row, and the point at which the session stopped has one")
  func announcements() throws {
    let bytes = try CaptureFiles.bytes("carplay/avahi.pcap")
    var secrets = SessionSecrets()
    secrets.add(try CaptureFiles.bytes("carplay/avahi.keys"))
    var (reading, explaining) = (CaptureAnalyzerOptions(), CaptureAnalyzerOptions())
    reading.sessions = CarPlaySessions(secrets)
    explaining.sessions = CarPlaySessions(secrets, explains: true, reportsFindings: false)
    let rows = try #require(CaptureLab.rows(of: bytes, reading, explaining: explaining))
    #expect(!rows.contains { $0.kind == .event && $0.text.hasPrefix("announces") })
    #expect(rows.contains { ($0.name + $0.text).contains("_airplay._tcp") })
    #expect(rows.count { $0.name == "complete" || $0.name == "stops here" } == 1)
  }
}
