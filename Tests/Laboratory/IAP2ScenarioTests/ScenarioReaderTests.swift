// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Runtime
import IAP2Scenario
import Testing

@Suite struct ScenarioReaderTests {
  /// Invalid scenarios, each with the line and the key of its error.
  static let bad: [(yaml: String, line: Int?, key: String)] = [
    ("", nil, ""),
    ("steps: [\n", 2, ""),
    ("name: x\n", 1, ""),
    ("steps:\n  - wait: 1\nspeed: 3\n", 3, "speed"),
    ("steps:\n  - wait: long\n", 2, "steps.0.wait"),
    ("steps:\n  - wait: -1\n", 2, "steps.0.wait"),
    ("steps:\n  - jump: 1\n", 2, "steps.0.jump"),
    ("steps:\n  - {wait: 1, cut: true}\n", 2, "steps.0"),
    ("steps:\n  - expect: {headUnit: arrival}\n", 2, "steps.0.expect.headUnit"),
    ("steps:\n  - expect: {headUnit: identified, phone: identified}\n", 2, "steps.0.expect"),
    ("steps:\n  - wait: 1\n  - phone: {fly: true}\n", 3, "steps.1.phone.fly"),
    ("steps:\n  - phone: {battery: {level: 101}}\n", 2, "steps.0.phone.battery.level"),
    ("steps:\n  - phone: {battery: {charge: 1}}\n", 2, "steps.0.phone.battery.charge"),
    ("steps:\n  - headUnit: {press: everything}\n", 2, "steps.0.headUnit.press"),
    ("steps:\n  - headUnit: {send: {id: xyz}}\n", 2, "steps.0.headUnit.send.id"),
    ("steps:\n  - headUnit: {send: {id: \"0x5000\", hex: \"abc\"}}\n", 2, "steps.0.headUnit.send.hex"),
    ("steps:\n  - headUnit: {tone: A}\n", 2, "steps.0.headUnit.tone"),
    ("steps:\n  - headUnit: {swap: banana}\n", 2, "steps.0.headUnit.swap"),
    ("steps:\n  - phone: {play: false}\n", 2, "steps.0.phone.play"),
    ("phone: {battery: {level: 010}}\nsteps: []\n", 1, "phone.battery.level"),
    ("steps:\n  - wait: 1:30\n", 2, "steps.0.wait"),
    ("steps:\n  - phone: {send: {id: \"+AE1\"}}\n", 2, "steps.0.phone.send.id"),
    ("steps:\n  - phone: {send: {id: AE01, hex: \"+1-0\"}}\n", 2, "steps.0.phone.send.hex"),
    (
      "steps:\n  - expect: {phone: powerChanged, values: {BatteryChargLevel: 1}}\n", 2,
      "steps.0.expect.values.BatteryChargLevel"
    ),
    ("phone: {apps: [{name: A}, {name: A}]}\nsteps: []\n", 1, "phone.apps.1"),
    ("phone:\n  libraries:\n    - {identifier: a}\n    - {identifier: a}\nsteps: []\n", 4, "phone.libraries.1"),
    (
      "phone:\n  libraries:\n    - {playlists: [{name: L, items: [9]}]}\nsteps: []\n", 3,
      "phone.libraries.0.playlists.0.items.0"
    ),
    ("steps: []\nname: a\nsteps: []\n", 1, ""),
    (
      "steps:\n  - phone:\n      navigate:\n        maneuvers:\n          - {type: Fly}\n", 5,
      "steps.0.phone.navigate.maneuvers.0.type"
    ),
    ("headUnit:\n  features: [power, sails]\nsteps: []\n", 2, "headUnit.features.1"),
    ("headUnit:\n  protocols: {a.b.c: sing}\nsteps: []\n", 2, "headUnit.protocols.a.b.c"),
    ("headUnit:\n  track: [[0, 91, 0]]\nsteps: []\n", 2, "headUnit.track.0.1"),
    ("phone:\n  order: sideways\nsteps: []\n", 2, "phone.order"),
    ("phone: [1]\nsteps: []\n", 1, "phone"),
    ("phone:\n  queue:\n    - {title: {a: b}}\nsteps: []\n", 3, "phone.queue.0.title"),
    ("phone: {language: ~}\nsteps: []\n", 1, "phone.language"),
    ("phone: {language: }\nsteps: []\n", 1, "phone.language"),
    ("carPlay: true\nsteps:\n  - headUnit: {session: {show: false}}\n", 3, "steps.0.headUnit.session.show"),
    (
      "phone:\n  queue: [&a {artwork: 1048576}" + String(repeating: ", *a", count: 100) + "]\nsteps: []\n", 2,
      "phone.queue.64"
    ),
  ]

  @Test(arguments: bad.indices) func invalidYAMLIsRejectedWithItsPlace(index: Int) {
    let (yaml, line, key) = Self.bad[index]
    do {
      _ = try Scenario(yaml: yaml, file: "mine.yaml")
      Issue.record("read: \(yaml)")
    } catch {
      #expect(error.file == "mine.yaml" && error.line == line && error.key == key, "\(error.description)")
      #expect(!error.text.isEmpty)
    }
  }

  /// The schema has exactly the verbs of the reader: a known verb with an invalid argument fails because of the
  /// argument.
  @Test func theSchemaHasEveryKeyOfTheReader() throws {
    let schema = try #require(
      try JSONSerialization.jsonObject(with: Data(ScenarioSchema.schema().utf8)) as? [String: Any])
    func at(_ path: String) throws -> [String: Any] {
      var value: Any = schema
      for key in path.split(separator: ".") {
        if let list = value as? [Any] {
          value = list[try #require(Int(key))]
        } else {
          value = try #require((value as? [String: Any])?[String(key)], "\(path): \(key)")
        }
      }
      return try #require(value as? [String: Any])
    }
    for role in ["headUnit", "phone"] {
      let verbs = try at("$defs.\(role)Step.properties").keys
      #expect(verbs.count > 15)
      for verb in verbs {
        do { _ = try Scenario(yaml: "steps:\n  - \(role): {\(verb): {x: [y]}}\n", file: "x") } catch {
          #expect(!error.text.contains("no step of the"), "\(role) \(verb)")
        }
      }
      #expect(throws: ScenarioProblem.self) { try Scenario(yaml: "steps:\n  - \(role): {fly: true}\n", file: "x") }
      let settings = try at("$defs.scenario.properties.\(role).properties").keys
      for setting in settings {
        do { _ = try Scenario(yaml: "\(role):\n  \(setting): {x: [y]}\nsteps: []\n", file: "x") } catch {
          #expect(!error.text.hasPrefix("unknown key") || error.key != "\(role).\(setting)", "\(setting)")
        }
      }
    }
    let events = try #require(try at("$defs.event")["enum"] as? [String])
    #expect(events.contains("nowPlaying") && events.count > 40)
  }

  @Test func aFileThatIsTooLargeIsRefused() {
    let long = "steps:\n" + String(repeating: "  - wait: 0\n", count: 100_000)
    #expect(throws: ScenarioProblem.self) { try Scenario(yaml: long, file: "x") }
  }

  @Test(arguments: BundledScenarios.names) func aTruncatedOrChangedScenarioIsReadOrRejected(name: String) throws {
    // The scenario `day` is long and has no key that the others lack.
    guard name != "day" else { return }
    let scenario = try #require(try BundledScenarios.scenario(name))
    #expect(scenario.name == name)
    let text = try #require(BundledScenarios.text(name))
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for index in lines.indices {
      for changed in [
        lines[..<index].joined(separator: "\n"),
        (lines[..<index] + ["  ]: {"] + lines[index...]).joined(separator: "\n"),
      ] {
        do { _ = try Scenario(yaml: changed, file: name) } catch { #expect(error.file == name) }
      }
    }
  }

  @Test func aFailedExpectationReportsTheReceivedEvents() throws {
    let scenario = try Scenario(
      yaml: """
        headUnit: {features: [power]}
        steps:
          - expect: {headUnit: identified}
          - expect: {headUnit: powerChanged, values: {BatteryChargeLevel: 7}, within: 2}
        """, file: "mine.yaml")
    let outcome = try BundledScenarioTests.play(scenario)
    guard case .failed(let file, let line, let step, let reason) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(file == "mine.yaml" && line == 4 && step == "expect headUnit powerChanged")
    #expect(
      reason.hasPrefix("expected powerChanged with BatteryChargeLevel 7; received: 5 × powerChanged, the last with"))
    #expect(reason.hasSuffix("BatteryChargeLevel 80"))
  }

  @Test func aRequestThatIsNotListedFailsItsStep() throws {
    let scenario = try Scenario(
      yaml:
        "headUnit: {features: [power]}\nsteps:\n  - expect: {headUnit: identified}\n  - wait: 1\n  - headUnit: {swap: true}\n",
      file: "mine.yaml")
    let outcome = try BundledScenarioTests.play(scenario)
    #expect(
      outcome
        == .failed(
          file: "mine.yaml", line: 5, step: "headUnit swap",
          reason: "the head unit's identification does not list 0x415D"))
  }
}
