// swift-iap2 · Apache-2.0

import Basics
import CarPlayPlatform
import YAMLForms

/// The conditions of the step `expect`.
enum CarExpectationForms {
  /// The longest wait of an expectation in seconds of real time. The network time-outs of apps are shorter.
  private static let maximumWait = 600.0

  private typealias Change<Value> = @Sendable (inout Value) -> Void

  /// Returns a key whose value is stored in a property.
  private static func key<Root, Value>(
    _ name: String, _ summary: String, _ form: Form<Value>, _ path: any WritableKeyPath<Root, Value> & Sendable
  ) -> Verb<Change<Root>> {
    Verb(name, summary, form) { value in { $0[keyPath: path] = value } }
  }

  /// Returns a key whose value is stored in a property that is nil without the key.
  private static func key<Root, Value>(
    _ name: String, _ summary: String, _ form: Form<Value>, _ path: any WritableKeyPath<Root, Value?> & Sendable
  ) -> Verb<Change<Root>> {
    Verb(name, summary, form) { value in { $0[keyPath: path] = value } }
  }

  private static let texts = Form<[String]>.oneOrMore(.text)

  // MARK: Screens

  private static let kind = Form<ScreenNode.Kind>.choice.named("part")

  private static let screenKeys: [Verb<Change<CarExpectation.Screen>>] = [
    key("kind", "The kind of the whole screen.", kind, \.kind),
    key("shows", "Titles or details of parts.", texts, \.shows),
    key("hides", "Texts that no part shows.", texts, \.hides),
    key("rows", "The titles of all rows in their order.", texts, \.rows),
    key("buttons", "The titles of all buttons in their order.", texts, \.buttons),
    key("cut", "Texts that are shortened.", texts, \.cut),
    key("focus", "The title of the part with the focus.", .text, \.focus),
    key("spinner", "Whether a spinner turns.", .flag, \.spinner),
  ]

  /// The form of a screen: texts that it shows, or a mapping of conditions.
  private static let screen = Form<CarExpectation.Screen>.value(
    texts.map { texts in
      var screen = CarExpectation.Screen()
      screen.shows = texts
      return screen
    },
    orKeys: conditions(screenKeys, CarExpectation.Screen())
  ).named("screen")

  /// Returns the form of a mapping of conditions that is not empty.
  private static func conditions<Value>(_ keys: [Verb<Change<Value>>], _ empty: Value) -> Form<Value> {
    let any = Form.any(of: keys)
    return any.with(any.schema.notEmpty).checked { changes, value throws(FileProblem) in
      guard !changes.isEmpty else {
        throw value.problem(
          "expected a condition; the keys here are \(keys.map(\.name).sorted().joined(separator: ", "))")
      }
      var all = empty
      for change in changes { change(&all) }
      return all
    }
  }

  // MARK: The head unit

  /// The maximum number of lanes of a road.
  private static let maximumLanes = 100

  private static let headUnitKeys: [Verb<Change<CarExpectation.HeadUnit>>] = [
    key("song", "A part of the song's title or artist.", .text, \.song),
    key("playing", "Whether the song plays.", .flag, \.playing),
    key("artwork", "Whether the head unit has the artwork.", .flag, \.artwork),
    key("shuffle", "The mode of shuffle.", Form<HeadUnitDisplay.Song.ShuffleMode>.choice, \.shuffle),
    key("repeat", "The mode of repeat.", Form<HeadUnitDisplay.Song.RepeatMode>.choice, \.repeating),
    key("maneuver", "A part of the next maneuver's text or road.", .text, \.maneuver),
    key("lanes", "The number of lanes at the next maneuver.", .integer(0...maximumLanes), \.lanes),
    key("call", "A part of the other side's name or number in a call.", .text, \.call),
    key("callState", "The state of that call, such as Ringing.", .text, \.callState),
    key("muted", "Whether the microphone is muted.", .flag, \.muted),
    key("location", "Whether the phone has the car's position.", .flag, \.location),
    key("range", "The car's range in km, as the phone has it.", .integer(CarVerbForm.ranges), \.range),
    key(
      "outsideTemperature", "The outside temperature in degrees Celsius, as the phone has it.",
      .integer(CarVerbForm.outsideTemperatures), \.outsideTemperature),
    key("rangeWarning", "Whether the car warns of a short range.", .flag, \.rangeWarning),
    key("empty", "Whether the head unit shows nothing of the phone's apps.", .flag, \.empty),
  ]

  // MARK: The whole

  private static let diagnostic = Form<CarDiagnostic.Kind>.choice.named("report")

  /// The form of a report: its kind, or its kind with a part of its text.
  private static let report = Form<CarExpectation.Report>.value(
    diagnostic.map { CarExpectation.Report(kind: $0) },
    orKeys: .keys(.required("kind", diagnostic), .key("what", .text, or: "")) { _, kind, what in
      CarExpectation.Report(kind: kind, what: what)
    })

  private static let within = key(
    "within", "The longest wait in seconds of real time.", .number(0...maximumWait), \CarExpectation.within)

  private static let keys: [Verb<Change<CarExpectation>>] = [
    key("screen", "The screen.", screen, \.screen), key("dashboard", "The dashboard.", screen, \.dashboard),
    key(
      "headUnit", "What the head unit shows over iAP2.", conditions(headUnitKeys, CarExpectation.HeadUnit()),
      \.headUnit),
    key("called", "Parts of the names of the app's methods that were called, in this order.", texts, \.called),
    key("notCalled", "Parts of the names of the app's methods that were not called.", texts, \.notCalled),
    key("report", "Reports since the start.", .oneOrMore(report), \.reports),
    key("noReport", "Kinds of reports that were not made.", .oneOrMore(diagnostic), \.noReports),
    key("front", "The part of the screen in front.", Form<CarFront>.choice, \.front),
    key("connected", "Whether phone and car are connected.", .flag, \.connected),
    key(
      "staleConnection", "Whether the app still holds a connection that has ended.", .flag, \.staleConnection),
    within,
    key("told", "The former name of called.", texts, \.called),
    key("notTold", "The former name of notCalled.", texts, \.notCalled),
    key("ghost", "The former name of staleConnection.", .flag, \.staleConnection),
  ]

  static let expectation = conditions(keys, CarExpectation()).checked { wanted, value throws(FileProblem) in
    guard try value.entries().contains(where: { $0.name != within.name }) else {
      throw value.problem(
        "expected a condition; the keys here are \(keys.map(\.name).sorted().joined(separator: ", "))")
    }
    return wanted
  }
}
