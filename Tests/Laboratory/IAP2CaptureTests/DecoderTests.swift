// swift-iap2 · Apache-2.0

import CaptureSupport
import Foundation
import IAP2
import IAP2Capture
import Testing

@Suite struct DecoderTests {
  /// The folder of the real captures.
  static let captures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../captures/real/")

  static func records(_ name: String) throws -> [CaptureRecord] {
    let text = try String(contentsOf: captures.appending(path: name), encoding: .utf8)
    var records: [CaptureRecord] = []
    for line in text.split(separator: "\n") {
      if let (time, from, bytes) = try TextRecords.parse(line.utf8) {
        records.append(CaptureRecord(number: records.count + 1, time: time, from: from, bytes: bytes))
      }
    }
    return records
  }

  static func decode(_ records: [CaptureRecord]) -> [DecodedLine] {
    var decoder = CaptureDecoder()
    return records.flatMap { decoder.decode($0) } + decoder.finish(number: records.count, time: nil)
  }

  static func contents(_ lines: [DecodedLine]) -> [Side: [DecodedLine.Content]] {
    Dictionary(grouping: lines, by: \.from).mapValues { $0.map(\.content) }
  }

  @Test(arguments: ["boya-mini2.txt", "canon-ivy.txt", "detect.txt"])
  func realAccessoriesDecodeWithoutDamage(name: String) throws {
    let lines = Self.decode(try Self.records(name))
    #expect(!lines.isEmpty)
    for line in lines {
      // One packet of the microphone's session was not published, so it is reported as missing.
      if case .error(let message, _) = line.content, !message.hasSuffix("not in the capture") {
        Issue.record("\(name): \(message)")
      }
      if case .link(_, let header, let payload) = line.content {
        #expect(header == .valid)
        #expect(payload != .invalid)
      }
    }
  }

  @Test func theRealSynchronizationOfAPrinterMatchesItsReport() throws {
    let lines = Self.decode(try Self.records("canon-ivy.txt"))
    let found = lines.compactMap { if case .synchronization(let value) = $0.content { value } else { nil } }
    let first = try #require(found.first)
    #expect(first.maxOutstandingPackets == 5 && first.maxPacketLength == 1007)
    #expect(first.retransmissionTimeout == 1500 && first.cumulativeAckTimeout == 4169)
    #expect(first.maxRetransmissions == 3 && first.maxCumulativeAcks == 3)
    #expect(first.sessions.map(\.id) == [10, 11])
    #expect(first.sessions.map(\.type) == [.control, .externalAccessory])
  }

  /// The worked session without some of its records. A missing packet is reported when the other side acknowledges it,
  /// or else at the end.
  @Test func packetsThatAreNotInTheCaptureAreReported() throws {
    let text = String(decoding: try CaptureFiles.bytes("synthetic/worked-session.txt"), as: UTF8.self)
    func missing(_ left: [String]) throws -> [String] {
      let lines = text.split(separator: "\n").filter { line in !left.contains { line.hasSuffix("# \($0)") } }
      return FormatTests.contents(Array(lines.joined(separator: "\n").utf8)).lines.compactMap { line in
        if case .error(let message, _) = line.content { message } else { nil }
      }
    }
    #expect(try missing([]) == [])
    #expect(try missing(["AA05"]) == ["1 packet with sequence number 103 not in the capture"])
    #expect(try missing(["AA05", "1D00"]) == ["2 packets with sequence numbers 103 to 104 not in the capture"])
    #expect(try missing(["AA00"]) == ["1 packet with sequence number 101 not in the capture"])
    // 0xAA01 is the first data of its side. The packet ft-start, which acknowledges ft-setup, is missing too.
    #expect(try missing(["AA01"]) == ["1 packet with sequence number 44 not in the capture"])
    #expect(try missing(["ft-setup", "ft-start"]).count == 2)
  }

  @Test func recordsCutAtAnyByteDecodeTheSame() throws {
    let records = try Self.records("boya-mini2.txt")
    let whole = Self.contents(Self.decode(records))
    for index in records.indices {
      for cut in 1..<max(2, records[index].bytes.count) where cut < records[index].bytes.count {
        var split = records
        split[index].bytes = Array(records[index].bytes[..<cut])
        split.insert(
          CaptureRecord(
            number: index + 2, time: nil, from: records[index].from, bytes: Array(records[index].bytes[cut...])),
          at: index + 1)
        #expect(Self.contents(Self.decode(split)) == whole, "record \(index + 1) cut at \(cut)")
      }
    }
  }

  @Test func validPacketsAfterGarbageAreFound() {
    let garbage: [UInt8] = [0x00, 0xFF, 0x5A, 0x01, 0x02, 0x55, 0x03]
    let packet: [UInt8] = [0xFF, 0x5A, 0x00, 0x09, 0x40, 0x01, 0x40, 0x00, 0x1D]
    let lines = Self.decode([CaptureRecord(number: 1, time: nil, from: .accessory, bytes: garbage + packet)])
    #expect(lines.contains { if case .link(_, .valid, .absent) = $0.content { true } else { false } })
    #expect(lines.contains { if case .error = $0.content { true } else { false } })
  }

  @Test func packetsAfterAWrongHeaderAreFound() {
    // The header has a valid checksum and the maximum length; eight valid packets follow it.
    let lie: [UInt8] = [0xFF, 0x5A, 0xFF, 0xFF, 0x40, 0, 0, 0, 0x69]
    var valid: [UInt8] = []
    let message: [UInt8] = [0x40, 0x40, 0, 6, 0xAA, 0x05]
    for sequence in 0..<8 as Range<UInt8> {
      LinkPacket.append(
        to: &valid, control: .acknowledge, sequence: SequenceNumber(sequence), acknowledgement: SequenceNumber(0),
        session: 1, payload: unsafe message.span.bytes)
    }
    for bytes in [lie + valid, lie + valid + [UInt8](repeating: 0x33, count: 66_000)] {
      let lines = Self.decode([CaptureRecord(number: 1, time: nil, from: .accessory, bytes: bytes)])
      let messages = lines.filter { if case .control(0xAA05, _, _, _) = $0.content { true } else { false } }
      #expect(messages.count == 8)
      #expect(lines.contains { if case .error(_, 0...65_535) = $0.content { true } else { false } })
    }
  }

  @Test func aRunOfPacketsWithTheSameFaultIsTwoErrors() {
    var bytes: [UInt8] = []
    let payload: [UInt8] = [1, 2, 3]
    for sequence in 0..<100 as Range<UInt8> {
      LinkPacket.append(
        to: &bytes, control: .acknowledge, sequence: SequenceNumber(sequence), acknowledgement: SequenceNumber(0),
        session: 1, payload: unsafe payload.span.bytes)
      bytes[bytes.count - 1] ^= 1
    }
    let lines = Self.decode([CaptureRecord(number: 1, time: nil, from: .accessory, bytes: bytes)])
    let errors = lines.filter { if case .error = $0.content { true } else { false } }
    #expect(lines.count - errors.count == 100 && errors.count == 2)
    #expect(errors.last?.content == .error(message: "payload checksum is wrong in the next 99 packets too", offset: 25))
  }

  @Test func aLongRunOfDamageIsOneLine() {
    let zeros = [UInt8](repeating: 0x33, count: 100_000)
    let lines = Self.decode([CaptureRecord(number: 1, time: nil, from: .device, bytes: zeros)])
    #expect(lines.count == 1)
  }

  @Test(arguments: ["A>D ff5", "A>D", "ff55", "x A>D ff", "1.0 A>B ff", "A>D fg"])
  func badTextLinesAreNamed(line: String) {
    #expect(throws: TextRecords.Problem.self) { try TextRecords.parse(line[...].utf8) }
  }
}
