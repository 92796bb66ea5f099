// swift-iap2 · Apache-2.0

import CarPlayCapture
import IAP2
import IAP2Capture
import Testing

/// Captures that lack packets of streams, or have damaged ones: reading goes on behind, and nobody is blamed.
@Suite struct StreamLossTests {
  private typealias Packet = PartialCaptureTests.Packet

  /// A capture, and the places of the packets with data of its streams over TCP.
  private struct Capture {
    let sample: Sample
    let header: [UInt8]
    let packets: [Packet]
    /// The places by the connection, each the phone's.
    let streams: [[Int]]

    init(_ sample: Sample) throws {
      self.sample = sample
      (header, packets) = try PartialCaptureTests.packets(sample)
      let all = packets
      let beginnings = all.indices.filter { !all[$0].isUDP && all[$0].record[63] == 2 }
      // The control connection is the first one, and that of events the second.
      streams = beginnings.dropFirst(2).map { first in
        all.indices.filter { $0 > first && !all[$0].data.isEmpty && all[$0].ports == all[first].ports }
      }
    }

    func lines(_ records: [[UInt8]], hasKeys: Bool = true) throws -> [DecodedLine] {
      try CarPlayCaptureTests.lines(header + records.flatMap(\.self), keys: hasKeys ? sample.keyLog : [])
    }

    func explanation(_ records: [[UInt8]]) throws -> SessionExplanation {
      try #require(sessionExplanations(header + records.flatMap(\.self), keys: sample.keyLog).first)
    }

    var records: [[UInt8]] { packets.map(\.record) }
  }

  /// The findings of the content of streams over TCP.
  private static func content(_ lines: [DecodedLine]) -> [String] {
    lines.findings.filter {
      [.picture, .data].contains($0.layer) || $0.layer == .sound && $0.text.contains(": packet ")
    }.map(\.text)
  }

  /// The problems of streams.
  private static func problems(_ lines: [DecodedLine]) -> [String] {
    lines.findings(.problem).map(\.text).filter { !$0.hasPrefix("control") && !$0.hasPrefix("events") }
  }

  private static func expectNobody(_ found: SessionExplanation, _ comment: Comment) {
    #expect(found.finding == nil, comment)
    #expect(found.others.allSatisfy { $0.id == "CSC-06" }, comment)
    #expect(found.point == .complete, comment)
  }

  @Test("Behind a lost packet a stream is read on, and one line says what is missing", arguments: Sample.allCases)
  func lostPacket(sample: Sample) throws {
    let capture = try Capture(sample)
    let whole = Self.content(try capture.lines(capture.records))
    for stream in capture.streams {
      for place in stream.dropLast() {
        var records = capture.records
        records.remove(at: place)
        let lines = try capture.lines(records)
        let (content, problems) = (Self.content(lines), Self.problems(lines))
        let comment: Comment = "without record \(place + 1): \(content.count) of \(whole.count), \(problems)"
        #expect(problems.count <= 1 && content.count >= whole.count - 4, comment)
        #expect(content.count == whole.count || problems.contains { $0.contains("were not captured") }, comment)
        Self.expectNobody(try capture.explanation(records), comment)
      }
    }
  }

  @Test("Behind a damaged bit a stream is read on, and nobody is blamed", arguments: Sample.allCases)
  func damagedBit(sample: Sample) throws {
    let capture = try Capture(sample)
    let whole = Self.content(try capture.lines(capture.records))
    for place in capture.streams.flatMap(\.self) {
      for back in [1, capture.packets[place].data.count / 2] {
        var records = capture.records
        records[place][records[place].count - back] ^= 1
        let lines = try capture.lines(records)
        let (content, problems) = (Self.content(lines), Self.problems(lines))
        let comment: Comment = "record \(place + 1), \(back): \(content.count) of \(whole.count), \(problems)"
        #expect(problems.count <= 2 && content.count >= whole.count - 2, comment)
        // The body of a configuration is in the clear, and nothing but its meaning shows that it is damaged.
        let found = try capture.explanation(records)
        guard !found.others.contains(where: { $0.id == "CSC-03" }) else { continue }
        Self.expectNobody(found, comment)
      }
    }
  }

  @Test("Without keys, pictures behind a lost packet are shown by their headers", arguments: Sample.allCases)
  func withoutKeys(sample: Sample) throws {
    let capture = try Capture(sample)
    let whole = Self.content(try capture.lines(capture.records, hasKeys: false))
    let screen = try #require(capture.streams.max { $0.count < $1.count })
    for place in screen.dropFirst().dropLast() {
      var records = capture.records
      records.remove(at: place)
      let lines = try capture.lines(records, hasKeys: false)
      let comment: Comment = "without record \(place + 1): \(Self.problems(lines))"
      #expect(Self.content(lines).count >= whole.count - 4, comment)
      #expect(Self.problems(lines).contains { $0.contains("read on here") || $0.contains("the session is encrypted") })
    }
  }

  @Test("A screen whose first packets are missing is read on", arguments: Sample.allCases)
  func lateScreen(sample: Sample) throws {
    let capture = try Capture(sample)
    let screen = try #require(capture.streams.max { $0.count < $1.count })
    let ports = Set(capture.packets[screen[0]].ports)
    let lost = screen[screen.count / 2]
    let records = capture.packets.indices.filter { $0 > lost || Set(capture.packets[$0].ports) != ports }
      .map { capture.packets[$0].record }
    let lines = try capture.lines(records)
    #expect(lines.findings(.picture).contains { $0.text.hasPrefix("screen: frame") && !$0.text.contains("sealed") })
    #expect(Self.problems(lines).contains { $0.contains("read on from picture") }, "\(Self.problems(lines))")
    Self.expectNobody(try capture.explanation(records), "\(Self.problems(lines))")
  }

  @Test("A stream of which nothing opens is blamed on its sender")
  func wrongKey() throws {
    let capture = try Capture(.phone)
    var records = capture.records
    let screen = try #require(capture.streams.max { $0.count < $1.count })
    // Behind the configuration, each packet is damaged.
    for place in screen.dropFirst() { records[place][records[place].count - 1] ^= 1 }
    let found = try capture.explanation(records)
    #expect(([found.finding].compactMap(\.self) + found.others).contains { $0.id == "CSC-01" }, "\(found.details)")
    #expect(Self.problems(try capture.lines(records)).count <= 2)
  }
}
