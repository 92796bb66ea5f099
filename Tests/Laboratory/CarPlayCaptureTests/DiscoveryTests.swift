// swift-iap2 · Apache-2.0

import CarPlayCapture
import CarPlaySession
import Foundation
import IAP2
import IAP2Analysis
import IAP2Capture
import Testing

/// Explanations and diagrams of what comes before a session: announcements and control requests.
@Suite struct DiscoveryTests {
  private static let car: BuiltCapture.Host = 1, phone: BuiltCapture.Host = 2
  private static let deviceID = "02:00:00:00:00:01"
  private static let ok = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)

  private static func announced(_ sides: Set<CarPlayService> = [.airPlay, .control]) -> BuiltCapture {
    var capture = BuiltCapture()
    if sides.contains(.airPlay) {
      let text = TextRecord([.init("deviceid", deviceID), .init("features", "0x44540380,0x61")])
      capture.announce(.airPlay, "Car", port: 7000, text, from: car)
    }
    capture.time += 200
    if sides.contains(.control) {
      capture.announce(.control, "Phone", port: 7001, TextRecord([.init("id", "02:00:00:00:01:01")]), from: phone)
    }
    capture.time += 100
    return capture
  }

  private static func request(_ form: ControlCall.Form = .decimal) throws -> [UInt8] {
    let id = try #require(DeviceID(deviceID))
    return ControlCall.request(id, form: form, sourceVersion: "320.17.8", host: "phone.local")
  }

  private static func call(
    _ capture: inout BuiltCapture, _ request: [UInt8], answer: [UInt8]?, endsByCar: Bool = false,
    phone: BuiltCapture.Host = phone
  ) {
    var connection = capture.connect(car, to: phone, port: 7001)
    capture.send(request, on: &connection, isClient: true)
    capture.time += 10
    if let answer { capture.send(answer, on: &connection, isClient: false) }
    guard answer != nil || endsByCar else { return }
    capture.end(connection, byClient: endsByCar)
  }

  /// Adds the first request of a session, and the refusal of the head unit.
  private static func begin(
    _ capture: inout BuiltCapture, from phone: BuiltCapture.Host = phone, to car: BuiltCapture.Host = car
  ) {
    var connection = capture.connect(phone, to: car, port: 7000)
    let request = RequestMessage(
      .request(method: "GET", path: "/info", protocolWord: "RTSP/1.0"), headers: RequestHeaders([("CSeq", "1")]),
      body: [])
    capture.send(request.bytes, on: &connection, isClient: true)
    capture.send(request.answer(500).bytes, on: &connection, isClient: false)
  }

  private func explanations(_ capture: BuiltCapture) -> [SessionExplanation] {
    var options = CaptureAnalyzerOptions()
    options.sessions = CarPlaySessions(explains: true)
    var analyzer = CaptureAnalyzer(options: options, sink: ExplanationSink())
    analyzer.append(capture.bytes)
    analyzer.finish()
    return analyzer.sink.sessions.sorted { $0.number < $1.number }.map(\.explanation)
  }

  @Test("Announcements, the control request and the connection come before the session's own steps")
  func called() throws {
    var capture = Self.announced()
    Self.call(&capture, try Self.request(), answer: Self.ok)
    capture.time += 200
    Self.begin(&capture)
    let found = explanations(capture)
    try #require(found.count == 1)
    #expect(
      found[0].discovery.map(\.text) == [
        "announces Car, _airplay._tcp, port 7000", "announces Phone, _carplay-ctrl._tcp, port 7001",
        "asks Phone to connect, as 02:00:00:00:00:01 (decimal)", "answers with status 200",
        "connects 0.200000s after its answer",
      ])
    #expect(found[0].discovery.map(\.from) == [.accessory, .device, .accessory, .device, .device])
    #expect(found[0].point == .refused && found[0].ends.hasPrefix("phone 10.0.0.2:"))
    let findings = try lines(capture.bytes)
    let call = findings.filter {
      if case .session(let finding) = $0.content { finding.layer == .request } else { false }
    }
    #expect(call.map(\.from) == [.accessory, .device])
    #expect(findings.findings(.answer).first?.text == "200 OK to the control request")
    #expect(Set(findings.map(\.flow)) == [0])
  }

  @Test("A session without a control request says so, and one without any discovery says nothing")
  func notCalled() throws {
    var capture = Self.announced()
    Self.begin(&capture)
    #expect(
      explanations(capture).first?.discovery.last?.text == "connects; the capture has no control request before that")
    var bare = BuiltCapture()
    Self.begin(&bare)
    #expect(explanations(bare).map(\.discovery.count) == [0])
  }

  @Test("A phone that is called over IPv4 may connect over IPv6")
  func otherFamily() throws {
    var capture = BuiltCapture()
    Self.call(&capture, try Self.request(), answer: Self.ok)
    var late = capture
    capture.time += 200
    Self.begin(&capture, from: 130, to: 129)
    let found = explanations(capture)
    #expect(found.map(\.point) == [.refused])
    #expect(
      found[0].discovery.map(\.text) == [
        "asks the phone at 10.0.0.2:7001 to connect, as 02:00:00:00:00:01 (decimal)", "answers with status 200",
        "connects 0.200000s after its answer",
      ])

    // One that comes too late, one of two called phones, and a phone with another address of that family.
    late.time += 20_000
    Self.begin(&late, from: 130, to: 129)
    #expect(explanations(late).map(\.point) == [.refused, .notConnected])
    var two = BuiltCapture()
    for phone: BuiltCapture.Host in [2, 3] { Self.call(&two, try Self.request(), answer: Self.ok, phone: phone) }
    Self.begin(&two, from: 130, to: 129)
    #expect(explanations(two).map(\.point) == [.refused, .waiting, .waiting])
    var same = BuiltCapture()
    Self.call(&same, try Self.request(), answer: Self.ok)
    Self.begin(&same, from: 3)
    #expect(explanations(same).map(\.point) == [.refused, .waiting])
  }

  @Test("With three phones of one name, each has its own story in the order of time")
  func threePhones() throws {
    var capture = Self.announced([.airPlay])
    let phones: [BuiltCapture.Host] = [2, 3, 4]
    for phone in phones {
      capture.announce(.control, "Phone", port: 7001, TextRecord([.init("id", "02:00:00:00:01:01")]), from: phone)
    }
    // The requests overlap, and the phones connect in another order.
    var connections = phones.map { capture.connect(Self.car, to: $0, port: 7001) }
    for index in phones.indices {
      capture.time += 10
      capture.send(try Self.request(), on: &connections[index], isClient: true)
    }
    for index in phones.indices.reversed() {
      capture.time += 10
      capture.send(Self.ok, on: &connections[index], isClient: false)
    }
    for phone in [phones[2], phones[0]] {
      capture.time += 10
      var connection = capture.connect(phone, to: Self.car, port: 7000)
      let request = RequestMessage(
        .request(method: "GET", path: "/info", protocolWord: "RTSP/1.0"), headers: RequestHeaders([("CSeq", "1")]),
        body: [])
      capture.send(request.bytes, on: &connection, isClient: true)
      capture.send(request.answer(500).bytes, on: &connection, isClient: false)
    }
    let found = explanations(capture)
    try #require(found.count == 3)
    for explanation in found {
      let records = explanation.discovery.map(\.record)
      #expect(records == records.sorted())
      #expect(explanation.discovery.count { $0.text.hasPrefix("asks Phone") } == 1)
      #expect(explanation.discovery.count { $0.text.hasPrefix("answers") } == 1)
      #expect(explanation.discovery.count { $0.text.hasPrefix("announces Phone") } == 1)
    }
    #expect(found.map(\.point) == [.refused, .refused, .waiting])
    // The head unit's announcement is a step of each story.
    let records = found.flatMap(\.discovery).map(\.record)
    #expect(records.count == 14 && Set(records).count == 12)
  }

  @Test("Announcements alone stop before a request, and nobody is blamed")
  func announced() throws {
    var capture = Self.announced()
    capture.time += 60_000
    capture.sayGoodbye(.control, "Phone", from: Self.phone)
    let found = explanations(capture)
    #expect(found.map(\.point) == [.notCalled] && found[0].turn == nil)
    #expect(found[0].text.hasPrefix("Both sides are announced."))
    #expect(found[0].discovery.last?.text == "says goodbye: Phone")
    #expect(found[0].details.last?.hasPrefix("a capture on a third machine") == true)
    #expect(explanations(Self.announced([.airPlay])).first?.text.contains("and no phone") == true)
    #expect(explanations(Self.announced([.control])).first?.text.contains("and no head unit") == true)
  }

  @Test("A head unit without features in its record is explained by the record's faults")
  func noFeatures() {
    var capture = BuiltCapture()
    capture.announce(.airPlay, "Car", port: 7000, TextRecord([.init("deviceid", "x")]), from: Self.car)
    let found = explanations(capture)
    #expect(found.map(\.point) == [.notCalled])
    for fault in ["Car: the TXT record has no features", "Car: deviceid is x, not AA:BB:CC:DD:EE:FF"] {
      #expect(found[0].details.contains(fault), "\(found[0].details)")
    }
  }

  @Test("A speaker that is announced is no head unit of CarPlay")
  func speaker() {
    var capture = BuiltCapture()
    capture.announce(.airPlay, "Kitchen", port: 7000, TextRecord([.init("features", "0x44540380,0x0")]), from: Self.car)
    #expect(explanations(capture).isEmpty)
  }

  @Test("A refused request names what is wrong with it")
  func refused() throws {
    var capture = Self.announced()
    let wrong = try Self.request().replacing("AirPlay-Receiver-Device-ID".utf8, with: "X-Device-ID".utf8)
    Self.call(&capture, wrong, answer: Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".utf8))
    let found = explanations(capture)
    #expect(found.map(\.point) == [.callRefused] && found[0].turn == .accessory)
    #expect(found[0].text.contains("AirPlay-Receiver-Device-ID is missing"))

    var other = Self.announced()
    Self.call(&other, try Self.request(), answer: Array("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n".utf8))
    #expect(explanations(other).map(\.point) == [.callRefused] && explanations(other)[0].turn == nil)
  }

  @Test("A request without an answer is one only when its time is over")
  func unanswered() throws {
    var capture = Self.announced()
    Self.call(&capture, try Self.request(), answer: nil)
    #expect(explanations(capture).map(\.point) == [.waiting])
    var later = capture
    later.time += 20_000
    later.announce(.control, "Other", port: 7001, TextRecord([]), from: 3)
    #expect(explanations(later).map(\.point) == [.callUnanswered] && explanations(later)[0].turn == .device)
    var early = Self.announced()
    Self.call(&early, try Self.request(), answer: nil, endsByCar: true)
    // The head unit did not wait.
    #expect(explanations(early).map(\.point) == [.callUnanswered] && explanations(early)[0].turn == nil)
  }

  @Test("A granted request without a connection, or with one that the head unit does not accept")
  func notConnected() throws {
    var capture = Self.announced()
    Self.call(&capture, try Self.request(.hexadecimal), answer: Self.ok)
    #expect(explanations(capture).map(\.point) == [.waiting])
    var later = capture
    later.time += 20_000
    later.announce(.control, "Other", port: 7001, TextRecord([]), from: 3)
    let found = explanations(later)
    #expect(found.map(\.point) == [.notConnected] && found[0].turn == .device)
    #expect(found[0].discovery.map(\.text).contains("asks Phone to connect, as 02:00:00:00:00:01 (hexadecimal)"))
    var closed = capture
    _ = closed.connect(Self.phone, to: Self.car, port: 7000, isOpen: false)
    #expect(explanations(closed).map(\.point) == [.notConnected] && explanations(closed)[0].turn == .accessory)
  }

  @Test("A request behind a session is not that session's")
  func behind() throws {
    var capture = Self.announced()
    Self.begin(&capture)
    Self.call(&capture, try Self.request(), answer: Self.ok)
    #expect(explanations(capture).map(\.point) == [.refused, .waiting])
  }

  @Test("A request in any pieces is read")
  func pieces() throws {
    var capture = Self.announced()
    var connection = capture.connect(Self.car, to: Self.phone, port: 7001)
    for byte in try Self.request() { capture.send([byte], on: &connection, isClient: true) }
    for byte in Self.ok { capture.send([byte], on: &connection, isClient: false) }
    #expect(explanations(capture)[0].discovery.suffix(2).map(\.text).first?.contains("(decimal)") == true)
    #expect(explanations(capture)[0].discovery.last?.text == "answers with status 200")
  }

  @Test("Of a request that lacks bytes nobody is blamed")
  func gap() throws {
    var capture = Self.announced()
    var connection = capture.connect(Self.car, to: Self.phone, port: 7001)
    let request = try Self.request()
    capture.send(Array(request.prefix(40)), on: &connection, isClient: true)
    connection.sent += 30
    capture.send(Array(request.dropFirst(70)), on: &connection, isClient: true)
    var answered = capture
    capture.time += 30_000
    capture.announce(.control, "Other", port: 7001, TextRecord([]), from: 3)
    let found = explanations(capture)
    #expect(found.map(\.point) == [.unread] && found[0].turn == nil)
    // The answer shows that the phone took the request.
    answered.send(Self.ok, on: &connection, isClient: false)
    #expect(explanations(answered).map(\.point) == [.waiting])
  }

  @Test("A diagram has the announcements and the request as rows before the session's")
  func diagram() throws {
    var capture = Self.announced()
    Self.call(&capture, try Self.request(), answer: Self.ok)
    Self.begin(&capture)
    var options = CaptureAnalyzerOptions()
    options.sessions = CarPlaySessions()
    var analyzer = CaptureAnalyzer(options: options, sink: SequenceDiagramSink())
    analyzer.append(capture.bytes)
    analyzer.finish()
    let diagram = analyzer.diagram
    let steps = try #require(diagram.connections.first).steps
    #expect(steps.map(\.from) == [.accessory, .device, .accessory, .device, .device, .accessory])
    var rest = ""
    DiagramDocument(
      name: "x", diagram: diagram, transports: ["CarPlay session 1"], start: nil, time: .folded(pause: 0.2)
    ).write(.svg) { rest += $0 }
    for row in [
      "_airplay._tcp: Car at", "_carplay-ctrl._tcp: Phone at", "GET /ctrl-int/1/connect",
      "200 OK to the control request", "GET /info", "500 Internal Server Error",
    ] {
      let range = try #require(rest.range(of: row), "\(row)")
      rest = String(rest[range.upperBound...])
    }
  }
}
