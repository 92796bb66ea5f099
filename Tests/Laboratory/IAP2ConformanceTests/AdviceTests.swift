// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Authentication
import IAP2Conformance
import IAP2Runtime
import IAP2Transport
import Testing

/// Tests of strictness, of the advice after a run, of its settings, and of the recognition of a peer before it.
struct AdviceTests {
  @Test
  func `each strictness has checks, and unverified requirements are never required`() {
    for strictness in Strictness.allCases { #expect(Check.all.contains { $0.strictness == strictness }) }
    #expect(!Check.all.contains { $0.evidence.isUnverified && $0.strictness == .required })
  }

  @Test
  func `the advice names the first failed required check in the order of a session`() throws {
    // The head unit acknowledges too late.
    let outcomes = try outcomes(
      ["IDN-03", "ACK-03", "ACK-02", "FRA-02"], .accessory,
      .values(
        receives: { $0.maxCumulativeAcks = 30 }, sends: { $0.maxCumulativeAcks = 3 }))
    let advice = RepairAdvice(outcomes, of: "head unit")
    #expect(advice.first?.check.id == "ACK-02")
    #expect(advice.sentences.first?.hasPrefix("Repair first: ACK-02, acknowledgements.") == true, "\(advice.sentences)")
  }

  @Test
  func `a failed recommended check is counted, and is nothing to repair first`() throws {
    let outcomes = try outcomes(["ACK-09"], .accessory, Tamper(repeatsAfterMilliseconds: 6000))
    let tally = Tally(outcomes)
    #expect(tally[.fail] == 1 && tally.failures(.required) == 0 && tally.failures(.recommended) == 1)
    let advice = RepairAdvice(outcomes, of: "head unit")
    #expect(advice.first == nil)
    #expect(
      advice.sentences == [
        "ACK-09 fails, but is recommended: known implementations differ, so others should cope."
      ])
    let report = JUnitReport.text(outcomes, of: "head unit")
    #expect(report.contains("failures=\"0\" errors=\"0\" skipped=\"1\"") && report.contains("recommended, fail:"))
  }

  @Test
  func `the advice groups the reasons of checks without a verdict`() throws {
    let outcomes = try outcomes(["AUT-20", "AUT-22", "IDN-21"], .device, BrokenPeers.all["DET-04"] ?? Tamper())
    let advice = RepairAdvice(outcomes, of: "phone")
    #expect(advice.first == nil && advice.sentences.count == 1)
    #expect(
      advice.sentences.first?.hasPrefix("3 checks have no verdict, because: the link did not come up: it echoed none")
        == true, "\(advice.sentences)")
  }

  @Test
  func `a check of a higher layer runs beside the others`() throws {
    let screen = Area("screen", subject: "the screen of the car")
    let check = Check(
      "SCR-01", screen, of: [.accessory], "A screen", "The accessory has a screen.",
      RequirementEvidence("a test", .high)
    ) { probe throws(Stop) in
      guard probe.side == .device else { throw .inconclusive("the probe is the accessory") }
      throw .failed("it has none")
    }
    let own = Check.all.filter { $0.id == "AUT-01" }
    let outcomes = try VirtualTime.run { time in
      try await Suite(of: .accessory, own + [check]).run(TamperedTransport.peer(.accessory, Tamper(), clock: time))
    }
    #expect(outcomes.map(\.verdict) == [.pass, .fail(reason: "it has none")])
    let advice = RepairAdvice(outcomes, of: "head unit")
    #expect(
      advice.sentences == [
        "Repair first: SCR-01, the screen of the car. The accessory has a screen. The head unit does not: it has none."
      ])
  }

  @Test
  func `the certificate is checked against the given authority, or not at all`() throws {
    func verdicts(_ trust: AccessoryTrust) throws -> [Verdict.Kind] {
      let checks = Check.all.filter { ["AUT-02", "AUT-04", "AUT-10"].contains($0.id) }
      return try VirtualTime.run { time in
        var setting = TamperedTransport.peer(.accessory, Tamper(), clock: time)
        setting.accessoryTrust = trust
        return try await Suite(of: .accessory, checks).run(setting)
      }.map(\.verdict.kind)
    }
    #expect(try verdicts(.certificateKey) == [.pass, .pass, .notApplicable])
    #expect(try verdicts(.any) == [.notApplicable, .notApplicable, .notApplicable])
    #expect(try verdicts(.verifier(.test)) == [.pass, .pass, .pass])
    #expect(try verdicts(.verifier(Self.otherAuthority())) == [.pass, .pass, .fail])
  }

  @Test
  func `the limit of an answer is the caller's`() throws {
    let check = Check.all.filter { $0.id == "AUT-01" }
    for (limit, isEnough) in [(1000, false), (10_000, true)] {
      let outcomes = try VirtualTime.run { time in
        var setting = Setting(clock: time) { () async throws(TransportError) in
          LateTransport(below: ReferenceRole.connection(to: .accessory, clock: time), clock: time)
        }
        setting.answerMilliseconds = limit
        return try await Suite(of: .accessory, check).run(setting)
      }
      #expect((outcomes[0].verdict == .pass) == isEnough, "\(outcomes[0].verdict)")
    }
  }

  /// An authority that has not issued the certificate of the project's head unit.
  static func otherAuthority() throws -> AuthenticationVerifier {
    let file = URL(filePath: #filePath).appending(path: "../../../Tools/CommandTests/Fixtures/other-ca.pem")
    return try AuthenticationVerifier(
      certificateAuthorityPEM: try String(contentsOf: file.standardizedFileURL, encoding: .utf8))
  }

  // MARK: Recognition

  @Test(arguments: Side.allCases)
  func `a peer of the other side is recognized`(side: Side) throws {
    #expect(try recognized(side) { ReferenceRole.connection(to: side, clock: $0) } == .peer)
  }

  @Test(arguments: Side.allCases)
  func `a peer of the same side is recognized as such`(side: Side) throws {
    #expect(try recognized(side) { ReferenceRole.connection(to: side.peer, clock: $0) } == .sameSide)
  }

  @Test(arguments: Side.allCases)
  func `silence, another protocol and an early end are recognized`(side: Side) throws {
    #expect(try recognized(side) { _ in MemoryTransport.pair().accessory } == .silent(milliseconds: 15_000))
    #expect(
      try recognized(side) { time in
        let ends = MemoryTransport.pair()
        Task(executorPreference: time) { do { try await ends.device.send(Array("HTTP".utf8)) } catch {} }
        return ends.accessory
      } == .otherProtocol(Array("HTTP".utf8)))
    #expect(
      try recognized(side) { time in
        let ends = MemoryTransport.pair()
        Task(executorPreference: time) { await ends.device.close() }
        return ends.accessory
      } == .closed)
  }

  private func recognized(
    _ side: Side, _ connect: @escaping @Sendable (VirtualTime) -> any ByteTransport
  ) throws -> Recognition? {
    try VirtualTime.run { time in
      try await Suite(of: side).recognize(Setting(clock: time) { () async throws(TransportError) in connect(time) })
    }
  }

  private func outcomes(_ ids: [String], _ side: Side, _ tamper: Tamper) throws -> [Outcome] {
    let checks = Check.all(of: side).filter { ids.contains($0.id) }
    return try VirtualTime.run { time in
      try await Suite(of: side, checks).run(TamperedTransport.peer(side, tamper, clock: time))
    }
  }
}

/// A transport whose received bytes arrive 2 s late.
private struct LateTransport: ByteTransport {
  let below: any ByteTransport
  let clock: any RuntimeClock

  var address: String { below.address }
  func receive() async throws(TransportError) -> [UInt8]? {
    let bytes = try await below.receive()
    do { try await clock.sleep(until: clock.now.adding(milliseconds: 2000)) } catch {}
    return bytes
  }
  func send(_ bytes: [UInt8]) async throws(TransportError) { try await below.send(bytes) }
  func close() async { await below.close() }
}
