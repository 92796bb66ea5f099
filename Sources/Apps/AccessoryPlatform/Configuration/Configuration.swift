// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Authentication
import IAP2Transports

/// The accessories and the verifier that environment variables name.
///
/// `EXTERNAL_ACCESSORY` has accessories separated by blanks, see ``AccessoryWord``; `EXTERNAL_ACCESSORY_CONFIG` names a
/// file with more of them, see ``ConfigurationFile``. An accessory that is not understood is one problem and no
/// accessory. A file with a fault has no accessories.
struct Configuration {
  var emulated: [EmulatedDescription] = []
  var transports: [TransportDescription] = []
  var verifier = AuthenticationVerifier.test
  /// The faults of the phone.
  var faults = PhoneFaults()
  var problems: [String] = []

  init(environment: [String: String]) {
    for item in (environment["EXTERNAL_ACCESSORY"] ?? "").split(whereSeparator: \.isWhitespace) {
      do throws(ConfigurationProblem) { try add(AccessoryWord(String(item))) } catch {
        problems.append("EXTERNAL_ACCESSORY: \(item): \(error.text)")
      }
    }
    do throws(ConfigurationProblem) {
      if let path = environment["EXTERNAL_ACCESSORY_CONFIG"] {
        let file = try ConfigurationFile(path)
        emulated += file.emulated
        transports += file.transports
        try file.apply(to: &faults)
      }
    } catch { problems.append("EXTERNAL_ACCESSORY_CONFIG: \(error.text)") }
    do throws(ConfigurationProblem) { verifier = try Self.verifier(of: environment) ?? .test } catch {
      problems.append(error.text)
      // Without a verifier, no accessory may connect.
      (emulated, transports) = ([], [])
    }
  }

  private mutating func add(_ word: AccessoryWord) throws(ConfigurationProblem) {
    let text = try FaultText(word.faults)
    try text.apply(to: &faults)
    let plan = text.plan
    switch word.source {
    case .emulated(let source):
      var description = try EmulatedDescription(source, ReadableFile.workingDirectory)
      if let plan { description.faults = plan }
      emulated.append(description)
    case .transport(let text):
      transports.append(TransportDescription(address: try Self.address(text), faults: plan, place: text))
    }
  }

  static func address(_ text: String) throws(ConfigurationProblem) -> AnyTransportAddress {
    do throws(AnyTransportAddress.Problem) {
      let address = try AnyTransportAddress(parsing: text)
      try address.check(.device)
      return address
    } catch { throw ConfigurationProblem(error.description) }
  }

  /// The verifier that the environment of this process names; nil without one.
  static func verifierOfProcess() throws(ConfigurationProblem) -> AuthenticationVerifier? {
    try verifier(of: ProcessInfo.processInfo.environment)
  }

  private static func verifier(of environment: [String: String]) throws(ConfigurationProblem) -> AuthenticationVerifier?
  {
    let variable = "EXTERNAL_ACCESSORY_AUTHENTICATION"
    do throws(ConfigurationProblem) { return try environment[variable].map(verifier) } catch {
      throw ConfigurationProblem("\(variable): \(error.text)")
    }
  }

  /// Returns the verifier for `test`, `any` or the file of a certificate authority.
  static func verifier(_ name: String) throws(ConfigurationProblem) -> AuthenticationVerifier {
    if name == "test" { return .test }
    if name == "any" { return .any }
    let text: String
    do throws(ConfigurationProblem) { text = try ReadableFile.workingDirectory.text(name) } catch {
      throw ConfigurationProblem("\(error.text); the value is test, any or the file of a certificate authority")
    }
    do throws(AuthenticationError) { return try AuthenticationVerifier(certificateAuthorityPEM: text) } catch {
      throw ConfigurationProblem("\(name) has no certificate authority: \(error)")
    }
  }
}

/// An accessory as one word: a transport, `profile:NAME|FILE`, `scenario:NAME|FILE` or `replay:CAPTURE`. Behind a `#`
/// stand faults, of the transport as a fault plan and of the phone as ``PhoneFaults``, and `replay=lenient` for a
/// capture.
struct AccessoryWord {
  enum Source {
    case emulated(EmulatedDescription.Source)
    case transport(String)
  }

  var source: Source
  var faults: String

  private static let lenient = "replay=lenient"

  init(_ text: String) throws(ConfigurationProblem) {
    let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    var items = parts.count > 1 ? parts[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init) : []
    let isLenient = items.contains(Self.lenient)
    items.removeAll { $0 == Self.lenient }
    faults = items.joined(separator: ",")
    if let wrong = items.first(where: { $0.hasPrefix("replay=") }) {
      throw ConfigurationProblem("\"\(wrong)\": replay takes lenient")
    }
    source = .transport(parts[0])
    for kind in EmulatedDescription.Source.Kind.allCases where parts[0].hasPrefix("\(kind.rawValue):") {
      let name = String(parts[0].dropFirst(kind.rawValue.count + 1))
      guard !name.isEmpty else { throw ConfigurationProblem("the name or the file is missing behind the colon") }
      source = .emulated(EmulatedDescription.Source(kind, name, isLenient: isLenient))
    }
    guard isLenient else { return }
    guard case .emulated(let source) = source, source.kind == .replay else {
      throw ConfigurationProblem("\(Self.lenient) goes with replay:CAPTURE")
    }
  }
}
