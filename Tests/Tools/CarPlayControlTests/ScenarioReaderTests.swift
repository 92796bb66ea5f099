// swift-iap2 · Apache-2.0

import CarPlayControl
import CarPlayPlatform
import IAP2Scenario
import Testing

@Suite struct ScenarioReaderTests {
  @Test("Every form of a step is read")
  func steps() throws {
    let scenario = try CarScenario(
      yaml: """
        name: all
        car: knob
        seed: 7
        faults: {loseDisconnect: 0.2, strictOrder: true}
        steps:
          - launch: {phoneScene: true}
          - tap: Home
          - tap: {text: Home, kind: row}
          - turn: -2
          - panButton: [up, left]
          - unplug: {noticed: false}
          - policy: {name: charging, battery: 100}
          - expect: Home
          - expect: {screen: {kind: list, rows: [A, B], spinner: false}, called: didConnect, within: 0.5}
          - expect: {report: [cut, {kind: text, what: long}], noReport: thread, front: app, staleConnection: true}
        """.replacing("- expect: Home", with: "- expect: {screen: Home}"), file: "all.yaml")
    #expect(scenario.car == "knob" && scenario.seed == 7 && scenario.steps.count == 11)
    let actions = scenario.steps.compactMap { if case .action(let action) = $0.work { action } else { nil } }
    #expect(
      actions.map(\.description) == [
        "faults loseDisconnect: 0.2 strictOrder: true", "launch phoneScene: true", "tap \"Home\"",
        "tap \"Home\" kind: \"row\"", "turn -2", "panButton [up, left]", "unplug noticed: false",
        "policy \"charging\" battery: 100",
      ])
    #expect(actions.allSatisfy { $0.problem == nil })
    #expect(scenario.steps.last?.place == "all.yaml:15")
    guard case .expect(let wanted) = scenario.steps[10].work else { return #expect(Bool(false)) }
    #expect(wanted.reports == [.init(kind: .cut), .init(kind: .text, what: "long")] && wanted.staleConnection == true)
  }

  @Test("The former names of expectations mean the same")
  func formerNames() throws {
    func wanted(_ keys: String) throws -> CarExpectation {
      let scenario = try CarScenario(yaml: "app: App\nsteps:\n  - expect: {\(keys)}", file: "s.yaml")
      guard case .expect(let wanted)? = scenario.steps.first?.work else { throw Missing() }
      return wanted
    }
    struct Missing: Error {}
    let (old, new) = (
      try wanted("told: a, notTold: b, ghost: true"), try wanted("called: a, notCalled: b, staleConnection: true")
    )
    #expect(old.called == new.called && old.notCalled == new.notCalled)
    #expect(old.staleConnection == true && new.staleConnection == true)
  }

  @Test("A scenario names its app, and expects what the head unit shows")
  func headUnit() throws {
    let scenario = try CarScenario(
      yaml: """
        app: ../radio
        arguments: [--station, Jazz]
        steps:
          - headUnit: next
          - headUnit: {position: 30}
          - headUnit: {latitude: 52.5, longitude: 13.4, speed: 13, range: 40, rangeWarning: true}
          - siri: {send: Late, to: Ann}
          - expect: {headUnit: {song: Blue, playing: true, lanes: 3, callState: Ringing}}
          - expect: {headUnit: {shuffle: off, repeat: one, muted: true, location: true, range: 40, outsideTemperature: -3}}
        """, file: "s.yaml")
    #expect(scenario.app == "../radio" && scenario.arguments == ["--station", "Jazz"])
    let actions = scenario.steps.compactMap { if case .action(let action) = $0.work { action } else { nil } }
    #expect(
      actions.map(\.description) == [
        "headUnit \"next\"", "headUnit position: 30",
        "headUnit latitude: 52.5 longitude: 13.4 speed: 13 range: 40 rangeWarning: true",
        "siri send: \"Late\" to: \"Ann\"",
      ])
    #expect(actions.allSatisfy { $0.problem == nil })
    guard case .expect(let wanted) = scenario.steps[4].work else { return #expect(Bool(false)) }
    #expect(wanted.headUnit?.song == "Blue" && wanted.headUnit?.playing == true && wanted.headUnit?.lanes == 3)
    #expect(wanted.headUnit?.callState == "Ringing" && wanted.headUnit?.call == nil)
    guard case .expect(let car) = scenario.steps[5].work else { return #expect(Bool(false)) }
    #expect(car.headUnit?.shuffle == .off && car.headUnit?.repeating == .one && car.headUnit?.muted == true)
    #expect(car.headUnit?.location == true && car.headUnit?.range == 40 && car.headUnit?.outsideTemperature == -3)
  }

  @Test(
    "A fault has its file, line and key, and the allowed words",
    arguments: [
      ("steps: [{tab: Home}]", "s.yaml:1: steps.0.tab: no step is called \"tab\", did you mean", "tapAt"),
      ("stepz: []", "s.yaml:1: stepz: unknown key, did you mean \"steps\"", "summary"),
      ("name: x\nsummary: y", "s.yaml:1: steps is missing: a list, each carStep", ""),
      ("steps:\n  - home: now", "s.yaml:2: steps.0.home: expected true", ""),
      ("steps:\n  - home: {a: 1}", "s.yaml:2: steps.0.home.a: unknown key", ""),
      ("steps:\n  - tapAt: row", "s.yaml:2: steps.0.tapAt: expected keys and values", "index, kind"),
      ("steps:\n  - tapAt: {kind: row}", "s.yaml:2: steps.0.tapAt: index is missing", "from 0 to 10000"),
      ("steps:\n  - tap: {text: A, kind: raw}", "s.yaml:2: steps.0.tap.kind: \"raw\" is not one of", "map button"),
      ("steps:\n  - turn: fast", "s.yaml:2: steps.0.turn: expected a whole number from -1000 to 1000", ""),
      ("steps:\n  - wait: 1e9", "s.yaml:2: steps.0.wait: expected a number from 0.0 to 86400.0", ""),
      ("steps:\n  - appearance: blue", "s.yaml:2: steps.0.appearance: \"blue\" is not one of dark, light", ""),
      ("steps:\n  - key: louder", "s.yaml:2: steps.0.key: \"louder\" is not one of", "playPause"),
      ("steps:\n  - begin: {car: x}", "s.yaml:2: steps.0.begin: no step is called \"begin\"", "launch"),
      ("steps:\n  - panButton: [up, in]", "s.yaml:2: steps.0.panButton.1: \"in\" is not one of", "down"),
      ("faults: {lose: 1}\nsteps: []", "s.yaml:1: faults.lose: unknown key", "loseDisconnect"),
      (
        "faults: {loseDisconnect: 2}\nsteps: []", "s.yaml:1: faults.loseDisconnect: expected a number from 0.0 to 1.0",
        ""
      ),
      ("faults: {strictOrder: 1}\nsteps: []", "s.yaml:1: faults.strictOrder: expected true or false", ""),
      ("seed: -1\nsteps: []", "s.yaml:1: seed: expected a whole number", ""),
      ("steps:\n  - expect: {}", "s.yaml:2: steps.0.expect: expected a condition", "noReport"),
      ("steps:\n  - expect: {called: []}", "s.yaml:2: steps.0.expect.called: an empty list is not a condition", ""),
      ("steps:\n  - expect: {screen: {}}", "s.yaml:2: steps.0.expect.screen: expected a condition", "shows"),
      ("steps:\n  - expect: {within: 1}", "s.yaml:2: steps.0.expect: expected a condition", "screen"),
      ("steps:\n  - expect: {sreen: A}", "s.yaml:2: steps.0.expect.sreen: unknown key, did you mean \"screen\"", ""),
      ("steps:\n  - expect: {front: car}", "s.yaml:2: steps.0.expect.front: \"car\" is not one of", "otherApp"),
      ("steps:\n  - expect: {report: bad}", "s.yaml:2: steps.0.expect.report: \"bad\" is not one of", "lifecycle"),
      ("steps:\n  - expect: {report: {what: a}}", "s.yaml:2: steps.0.expect.report: kind is missing", ""),
      ("steps:\n  - expect: {screen: {row: A}}", "s.yaml:2: steps.0.expect.screen.row: unknown key", "rows"),
      ("steps:\n  - headUnit: louder", "s.yaml:2: steps.0.headUnit: \"louder\" is not one of", "accept"),
      ("steps:\n  - expect: {headUnit: {}}", "s.yaml:2: steps.0.expect.headUnit: expected a condition", "callState"),
      ("steps:\n  - expect: {headUnit: {lanes: -1}}", "s.yaml:2: steps.0.expect.headUnit.lanes: expected", ""),
      ("steps:\n  - headUnit: {latitude: 91}", "s.yaml:2: steps.0.headUnit.latitude: expected a number", "90"),
      ("steps:\n  - expect: {headUnit: {repeat: two}}", "s.yaml:2: steps.0.expect.headUnit.repeat: \"two\"", "one"),
      ("app: [a]\nsteps: []", "s.yaml:1: app: expected", ""),
      ("steps:\n  - expect: {connected: maybe}", "s.yaml:2: steps.0.expect.connected: expected true or false", ""),
      ("steps:\n  - home", "s.yaml:2: steps.0: expected one step", "home"),
      ("steps:\n  - {home: true, back: true}", "s.yaml:2: steps.0: expected one step", ""),
      ("steps: home", "s.yaml:1: steps: expected a list", ""),
      ("steps:\n\t- home: true", "s.yaml:2: the line is indented with a tab", ""),
      ("", "s.yaml: the file is empty", ""),
      ("seed: 1\nseed: 2\nsteps: []", "s.yaml:1: keys are repeated: seed", ""),
    ])
  func faults(yaml: String, start: String, words: String) throws {
    let problem = #expect(throws: ScenarioProblem.self) { try CarScenario(yaml: yaml, file: "s.yaml") }
    let text = try #require(problem).description
    #expect(text.hasPrefix(start) && (words.isEmpty || text.contains(words)), "\(text)")
  }

  @Test("A scenario that is too large is refused")
  func tooLarge() {
    let steps = String(repeating: "  - home: true\n", count: 10_001)
    for yaml in ["steps:\n" + steps, "steps: []\n#" + String(repeating: "x", count: 1 << 20)] {
      #expect(throws: ScenarioProblem.self) { try CarScenario(yaml: yaml, file: "s.yaml") }
    }
  }

  @Test("The shipped scenarios are read under their own names", arguments: BundledCarScenarios.names)
  func shipped(name: String) throws {
    let scenario = try #require(try BundledCarScenarios.scenario(name))
    #expect(scenario.name == name && !scenario.summary.isEmpty && !scenario.steps.isEmpty)
  }
}
