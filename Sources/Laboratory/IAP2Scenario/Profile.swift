// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Roles

/// A head unit or a phone as data: what it says of itself, how its link is, and what is peculiar about it.
public struct Profile: Sendable {
  public enum Subject: Sendable {
    /// With what its EA protocols do.
    case headUnit(HeadUnitProfile, services: [String: Scenario.Service])
    case phone(PhoneProfile)
  }

  public var name: String
  public var summary: String
  /// Where its facts come from.
  public var evidence: [String]
  public var subject: Subject
  public var conduct = Conduct()

  public var role: Scenario.Role {
    switch subject {
    case .headUnit: .headUnit
    case .phone: .phone
    }
  }

  /// Reads a profile; every error names the file, the line and the key.
  public init(yaml text: String, file: String, files: ScenarioFiles = .none) throws(ScenarioProblem) {
    let root = try YAMLValue(text, file: file, files: files)
    let common = ["role", "name", "summary", "evidence", "link", "timing", "quirks"]
    let own: [Scenario.Role: [String]] = [
      .headUnit: ["features", "protocols", "identification"], .phone: ["order", "state"],
    ]
    // First only the role, which says what else may stand here.
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
      subject = try Self.headUnit(root, fields, &conduct.quirks)
    case .phone:
      side = .device
      subject = try Self.phone(fields, &conduct.quirks)
    }
    if let link = fields["link"] { try ConductReader.link(link, of: side, &conduct.link) }
    if let timing = fields["timing"] { try ConductReader.timing(timing, signs: role == .headUnit, &conduct) }
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
      let list = try ConductReader.quirks(value, more: ["waitFor"], &quirks)["waitFor"]
    {
      headUnit.waitsFor = Set(try IdentificationReader.ids(list))
    }
    do { _ = try headUnit.identification.encoded() } catch {
      throw (fields["identification"] ?? fields["protocols"] ?? root).problem("longer than a message has room for")
    }
    return .headUnit(headUnit, services: services)
  }

  private static func phone(
    _ fields: [String: YAMLValue], _ quirks: inout EndpointQuirks
  ) throws(ScenarioProblem) -> Subject {
    var phone = PhoneProfile()
    if let order = fields["order"] { phone.order = try PhoneReader.order(order) }
    if let state = fields["state"] { try PhoneReader.setUp(state, &phone.state) }
    if let value = fields["quirks"] { _ = try ConductReader.quirks(value, &quirks) }
    return .phone(phone)
  }
}
