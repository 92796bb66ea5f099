// swift-iap2 · Apache-2.0

import CaptureSupport
import IAP2
import Testing

@testable import IAP2Analysis
@testable import IAP2Capture

/// Tests of the state that a diagram keeps between steps, and of findings before iAP2 was found.
@Suite struct SequenceDiagramStateTests {
  private typealias Script = SessionScript

  private static func sink(
    _ bytes: [UInt8], filter: String? = nil, connection: Int? = nil
  ) throws -> SequenceDiagramSink {
    var options = SequenceDiagramOptions()
    options.filter = try filter.map { try FindingFilter(parsing: $0) }
    options.connection = connection
    var analyzer = CaptureAnalyzer(sink: SequenceDiagramSink(options: options))
    analyzer.append(bytes)
    analyzer.finish()
    return analyzer.sink
  }

  private static func protocols(_ events: [Script.Event]) throws -> [String?] {
    var script = Script()
    script.events = events
    return try sink(script.capture).diagram.connections.flatMap(\.steps).compactMap { step -> String?? in
      if case .externalAccessory(_, let name, _) = step.content { .some(name) } else { nil }
    }
  }

  // MARK: Filter

  @Test func aFilterDoesNotChangeTheTextOfMatchingSteps() throws {
    let whole = try #require(Self.sink(Script.plain.capture).diagram.connections.first)
    let isAnswer = try #require(Self.sink(Script.plain.capture, filter: "synchronization").diagram.connections.first)
      .steps.map { step -> Bool? in
        if case .synchronization(_, let isAnswer, _) = step.content { isAnswer } else { nil }
      }
    #expect(isAnswer == [false, true])

    let data = try #require(Self.sink(Script.plain.capture, filter: "externalAccessory").diagram.connections.first)
    #expect(data.accessoryName == "Car" && data.steps.count == 2)
    #expect(data.steps.allSatisfy { whole.steps.contains($0) })

    // The names are from messages before the first step that matches.
    let start = try #require(data.steps.first?.time)
    let late = try #require(Self.sink(Script.plain.capture, filter: "time >= \(start)").diagram.connections.first)
    let expected = whole.steps.filter { ($0.time ?? 0) >= start }
    #expect(late.steps == expected && late.accessoryName == "Car" && expected.count < whole.steps.count)
    #expect(late.hiddenPackets < whole.hiddenPackets)
  }

  @Test func errorsOfAPacketAreReportedWithAnyFilter() throws {
    let file = try CaptureFiles.bytes("synthetic/damaged.txt")
    let texts = try Self.sink(file, filter: "payloadChecksum = invalid or headerChecksum = invalid").diagram.connections
      .flatMap(\.steps).map { step in
        if case .packet(_, .damaged(let text)) = step.content { text } else { "no packet" }
      }
    #expect(texts == ["payload checksum is wrong", "header checksum is wrong"])
  }

  @Test func aConnectionWithoutMatchingFindingsIsNotDrawn() throws {
    let sink = try Self.sink(Script.plain.capture, filter: "StartHID")
    #expect(sink.diagram.connections.isEmpty && sink.connectionNumbers == [1])
  }

  // MARK: Names

  @Test func aSessionHasTheProtocolItWasLastOpenedWith() throws {
    func start(_ id: UInt8, _ session: UInt16) -> Script.Event {
      .message(
        .device, Script.message(0xEA00, Script.parameter(0, [id]), Script.parameter(1, session.bigEndianBytes)))
    }
    func stop(_ session: UInt16) -> Script.Event {
      .message(.device, Script.message(0xEA01, Script.parameter(0, session.bigEndianBytes)))
    }
    func data(_ session: UInt16) -> Script.Event { .data(.device, session: session, [1]) }
    let identified = Script.Event.message(.accessory, Script.identification())

    #expect(
      try Self.protocols([identified, start(1, 7), data(7), stop(7), data(7), start(2, 7), data(7)])
        == ["com.acme.a", nil, "com.acme.b"])
    // The session is opened again without a close, then with a protocol id that the identification does not have.
    #expect(
      try Self.protocols([identified, start(1, 7), data(7), start(2, 7), data(7), start(9, 7), data(7)])
        == ["com.acme.a", "com.acme.b", nil])
    // There are more sessions than are remembered: known ids stay, and closed ones make room.
    let many = (0..<300).map { start(1, UInt16($0)) }
    #expect(
      try Self.protocols([identified] + many + [data(299), start(2, 5), data(5), stop(6), start(2, 299), data(299)])
        == [nil, "com.acme.b", "com.acme.b"])
  }

  // MARK: Before iAP2

  /// Returns a diagram of a connection with damage, one record each, before its first iAP2.
  private static func late(
    damage: Int, flow: Int, _ change: (inout SequenceDiagramOptions) -> Void = { _ in }
  ) -> SequenceDiagram {
    var options = SequenceDiagramOptions()
    change(&options)
    var sink = SequenceDiagramSink(options: options)
    func place(_ record: Int) -> DecodedPlace {
      DecodedPlace(record: record, time: nil, from: .accessory, flow: flow)
    }
    for record in 1...damage { sink.error("damage", offset: record, at: place(record)) }
    #expect(sink.diagram.connections.isEmpty)
    sink.detect(at: place(damage + 1))
    return sink.diagram
  }

  @Test func damageBeforeTheFirstFindingBelongsToItsConnection() throws {
    let few = Self.late(damage: 3, flow: 1)
    #expect(few.placelessDamage == 0 && few.connections.map(\.number) == [2])
    #expect(few.connections[0].steps.map(\.record) == [1, 2, 3, 4])

    let many = Self.late(damage: 70, flow: 1)
    let steps = try #require(many.connections.first).steps
    #expect(many.placelessDamage == 0 && steps.count == 66)
    #expect(steps[64].content == .damage("6 more errors before iAP2 was found", offset: 65))
    #expect(steps[64].record == 65 && steps[64].lastRecord == 70 && steps[65].content == .detect(count: 1))
  }

  @Test func theFirstOmittedStepStaysTheFirst() throws {
    let connection = try #require(Self.late(damage: 10, flow: 0) { $0.limits.steps = 3 }.connections.first)
    #expect(connection.steps.count == 3 && connection.leftOut == 8 && connection.firstLeftOutRecord == 4)
  }

  @Test func damageOfAnUnselectedConnectionIsNotReported() throws {
    let diagram = Self.late(damage: 70, flow: 1) { $0.connection = 1 }
    #expect(diagram.connections.isEmpty && diagram.placelessDamage == 0)
  }

  // MARK: Numbers and comments

  /// Returns a capture in which each part is a connection; nil is one without iAP2.
  private static func capture(_ parts: [[Script.Event]?]) throws -> [UInt8] {
    var writer = CaptureWriter(.pcapng)
    var bytes = writer.header
    for (number, events) in parts.enumerated() {
      func add(_ from: Side, _ packet: [UInt8], comment: String? = nil) {
        bytes += writer.record(
          CaptureWriter.Record(
            nanoseconds: 0, from: from, connection: UInt16(number), bytes: packet, comment: comment))
      }
      guard let events else {
        add(.accessory, Array("GET / HTTP/1.1".utf8), comment: "no iAP2")
        continue
      }
      var script = Script()
      script.events = events
      add(.device, [], comment: "begins")
      for line in script.capture.split(separator: 0x0A) {
        if let (_, from, packet) = try TextRecords.parse(String(decoding: line, as: UTF8.self)[...].utf8) {
          add(from, packet)
        }
      }
      add(.device, [], comment: String(repeating: "e", count: 5000))
    }
    return bytes
  }

  @Test func connectionsHaveTheNumbersThatDecodeShows() throws {
    let bytes = try Self.capture([nil, Script.plain.events, Script.plain.events])
    let sink = try Self.sink(bytes)
    #expect(sink.connectionNumbers == [2, 3] && sink.diagram.connections.map(\.number) == [2, 3])
    #expect(try Self.sink(bytes, connection: 3).diagram.connections == [sink.diagram.connections[1]])
    #expect(try Self.sink(bytes, connection: 1).diagram.connections.isEmpty)
    let filtered = try Self.sink(bytes, filter: "connection = 3").diagram.connections
    #expect(filtered == [sink.diagram.connections[1]])
  }

  @Test func commentsAreStepsOfTheirConnection() throws {
    let diagram = try Self.sink(Self.capture([nil, Script.plain.events])).diagram
    let steps = try #require(diagram.connections.first).steps
    #expect(diagram.connections.count == 1)
    #expect(steps.first?.content == .comment("begins") && steps.first?.from == .device)
    #expect(steps.last?.content == .comment(String(repeating: "e", count: 1000)))
    #expect(steps.count == 2 + (try #require(Self.sink(Script.plain.capture).diagram.connections.first)).steps.count)
  }
}
