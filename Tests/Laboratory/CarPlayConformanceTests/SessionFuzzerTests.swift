// swift-iap2 · Apache-2.0

import CarPlaySession
import Testing

@testable import CarPlayConformance

struct SessionFuzzerTests {
  @Test
  func `both sides of this package survive`() async throws {
    let plans = (0..<20).map { SessionFuzzPlan(seed: 11, round: $0) }
    let headUnit = SessionFuzzer(try SessionReference.headUnit { $0 }, canRestart: false)
    let report = try await headUnit.run(plans) { Issue.record("\($0)") }
    #expect(report.rounds == 20 && report.changed > 10)
    #expect(report.states[.live] ?? 0 > 5)
    let phone = SessionFuzzer(try SessionReference.phone()) { nil }
    let other = try await phone.run(plans.prefix(8)) { Issue.record("\($0)") }
    #expect(other.rounds == 8 && other.changed > 4)
  }

  @Test
  func `a head unit that dies of some messages is found, with the fewest changes`() async throws {
    let tamper = Tamper(diesOfAnswer: { $0.status >= 400 }, revives: 1)
    let fuzzer = SessionFuzzer(try SessionReference.headUnit { TamperedHeadUnit($0, tamper) }, canRestart: true)
    var findings: [SessionFuzzer.Finding] = []
    let report = try await fuzzer.run((0..<40).map { SessionFuzzPlan(seed: 3, round: $0) }) { findings.append($0) }
    #expect(report.rounds == 40 && report.findings == findings.count)
    let found = try #require(findings.first { $0.plan.mutations.count > 1 })
    #expect(findings.allSatisfy { !$0.changed.isEmpty })
    let minimum = try #require(found.minimum)
    #expect(minimum.mutations.count == 1)
    // The fewest changes alone show the finding.
    var again: [SessionFuzzer.Finding] = []
    _ = try await fuzzer.run([minimum]) { again.append($0) }
    #expect(again.count == 1)
  }

  @Test
  func `a head unit that is not started again ends the run`() async throws {
    let tamper = Tamper(diesOfAnswer: { $0.status >= 400 })
    let fuzzer = SessionFuzzer(try SessionReference.headUnit { TamperedHeadUnit($0, tamper) }, canRestart: false)
    var findings: [SessionFuzzer.Finding] = []
    let report = try await fuzzer.run((0..<40).map { SessionFuzzPlan(seed: 3, round: $0) }) { findings.append($0) }
    #expect(report.isLost && findings.count == 1 && findings[0].minimum == nil)
  }
}
