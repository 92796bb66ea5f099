// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import CarPlaySimulation
import Synchronization
import Testing

/// Tests of sessions with a silent side, and of the epoch of clock datagrams.
@Suite("Silence and the clock of a session") struct SilenceTests {
  /// A live session in which the deliveries that the function names are lost from the first second on.
  private func network(
    losing isLost: @escaping @Sendable (SessionNetwork.Delivery) -> Bool
  ) throws -> SessionNetwork {
    var network = try Sessions.network()
    network.run(for: .seconds(1))
    network.actPhone { _ = $0.setUp(StreamRequest(.screen), at: $1) }
    network.run(for: .milliseconds(100))
    network.fault = { isLost($0) ? [] : [$0] }
    return network
  }

  @Test("Silence of the clock ends neither side while requests are answered")
  func silenceOfTheClockAlone() throws {
    var network = try network { $0.socket == .clock }
    network.run(for: .seconds(60))
    #expect(network.ends(of: .headUnit) == [] && network.ends(of: .phone(0)) == [])
    #expect(network.phones[0].isLive)
  }

  @Test("A head unit that hears nothing at all ends the session after five seconds")
  func silenceOfThePhone() throws {
    var network = try network { $0.node == .headUnit }
    let start = network.now
    network.run(for: .seconds(4))
    #expect(network.ends(of: .headUnit) == [])
    network.run(for: .seconds(2))
    #expect(network.ends(of: .headUnit) == [.clockSilent])
    let end = try #require(network.entries.last { $0.node == .headUnit }).time
    #expect(start.duration(to: end) <= .seconds(5))
  }

  @Test("A phone that hears nothing at all ends the session")
  func silenceOfTheHeadUnit() throws {
    var network = try network { $0.node == .phone(0) }
    network.run(for: .seconds(10))
    #expect([[.clockSilent], [.feedbackSilent]].contains(network.ends(of: .phone(0))))
  }

  @Test("Clock datagrams count from 1900, and both sides agree on the time with a side that counts from its start")
  func theEpochOfTheClock() throws {
    let epoch = ClockPacket.epochSeconds
    for (unit, phone) in [(epoch, epoch), (epoch, 0), (0, epoch), (0, 0)] as [(UInt32, UInt32)] {
      let datagrams = Mutex<[(sender: SessionNetwork.Node, packet: ClockPacket)]>([])
      var network = try Sessions.network(
        headUnit: { $0.clockEpochSeconds = unit }, phone: { $0.clockEpochSeconds = phone })
      network.fault = { delivery in
        if case (.clock, .datagram(let bytes, _)) = (delivery.socket, delivery.content),
          let packet = ClockPacket(bytes: bytes)
        {
          datagrams.withLock { $0.append((delivery.node == .headUnit ? .phone(0) : .headUnit, packet)) }
        }
        return [delivery]
      }
      network.run(for: .seconds(3))
      let uptime = UInt32(network.now.nanoseconds / 1_000_000_000)
      let sent = datagrams.withLock { $0 }
      #expect(sent.count >= 4)
      for (sender, packet) in sent {
        let seconds = UInt32(packet.sent >> 32) &- (sender == .headUnit ? unit : phone)
        #expect(uptime - 4...uptime ~= seconds, "\(sender) \(packet)")
      }
      let shared = try #require(network.headUnit.phoneTime(at: network.now))
      #expect(ClockPacket.difference(shared, network.now.ntp).magnitude < 1 << 30, "\(unit) \(phone)")
    }
  }

  @Test func aDifferenceOfTimesIgnoresTheEpoch() {
    let epoch = UInt64(ClockPacket.epochSeconds) << 32
    for seconds in [0, 1, 5, 86_400, 31_000_000] as [UInt64] {
      let (a, b) = ((seconds + 9) << 32 | 7, UInt64(9) << 32)
      let expected = Int64(seconds << 32 | 7)
      for (x, y) in [(a, b), (a &+ epoch, b), (a, b &+ epoch), (a &+ epoch, b &+ epoch)] {
        #expect(ClockPacket.difference(x, y) == expected)
        #expect(ClockPacket.difference(y, x) == -expected)
      }
    }
    _ = ClockPacket.difference(.max, 1 << 63)
    _ = ClockPacket.difference(1 << 63, 0)
  }
}
