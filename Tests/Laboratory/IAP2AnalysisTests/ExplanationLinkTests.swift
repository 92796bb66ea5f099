// swift-iap2 · Apache-2.0

import IAP2
import Testing

@testable import IAP2Analysis
@testable import IAP2Capture

/// Rules of the link that one side breaks, and packets that only look so.
@Suite struct ExplanationLinkTests {
  /// Writes a capture with the acknowledgements that each test needs.
  private struct Records {
    private(set) var lines: [String] = []
    private var time = 0.0

    mutating func add(
      _ side: Side, _ control: LinkControl, _ sequence: UInt8, _ acknowledgement: UInt8, session: UInt8 = 0,
      _ payload: [UInt8] = []
    ) {
      var packet: [UInt8] = []
      LinkPacket.append(
        to: &packet, control: control, sequence: SequenceNumber(sequence),
        acknowledgement: SequenceNumber(acknowledgement), session: session, payload: payload.rawBytes)
      lines.append("\(time) \(side == .accessory ? "A>D" : "D>A") \(Hex.text(packet))")
      time += 0.01
    }

    /// Begins with an offer of the accessory and an answer of the device, whose numbers are 0 and 100.
    init(window: UInt8 = 2, length: UInt16 = 256) {
      var answer = LinkSynchronization.standard
      answer.maxOutstandingPackets = window
      answer.maxPacketLength = length
      add(.accessory, .synchronize, 0, 0, LinkSynchronization.standard.bytes)
      add(.device, [.synchronize, .acknowledge], 100, 0, answer.bytes)
      add(.accessory, .acknowledge, 0, 100)
      add(.device, .acknowledge, 101, 0, session: control, SessionScript.message(0xAA00))
    }

    let control = LinkSynchronization.standard.sessionID(of: .control) ?? 0

    func explanation() throws -> Explanation {
      try #require(ExplanationTests.explain(Array(lines.joined(separator: "\n").utf8)).first)
    }
  }

  private static let certificate = SessionScript.message(
    0xAA01, SessionScript.parameter(0, [0x30, 0x82, 0, 36] + Array(5...40)))

  /// Such a packet has no earlier time, from which the time until a retransmission could be counted.
  @Test func aPacketWithTheNumberOfTheOfferIsNoEarlyRetransmission() throws {
    var records = Records(window: 5)
    let request = SessionScript.message(0xAA00)
    for number in [101, 101, 101, 101, 100, 100] as [UInt8] {
      records.add(.device, .acknowledge, number, 0, session: records.control, request)
    }
    #expect(!(try records.explanation().point.isComplete))
  }

  @Test func packetsBeyondTheWindowAreCounted() throws {
    var records = Records()
    for number in UInt8(1)...3 {
      records.add(.accessory, .acknowledge, number, 101, session: records.control, Array(Self.certificate))
    }
    records.add(.device, .reset, 101, 0)
    let found = try records.explanation()
    #expect(found.point.id == "link-rule-broken" && found.turn.owner == .accessory)
    #expect(found.history.breach?.rule == .window(count: 3, limit: 2))
    #expect(found.causes.map(\.id) == ["window-exceeded"])
  }

  @Test func aFullWindowAndARetransmissionBreakNoRule() throws {
    var records = Records()
    for number in [1, 2, 2] as [UInt8] {
      records.add(.accessory, .acknowledge, number, 101, session: records.control, Self.certificate)
    }
    #expect(try records.explanation().history.breach == nil)
    // The acknowledgement of the first makes room for a third.
    records.add(.device, .acknowledge, 101, 1)
    records.add(.accessory, .acknowledge, 3, 101, session: records.control, Self.certificate)
    #expect(try records.explanation().history.breach == nil)
  }

  @Test(arguments: [256, 257]) func aPacketIsComparedWithTheLengthThatTheOtherSideTakes(byteCount: Int) throws {
    var records = Records()
    let value = [UInt8](repeating: 7, count: byteCount - 20)
    records.add(
      .accessory, .acknowledge, 1, 101, session: records.control,
      SessionScript.message(0xAA01, SessionScript.parameter(0, value)))
    records.add(.device, .reset, 101, 0)
    let breach = try records.explanation().history.breach
    #expect(breach?.rule == (byteCount == 256 ? nil : .packetLength(byteCount: 257, limit: 256)))
  }

  @Test func anOldNumberWithANewPayloadIsABreach() throws {
    var records = Records()
    records.add(.accessory, .acknowledge, 1, 101, session: records.control, Self.certificate)
    records.add(
      .device, .acknowledge, 102, 1, session: records.control,
      SessionScript.message(0xAA02, SessionScript.parameter(0, Array(1...32))))
    records.add(
      .accessory, .acknowledge, 1, 102, session: records.control,
      SessionScript.message(0xAA03, SessionScript.parameter(0, Array(1...64))))
    let found = try records.explanation()
    #expect(found.history.breach?.rule == .sequenceNumber(SequenceNumber(1)))
    #expect(found.turn.steps == [.message(0xAA03)])
  }

  /// Some accessories exceed the window by one (Reliability.md#window), and their sessions go on.
  @Test func aBreachAfterWhichTheOtherSideGoesOnIsNoCause() throws {
    var records = Records(window: 1)
    for number in UInt8(1)...2 {
      records.add(.accessory, .acknowledge, number, 101, session: records.control, Self.certificate)
    }
    #expect(try records.explanation().history.breach != nil)
    records.add(
      .device, .acknowledge, 102, 2, session: records.control,
      SessionScript.message(0xAA02, SessionScript.parameter(0, Array(1...32))))
    let found = try records.explanation()
    #expect(found.history.breach == nil && found.point.id == "challenge-unanswered")
  }

  /// A side that answers has received the question.
  @Test func aSideThatAnswersIsNotSilent() throws {
    var records = Records(window: 5)
    records.add(.accessory, .acknowledge, 1, 100, session: records.control, Self.certificate)
    for _ in 0..<31 {
      records.add(.device, .acknowledge, 101, 1, session: records.control, SessionScript.message(0xAA00))
    }
    records.add(.device, .reset, 101, 0)
    let found = try records.explanation()
    #expect(found.point.id == "gave-up" && found.turn.owner == .accessory && found.turn.steps == [.acknowledgement])
    #expect(found.causes.map(\.id) == ["does-not-acknowledge"])
  }

  @Test func aMessageThatIsLeftUnfinishedIsMeasured() throws {
    for isAcknowledged in [true, false] {
      var records = Records()
      var message = Self.certificate
      message[3] += 9
      records.add(.accessory, .acknowledge, 1, 101, session: records.control, message)
      if isAcknowledged { records.add(.device, .acknowledge, 101, 1) }
      let found = try records.explanation()
      // Without the acknowledgement the capture may have been stopped within the message.
      #expect(found.point.id == (isAcknowledged ? "message-unfinished" : "cut-off"))
      let unfinished = try #require(found.history.unfinished)
      #expect(unfinished.from == .accessory && unfinished.message.id == 0xAA01)
      #expect(unfinished.message.byteCount == unfinished.message.received + 9)
    }
  }
}
