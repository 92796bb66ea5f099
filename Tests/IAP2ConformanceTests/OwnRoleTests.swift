// swift-iap2 · Apache-2.0

import IAP2
import IAP2Conformance
import IAP2Runtime
import Testing

/// Our own two roles under all checks.
struct OwnRoleTests {
  @Test(arguments: Side.allCases)
  func `our own role fails no check and leaves none open`(side: Side) throws {
    let outcomes = try VirtualTime.run { time in
      let setting = Setting(clock: time) { () async throws(TransportError) in OwnRole.connection(to: side, clock: time)
      }
      return try await Suite(of: side).run(setting)
    }
    #expect(outcomes.count == Check.all(of: side).count)
    for outcome in outcomes {
      let kind = outcome.verdict.kind
      #expect(kind == .pass || kind == .notApplicable, "\(outcome.check.id): \(outcome.verdict)")
    }
  }
}
