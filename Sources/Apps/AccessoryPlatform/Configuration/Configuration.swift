// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Authentication
import IAP2Faults
import IAP2Roles
import IAP2Scenario
import IAP2Transports

/// The accessories and the verifier that environment variables name.
///
/// `EXTERNAL_ACCESSORY` has accessories separated by blanks, each a transport or `profile:NAME|FILE`, with an optional
/// fault plan behind `#`. A part that is not understood is one problem and no accessory.
struct Configuration {
  var emulated: [EmulatedDescription] = []
  var transports: [(address: AnyTransportAddress, faults: FaultPlan?)] = []
  var verifier = AuthenticationVerifier.test
  var problems: [String] = []

  init(environment: [String: String]) {
    for item in (environment["EXTERNAL_ACCESSORY"] ?? "").split(whereSeparator: \.isWhitespace) {
      do throws(ConfigurationProblem) { try add(String(item)) } catch {
        problems.append("EXTERNAL_ACCESSORY: \(item): \(error.text)")
      }
    }
    if environment["EXTERNAL_ACCESSORY_CONFIG"] != nil {
      problems.append("EXTERNAL_ACCESSORY_CONFIG is not supported by this version; use EXTERNAL_ACCESSORY")
    }
    do throws(ConfigurationProblem) {
      if let name = environment["EXTERNAL_ACCESSORY_AUTHENTICATION"] { verifier = try Self.verifier(name) }
    } catch { problems.append("EXTERNAL_ACCESSORY_AUTHENTICATION: \(error.text)") }
  }

  private mutating func add(_ item: String) throws(ConfigurationProblem) {
    let parts = item.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let plan = try Self.plan(parts.count > 1 ? parts[1] : "")
    if let name = Self.value(of: parts[0], "profile:") {
      var description = try EmulatedDescription(profile: name)
      description.faults = plan
      emulated.append(description)
    } else if Self.value(of: parts[0], "scenario:") != nil || Self.value(of: parts[0], "replay:") != nil {
      throw ConfigurationProblem("this version has transports and profile: only")
    } else {
      transports.append((try Self.address(parts[0]), plan))
    }
  }

  private static func value(of text: String, _ scheme: String) -> String? {
    text.hasPrefix(scheme) ? String(text.dropFirst(scheme.count)) : nil
  }

  static func plan(_ text: String) throws(ConfigurationProblem) -> FaultPlan? {
    guard !text.isEmpty else { return nil }
    do throws(FaultPlan.Problem) { return try FaultPlan(parsing: text, seed: 1, events: RoleEvent.names) } catch {
      throw ConfigurationProblem("the fault plan \"\(text)\" is wrong: \(error)")
    }
  }

  static func address(_ text: String) throws(ConfigurationProblem) -> AnyTransportAddress {
    do throws(AnyTransportAddress.Problem) {
      let address = try AnyTransportAddress(parsing: text)
      try address.check(.device)
      return address
    } catch { throw ConfigurationProblem(error.description) }
  }

  private static func verifier(_ name: String) throws(ConfigurationProblem) -> AuthenticationVerifier {
    if name == "test" { return .test }
    if name == "any" { return .any }
    let text: String
    do { text = try String(contentsOfFile: name, encoding: .utf8) } catch {
      throw ConfigurationProblem("\(name) is neither test nor any nor a file that can be read")
    }
    do throws(AuthenticationError) { return try AuthenticationVerifier(certificateAuthorityPEM: text) } catch {
      throw ConfigurationProblem("\(name) has no certificate authority: \(error)")
    }
  }
}

extension EmulatedDescription {
  /// Creates the accessory of a bundled profile or of a profile's file.
  package init(profile name: String) throws(ConfigurationProblem) {
    let profile = try Self.profile(name)
    guard case .headUnit(let headUnit, let services) = profile.subject else {
      throw ConfigurationProblem("the profile \(name) is a phone, not an accessory")
    }
    self.init(headUnit: headUnit, services: services.mapValues { .scenario($0) })
    behavior = profile.behavior
  }

  private static func profile(_ name: String) throws(ConfigurationProblem) -> Profile {
    do throws(ScenarioProblem) {
      if let bundled = try BundledProfiles.profile(name) { return bundled }
    } catch { throw ConfigurationProblem(error.description) }
    let text: String
    do { text = try String(contentsOfFile: name, encoding: .utf8) } catch {
      let names = BundledProfiles.names.joined(separator: ", ")
      throw ConfigurationProblem("\(name) is neither a file that can be read nor a profile (\(names))")
    }
    do throws(ScenarioProblem) { return try Profile(yaml: text, file: name) } catch {
      throw ConfigurationProblem(error.description)
    }
  }
}
