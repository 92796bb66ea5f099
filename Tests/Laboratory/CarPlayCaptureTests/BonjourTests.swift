// swift-iap2 · Apache-2.0

import CaptureSupport
import CarPlayCapture
import IAP2
import IAP2Capture
import Testing

/// Messages of Bonjour by Avahi, in a capture beside the session that they lead to.
@Suite struct BonjourTests {
  private static let serviceCount = 2

  private var capture: [UInt8] { get throws { try CaptureFiles.bytes("carplay/avahi.pcap") } }

  @Test("Services of both sides are shown with their records, once")
  func services() throws {
    let found = try lines(capture).filter {
      if case .session(let finding) = $0.content { finding.layer == .discovery } else { false }
    }
    #expect(
      found.findings.map(\.text) == [
        "_airplay._tcp: Test Car at testcar.local:7000", "_carplay-ctrl._tcp: Test Phone at testcar.local:7001",
        "asks for _airplay._tcp", "_airplay._tcp: goodbye of Test Car at testcar.local:7000",
        "_carplay-ctrl._tcp: goodbye of Test Phone at testcar.local:7001",
      ])
    #expect(found.map(\.from) == [.accessory, .device, .device, .accessory, .device])
  }

  @Test("Filters find a service, and a key of its TXT record")
  func filters() throws {
    #expect(try lines(capture, filter: "service = \"_carplay-ctrl._tcp\"").findings.count >= 2)
    #expect(try lines(capture, filter: "body.txt.model = \"Test\"").findings.count == 2)
  }

  @Test("A message that is cut anywhere, or damaged anywhere, is read or left out")
  func damaged() throws {
    let (header, records) = BadCaptureTests.records(try capture)
    let place = try #require(records.firstIndex { $0.count > 300 })
    let questions = BonjourTests.serviceCount
    for index in 16..<records[place].count {
      for value: UInt8 in [0, 0xC0, 0xFF] {
        var changed = records
        changed[place][index] = value
        // The message has two instances and no question, and damage makes no more of them.
        #expect(try lines(header + changed.prefix(place + 1).flatMap(\.self)).findings.count <= 2 + questions)
      }
    }
  }
}
