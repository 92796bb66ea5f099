// swift-iap2 · Apache-2.0

import IAP2
import IAP2Conformance
import IAP2Runtime
import Testing

/// Proof that each check can fail.
struct NegativeTests {
  @Test
  func `every check has an id of its own, a requirement and a broken peer for each side it is asked of`() {
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
      let outcomes = try VirtualTime.run { time in
        try await Suite(of: side, [check]).run(TamperedTransport.peer(side, tamper, clock: time))
      }
      let verdict = try #require(outcomes.first).verdict
      #expect(verdict.kind == .fail, "\(check.id) of the \(side): \(verdict)")
      if check.evidence.isUnverified {
        #expect(verdict.reason?.hasPrefix("unverified requirement") == true, "\(check.id)")
      }
    }
  }
}
