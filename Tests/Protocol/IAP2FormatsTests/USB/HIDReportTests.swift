// swift-iap2 · Apache-2.0

import Basics
import Foundation
import IAP2
import IAP2Formats
import Testing
import WireSupport

/// The report descriptor of a real iPad (`captures/real/other-bytes.jsonl`).
enum PhoneDescriptor {
  private struct Line: Decodable {
    var name: String
    var hex: String
  }

  static func bytes() throws -> [UInt8] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let data = try Data(contentsOf: folder.appending(path: "../../../../captures/real/other-bytes.jsonl"))
    let lines = try data.split(separator: UInt8(ascii: "\n")).map { try JSONDecoder().decode(Line.self, from: $0) }
    return hex(try #require(lines.first { $0.name == "iphone-hid-report-descriptor" }).hex)
  }
}

@Suite struct HIDReportTableTests {
  @Test func aPhonesTableIsReadFromItsDescriptor() throws {
    let bytes = try PhoneDescriptor.bytes()
    let table = try HIDReportTable(descriptor: bytes)
    // The table of USB.md#reports.
    #expect(table.toAccessory.map(\.id) == Array(1...12))
    #expect(table.toAccessory.map(\.byteCount) == [5, 9, 13, 17, 25, 49, 95, 193, 257, 385, 513, 767])
    #expect(table.toDevice.map(\.id) == Array(13...21))
    #expect(table.toDevice.map(\.byteCount) == [5, 9, 13, 17, 25, 49, 95, 193, 255])
    #expect(table.maximumTransferByteCount == (768, 256))
    #expect(table == .phone)
    // The descriptor of the emulated phone equals the real one byte for byte.
    #expect(HIDReportTable.phone.descriptor == bytes)
  }

  @Test func everyCutOfADescriptorEndsInANamedError() throws {
    let bytes = try PhoneDescriptor.bytes()
    for count in 0..<bytes.count {
      // The end of the collection is the last byte.
      #expect(throws: HIDReportTable.Problem.self) { try HIDReportTable(descriptor: Array(bytes[..<count])) }
    }
    var generator = SeededGenerator(seed: 20_260_802)
    for _ in 0..<2000 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        changed[Int.random(in: 0..<changed.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      do {
        let table = try HIDReportTable(descriptor: changed)
        for report in table.toAccessory + table.toDevice {
          #expect(report.id != 0 && (2...HIDReportTable.maximumReportByteCount).contains(report.byteCount))
        }
      } catch { continue }
    }
  }

  @Test(
    arguments: [
      ("", .noReport(.toAccessory)),
      // An input report alone, like a keyboard without lights.
      ("a101 7508 8501 9505 8102 c0", .noReport(.toDevice)),
      // The input report has room only for the control byte.
      ("7508 8501 9501 8102 8502 9505 9102", .noReport(.toAccessory)),
      ("7508 9505 8102 9505 9102", .withoutID),
      ("7501 8501 950d 8102 8502 9508 9102", .notWholeBytes(id: 1, bitCount: 13)),
      ("7508 8501 960010 8102", .reportTooLong(id: 1, byteCount: 4096, limit: 4095)),
      ("7508 8501 0901 960020 8102", .descriptor(.tooManyFields(offset: 9))),
      ("7508 8501 95", .descriptor(.truncated(offset: 4))),
      ("b4", .descriptor(.popWithoutPush(offset: 0))),
    ] as [(String, HIDReportTable.Problem)])
  func aBadDescriptorEndsInANamedError(text: String, problem: HIDReportTable.Problem) {
    #expect(throws: problem) { try HIDReportTable(descriptor: hex(text)) }
  }

  @Test func anEndlessDescriptorIsRefused() {
    let endless = [UInt8](repeating: 0xA4, count: 4097)
    #expect(throws: HIDReportTable.Problem.descriptorTooLong(byteCount: 4097, limit: 4096)) {
      try HIDReportTable(descriptor: endless)
    }
    #expect(throws: HIDReportTable.Problem.descriptor(.tooDeep(offset: 16))) {
      try HIDReportTable(descriptor: Array(endless.dropLast()))
    }
  }

  @Test func paddingAndConstantsCountForALength() throws {
    // Two variables of four bits, then two bytes of constants.
    let table = try HIDReportTable(descriptor: hex("8501 7504 9502 8102 7508 9502 8103 8502 9504 9102"))
    #expect(table.toAccessory == [.init(id: 1, byteCount: 3)] && table.toDevice == [.init(id: 2, byteCount: 4)])
  }
}

@Suite struct HIDReportFramingTests {
  private static func cut(_ bytes: [UInt8], _ reports: [HIDReportTable.Report]) -> [[UInt8]] {
    var cut: [[UInt8]] = []
    HIDReportFraming.cut(bytes.rawBytes, into: reports) { cut.append($0) }
    return cut
  }

  private static func joined(_ reports: [[UInt8]]) -> [HIDReportJoin.Outcome] {
    var join = HIDReportJoin()
    return reports.map { join.take($0.rawBytes) }
  }

  private static func whole(_ reports: [[UInt8]]) -> [UInt8] {
    joined(reports).flatMap { if case .bytes(let bytes) = $0 { bytes } else { [UInt8]() } }
  }

  private static let table = HIDReportTable.phone

  /// The vectors w22 and w23 (USB.md#worked).
  @Test func theDetectSequenceGoesIntoTheShortestReportThatHasRoom() {
    #expect(Self.cut(LinkScanner.detect, Self.table.toDevice) == [hex("0e00ff550200ee100000")])
    #expect(Self.cut(LinkScanner.detect, Self.table.toAccessory) == [hex("0200ff550200ee100000")])
  }

  /// The vector w24: a SYN with three sessions.
  @Test func aSynchronizationGoesIntoAReportOf49() {
    let syn = hex("ff5a001d802b0000df0105080005dc00491e0301000202010203020199")
    let report = hex("1200") + syn + [UInt8](repeating: 0, count: 19)
    #expect(report.count == 50)
    #expect(Self.cut(syn, Self.table.toDevice) == [report])
    #expect(Self.whole([report]) == syn)
  }

  /// The vector w26: 300 bytes, of which the longest report takes 254.
  @Test func bytesAboveTheLongestReportAreSplit() {
    let long = packet(0x40, 0x50, 0x51, session: 1, [UInt8](repeating: 0, count: 290))
    #expect(long.count == 300 && Array(long[..<9]) == hex("ff5a012c4050510198"))
    let first = hex("1502") + long[..<254]
    let second = hex("1201") + long[254...] + [0, 0]
    #expect(Self.cut(long, Self.table.toDevice) == [first, second])
    #expect(Self.joined([first, second]) == [.incomplete, .bytes(long)])
    let longer = packet(0x40, 0x50, 0x51, session: 1, [UInt8](repeating: 7, count: 690))
    let three = Self.cut(longer, Self.table.toDevice)
    #expect(three.map { Array($0[..<2]) } == [[0x15, 2], [0x15, 3], [0x14, 1]])
    #expect(three.map(\.count) == [256, 256, 194])
    #expect(Self.joined(three) == [.incomplete, .incomplete, .bytes(longer)])
  }

  @Test func everySizeOfPacketFitsItsReportsAndComesBack() {
    for reports in [Self.table.toDevice, Self.table.toAccessory] {
      let lengths = reports.map(\.payloadByteCount)
      for size in Array(11...1700) + [4096, 65_525] {
        let bytes = packet(0x40, 1, 2, session: 3, (0..<(size - 10)).map { UInt8($0 & 255) })
        let cut = Self.cut(bytes, reports)
        // Every report but the last is the longest one, and the last is the shortest that holds the rest.
        #expect(cut.dropLast().allSatisfy { $0.count == lengths.last.map { $0 + 2 } })
        let rest = size - (cut.count - 1) * (lengths.last ?? 0)
        #expect((cut.last?.count ?? 0) - 2 == lengths.first { $0 >= rest })
        #expect(Self.whole(cut) == bytes)
      }
    }
  }

  @Test func eachPacketOfAnOutputBeginsAReport() {
    let packets = [
      LinkScanner.detect, packet(0x40, 1, 2), packet(0x40, 3, 2, session: 1, [1, 2, 3]),
      packet(0x40, 4, 2, session: 1, [UInt8](repeating: 9, count: 900)),
    ]
    let cut = Self.cut(packets.flatMap { $0 }, Self.table.toDevice)
    #expect(cut == packets.flatMap { Self.cut($0, Self.table.toDevice) })
    #expect(Self.joined(cut).compactMap { if case .bytes(let bytes) = $0 { bytes } else { nil } } == packets)
  }

  @Test func bytesThatAreNoPacketAreSentTogether() {
    let garbage = hex("ff5a0bad00000000")
    #expect(Self.cut(garbage, Self.table.toDevice) == [hex("0e00") + garbage])
    #expect(Self.whole([hex("0e00") + garbage]) == hex("ff5a0bad"))
    #expect(Self.cut([], Self.table.toDevice).isEmpty && Self.cut(garbage, []).isEmpty)
  }

  @Test func paddingAfterAPacketIsNoPartOfIt() {
    let ack = packet(0x40, 1, 2)
    // Padding need not be zeros, because the length of a packet gives its end.
    #expect(Self.whole([[3, 0] + ack + [0, 0, 0]]) == ack)
    #expect(Self.whole([[3, 0, 0, 0, 0, 0]]).isEmpty)
  }

  @Test func aReportThatRestartsDropsTheOpenOne() {
    let ack = packet(0x40, 1, 2)
    #expect(
      Self.joined([[1, 2, 0xFF, 0x5A], [2, 0] + ack, [1, 1, 7], [1, 3, 7]]) == [
        .incomplete, .bytes(ack), .ignored(.continuesNothing), .ignored(.continuesNothing),
      ])
  }

  @Test func malformedReportsAreIgnored() {
    #expect(
      Self.joined([[], [1], [1, 0], [1, 4, 1], [1, 0x80, 1]]) == [
        .ignored(.tooShort(byteCount: 0)), .ignored(.tooShort(byteCount: 1)), .ignored(.tooShort(byteCount: 2)),
        .ignored(.unknownControl(4)), .ignored(.unknownControl(0x80)),
      ])
  }

  @Test func anEndlessReportIsAbandoned() {
    var join = HIDReportJoin()
    let payload = [UInt8](repeating: 0x5A, count: 4000)
    var given: Int?
    for count in 0..<40 where given == nil {
      if case .ignored(.tooLong) = join.take(([1, count == 0 ? 2 : 3] + payload).rawBytes) { given = count }
    }
    #expect(given == HIDReportJoin.maximumByteCount / 4000)
    #expect(join.take(([1, 3] + payload).rawBytes) == .ignored(.continuesNothing))
    #expect(join.take(([1, 0] + LinkScanner.detect).rawBytes) == .bytes(LinkScanner.detect))
  }

  @Test func everyLostReportCostsOnePacket() {
    let packets = (0..<4).map { packet(0x40, $0, 2, session: 1, [UInt8](repeating: $0, count: 800)) }
    let cut = packets.flatMap { Self.cut($0, Self.table.toDevice) }
    for lost in cut.indices {
      var rest = cut
      rest.remove(at: lost)
      let whole = Self.joined(rest).filter { outcome in
        if case .bytes(let bytes) = outcome { packets.contains(bytes) } else { false }
      }
      #expect(whole.count == 3, "lost \(lost)")
    }
  }

  @Test func garbageNeitherTrapsNorFillsMemory() {
    var generator = SeededGenerator(seed: 20_260_803)
    var join = HIDReportJoin()
    for _ in 0..<5000 {
      var report = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      if report.count > 1 { report[1] &= 7 }
      if case .bytes(let bytes) = join.take(report.rawBytes) { #expect(bytes.count <= HIDReportJoin.maximumByteCount) }
    }
  }
}
