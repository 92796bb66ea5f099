// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
import Testing

/// The rules of CarPlay sessions: a right session breaks none, and each fault breaks the rule that says so.
@Suite struct JudgeTests {
  /// A fault, and the breach that names it: the rule, the side and the key.
  struct Fault: Sendable, CustomTestStringConvertible {
    let rule: String
    let side: SessionSide
    let key: String?
    let make: @Sendable (inout Script) -> Void
    let testDescription: String

    init(
      _ text: String, _ rule: String, _ side: SessionSide, _ key: String? = nil,
      _ make: @escaping @Sendable (inout Script) -> Void
    ) {
      (testDescription, self.rule, self.side, self.key, self.make) = (text, rule, side, key, make)
    }
  }

  @Test("A session without a fault breaks no rule and becomes live")
  func right() {
    let (found, reached) = Script().breaches()
    #expect(found == [])
    #expect(reached == SessionState.allCases)
  }

  @Test("A fault breaks the rule that forbids it, and its key is named", arguments: requestFaults + answerFaults)
  func broken(fault: Fault) throws {
    var script = Script()
    fault.make(&script)
    let found = script.breaches().found
    let first = try #require(found.first)
    #expect(first.rule.id == fault.rule)
    #expect(first.side == fault.side)
    #expect(first.problem.key == fault.key)
    #expect(found.count { $0.rule.id == fault.rule } == 1)
  }

  static let requestFaults: [Fault] = [
    Fault("M1 with the state of M5", "CPA-02", .phone) { $0.item("setup1", .state, [5]) },
    Fault("a transient pairing", "CPA-09", .phone) {
      $0.change("setup1") { $0.body = .items([(.state, [1]), (.method, [0]), (.flags, [16])]) }
    },
    Fault("a key of zeros", "CPA-06", .phone) {
      $0.item("verify1", .publicKey, [UInt8](repeating: 0, count: 32))
    },
    Fault("no proof", "CPA-04", .phone) { $0.item("setup3", .proof, nil) },
    Fault("no identity of the phone", "CPA-05", .phone) { $0.item("setup5", .encryptedData, nil) },
    Fault("a short key of pair-verify", "CPA-06", .phone) { $0.item("verify1", .publicKey, [1, 2]) },
    Fault("M3 of pair-verify is empty", "CPA-07", .phone) { $0.item("verify3", .encryptedData, nil) },
    Fault("a body that is no TLV8", "CPA-01", .phone) { $0.change("setup1") { $0.body = .bytes([6, 9, 1]) } },
    Fault("auth-setup of version 2", "CAS-01", .phone) {
      $0.change("auth") { $0.body = .bytes([2] + [UInt8](repeating: 1, count: 32)) }
    },
    Fault("SETUP before pairing", "CSU-01", .phone) {
      $0.move("setUp", before: "setup1")
    },
    Fault("streams before the session", "CSU-02", .phone) { $0.move("streams", before: "setUp") },
    Fault("streams before the event connection", "CEV-02", .phone) { $0.remove("events") },
    Fault("no sessionUUID", "CSU-04", .phone, "sessionUUID") { $0.list("setUp") { $0["sessionUUID"] = nil } },
    Fault("the port of the clock is a text", "CSU-04", .phone, "timingPort") {
      $0.list("setUp") { $0["timingPort"] = "5000" }
    },
    Fault("SETUP as XML", "CRQ-04", .phone) { $0.change("setUp") { $0.body = .bytes(Array("<plist/>".utf8)) } },
    Fault("a SETUP without its type", "CRQ-05", .phone, "Content-Type") { $0.change("setUp") { $0.type = nil } },
    Fault("a pairing message as a property list", "CRQ-05", .phone, "Content-Type") {
      $0.change("verify1") { $0.type = "application/x-apple-binary-plist" }
    },
    Fault("streams is no list", "CST-01", .phone, "streams") { $0.list("streams") { $0["streams"] = 1 } },
    Fault("an unknown type", "CST-02", .phone, "streams[0].type") {
      $0.list("streams") { $0["streams"] = [["type": 99]] }
    },
    Fault("a screen without an id", "CST-03", .phone, "streams[0].streamConnectionID") {
      $0.list("streams") { $0["streams"] = [["type": 110, "uuid": "D"]] }
    },
    Fault("a screen of no display", "CST-04", .phone, "streams[0].uuid") {
      $0.list("streams") { $0["streams"] = [["type": 110, "uuid": "E", "streamConnectionID": 7]] }
    },
    Fault("sound in a format that is not offered", "CST-05", .phone, "streams[0].audioFormat") {
      $0.list("streams") { $0["streams"] = [["type": 100, "audioFormat": 4, "streamConnectionID": 7]] }
    },
    Fault("buffered music with a short key", "CST-06", .phone, "streams[0].shk") {
      $0.list("streams") { $0["streams"] = [["type": 103, "shk": .data([1])]] }
    },
    Fault("a report of another device", "CHI-01", .headUnit, "uuid") { $0.list("report") { $0["uuid"] = "2" } },
    Fault("a report of another size", "CHI-02", .headUnit, "hidReport") {
      $0.list("report") { $0["hidReport"] = .data([0, 0, 0]) }
    },
    Fault("a report without its bytes", "CCM-02", .headUnit, "uuid") { $0.list("report") { $0["hidReport"] = nil } },
    Fault("a command without a name", "CCM-01", .headUnit, "type") { $0.list("report") { $0["type"] = nil } },
    Fault("a command before RECORD", "CCM-03", .headUnit) { $0.move("report", before: "record") },
  ]

  static let answerFaults: [Fault] = [
    Fault("another CSeq", "CRQ-02", .headUnit, "CSeq") { $0.change("info.answer") { $0.sequence = "77" } },
    Fault("no CSeq", "CRQ-02", .headUnit, "CSeq") { $0.change("record.answer") { $0.sequence = nil } },
    Fault("a short salt", "CPA-03", .headUnit) { $0.item("setup1.answer", .salt, [1]) },
    Fault("no public key", "CPA-03", .headUnit) { $0.item("setup1.answer", .publicKey, nil) },
    Fault("a short proof of the head unit", "CPA-04", .headUnit) { $0.item("setup3.answer", .proof, [1]) },
    Fault("no identity of the head unit", "CPA-05", .headUnit) { $0.item("setup5.answer", .encryptedData, nil) },
    Fault("state 6 in place of 4", "CPA-02", .headUnit) { $0.item("setup3.answer", .state, [6]) },
    Fault("no identity in pair-verify", "CPA-07", .headUnit) { $0.item("verify1.answer", .encryptedData, nil) },
    Fault("auth-setup is cut", "CAS-02", .headUnit) { $0.change("auth.answer") { $0.body = .bytes([1, 2]) } },
    Fault("no certificate", "CAS-03", .headUnit) {
      $0.change("auth.answer") { $0.body = .bytes([UInt8](repeating: 1, count: 32) + [0, 0, 0, 0, 0, 0, 0, 1, 7]) }
    },
    Fault("no eventPort", "CSU-06", .headUnit, "eventPort") { $0.list("setUp.answer") { $0["eventPort"] = nil } },
    Fault("eventPort is a text", "CSU-06", .headUnit, "eventPort") {
      $0.list("setUp.answer") { $0["eventPort"] = "6000" }
    },
    Fault("no timingPort", "CSU-07", .headUnit, "timingPort") { $0.list("setUp.answer") { $0["timingPort"] = nil } },
    Fault("no keepAlivePort", "CSU-08", .headUnit, "keepAlivePort") {
      $0.list("setUp") { $0["keepAliveLowPower"] = true }
    },
    Fault("a feature that nobody asked for", "CSU-09", .headUnit, "enabledFeatures") {
      $0.list("setUp.answer") { $0["enabledFeatures"] = ["viewAreas", "hevc"] }
    },
    Fault("/info as text", "CRQ-05", .headUnit, "Content-Type") { $0.change("info.answer") { $0.type = "text/plain" } },
    Fault("auth-setup without its type", "CRQ-05", .headUnit, "Content-Type") {
      $0.change("auth.answer") { $0.type = nil }
    },
    Fault("no deviceID", "CIN-01", .headUnit, "deviceID") { $0.list("info.answer") { $0["deviceID"] = nil } },
    Fault("features is a text", "CIN-02", .headUnit, "features") { $0.list("info.answer") { $0["features"] = "0x" } },
    Fault("a display without a width", "CIN-03", .headUnit, "displays[0].widthPixels") {
      $0.list("info.answer") { $0["displays"] = [["uuid": "D", "heightPixels": 480]] }
    },
    Fault("no displays", "CIN-03", .headUnit, "displays") { $0.list("info.answer") { $0["displays"] = nil } },
    Fault("a descriptor that ends early", "CIN-04", .headUnit, "hidDevices[0].hidDescriptor") {
      $0.list("info.answer") { $0["hidDevices"] = [["uuid": "1", "hidDescriptor": .data([0x05])]] }
    },
    Fault("buffered music without its key", "CIN-10", .headUnit, "mainBufferedInfo") {
      $0.list("setUp") { $0["features"] = ["viewAreas", "mainBuffered"] }
      $0.list("setUp.answer") { $0["enabledFeatures"] = ["viewAreas", "mainBuffered"] }
    },
    Fault("a key without its feature", "CIN-05", .headUnit, "hevcInfo") {
      $0.list("info.answer") { $0["hevcInfo"] = [:] }
    },
    Fault("no bit of a screen", "CIN-06", .headUnit, "features") { $0.list("info.answer") { $0["features"] = 512 } },
    Fault("a view area outside", "CIN-07", .headUnit, "displays[0].viewAreas[0].widthPixels") {
      $0.list("info.answer") {
        $0["displays"] = [
          [
            "uuid": "D", "type": 110, "widthPixels": 800, "heightPixels": 480,
            "viewAreas": [["widthPixels": 900, "heightPixels": 480]],
          ]
        ]
      }
    },
    Fault("no picture in a second", "CIN-11", .headUnit, "displays[0].maxFPS") { $0.display { $0["maxFPS"] = 0 } },
    Fault("a text as the number of pictures", "CIN-11", .headUnit, "displays[0].maxFPS") {
      $0.display { $0["maxFPS"] = "60" }
    },
    Fault("two displays with one name", "CIN-12", .headUnit, "displays[1].uuid") {
      $0.list("info.answer") { $0["displays"] = .array(($0["displays"]?.array ?? []) + [["uuid": "D", "type": 111]]) }
    },
    Fault("two input devices with one name", "CIN-12", .headUnit, "hidDevices[1].uuid") {
      $0.list("info.answer") {
        let devices = $0["hidDevices"]?.array ?? []
        $0["hidDevices"] = .array(devices + devices)
      }
    },
    Fault("modes is a list", "CIN-08", .headUnit, "modes") { $0.list("info.answer") { $0["modes"] = [] } },
    Fault("an unknown type of sound", "CIN-09", .headUnit, "audioFormats[0].type") {
      $0.list("info.answer") { $0["audioFormats"] = [["type": 7]] }
    },
    Fault("/info as XML", "CRQ-04", .headUnit) {
      $0.change("info.answer") { $0.body = .bytes(Array("<plist/>".utf8)) }
    },
    Fault("an answer without streams", "CST-01", .headUnit, "streams") { $0.list("streams.answer") { $0 = [:] } },
    Fault("a stream without a port", "CST-09", .headUnit, "streams[0].dataPort") {
      $0.list("streams.answer") {
        $0["streams"] = [
          ["type": 110], ["type": 100, "dataPort": 1, "controlPort": 2, "streamConnectionID": 8],
        ]
      }
    },
    Fault("sound without its id", "CST-11", .headUnit, "streams[1].streamConnectionID") {
      $0.list("streams.answer") {
        $0["streams"] = [["type": 110, "dataPort": 1], ["type": 100, "dataPort": 2, "controlPort": 3]]
      }
    },
    Fault("sound without controlPort", "CST-10", .headUnit, "streams[1].controlPort") {
      $0.list("streams.answer") {
        $0["streams"] = [["type": 110, "dataPort": 1], ["type": 100, "dataPort": 2, "streamConnectionID": 8]]
      }
    },
    Fault("a stream is left out", "CST-07", .headUnit, "streams") {
      $0.list("streams.answer") {
        $0["streams"] = [["type": 100, "dataPort": 2, "controlPort": 3, "streamConnectionID": 8]]
      }
    },
    Fault("a stream that nobody asked for", "CST-08", .headUnit, "streams[2].type") {
      $0.list("streams.answer") {
        guard case .array(let streams)? = $0["streams"] else { return }
        $0["streams"] = .array(streams + [["type": 101, "dataPort": 2]])
      }
    },
    Fault("the phone refuses a command", "CCM-04", .phone) { $0.change("report.answer") { $0.status = 501 } },
    Fault("feedback names no stream", "CFB-01", .headUnit, "streams") { $0.list("feedback.answer") { $0 = [:] } },
  ]

  @Test("The type of a body ignores case and parameters, and a body that is empty needs none")
  func types() {
    for type in ["Application/X-Apple-Binary-Plist", "application/x-apple-binary-plist; charset=binary"] {
      var script = Script()
      script.change("setUp") { $0.type = type }
      script.change("record") { $0.type = "text/plain" }
      #expect(script.breaches().found == [])
    }
  }

  @Test("Without its beginning, a session breaks no rule of order")
  func late() {
    var script = Script()
    for name in ["setup", "verify", "auth", "setUp", "events"] { script.remove(name) }
    #expect(script.breaches(isWhole: false).found == [])
    #expect(!script.breaches().found.isEmpty)
  }

  @Test("A fault that comes a thousand times is reported once")
  func once() {
    var script = Script()
    script.list("report") { $0["uuid"] = "2" }
    let reports = script.parts.filter { $0.name.hasPrefix("report") }
    for _ in 0..<1000 { script.parts += reports }
    #expect(script.breaches().found.map(\.rule.id) == ["CHI-01"])
  }

  @Test("An answer of the clock repeats the time of a question; a lost question proves nothing")
  func clock() {
    var judge = SessionJudge(isWhole: true)
    func exchange(_ sent: UInt64, _ reference: UInt64) {
      let question = ClockPacket(isRequest: true, sent: sent)
      judge.take(clock: question, byteCount: 32, from: .headUnit)
      judge.take(
        clock: ClockPacket(isRequest: false, reference: reference, received: 5, sent: 6), byteCount: 32, from: .phone)
    }
    for time: UInt64 in 1...4 { exchange(time, time) }
    exchange(5, 99)
    exchange(6, 6)
    exchange(7, 98)
    exchange(8, 8)
    #expect(judge.takeBreaches() == [])
    for time: UInt64 in 9...12 { exchange(time, 0) }
    #expect(judge.takeBreaches().map(\.rule.id) == ["CCL-02"])
    // A capture may damage a single datagram.
    judge.take(clock: nil, byteCount: 3, from: .phone)
    #expect(judge.takeBreaches() == [])
    judge.take(clock: nil, byteCount: 3, from: .phone)
    #expect(judge.takeBreaches().map(\.rule.id) == ["CCL-01"])
  }

  @Test(
    "What Bonjour advertises is compared with /info",
    arguments: [
      ("deviceid", "00:11:22:33:44:55", nil), ("deviceid", "00:11:22:33:44:56", "deviceID"),
      ("features", "0x280,0x0", nil), ("features", "0x0,0x280", "features"),
    ])
  func advertised(key: String, value: String, wrong: String?) {
    let found = Script().breaches(textRecord: [key: value]).found
    #expect(found.map(\.rule.id) == (wrong.map { [$0 == "features" ? "CDI-02" : "CDI-01"] } ?? []))
    #expect(found.first?.problem.key == wrong)
  }

  @Test("A screen begins with a configuration that can be read, and with a key frame")
  func screen() throws {
    func judged(_ messages: [ScreenMessage]) -> [String] {
      var judge = SessionJudge(isWhole: true)
      for message in messages { judge.take(message, of: .screen, isOpened: true) }
      return judge.takeBreaches().map(\.rule.id)
    }
    let record: [UInt8] = [1, 66, 0, 30, 0xFF, 0xE0, 0]
    let configuration = ScreenMessage(.configuration, body: record)
    let key = ScreenMessage(.frame, isKeyFrame: true, body: [0, 0, 0, 2, 0x65, 1])
    #expect(judged([configuration, key]) == [])
    #expect(judged([ScreenMessage(.configuration, body: [9]), key]) == ["CSC-03"])
    #expect(judged([configuration, ScreenMessage(.frame, body: key.body)]) == ["CSC-04"])
    let startCode = ScreenMessage(.frame, isKeyFrame: true, body: [0, 0, 0, 1, 0x65, 1, 2, 3])
    #expect(judged([configuration, startCode]) == ["CSC-05"])
  }

  @Test("A key frame follows forceKeyFrame")
  func keyFrame() {
    func judged(_ pictures: Int) -> [String] {
      var judge = SessionJudge(isWhole: false)
      let body = PropertyValue.dictionary(["type": "forceKeyFrame"]).binary
      judge.take(
        request: RequestMessage(
          .request(method: "POST", path: "/command", protocolWord: "RTSP/1.0"),
          headers: RequestHeaders([("Content-Type", "application/x-apple-binary-plist")]), body: body),
        on: .events, from: .headUnit)
      for _ in 0..<pictures { judge.take(ScreenMessage(.frame), of: .screen, isOpened: false) }
      return judge.takeBreaches().map(\.rule.id)
    }
    #expect(judged(60) == [])
    #expect(judged(1000) == ["CSC-07"])
  }

  @Test("Numbers are unique, and their letters say the part of the session")
  func numbers() {
    let ids = CarPlayRule.all.map(\.id)
    #expect(Set(ids).count == ids.count)
    #expect(ids.allSatisfy { $0.wholeMatch(of: #/C[A-Z]{2}-[0-9]{2}/#) != nil })
  }
}
