// swift-iap2 · Apache-2.0

import Basics
import IAP2
import IAP2Formats
import IAP2Roles
import YAMLForms

/// Values of messages that steps of both sides have.
enum MessageForms {
  /// A message: its name in the catalog, or hexadecimal digits with or without 0x.
  static let id = Form<String>.text.checked { text, value throws(FileProblem) in
    guard let id = MessageCatalog.id(named: text) else { throw value.problem(noMessage(text)) }
    return id
  }.named("message")

  /// Values of a form by the message that their key names.
  static func byMessage<Value>(_ form: Form<Value>) -> Form<[UInt16: Value]> {
    Form<[(name: String, value: Value)]>.entries(form).checked { entries, value throws(FileProblem) in
      var byMessage: [UInt16: Value] = [:]
      for (name, one) in entries {
        guard let id = MessageCatalog.id(named: name) else { throw value.problem(noMessage(name), at: name) }
        byMessage[id] = one
      }
      return byMessage
    }
  }

  private static func noMessage(_ name: String) -> String {
    "\"\(name)\" is not a message: use a name from `iap2 messages`, or an id such as \"AE00\""
  }

  /// A raw message: `{id: "0x4154", hex: "…"}`.
  static func raw(_ role: Role) -> Form<Scenario.Step.Action> {
    .keys(.required("id", id), .key("hex", DataForms.hex, or: [])) { _, id, body in
      .raw(role, id: id, body: body)
    }
  }

  static let callService = Form<CallService>.choice([
    "telephony": .telephony, "faceTimeAudio": .faceTimeAudio, "faceTimeVideo": .faceTimeVideo,
  ])

  /// A list of HID usages, each `[page, number]`.
  static let usages = Form<[HIDUsage]>.list(
    Form<[Int]>.list(.integer(0...65_535), count: 2...2, "[page, number]").map { pair in
      HIDUsage(page: UInt16(pair[0]), UInt16(pair[1]))
    })

  /// The identifier of a HID component.
  static let component = Form<Int>.integer(0...65_535).map { UInt16($0) }
  /// The keyboard of the standard head unit.
  static let keyboard: UInt16 = 11
}

extension Form where Value: OpenEnumeration {
  /// One of the named values of a message's enumeration.
  static var named: Form {
    .choice(Dictionary(uniqueKeysWithValues: Value.names.map { ("\($0.1)", Value(rawValue: $0.0)) }))
  }
}
