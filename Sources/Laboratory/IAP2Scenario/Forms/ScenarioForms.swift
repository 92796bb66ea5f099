// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import IAP2
import IAP2Faults
import IAP2Formats
import IAP2Roles
import YAMLForms

/// A whole scenario.
enum ScenarioForms {
  typealias Change = @Sendable (inout Scenario) -> Void

  /// Returns the form of a scenario with the steps of a vocabulary.
  static func scenario(_ vocabulary: ScenarioVocabulary) -> Form<[Change]> {
    Form.any(of: keys(vocabulary), required: ["steps"])
  }

  /// The keys, in the order in which they apply.
  private static func keys(_ vocabulary: ScenarioVocabulary) -> [Verb<Change>] {
    [
      Verb("name", "The name.", .text) { text in { $0.name = text } },
      Verb("summary", "The purpose in one line.", .text) { text in { $0.summary = text } },
      Verb("headUnit", "The head unit.", headUnit), Verb("phone", "The phone.", phone),
      Verb("behavior", "How the sides behave below their messages.", behavior),
      Verb("silence", "The silence in seconds after which a side probes its peer.", .seconds(0.001...3600)) {
        milliseconds in { $0.life.silenceMilliseconds = milliseconds }
      },
      Verb("noticeLoss", "The probability that the platform loses a disconnect notification.", .number(0...1)) {
        loss in { $0.life.noticeLoss = loss }
      },
      Verb("fault", "The faults of the cable.", fault(vocabulary.eventNames)),
      Verb("carPlay", "The CarPlay sessions beside the link.", carPlay) { settings in { $0.carPlay = settings } },
      Verb("steps", "The steps.", StepForms(vocabulary: vocabulary).list) { steps in { $0.steps = steps } },
    ]
  }

  private static func fault(_ events: Set<String>) -> Form<Change> {
    Form<String>.text.checked { text, value throws(FileProblem) in
      let plan: FaultPlan
      do { plan = try FaultPlan(parsing: text, seed: LifecycleConditions().seed, events: events) } catch {
        throw value.problem((error as? FaultPlan.Problem)?.text ?? "\(error)")
      }
      return { scenario in
        scenario.life.fault = plan
        scenario.life.hasSeed = FaultPlan.namedSeed(in: text) != nil
        scenario.life.seed = plan.seed
      }
    }
  }

  // MARK: The sides

  /// A bundled profile, or a profile's file beside the scenario.
  private static let profile = Form<String>.text.checked { name, value throws(FileProblem) in
    if let bundled = try BundledProfiles.profile(name) { return bundled }
    return try Profile(yaml: try value.textFile(), file: name, files: value.files)
  }

  /// The keys of a scenario's head unit.
  private struct HeadUnitSettings: Sendable {
    var profile: (accessory: HeadUnitProfile, services: [String: Scenario.Service], behavior: Behavior)?
    var name: String?
    var features: HeadUnitFeatures?
    var protocols: [(name: String, value: Scenario.Service)]?
    var changes: [HeadUnitForms.Change] = []
  }

  private typealias HeadUnitSetting = @Sendable (inout HeadUnitSettings) -> Void

  private static let headUnitKeys: [Verb<HeadUnitSetting>] =
    [
      Verb("profile", "A bundled profile, or the file of one; in place of features and protocols.", headUnitProfile),
      Verb("name", "The name.", .text) { text in { $0.name = text } },
      Verb("features", "The features.", HeadUnitForms.features) { features in { $0.features = features } },
      Verb("protocols", "The EA protocols with their services.", HeadUnitForms.protocols) { protocols in
        { $0.protocols = protocols }
      },
    ] + HeadUnitForms.settings.map { setting in setting.map { change in { $0.changes.append(change) } } }

  private static let headUnitProfile = profile.checked { profile, value throws(FileProblem) -> HeadUnitSetting in
    guard case .headUnit(let accessory, let services) = profile.subject else {
      throw value.problem("this is the profile of a phone: name one of a head unit")
    }
    return { $0.profile = (accessory, services, profile.behavior) }
  }

  private static let headUnit = Form.any(of: headUnitKeys).checked { changes, value throws(FileProblem) -> Change in
    var settings = HeadUnitSettings()
    for change in changes { change(&settings) }
    var (accessory, services) = HeadUnitForms.plain(name: settings.name, settings.features, settings.protocols)
    if let profile = settings.profile {
      guard settings.features == nil, settings.protocols == nil else {
        throw value.problem(
          "a profile has its own features and protocols: leave out features and protocols", at: "profile")
      }
      (accessory, services) = (profile.accessory, profile.services)
      if let name = settings.name { accessory.identification.name = name }
    }
    do { _ = try accessory.identification.encoded() } catch {
      throw value.problem("the identification is too long for a message", at: "protocols")
    }
    for change in settings.changes { change(&accessory.state) }
    return { [accessory, services, behavior = settings.profile?.behavior] scenario in
      scenario.headUnit = accessory
      scenario.services = services
      if let behavior { scenario.headUnitBehavior = behavior }
    }
  }

  private static let phoneProfile = profile.checked { profile, value throws(FileProblem) -> Change in
    guard case .phone(let phone) = profile.subject else {
      throw value.problem("this is the profile of a head unit: name one of a phone")
    }
    return { scenario in
      scenario.phone = phone
      scenario.phoneBehavior = profile.behavior
    }
  }

  private static let phoneKeys: [Verb<Change>] = [
    Verb("profile", "A bundled profile, or the file of one; the other keys override it.", phoneProfile),
    Verb("order", "Whether authentication or identification comes first.", PhoneForms.order) { order in
      { $0.phone.order = order }
    },
  ]

  private static let phone = Form.any(
    of: phoneKeys + PhoneForms.settings.map { setting in setting.map { change in { change(&$0.phone.state) } } }
  ).map { changes -> Change in { scenario in for change in changes { change(&scenario) } } }

  // MARK: Behavior

  /// The name of a profile for each side, of which link, timing and quirks are taken.
  private static let behavior = Form.any(of: [
    behavior(of: .headUnit, "The profile of a head unit whose link, timing and quirks are taken."),
    behavior(of: .phone, "The profile of a phone whose order, link, timing and quirks are taken."),
  ]).map { changes -> Change in { scenario in for change in changes { change(&scenario) } } }

  private static func behavior(of role: Role, _ summary: String) -> Verb<Change> {
    Verb(
      role.rawValue, summary,
      profile.checked { profile, value throws(FileProblem) -> Change in
        guard profile.role == role else {
          throw value.problem("this is the profile of a \(profile.role.side.roleName): name one of the other role")
        }
        return { $0.behave(as: profile) }
      })
  }

  // MARK: CarPlay

  private static let display = Form<[Int]>.list(
    .integer(16...DisplaySettings.maximumSide), count: 2...2, "[width, height] in pixels"
  ).map { DisplaySettings(width: $0[0], height: $0[1]) }

  /// `carPlay: true`, or a mapping.
  private static let carPlay = Form<CarPlaySettings>.value(
    Form<Void>.done.map { CarPlaySettings() },
    orKeys: .keys(
      .optional(
        "generation",
        .choice(Dictionary(uniqueKeysWithValues: Generation.allCases.map { ("\($0.rawValue)", $0) }))),
      .optional("display", display), .optional("cluster", display), .key("paired", .flag, or: false),
      .key("wireless", .flag, or: false)
    ) { _, generation, display, cluster, isPaired, isWireless in
      var settings = CarPlaySettings()
      if let generation { settings.generation = generation }
      if let display { settings.displays = [display] }
      if let cluster { settings.displays.append(cluster) }
      (settings.isPaired, settings.isWireless) = (isPaired, isWireless)
      return settings
    })
}
