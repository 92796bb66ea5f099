// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2Authentication
import IAP2Roles
import IAP2Runtime
import IAP2Transport
import Testing

@testable import CarPlayInnerLink

/// iAP2 inside a session: CarPlayStart.md#tunnel.
@Suite struct InnerLinkTests {
  /// Two links in one session. The session passes bytes on while it is live.
  private struct Pair {
    let headUnit, phone: InnerLink
    let events: AsyncStream<(SessionSide, InnerLinkEvent)>

    init(_ clock: any RuntimeClock) {
      var options = RoleOptions()
      options.clock = clock
      headUnit = InnerLink(.standard(features: .wireless), authenticator: SoftwareAuthenticator.test, options: options)
      phone = InnerLink(PhoneProfile(), verifier: .test, options: options)
      let (events, sender) = AsyncStream<(SessionSide, InnerLinkEvent)>.makeStream()
      self.events = events
      headUnit.sends { [phone] bytes in
        phone.take(.iAP(bytes, from: .headUnit))
        return true
      }
      phone.sends { [headUnit] bytes in
        headUnit.take(.iAP(bytes, from: .phone))
        return true
      }
      headUnit.reports { sender.yield((.headUnit, $0)) }
      phone.reports { sender.yield((.phone, $0)) }
    }

    func take(_ event: CarPlaySession.SessionEvent) { for link in [phone, headUnit] { link.take(event) } }

    /// Waits until each side has reported one event.
    func next() async -> [SessionSide: InnerLinkEvent] {
      var found: [SessionSide: InnerLinkEvent] = [:]
      for await (side, event) in events {
        found[side] = event
        if found.count == 2 { break }
      }
      return found
    }

    /// Runs both links until the body returns.
    func run(_ body: @Sendable () async -> Void) async {
      await withDiscardingTaskGroup { group in
        for link in [headUnit, phone] { group.addTask { await link.run() } }
        await body()
        for link in [headUnit, phone] { link.finish() }
      }
    }
  }

  private static let identified: [SessionSide: InnerLinkEvent] = [.headUnit: .identified, .phone: .identified]
  private static let ended: [SessionSide: InnerLinkEvent] = [
    .headUnit: .ended(cause: "transportClosed"), .phone: .ended(cause: "transportClosed"),
  ]

  @Test func theLinkIsIdentifiedInEachSessionAgain() throws {
    try VirtualTime.run { time in
      let pair = Pair(time)
      await pair.run {
        for _ in 0..<2 {
          pair.take(.state(.live))
          #expect(await pair.next() == Self.identified)
          pair.take(.ended(.clockSilent))
          #expect(await pair.next() == Self.ended)
        }
      }
    }
  }

  @Test func bytesBeforeASessionIsLiveAreNotOfItsLink() throws {
    try VirtualTime.run { time in
      let pair = Pair(time)
      await pair.run {
        // A packet that never ends would keep every later one back.
        pair.phone.take(.iAP([0xFF, 0x5A, 0xFF, 0xFF], from: .headUnit))
        pair.take(.state(.live))
        #expect(await pair.next() == Self.identified)
      }
    }
  }

  @Test func aSessionThatTakesNoBytesEndsTheLink() throws {
    try VirtualTime.run { time in
      let pair = Pair(time)
      pair.headUnit.sends { _ in false }
      await pair.run {
        pair.headUnit.take(.state(.live))
        // The phone waits for the head unit's first bytes.
        for await (side, event) in pair.events {
          #expect(side == .headUnit && event == .ended(cause: "transportClosed"))
          break
        }
      }
    }
  }
}
