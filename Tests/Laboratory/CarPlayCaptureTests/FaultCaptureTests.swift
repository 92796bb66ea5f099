// swift-iap2 · Apache-2.0

import CaptureSupport
import CarPlayCapture
import CarPlaySession
import CarPlaySimulation
import IAP2
import IAP2Capture
import Testing

/// Faults in captures that a test builds: what only the packets show, and what only the key log of a side shows.
@Suite struct FaultCaptureTests {
  /// A capture of a session, and its control connection.
  private struct Course {
    var capture = BuiltCapture()
    var control: BuiltCapture.Connection
    private var sequence = 0

    init() { control = capture.connect(2, to: 1, port: 7000) }

    /// Exchanges a request and its answer.
    mutating func exchange(
      _ method: String, path: String = "rtsp://carplay/1", type: String = "application/x-apple-binary-plist",
      _ body: [UInt8] = [], answer: [UInt8] = []
    ) {
      sequence += 1
      let headers = [("CSeq", "\(sequence)")] + (body.isEmpty ? [] : [("Content-Type", type)])
      let request = RequestMessage(
        .request(method: method, path: path, protocolWord: "RTSP/1.0"), headers: RequestHeaders(headers), body: body)
      capture.send(request.bytes, on: &control, isClient: true)
      capture.send(
        request.answer(200, headers: answer.isEmpty ? [] : [("Content-Type", type)], body: answer).bytes, on: &control,
        isClient: false)
      capture.time += 10
    }

    /// Authenticates and sets the session up, as a phone that does not pair.
    mutating func begin() {
      let key = [UInt8](repeating: 9, count: 32)
      let answer = key + [0, 0, 0, 2, 0x30, 0, 0, 0, 0, 1, 7]
      exchange("POST", path: "/auth-setup", type: "application/octet-stream", [1] + key, answer: answer)
      let block = PropertyValue.data([UInt8](repeating: 1, count: 16))
      setUp(["sessionUUID": "A", "et": 16, "ekey": block, "eiv": block], ["eventPort": 7001])
    }

    mutating func setUp(_ body: PropertyValue, _ answer: PropertyValue) {
      exchange("SETUP", body.binary, answer: answer.binary)
    }
  }

  // MARK: A screen that is not read

  /// A message of a screen without a body.
  private static let heartbeat: [UInt8] = [0, 0, 0, 0, 2] + [UInt8](repeating: 0, count: 123)

  /// Returns a session whose head unit reads no screen for a time, in the clear.
  private func unread(milliseconds: Int, opensAgain: Bool = false) -> Course {
    var course = Course()
    course.begin()
    let events = course.capture.connect(2, to: 1, port: 7001)
    course.capture.acknowledge(events, window: 0xFFFF)
    course.exchange("RECORD")
    course.setUp(
      ["streams": [["type": 110, "streamConnectionID": 7]]], ["streams": [["type": 110, "dataPort": 7002]]])
    var screen = course.capture.connect(2, to: 1, port: 7002)
    course.capture.send(Self.heartbeat, on: &screen, isClient: true)
    course.capture.acknowledge(screen, window: 0)
    if opensAgain {
      course.capture.time += milliseconds / 2
      course.capture.acknowledge(screen, window: 0x100)
      course.capture.acknowledge(screen, window: 0)
      course.capture.time += milliseconds / 2
    } else {
      course.capture.time += milliseconds
    }
    course.capture.acknowledge(screen, window: 0)
    course.capture.end(course.control, byClient: true)
    return course
  }

  @Test("A window of 0 on the connection of a screen is the rule of the head unit that reads no video")
  func window() throws {
    let found = sessionExplanations(unread(milliseconds: 4000).capture.bytes)
    let finding = try #require(found.first?.finding)
    #expect(finding.id == "CSC-54" && finding.side == .accessory && finding.detail.contains("window is 0 for 4"))
    for course in [unread(milliseconds: 1000), unread(milliseconds: 4000, opensAgain: true)] {
      let found = sessionExplanations(course.capture.bytes)
      #expect(found.count == 1 && found[0].finding == nil && found[0].others.allSatisfy { $0.id != "CSC-54" })
    }
  }

  @Test("What the head unit sends on other connections shows that the window stays 0")
  func windowWithoutProbes() throws {
    var course = Course()
    course.begin()
    course.setUp(
      ["streams": [["type": 110, "streamConnectionID": 7]]], ["streams": [["type": 110, "dataPort": 7002]]])
    var screen = course.capture.connect(2, to: 1, port: 7002)
    course.capture.send(Self.heartbeat, on: &screen, isClient: true)
    course.capture.acknowledge(screen, window: 0)
    course.capture.time += 5000
    course.exchange("POST", path: "/feedback")
    course.capture.end(course.control, byClient: true)
    let found = sessionExplanations(course.capture.bytes)
    let ids = found.flatMap { [$0.finding].compactMap(\.self) + $0.others }.map(\.id)
    #expect(ids.contains("CSC-54"), "\(found)")
  }

  // MARK: A proof of the password

  @Test("A refused proof is judged by the key log of the head unit", arguments: [true, false])
  func proof(isWrong: Bool) throws {
    let random = SeededBytes(1)
    var phone = PairSetupPhone(try TestParties.identity("phone"))
    var headUnit = PairSetupHeadUnit(try TestParties.identity("head unit"))
    var course = Course()
    let begin = phone.begin()
    let second = try headUnit.answer(begin, random.bytes).body
    course.exchange("POST", path: "/pair-setup", type: "application/pairing+tlv8", begin, answer: second)
    guard case .send(var third) = try phone.take(second, random.bytes) else { throw Missing() }
    if isWrong {
      let key = try #require(try TLV8(bytes: third)[.publicKey])
      third = TLV8([(.state, [3]), (.publicKey, key), (.proof, [UInt8](repeating: 1, count: 64))]).bytes
    }
    var fourth = try headUnit.answer(third, random.bytes).body
    let secret = headUnit.takeAgreed()
    let agreed = try #require(secret)
    // A head unit may refuse a right proof, too.
    if !isWrong { fourth = TLV8([(.state, [4]), (.error, [2])]).bytes }
    course.exchange("POST", path: "/pair-setup", type: "application/pairing+tlv8", third, answer: fourth)
    course.capture.end(course.control, byClient: true)
    #expect(sessionExplanations(course.capture.bytes).map(\.point) == [.refused])
    let found = sessionExplanations(course.capture.bytes, keys: Array(agreed.keyLogLine.utf8))
    let finding = try #require(found.first?.finding)
    #expect(finding.id == "CPA-04" && finding.side == (isWrong ? .device : .accessory), "\(finding)")
  }

  private struct Missing: Error {}

  // MARK: The signature of auth-setup

  /// Returns a session that goes on behind auth-setup, and its key log.
  ///
  /// - Parameter change: Changes the signature.
  private func proved(_ change: ([UInt8]) -> [UInt8]) throws -> (capture: [UInt8], keys: [UInt8]) {
    let random = SeededBytes(1)
    var phone = try AuthSetupPhone(random.bytes)
    var headUnit = AuthSetupHeadUnit()
    let signed = try headUnit.take(phone.request, random.bytes)
    let evidence = try #require(TestParties.sign(signed))
    let answer = headUnit.answer(certificate: evidence.certificate, signature: change(evidence.signature))
    _ = try phone.take(answer)
    let secret = phone.takeAgreed()
    let agreed = try #require(secret)
    var course = Course()
    course.exchange("POST", path: "/auth-setup", type: "application/octet-stream", phone.request, answer: answer)
    course.setUp(
      [
        "sessionUUID": "A", "et": 16, "ekey": .data([UInt8](repeating: 1, count: 16)),
        "eiv": .data([UInt8](repeating: 1, count: 16)),
      ], ["eventPort": 7001])
    course.capture.end(course.control, byClient: true)
    return (course.capture.bytes, Array(agreed.keyLogLine.utf8))
  }

  @Test("A signature in DER breaks the rule of the proof, also if the phone goes on")
  func signatureInDER() throws {
    let (capture, keys) = try proved(DERSignature.bytes(of:))
    let finding = try #require(sessionExplanations(capture, keys: keys).first?.finding)
    #expect(finding.id == "CAS-03" && finding.side == .accessory && finding.detail.contains("DER"), "\(finding)")
    let right = try proved { $0 }
    #expect(sessionExplanations(right.capture, keys: right.keys).first?.finding == nil)
  }

  @Test("A wrong signature with which the phone goes on is doubted, and the rule is named")
  func acceptedSignature() throws {
    let (capture, keys) = try proved { $0.map { $0 ^ 1 } }
    let found = try #require(sessionExplanations(capture, keys: keys).first)
    #expect(found.finding == nil)
    #expect(found.details.contains { $0.contains("CAS-03") && $0.contains("--authentication any") }, "\(found.details)")
  }
}
