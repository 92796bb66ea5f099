// swift-iap2 · Apache-2.0

public import Basics
import IAP2
public import IAP2Roles
public import YAMLForms

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
    let (role, changes) = try ProfileForms.profile.read(root)
    var draft = ProfileForms.Draft(name: file)
    for change in changes { change(&draft) }
    (name, summary, evidence, behavior) = (draft.name, draft.summary, draft.evidence, draft.behavior)
    guard role == .headUnit else {
      subject = .phone(draft.phone)
      return
    }
    var (headUnit, services) = HeadUnitForms.plain(draft.features, draft.protocols)
    for change in draft.headUnit { change(&headUnit, &services) }
    do { _ = try headUnit.identification.encoded() } catch {
      throw root.problem("the identification is too long for a message", at: "identification")
    }
    subject = .headUnit(headUnit, services: services)
  }
}

extension Scenario {
  /// Lets the side of a profile behave like it below its messages: with its link, its timing, its quirks and its order.
  package mutating func behave(as profile: Profile) {
    switch profile.subject {
    case .headUnit(let accessory, _):
      headUnit.waitsFor = accessory.waitsFor
      headUnitBehavior = profile.behavior
    case .phone(let other):
      phone.order = other.order
      phoneBehavior = profile.behavior
    }
  }
}
