// swift-iap2 · Apache-2.0

import Basics
import CaptureSupport
import Foundation
import IAP2
import IAP2Testing
import Testing

@testable import IAP2Capture

/// Tests of filters with a session whose records are known from its file.
@Suite struct FilterTests {
  static let lines: [DecodedLine] = {
    do { return try decode("synthetic/worked-session.txt", LineSink()).lines } catch { return [] }
  }()

  static func decode<Sink: DecodedSink>(_ name: String, _ sink: Sink) throws -> Sink {
    var analyzer = CaptureAnalyzer(sink: sink)
    analyzer.append(try CaptureFiles.bytes(name))
    analyzer.finish()
    return analyzer.sink
  }

  /// A message and its errors match together, and a filter that excludes the message excludes its errors.
  @Test func aFilterSelectsAMessageWithItsErrors() throws {
    func shown(_ filter: String) throws -> [DecodedLine] {
      let sink = FilterSink(LineSink(), filter: try FindingFilter(parsing: filter))
      return try Self.decode("synthetic/damaged.txt", sink).base.lines
    }
    let all = try Self.decode("synthetic/damaged.txt", LineSink()).lines
    try #require(all.count { $0.layer == "error" } > 5)
    let updates = try shown("PowerUpdate")
    #expect(updates.contains { Self.id(of: $0) == 0xAE01 } && updates.contains { $0.layer == "error" })
    let others = try shown("not message = PowerUpdate")
    #expect(!others.contains { Self.id(of: $0) == 0xAE01 })
    #expect(updates.count + others.count == all.count)
    #expect(try shown("not error").allSatisfy { $0.layer != "error" })
    #expect(Set(try shown("error").map(\.layer)).isSuperset(of: ["error", "control"]))
  }

  static func matches(_ filter: String) throws -> [DecodedLine] {
    let filter = try FindingFilter(parsing: filter)
    return lines.filter { filter.matches([$0]) }
  }

  static func error(_ filter: String) -> FilterError? {
    do throws(FilterError) {
      _ = try FindingFilter(parsing: filter)
      return nil
    } catch { return error }
  }

  /// Filters, each with a Swift predicate of the same meaning.
  static let meanings: [(String, @Sendable (DecodedLine) -> Bool)] = [
    ("control", { $0.layer == "control" }),
    ("LINK", { $0.layer == "link" }),
    ("device", { $0.from == .device }),
    ("from != device", { $0.from == .accessory }),
    ("layer = detect", { $0.layer == "detect" }),
    ("record >= 6 and record<9", { (6..<9).contains($0.record) }),
    ("record = 6 or record = 0x8", { $0.record == 6 || $0.record == 8 }),
    ("not (control or link)", { $0.layer != "control" && $0.layer != "link" }),
    ("not control and not link", { $0.layer != "control" && $0.layer != "link" }),
    ("record = 3 or record = 6 and control", { $0.record == 3 || $0.record == 6 && $0.layer == "control" }),
    ("startidentification", { id(of: $0) == 0x1D00 }),
    ("message = 0x1D00", { id(of: $0) == 0x1D00 }),
    ("0x1D00 or id = 7427", { [0x1D00, 0x1D03].contains(id(of: $0)) }),
    ("id >= 0xEA00", { id(of: $0).map { $0 >= 0xEA00 } ?? false }),
    ("message ~ '^Identification(Info|Acc)'", { [0x1D01, 0x1D02].contains(id(of: $0)) }),
    ("control = SYN and control != ACK", { isSYN($0) }),
    ("ExternalAccessoryProtocolSessionIdentifier = 1", { [0xEA00, 0xEA01, 0xEA03].contains(id(of: $0)) }),
    ("sequence", { $0.layer == "link" }),
    ("\"acme\"", { id(of: $0) == 0x1D01 }),
    ("text ~ 'ac.e[.]p'", { id(of: $0) == 0x1D01 }),
    ("maxOutstandingPackets = 5", { $0.layer == "synchronization" }),
    ("time", { _ in false }),
    ("connection = 1", { _ in true }),
    ("connection > 1", { _ in false }),
  ]

  static func isSYN(_ line: DecodedLine) -> Bool {
    if case .link(let header, _, _) = line.content { header.control == .synchronize } else { false }
  }

  static func id(of line: DecodedLine) -> UInt16? {
    if case .control(let id, _, _, _) = line.content { id } else { nil }
  }

  @Test(arguments: meanings.indices) func aFilterSelectsMatchingFindings(index: Int) throws {
    let (filter, test) = Self.meanings[index]
    try #require(Self.lines.count > 30)
    #expect(try Self.matches(filter) == Self.lines.filter(test), "\(filter)")
  }

  @Test func theSessionHasFindingsOfEveryMeaning() throws {
    for (filter, test) in Self.meanings where !["time", "connection > 1"].contains(filter) {
      #expect(Self.lines.contains(where: test), "\(filter)")
    }
  }

  /// Invalid filters, each with the column of its error.
  static let mistakes: [(String, Int)] = [
    ("", 0), ("control and", 11), ("control control", 8), ("(control", 8), ("control)", 7), ("record >", 8),
    ("record > many", 9), ("layer = contol", 8), ("message = Foo", 10), ("Foo", 0), ("record = 'a", 9),
    ("text ~ '['", 7), ("record ! 3", 7), ("= 3", 0), ("record = = 3", 9), ("from = car", 7),
    (String(repeating: "(", count: 200) + "control", 64), (String(repeating: "not ", count: 200) + "control", 256),
  ]

  @Test(arguments: mistakes.indices) func aFilterErrorNamesItsColumn(index: Int) {
    let (filter, column) = Self.mistakes[index]
    #expect(Self.error(filter)?.column == column, "\(filter): \(String(describing: Self.error(filter)))")
  }

  @Test func similarNamesAreSuggested() {
    guard case .unknownWord(_, let similar) = Self.error("Battery > 3")?.reason else {
      Issue.record("an unknown name passed")
      return
    }
    #expect(similar.contains("BatteryChargeLevel"))
  }

  /// An error stands inside the text. A filter that is read shows exactly what its negation hides.
  @Test func anyTextIsReadOrRefused() throws {
    var generator = SeededGenerator(seed: 11)
    let parts = [
      "(", ")", "not", "and", "or", "=", "!=", "<", ">=", "~", "'", "\"", "record", "3", "é", "\\", "0x", "-",
    ]
    let some = Array(Self.lines.prefix(6))
    try #require(some.count == 6)
    var read = 0
    for _ in 0..<4000 {
      let words = (0..<Int(generator.next() % 8)).map { _ in parts[Int(generator.next() % UInt64(parts.count))] }
      let text = words.joined(separator: generator.next() % 4 == 0 ? "" : " ")
      if let error = Self.error(text) {
        #expect((0...text.count).contains(error.column), "\(text): \(error)")
        continue
      }
      read += 1
      let filter = try FindingFilter(parsing: text)
      let negation = try FindingFilter(parsing: "not (\(text))")
      for line in some { #expect(filter.matches([line]) != negation.matches([line]), "\(text)") }
    }
    #expect(read > 20 && read < 3900, "\(read) read")
  }

  @Test func numbersOf64BitsAreExact() throws {
    let number = FindingNumber("18446744073709551615")
    #expect(number == .integer(Int128(UInt64.max)) && number != FindingNumber("18446744073709551614"))
    #expect(FindingNumber("nan") == nil && FindingNumber("inf") == nil && FindingNumber("0x") == nil)
    #expect(FindingNumber("2.5").map { $0 > .integer(2) } == true)
  }

  // MARK: Layout

  /// Every byte is in one field, and each number equals the one that the reader decodes.
  @Test(arguments: [
    "synthetic/worked-session.txt", "synthetic/damaged.txt", "real/boya-mini2.txt", "real/canon-ivy.txt",
  ])
  func everyByteHasItsField(name: String) throws {
    var analyzer = CaptureAnalyzer(sink: LineSink(keepsBytes: true))
    analyzer.append(try CaptureFiles.bytes(name))
    analyzer.finish()
    var count = 0
    for line in analyzer.sink.take() {
      guard let source = line.source else { continue }
      switch line.content {
      case .link(let header, _, _):
        let layout = FieldLayout(packet: source.bytes, header)
        expectWhole(layout, source.bytes)
        #expect(value("sequence", layout, source.bytes) == Int(header.sequence.rawValue))
        #expect(value("length", layout, source.bytes) == source.bytes.count)
        guard header.control.contains(.synchronize) else { continue }
        let offer = try LinkSynchronization(source.bytes.rawBytes.extracting(header.payload(at: 0)))
        #expect(value("retransmissionTimeout", layout, source.bytes) == Int(offer.retransmissionTimeout))
        #expect(value("maxCumulativeAcks", layout, source.bytes) == Int(offer.maxCumulativeAcks))
        #expect(layout.fields.filter { $0.name == "session type" }.count == offer.sessions.count)
        count += 1
      case .control(_, let name, let parameters, _):
        expectWhole(FieldLayout(message: source.bytes, name: name, parameters), source.bytes)
        count += 1
      case .detect, .synchronization, .externalAccessory, .fileTransfer, .error, .comment, .session: break
      }
    }
    #expect(count > 0)
  }

  private func expectWhole(_ layout: FieldLayout, _ bytes: [UInt8]) {
    var end = 0
    for field in layout.fields {
      #expect(field.range.lowerBound == end && !field.range.isEmpty)
      end = field.range.upperBound
    }
    #expect(end == bytes.count)
  }

  private func value(_ name: String, _ layout: FieldLayout, _ bytes: [UInt8]) -> Int? {
    layout.fields.first { $0.name == name }.map { bytes[$0.range].reduce(0) { $0 << 8 | Int($1) } }
  }

  @Test func aMessageWithWrongLengthsHasAllItsBytes() throws {
    var changes = 0
    for line in Self.lines where Self.id(of: line) == IdentificationInformation.id {
      guard case .control(_, _, _, let whole) = line.content else { continue }
      changes += whole.count - 6
      for index in 6..<whole.count {
        var bytes = whole
        bytes[index] ^= 0x55
        let message = DecodedMessage(bytes.rawBytes)
        expectWhole(FieldLayout(message: bytes, name: message.entry?.name, message.parameters), bytes)
      }
    }
    #expect(changes > 0)
  }
}
