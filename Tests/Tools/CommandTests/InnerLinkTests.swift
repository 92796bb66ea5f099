// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2Authentication
import IAP2Roles
import IAP2Runtime
import Synchronization
import Testing

@testable import CarPlayCommand

/// iAP2 inside a session: CarPlayStart.md#tunnel.
@Suite struct InnerLinkTests {
  /// Two links in one session. The session passes bytes on while it is live.
  private struct Pair {
    let headUnit = InnerLink(
      .standard(features: .wireless), authenticator: SoftwareAuthenticator.test, options: RoleOptions(), json: true)
    let phone = InnerLink(PhoneProfile(), verifier: .test, options: RoleOptions(), json: true)
    let identified: AsyncStream<SessionSide>

    init() {
      let (identified, sender) = AsyncStream<SessionSide>.makeStream()
      self.identified = identified
      headUnit.sends { [phone] bytes in
        phone.take(.iAP(bytes, from: .headUnit))
        return true
      }
      phone.sends { [headUnit] bytes in
        headUnit.take(.iAP(bytes, from: .phone))
        return true
      }
      headUnit.whenIdentified { sender.yield(.headUnit) }
      phone.whenIdentified { sender.yield(.phone) }
    }

    func waitUntilIdentified() async -> Set<SessionSide> {
      var sides: Set<SessionSide> = []
      for await side in identified {
        sides.insert(side)
        if sides.count == 2 { break }
      }
      return sides
    }
  }

  @Test func theLinkIsIdentifiedInEachSessionAnew() async {
    let pair = Pair()
    for _ in 0..<2 {
      for link in [pair.phone, pair.headUnit] { link.take(.state(.live)) }
      #expect(await pair.waitUntilIdentified() == [.headUnit, .phone])
      for link in [pair.phone, pair.headUnit] { link.take(.ended(.clockSilent)) }
    }
    await pair.headUnit.close()
    await pair.phone.close()
  }

  @Test func bytesBeforeASessionIsLiveAreNotOfItsLink() async {
    let pair = Pair()
    // A packet that never ends would keep every later one back.
    pair.phone.take(.iAP([0xFF, 0x5A, 0xFF, 0xFF], from: .headUnit))
    for link in [pair.phone, pair.headUnit] { link.take(.state(.live)) }
    #expect(await pair.waitUntilIdentified() == [.headUnit, .phone])
    await pair.phone.close()
    await pair.headUnit.close()
  }
}
