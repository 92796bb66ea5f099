// swift-iap2 · Apache-2.0

import CarPlayPlatform
import Foundation
public import IAP2Scenario

extension CarScenario {
  /// The keys of a scenario.
  static let keys = ["name", "summary", "app", "arguments", "car", "seed", "faults", "steps"]
  /// The largest number of steps.
  static let maximumSteps = 10_000

  /// Reads a scenario.
  ///
  /// - Parameters:
  ///   - text: The YAML, at most 1 MiB.
  ///   - file: The name of the file, for faults.
  /// - Throws: The first fault with its file, line, key and the allowed values.
  public init(yaml text: String, file: String) throws(ScenarioProblem) {
    let root = try YAMLValue(text, file: file)
    let fields = try root.fields(Self.keys)
    name = try fields["name"]?.text() ?? file
    summary = try fields["summary"]?.text() ?? ""
    app = try fields["app"]?.text()
    for argument in try fields["arguments"]?.list() ?? [] { arguments.append(try argument.text()) }
    car = try fields["car"]?.text()
    seed = try fields["seed"]?.integer(0...Int(UInt32.max)) ?? 1
    steps = []
    if let faults = fields["faults"] {
      steps.append(Step(work: .action(try CarStepReader.action(.faults, faults)), file: file, line: faults.line))
    }
    guard let list = fields["steps"] else { throw root.problem("the scenario needs steps") }
    for value in try list.list() {
      let (name, inner) = try value.single(of: ["expect"] + CarVerb.scenarioNames, "step")
      let work: Step.Work
      if let verb = CarVerb(rawValue: name) {
        work = .action(try CarStepReader.action(verb, inner))
      } else {
        work = .expect(try CarStepReader.expectation(inner))
      }
      steps.append(Step(work: work, file: file, line: value.line))
    }
    guard !steps.isEmpty else { throw list.problem("the scenario needs at least one step") }
    guard steps.count <= Self.maximumSteps else { throw list.problem("at most \(Self.maximumSteps) steps are allowed") }
  }
}

/// A reader of steps.
enum CarStepReader {
  /// Reads the arguments of a step: a mapping, the main argument alone, or `true` for none.
  static func action(_ verb: CarVerb, _ value: YAMLValue) throws(ScenarioProblem) -> CarAction {
    let form = CarVerbForm.form(of: verb)
    guard value.isMapping else {
      if let main = form.arguments.first(where: { $0.name == form.main }) {
        return CarAction(verb, [main.name: try argument(main, value)])
      }
      guard form.isComplete else {
        throw value.problem(
          "expected keys and values; the keys here are \(form.arguments.map(\.name).sorted().joined(separator: ", "))")
      }
      try value.confirm()
      return CarAction(verb)
    }
    let fields = try value.fields(form.arguments.map(\.name))
    var action = CarAction(verb)
    for argument in form.arguments {
      guard let field = fields[argument.name] else {
        if argument.isRequired { throw value.problem("\(argument.name) is missing: \(argument.values)") }
        continue
      }
      action.arguments[argument.name] = try Self.argument(argument, field)
    }
    return action
  }

  private static func argument(
    _ argument: CarVerbForm.Argument, _ value: YAMLValue
  ) throws(ScenarioProblem) -> CarValue {
    switch argument.values {
    case .text(let limit), .bytes(let limit): .text(try value.text(atMost: limit))
    case .whole(let range): .number(Double(try value.integer(range)))
    case .number(let range): .number(try value.number(range))
    case .flag: .flag(try value.flag())
    case .choice(let names): .text(try choice(value, names))
    case .choices(let names): .texts(try texts(value) { value throws(ScenarioProblem) in try choice(value, names) })
    }
  }

  private static func choice(_ value: YAMLValue, _ names: [String]) throws(ScenarioProblem) -> String {
    try value.choice(Dictionary(uniqueKeysWithValues: names.map { ($0, $0) }))
  }

  private static func choice<Value: RawRepresentable & CaseIterable>(
    _ value: YAMLValue, _ type: Value.Type
  ) throws(ScenarioProblem) -> Value where Value.RawValue == String {
    try value.choice(Dictionary(uniqueKeysWithValues: Value.allCases.map { ($0.rawValue, $0) }))
  }

  /// Reads one value, or a list of them.
  private static func texts<Value>(
    _ value: YAMLValue, _ read: (YAMLValue) throws(ScenarioProblem) -> Value
  ) throws(ScenarioProblem) -> [Value] {
    guard value.isList else { return [try read(value)] }
    var all: [Value] = []
    for entry in try value.list() { all.append(try read(entry)) }
    return all
  }

  private static func text(_ value: YAMLValue) throws(ScenarioProblem) -> String { try value.text() }

  // MARK: Expectations

  static let expectationKeys = [
    "screen", "dashboard", "headUnit", "told", "notTold", "report", "noReport", "front", "connected", "ghost", "within",
  ]
  static let screenKeys = ["kind", "shows", "hides", "rows", "buttons", "focus", "spinner", "cut"]

  /// The longest wait of an expectation in seconds of real time; an app's network has its own time-outs below.
  private static let maximumWait = 600.0

  static func expectation(_ value: YAMLValue) throws(ScenarioProblem) -> CarExpectation {
    let fields = try value.fields(expectationKeys)
    var wanted = CarExpectation()
    if let field = fields["screen"] { wanted.screen = try screen(field) }
    if let field = fields["dashboard"] { wanted.dashboard = try screen(field) }
    if let field = fields["headUnit"] { wanted.headUnit = try headUnit(field) }
    if let field = fields["told"] { wanted.told = try texts(field, text) }
    if let field = fields["notTold"] { wanted.notTold = try texts(field, text) }
    if let field = fields["report"] { wanted.reports = try texts(field, report) }
    if let field = fields["noReport"] {
      wanted.noReports = try texts(field) { value throws(ScenarioProblem) in
        try choice(value, CarDiagnostic.Kind.self)
      }
    }
    if let field = fields["front"] { wanted.front = try choice(field, CarFront.self) }
    wanted.connected = try fields["connected"]?.flag()
    wanted.ghost = try fields["ghost"]?.flag()
    if let field = fields["within"] { wanted.within = try field.number(0...maximumWait) }
    for (key, field) in fields where ["told", "notTold", "report", "noReport"].contains(key) && field.isList {
      guard !(try field.list().isEmpty) else { throw field.problem("an empty list is no condition") }
    }
    guard fields.keys.contains(where: { $0 != "within" }) else {
      throw value.problem("expected a condition; the keys here are \(expectationKeys.sorted().joined(separator: ", "))")
    }
    return wanted
  }

  private static func report(_ value: YAMLValue) throws(ScenarioProblem) -> CarExpectation.Report {
    guard value.isMapping else { return CarExpectation.Report(kind: try choice(value, CarDiagnostic.Kind.self)) }
    let fields = try value.fields(["kind", "what"])
    guard let kind = fields["kind"] else { throw value.problem("kind is missing") }
    return CarExpectation.Report(
      kind: try choice(kind, CarDiagnostic.Kind.self), what: try fields["what"]?.text() ?? "")
  }

  static let headUnitKeys = [
    "song", "playing", "artwork", "shuffle", "repeat", "maneuver", "lanes", "call", "callState", "muted", "empty",
    "location", "range", "outsideTemperature", "rangeWarning",
  ]
  /// The lanes of a road at most.
  private static let maximumLanes = 100

  private static func headUnit(_ value: YAMLValue) throws(ScenarioProblem) -> CarExpectation.HeadUnit {
    let fields = try value.fields(headUnitKeys)
    guard !fields.isEmpty else {
      throw value.problem("expected a condition; the keys here are \(headUnitKeys.sorted().joined(separator: ", "))")
    }
    var wanted = CarExpectation.HeadUnit()
    wanted.song = try fields["song"]?.text()
    wanted.playing = try fields["playing"]?.flag()
    wanted.artwork = try fields["artwork"]?.flag()
    if let field = fields["shuffle"] { wanted.shuffle = try choice(field, HeadUnitDisplay.Song.ShuffleMode.self) }
    if let field = fields["repeat"] { wanted.repeating = try choice(field, HeadUnitDisplay.Song.RepeatMode.self) }
    wanted.maneuver = try fields["maneuver"]?.text()
    wanted.lanes = try fields["lanes"]?.integer(0...maximumLanes)
    wanted.call = try fields["call"]?.text()
    wanted.callState = try fields["callState"]?.text()
    wanted.muted = try fields["muted"]?.flag()
    wanted.empty = try fields["empty"]?.flag()
    wanted.location = try fields["location"]?.flag()
    wanted.range = try fields["range"]?.integer(CarVerbForm.ranges)
    wanted.outsideTemperature = try fields["outsideTemperature"]?.integer(CarVerbForm.outsideTemperatures)
    wanted.rangeWarning = try fields["rangeWarning"]?.flag()
    return wanted
  }

  private static func screen(_ value: YAMLValue) throws(ScenarioProblem) -> CarExpectation.Screen {
    var wanted = CarExpectation.Screen()
    guard value.isMapping else {
      wanted.shows = try texts(value, text)
      guard !wanted.shows.isEmpty else { throw value.problem("an empty list is no condition") }
      return wanted
    }
    let fields = try value.fields(screenKeys)
    guard !fields.isEmpty else {
      throw value.problem("expected a condition; the keys here are \(screenKeys.sorted().joined(separator: ", "))")
    }
    if let field = fields["kind"] { wanted.kind = try choice(field, ScreenNode.Kind.self) }
    if let field = fields["shows"] { wanted.shows = try texts(field, text) }
    if let field = fields["hides"] { wanted.hides = try texts(field, text) }
    if let field = fields["rows"] { wanted.rows = try texts(field, text) }
    if let field = fields["buttons"] { wanted.buttons = try texts(field, text) }
    if let field = fields["cut"] { wanted.cut = try texts(field, text) }
    wanted.focus = try fields["focus"]?.text()
    wanted.spinner = try fields["spinner"]?.flag()
    return wanted
  }
}
