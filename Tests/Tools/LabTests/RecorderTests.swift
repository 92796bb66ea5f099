// swift-iap2 · Apache-2.0

import CarPlayControl
import CarPlayPlatform
import Testing

@testable import Lab

@Suite struct RecorderTests {
  /// Actions with every kind of argument.
  private static let actions = [
    CarAction(.policy, ["name": .text("notification")]), CarAction(.launch, ["phoneScene": .flag(true)]),
    CarAction(.tap, ["text": .text("a: \"b\" # \\ ✓")]), CarAction(.tap, ["text": .text("yes")]),
    CarAction(.tapAt, ["kind": .text("map button"), "index": .number(2)]),
    CarAction(.unplug, ["noticed": .flag(false)]), CarAction(.plug),
    CarAction(.pan, ["x": .number(-3.5), "y": .number(0)]),
    CarAction(.panButton, ["direction": .texts(["left", "up"])]), CarAction(.turn, ["steps": .number(-2)]),
    CarAction(.faults, ["loseDisconnect": .number(0.2), "strictOrder": .flag(true)]),
    CarAction(.headUnit, ["latitude": .number(52.5), "longitude": .number(13.4)]),
    CarAction(.siri, ["send": .text("Late"), "to": .text("Ann")]), CarAction(.dashboard, ["shown": .flag(true)]),
    CarAction(.type, ["text": .text("- x")]), CarAction(.key, ["name": .text("next")]), CarAction(.drive),
  ]

  private static func recorder() throws -> ActionRecorder {
    var recorder = ActionRecorder()
    var time = 0.0
    for action in actions {
      recorder.add(action, start: time, end: time + 0.05)
      time += 1.25
    }
    recorder.expect(ScreenNode(.map), isScreen: true, at: time)
    for line in ["expect: {screen: {hides: Gone, rows: [A, B]}, connected: true}", "expect: {staleConnection: true}"] {
      for step in try CarScenario(yaml: "steps:\n  - \(line)\n", file: "step").steps {
        if case .expect(let wanted) = step.work { recorder.expect(line, wanted, at: time) }
      }
    }
    recorder.expect(ScreenNode(.row, "A \"row\": 1"), isScreen: false, at: time)
    return recorder
  }

  @Test("The reader of scenarios reads what was recorded")
  func yaml() throws {
    let text = ScenarioText.scenario(try Self.recorder(), app: "/my app/x", arguments: ["--naive", "a b"], car: "hd")
    let scenario = try CarScenario(yaml: text, file: "recorded.yaml")
    let read = scenario.steps.compactMap { step in if case .action(let action) = step.work { action } else { nil } }
    #expect(read.filter { $0.verb != .wait } == Self.actions)
    #expect(read.filter { $0.verb == .wait }.allSatisfy { $0.number("seconds") == 1.2 })
    #expect(scenario.app == "/my app/x" && scenario.arguments == ["--naive", "a b"] && scenario.car == "hd")
    let expected = scenario.steps.compactMap { step in if case .expect(let wanted) = step.work { wanted } else { nil } }
    #expect(expected[1].screen?.rows == ["A", "B"] && expected[2].staleConnection == true)
    #expect(expected.first?.screen?.kind == .map && expected.last?.screen?.shows == ["A \"row\": 1"])
  }

  @Test("A test in Swift has a line for each step, and its texts are literals")
  func swift() throws {
    let text = SwiftTestText(delegate: "NavigationCode.CarSceneDelegate", category: "navigation", car: "hd")
      .test(try Self.recorder())
    for line in [
      "@testable import NavigationCode", "let car = Car(try CarSettings.profile(\"hd\"))",
      "await car.follow(.notification)", "await car.launch(.navigation, phoneScene: true) { CarSceneDelegate() }",
      #"await car.tap("a: \"b\" # \\ ✓")"#, "await car.tap(.mapButton, at: 2)", "await car.unplug(noticed: false)",
      "await car.pan([.left, .up])", "car.faults.loseDisconnect = 0.2", "car.faults.strictOrder = true",
      "await car.reportLocation(latitude: 52.5, longitude: 13.4)", #"await car.send("Late", to: "Ann")"#,
      "await car.showDashboard()", "await car.wait(.seconds(1.2))", "#expect(car.screen.kind == .map)",
      #"#expect(car.screen.shows("A \"row\": 1"))"#, "#expect(car.isConnected == true)",
      #"#expect(!car.screen.shows("Gone"))"#, #"#expect(car.screen.rows == ["A", "B"])"#,
      "// A test has no line for this: expect: {staleConnection: true}",
    ] {
      #expect(text.contains("    \(line)\n") || text.contains("\n\(line)\n"), "\(line)")
    }
  }

  @Test(
    "The name of a delegate writes no code into a test",
    arguments: ["x\nexit(1).Y", "a b.C", "M.(unknown context at $1).D"])
  func hostileName(name: String) throws {
    let text = SwiftTestText(delegate: name, category: "audio", car: "hd").test(try Self.recorder())
    #expect(
      !text.contains("exit(1)") && !text.contains("@testable") && text.contains("make the app's scene delegate here"))
  }

  @Test("Every step of scenarios has words in a test, or a line that says it has none")
  func allVerbs() {
    for verb in CarVerb.allCases where verb.isOfScenarios && verb != .alert {
      var recorder = ActionRecorder()
      recorder.add(CarAction(verb), start: 0, end: 0)
      let text = SwiftTestText(delegate: nil, category: "audio", car: "standard").test(recorder)
      #expect(!text.contains("// A test has no step"), "\(verb)")
    }
  }

  @Test("A line can be taken back")
  func remove() throws {
    var recorder = try Self.recorder()
    let count = recorder.items.count
    recorder.remove(3)
    recorder.remove(-1)
    recorder.remove(10_000)
    #expect(recorder.items.count == count - 1)
    recorder.removeAll(keeping: 0)
    #expect(recorder.lines.isEmpty && recorder.steps.isEmpty)
  }

  @Test("Every switch of the car's failures has its words on the page")
  func faults() {
    #expect(Set(CarFaults.summaries.keys) == Set(CarFaults.switches.map(\.name)))
  }
}
