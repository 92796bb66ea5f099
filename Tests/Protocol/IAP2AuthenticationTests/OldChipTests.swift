// swift-iap2 · Apache-2.0

import IAP2Authentication
import IAP2Roles
import IAP2Runtime
import IAP2Testing
import IAP2Transport
import Synchronization
import Testing

/// The chip of the first generation: RSA-1024, a challenge of 20 bytes, a response of 128.
struct OldChip: Authenticator {
  let challenges: Challenges

  final class Challenges: Sendable {
    let byteCounts = Mutex<[Int]>([])
  }

  func certificate() async throws(AuthenticationError) -> [UInt8] { Fixtures.rsa1024Container }
  func serialNumber() async throws(AuthenticationError) -> [UInt8] { [] }
  func sign(challenge: [UInt8]) async throws(AuthenticationError) -> [UInt8] {
    challenges.byteCounts.withLock { $0.append(challenge.count) }
    return [UInt8](repeating: 7, count: 128)
  }
}

@Suite struct OldChipTests {
  @Test func anOldChipIsChallengedWithTwentyBytesAndAcceptedByAny() throws {
    let challenges = OldChip.Challenges()
    let events = try Self.play(OldChip(challenges: challenges), .any)
    #expect(events.contains(.authenticated) && events.contains { $0.identification != nil })
    #expect(challenges.byteCounts.withLock { $0 } == [20])
  }

  @Test func anOldChipIsRejectedIfSignaturesAreVerified() throws {
    let challenges = OldChip.Challenges()
    let events = try Self.play(OldChip(challenges: challenges), .test)
    #expect(events.contains { $0.disconnectCause == .authenticationFailed })
    #expect(challenges.byteCounts.withLock { $0 } == [])
  }

  private static func play(_ chip: OldChip, _ verifier: AuthenticationVerifier) throws -> [RoleEvent] {
    try VirtualTime.run { time in
      let transports = MemoryTransport.pair()
      var options = RoleOptions()
      options.clock = time
      let headUnit = HeadUnit(profile: .standard(), authenticator: chip, options: options)
      let phone = Phone(verifier: verifier, options: options)
      return await withTaskGroup(of: Void.self) { group in
        group.addTask { _ = await headUnit.run(on: transports.accessory) }
        group.addTask {
          _ = await phone.run(on: transports.device)
          phone.finish()
        }
        var reported: [RoleEvent] = []
        for await event in phone.events {
          reported.append(event.event)
          if event.event.identification != nil { await phone.disconnect() }
        }
        return reported
      }
    }
  }
}
