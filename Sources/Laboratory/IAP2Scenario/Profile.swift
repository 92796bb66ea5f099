// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Roles

/// A head unit or a phone as data: identification or state, link, timing and deviations.
public struct Profile: Sendable {
  /// The role-specific part of a profile.
  public enum Subject: Sendable {
    /// A head unit, with the services of its EA protocols by protocol name.
    case headUnit(HeadUnitProfile, services: [String: Scenario.Service])
    /// A phone.
    case phone(PhoneProfile)
  }

  /// The name of the profile; its file name by default.
  public var name: String
  /// A short description of the profile; empty by default.
  public var summary: String
  /// The sources of the profile's values.
  public var evidence: [String]
  /// The role-specific part.
  public var subject: Subject
  /// The link, the deviations and the timing of the side.
  public var behavior = Behavior()

  /// The role that the profile describes.
  public var role: Role {
    switch subject {
    case .headUnit: .headUnit
    case .phone: .phone
    }
  }

  /// Reads a profile from YAML.
  ///
  /// - Parameters:
  ///   - text: the YAML.
  ///   - file: the name of the file in errors.
  ///   - files: the reader of files that the profile names.
  /// - Throws: the first problem, with its file, line and key.
  public init(yaml text: String, file: String, files: ScenarioFiles = .none) throws(ScenarioProblem) {
    let root = try YAMLValue(text, file: file, files: files)
    let common = ["role", "name", "summary", "evidence", "link", "timing", "quirks"]
    let own: [Role: [String]] = [
      .headUnit: ["features", "protocols", "identification"], .phone: ["order", "state"],
    ]
    // The role determines the other allowed keys.
    let role = try root.fields(common + own.values.joined())["role"]?.choice(Scenario.roles) ?? .headUnit
    let fields = try root.fields(common + (own[role] ?? []))
    name = try fields["name"]?.text() ?? file
    summary = try fields["summary"]?.text() ?? ""
    evidence = []
    for source in try fields["evidence"]?.list() ?? [] { evidence.append(try source.text()) }
    let side: Side
    switch role {
    case .headUnit:
      side = .accessory
      subject = try Self.headUnit(root, fields, &behavior.quirks)
    case .phone:
      side = .device
      subject = try Self.phone(fields, &behavior.quirks)
    }
    if let link = fields["link"] { try BehaviorReader.link(link, of: side, &behavior.link) }
    if let timing = fields["timing"] { try BehaviorReader.timing(timing, signs: role == .headUnit, &behavior) }
  }

  private static func headUnit(
    _ root: YAMLValue, _ fields: [String: YAMLValue], _ quirks: inout EndpointQuirks
  ) throws(ScenarioProblem) -> Subject {
    var (headUnit, services) = try Scenario.plainHeadUnit(
      features: fields["features"], protocols: fields["protocols"])
    if let identification = fields["identification"] {
      try IdentificationReader.identify(identification, &headUnit.identification, &services)
    }
    if let value = fields["quirks"],
      let list = try BehaviorReader.quirks(value, more: ["waitFor"], &quirks)["waitFor"]
    {
      headUnit.waitsFor = Set(try IdentificationReader.ids(list))
    }
    do { _ = try headUnit.identification.encoded() } catch {
      throw (fields["identification"] ?? fields["protocols"] ?? root).problem(
        "the identification is too long for a message")
    }
    return .headUnit(headUnit, services: services)
  }

  private static func phone(
    _ fields: [String: YAMLValue], _ quirks: inout EndpointQuirks
  ) throws(ScenarioProblem) -> Subject {
    var phone = PhoneProfile()
    if let order = fields["order"] { phone.order = try PhoneReader.order(order) }
    if let state = fields["state"] { try PhoneReader.setUp(state, &phone.state) }
    if let value = fields["quirks"] { _ = try BehaviorReader.quirks(value, &quirks) }
    return .phone(phone)
  }
}
