// swift-iap2 · Apache-2.0

import IAP2
import IAP2Conformance
import IAP2Runtime
import IAP2Transport
import Synchronization
import Testing

/// Tests that each check fails with a broken peer.
struct NegativeTests {
  @Test
  func `every check has a unique id, a requirement and a broken peer for each side it applies to`() {
    #expect(Set(Check.all.map(\.id)).count == Check.all.count)
    #expect(Check.all.count >= 60)
    for check in Check.all {
      #expect(!check.requirement.isEmpty && !check.evidence.source.isEmpty && !check.subjects.isEmpty, "\(check.id)")
      for side in check.subjects { #expect(BrokenPeers.peer(for: check, side) != nil, "\(check.id), \(side)") }
    }
  }

  @Test
  func `no broken peer is without its check`() {
    let known = Set(Check.all.map(\.id))
    for name in BrokenPeers.all.keys { #expect(known.contains(String(name.prefix(6))), "\(name)") }
  }

  @Test(arguments: Side.allCases)
  func `each check fails on a peer that breaks its requirement`(side: Side) throws {
    for check in Check.all(of: side) {
      let tamper = try #require(BrokenPeers.peer(for: check, side))
      let trust = try check.id == "AUT-10" ? AccessoryTrust.verifier(AdviceTests.otherAuthority()) : .certificateKey
      let outcomes = try VirtualTime.run { time in
        var setting = TamperedTransport.peer(side, tamper, clock: time)
        setting.accessoryTrust = trust
        return try await Suite(of: side, [check]).run(setting)
      }
      let verdict = try #require(outcomes.first).verdict
      #expect(verdict.kind == .fail, "\(check.id) of the \(side): \(verdict)")
      if check.evidence.isUnverified {
        #expect(verdict.reason?.hasPrefix("unverified requirement") == true, "\(check.id)")
      }
    }
  }

  /// Checks whose requirement a peer meets by sending nothing.
  static let silent = [
    "NEG-10", "ACK-05", "ACK-06", "WIN-04", "WIN-08", "EAK-03", "RET-03", "SUM-09", "ACK-09", "AUT-06", "AUT-11",
    "AUT-12", "AUT-13", "AUT-14", "AUT-25", "IDN-10", "IDN-28", "EAP-03", "EAP-05", "EAP-09", "SUB-07",
  ]

  @Test(arguments: Side.allCases)
  func `the silence of a disconnected peer is not a pass`(side: Side) throws {
    for check in Check.all(of: side) where Self.silent.contains(check.id) {
      // Counts the units that a correct peer receives, including the end.
      let all = Received()
      #expect(try verdict(on: check, side, .dies { _, unit in all.isAfter(.max, unit) }).kind == .pass)
      for last in 1..<all.count {
        let received = Received()
        let verdict = try verdict(on: check, side, .dies { _, unit in received.isAfter(last - 1, unit) })
        #expect(verdict.kind != .pass, "\(check.id) of the \(side), which leaves at packet \(last) of \(all.count)")
      }
    }
  }

  @Test
  func `an early disconnect of the phone is not a pass of DET-03`() throws {
    let check = try #require(Check.all(of: .device).first { $0.id == "DET-03" })
    #expect(try verdict(on: check, .device, Tamper()).kind == .pass)
    #expect(try verdict(on: check, .device, Tamper(endsAfterMilliseconds: 10)).kind != .pass)
  }

  private func verdict(on check: Check, _ side: Side, _ tamper: Tamper) throws -> Verdict {
    let outcomes = try VirtualTime.run { time in
      try await Suite(of: side, [check]).run(TamperedTransport.peer(side, tamper, clock: time))
    }
    return try #require(outcomes.first).verdict
  }

  /// A count of the units on all connections of a check.
  private final class Received: Sendable {
    private let state = Mutex(0)
    var count: Int { state.withLock { $0 } }

    func isAfter(_ limit: Int, _ unit: Unit) -> Bool {
      guard unit.packet != nil else { return false }
      return state.withLock { count in
        count += 1
        return count > limit
      }
    }
  }
}
