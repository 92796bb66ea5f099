// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import Testing
import WireSupport

@testable import IAP2Roles

/// An accessory that restarted without RST ends the connection, and the next one begins on the same transport.
@Suite struct PeerRestartTests {
  private static func ready(_ policy: LifecyclePolicy = .evidence) -> SessionPair {
    var times = LifecycleTimes()
    times.silenceMilliseconds = LifecycleTimes.liveSilenceMilliseconds
    var pair = SessionPair(
      headUnit: .standard(features: []), lifecycle: Lifecycle(policy: policy, times: times))
    pair.start()
    _ = pair.exchange()
    for side in Side.allCases { _ = pair.takeEvents(of: side) }
    return pair
  }

  private static func ends(_ pair: inout SessionPair) -> [Disconnection] {
    pair.takeEvents(of: .device).compactMap {
      if case .role(.disconnected(let end)) = $0 { end } else { nil }
    }
  }

  /// Lets time pass for the phone, whose bytes are lost.
  private static func wait(_ pair: inout SessionPair, milliseconds: Int) {
    let end = pair.now.adding(milliseconds: milliseconds)
    var steps = 0
    while let next = pair.phone.nextDeadline, next <= end, !pair.phone.isOver, steps < 1000 {
      pair.advance(to: next)
      pair.loseAll(from: .device)
      steps += 1
    }
    #expect(steps < 1000, "deadlines at one moment do not end")
    pair.advance(to: end)
    pair.loseAll(from: .device)
  }

  /// The accessory was silent for half a second before its first DETECT. The check is stronger than the silence.
  @Test func theNewConnectionBeginsOnTheSameTransport() {
    var pair = Self.ready()
    Self.wait(&pair, milliseconds: 500)
    for _ in 0..<2 {
      pair.inject(LinkScanner.detect, to: .device)
      Self.wait(&pair, milliseconds: 1000)
    }
    let ends = Self.ends(&pair)
    #expect(ends.map(\.cause) == [.peerRestarted])
    #expect(ends.first?.evidence.last?.kind == .linkEnded)
    #expect(pair.phone.state == .ended(.peerRestarted) && !pair.phone.isOver)
    pair.inject(LinkScanner.detect, to: .device)
    #expect(pair.phone.state == .open)
  }

  @Test func aDecidedEndKeepsItsCause() throws {
    var pair = Self.ready()
    // A message in flight keeps the orderly end open.
    pair.perform([.send(controlMessage(0xAE01, []))], of: .device)
    pair.submit(.disconnect, to: .device)
    pair.inject(LinkScanner.detect, to: .device)
    Self.wait(&pair, milliseconds: 5000)
    #expect(Self.ends(&pair).map(\.cause) == [.requested] && pair.phone.isOver)
  }

  /// Under the other policies the platform's notification of the end names the cause. The link restarts all the same.
  @Test(arguments: [LifecyclePolicy.notification, .charging]) func theLinkRestartsUnderEachPolicy(
    policy: LifecyclePolicy
  ) {
    var pair = Self.ready(policy)
    pair.inject(LinkScanner.detect, to: .device)
    Self.wait(&pair, milliseconds: 2000)
    #expect(pair.phone.state == .ended(.notification) && !pair.phone.endpoint.isUp)
    pair.inject(LinkScanner.detect, to: .device)
    #expect(pair.phone.state == .open)
  }

  /// Bytes that acknowledge nothing do not defer the verdict on a silent peer.
  @Test func bytesWithoutAcknowledgementDoNotAnswerAProbe() {
    for bytes in [[1, 2, 3], packet(0x40, 0x40, 0xF0), packet(0x08, 0x40, 0)] as [[UInt8]] {
      var pair = Self.ready()
      for _ in 0..<30 where !pair.phone.isOver {
        pair.inject(bytes, to: .device)
        Self.wait(&pair, milliseconds: 1000)
      }
      #expect(Self.ends(&pair).map(\.cause) == [.timeout])
    }
  }

  @Test func aLivingAccessoryStaysConnected() {
    var pair = Self.ready()
    for _ in 0..<5 {
      pair.inject(LinkScanner.detect + LinkScanner.detect, to: .device)
      for _ in 0..<8 {
        _ = pair.expire()
        _ = pair.exchange()
      }
    }
    #expect(Self.ends(&pair).isEmpty && pair.phone.state == .open && pair.headUnit.state == .open)
  }
}
