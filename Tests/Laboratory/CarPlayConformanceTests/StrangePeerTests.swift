// swift-iap2 · Apache-2.0

import Basics
import CaptureSupport
import CarPlaySession
import CarPlaySimulation
import IAP2
import IAP2Conformance
import Testing

@testable import CarPlayConformance

/// Peers that are no head units and no phones.
struct StrangePeerTests {
  @Test(arguments: [0, -5, 17, 1 << 40, .max])
  func `the sizes of a peer's screen are bounded before pictures are made`(pixels: Int) {
    for (width, height) in [(pixels, 480), (800, pixels)] {
      let pictures = SamplePicture(width: width, height: height)
      #expect((16...4096).contains(pictures.width) && (16...4096).contains(pictures.height))
      #expect(pictures.width % 2 == 0 && pictures.height % 2 == 0)
      #expect(pictures.frame(0, time: 0).body.count < 1 << 20 && !pictures.configuration.body.isEmpty)
    }
  }

  private static let rules = SessionCheck.all.filter(\.isRule)

  @Test
  func `a peer that answers everything with the same bytes keeps no rule of a session`() async throws {
    let tamper = Tamper(respond: { $0.answer(200, body: Array("abc".utf8)) })
    let peer = try SessionReference.headUnit { TamperedHeadUnit($0, tamper) }
    let outcomes = await SessionSuite(Self.rules.filter { $0.check.subjects.contains(.accessory) }).run(peer)
    let passed = outcomes.filter { $0.verdict == .pass }.map(\.check.id)
    #expect(passed == ["CRQ-01", "CRQ-02", "CRQ-03", "CRQ-06"])
    #expect(await SessionRecognition(of: peer) == .headUnit)
  }

  @Test
  func `a web server is no head unit, and a session that ends early is an error of the report`() async throws {
    let tamper = Tamper(
      respond: { request in
        var answer = request.answer(404, body: Array("<html>".utf8))
        answer.start = .answer(status: 404, reason: "Not Found", protocolWord: "HTTP/1.1")
        return answer
      })
    let peer = try SessionReference.headUnit { TamperedHeadUnit($0, tamper) }
    guard case .other(let bytes) = await SessionRecognition(of: peer) else {
      Issue.record("the server was taken as a head unit")
      return
    }
    #expect(bytes.starts(with: "HTTP/1.1 404".utf8))
    let checks = Self.rules.filter { $0.check.id == "CRQ-01" && $0.check.subjects.contains(.accessory) }
    let outcomes = await SessionSuite(checks).run(peer)
    #expect(outcomes.map(\.verdict) == [.pass] && outcomes[0].sessionStop != nil)
    #expect(JUnitReport.text(outcomes, of: "head unit").contains("errors=\"1\""))
  }

  @Test
  func `a peer that answers nothing keeps no rule, and is no head unit`() async throws {
    let tamper = Tamper(drops: { _, _ in true })
    let peer = try SessionReference.headUnit { TamperedHeadUnit($0, tamper) }
    let outcomes = await SessionSuite(Self.rules.filter { $0.check.subjects.contains(.accessory) }).run(peer)
    #expect(outcomes.filter { $0.verdict == .pass }.isEmpty)
    #expect(outcomes.filter { $0.verdict.kind == .fail }.map(\.check.id) == ["CRQ-01"])
    #expect(await SessionRecognition(of: peer) == .silent)
  }

  @Test
  func `a peer that answers nothing has a verdict about the rules, and is not provoked`() async throws {
    let tamper = Tamper(drops: { _, _ in true })
    var peer = try SessionReference.headUnit { TamperedHeadUnit($0, tamper) }
    peer.isMute = true
    let checks = SessionCheck.all(of: .accessory).filter { ["CRQ-01", "CSU-51", "CSC-54"].contains($0.check.id) }
    let outcomes = await SessionSuite(checks).run(peer)
    #expect(outcomes.map(\.verdict.kind) == [.fail, .inconclusive, .inconclusive], "\(outcomes.map(\.verdict))")
  }

  @Test
  func `a signature of auth-setup in DER fails the checks of the proof, which name its form`() async throws {
    let sign = { @Sendable (bytes: [UInt8]) -> AccessoryEvidence? in
      TestParties.sign(bytes).map { evidence in
        AccessoryEvidence(
          certificate: evidence.certificate, signature: DERSignature.bytes(of: evidence.signature))
      }
    }
    let peer = try SessionReference.headUnit(sign: sign, wrap: { $0 })
    let checks = SessionCheck.all(of: .accessory).filter { ["CAS-03", "CAS-51"].contains($0.check.id) }
    let outcomes = await SessionSuite(checks).run(peer)
    #expect(outcomes.map(\.verdict.kind) == [.fail, .fail], "\(outcomes.map(\.verdict))")
    #expect(outcomes.allSatisfy { $0.verdict.reason?.contains("DER") == true }, "\(outcomes.map(\.verdict))")
  }

  @Test
  func `a peer that answers pairing and not /info is judged as a head unit`() async throws {
    let silence = RequestMessage(.answer(status: 0, reason: "", protocolWord: "RTSP/1.0"))
    let tamper = Tamper(respond: { $0.path == "/info" ? silence : nil })
    let peer = try SessionReference.headUnit { TamperedHeadUnit($0, tamper) }
    #expect(await SessionRecognition(of: peer) == .headUnit)
    let checks = SessionCheck.all(of: .accessory).filter { ["CRQ-01", "CPA-05", "CPA-52"].contains($0.check.id) }
    let outcomes = await SessionSuite(checks).run(peer)
    #expect(outcomes.map(\.verdict.kind) == [.fail, .pass, .pass], "\(outcomes.map(\.verdict))")
  }

  @Test
  func `a phone that says nothing keeps no rule`() async throws {
    var fault = PhoneFault()
    fault.change = { _, _, _, _ in nil }
    let ids = Set(Self.rules.map(\.check.id))
    let outcomes = try await OwnPhone(fault: fault).outcomes(of: ids)
    #expect(outcomes.filter { $0.verdict == .pass }.isEmpty)
  }

  @Test
  func `a connection is not read while its bytes are not taken`() {
    var machine = ProbeMachine()
    let piece = [UInt8](repeating: 0x41, count: 1 << 20)
    var actions: [String] = []
    for _ in 0..<8 {
      machine.receive(piece, on: .control(0), from: 0, at: .zero)
      actions += machine.takeActions().map { "\($0)" }
    }
    #expect(actions == ["\(SessionAction.setReading(.control(0), false))"])
    #expect(machine.takeOccurrences().count == 8)
    #expect(machine.takeActions().map { "\($0)" } == ["\(SessionAction.setReading(.control(0), true))"])
  }
}
