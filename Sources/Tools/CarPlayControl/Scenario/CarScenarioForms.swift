// swift-iap2 · Apache-2.0

import Basics
import CarPlayPlatform
import YAMLForms

extension CarVerb {
  /// The form of the step in scenarios: a mapping of its arguments, the main argument alone, or `true` without
  /// arguments.
  var form: Verb<CarAction> {
    let form = CarVerbForm.form(of: self)
    let arguments = form.arguments.map { argument in
      Verb<CarAction.Argument>(argument.name, form.summary, argument.values.form.map { (argument.name, $0) })
    }
    let required = form.arguments.filter(\.isRequired).map(\.name)
    var step = Form.any(of: arguments, required: required).map { action($0) }
    if let main = arguments.first(where: { $0.name == form.main }) {
      step = .value(main.form.map { action([$0]) }, orKeys: step)
    } else if form.isComplete {
      step = .value(Form<Void>.done.map { action([]) }, orKeys: step)
    }
    return Verb(rawValue, form.summary, step)
  }

  private func action(_ arguments: [CarAction.Argument]) -> CarAction {
    CarAction(self, Dictionary(uniqueKeysWithValues: arguments))
  }
}

extension CarAction {
  fileprivate typealias Argument = (String, CarValue)
}

extension CarVerbForm.Values {
  /// The form of the values in YAML.
  fileprivate var form: Form<CarValue> {
    switch self {
    case .text(let limit), .bytes(let limit): Form<String>.text(atMost: limit).map(CarValue.text)
    case .whole(let range): Form<Int>.integer(range).map { .number(Double($0)) }
    case .number(let range): Form<Double>.number(range).map(CarValue.number)
    case .flag: Form<Bool>.flag.map(CarValue.flag)
    case .choice(let names): Self.text(names).map(CarValue.text)
    case .choices(let names): Form<[String]>.oneOrMore(Self.text(names)).map(CarValue.texts)
    }
  }

  private static func text(_ names: [String]) -> Form<String> {
    let form = Form<String>.choice(Dictionary(uniqueKeysWithValues: names.map { ($0, $0) }))
    // The list of part kinds is long, and several steps use it, so it is a named form.
    return names == ScreenNode.Kind.allCases.map(\.rawValue) ? form.named("part") : form
  }
}

/// The forms of a whole scenario of a car with an app.
enum CarScenarioForms {
  /// The maximum number of steps.
  private static let maximumSteps = 10_000

  static let scenario = Form<CarScenario>.keys(
    .optional("name", .text), .key("summary", .text, or: ""), .optional("app", .text),
    .key("arguments", .list(.text), or: []), .optional("car", .text), .key("behavior", behavior, or: [:]),
    .key("seed", .integer(0...Int(UInt32.max)), or: 1), .optional("faults", CarVerb.faults.form.form),
    .required("steps", .list(step, count: 1...maximumSteps, "1 to \(maximumSteps) steps"))
  ) { fields, name, summary, app, arguments, car, behavior, seed, faults, steps throws(FileProblem) in
    let file = fields.value.file
    let first = faults.map { CarScenario.Step(work: .action($0), file: file, line: fields.line(of: "faults")) }
    return CarScenario(
      name: name ?? file, summary: summary, app: app, arguments: arguments, car: car, behavior: behavior, seed: seed,
      steps: (first.map { [$0] } ?? []) + steps)
  }

  /// The changed settings of the car's behavior.
  private static let behavior = Form.any(
    of: CarBehavior.settings.map { setting in
      Verb(setting.name, "A setting of the car's behavior.", setting.values.form.map { (setting.name, $0) })
    }
  ).map { Dictionary(uniqueKeysWithValues: $0) }

  /// The steps of scenarios.
  static let verbs: [Verb<CarScenario.Step.Work>] =
    CarVerb.allCases.filter(\.isOfScenarios).map { verb in verb.form.map { .action($0) } } + [
      Verb("expect", "Waits until conditions hold.", CarExpectationForms.expectation) { .expect($0) }
    ]

  private static let step = Form.one(of: verbs, "step").named("carStep").checked { step, value throws(FileProblem) in
    CarScenario.Step(work: step.outcome, file: value.file, line: value.line)
  }
}
