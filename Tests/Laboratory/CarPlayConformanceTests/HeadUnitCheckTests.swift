// swift-iap2 · Apache-2.0

import CarPlayConformance
import CarPlaySession
import Foundation
import IAP2
import IAP2Conformance
import Synchronization
import Testing

struct HeadUnitCheckTests {
  @Test
  func `the head unit of this package passes every check`() async throws {
    let peer = try SessionReference.headUnit { $0 }
    let outcomes = await SessionSuite(SessionCheck.all(of: .accessory)).run(peer)
    let others = outcomes.filter { $0.verdict.kind != .pass }.map { "\($0.check.id) \($0.verdict)" }
    #expect(others == [])
    #expect(outcomes.count >= 80)
  }

  @Test(arguments: BrokenHeadUnits.all.map(\.name))
  func `a head unit with a fault fails the checks of that fault`(name: String) async throws {
    let broken = try #require(BrokenHeadUnits.all.first { $0.name == name })
    let checks = SessionCheck.all(of: .accessory).filter { broken.fails.contains($0.check.id) }
    #expect(checks.count == broken.fails.count)
    // Each check has its own head unit, because the fault of one check may end it.
    for check in checks {
      let peer = try SessionReference.headUnit { TamperedHeadUnit($0, broken.tamper) }
      let outcomes = await SessionSuite([check]).run(peer)
      #expect(outcomes.first?.verdict.kind == .fail, "\(check.check.id): \(outcomes.map(\.verdict))")
    }
  }

  @Test
  func `the page of checks matches the checks`() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Documentation/CarPlay/SessionChecks.md")
    if ProcessInfo.processInfo.environment["IAP2_RECORD_GOLDEN"] != nil {
      try SessionCheckTable.page.write(to: page, atomically: true, encoding: .utf8)
    }
    let isCurrent = try String(contentsOf: page, encoding: .utf8) == SessionCheckTable.page
    #expect(isCurrent, "tools/iap2 conformance --carplay --list --markdown > \(page.standardizedFileURL.path())")
  }

  @Test
  func `each check that provokes a head unit fails with a broken one`() {
    let failed = Set(BrokenHeadUnits.all.flatMap(\.fails))
    let provoking = SessionCheck.all(of: .accessory).map(\.check.id).filter { Int($0.suffix(2)) ?? 0 > 50 }
    #expect(provoking.filter { !failed.contains($0) } == Self.callers.map(\.id) + ["CEN-59"])
  }

  @Test
  func `a head unit that serves two phones at once fails the check of that`() async throws {
    var peer = try SessionReference.headUnit { $0 }
    // Each phone has a head unit with the same identity.
    let other = try SessionReference.headUnit { $0 }.dial
    let first = peer.dial
    let dials = Mutex(0)
    peer.dial = {
      let isFirst = dials.withLock { count in
        count += 1
        return count == 1
      }
      return isFirst ? await first() : await other()
    }
    let checks = SessionCheck.all(of: .accessory).filter { $0.check.id == "CEN-59" }
    #expect(await SessionSuite(checks).run(peer).map(\.verdict.kind) == [.fail])
  }

  /// Faults of control requests: the requests at each look at them.
  private static let callers: [(id: String, requests: @Sendable (_ look: Int) -> [ControlCall.Form])] = [
    ("CDI-51", { _ in [.decimal] }), ("CDI-52", { look in Array(repeating: .decimal, count: look) }),
    ("CDI-53", { _ in [.decimal, .hexadecimal] }),
    ("CDI-54", { _ in [.decimal] }),
  ]

  /// Returns a control port of the probe and of a second phone, which get the same requests.
  private static func control(
    _ requests: @escaping @Sendable () async -> [Result<ControlCall, ControlCall.Refusal>],
    announced: @escaping @Sendable () -> Void = {}
  ) -> ProbeControl {
    ProbeControl(requests: requests) {
      announced()
      return .success(ProbeControl.SecondPhone(requests: requests) {})
    }
  }

  @Test
  func `a head unit with a fault in its control requests fails the check of that fault`() async throws {
    let own = try #require(DeviceID("02:00:00:00:00:01"))
    for caller in Self.callers {
      var peer = try SessionReference.headUnit { $0 }
      let looks = Mutex(0)
      peer.control = Self.control {
        let look = looks.withLock { count in
          count += 1
          return count
        }
        return caller.requests(look).map { form in
          ControlCall.read(ControlCall.request(own, form: form, sourceVersion: "1", host: "probe"))
        }
      }
      let checks = SessionCheck.all(of: .accessory).filter { $0.check.id == caller.id }
      let outcomes = await SessionSuite(checks).run(peer)
      #expect(outcomes.map(\.verdict.kind) == [.fail], "\(caller.id): \(outcomes.map(\.verdict))")
    }
  }

  @Test
  func `a head unit that asks nobody is not judged by its control requests`() async throws {
    var peer = try SessionReference.headUnit { $0 }
    let checks = SessionCheck.all(of: .accessory).filter { check in Self.callers.contains { $0.id == check.check.id } }
    peer.control = Self.control { [] }
    let count = Self.callers.count
    let silent = await SessionSuite(checks).run(peer).map(\.verdict.kind)
    #expect(silent == Array(repeating: .inconclusive, count: count))
    peer.control = nil
    let kinds = await SessionSuite(checks).run(peer).map(\.verdict.kind)
    #expect(kinds == Array(repeating: .notApplicable, count: count))
  }

  private static let second = SessionCheck.all(of: .accessory).filter { $0.check.id == "CDI-54" }

  @Test
  func `a head unit that ends its session when a second phone appears fails the check of that`() async throws {
    let hasSecond = Mutex(false)
    let tamper = Tamper(dies: { _, _, _ in hasSecond.withLock(\.self) })
    var peer = try SessionReference.headUnit { TamperedHeadUnit($0, tamper) }
    peer.control = Self.control {
      []
    } announced: {
      hasSecond.withLock { $0 = true }
    }
    let outcomes = await SessionSuite(Self.second).run(peer)
    #expect(outcomes.map(\.verdict.kind) == [.fail])
    #expect(outcomes.first?.verdict.reason?.contains("second phone ended the session") == true)
  }

  @Test
  func `a second phone that cannot be announced judges nothing`() async throws {
    var peer = try SessionReference.headUnit { $0 }
    peer.control = ProbeControl {
      []
    } announceSecond: {
      .failure(.inconclusive("no Avahi"))
    }
    #expect(await SessionSuite(Self.second).run(peer).map(\.verdict) == [.inconclusive(reason: "no Avahi")])
  }
}
