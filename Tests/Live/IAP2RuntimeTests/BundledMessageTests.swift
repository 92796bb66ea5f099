// swift-iap2 · Apache-2.0

import IAP2
import IAP2Authentication
import IAP2Roles
import IAP2Testing
import IAP2Transport
import Testing

@testable import IAP2Runtime

/// Messages that follow one that ends the connection, in the same packet.
@Suite struct BundledMessageTests {
  /// A transport that replaces the identification by two CancelIdentification messages in one packet.
  private struct Cancelling: ByteTransport {
    let below: any ByteTransport
    var address: String { below.address }
    var taskExecutor: (any TaskExecutor)? { below.taskExecutor }

    func receive() async throws(TransportError) -> [UInt8]? { try await below.receive() }
    func close() async { await below.close() }

    func send(_ bytes: [UInt8]) async throws(TransportError) {
      var rest = bytes[...]
      while rest.count > LinkHeader.overheadByteCount, rest.starts(with: [0xFF, 0x5A]) {
        let packet = Array(rest.prefix(Int(rest[rest.startIndex + 2]) << 8 | Int(rest[rest.startIndex + 3])))
        rest = rest.dropFirst(packet.count)
        try await below.send(Self.changed(packet))
      }
      if !rest.isEmpty { try await below.send(Array(rest)) }
    }

    private static func changed(_ packet: [UInt8]) -> [UInt8] {
      guard packet.count > 15, packet[13...14] == [0x1D, 0x01] else { return packet }
      let given: [UInt8] = [0x40, 0x40, 0x00, 0x06, 0x1D, 0x05]
      var changed: [UInt8] = []
      LinkPacket.append(
        to: &changed, control: LinkControl(rawValue: packet[4]), sequence: SequenceNumber(packet[5]),
        acknowledgement: SequenceNumber(packet[6]), session: packet[7], payload: (given + given).rawBytes)
      return changed
    }
  }

  @Test func messagesAfterTheEndInItsPacketAreIgnored() throws {
    let events = try VirtualTime.run { time in
      let transports = MemoryTransport.pair()
      var options = RoleOptions()
      options.clock = time
      let headUnit = HeadUnit(profile: .standard(), options: options)
      let phone = Phone(options: options)
      return await withTaskGroup(of: Void.self) { group in
        group.addTask {
          _ = await headUnit.run(on: Cancelling(below: transports.accessory))
          headUnit.finish()
        }
        group.addTask {
          _ = await phone.run(on: transports.device)
          phone.finish()
        }
        var events: [RoleEvent] = []
        for await event in phone.events { events.append(event.event) }
        return events
      }
    }
    #expect(events.compactMap(\.disconnectCause) == [.identificationRejected])
    let received = events.count { if case .message(.received, id: 0x1D05, _) = $0 { true } else { false } }
    #expect(received == 2)
  }
}
