// swift-iap2 · Apache-2.0

import Basics
import IAP2
import IAP2Roles
import IAP2Runtime
import YAMLForms

/// The profile of a head unit or a phone.
enum ProfileForms {
  /// A profile as its keys fill it.
  struct Draft: Sendable {
    var name: String
    var summary = ""
    var evidence: [String] = []
    var features: HeadUnitFeatures?
    var protocols: [(name: String, value: Scenario.Service)]?
    /// Changes of the head unit and of the services of its protocols.
    var headUnit: [IdentificationForms.Change] = []
    var phone = PhoneProfile()
    var behavior = Behavior()
  }

  typealias Change = @Sendable (inout Draft) -> Void

  /// The form of a profile: that of the role which it names, a head unit by default.
  static let profile: Form<(role: Role, changes: [Change])> = {
    let headUnit = Form.any(of: head + headUnitKeys).named("headUnitProfile")
    let phone = Form.any(of: head + phoneKeys).named("phoneProfile")
    let isPhone = Schema.object([
      "properties": .object(["role": .object(["const": .text(Role.phone.rawValue)])]),
      "required": .list([.text("role")]),
    ])
    let schema = Schema.object(["if": isPhone, "then": phone.schema, "else": headUnit.schema])
    return Form(schema) { value throws(FileProblem) in
      let role = try role.read(value)
      return (role, try (role == .phone ? phone : headUnit).read(value))
    }
  }()

  /// The role of a profile with any keys.
  private static let role = Form<Role>(.bool(true)) { value throws(FileProblem) in
    guard value.isMapping, let named = try value.entries().first(where: { $0.name == "role" }) else { return .headUnit }
    return try Form<Role>.choice.read(named.value)
  }

  private static let head: [Verb<Change>] = [
    Verb("role", "The side: headUnit or phone.", Form<Role>.choice) { _ in { _ in } },
    Verb("name", "The name.", .text) { text in { $0.name = text } },
    Verb("summary", "The description in one line.", .text) { text in { $0.summary = text } },
    Verb("evidence", "The sources of the values.", .list(.text)) { sources in { $0.evidence = sources } },
  ]

  private static let headUnitKeys: [Verb<Change>] = [
    Verb("features", "The features.", HeadUnitForms.features) { features in { $0.features = features } },
    Verb("protocols", "The EA protocols with their services.", HeadUnitForms.protocols) { protocols in
      { $0.protocols = protocols }
    },
    Verb("identification", "What the accessory says about itself.", IdentificationForms.identification) { changes in
      { $0.headUnit += changes }
    },
    Verb("link", "What the accessory offers.", LinkForms.offer) { changes in
      { draft in for change in changes { change(&draft.behavior.link) } }
    },
    Verb("timing", "Delays of messages and of signatures in milliseconds.", BehaviorForms.accessoryTiming) { timing in
      { ($0.behavior.pacing, $0.behavior.signMilliseconds) = (timing.pacing, timing.signMilliseconds) }
    },
    Verb("quirks", "Deviations.", BehaviorForms.accessoryQuirks) { changes in
      { draft in for change in changes { change(&draft) } }
    },
  ]

  private static let phoneKeys: [Verb<Change>] = [
    Verb("order", "Whether authentication or identification comes first.", PhoneForms.order) { order in
      { $0.phone.order = order }
    },
    Verb("state", "The initial state.", Form.any(of: PhoneForms.settings)) { changes in
      { draft in for change in changes { change(&draft.phone.state) } }
    },
    Verb("link", "What the device declares and accepts.", LinkForms.limits) { changes in
      { draft in for change in changes { change(&draft.behavior.link) } }
    },
    Verb("timing", "Delays of messages in milliseconds.", BehaviorForms.timing) { timing in
      { $0.behavior.pacing = timing.pacing }
    },
    Verb("quirks", "Deviations.", Form.any(of: BehaviorForms.quirks)) { changes in
      { draft in for change in changes { change(&draft) } }
    },
  ]
}

/// The deviations and delays of a side.
enum BehaviorForms {
  private static let milliseconds = Form<Int>.integer(0...60_000)

  private static let delays = MessageForms.byMessage(milliseconds)

  private static func timing(
    _ interval: Int?, _ delays: [UInt16: Int]?, sign: Int? = nil
  ) -> Behavior {
    var behavior = Behavior()
    behavior.pacing.interval = interval ?? 0
    behavior.pacing.delays = delays ?? [:]
    behavior.signMilliseconds = sign ?? 0
    return behavior
  }

  static let timing = Form<Behavior>.keys(
    .optional("interval", milliseconds), .optional("delays", delays)
  ) { _, interval, delays in timing(interval, delays) }

  /// Only an accessory has an authentication chip.
  static let accessoryTiming = Form<Behavior>.keys(
    .optional("interval", milliseconds), .optional("delays", delays), .optional("sign", milliseconds)
  ) { _, interval, delays, sign in timing(interval, delays, sign: sign) }

  private static let rate = Form<MessageRate>.keys(
    .required("messages", .integer(1...1000)), .required("within", .integer(1...60_000))
  ) { _, messages, milliseconds in MessageRate(messages: messages, milliseconds: milliseconds) }

  static let quirks: [Verb<ProfileForms.Change>] = [
    Verb("eak", "The first byte of an extended acknowledgement.", Form<Bool>.choice(["20": true, "60": false])) {
      isBare in { $0.behavior.quirks.sendsBareExtendedAcknowledge = isBare }
    },
    Verb("readsFirstMessageOnly", "Reads only the first message of a packet.", .flag) { flag in
      { $0.behavior.quirks.readsFirstMessageOnly = flag }
    },
    Verb("packsMessages", "Puts several messages into a packet.", .flag) { flag in
      { $0.behavior.quirks.packsMessages = flag }
    },
    Verb("resetsAbove", "Resets the link above a rate of messages.", rate) { rate in
      { $0.behavior.quirks.resetsAbove = rate }
    },
  ]

  static let accessoryQuirks = Form.any(
    of: quirks + [
      Verb("waitFor", "Waits for these messages of the phone before it continues.", .list(MessageForms.id)) { ids in
        { $0.headUnit.append { accessory, _ in accessory.waitsFor = Set(ids) } }
      }
    ])
}
