// swift-iap2 · Apache-2.0

import Basics
import CaptureSupport
import CarPlayCapture
import CarPlaySession
import IAP2
import IAP2Analysis
import IAP2Capture
import Testing

/// Captures that lack packets, or have damaged packets or another order: an explanation names no side for that.
@Suite struct DamagedPacketTests {
  private typealias Packet = PartialCaptureTests.Packet

  /// Returns the one explanation of records. It names no rule that the samples keep, and no side.
  private static func blameless(
    _ header: [UInt8], _ records: [[UInt8]], _ sample: Sample, _ name: @autoclosure () -> String,
    location: SourceLocation = #_sourceLocation
  ) throws -> SessionExplanation {
    let found = try sessionExplanations(header + records.flatMap(\.self), keys: sample.keyLog)
    try #require(found.count == 1, "\(name())", sourceLocation: location)
    let text = "\(name()): \(found[0].finding?.detail ?? found[0].text)"
    #expect(found[0].finding == nil && found[0].turn == nil, "\(text)", sourceLocation: location)
    #expect(found[0].others.allSatisfy { $0.id == "CSC-06" }, "\(text)", sourceLocation: location)
    return found[0]
  }

  /// Returns a record with another bit in the payload of its packet; nil for a packet without one.
  private static func flipped(_ packet: Packet, byte: Int, bit: Int) -> [UInt8]? {
    let start = packet.isUDP ? 16 + 14 + 20 + 8 : packet.record.count - packet.data.count
    guard start + byte < packet.record.count else { return nil }
    var record = packet.record
    record[start + byte] ^= 1 << UInt8(bit)
    return record
  }

  // MARK: Lost packets

  @Test("Without any one packet, and without several, nobody is blamed", arguments: Sample.allCases)
  func lost(sample: Sample) throws {
    let (header, packets) = try PartialCaptureTests.packets(sample)
    let records = packets.map(\.record)
    for count in [1, 8] {
      for first in stride(from: 0, through: records.count - count, by: max(1, count / 4)) {
        let kept = records[..<first] + records[(first + count)...]
        _ = try Self.blameless(header, Array(kept), sample, "\(count) from record \(first + 1)")
      }
    }
  }

  @Test("A capture that begins with an answer of pair-verify is one session", arguments: Sample.allCases)
  func beginsWithAnswer(sample: Sample) throws {
    let (header, packets) = try PartialCaptureTests.packets(sample)
    // M4 of pair-verify is the last message in the clear with such a body.
    let last = try #require(packets.lastIndex { Array($0.data.suffix(3)) == [6, 1, 4] })
    for first in [last - 2, last - 1, last] {
      let found = try Self.blameless(header, packets[first...].map(\.record), sample, "from record \(first + 1)")
      #expect(found.point == .complete && found.reached.contains("live"), "from record \(first + 1): \(found.text)")
    }
  }

  @Test("An event connection without its first packets belongs to the session whose pair-verify is missing")
  func lostBeginning() throws {
    let (header, packets) = try PartialCaptureTests.packets(.headUnit)
    let kept = packets.indices.filter { !(7..<31).contains($0) }
    let found = try Self.blameless(header, kept.map { packets[$0].record }, .headUnit, "without 8 to 31")
    #expect(found.point == .complete)
  }

  // MARK: Damaged frames and headers

  @Test(
    "A damaged length of a frame, and a damaged header of a picture, is no breach",
    arguments: [
      // The answer with /info, a request, a command, the last request and the last answer.
      (Sample.headUnit, 27, 1, 3), (.headUnit, 30, 1, 2), (.headUnit, 34, 1, 0), (.headUnit, 128, 0, 4),
      (.headUnit, 129, 1, 3), (.headUnit, 116, 0, 5), (.headUnit, 119, 1, 3), (.phone, 186, 1, 7), (.phone, 192, 0, 5),
      // The length of the first message of a screen, and the types of pictures.
      (.headUnit, 51, 3, 4), (.phone, 44, 3, 7), (.headUnit, 65, 4, 5), (.headUnit, 73, 4, 5), (.phone, 114, 4, 4),
      // Requests of pairing in the clear, and a datagram of the clock.
      (.headUnit, 4, 2, 1), (.headUnit, 12, 142, 1), (.headUnit, 12, 150, 7), (.phone, 12, 118, 3),
      (.headUnit, 126, 0, 1),
    ])
  func damagedUnit(sample: Sample, record: Int, byte: Int, bit: Int) throws {
    let (header, packets) = try PartialCaptureTests.packets(sample)
    var records = packets.map(\.record)
    records[record - 1] = try #require(Self.flipped(packets[record - 1], byte: byte, bit: bit))
    let found = try Self.blameless(header, records, sample, "record \(record)")
    #expect([.complete, .unread].contains(found.point), "\(found.text)")
  }

  @Test("A picture whose header names another type is read")
  func misnamedPicture() throws {
    let (header, packets) = try PartialCaptureTests.packets(.headUnit)
    var records = packets.map(\.record)
    records[64] = try #require(Self.flipped(packets[64], byte: 4, bit: 5))
    let pictures = try [packets.map(\.record), records].map { records in
      try lines(header + records.flatMap(\.self), keys: Sample.headUnit.keyLog).findings(.picture)
    }
    #expect(pictures[0].count == pictures[1].count)
  }

  // MARK: Checksums

  private static func sum(_ bytes: some Collection<UInt8>) -> UInt64 {
    bytes.enumerated().reduce(0) { $0 + UInt64($1.element) << ($1.offset.isMultiple(of: 2) ? 8 : 0) }
  }

  /// Returns a record with the right checksum. The card of the samples' machine had none.
  private static func checked(_ record: [UInt8]) -> [UInt8] {
    let (start, isUDP) = (16 + 14 + 20, record[16 + 14 + 9] == 17)
    let place = start + (isUDP ? 6 : 16)
    var record = record
    record.replaceSubrange(place..<place + 2, with: [0, 0])
    var sum = sum(record[start - 8..<start]) + (isUDP ? 17 : 6) + UInt64(record.count - start)
    sum += Self.sum(record[start...])
    while sum > 0xFFFF { sum = (sum & 0xFFFF) + (sum >> 16) }
    let value = ~UInt16(sum)
    record.replaceSubrange(place..<place + 2, with: [UInt8(value >> 8), UInt8(truncatingIfNeeded: value)])
    return record
  }

  @Test("A packet with a wrong checksum among right ones is not read", arguments: Sample.allCases)
  func wrongChecksum(sample: Sample) throws {
    let (header, original) = try PartialCaptureTests.packets(sample)
    let packets = original.map { Packet(record: Self.checked($0.record)) }
    let whole = try Self.blameless(header, packets.map(\.record), sample, "right checksums")
    #expect(!whole.details.contains { $0.contains("checksum") })
    for place in packets.indices {
      guard let record = Self.flipped(packets[place], byte: place % 40, bit: place % 8) else { continue }
      var records = packets.map(\.record)
      records[place] = record
      let found = try Self.blameless(header, records, sample, "record \(place + 1)")
      let line = found.details.first { $0.contains("checksum") }
      // The first datagrams of a sender prove nothing, nor does a single packet beyond the size of Ethernet.
      guard !packets[place].isUDP, record.count < 1500 else { continue }
      #expect(line?.hasPrefix("record \(place + 1) ") == true, "record \(place + 1): \(found.details)")
    }
  }

  @Test("A damaged flag does not end a connection, if the checksum shows the damage", arguments: Sample.allCases)
  func wrongFlag(sample: Sample) throws {
    let (header, packets) = try PartialCaptureTests.packets(sample)
    let records = packets.map { Self.checked($0.record) }
    let control = PartialCaptureTests.controlPort(packets)
    for place in packets.indices.dropFirst(8) where !packets[place].data.isEmpty && packets[place].ports[0] == control {
      // FIN and RST.
      for flag: UInt8 in [1, 4] where records[place].count < 1500 {
        var damaged = records
        damaged[place][63] |= flag
        let found = try Self.blameless(header, damaged, sample, "record \(place + 1)")
        #expect([.complete, .unread].contains(found.point), "record \(place + 1): \(found.text)")
      }
    }
  }

  @Test("If the checksums of a sender are wrong, nothing follows from them", arguments: Sample.allCases)
  func noChecksums(sample: Sample) throws {
    let (header, packets) = try PartialCaptureTests.packets(sample)
    var records = packets.map(\.record)
    for place in records.indices where !packets[place].isUDP { records[place][67] ^= 1 }
    let found = try Self.blameless(header, records, sample, "wrong checksums")
    #expect(found.point == .complete && !found.details.contains { $0.contains("checksum") })
  }

  @Test("A fault in packets with right checksums is named")
  func faultWithChecksums() throws {
    let name = "carplay/failures/headunit-no-screen-uuid"
    let (header, records) = BadCaptureTests.records(try CaptureFiles.bytes("\(name).pcap"))
    let found = try sessionExplanations(
      header + records.flatMap { Self.checked($0) }, keys: CaptureFiles.bytes("\(name).keys"))
    #expect(found.map(\.finding?.id) == ["CIN-03"])
  }

  // MARK: Order

  private static func inAnotherOrder(_ records: [[UInt8]], _ size: Int, _ seed: UInt64) -> [[UInt8]] {
    var numbers = SeededGenerator(seed: seed)
    return stride(from: 0, to: records.count, by: size).flatMap { start in
      records[start..<min(start + size, records.count)].shuffled(using: &numbers)
    }
  }

  @Test("Packets in another order than their times are read in that of their times", arguments: Sample.allCases)
  func reordered(sample: Sample) throws {
    let (header, packets) = try PartialCaptureTests.packets(sample)
    for seed: UInt64 in 1...8 {
      let records = Self.inAnotherOrder(packets.map(\.record), 6, seed)
      let found = try Self.blameless(header, records, sample, "seed \(seed)")
      #expect(found.point == .complete && found.reached.contains("live"), "seed \(seed): \(found.text)")
      #expect(found.details.contains { $0.contains("reordercap") }, "\(found.details)")
    }
  }

  @Test("If the packets cannot be put in order, nobody is blamed", arguments: Sample.allCases)
  func disordered(sample: Sample) throws {
    let (header, packets) = try PartialCaptureTests.packets(sample)
    for seed: UInt64 in 1...4 {
      let records = Self.inAnotherOrder(packets.map(\.record), packets.count, seed)
      let found = try sessionExplanations(header + records.flatMap(\.self), keys: sample.keyLog)
      #expect(found.allSatisfy { $0.finding == nil && $0.turn == nil && $0.others.isEmpty }, "seed \(seed)")
      #expect(found.contains { $0.details.contains { $0.contains("nobody is blamed") } }, "seed \(seed)")
    }
  }

  @Test("A fault in packets in another order is named")
  func faultInDisorder() throws {
    let name = "carplay/failures/headunit-no-screen-uuid"
    let (header, records) = BadCaptureTests.records(try CaptureFiles.bytes("\(name).pcap"))
    let found = try sessionExplanations(
      header + Self.inAnotherOrder(records, 6, 1).flatMap(\.self), keys: CaptureFiles.bytes("\(name).keys"))
    #expect(found.map(\.finding?.id) == ["CIN-03"])
  }

  // MARK: Secrets

  @Test("The secrets of a file are found behind the packets that they open")
  func lateSecrets() throws {
    var writer = NetworkCaptureWriter()
    let path = NetworkCaptureWriter.Path(
      local: .init(address: [127, 0, 0, 1], port: 7000), remote: .init(address: [127, 0, 0, 1], port: 50_000))
    let keys = try Sample.phone.keyLog
    let bytes =
      writer.header + writer.record(.opened(isOwn: false), on: path, nanoseconds: 0) + DecryptionSecrets.bytes(keys)
    var reader = SecretsReader()
    for start in stride(from: 0, to: bytes.count, by: 100) {
      let isRead = reader.append(Array(bytes[start..<min(start + 100, bytes.count)]))
      #expect(isRead)
    }
    var secrets = SessionSecrets()
    secrets.add(reader.text)
    #expect(secrets.count == 3)
    var other = SecretsReader()
    let isRead = other.append(try Sample.phone.bytes)
    #expect(!isRead)
  }
}
