// swift-iap2 · Apache-2.0

import CaptureSupport
import CarPlayCapture
import IAP2
import IAP2Analysis
import IAP2Capture
import Testing

/// Explanations of sessions with the peer in Python: right ones, and ones in which one side has a known fault.
@Suite struct ExplanationTests {
  /// A session with a fault of the peer, and what its explanation names.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let rule: String
    let key: String?
    let point: SessionExplanation.Point
    let stage: String

    init(
      _ name: String, _ rule: String, _ key: String? = nil, _ point: SessionExplanation.Point = .ruleBroken,
      at stage: String
    ) {
      (self.name, self.rule, self.key, self.point, self.stage) = (name, rule, key, point, stage)
    }

    var side: Side { name.hasPrefix("phone") ? .device : .accessory }
    var testDescription: String { name }
  }

  static let cases = [
    Case("headunit-silent-head-unit", "CRQ-01", nil, .unanswered, at: "verified"),
    Case("headunit-huge-answer", "CRQ-03", at: "verified"),
    Case("headunit-zero-server-key", "CPA-03", at: "verified"),
    Case("headunit-wrong-server-proof", "CPA-04", at: "verified"),
    Case("headunit-wrong-answer-tag", "CPA-05", at: "verified"),
    Case("headunit-wrong-auth-signature", "CAS-03", at: "setUp"),
    Case("headunit-wrong-server-verify-signature", "CPA-08", at: "verified"),
    Case("headunit-lying-auth-length", "CAS-02", at: "setUp"),
    Case("headunit-flipped-answer-frame", "CCH-01", at: "setUp"),
    Case("headunit-no-event-port", "CSU-06", "eventPort", at: "informed"),
    Case("headunit-empty-info", "CIN-01", "deviceID", at: "recording"),
    Case("headunit-no-screen-uuid", "CIN-03", "displays[0].uuid", at: "recording"),
    Case("headunit-lying-descriptor", "CIN-04", "hidDevices[0].hidDescriptor", at: "recording"),
    Case("headunit-wide-info", "CRQ-04", at: "informed"),
    Case("phone-early-setup", "CSU-01", at: "verified"),
    Case("phone-xml-plist", "CRQ-04", at: "setUp"),
    Case("phone-no-stream-id", "CST-03", "streams[0].streamConnectionID", .ruleIgnored, at: "live"),
    Case("phone-foreign-display", "CST-04", "streams[0].uuid", .ruleIgnored, at: "live"),
    Case("phone-only-unknown-type", "CST-02", "streams[0].type", .ruleIgnored, at: "live"),
    Case("phone-frame-first", "CSC-02", nil, .ruleIgnored, at: "live"),
    Case("phone-lying-buffered", "CSO-02", nil, .ruleIgnored, at: "live"),
    Case("phone-flipped-buffered", "CSO-02", nil, .ruleIgnored, at: "live"),
  ]

  private func bytes(_ name: String, _ ending: String) throws -> [UInt8] {
    try CaptureFiles.bytes("carplay/failures/\(name).\(ending)")
  }

  /// Returns the key log of a session; empty for one that ended before the sides agreed.
  private func keys(_ name: String) throws -> [UInt8] {
    let open: Set = ["headunit-silent-head-unit", "headunit-zero-server-key", "phone-early-setup"]
    return try open.contains(name) ? [] : bytes(name, "keys")
  }

  @Test("The rule that a side broke is named, with the side, the key and the step", arguments: cases)
  func broken(example: Case) throws {
    let found = try sessionExplanations(bytes(example.name, "pcap"), keys: keys(example.name))
    try #require(found.count == 1)
    let finding = try #require(found[0].finding)
    #expect(finding.id == example.rule)
    #expect(finding.side == example.side)
    #expect(finding.key == example.key)
    #expect(found[0].point == example.point)
    #expect(found[0].stage == example.stage)
  }

  @Test("A proof that the head unit refuses is a refusal, and nobody is blamed")
  func refused() throws {
    let found = try sessionExplanations(bytes("phone-wrong-proof", "pcap"))
    #expect(found.map(\.point) == [.refused])
    #expect(found[0].finding == nil && found[0].text.contains("authentication"))
  }

  @Test("Sessions of right peers are complete, and no needed rule is broken", arguments: Sample.allCases)
  func right(sample: Sample) throws {
    let found = try sessionExplanations(sample.bytes, keys: sample.keyLog)
    #expect(found.map(\.point) == [.complete])
    #expect(found[0].finding == nil)
    #expect(found[0].reached.last == "live")
    // The header of the peer's film has the size of the display.
    #expect(found[0].others.allSatisfy { $0.id == "CSC-06" })
  }

  @Test("Sound with wrong tags is told, and the session is complete")
  func wrongSound() throws {
    let found = try sessionExplanations(bytes("phone-flipped-audio", "pcap"), keys: keys("phone-flipped-audio"))
    #expect(found.map(\.point) == [.complete])
    #expect(found[0].others.contains { $0.id == "CSO-01" && $0.side == .device })
  }

  @Test("A head unit whose /info differs from what it advertises is told so")
  func advertised() throws {
    let bytes = try CaptureFiles.bytes("carplay/avahi.pcap")
    let found = try sessionExplanations(bytes, keys: CaptureFiles.bytes("carplay/avahi.keys"))
    #expect(found.map(\.point) == [.complete])
    #expect(found[0].others.map(\.id) == ["CDI-02"] && found[0].others[0].key == "features")
  }

  @Test("Without keys, the explanation asks for them", arguments: Sample.allCases)
  func sealed(sample: Sample) throws {
    let found = try sessionExplanations(sample.bytes)
    #expect(found.map(\.point) == [.sealed])
    #expect(found[0].text.contains("--key-log"))
  }

  @Test("A secret that opens neither side is doubted, and nobody is blamed")
  func wrongSecret() throws {
    for procedure in ["CARPLAY_PAIR_SETUP", "CARPLAY_PAIR_VERIFY"] {
      let text = String(decoding: try Sample.headUnit.keyLog, as: UTF8.self).split(separator: "\n").map { line in
        line.hasPrefix(procedure) ? String(line.dropLast(4)) + "0000" : String(line)
      }
      let found = try sessionExplanations(Sample.headUnit.bytes, keys: Array(text.joined(separator: "\n").utf8))
      #expect(found.count == 1)
      #expect(found.allSatisfy { $0.finding == nil }, "\(procedure): \(found[0].finding?.detail ?? "")")
      #expect(found[0].details.joined().contains("neither side") || found[0].text.contains("neither side"))
    }
  }

  @Test("A secret of auth-setup that does not fit is named", arguments: ["peer-phone-210", "peer-phone"])
  func wrongAuthSecret(name: String) throws {
    let text = String(decoding: try CaptureFiles.bytes("carplay/\(name).keys"), as: UTF8.self)
    let keys = text.split(separator: "\n").map { line in
      line.hasPrefix("CARPLAY_AUTH_SETUP") ? String(line.dropLast(4)) + "0000" : String(line)
    }
    let found = try sessionExplanations(
      CaptureFiles.bytes("carplay/\(name).pcap"), keys: Array(keys.joined(separator: "\n").utf8))
    try #require(found.count == 1)
    #expect(found[0].finding == nil && found[0].point == .complete, "\(found[0].finding?.detail ?? "")")
    #expect(found[0].others.allSatisfy { $0.id == "CSC-06" }, "\(found[0].others.map(\.detail))")
    #expect(found[0].details.contains { $0.contains("with the key log's secret of auth-setup the signature is wrong") })
  }

  @Test("The last frame that is damaged is no doubt about the key log", arguments: Sample.allCases)
  func damagedFrames(sample: Sample) throws {
    let (header, records) = BadCaptureTests.records(try sample.bytes)
    let keys = try sample.keyLog
    // Behind M4 of pair-verify, each record with data on the control connection has frames.
    let controls = records.indices.filter { place in
      guard place > 20, records[place].count > 16 + 66 else { return false }
      return [Array(records[place][50..<52]), Array(records[place][52..<54])].contains(Self.controlPort(records))
    }
    // No frame behind it shows that the other side took it.
    let last = { (isPhone: Bool) in
      controls.last { (Array(records[$0][52..<54]) == Self.controlPort(records)) == isPhone } ?? 0
    }
    let (one, other) = (last(true), last(false))
    // The head unit answers the last frame of the phone, so the capture is damaged.
    var some = records
    some[one][records[one].count - 1] ^= 1
    let accepted = sessionExplanations(header + some.flatMap(\.self), keys: keys)
    #expect(accepted.map(\.finding) == [nil] && accepted[0].text.contains("cannot be read any more"))
    for places in [[other], [one, other]] {
      var some = records
      for place in places { some[place][records[place].count - 1] ^= 1 }
      let found = sessionExplanations(header + some.flatMap(\.self), keys: keys)
      try #require(found.count == 1)
      let words = ([found[0].text] + found[0].details).joined(separator: "\n")
      #expect(!words.contains("key log") && !words.contains("another key"), "\(places): \(words)")
      #expect(found[0].finding == nil)
      #expect(words.contains(#/frame [1-9]\d*, at byte [1-9]\d* of the sealed ones, is damaged/#), "\(words)")
      #expect(found[0].text.contains("cannot be read any more"))
    }
  }

  /// The port of the head unit's control connection, the receiver of the first record.
  private static func controlPort(_ records: [[UInt8]]) -> [UInt8] { Array(records[0][52..<54]) }

  @Test("With the packets of one side alone, nobody is blamed", arguments: [true, false])
  func oneSided(keepsPhone: Bool) throws {
    let (header, records) = BadCaptureTests.records(try Sample.headUnit.bytes)
    // The port of the head unit's control connection is 7779; the packets are Ethernet and IPv4.
    let kept = records.filter { record in
      let ports = (UInt16(record[50]) << 8 | UInt16(record[51]), UInt16(record[52]) << 8 | UInt16(record[53]))
      return (ports.0 == 7779) != keepsPhone
    }
    let found = sessionExplanations(header + kept.flatMap(\.self), keys: try Sample.headUnit.keyLog)
    #expect(found.count == 1)
    for explanation in found {
      #expect(explanation.finding == nil, "\(explanation.finding?.detail ?? "")")
    }
  }

  @Test("Wherever a capture ends, nobody is blamed for what is missing")
  func cut() throws {
    let (bytes, keys) = try (Sample.headUnit.bytes, Sample.headUnit.keyLog)
    for end in stride(from: 0, to: bytes.count, by: 997) {
      for explanation in sessionExplanations(Array(bytes.prefix(end)), keys: keys) {
        #expect(explanation.finding == nil, "cut at \(end)")
      }
    }
  }

  @Test("Whatever packet is missing, nobody is blamed for what it had")
  func lost() throws {
    let keys = try Sample.headUnit.keyLog
    let (header, records) = BadCaptureTests.records(try Sample.headUnit.bytes)
    for index in stride(from: 0, to: records.count, by: 5) {
      var rest = records
      rest.remove(at: index)
      for explanation in sessionExplanations(header + rest.flatMap(\.self), keys: keys) {
        #expect(explanation.finding == nil, "without record \(index + 1): \(explanation.finding?.detail ?? "")")
      }
    }
  }
}
