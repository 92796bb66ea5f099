// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2
import IAP2Roles

/// The keys of scenarios, which the reader accepts, errors list and the JSON Schema contains.
public enum ScenarioSchema {
  static let scenario = ["name", "summary", "headUnit", "phone", "silence", "noticeLoss", "fault", "carPlay", "steps"]
  static let headUnit = ["name", "profile", "features", "protocols", "power", "vehicle", "track"]
  static let phone = ["profile", "order"]
  /// The keys of the phone's initial state, which are also steps.
  static let phoneSettings = [
    "name", "language", "battery", "queue", "libraries", "favorites", "apps", "network", "carPlay", "wirelessCarPlay",
    "sharesNetwork", "bluetooth", "audioRate", "voicemail",
  ]
  static let phoneVerbs = [
    "addItems", "answer", "call", "close", "endNavigation", "exchange", "hangUp", "launch", "lights", "navigate",
    "next", "open", "pause", "play", "quit", "removeItem", "ring", "send", "session", "speed", "write",
  ]
  static let headUnitVerbs = [
    "accept", "close", "dial", "end", "hold", "jump", "keys", "launch", "merge", "mute", "playLibrary", "power",
    "press", "redial",
    "repeat", "report", "requestWiFi", "seek", "send", "session", "shuffle", "swap", "tone", "track", "vehicle",
  ]
  static let steps = ["wait", "expect", "phone", "headUnit", "cut", "plug", "halfOpen", "notice"]
  static let expect = ["headUnit", "phone", "values", "within"]
  static let expectData = ["data", "protocol", "within"]
  static let script = ["expect", "on", "reply", "after", "every", "close"]

  /// The JSON Schema (draft 2020-12) of scenarios and profiles, for editors that complete and check YAML.
  ///
  /// - Parameter vocabulary: the steps and events of a higher layer; none by default.
  public static func schema(_ vocabulary: ScenarioVocabulary = .none) -> String {
    let root = Schema.object([
      "$schema": .text("https://json-schema.org/draft/2020-12/schema"),
      "title": .text("swift-iap2 scenario or profile"),
      "type": .text("object"),
      // A scenario has steps; a file without them is a profile.
      "if": .object(["required": .list([.text("steps")])]), "then": reference("scenario"),
      "else": reference("profile"), "$defs": .object(definitions(vocabulary)),
    ])
    return root.json(indent: "")
  }

  private static func definitions(_ vocabulary: ScenarioVocabulary) -> [String: Schema] {
    [
      "scenario": keys(
        required: ["steps"],
        [
          "name": string, "summary": string, "fault": string, "silence": number(0.001, 3600),
          "noticeLoss": number(0, 1),
          "carPlay": anyOf([
            done,
            keys([
              "generation": choice(Generation.allCases.map { "\($0.rawValue)" }), "display": size, "cluster": size,
              "paired": boolean,
            ]),
          ]),
          "headUnit": keys(headUnitProperties), "phone": keys(phoneProperties),
          "steps": .object(["type": .text("array"), "items": reference("step")]),
        ]),
      "profile": profile, "step": step(vocabulary), "headUnitStep": verbs(headUnitVerbs, headUnitArguments),
      "phoneStep": verbs(phoneSettings + phoneVerbs, phoneArguments.merging(phoneState) { first, _ in first }),
      "data": anyOf([string, one(["text": string, "hex": hex])]),
      "pattern": anyOf([string, one(["text": string, "hex": hex, "pattern": string])]),
      "service": anyOf([
        choice(Scenario.services.keys.sorted()),
        .object(["type": .text("string"), "pattern": .text("^(tcp|unix):.")]),
        array(anyOf([keys(required: ["reply"], scriptEntry), keys(required: ["close"], scriptEntry)])),
      ]),
      "item": keys([
        "id": integer(1, nil), "title": string, "artist": string, "album": string, "genre": string, "composer": string,
        "seconds": number(0.1, 86_400), "artwork": integer(0, 1 << 20),
      ]),
      "contact": keys(
        required: ["number"],
        ["number": scalar, "name": string, "label": string, "service": choice(Scenario.callServices.keys.sorted())]),
      "message": anyOf([string, integer(0, 65_535)]),
      "maneuver": keys(
        required: ["type"],
        [
          "type": choice(ManeuverType.names.map { "\($0.1)" }), "description": string, "road": string,
          "distance": integer(0, 10_000_000), "side": choice(["left", "right"]),
          "junction": choice(["intersection", "roundabout"]), "angles": angles, "exitAngle": integer(-360, 360),
          "exit": scalar,
          "lanes": array(
            keys([
              "status": choice(["notGood", "good", "preferred"]), "angles": angles, "highlight": integer(-360, 360),
            ])),
        ]),
    ]
  }

  // MARK: The sides

  private static var features: Schema {
    anyOf([choice(["all", "standard", "none"]), array(choice(Scenario.features.keys.sorted()))])
  }

  private static var scriptEntry: [String: Schema] {
    [
      "expect": reference("pattern"), "on": reference("pattern"), "reply": reference("data"), "after": seconds,
      "every": seconds, "close": boolean,
    ]
  }

  private static var services: Schema {
    .object(["type": .text("object"), "additionalProperties": reference("service")])
  }

  private static var headUnitProperties: [String: Schema] {
    [
      "name": string, "profile": string, "features": features, "protocols": services, "power": power,
      "vehicle": vehicle, "track": track,
    ]
  }

  private static var phoneProperties: [String: Schema] {
    phoneState.merging(["profile": string, "order": order]) { first, _ in first }
  }

  private static var order: Schema { choice(SessionOrder.allCases.map(\.rawValue)) }

  private static var phoneState: [String: Schema] {
    let flags = ["carPlay", "wirelessCarPlay", "sharesNetwork", "bluetooth"]
    return Dictionary(uniqueKeysWithValues: flags.map { ($0, boolean) }).merging([
      "name": string, "language": string,
      "battery": keys([
        "level": integer(0, 100), "wall": integer(0, 10_000), "car": integer(0, 10_000), "moving": boolean,
        "capacity": integer(100, 100_000),
      ]),
      "queue": array(reference("item")),
      "libraries": anyOf([
        keys(required: ["file"], ["file": string]),
        array(
          keys([
            "name": string, "identifier": string, "items": array(reference("item")),
            "playlists": array(keys(["name": string, "items": array(integer(1, nil))])),
          ])),
      ]),
      "favorites": array(reference("contact")),
      "apps": array(
        keys(
          required: ["name"],
          [
            "name": string, "bundle": string, "protocols": array(string), "carPlay": array(string),
            "running": boolean,
          ])),
      "network": keys(["name": string, "passphrase": string]),
      "audioRate": scalar, "voicemail": integer(0, 255),
    ]) { first, _ in first }
  }

  private static var power: Schema { keys(["current": integer(0, 65_535), "charge": boolean]) }

  private static var vehicle: Schema {
    keys(["range": integer(0, 65_535), "temperature": integer(-32_768, 32_767), "warning": boolean])
  }

  private static var track: Schema {
    anyOf([
      array(array(.object(["type": .text("number")]), count: 3...5)), one(["gpx": string, "nmea": string]),
    ])
  }

  // MARK: Steps

  private static func step(_ vocabulary: ScenarioVocabulary) -> Schema {
    let role = choice(["headUnit", "phone"])
    let events = choice(vocabulary.eventNames.sorted())
    return verbs(
      vocabulary.stepNames,
      vocabulary.steps.mapValues(\.argument).merging([
        "wait": seconds, "cut": done, "plug": done, "halfOpen": done, "notice": role,
        "expect": anyOf([
          keys(["headUnit": events, "phone": events, "values": .object(["type": .text("object")]), "within": seconds]),
          keys(required: ["data"], ["data": reference("pattern"), "protocol": string, "within": seconds]),
        ]),
        "headUnit": anyOf([.object(["const": .text("disconnect")]), reference("headUnitStep")]),
        "phone": anyOf([.object(["const": .text("disconnect")]), reference("phoneStep")]),
      ]) { own, _ in own })
  }

  private static var headUnitArguments: [String: Schema] {
    [
      "accept": choice(["hold", "end"]), "close": string,
      "dial": keys(["number": scalar, "service": choice(Scenario.callServices.keys.sorted())]),
      "end": choice(["one", "all"]), "hold": boolean, "jump": integer(0, 1_000_000),
      "keys": keys(required: ["usages"], ["component": integer(0, 65_535), "usages": usages]), "launch": string,
      "merge": done, "mute": boolean,
      "playLibrary": anyOf([
        .object(["const": .text("all")]), one(["playlist": integer(1, nil), "items": array(integer(1, nil))]),
      ]),
      "power": power, "press": choice(MediaButton.allCases.map(\.rawValue)), "redial": done,
      "repeat": choice(["off", "one", "all"]), "report": array(string), "requestWiFi": done, "seek": number(0, 86_400),
      "send": raw, "session": session(CarPlayStepReader.headUnitVerbs),
      "shuffle": choice(["off", "songs", "albums"]), "swap": done, "tone": scalar, "track": track,
      "vehicle": vehicle,
    ]
  }

  private static var phoneArguments: [String: Schema] {
    let count = integer(1, 1 << 26)
    return [
      "addItems": array(reference("item")), "answer": done, "call": reference("contact"), "close": string,
      "endNavigation": done,
      "exchange": keys(required: ["protocol"], ["protocol": string, "bytes": count, "within": seconds]),
      "hangUp": choice(["normal", "failed", "declined"]), "launch": string,
      "lights": keys(["component": integer(0, 65_535), "usages": usages]),
      "navigate": anyOf([
        keys(required: ["file"], ["file": string]),
        keys(
          required: ["maneuvers"],
          ["destination": string, "start": string, "source": string, "maneuvers": array(reference("maneuver"))]),
      ]),
      "next": done, "open": string, "pause": done, "play": done, "quit": string, "removeItem": integer(1, nil),
      "ring": done, "send": raw, "session": session(CarPlayStepReader.phoneVerbs), "speed": integer(0, 100),
      "write": anyOf([
        keys(required: ["protocol"], ["protocol": string, "bytes": count]),
        keys(required: ["text"], ["text": string, "protocol": string]),
        keys(required: ["hex"], ["hex": hex, "protocol": string]),
      ]),
    ]
  }

  /// A step in the CarPlay session. Its argument is checked when it is read.
  private static func session(_ names: [String]) -> Schema { verbs(names, [:]) }
  private static var size: Schema { array(integer(16, DisplaySettings.maximumSide), count: 2...2) }
  private static var usages: Schema { array(array(integer(0, 65_535), count: 2...2)) }
  private static var angles: Schema { array(integer(-360, 360)) }
  private static var raw: Schema { keys(required: ["id"], ["id": reference("message"), "hex": hex]) }

  // MARK: Profiles

  private static var profile: Schema {
    let milliseconds = integer(0, 60_000)
    return keys([
      "role": choice(["headUnit", "phone"]), "name": string, "summary": string, "evidence": array(string),
      "features": features, "protocols": services, "order": order, "state": keys(phoneState),
      "identification": keys([
        "name": string, "model": string, "manufacturer": string, "serial": scalar, "firmware": scalar,
        "hardware": scalar, "current": integer(0, 65_535), "languages": array(string),
        "sends": array(reference("message")), "receives": array(reference("message")), "usbHost": string,
        "bluetooth": string,
        "protocols": array(
          keys(
            required: ["name"],
            [
              "id": integer(0, 255), "name": string, "match": integer(0, 255), "service": reference("service"),
              "native": boolean,
            ])),
      ]),
      "link": link,
      "timing": keys([
        "interval": milliseconds, "sign": milliseconds,
        "delays": .object(["type": .text("object"), "additionalProperties": milliseconds]),
      ]),
      "quirks": keys([
        "eak": .object(["enum": .list([.number(20), .number(60), .text("20"), .text("60")])]),
        "readsFirstMessageOnly": boolean, "packsMessages": boolean,
        "resetsAbove": keys(
          required: ["messages", "within"], ["messages": integer(1, 1000), "within": integer(1, 60_000)]),
        "waitFor": array(reference("message")),
      ]),
    ])
  }

  private static var link: Schema {
    let sessionTypes = choice(BehaviorReader.sessionTypes.keys.sorted())
    var keys = [
      "sessions": array(
        anyOf([
          sessionTypes,
          keys(required: ["type"], ["id": integer(1, 255), "type": sessionTypes, "version": integer(0, 255)]),
        ]))
    ]
    for key in LinkKey.allCases {
      let number = integer(key.range.lowerBound, key.range.upperBound)
      keys[key.rawValue] = key.isTimeout ? anyOf([number, array(number, count: 2...2)]) : number
    }
    return Self.keys(keys)
  }

  // MARK: Parts

  private static let string = Schema.object(["type": .list([.text("string"), .text("number"), .text("boolean")])])
  private static let scalar = string
  private static let boolean = Schema.object(["type": .text("boolean")])
  /// The value of a step without arguments.
  private static let done = Schema.object(["const": .bool(true)])
  private static let seconds = number(0, Scenario.maximumWait)
  /// Digits alone are a number in YAML.
  private static let hex = string

  private static func reference(_ name: String) -> Schema { .object(["$ref": .text("#/$defs/\(name)")]) }
  private static func anyOf(_ schemas: [Schema]) -> Schema { .object(["anyOf": .list(schemas)]) }
  private static func choice(_ names: [String]) -> Schema { .object(["enum": .list(names.map(Schema.text))]) }

  private static func number(_ least: Double, _ most: Double) -> Schema {
    .object(["type": .text("number"), "minimum": .number(least), "maximum": .number(most)])
  }

  private static func integer(_ least: Int, _ most: Int?) -> Schema {
    var parts: [String: Schema] = ["type": .text("integer"), "minimum": .number(Double(least))]
    if let most { parts["maximum"] = .number(Double(most)) }
    return .object(parts)
  }

  private static func array(_ items: Schema, count: ClosedRange<Int>? = nil) -> Schema {
    var parts: [String: Schema] = ["type": .text("array"), "items": items]
    if let count {
      parts["minItems"] = .number(Double(count.lowerBound))
      parts["maxItems"] = .number(Double(count.upperBound))
    }
    return .object(parts)
  }

  private static func keys(required: [String] = [], _ properties: [String: Schema]) -> Schema {
    var parts: [String: Schema] = [
      "type": .text("object"), "additionalProperties": .bool(false), "properties": .object(properties),
    ]
    if !required.isEmpty { parts["required"] = .list(required.map(Schema.text)) }
    return .object(parts)
  }

  /// A mapping with exactly one of the keys.
  private static func one(_ properties: [String: Schema]) -> Schema {
    guard case .object(var parts) = keys(properties) else { return .bool(true) }
    parts["minProperties"] = .number(1)
    parts["maxProperties"] = .number(1)
    return .object(parts)
  }

  /// A mapping with exactly one of the verbs, each with the schema of its argument.
  private static func verbs(_ names: [String], _ arguments: [String: Schema]) -> Schema {
    one(Dictionary(uniqueKeysWithValues: names.map { ($0, arguments[$0] ?? .bool(true)) }))
  }
}

/// A part of a JSON Schema.
package enum Schema: Sendable, Equatable {
  case text(String)
  case number(Double)
  case bool(Bool)
  case list([Schema])
  case object([String: Schema])

  /// Returns the JSON with sorted keys. Objects without objects in them stand on one line.
  func json(indent: String) -> String {
    switch self {
    case .text(let text): return "\"\(text)\""
    case .number(let number): return number == number.rounded() ? "\(Int(number))" : "\(number)"
    case .bool(let flag): return "\(flag)"
    case .list(let values):
      return "[" + values.map { $0.json(indent: indent) }.joined(separator: ", ") + "]"
    case .object(let parts):
      let inner = indent + "  "
      let lines = parts.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value.json(indent: inner))" }
      let line = "{" + lines.joined(separator: ", ") + "}"
      guard line.count > 100 || line.contains("\n") else { return line }
      return "{\n" + lines.map { inner + $0 }.joined(separator: ",\n") + "\n" + indent + "}"
    }
  }
}
