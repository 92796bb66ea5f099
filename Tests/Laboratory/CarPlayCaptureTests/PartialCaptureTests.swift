// swift-iap2 · Apache-2.0

import CaptureSupport
import CarPlayCapture
import IAP2
import IAP2Analysis
import IAP2Capture
import Testing

/// Captures that lack connections or the beginning of a session, with the explanation that they allow.
@Suite struct PartialCaptureTests {
  /// A packet of a capture on Ethernet with IPv4, as a record of a pcap file.
  struct Packet {
    let record: [UInt8]

    var isUDP: Bool { record[16 + 14 + 9] == 17 }
    /// The ports of the sender and of the receiver, as two bytes each.
    var ports: [[UInt8]] { [Array(record[50..<52]), Array(record[52..<54])] }
    /// The payload of TCP.
    var data: ArraySlice<UInt8> { isUDP ? [] : record.dropFirst(16 + 14 + 20 + Int(record[62] >> 4) * 4) }
  }

  static func packets(_ sample: Sample) throws -> (header: [UInt8], packets: [Packet]) {
    let (header, records) = BadCaptureTests.records(try sample.bytes)
    return (header, records.map { Packet(record: $0) })
  }

  /// The port of the control connection, the receiver of the first record.
  static func controlPort(_ packets: [Packet]) -> [UInt8] { packets[0].ports[1] }

  static func explanations(_ bytes: [UInt8], keys: [UInt8] = []) -> [SessionExplanation] {
    var secrets = SessionSecrets()
    secrets.add(keys)
    var options = CaptureAnalyzerOptions()
    options.sessions = CarPlaySessions(secrets, explains: true)
    var analyzer = CaptureAnalyzer(options: options, sink: ExplanationSink())
    analyzer.append(bytes)
    analyzer.finish()
    return analyzer.sink.sessions.map(\.explanation)
  }

  // MARK: Connections that are missing

  @Test("With a filter of one port, the capture is blamed for the event connection", arguments: Sample.allCases)
  func portFilter(sample: Sample) throws {
    let (header, packets) = try Self.packets(sample)
    let port = Self.controlPort(packets)
    let kept = packets.filter { $0.isUDP || $0.ports.contains(port) }
    try #require(kept.count < packets.count)
    let found = try Self.explanations(header + kept.flatMap(\.record), keys: sample.keyLog)
    try #require(found.count == 1)
    #expect(found[0].point == .complete && found[0].finding == nil)
    #expect(!found[0].others.contains { $0.id == "CEV-02" })
    #expect(found[0].details.contains { $0.contains("whether the phone opened the event connection") })
  }

  @Test("With another connection of the sides, the phone is blamed", arguments: Sample.allCases)
  func otherPort(sample: Sample) throws {
    let (header, packets) = try Self.packets(sample)
    let port = Self.controlPort(packets)
    // The event connection is the second one.
    let second = try #require(packets.first { !$0.isUDP && !$0.ports.contains(port) })
    let events = second.ports[1]
    var other = second.record
    other.replaceSubrange(52..<54, with: [0, 9])
    let kept = packets.filter { $0.isUDP || $0.ports.contains(port) }
    let found = try Self.explanations(
      header + ([other] + kept.map(\.record)).flatMap(\.self), keys: sample.keyLog)
    try #require(found.count == 1 && events != [0, 9])
    #expect(found[0].others.contains { $0.id == "CEV-02" && $0.side == .device })
    #expect(found[0].point != .complete && !found[0].reached.contains("live"))
  }

  @Test("A capture that a side wrote itself has all connections", arguments: Sample.allCases)
  func ownCapture(sample: Sample) throws {
    let (_, packets) = try Self.packets(sample)
    let port = Self.controlPort(packets)
    let path = NetworkCaptureWriter.Path(
      local: .init(address: [127, 0, 0, 1], port: 7000), remote: .init(address: [127, 0, 0, 1], port: 50_000))
    var writer = NetworkCaptureWriter()
    var bytes = writer.header + DecryptionSecrets.bytes(try sample.keyLog)
    bytes += writer.record(.opened(isOwn: false), on: path, nanoseconds: 0)
    for packet in packets where packet.ports.contains(port) && !packet.data.isEmpty {
      bytes += writer.record(.bytes(Array(packet.data), isOwn: packet.ports[0] == port), on: path, nanoseconds: 0)
    }
    let found = Self.explanations(bytes)
    try #require(found.count == 1)
    #expect(found[0].others.contains { $0.id == "CEV-02" })
    // Without the name of the program, the file may have any filter.
    let place = try #require(bytes.firstRange(of: Array("swift-iap2".utf8)))
    bytes.replaceSubrange(place, with: Array("other-iap2".utf8))
    #expect(Self.explanations(bytes)[0].details.contains { $0.contains("event connection") })
  }
}
