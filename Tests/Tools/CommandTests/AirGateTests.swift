// swift-iap2 · Apache-2.0

import CarPlaySession
import Testing

@testable import CarPlayCommand

/// When a side dials Bluetooth again beside a session that goes on without its link (CarPlayStart.md#reconnect).
@Suite struct AirGateTests {
  @Test func nobodyIsDialedDuringTheSessionAndAfterAnEndInOrder() {
    let gate = AirGate()
    #expect(gate.isOpen(at: .now))
    gate.take(.ended(.controlLost))
    #expect(gate.isOpen(at: .now), "a connection that was no session")
    gate.take(.state(.setUp))
    #expect(!gate.isOpen(at: .now + .seconds(3600)))
    gate.take(.ended(.teardown))
    #expect(!gate.isOpen(at: .now + .seconds(3600)))
    gate.stop()
    #expect(gate.isOpen(at: .now))
  }

  @Test func afterALossTheNetworkComesFirst() {
    let gate = AirGate()
    gate.take(.state(.setUp))
    gate.take(.ended(.clockSilent))
    #expect(!gate.isOpen(at: .now + .seconds(10)))
    #expect(gate.isOpen(at: .now + .seconds(20)))
    // The next session closes it again.
    gate.take(.state(.setUp))
    #expect(!gate.isOpen(at: .now + .seconds(20)))
  }
}
