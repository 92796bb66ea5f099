// swift-iap2 · Apache-2.0

import CarPlayPlatform

/// The introduction of a session: what it is, and what the page can do with it.
package struct LabHello: Encodable, Sendable {
  /// A kind of session.
  package enum Mode: String, Encodable, Sendable {
    /// An app in an emulated car.
    case car
    /// Head unit and phone in memory.
    case scenario
    /// A role on a transport.
    case live
    /// A file.
    case capture
  }

  /// A function of a session for the page.
  package enum Ability: String, Encodable, Sendable {
    case time, seek, input, lines, record, point, restart
  }

  /// A column of the ladder.
  package struct Lane: Encodable, Sendable {
    var id: LabEntry.Lane
    var name: String

    package init(_ id: LabEntry.Lane) {
      self.id = id
      name =
        switch id {
        case .headUnit: "Head unit"
        case .phone: "Phone"
        case .app: "App"
        case .car: "Car"
        }
    }
  }

  /// A step that the user can make, as scenarios have it.
  package struct Verb: Encodable, Sendable {
    var name: String
    var group: String
    var summary: String
    var main: String?
    var arguments: [Argument]
  }

  /// An argument of a step.
  package struct Argument: Encodable, Sendable {
    var name: String
    var type: String
    var isRequired: Bool
    var choices: [String]?
    var minimum, maximum: Double?
  }

  /// A step with its words.
  package struct Line: Encodable, Sendable {
    var label, text, summary: String
    /// The key that makes it while the car's picture has the focus, as the browser names it; nil for none.
    var key: String?

    package init(_ label: String, _ text: String, _ summary: String, key: String? = nil) {
      (self.label, self.text, self.summary, self.key) = (label, text, summary, key)
    }
  }

  /// A fault that can be changed while the session runs. Its value 0 or false switches it off.
  package struct Fault: Encodable, Sendable {
    /// The values of a fault.
    package enum Kind: Sendable, Hashable {
      /// On or off.
      case flag
      /// A chance from 0 to 1.
      case chance
      /// One of these values, in the order of the slider.
      case values([Double], unit: String)
    }

    package var name: String
    package var kind: Kind
    package var summary: String

    package init(name: String, kind: Kind, summary: String) {
      (self.name, self.kind, self.summary) = (name, kind, summary)
    }

    private enum Key: String, CodingKey { case name, kind, summary, values, unit }

    package func encode(to encoder: any Encoder) throws {
      var fields = encoder.container(keyedBy: Key.self)
      try fields.encode(name, forKey: .name)
      try fields.encode(summary, forKey: .summary)
      switch kind {
      case .flag: try fields.encode("flag", forKey: .kind)
      case .chance: try fields.encode("chance", forKey: .kind)
      case .values(let values, let unit):
        try fields.encode("values", forKey: .kind)
        try fields.encode(values, forKey: .values)
        try fields.encode(unit, forKey: .unit)
      }
    }
  }

  private struct Display: Encodable {
    var id: UInt8
    var name: String
  }

  package var mode: Mode
  package var title: String
  package var lanes: [Lane]
  package var verbs: [Verb] = []
  /// Steps as lines of YAML, with their label and what they do.
  package var lines: [Line] = []
  package var faults: [Fault] = []
  /// The failures that app teams have published, with what a click does.
  package var failures: [Failure] = []
  /// The cars that can be chosen, and the present one.
  package var cars: [String] = []
  package var car: String?
  package var abilities: [Ability]
  /// The names of the files that the session makes, as requests have them.
  package var saves: [String] = []
  /// The number of lines that were recorded before the last restart, and can still be saved.
  var earlierLines = 0

  package init(_ mode: Mode, title: String, lanes: [LabEntry.Lane], _ abilities: [Ability]) {
    (self.mode, self.title, self.lanes, self.abilities) = (mode, title, lanes.map(Lane.init), abilities)
  }

  private enum Key: String, CodingKey {
    case type, version, mode, title, lanes, verbs, lines, faults, failures, cars, car, can, saves, displays,
      earlierLines
  }

  /// The version of the messages.
  private static let version = 1

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode("hello", forKey: .type)
    try values.encode(Self.version, forKey: .version)
    try values.encode(mode, forKey: .mode)
    try values.encode(title, forKey: .title)
    try values.encode(lanes, forKey: .lanes)
    try values.encode(verbs, forKey: .verbs)
    try values.encode(lines, forKey: .lines)
    try values.encode(faults, forKey: .faults)
    try values.encode(failures, forKey: .failures)
    try values.encode(cars, forKey: .cars)
    try values.encode(car, forKey: .car)
    try values.encode(abilities, forKey: .can)
    try values.encode(saves, forKey: .saves)
    try values.encode(earlierLines, forKey: .earlierLines)
    try values.encode(LabPicture.Display.allCases.map { Display(id: $0.rawValue, name: "\($0)") }, forKey: .displays)
  }
}

extension LabHello.Verb {
  /// The steps of an app's car.
  static var ofCars: [Self] {
    CarVerb.allCases.filter { $0.isOfScenarios && $0 != .faults && $0 != .wait }.map { verb in
      let form = CarVerbForm.form(of: verb)
      return Self(
        name: verb.rawValue, group: verb.group, summary: form.summary, main: form.main,
        arguments: form.arguments.map(LabHello.Argument.init))
    }
  }
}

extension LabHello.Argument {
  init(_ argument: CarVerbForm.Argument) {
    (name, isRequired) = (argument.name, argument.isRequired)
    switch argument.values {
    case .text, .bytes: type = "text"
    case .whole(let range):
      type = "whole"
      (minimum, maximum) = (Double(range.lowerBound), Double(range.upperBound))
    case .number(let range):
      type = "number"
      (minimum, maximum) = (range.lowerBound, range.upperBound)
    case .flag: type = "flag"
    case .choice(let names): (type, choices) = ("choice", names)
    case .choices(let names): (type, choices) = ("choices", names)
    }
  }
}

extension LabHello.Fault {
  /// The failures of the field that an emulated car has.
  static var ofCars: [Self] {
    CarFaults.switches.map {
      Self(name: $0.name, kind: $0.isChance ? .chance : .flag, summary: CarFaults.summaries[$0.name] ?? "")
    }
  }
}

extension CarVerb {
  /// The heading over the step on the page.
  fileprivate var group: String {
    switch self {
    case .launch, .start, .plug, .unplug, .notice, .open, .policy: "connection"
    case .tap, .tapAt, .tapDashboard, .back, .touchMap, .pan, .panButton, .movePointMap, .touchPart: "touch"
    case .turn, .press, .type, .searchKey, .nowPlaying, .key, .voiceKey: "keys"
    case .home, .otherApp, .bringBack, .dashboard, .cluster, .endGuidance, .alert: "front"
    case .headUnit, .siri: "head unit"
    default: "conditions"
    }
  }
}
