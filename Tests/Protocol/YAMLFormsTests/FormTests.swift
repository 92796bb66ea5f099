// swift-iap2 · Apache-2.0

import Basics
import SchemaSupport
import Testing
import YAMLForms

/// Tests of forms: what the reader takes, the schema takes, and the words say.
@Suite struct FormTests {
  enum Direction: String, CaseIterable { case left, right }

  struct Drive: Sendable, Equatable {
    var speed = 0
    var direction = Direction.left
    var stops: [Double] = []
  }

  static let drive = Form<Drive>.keys(
    .required("speed", .integer(0...200)), .key("direction", Form<Direction>.choice, or: .left),
    .key("stops", .list(.number(-1...1), count: 0...2, "at most 2 stops"), or: [])
  ) { fields, speed, direction, stops throws(FileProblem) in
    guard speed > 0 || stops.isEmpty else { throw fields.problem("a parked car makes no stops") }
    return Drive(speed: speed, direction: direction, stops: stops)
  }.named("drive")

  static let verbs = [
    Verb("drive", "Drives.", drive) { "drives \($0.speed) \($0.direction) \($0.stops)" },
    Verb("park", "Parks.", .done) { "parks" },
    Verb("say", "Says texts.", .oneOrMore(.text)) { "says \($0.joined(separator: "+"))" },
    Verb("wait", "Waits.", .seconds(0...10)) { "waits \($0)" },
    Verb("route", "Names roads.", .entries(.flag)) { "\($0.map { "\($0.name)=\($0.value)" })" },
  ]
  static let step = Form.one(of: verbs, "step").map { "\($0.verb): \($0.outcome)" }

  static func read(_ yaml: String) throws -> String {
    try step.read(YAMLValue(yaml, file: "x.yaml"))
  }

  static func problem(_ yaml: String) -> String? {
    do {
      _ = try read(yaml)
      return nil
    } catch { return (error as? FileProblem)?.description }
  }

  @Test func aValueIsReadByItsForm() throws {
    #expect(try Self.read("drive: {speed: 7, direction: right, stops: [0.5]}") == "drive: drives 7 right [0.5]")
    #expect(try Self.read("drive: {speed: 7}") == "drive: drives 7 left []")
    #expect(try Self.read("park: true") == "park: parks")
    #expect(try Self.read("say: a") == "say: says a")
    #expect(try Self.read("say: [a, b]") == "say: says a+b")
    #expect(try Self.read("wait: 0.25") == "wait: waits 250")
    #expect(try Self.read("route: {A1: true, B2: false}") == "route: [\"A1=true\", \"B2=false\"]")
  }

  /// Values that are refused, with the problem. Those that a schema can refuse are refused by it too.
  @Test(
    arguments: [
      ("drive: {speed: 201}", "x.yaml:1: drive.speed: expected a whole number from 0 to 200", true),
      ("drive: {direction: left}", "x.yaml:1: drive: speed is missing: a whole number from 0 to 200", true),
      ("drive: {speed: 1, direction: up}", "x.yaml:1: drive.direction: \"up\" is not one of left, right", true),
      ("drive: {speed: 1, stops: [0, 0, 0]}", "x.yaml:1: drive.stops: expected at most 2 stops", true),
      ("drive: {speed: 0, stops: [0]}", "x.yaml:1: drive: a parked car makes no stops", false),
      (
        "drive: {sped: 1}",
        "x.yaml:1: drive.sped: unknown key, did you mean \"speed\"?; the keys here are "
          + "direction, speed, stops", true
      ),
      ("park: false", "x.yaml:1: park: expected true", true),
      ("say: []", "x.yaml:1: say: an empty list is not a condition", true),
      (
        "prak: true",
        "x.yaml:1: prak: no step is called \"prak\", did you mean \"park\"?; they are drive, park, "
          + "route, say, wait", true
      ),
      ("{park: true, wait: 1}", "x.yaml:1: expected one step; they are drive, park, route, say, wait", true),
      ("route: [A1]", "x.yaml:1: route: expected keys and values", true),
    ])
  func aProblemHasItsPlaceAndTheAllowedValues(yaml: String, problem: String, isOfSchema: Bool) throws {
    #expect(Self.problem(yaml) == problem)
    let schema = Schema.document("steps", ["anyOf": .list([Self.step.schema])])
    let fault = try SchemaValidator(schema).fault(YAMLValue(yaml, file: "x.yaml"))
    #expect((fault != nil) == isOfSchema)
  }

  @Test func theWordsOfAVerbAreThoseOfItsForm() {
    #expect(Self.verbs[0].words.values == ["drive"])
    #expect(
      Schema.definitions(of: [Self.step.schema])["drive"]?.keyWords == [
        "direction: one of left, right (optional)", "speed: a whole number from 0 to 200",
        "stops: a list, each a number from -1 to 1 (optional)",
      ])
    #expect(Self.verbs[1].words.values == [])
    #expect(Self.verbs[2].words.values == ["a text, or a list, each a text"])
    #expect(Self.verbs[3].words.values == ["a number from 0 to 10"])
  }

  @Test func aValueThatMayStandAloneSaysSo() {
    let turn = Form<Int>.keys(.required("steps", .integer(0...9)), .optional("slow", .flag)) { _, steps, _ in steps }
    #expect(
      Verb("turn", "Turns.", .value(.integer(0...9), orKeys: turn)).words.values == [
        "slow: true or false (optional)", "steps: a whole number from 0 to 9, also alone",
      ])
  }

  @Test func aNumberAmongNamesMayStandWithoutQuotes() throws {
    let form = Form<Int>.choice(["20": 0x20, "60": 0x60])
    let schema = Schema.document("eak", ["anyOf": .list([form.schema])])
    for yaml in ["20", "\"60\""] {
      let value = try YAMLValue(yaml, file: "x.yaml")
      #expect(try form.read(value) > 0)
      #expect(try SchemaValidator(schema).fault(value) == nil)
    }
    #expect(try SchemaValidator(schema).fault(YAMLValue("30", file: "x.yaml")) != nil)
  }

  @Test func aProblemInsideOfAValueHasThatPlace() throws {
    let value = try YAMLValue("a:\n  - b: 1\n  - c: 2\n", file: "x.yaml")
    #expect(value.problem("wrong", at: "a", "1", "c").description == "x.yaml:3: a.1.c: wrong")
    #expect(value.problem("wrong", at: "a", "7", "c").description == "x.yaml:2: a: wrong")
  }
}
