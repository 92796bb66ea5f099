// swift-iap2 · Apache-2.0

import IAP2
import IAP2Authentication
import IAP2Roles
import IAP2Testing
import IAP2Transport
import Synchronization
import Testing

@testable import IAP2Runtime

/// Tests with a peer that never stops sending.
@Suite struct FloodTests {
  /// A transport that always has noise to read, so that a read never waits. It has no executor of its own.
  private final class Noise: ByteTransport {
    let address = "noise"
    private let isClosed = Atomic(false)
    private let bytes = (0..<16_384).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 / 251) }

    func receive() async throws(TransportError) -> [UInt8]? {
      isClosed.load(ordering: .relaxed) ? nil : bytes
    }
    func send(_ bytes: [UInt8]) async throws(TransportError) {}
    func close() async { isClosed.store(true, ordering: .relaxed) }
  }

  @Test(.timeLimit(.minutes(10))) func deadlinesAreHandledDuringAFlood() async {
    var options = RoleOptions()
    options.identifyTimeout = .milliseconds(200)
    let phone = Phone(options: options)
    let events = Task {
      var causes: [DisconnectCause] = []
      for await event in phone.events { if let cause = event.event.disconnectCause { causes.append(cause) } }
      return causes
    }
    _ = await phone.run(on: Noise())
    phone.finish()
    #expect(await events.value == [.timeout])
  }

  @Test(.timeLimit(.minutes(10))) func aLateReaderReceivesTheEnd() async {
    var options = RoleOptions()
    options.identifyTimeout = .milliseconds(200)
    let phone = Phone(options: options)
    _ = await phone.run(on: Noise())
    phone.finish()
    var count = 0
    var causes: [DisconnectCause] = []
    for await event in phone.events {
      count += 1
      if let cause = event.event.disconnectCause { causes.append(cause) }
    }
    #expect(causes == [.timeout])
    #expect(count < 1100)
  }
}
