// swift-iap2 · Apache-2.0

import IAP2
import Testing
import WireSupport

/// An accessory that restarts without RST, as at a reboot on a serial line (Link.md#detect-up).
@Suite struct RestartTests {
  private static let note = message(0x4E09, [1])

  /// Returns a device whose first message the accessory has acknowledged, so that it can probe.
  private static func probing(limits: Limits = Limits()) throws -> Bench {
    var bench = Bench.up(.device, limits: limits)
    try bench.endpoint.send(message: note)
    _ = bench.sent()
    bench.receive(packet(0x40, 0x40, 0x11))
    bench.events = []
    return bench
  }

  @Test func aRestartedAccessoryIsDetectedAfterFourProbesInTwoSeconds() throws {
    var bench = try Self.probing()
    let start = bench.now
    let probe = packet(0x40, 0x11, 0x40, session: 1, Self.note)
    bench.receive(HandshakeTests.detect)
    #expect(bench.sent() == [probe] && bench.endpoint.isCheckingRestart)
    for _ in 0..<3 {
      // The accessory repeats DETECT, which changes nothing while the check goes on.
      bench.receive(HandshakeTests.detect)
      bench.expire()
      #expect(bench.sent() == [probe] && bench.reported().isEmpty)
    }
    bench.expire()
    #expect(bench.now == start.adding(milliseconds: 2000))
    #expect(bench.reported() == [.linkDown(.peerRestarted)])
    // RST could end the detection of an accessory that has no link.
    #expect(bench.sent().isEmpty && bench.endpoint.nextDeadline == nil)
    // The next DETECT begins the new link.
    bench.receive(HandshakeTests.detect)
    #expect(bench.reported() == [.detected])
    #expect(bench.sent() == [HandshakeTests.detect])
    bench.receive(packet(0x80, 0x63, 0, synchronization()))
    _ = bench.sent()
    bench.receive(packet(0x40, 0x63, 0x10))
    #expect(bench.endpoint.isUp && !bench.endpoint.isCheckingRestart)
  }

  /// An accessory that was busy for longer than the check still has the old link. After RST it restarts.
  @Test func anAccessoryThatWasOnlySlowIsReset() throws {
    var bench = try Self.probing()
    bench.receive(HandshakeTests.detect)
    bench.expireAll { $0.isUp }
    _ = bench.sent()
    bench.receive(packet(0x40, 0x40, 0x11))
    #expect(bench.sent() == [packet(0x10, 0x11, 0)])
    #expect(bench.reported() == [.linkDown(.peerRestarted)])
    bench.receive(HandshakeTests.detect)
    #expect(bench.sent() == [HandshakeTests.detect])
    // Before a restart, a packet without a link is ignored.
    var other = Bench(.device)
    other.receive(packet(0x40, 0x40, 0x11))
    #expect(other.sent().isEmpty)
  }

  @Test func aStrayDetectOfAnActiveAccessoryChangesNothing() throws {
    var bench = try Self.probing()
    bench.receive(HandshakeTests.detect + HandshakeTests.detect + HandshakeTests.detect)
    #expect(bench.sent().count == 1)
    bench.receive(packet(0x40, 0x40, 0x11))
    #expect(!bench.endpoint.isCheckingRestart)
    bench.expireAll()
    #expect(bench.endpoint.isUp && bench.reported().isEmpty && bench.sent().isEmpty)
    // Each later one is checked again.
    bench.receive(HandshakeTests.detect)
    #expect(bench.sent().count == 1 && bench.endpoint.isCheckingRestart)
  }

  /// DETECT, damage, and packets that acknowledge nothing are no answer.
  @Test func bytesWithoutAcknowledgementAreNoAnswer() throws {
    var bench = try Self.probing()
    let before = bench.endpoint.acknowledgementsReceived
    bench.receive(HandshakeTests.detect)
    let useless: [[UInt8]] = [
      [1, 2, 3], HandshakeTests.detect, packet(0x40, 0x40, 0x31), packet(0x08, 0x40, 0),
      Array(packet(0x40, 0x41, 0x11, session: 1, [7]).dropLast()) + [0],
    ]
    for bytes in useless {
      bench.receive(bytes)
      #expect(bench.endpoint.acknowledgementsReceived == before && bench.endpoint.isCheckingRestart)
    }
    bench.expireAll { $0.isUp }
    #expect(bench.reported().contains(.linkDown(.peerRestarted)))
  }

  /// A long packet takes longer than the probes on a serial line. Its header acknowledges.
  @Test func theStartOfALongPacketIsAnAnswer() throws {
    var bench = try Self.probing()
    bench.receive(HandshakeTests.detect)
    let long = bench.data(message(0x4E09, [UInt8](repeating: 0, count: 40)), acknowledging: 0x11)
    bench.receive(Array(long.prefix(20)))
    #expect(!bench.endpoint.isCheckingRestart)
    bench.receive(Array(long.dropFirst(20)))
    #expect(bench.reported().count == 1)
  }

  /// Before the accessory has acknowledged a packet there is nothing to repeat. Then a DETECT after the whole time
  /// decides, and a single stray one harms nothing.
  @Test func aLinkThatCannotBeProbedWaitsForAnotherDetect() {
    var bench = Bench.up(.device)
    bench.events = []
    bench.receive(HandshakeTests.detect)
    bench.expireAll()
    #expect(bench.endpoint.isUp && bench.sent().isEmpty && bench.reported().isEmpty)
    var living = bench
    let data = living.data(Self.note)
    living.receive(data)
    living.receive(HandshakeTests.detect)
    #expect(living.endpoint.isUp)
    bench.receive(HandshakeTests.detect)
    #expect(bench.reported() == [.linkDown(.peerRestarted)])
  }

  /// An accessory receives DETECT only as a late echo of its own.
  @Test func anAccessoryChecksNothing() throws {
    var bench = Bench.up(.accessory)
    try bench.endpoint.send(message: Self.note)
    _ = bench.sent()
    bench.receive(packet(0x40, 0x40, 0x11))
    bench.events = []
    bench.receive(HandshakeTests.detect)
    #expect(bench.sent().isEmpty && bench.endpoint.nextDeadline == nil && bench.reported().isEmpty)
  }
}
