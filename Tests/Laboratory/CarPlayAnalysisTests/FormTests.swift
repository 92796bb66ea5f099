// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
import Testing

/// The forms of the values in `/info` and in the answers to SETUP, and the statuses of answers.
@Suite struct FormTests {
  /// A value with a wrong form, and the breach that names it.
  struct Wrong: Sendable, CustomTestStringConvertible {
    let rule: String
    let key: String
    let value: PropertyValue
    /// The dictionary that has the key: `/info`, an entry of a list of it, or an answer to SETUP.
    let place: Place

    init(_ rule: String, _ place: Place, _ key: String, _ value: PropertyValue) {
      (self.rule, self.place, self.key, self.value) = (rule, place, key, value)
    }

    var testDescription: String { "\(path): \(value)" }
    var path: String {
      switch place {
      case .info, .setUp: key
      case .entry(let list): "\(list)[0].\(key)"
      case .stream(let index): "streams[\(index)].\(key)"
      }
    }

    func apply(to script: inout Script) {
      switch place {
      case .info: script.list("info.answer") { $0[key] = value }
      case .entry(let list): script.list("info.answer") { Self.change(&$0, list, 0, key, value) }
      case .setUp:
        script.list("setUp") { $0["keepAliveLowPower"] = true }
        script.list("setUp.answer") {
          $0["keepAlivePort"] = 6005
          $0[key] = value
        }
      case .stream(let index): script.list("streams.answer") { Self.change(&$0, "streams", index, key, value) }
      }
    }

    private static func change(
      _ values: inout [String: PropertyValue], _ list: String, _ index: Int, _ key: String, _ value: PropertyValue
    ) {
      var entries = values[list]?.array ?? [[:]]
      guard case .dictionary(var entry) = entries[index] else { return }
      entry[key] = value
      entries[index] = .dictionary(entry)
      values[list] = .array(entries)
    }
  }

  enum Place: Sendable {
    case info
    case setUp
    case entry(String)
    case stream(Int)
  }

  static let wrong: [Wrong] = [
    Wrong("CIN-01", .info, "deviceID", "hello"), Wrong("CIN-01", .info, "deviceID", ""),
    Wrong("CIN-02", .info, "features", 1.5),
    Wrong("CIN-03", .entry("displays"), "uuid", ""), Wrong("CIN-03", .entry("displays"), "widthPixels", 3.7),
    Wrong("CIN-03", .entry("displays"), "heightPixels", 0), Wrong("CIN-03", .entry("displays"), "type", 0),
    Wrong("CIN-03", .entry("displays"), "type", "110"),
    Wrong("CIN-04", .entry("hidDevices"), "uuid", ""), Wrong("CIN-13", .entry("hidDevices"), "hidVendorID", 70_000),
    Wrong("CIN-13", .entry("hidDevices"), "displayUUID", ""), Wrong("CIN-13", .entry("hidDevices"), "name", 1),
    Wrong("CIN-13", .entry("hidDevices"), "hidCountryCode", 256),
    Wrong("CIN-07", .entry("displays"), "initialViewArea", 0.5), Wrong("CIN-09", .info, "audioFormats", 4),
    Wrong("CIN-09", .entry("audioFormats"), "audioInputFormats", "4"),
    Wrong("CIN-09", .entry("audioFormats"), "audioOutputFormats", 4.5),
    Wrong("CIN-09", .entry("audioFormats"), "type", 100.5), Wrong("CIN-13", .entry("audioFormats"), "audioType", 1),
    Wrong("CIN-13", .info, "bluetoothIDs", "00:11:22:33:44:55"), Wrong("CIN-13", .info, "bluetoothIDs", ["no"]),
    Wrong("CIN-13", .info, "macAddress", "00:11:22"), Wrong("CIN-13", .info, "pi", "one"),
    Wrong("CIN-13", .info, "statusFlags", -1), Wrong("CIN-13", .info, "rightHandDrive", "no"),
    Wrong("CIN-13", .info, "nightMode", 2), Wrong("CIN-13", .info, "limitedUIElements", "softKeyboard"),
    Wrong("CIN-13", .info, "name", 1), Wrong("CIN-13", .info, "audioLatencies", 0),
    Wrong("CIN-13", .entry("displays"), "widthPhysical", -1),
    Wrong("CIN-13", .entry("displays"), "primaryInputDevice", "touch"),
    Wrong("CSU-06", .setUp, "eventPort", 0), Wrong("CSU-06", .setUp, "eventPort", 6000.5),
    Wrong("CSU-07", .setUp, "timingPort", 0), Wrong("CSU-07", .setUp, "timingPort", 65_536),
    Wrong("CSU-08", .setUp, "keepAlivePort", 0), Wrong("CSU-10", .setUp, "enabledFeatures", "viewAreas"),
    Wrong("CST-09", .stream(0), "dataPort", 0), Wrong("CST-09", .stream(1), "dataPort", -1),
    Wrong("CST-10", .stream(1), "controlPort", 0),
  ]

  @Test("A value with a wrong form breaks the rule of its key", arguments: wrong)
  func form(wrong: Wrong) throws {
    var script = Script()
    wrong.apply(to: &script)
    let found = script.breaches().found
    let breach = try #require(found.first { $0.problem.key == wrong.path }, "\(found)")
    #expect(breach.rule.id == wrong.rule && breach.side == .headUnit)
  }

  @Test("Whole numbers that are real ones, 0 and 1 as booleans and keys that are absent break no rule")
  func lenient() {
    var script = Script()
    script.list("info.answer") {
      $0["rightHandDrive"] = 0
      $0["nightMode"] = 1.0
      $0["bluetoothIDs"] = ["001122334455"]
      $0["audioLatencies"] = [["inputLatencyMicros": false]]
    }
    script.display {
      $0["widthPixels"] = 800.0
      $0["widthPhysical"] = 160.5
      $0["type"] = nil
    }
    script.list("setUp.answer") { $0["eventPort"] = 6000.0 }
    #expect(script.breaches().found == [])
  }

  @Test("A second display with a wrong value is no screen less, and one right display is enough")
  func secondDisplay() {
    var script = Script()
    script.list("info.answer") {
      $0["displays"] = .array(
        ($0["displays"]?.array ?? []) + [["uuid": "E", "type": 0, "widthPixels": 800, "heightPixels": 480]])
    }
    let found = script.breaches().found
    #expect(found.map(\.rule.id) == ["CIN-13"] && found.first?.problem.key == "displays[1].type")
  }

  @Test("An entry of a list that is no dictionary is named by its place")
  func entries() {
    var script = Script()
    script.list("info.answer") { $0["audioFormats"] = [4] }
    #expect(script.breaches().found.contains { $0.rule.id == "CIN-09" && $0.problem.key == "audioFormats[0]" })
  }

  @Test("Each of several keys that are missing is named")
  func several() {
    var script = Script()
    script.list("info.answer") { for key in ["deviceID", "features", "displays"] { $0[key] = nil } }
    #expect(Set(["CIN-01", "CIN-02", "CIN-03"]).isSubset(of: script.breaches().found.map(\.rule.id)))
  }

  @Test(
    "A refused request of an ordinary session breaks a rule",
    arguments: ["auth", "setUp", "info", "record", "streams", "feedback"], [400, 404, 500])
  func refused(name: String, status: Int) throws {
    var script = Script()
    script.change("\(name).answer") { $0.status = status }
    let first = try #require(script.breaches().found.first)
    #expect(first.rule.id == "CRQ-06" && first.side == .headUnit && first.problem.expected == "200")
  }

  @Test("A head unit may refuse what is wrong, what comes to a busy one, and sound")
  func mayRefuse() {
    var busy = Script()
    busy.change("setUp.answer") { $0.status = 453 }
    #expect(!busy.breaches().found.contains { $0.rule.id == "CRQ-06" })
    var wrong = Script()
    wrong.change("setUp") { $0.body = .bytes(Array("<plist/>".utf8)) }
    wrong.change("setUp.answer") { $0.status = 400 }
    #expect(!wrong.breaches().found.contains { $0.rule.id == "CRQ-06" })
    var sound = Script()
    sound.list("streams") {
      $0["streams"] = [["type": 100, "streamConnectionID": 8, "audioFormat": .integer(1 << 15)]]
    }
    sound.change("streams.answer") { $0.status = 400 }
    #expect(sound.breaches().found.first?.rule.id == "CST-07")
    var pairing = Script()
    pairing.change("setup1.answer") { $0.status = 404 }
    #expect(!pairing.breaches().found.contains { $0.rule.id == "CRQ-06" })
    pairing.change("setup1.answer") { $0.status = 500 }
    #expect(pairing.breaches().found.first?.rule.id == "CRQ-06")
    var command = Script()
    command.parts.removeAll { $0.name.hasPrefix("report") || $0.name.hasPrefix("feedback") }
    command.change("streams.answer") { $0.status = 453 }
    #expect(command.breaches().found == [])
  }

  @Test("A refusal of a right proof is the head unit's fault, and of a wrong one the phone's")
  func proofs() {
    var judge = SessionJudge(isWhole: true)
    judge.takeRefusedProof(isRight: false)
    judge.takeRefusedProof(isRight: true)
    judge.takePairingRefusal(isSetup: true, state: 5, error: 2)
    judge.takePairingRefusal(isSetup: false, state: 3, error: 2)
    judge.takePairingRefusal(isSetup: true, state: 1, error: 6)
    let found = judge.takeBreaches()
    #expect(found.map(\.rule.id) == ["CPA-04", "CPA-04", "CPA-05", "CPA-08", "CRQ-06"])
    #expect(found.map(\.side) == [.phone, .headUnit, .headUnit, .headUnit, .headUnit])
  }
}
