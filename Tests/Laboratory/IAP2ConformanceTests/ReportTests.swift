// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Conformance
import IAP2Roles
import IAP2Runtime
import IAP2Transport
import Testing

struct ReportTests {
  @Test
  func `the page of checks matches the checks`() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/Laboratory/IAP2Conformance/IAP2Conformance.docc/Checks.md")
    if ProcessInfo.processInfo.environment["IAP2_RECORD_GOLDEN"] != nil {
      try CheckTable.page.write(to: page, atomically: true, encoding: .utf8)
    }
    let isCurrent = try String(contentsOf: page, encoding: .utf8) == CheckTable.page
    #expect(isCurrent, "tools/iap2 conformance --list --markdown > \(page.standardizedFileURL.path())")
  }

  @Test
  func `a report counts each verdict once and says why a check failed`() throws {
    let tamper = try #require(BrokenPeers.all["DET-03"])
    let checks = Check.all(of: .device).filter { ["DET-03", "DET-04", "EAP-09"].contains($0.id) }
    let outcomes = try VirtualTime.run { time in
      try await Suite(of: .device, checks).run(TamperedTransport.peer(.device, tamper, clock: time))
    }
    let tally = Tally(outcomes)
    #expect(tally.failures(.required) == 1 && tally.failures(.recommended) == 0)
    #expect(tally.checks == 3 && tally[.fail] == 1 && tally[.pass] == 2)
    let lines = JUnitReport.text(outcomes, of: "phone").split(separator: "\n")
    #expect(lines[1].contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"0\""))
    #expect(lines.filter { $0.contains("<testcase ") }.count == 3)
    let failure = try #require(lines.first { $0.contains("<failure ") })
    #expect(
      failure.contains("it sent first: the detect sequence") && failure.contains("A device sends nothing before"))
  }

  @Test
  func `texts of a peer are escaped in the report`() {
    #expect(JUnitReport.escaped("<a & \"b\">\u{1}\n") == "&lt;a &amp; &quot;b&quot;&gt;? ")
  }

  @Test
  func `a phone that identifies first passes`() throws {
    let outcomes = try VirtualTime.run { time in
      let setting = Setting(clock: time) { () async throws(TransportError) in
        let ends = MemoryTransport.pair()
        Task(executorPreference: time) {
          var profile = PhoneProfile()
          profile.order = .identificationFirst
          var options = RoleOptions()
          options.clock = time
          let phone = Phone(profile: profile, options: options)
          _ = await phone.run(on: ends.device)
          phone.finish()
        }
        return ends.accessory
      }
      return try await Suite(of: .device).run(setting)
    }
    for outcome in outcomes {
      let kind = outcome.verdict.kind
      #expect(kind == .pass || kind == .notApplicable, "\(outcome.check.id): \(outcome.verdict)")
    }
    // The phone has no app for the probe's EA protocol.
    #expect(outcomes.filter { $0.verdict.kind == .notApplicable }.map(\.check.id) == ["EAP-07", "EAP-08", "EAP-09"])
  }
}
