// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Formats
import Testing

@testable import IAP2Capture

/// Tests with the log of a phone (its packets are the sent ones) and an accessory with its service on RFCOMM channel 3.
/// The packets are built from Bluetooth Core, volume 3, parts A and B. No frame begins with a link packet, so content
/// alone finds nothing.
@Suite struct ServiceDiscoveryTests {
  private static let accessoryService = "00000000decafadedecadeafdecacaff"
  private static let deviceService = "00000000decafadedecadeafdecacafe"

  private static func bytes(_ digits: String) -> [UInt8] {
    let digits = Array(digits.filter(\.isHexDigit))
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0..<($0 + 2)]), radix: 16) }
  }

  private static func littleEndian(_ count: Int) -> [UInt8] { [UInt8(count & 0xFF), UInt8(count >> 8)] }

  /// Returns an ACL packet with its type byte and one L2CAP frame.
  private static func packet(channel: UInt16, _ body: [UInt8], isSent: Bool) -> (isSent: Bool, bytes: [UInt8]) {
    let frame = littleEndian(body.count) + littleEndian(Int(channel)) + body
    return (isSent, [0x02, 0x2A, isSent ? 0x00 : 0x20] + littleEndian(frame.count) + frame)
  }

  /// Returns the set-up of an SDP channel: a request for PSM 1, a response "pending", then a success. The requesting
  /// side has channel 0x0050, the other 0x0060.
  private static func connect(asker isSent: Bool) -> [(isSent: Bool, bytes: [UInt8])] {
    [
      packet(channel: 1, bytes("02 01 0400 0100 5000"), isSent: isSent),
      packet(channel: 1, bytes("03 01 0800 0000 5000 0100 0000"), isSent: !isSent),
      // The response shares its frame with another command.
      packet(channel: 1, bytes("08 07 0000 03 01 0800 6000 5000 0000 0000"), isSent: !isSent),
    ]
  }

  private static func record(_ service: String, channel: String = "03") -> [UInt8] {
    bytes(
      "35 40 09 0000 0a 00010005 09 0001 35 11 1c \(service) 09 0004 35 0c 35 03 19 0100 35 05 19 0003 08 \(channel)"
        + "09 0100 25 0c 576972656c65737320694150")
  }

  private static func answer(_ kind: UInt8, _ attributes: [UInt8], rest: [UInt8] = [0], asker isSent: Bool = true)
    -> (isSent: Bool, bytes: [UInt8])
  {
    let count = attributes.count
    let body = [UInt8(count >> 8), UInt8(count & 0xFF)] + attributes + rest
    let pdu = [kind, 0, 1, UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body
    return packet(channel: 0x0050, pdu, isSent: !isSent)
  }

  /// Returns six messages of each side, four of them whole, in frames that begin in the middle of packets.
  ///
  /// - Parameters:
  ///   - server: the side with the server channel: the accessory, or the phone, which opened the multiplexer.
  private static func session(server: Side = .accessory) -> [(isSent: Bool, bytes: [UInt8])] {
    var all: [(isSent: Bool, bytes: [UInt8])] = []
    for side in [Side.accessory, .device] {
      var stream: [UInt8] = []
      for number in 0..<6 as Range<UInt8> {
        let id: UInt16 = side == .accessory ? 0xAE03 : 0xAE01
        LinkPacket.append(
          to: &stream, control: .acknowledge, sequence: SequenceNumber(number), acknowledgement: SequenceNumber(0),
          session: 1, payload: SessionScript.message(id).rawBytes)
      }
      // Each packet has 16 bytes; a frame is from the middle of one to the middle of the next.
      for start in stride(from: 8, to: stream.count - 8, by: 16) {
        // The address and the check sequence of the four kinds of frames.
        let (address, check): (UInt8, UInt8) =
          switch (side, server) {
          case (.device, .accessory): (0x1B, 0x8F)
          case (.accessory, .accessory): (0x19, 0x55)
          case (.device, .device): (0x1F, 0xFA)
          case (.accessory, .device): (0x1D, 0x20)
          }
        let frame = [address, 0xEF, 16 << 1 | 1] + stream[start..<(start + 16)] + [check]
        all.append(packet(channel: side == .device ? 0x61 : 0x51, frame, isSent: side == .device))
      }
    }
    return all
  }

  private static func read(
    _ packets: [(isSent: Bool, bytes: [UInt8])]
  ) -> (messages: [UInt16: Int], counts: CaptureCounts) {
    let analyzer = analyzer(packets)
    let messages = analyzer.sink.summary.connections.first?.messages ?? [:]
    return (messages.mapValues(\.count), analyzer.counts)
  }

  private static func analyzer(_ packets: [(isSent: Bool, bytes: [UInt8])]) -> CaptureAnalyzer<SummarySink> {
    func big(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    var log = Array("btsnoop\0".utf8) + big(1) + big(1002)
    for packet in packets {
      log += big(packet.bytes.count) + big(packet.bytes.count) + big(packet.isSent ? 0 : 1) + big(0)
      log += big(0x00E0_0000) + big(0) + packet.bytes
    }
    var analyzer = CaptureAnalyzer(sink: SummarySink())
    analyzer.append(log)
    analyzer.finish()
    return analyzer
  }

  private static let everything: [UInt16: Int] = [0xAE01: 4, 0xAE03: 4]

  @Test func contentAloneFindsNothingInTheMiddleOfPackets() {
    let (messages, counts) = Self.read(Self.session())
    #expect(messages.isEmpty && counts.decoded == 0 && counts.bluetooth == 10)
  }

  @Test(arguments: [accessoryService, deviceService]) func aChannelThatSDPNamesIsDecoded(service: String) {
    let list = [0x35, 0x42] + Self.record(service)
    let (messages, counts) = Self.read(Self.connect(asker: true) + [Self.answer(0x07, list)] + Self.session())
    #expect(messages == Self.everything)
    #expect(counts.announced == [.rfcomm(adapter: 0, connection: 0x2A, channel: 3)])
    let one = Self.read(Self.connect(asker: true) + [Self.answer(0x05, Self.record(service))] + Self.session())
    #expect(one.messages == Self.everything)
  }

  @Test func thePhonesOwnServiceIsNamedByThePhone() {
    let list = [0x35, 0x42] + Self.record(Self.deviceService)
    let asked = Self.connect(asker: false) + [Self.answer(0x07, list, asker: false)]
    #expect(Self.read(asked + Self.session(server: .device)).messages == Self.everything)
    // The accessory may have a server of the same number, but no answer named that one.
    #expect(Self.read(asked + Self.session(server: .accessory)).messages.isEmpty)
  }

  /// Each side may offer its service, and the other one may have the channel of the session.
  @Test(arguments: [accessoryService, deviceService], [true, false]) func theServiceShowsTheSides(
    service: String, asker: Bool
  ) throws {
    let list = [0x35, 0x42] + Self.record(service)
    var data: [UInt8] = []
    LinkPacket.append(
      to: &data, control: .acknowledge, sequence: SequenceNumber(9), acknowledgement: SequenceNumber(0), session: 3,
      payload: [0, 1, 2, 3].rawBytes)
    // The phone, which logs, sends EA data. No packet shows the sides.
    let frame = Self.packet(channel: 0x61, [0x1B, 0xEF, UInt8(data.count) << 1 | 1] + data + [0x8F], isSent: true)
    let found = Self.analyzer(Self.connect(asker: asker) + [Self.answer(0x07, list, asker: asker), frame]).notices
    let decided: SideEvidence? = found.lazy.compactMap {
      if case .decidedSides(_, _, let evidence) = $0 { evidence } else { nil }
    }.first
    let evidence = try #require(decided)
    #expect(evidence.kind == .service && evidence.confidence == .high)
    // The side that answers has the service.
    #expect(evidence.first == ((service == Self.accessoryService) == asker ? .device : .accessory))
  }

  @Test func aLongAnswerIsPutTogether() {
    let list = [0x35, 0x42] + Self.record(Self.accessoryService)
    for cut in 1..<list.count {
      let parts = [
        Self.answer(0x07, Array(list[..<cut]), rest: [2, 0xAB, 0xCD]), Self.answer(0x07, Array(list[cut...])),
      ]
      #expect(Self.read(Self.connect(asker: true) + parts + Self.session()).messages == Self.everything)
      // The last part is missing.
      #expect(Self.read(Self.connect(asker: true) + parts.prefix(1) + Self.session()).messages.isEmpty)
    }
  }

  @Test func otherAnswersNameNoService() {
    func found(_ answers: [(isSent: Bool, bytes: [UInt8])]) -> Bool {
      !Self.read(answers + Self.session()).messages.isEmpty
    }
    let list = [0x35, 0x42] + Self.record(Self.accessoryService)
    let connect = Self.connect(asker: true)
    #expect(found(connect + [Self.answer(0x07, list)]))
    // These are another service, another channel, a request, and L2CAP channels that are not set up for SDP.
    #expect(!found(connect + [Self.answer(0x07, [0x35, 0x42] + Self.record("0000111f00001000800000805f9b34fb"))]))
    #expect(!found(connect + [Self.answer(0x07, [0x35, 0x42] + Self.record(Self.accessoryService, channel: "04"))]))
    #expect(!found(connect + [Self.answer(0x06, list)]))
    #expect(!found([Self.answer(0x07, list)]))
    #expect(!found(connect.dropLast() + [Self.answer(0x07, list)]))
    // The connection ended, and its handle may belong to another host.
    #expect(!found(connect + [Self.answer(0x07, list), (false, Self.bytes("04 05 04 00 2a00 13"))]))
  }

  @Test func anyBrokenAnswerIsReadWithoutATrap() {
    let list = [0x35, 0x42] + Self.record(Self.accessoryService)
    let links: Set = [BluetoothService.accessory.uuid]
    for place in list.indices {
      for value in [0x00, 0x1C, 0x35, 0x37, 0x7F, 0xFF] as [UInt8] {
        var damaged = list
        damaged[place] = value
        _ = ServiceRecord.channels(damaged.rawBytes, isList: true, of: links)
        _ = ServiceRecord.channels(Array(damaged[place...]).rawBytes, isList: place % 2 == 0, of: links)
      }
    }
    // The parts never end.
    let part = Self.answer(0x07, [UInt8](repeating: 0x35, count: 600), rest: [1, 0])
    let (messages, _) = Self.read(Self.connect(asker: true) + Array(repeating: part, count: 200) + Self.session())
    #expect(messages.isEmpty)
  }
}
