// swift-iap2 · Apache-2.0

import IAP2
import Testing

@testable import IAP2Capture

/// The sides of connections whose capture begins in mid-session.
@Suite struct SideEvidenceTests {
  private typealias Kind = SideEvidence.Kind

  /// Returns the end that was read as the accessory, and the notices.
  private static func accessory(
    _ log: LinkLog, swapped: Bool = false, piece: Int = 1 << 20
  ) -> (end: Int?, notices: [CaptureNotice]) {
    let analyzer = LinkLog.read(log.bytes, swapped: swapped, piece: piece)
    let first = analyzer.sink.lines.first { $0.layer == "link" || $0.layer == "detect" }
    guard let first else { return (nil, analyzer.notices) }
    // The first packet of each log is of the end that its sequence number shows.
    let isEnd0: Bool =
      if case .link(let header, _, _) = first.content { (0x20..<0x60).contains(header.sequence.rawValue) } else { true }
    return ((first.from == .accessory) == isEnd0 ? 0 : 1, analyzer.notices)
  }

  private static func decided(_ notices: [CaptureNotice]) -> (kind: SideEvidence.Kind, confidence: Confidence?)? {
    guard case .decidedSides(_, _, let evidence)? = notices.first, notices.count == 1 else { return nil }
    return (evidence.kind, evidence.confidence)
  }

  private static func data(from end: Int) -> LinkLog {
    var log = LinkLog()
    for _ in 0..<4 { log.exchange(from: end) }
    return log
  }

  @Test(arguments: [0, 1]) func withoutEvidenceTheFirstSenderIsAGuess(end: Int) throws {
    let found = Self.accessory(Self.data(from: end))
    #expect(found.end == end)
    let decided = try #require(Self.decided(found.notices))
    #expect(decided.kind == .firstSender && decided.confidence == nil)
    let text = CaptureNoticeText.text(found.notices[0])
    #expect(text.contains("a guess") && text.contains("--swap"))
    // The user knows better, and needs no notice.
    let swapped = Self.accessory(Self.data(from: end), swapped: true)
    #expect(swapped.end == 1 - end && swapped.notices.isEmpty)
  }

  @Test(arguments: [0, 1], [0, 1]) func theNumbersOfPureACKsShowTheAccessory(accessory: Int, first: Int) throws {
    var log = LinkLog()
    log.exchange(from: first, usesNext: first != accessory)
    for _ in 0..<4 {
      log.exchange(from: accessory)
      log.exchange(from: 1 - accessory, usesNext: true)
    }
    let found = Self.accessory(log)
    #expect(found.end == accessory)
    let decided = try #require(Self.decided(found.notices))
    #expect(decided.kind == .acknowledgements && decided.confidence == .medium)
    #expect(CaptureNoticeText.text(found.notices[0]).contains("medium"))
  }

  @Test func acknowledgementsOfBothKindsShowNothing() throws {
    var log = LinkLog()
    for number in 0..<8 {
      log.exchange(from: 0, usesNext: number % 2 == 0)
      log.exchange(from: 1)
    }
    #expect(try #require(Self.decided(Self.accessory(log).notices)).kind == .firstSender)
  }

  /// The message is in two frames, after a piece of a packet whose beginning was not captured.
  @Test(arguments: [0, 1], [1, 1 << 20]) func aMessageInSeveralFramesIsProof(device: Int, piece: Int) {
    var log = Self.data(from: 0)
    let request = log.packet([0x40, 0x40, 0, 6, 0xAA, 0x00], end: device, session: 1)
    log.send([0xFF, 0xFF, 0x01] + request.prefix(11), end: device)
    log.send(Array(request.dropFirst(11)), end: device)
    let found = Self.accessory(log, piece: piece)
    #expect(found.end == 1 - device && found.notices.isEmpty)
  }

  /// The bytes that wait for proof are bounded, so the proof may come too late.
  @Test(arguments: [0, 1]) func aWrongDecisionIsCalledWrong(device: Int) throws {
    var log = LinkLog()
    log.exchange(from: 0)
    for _ in 0..<20 { log.send(log.packet([0, 1] + [UInt8](repeating: 7, count: 15_000), end: 0), end: 0) }
    #expect(try #require(Self.decided(Self.accessory(log).notices)).kind == .firstSender)
    log.send(log.packet([0x40, 0x40, 0, 6, 0xAA, 0x00], end: device, session: 1), end: device)
    let found = Self.accessory(log)
    #expect(found.end == 0)
    #expect(found.notices == (device == 1 ? [] : [.wrongSides(flow: 0, record: log.records)]))
    if let notice = found.notices.first { #expect(CaptureNoticeText.text(notice).contains("--swap")) }
  }

  @Test(arguments: [0, 1]) func theFirstDetectIsOfTheAccessory(end: Int) throws {
    var log = LinkLog()
    log.send(LinkScanner.detect, end: end)
    log.send(LinkScanner.detect, end: 1 - end)
    let analyzer = LinkLog.read(log.bytes)
    #expect(analyzer.sink.lines.map(\.from) == [.accessory, .device])
    let decided = try #require(Self.decided(analyzer.notices))
    #expect(decided.kind == .detect && decided.confidence == .high)
  }

  // MARK: Logs

  private static func text(_ lines: String...) -> CaptureAnalyzer<LineSink> {
    LinkLog.read(Array((lines.joined(separator: "\n") + "\n").utf8))
  }
  private static let detect = "ff 55 02 00 ee 10"

  private static func evidence(_ analyzer: CaptureAnalyzer<LineSink>) -> [SideEvidence] {
    analyzer.notices.compactMap { if case .decidedSides(_, _, let evidence) = $0 { evidence } else { nil } }
  }

  /// A program need not log all that it sends, so the first detect of its log is no proof.
  @Test func theFirstDetectOfALogIsNoStrongEvidence() throws {
    let analyzer = Self.text(
      "I (10231) SPP: ESP_SPP_DATA_IND_EVT len:6 handle:129", "I (10232) SPP: \(Self.detect)", "I (10241) SPP: write 6",
      "I (10242) SPP: \(Self.detect)")
    #expect(analyzer.sink.lines.map(\.content) == [.detect, .detect])
    #expect(Set(analyzer.sink.lines.map(\.from)) == [.accessory, .device])
    #expect(analyzer.sink.lines.map(\.time) == [10.232, 10.242])
    let evidence = Self.evidence(analyzer)
    #expect(evidence.map(\.kind) == [.loggedDetect] && evidence.map(\.confidence) == [.medium])
  }

  /// If the sender of the first detect is unknown, the second one shows nothing.
  @Test func aDetectBehindARecordWithoutASenderShowsNothing() throws {
    let analyzer = Self.text("before", Self.detect, "", "write", Self.detect)
    #expect(analyzer.sink.lines.count == 2)
    let evidence = Self.evidence(analyzer)
    #expect(evidence.map(\.kind) == [.firstSender] && evidence.map(\.confidence) == [nil])
    #expect(analyzer.notices.contains(.unstatedSenders(flow: 0, records: 1, guesses: 1)))
  }

  /// Records without a sender wait with the others, so the order of the log stays.
  @Test func recordsWithoutASenderKeepTheirPlace() {
    let analyzer = Self.text(
      "TX " + Self.detect, "", "ff 5a 00 10 40 65 2b 01 c6 40 40 00 06 aa 00 d0", "", "TX ff 5a 00 09 40 2b 65 00 ce")
    #expect(analyzer.sink.lines.map(\.record) == analyzer.sink.lines.map(\.record).sorted())
    let request = analyzer.sink.lines.first { $0.layer == "control" }
    #expect(request?.from == .device)
  }

  // MARK: Class of device

  private static let address: [UInt8] = [1, 2, 3, 4, 5, 6]
  private static let phone: [UInt8] = [0x0C, 0x02, 0x7A]
  private static let carAudio: [UInt8] = [0x20, 0x04, 0x20]

  /// The events that show the class of a peer: a call, or an answer to an inquiry.
  private static func events(_ kind: UInt8, _ deviceClass: [UInt8]) -> (code: UInt8, parameters: [UInt8]) {
    switch kind {
    case 0x04: (kind, address + deviceClass + [1])
    case 0x02: (kind, [1] + address + [1, 0, 0] + deviceClass + [0, 0])
    default: (kind, [1] + address + [1, 0] + deviceClass + [0, 0, 0xC8])
    }
  }

  @Test(arguments: [0x04, 0x02, 0x22, 0x2F] as [UInt8], [0, 1]) func theClassOfThePeerShowsItsSide(
    kind: UInt8, first: Int
  ) throws {
    for (deviceClass, accessory) in [(Self.phone, 0), (Self.carAudio, 1)] {
      var log = LinkLog()
      let event = Self.events(kind, deviceClass)
      log.event(event.code, event.parameters)
      log.event(0x03, [0, 0x2A, 0x00] + Self.address + [1, 0])
      for _ in 0..<3 { log.exchange(from: first) }
      let found = Self.accessory(log)
      #expect(found.end == accessory)
      let decided = try #require(Self.decided(found.notices))
      #expect(decided.kind == .deviceClass && decided.confidence == .medium)
    }
  }

  @Test func theClassOfAnotherPeerShowsNothing() throws {
    var log = LinkLog()
    log.event(0x04, Self.address + Self.phone + [1])
    log.event(0x03, [0, 0x2B, 0x00] + Self.address + [1, 0])
    for _ in 0..<3 { log.exchange(from: 1) }
    #expect(try #require(Self.decided(Self.accessory(log).notices)).kind == .firstSender)
    // Events that are cut off are ignored.
    let whole = [Self.events(0x04, Self.phone), Self.events(0x2F, Self.phone), Self.events(0x02, Self.phone)]
    for (code, parameters) in whole + [(0x03, [0, 0x2A, 0x00] + Self.address)] {
      for count in 0..<parameters.count {
        var classes = PeerClasses()
        let event = [code, UInt8(count)] + parameters.prefix(count)
        classes.take(event.rawBytes, adapter: 0)
        #expect(classes.evidence(adapter: 0, handle: 0x2A) == nil)
      }
    }
  }
}
