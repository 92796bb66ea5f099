// swift-iap2 · Apache-2.0

import ArgumentParser
import IAP2
import IAP2Authentication
import IAP2Roles

/// The options for a phone's authentication of accessories, for every command that plays a phone.
struct PhoneOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The CA whose accessories are trusted: test (the project's CA), any, or a CA file in PEM.",
      valueName: "test|any|file"))
  var authentication = "test"

  @Option(
    help: "authentication-first (default without a profile) or identification-first.",
    transform: { text in
      guard let order = SessionOrder(rawValue: text) else {
        throw ValidationError("an order is authentication-first or identification-first, not \(text)")
      }
      return order
    })
  var order: SessionOrder?

  func verifier() throws -> AuthenticationVerifier { try Self.verifier(authentication) }

  /// Returns the verifier of a CA's name or file.
  static func verifier(_ authentication: String) throws -> AuthenticationVerifier {
    switch authentication {
    case "test": return .test
    case "any": return .any
    default:
      do {
        return try AuthenticationVerifier(
          certificateAuthorityPEM: String(decoding: try InputFile.bytes(authentication), as: UTF8.self))
      } catch let error as AuthenticationError { throw CommandFailure(.badInput, "\(authentication): \(error)") }
    }
  }
}
