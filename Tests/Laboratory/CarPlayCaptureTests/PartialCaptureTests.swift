// swift-iap2 · Apache-2.0

import CaptureSupport
import CarPlayCapture
import CarPlaySession
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

  // MARK: Connections that are missing

  @Test("With a filter of one port, the capture is blamed for the event connection", arguments: Sample.allCases)
  func portFilter(sample: Sample) throws {
    let (header, packets) = try Self.packets(sample)
    let port = Self.controlPort(packets)
    let kept = packets.filter { $0.isUDP || $0.ports.contains(port) }
    try #require(kept.count < packets.count)
    let found = try sessionExplanations(header + kept.flatMap(\.record), keys: sample.keyLog)
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
    let found = try sessionExplanations(
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
    let found = sessionExplanations(bytes)
    try #require(found.count == 1)
    #expect(found[0].others.contains { $0.id == "CEV-02" })
    // Without the name of the program, the file may have any filter.
    let place = try #require(bytes.firstRange(of: Array("swift-iap2".utf8)))
    bytes.replaceSubrange(place, with: Array("other-iap2".utf8))
    #expect(sessionExplanations(bytes)[0].details.contains { $0.contains("event connection") })
  }

  /// The place of the SYN of each TCP connection, the control connection first.
  private static func beginnings(_ packets: [Packet]) -> [Int] {
    packets.indices.filter { !packets[$0].isUDP && packets[$0].record[63] == 2 }
  }

  @Test("Without the answer to its SYN, the event connection is not refused", arguments: Sample.allCases)
  func lostHandshake(sample: Sample) throws {
    let (header, packets) = try Self.packets(sample)
    let first = Self.beginnings(packets)[1]
    let ports = packets[first].ports
    let handshake = packets.indices.filter { place in
      place > first && packets[place].data.isEmpty && !packets[place].isUDP
        && Set(packets[place].ports) == Set(ports)
    }
    let lacking = packets.indices.filter { !handshake.prefix(2).contains($0) }
    let silent = packets.indices.filter { $0 == first || Set(packets[$0].ports) != Set(ports) }
    // An answer that does not come for seconds is missing.
    var asked = packets[first].record
    asked[0] -= 10
    let records = packets.indices.map { $0 == first ? asked : packets[$0].record }
    let bare = packets.indices.filter { $0 != first && $0 != handshake.first }
    for kept in [lacking, silent, bare] {
      let found = try sessionExplanations(header + kept.flatMap { records[$0] }, keys: sample.keyLog)
      try #require(found.count == 1)
      #expect(found[0].point == .complete && found[0].finding == nil, "\(found[0].finding?.detail ?? found[0].text)")
      #expect(!found[0].others.contains { $0.id.hasPrefix("CEV") })
    }
    // A phone sends SYN again if no answer comes.
    let again = silent.flatMap { $0 == first ? [asked, asked] : [records[$0]] }
    let found = try sessionExplanations(header + again.flatMap(\.self), keys: sample.keyLog)
    #expect(found[0].finding?.id == "CEV-01")
  }

  @Test("An event connection of which only the end was captured is no missing one", arguments: Sample.allCases)
  func lateEvents(sample: Sample) throws {
    let (header, packets) = try Self.packets(sample)
    let ports = Set(packets[Self.beginnings(packets)[1]].ports)
    let end = try #require(
      packets.indices.first {
        !packets[$0].isUDP && packets[$0].ports.contains(Self.controlPort(packets)) && packets[$0].record[63] & 1 != 0
      })
    let kept = packets.indices.filter { Set(packets[$0].ports) != ports || $0 > end }
    try #require(kept.contains { Set(packets[$0].ports) == ports })
    let found = try sessionExplanations(header + kept.flatMap { packets[$0].record }, keys: sample.keyLog)
    #expect(found.map(\.point) == [.complete])
    #expect(found[0].finding == nil && !found[0].others.contains { $0.id.hasPrefix("CEV") })
    // Without any packet of it, the phone is blamed: the capture has the other connections.
    let without = packets.filter { Set($0.ports) != ports }
    let blamed = try sessionExplanations(header + without.flatMap(\.record), keys: sample.keyLog)
    #expect(blamed[0].others.contains { $0.id == "CEV-02" } || blamed[0].finding?.id == "CEV-02")
  }

  @Test("A screen whose first packets are missing is not judged", arguments: Sample.allCases, [true, false])
  func lostScreenBeginning(sample: Sample, hasAcceptance: Bool) throws {
    let (header, packets) = try Self.packets(sample)
    // The connection with the most bytes is that of the screen.
    let sizes = Self.beginnings(packets).map { first in
      (first, packets.filter { Set($0.ports) == Set(packets[first].ports) }.reduce(0) { $0 + $1.data.count })
    }
    let first = try #require(sizes.dropFirst().max { $0.1 < $1.1 }).0
    let own = packets.indices.filter { $0 >= first && Set(packets[$0].ports) == Set(packets[first].ports) }
    let data = try #require(own.first { !packets[$0].data.isEmpty })
    let lost = own.filter { $0 <= data && !(hasAcceptance && packets[$0].record[63] == 0x12) }
    let kept = packets.indices.filter { !lost.contains($0) }
    let found = try sessionExplanations(header + kept.flatMap { packets[$0].record }, keys: sample.keyLog)
    try #require(found.count == 1)
    #expect(found[0].point == .complete && found[0].finding == nil, "\(found[0].finding?.detail ?? found[0].text)")
    #expect(found[0].others.allSatisfy { !$0.id.hasPrefix("CSC") || $0.id == "CSC-06" })
  }

  @Test("With a filter of the ports of control and screen, nobody is blamed", arguments: Sample.allCases)
  func controlAndScreen(sample: Sample) throws {
    let (header, packets) = try Self.packets(sample)
    let beginnings = Self.beginnings(packets)
    try #require(beginnings.count > 2)
    let ports = [packets[beginnings[0]].ports[1], packets[beginnings[2]].ports[1]]
    let kept = packets.filter { !$0.isUDP && !Set($0.ports).isDisjoint(with: ports) }
    let found = try sessionExplanations(header + kept.flatMap(\.record), keys: sample.keyLog)
    try #require(found.count == 1)
    #expect(found[0].point == .complete && !found[0].others.contains { $0.id == "CEV-02" })
    #expect(found[0].details.contains { $0.contains("nor a datagram") })
  }

  // MARK: Pair-verify that is missing

  /// The findings of packets.
  private static func findings(_ header: [UInt8], _ packets: some Sequence<Packet>, _ sample: Sample) throws
    -> [SessionFinding]
  {
    try lines(header + packets.flatMap(\.record), keys: sample.keyLog).findings
  }

  private static func requests(_ findings: [SessionFinding]) -> [String] {
    findings.filter { $0.layer == .request && !$0.text.contains("/pair-") }.map(\.text)
  }

  @Test("Without a message of pair-verify, the secret is found by what it opens", arguments: Sample.allCases, 0..<4)
  func verifyMessage(sample: Sample, missing: Int) throws {
    let (header, packets) = try Self.packets(sample)
    let first = try #require(packets.firstIndex { Array($0.data).firstRange(of: Array("/pair-verify".utf8)) != nil })
    let controls = packets.indices.filter {
      $0 >= first && !packets[$0].data.isEmpty && packets[$0].ports.contains(Self.controlPort(packets))
    }
    let kept = packets.indices.filter { $0 != controls[missing] }.map { packets[$0] }
    let found = try Self.findings(header, kept, sample)
    #expect(try Self.requests(found) == Self.requests(Self.findings(header, packets, sample)))
    #expect(!found.contains { $0.text.contains("no key log has the secret") })
    let explained = try sessionExplanations(header + kept.flatMap(\.record), keys: sample.keyLog)
    #expect(explained.map(\.point) == [.complete] && explained[0].finding == nil)
  }

  @Test("Without M1 and M3, the secrets are tried on frames", arguments: Sample.allCases)
  func verifyRequests(sample: Sample) throws {
    let (header, packets) = try Self.packets(sample)
    let kept = packets.filter { Array($0.data).firstRange(of: Array("/pair-verify".utf8)) == nil }
    let found = try Self.findings(header, kept, sample)
    #expect(try Self.requests(found) == Self.requests(Self.findings(header, packets, sample)))
    #expect(found.contains { $0.text.contains("M1 of pair-verify") })
  }

  // MARK: A beginning that is missing

  @Test("A session is opened wherever the capture begins", arguments: Sample.allCases, [20, 30, 40, 60])
  func late(sample: Sample, start: Int) throws {
    let (header, packets) = try Self.packets(sample)
    let found = try Self.findings(header, packets.dropFirst(start), sample)
    let whole = try Self.requests(Self.findings(header, packets, sample))
    // The meaning of an input report is in the answer to /info.
    let names = { (requests: [String]) in requests.map { $0.replacing(#/, (touch|press).*/#, with: "") }
    }
    let late = Self.requests(found)
    #expect(!late.isEmpty && names(Array(whole.suffix(late.count))) == names(late))
    let problems = found.filter { $0.layer == .problem }.map(\.text)
    #expect(problems.count { $0.contains("the beginning of the session was not captured") } == 1, "\(problems)")
    let explained = try sessionExplanations(
      header + packets.dropFirst(start).flatMap(\.record), keys: sample.keyLog)
    #expect(explained.count == 1 && explained.allSatisfy { $0.point == .complete && $0.finding == nil })
  }

  private static func notices(_ bytes: [UInt8], keys: [UInt8] = []) -> [CaptureNotice] {
    var secrets = SessionSecrets()
    secrets.add(keys)
    var options = CaptureAnalyzerOptions()
    options.sessions = CarPlaySessions(secrets)
    var analyzer = CaptureAnalyzer(options: options, sink: LineSink())
    analyzer.append(bytes)
    analyzer.finish()
    return analyzer.notices.filter { if case .lateSession = $0 { true } else { false } }
  }

  @Test("Without keys, a connection of sealed frames is named, and no other is", arguments: Sample.allCases)
  func lateWithoutKeys(sample: Sample) throws {
    let (header, packets) = try Self.packets(sample)
    let late = header + packets.dropFirst(20).flatMap(\.record)
    // The capture has the beginning of the event connection.
    #expect(Self.notices(late).count == 1)
    #expect(Self.notices(try sample.bytes).isEmpty)
    #expect(Self.notices(try CaptureFiles.bytes("sessions/tcp.pcapng")).isEmpty)
    // Other bytes in the same packets, as those of TLS.
    var others = Array(packets.dropFirst(20).map(\.record))
    for place in others.indices where packets[20 + place].data.count > 2 {
      let start = others[place].count - packets[20 + place].data.count
      others[place].replaceSubrange(start..<start + 3, with: [0x17, 3, 3])
    }
    #expect(Self.notices(header + others.flatMap(\.self)).isEmpty)
  }

  // MARK: Damaged and missing frames

  @Test("Messages behind a damaged frame are read, and nobody is blamed", arguments: Sample.allCases)
  func damagedFrames(sample: Sample) throws {
    let (header, packets) = try Self.packets(sample)
    let whole = try Self.requests(Self.findings(header, packets, sample))
    let controls = packets.indices.filter {
      $0 > 20 && !packets[$0].data.isEmpty && packets[$0].ports.contains(Self.controlPort(packets))
    }
    // The last frames of a side have none behind them that shows who is right.
    for place in controls.dropLast(6) {
      var records = packets.map(\.record)
      records[place][records[place].count - 1] ^= 1
      let bytes = header + records.flatMap(\.self)
      let found = try lines(bytes, keys: sample.keyLog).findings
      #expect(Self.requests(found).count >= whole.count - 2, "record \(place + 1)")
      #expect(found.count { $0.text.contains("is damaged") } == 1, "record \(place + 1)")
      #expect(found.count { $0.text.contains("not read before it: 1 frame, ") } == 1, "record \(place + 1)")
      let explained = try sessionExplanations(bytes, keys: sample.keyLog)
      #expect(explained.map(\.finding) == [nil], "record \(place + 1): \(explained[0].finding?.detail ?? "")")
      #expect(explained[0].others.allSatisfy { $0.id == "CSC-06" }, "record \(place + 1)")
    }
  }

  @Test("Messages behind lost packets are read, and nobody is blamed", arguments: Sample.allCases, [1, 3])
  func lostPackets(sample: Sample, count: Int) throws {
    let (header, packets) = try Self.packets(sample)
    let whole = try Self.requests(Self.findings(header, packets, sample))
    for place in stride(from: 21, to: packets.count - 20, by: 7) {
      let kept = packets[..<place] + packets[(place + count)...]
      let found = try Self.findings(header, kept, sample)
      #expect(Self.requests(found).count >= whole.count - count, "record \(place + 1)")
      let explained = try sessionExplanations(header + kept.flatMap(\.record), keys: sample.keyLog)
      #expect(explained.map(\.finding) == [nil], "record \(place + 1): \(explained[0].finding?.detail ?? "")")
      #expect(
        explained[0].others.allSatisfy { $0.id == "CSC-06" },
        "record \(place + 1): \(explained[0].others.map(\.detail))")
    }
  }

  // MARK: The end

  /// The network is lost, or the head unit hangs with one request: behind a request that is not answered, datagrams come
  /// from the phone alone, or also from the head unit.
  @Test("A head unit of which nothing comes any more is not blamed for its last answer")
  func lostNetwork() throws {
    let sample = Sample.headUnit
    let (header, packets) = try Self.packets(sample)
    let port = Self.controlPort(packets)
    let requests = packets.indices.filter { packets[$0].ports[1] == port && !packets[$0].data.isEmpty }
    // Not TEARDOWN, which comes last.
    let asked = requests[requests.count - 2]
    let datagrams = packets[..<asked].filter(\.isUDP)
    let one = try #require(datagrams.last)
    let other = try #require(datagrams.last { $0.ports == one.ports.reversed() })
    func found(_ later: [Packet]) throws -> SessionExplanation {
      // Ten seconds later.
      let records = later.map { [$0.record[0] &+ 10] + $0.record.dropFirst() }
      let kept = packets[...asked].flatMap(\.record) + records.flatMap(\.self)
      return try #require(try sessionExplanations(header + kept, keys: sample.keyLog).first)
    }
    let alone = try [one, other].map { try found([$0]) }
    #expect(Set(alone.map(\.point)) == [.silent, .unanswered], "\(alone.map(\.text))")
    let silent = try #require(alone.first { $0.point == .silent })
    #expect(silent.finding == nil && silent.turn == nil && silent.text.contains("nothing of the head unit came"))
    let both = try found([one, other])
    #expect(both.point == .unanswered && both.finding?.id == "CRQ-01")
  }

  /// The phone waits for the answer to TEARDOWN, or it does not.
  @Test("A head unit that is silent to TEARDOWN is named", arguments: [(2000, true), (10, false)])
  func silentTearDown(milliseconds: Int, isBlamed: Bool) throws {
    var capture = BuiltCapture()
    var connection = capture.connect(2, to: 1, port: 7000)
    let feedback = RequestMessage(
      .request(method: "POST", path: "/feedback", protocolWord: "RTSP/1.0"), headers: RequestHeaders([("CSeq", "1")]),
      body: [])
    capture.send(feedback.bytes, on: &connection, isClient: true)
    capture.send(feedback.answer(200).bytes, on: &connection, isClient: false)
    let end = RequestMessage(
      .request(method: "TEARDOWN", path: "rtsp://carplay/1", protocolWord: "RTSP/1.0"),
      headers: RequestHeaders([("CSeq", "2")]), body: [])
    capture.send(end.bytes, on: &connection, isClient: true)
    capture.time += milliseconds
    capture.end(connection, byClient: true)
    let found = try #require(sessionExplanations(capture.bytes).first)
    #expect(found.point == (isBlamed ? .unanswered : .closed), "\(found.point): \(found.text) \(found.details)")
    #expect(found.finding?.id == (isBlamed ? "CRQ-01" : nil))
    #expect(found.text.contains("TEARDOWN") && !found.text.contains("without TEARDOWN"), "\(found.text)")
  }
}
