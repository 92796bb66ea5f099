// swift-iap2 · Apache-2.0

import CarPlayCapture
import IAP2
import IAP2Capture
import Testing

/// Captures with damaged or cut packets, and such that lack the end of a session, with the explanation that they allow.
@Suite struct DamagedCaptureTests {
  private typealias Packet = PartialCaptureTests.Packet

  private static func explanation(_ header: [UInt8], _ records: [[UInt8]], _ sample: Sample) throws
    -> SessionExplanation
  {
    let found = try sessionExplanations(header + records.flatMap(\.self), keys: sample.keyLog)
    try #require(found.count == 1)
    return found[0]
  }

  /// The places of the packets with data on the control connection.
  private static func controls(_ packets: [Packet]) -> [Int] {
    packets.indices.filter {
      !packets[$0].data.isEmpty && packets[$0].ports.contains(PartialCaptureTests.controlPort(packets))
    }
  }

  private static func isOfPhone(_ packet: Packet, _ packets: [Packet]) -> Bool {
    packet.ports[1] == PartialCaptureTests.controlPort(packets)
  }

  /// The places of the messages of a procedure of pairing, requests and answers.
  private static func pairing(_ path: String, _ packets: [Packet]) -> [Int] {
    let controls = controls(packets)
    return controls.indices.filter { Array(packets[controls[$0]].data).firstRange(of: Array(path.utf8)) != nil }
      .flatMap { controls[$0...].prefix(2) }
  }

  @Test("Packets that the capture cut are counted, and not judged")
  func cutPackets() throws {
    let (header, packets) = try PartialCaptureTests.packets(.phone)
    // The clock's datagrams have 74 bytes, and those of sound more.
    let records = packets.map { packet in
      let count = packet.isUDP ? min(70, packet.record.count - 16) : packet.record.count - 16
      var record = Array(packet.record.prefix(16 + count))
      record.replaceSubrange(8..<12, with: (0..<4).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) })
      return record
    }
    let cut = zip(packets, records).count { $0.record.count != $1.count }
    let found = try Self.explanation(header, records, .phone)
    #expect(found.point == .complete && found.finding == nil)
    #expect(found.others.allSatisfy { $0.id == "CSC-06" }, "\(found.others.map(\.detail))")
    #expect(cut > 10 && found.details.contains { $0.contains("of the session are cut") }, "\(found.details)")
  }

  @Test("A damaged proof of pairing behind which the session goes on is no breach", arguments: Sample.allCases)
  func damagedProof(sample: Sample) throws {
    let (header, packets) = try PartialCaptureTests.packets(sample)
    let messages = Self.pairing("/pair-setup", packets)
    try #require(messages.count == 6)
    var records = packets.map(\.record)
    records[messages[5]][records[messages[5]].count - 20] ^= 1
    let found = try Self.explanation(header, records, sample)
    #expect(found.point == .complete && found.finding == nil, "\(found.finding?.detail ?? "")")
    #expect(!found.others.contains { $0.id.hasPrefix("CPA") })
    #expect(found.details.contains { $0.contains("went on: the capture is damaged") })
  }

  @Test("A damaged header behind which the session goes on is no breach", arguments: Sample.allCases)
  func damagedHeader(sample: Sample) throws {
    let (header, packets) = try PartialCaptureTests.packets(sample)
    let messages = Self.pairing("/pair-verify", packets)
    try #require(messages.count == 4)
    let third = packets[messages[2]].data
    let colon = try #require(third.dropFirst(40).firstIndex(of: UInt8(ascii: ":")))
    var records = packets.map(\.record)
    records[messages[2]][colon] ^= 1
    let found = try Self.explanation(header, records, sample)
    #expect(found.point == .complete && found.finding == nil, "\(found.finding?.detail ?? found.text)")
    #expect(found.reached.contains("live"))
  }

  @Test("A single damaged sequence number behind which the phone goes on is no breach", arguments: Sample.allCases)
  func damagedSequence(sample: Sample) throws {
    let (header, packets) = try PartialCaptureTests.packets(sample)
    for place in Self.pairing("/pair-", packets) {
      let name = try #require(Array(packets[place].record).firstRange(of: Array("CSeq: ".utf8)))
      var records = packets.map(\.record)
      records[place][name.upperBound] ^= 1
      let found = try Self.explanation(header, records, sample)
      #expect(found.finding == nil && !found.others.contains { $0.id == "CRQ-02" }, "record \(place + 1)")
      #expect(found.details.contains { $0.contains("CSeq") && $0.contains("went on") }, "\(found.details)")
    }
    // A head unit that never repeats the number is at fault.
    var records = packets.map(\.record)
    for place in Self.pairing("/pair-", packets) where !Self.isOfPhone(packets[place], packets) {
      let name = try #require(records[place].firstRange(of: Array("CSeq: ".utf8)))
      records[place][name.upperBound] ^= 1
    }
    #expect(try Self.explanation(header, records, sample).finding?.id == "CRQ-02")
  }

  @Test("A single damaged packet of sound is no breach", arguments: Sample.allCases)
  func damagedSound(sample: Sample) throws {
    let (header, packets) = try PartialCaptureTests.packets(sample)
    for place in packets.indices where packets[place].isUDP && packets[place].record.count > 400 {
      var records = packets.map(\.record)
      records[place][records[place].count - 30] ^= 1
      let found = try Self.explanation(header, records, sample)
      #expect(found.finding == nil && !found.others.contains { $0.id == "CSO-01" }, "record \(place + 1)")
      #expect(found.details.contains { $0.contains("packets with a wrong tag") }, "\(found.details)")
    }
  }

  @Test("A session without any stream is not complete", arguments: Sample.allCases)
  func noStream(sample: Sample) throws {
    let (header, packets) = try PartialCaptureTests.packets(sample)
    var points: [SessionExplanation.Point] = []
    for count in 30..<70 {
      let records = packets.prefix(count).map(\.record)
      let found = try Self.explanation(header, Array(records), sample)
      let findings = try lines(header + records.flatMap(\.self), keys: sample.keyLog).findings(.answer)
      let streams = findings.filter { $0.text.hasPrefix("200 OK to SETUP") }.count > 1
      guard found.reached.contains("live"), !streams else { continue }
      points.append(found.point)
    }
    #expect(!points.isEmpty && points.allSatisfy { $0 == .waiting }, "\(points)")
  }

  @Test("Without the last request of the phone, nobody is blamed for the end", arguments: Sample.allCases)
  func lostEnd(sample: Sample) throws {
    let (header, packets) = try PartialCaptureTests.packets(sample)
    let last = try #require(Self.controls(packets).last { Self.isOfPhone(packets[$0], packets) })
    let damaged = packets.indices.filter { $0 != last }.map { packets[$0].record }
    let oneSided = packets.filter { !Self.isOfPhone($0, packets) }.map(\.record)
    for (records, words) in [(damaged, "lacks bytes of the phone"), (oneSided, "lacks all messages of the phone")] {
      let found = try Self.explanation(header, records, sample)
      #expect(found.finding == nil && found.turn == nil)
      #expect(found.point == .unread && found.text.contains(words), "\(found.text)")
    }
  }

  @Test("Without any message of pair-verify, the secrets are tried on frames", arguments: Sample.allCases)
  func lostVerify(sample: Sample) throws {
    let (header, packets) = try PartialCaptureTests.packets(sample)
    let lost = Self.pairing("/pair-verify", packets)
    let found = try Self.explanation(
      header, packets.indices.filter { !lost.contains($0) }.map { packets[$0].record }, sample)
    #expect(found.point == .complete && found.finding == nil, "\(found.text)")
    #expect(found.reached.contains("live"))
  }
}
