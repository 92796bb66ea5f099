// swift-iap2 · Apache-2.0

import Basics
import IAP2Roles
import YAMLForms

/// The steps of a scenario.
struct StepForms {
  /// The steps and events of a higher layer.
  let vocabulary: ScenarioVocabulary

  /// A step without its place.
  struct Content: Sendable {
    var action: Scenario.Step.Action
    var role: Role?
    var text: String
  }

  /// The names of the laboratory's own steps.
  static let names = Set(StepForms(vocabulary: .none).verbs.map(\.name))

  private static func plain(_ name: String, _ summary: String, _ action: Scenario.Step.Action) -> Verb<Content> {
    Verb(name, summary, .done) { Content(action: action, text: name) }
  }

  var verbs: [Verb<Content>] {
    [
      Verb("wait", "Waits, in seconds.", .seconds(0...Scenario.maximumWait)) {
        Content(action: .wait($0), text: "wait")
      },
      Verb("expect", "Waits for an event after those of earlier expectations, or for bytes of the accessory.", expect),
      Verb("never", "Waits for a time, and fails if an event comes after those of earlier expectations.", never),
      role(.phone, "Acts on the phone, or disconnects by its request.", PhoneForms.steps),
      role(.headUnit, "Acts on the head unit, or disconnects by its request.", HeadUnitForms.steps),
      Self.plain("cut", "Pulls the cable, which both transports report.", .cut),
      Self.plain("plug", "Plugs the cable in.", .plug),
      Self.plain("halfOpen", "Pulls the cable while both transports stay open.", .halfOpen),
      Verb(
        "wiFi",
        "Takes the phone out of the range of the car's access point (`lost`), brings it `back`, or lets an `other` phone "
          + "join.", Form<Scenario.WiFiChange>.choice
      ) { Content(action: .wiFi($0), text: "wiFi \($0.rawValue)") },
      Verb("faults", "Changes the faults of the cable from now on.", ConditionForms.changes) { changes in
        Content(
          action: .faults { conditions, side in for (_, change) in changes { change(&conditions, side) } },
          text: "faults \(changes.map(\.words).joined(separator: ", "))")
      },
      Verb("loseNotice", "Loses the next disconnect notification of a side's platform.", Form<Role>.choice) { role in
        Content(action: .loseNotice(role), role: role, text: "loseNotice \(role.rawValue)")
      },
      Verb("notice", "Delivers a disconnect notification of the platform to a side.", Form<Role>.choice) { role in
        Content(action: .notice(role), role: role, text: "notice \(role.rawValue)")
      },
    ]
      + vocabulary.steps.map { step in
        step.verb.map { Content(action: .added($0), role: step.role, text: step.verb.name) }
      }
  }

  /// A step of a side: `disconnect`, or a verb with its argument.
  private func role(_ role: Role, _ summary: String, _ steps: [Verb<Scenario.Step.Action>]) -> Verb<Content> {
    let name = role.rawValue
    let disconnect = Form<String>.choice(["disconnect": name]).map {
      Content(action: .disconnect(role), role: role, text: "\($0) disconnect")
    }
    let verb = Form.one(of: steps, "step of the \(name)").named("\(name)Step").map {
      Content(action: $0.outcome, role: role, text: "\(name) \($0.verb)")
    }
    return Verb(name, summary, .value(disconnect, orKeys: verb))
  }

  // MARK: Expectations

  private static let within = Form<Int>.seconds(0...Scenario.maximumWait)
  private static let standardWait = 5000

  private var expect: Form<Content> {
    let data = Form<Content>.keys(
      .required("data", DataForms.expected), .optional("protocol", .text),
      .key("within", Self.within, or: Self.standardWait)
    ) { _, pattern, name, limit in
      Content(
        action: .expectData(.init(protocolName: name, withinMilliseconds: limit, pattern: pattern)), role: .phone,
        text: "expect data")
    }
    let event = event
    let expectation = Form<Content>.keys(
      .optional("headUnit", event), .optional("phone", event), .key("values", values, or: [:]),
      .key("within", Self.within, or: Self.standardWait), .key("earlier", .flag, or: false)
    ) { fields, headUnit, phone, values, limit, allowsEarlier throws(FileProblem) in
      let (role, event) = try Self.role(headUnit, phone, fields)
      return Content(
        action: .expect(
          .init(
            role: role, event: event, values: values, withinMilliseconds: limit, allowsEarlier: allowsEarlier)),
        role: role,
        text: "expect \(role.rawValue) \(event)")
    }.requiring(oneOf: ["headUnit", "phone"])
    return .keyed([("data", data)], otherwise: expectation)
  }

  private var never: Form<Content> {
    let event = event
    return Form<Content>.keys(
      .optional("headUnit", event), .optional("phone", event), .key("values", values, or: [:]),
      .key("for", Self.within, or: Self.standardWait)
    ) { fields, headUnit, phone, values, time throws(FileProblem) in
      let (role, event) = try Self.role(headUnit, phone, fields)
      return Content(
        action: .never(.init(role: role, event: event, values: values, withinMilliseconds: time)), role: role,
        text: "never \(role.rawValue) \(event)")
    }.requiring(oneOf: ["headUnit", "phone"])
  }

  /// Returns the role of an event with its name, of which one must be given.
  private static func role(
    _ headUnit: String?, _ phone: String?, _ fields: Fields
  ) throws(FileProblem) -> (Role, String) {
    guard (headUnit == nil) != (phone == nil), let event = headUnit ?? phone else {
      throw fields.problem("expected headUnit or phone, the role of the event")
    }
    return (phone == nil ? .headUnit : .phone, event)
  }

  private var event: Form<String> {
    let names = vocabulary.eventNames
    return Form<String>.text.checked { name, value throws(FileProblem) in
      guard names.contains(name) else {
        throw value.problem(
          "no event is called \"\(name)\"\(NearWords.hint(name, names)); the events are "
            + names.sorted().joined(separator: ", "))
      }
      return name
    }.with(.choice(names.sorted())).named("event")
  }

  private var values: Form<[String: String]> {
    let names = vocabulary.valueNames
    return Form<[(name: String, value: String)]>.entries(.text).checked { entries, value throws(FileProblem) in
      for (name, _) in entries where !names.contains(name) {
        throw value.problem(
          "no event has the value \"\(name)\"\(NearWords.hint(name, names)); the values are the parameters"
            + " of the event's message in `iap2 messages`", at: name)
      }
      return Dictionary(entries.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
  }

  // MARK: The list

  /// The maximum number of steps.
  private static let maximumSteps = 10_000

  /// The steps with their places.
  var list: Form<[Scenario.Step]> {
    let step = Form.one(of: verbs, "step").named("step").checked { step, value throws(FileProblem) in
      let content = step.outcome
      return Scenario.Step(
        action: content.action, role: content.role, file: value.file, line: value.line, text: content.text)
    }
    return Form<[Scenario.Step]>.list(step).checked { steps, value throws(FileProblem) in
      guard steps.count <= Self.maximumSteps else {
        throw value.problem("at most \(Self.maximumSteps) steps are allowed")
      }
      return steps
    }
  }
}
