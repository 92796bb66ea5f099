// swift-iap2 · Apache-2.0

import CaptureSupport
import Foundation
import IAP2
import Testing

@testable import IAP2Analysis
@testable import IAP2Capture

@Suite struct SequenceDiagramTests {
  private typealias Script = SessionScript

  private static func diagram(
    _ bytes: [UInt8], _ change: (inout SequenceDiagramOptions) -> Void = { _ in }
  ) -> SequenceDiagram {
    var options = SequenceDiagramOptions()
    change(&options)
    var analyzer = CaptureAnalyzer(sink: SequenceDiagramSink(options: options))
    analyzer.append(bytes)
    analyzer.finish()
    return analyzer.diagram
  }

  private static func steps(
    _ bytes: [UInt8], _ change: (inout SequenceDiagramOptions) -> Void = { _ in }
  ) throws -> [SequenceDiagram.Step] {
    let connections = diagram(bytes, change).connections
    #expect(connections.count == 1)
    return try #require(connections.first).steps
  }

  /// Returns the steps after the set-up of the link.
  private static func steps(
    of events: [Script.Event], secondsPerRecord: Double = 0.01,
    _ change: (inout SequenceDiagramOptions) -> Void = { _ in }
  ) throws -> [SequenceDiagram.Step] {
    var script = Script()
    script.events = events
    script.secondsPerRecord = secondsPerRecord
    return Array(try steps(script.capture, change).dropFirst(4))
  }

  // MARK: Steps

  @Test func everyMessageOfTheWorkedSessionIsAStepOnceInItsDirectionAndOrder() throws {
    // The comments of the capture name the message of each record.
    let text = String(decoding: try CaptureFiles.bytes("synthetic/worked-session.txt"), as: UTF8.self)
    let expected = text.split(separator: "\n").compactMap { line -> String? in
      guard let comment = line.firstMatch(of: /# ([0-9A-F]{4})$/) else { return nil }
      return "\(line.first == "A" ? "accessory" : "device") \(comment.1)"
    }
    let found = try Self.steps(Array(text.utf8)).compactMap { step -> String? in
      guard case .message(let message) = step.content else { return nil }
      return "\(step.from.rawValue) \(String(message.id, radix: 16, uppercase: true))"
    }
    #expect(expected.count == 10 && found == expected)
  }

  @Test(arguments: CaptureFiles.formats) func everyFormatGivesTheSameSteps(name: String) throws {
    func contents(_ name: String) throws -> [SequenceDiagram.Content] {
      // Some formats have comments, which are not part of the session.
      try Self.steps(try CaptureFiles.bytes(name)).map(\.content).filter {
        if case .comment = $0 { false } else { true }
      }
    }
    #expect(try contents("formats/\(name)") == contents("synthetic/worked-session.txt"))
  }

  @Test func phasesFollowTheProtocol() throws {
    var phases: [SequenceDiagram.Phase] = []
    for phase in try Self.steps(Script.plain.capture).compactMap(\.phase) where phase != phases.last {
      phases.append(phase)
    }
    #expect(phases == [.detect, .link, .authentication, .identification, .features, .link])
  }

  @Test func packetsAreHiddenUnlessRequested() throws {
    let capture = Script.plain.capture
    let connection = try #require(Self.diagram(capture).connections.first)
    let packets = try Self.steps(capture) { $0.showsPackets = true }.filter {
      if case .packet(_, .plain) = $0.content { true } else { false }
    }
    // The plain packets are the hidden ones and the RST, which is always a step.
    #expect(connection.hiddenPackets == 22 && packets.count == 23)
    #expect(connection.accessoryName == "Car" && connection.deviceName == nil)
  }

  @Test func damageAndRepeatedPacketsAreMarked() throws {
    let steps = try Self.steps(of: [
      .message(.device, Script.message(0xAA00)), .again, .noise(.accessory), .reset(.device),
    ])
    #expect(steps.count == 4)
    guard case .message(let message) = steps[0].content, case .packet(let again, .repeated) = steps[1].content,
      case .packet(let reset, .plain) = steps[2].content, case .damage(let text, _) = steps[3].content
    else { return #expect(Bool(false), "\(steps)") }
    #expect(message.id == 0xAA00 && again.sequence == SequenceNumber(1) && reset.control == .reset)
    // The run of damage is reported when it ends, as in `decode`.
    #expect(steps[3].from == .accessory && text == "bytes that are no packet: 3 bytes")
  }

  @Test func aDamagedPacketIsOneStepWithItsError() throws {
    let steps = try Self.steps(try CaptureFiles.bytes("synthetic/damaged.txt"))
    let damaged = steps.compactMap { step -> String? in
      if case .packet(_, .damaged(let text)) = step.content { text } else { nil }
    }
    #expect(damaged == ["payload checksum is wrong", "header checksum is wrong"])
    let wrong = steps.compactMap { step -> String? in
      if case .message(let message) = step.content { message.problems.first } else { nil }
    }
    #expect(wrong.count == 2 && wrong.allSatisfy { $0.hasPrefix("PowerUpdate: ") })
  }

  // MARK: Runs

  @Test func datagramsOfOneSessionAndDirectionAreOneStep() throws {
    let steps = try Self.steps(of: [
      .data(.device, session: 7, [1, 2, 3]), .data(.device, session: 7, [4]), .data(.device, session: 8, [5]),
      .data(.accessory, session: 8, [6]), .data(.accessory, session: 8, [7, 8]),
      .file(.device, 128, .firstData, [1, 2]), .file(.device, 128, .data, [3]), .file(.device, 129, .onlyData, [4]),
    ])
    let runs = steps.compactMap { step -> String? in
      switch step.content {
      case .externalAccessory(let session, _, let run):
        "\(step.from.rawValue) EA \(session) \(run.datagrams) \(run.byteCount) \(Hex.text(run.head))"
      case .fileData(let id, let run):
        "\(step.from.rawValue) file \(id) \(run.datagrams) \(run.byteCount) \(Hex.text(run.head))"
      default: nil
      }
    }
    #expect(
      runs == [
        "device EA 7 2 4 01020304", "device EA 8 1 1 05", "accessory EA 8 2 3 060708", "device file 128 2 3 010203",
        "device file 129 1 1 04",
      ])
    let first = try #require(steps.first)
    #expect(first.lastRecord == first.record + 1)
    #expect(abs((first.lastTime ?? 0) - (first.time ?? 0) - 0.01) < 1e-9)
  }

  @Test(arguments: [(0.19, 1), (0.21, 3)]) func silenceEndsARun(seconds: Double, count: Int) throws {
    let events = (0..<3).map { Script.Event.data(.device, session: 7, [UInt8($0)]) }
    #expect(try Self.steps(of: events, secondsPerRecord: seconds).count == count)
    #expect(try Self.steps(of: events, secondsPerRecord: seconds) { $0.pause = 1 }.count == 1)
  }

  @Test func retransmittedDetectAndSYNAreOneStep() throws {
    var script = Script.plain
    script.tries = 4
    let steps = try Self.steps(script.capture)
    #expect(steps.count == (try Self.steps(Script.plain.capture)).count)
    #expect(steps[0].content == .detect(count: 4) && steps[0].lastRecord == 4)
    guard case .synchronization(_, false, 4) = steps[2].content else { return #expect(Bool(false), "\(steps[2])") }
  }

  @Test func sessionsAreNamedByTheirProtocol() throws {
    let steps = try Self.steps(Script.plain.capture)
    let names = steps.compactMap { step -> String? in
      if case .externalAccessory(_, let name, _) = step.content { name } else { nil }
    }
    #expect(names == ["com.acme.a", "com.acme.a"])
  }

  // MARK: Limits

  @Test func stepsAboveTheLimitAreCountedAsIfDrawn() throws {
    let whole = try Self.steps(Script.plain.capture)
    for limit in 0...whole.count {
      let connection = try #require(
        Self.diagram(Script.plain.capture) { $0.limits.steps = limit }.connections.first)
      #expect(connection.steps == Array(whole.prefix(limit)))
      #expect(connection.leftOut == whole.count - limit)
      #expect(connection.firstLeftOutRecord == (limit < whole.count ? whole[limit].record : nil))
    }
    let runs = (0..<50).map { Script.Event.data($0 < 25 ? .device : .accessory, session: 7, [UInt8($0)]) }
    var script = Script()
    script.events = runs
    let cut = try #require(Self.diagram(script.capture) { $0.limits.steps = 4 }.connections.first)
    #expect(cut.leftOut == 2)
  }

  @Test func bytesOfMessagesAreKeptWhileThereIsRoom() throws {
    let events = (0..<4).map { _ in
      Script.Event.message(.accessory, Script.message(0xAA01, Script.parameter(0, [1, 2])))
    }
    let kept = try Self.steps(of: events) { $0.limits.messageByteCount = 25 }.map { step -> Bool in
      if case .message(let message) = step.content { message.bytes != nil && message.byteCount == 12 } else { false }
    }
    #expect(kept == [true, true, false, false])
  }

  @Test func allConnectionsOrOneAreDrawn() throws {
    var writer = CaptureWriter(.pcapng)
    var bytes = writer.header
    for (number, events) in [Script.plain.events, Array(Script.plain.events.dropLast(3))].enumerated() {
      var script = Script()
      script.events = events
      for line in script.capture.split(separator: 0x0A) {
        guard let (_, from, packet) = try TextRecords.parse(String(decoding: line, as: UTF8.self)[...].utf8) else {
          continue
        }
        bytes += writer.record(
          CaptureWriter.Record(nanoseconds: 0, from: from, connection: UInt16(number), bytes: packet))
      }
    }
    let both = Self.diagram(bytes)
    #expect(both.connections.map(\.number) == [1, 2])
    #expect(both.connections[0].steps.count == both.connections[1].steps.count + 3)
    #expect(Self.diagram(bytes) { $0.connection = 2 }.connections == [both.connections[1]])
    #expect(Self.diagram(bytes) { $0.connection = 3 }.connections.isEmpty)
  }

  @Test(arguments: ["usbmon.pcap", "rfcomm-h4.btsnoop", "tcp-raw.pcap", "dump-arrows.txt"])
  func damageDoesNotStopTheDiagram(name: String) throws {
    let bytes = try CaptureFiles.bytes("formats/\(name)")
    var state: UInt64 = 0x2545_F491_4F6C_DD1D
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for _ in 0..<60 {
      var damaged = bytes
      for _ in 0...random(8) { damaged[random(damaged.count)] = UInt8(random(256)) }
      let (few, all) = (Self.diagram(damaged) { $0.limits.steps = 7 }, Self.diagram(damaged))
      #expect(few.connections.map(\.flow) == all.connections.map(\.flow))
      for (cut, whole) in zip(few.connections, all.connections) {
        #expect(cut.steps.count + cut.leftOut == whole.steps.count && whole.leftOut == 0)
      }
    }
  }
}
