// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles

/// The keys of scenarios, which the reader accepts, errors list and the JSON Schema contains.
public enum ScenarioSchema {
  static let scenario = ["name", "summary", "headUnit", "phone", "silence", "noticeLoss", "fault", "steps"]
  static let headUnit = ["name", "profile", "features", "protocols", "power", "vehicle", "track"]
  static let phone = ["profile", "order"]
  /// The keys of the phone's initial state, which are also steps.
  static let phoneSettings = [
    "name", "language", "battery", "queue", "libraries", "favorites", "apps", "network", "carPlay", "wirelessCarPlay",
    "sharesNetwork", "bluetooth", "audioRate", "voicemail",
  ]
  static let phoneVerbs = [
    "addItems", "answer", "call", "close", "endNavigation", "exchange", "hangUp", "launch", "lights", "navigate",
    "next", "open", "pause", "play", "quit", "removeItem", "ring", "send", "speed", "write",
  ]
  static let headUnitVerbs = [
    "accept", "close", "dial", "end", "hold", "jump", "keys", "launch", "merge", "mute", "playLibrary", "power",
    "press", "redial",
    "repeat", "report", "requestWiFi", "seek", "send", "shuffle", "swap", "tone", "track", "vehicle",
  ]
  static let steps = ["wait", "expect", "phone", "headUnit", "cut", "plug", "halfOpen", "notice"]
  static let expect = ["headUnit", "phone", "values", "within"]

  /// The JSON Schema (draft 2020-12) of scenarios, for editors that complete and check YAML.
  public static var schema: String {
    let events = string(RoleEvent.names.sorted())
    let features = string(Scenario.features.keys.sorted())
    let services = string(Scenario.Service.allCases.map(\.rawValue))
    return """
      {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "swift-iap2 scenario",
        "type": "object", "required": ["steps"], "additionalProperties": false,
        "properties": {
          "name": {"type": "string"}, "summary": {"type": "string"}, "fault": {"type": "string"},
          "silence": {"type": "number", "exclusiveMinimum": 0},
          "noticeLoss": {"type": "number", "minimum": 0, "maximum": 1},
          "headUnit": {"type": "object", "additionalProperties": false, "properties": {\(
            properties(headUnit, special: [
              "name": #"{"type": "string"}"#, "profile": #"{"type": "string"}"#,
              "features": #"{"anyOf": [{"enum": ["all", "standard", "none"]}, {"type": "array", "items": {"enum": \#(features)}}]}"#,
              "protocols": #"{"type": "object", "additionalProperties": {"enum": \#(services)}}"#,
            ]))}},
          "phone": {"type": "object", "additionalProperties": false, "properties": {\(
            properties(phone + phoneSettings, special: [
              "profile": #"{"type": "string"}"#,
              "order": #"{"enum": ["authentication-first", "identification-first"]}"#
            ]))}},
          "steps": {"type": "array", "items": {"type": "object", "minProperties": 1, "maxProperties": 1,
            "additionalProperties": false, "properties": {
              "wait": {"type": "number", "minimum": 0}, "cut": {"const": true}, "plug": {"const": true},
              "halfOpen": {"const": true}, "notice": {"enum": ["headUnit", "phone"]},
              "expect": {"type": "object", "additionalProperties": false, "properties": {
                "headUnit": {"enum": \(events)}, "phone": {"enum": \(events)},
                "values": {"type": "object"}, "within": {"type": "number", "minimum": 0}}},
              "headUnit": {"anyOf": [{"const": "disconnect"}, {"type": "object", "minProperties": 1, "maxProperties": 1,
                "additionalProperties": false, "properties": {\(properties(headUnitVerbs))}}]},
              "phone": {"anyOf": [{"const": "disconnect"}, {"type": "object", "minProperties": 1, "maxProperties": 1,
                "additionalProperties": false, "properties": {\(properties(phoneSettings + phoneVerbs))}}]}}}}
        }
      }
      """
  }

  private static func string(_ names: [String]) -> String {
    "[" + names.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
  }

  /// Returns the JSON properties of these names, each with its special schema or `true`.
  private static func properties(_ names: [String], special: [String: String] = [:]) -> String {
    names.map { "\"\($0)\": \(special[$0] ?? "true")" }.joined(separator: ", ")
  }
}
