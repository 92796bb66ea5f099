// swift-iap2 · Apache-2.0

import ArgumentParser
import CommandSupport
import IAP2
import IAP2Authentication
import IAP2Roles

/// The options for a phone's authentication of accessories, for every command that plays a phone.
struct PhoneOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The CA whose accessories are trusted: test (the project's CA), any, or a CA file in PEM.",
      valueName: "test|any|file"), completion: .file())
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

  func verifier() throws -> AuthenticationVerifier { try VerifierChoice.verifier(authentication) }
}
