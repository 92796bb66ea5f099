// swift-iap2 · Apache-2.0

package import IAP2Authentication

/// The CA whose accessories a phone trusts, as options name it.
package enum VerifierChoice {
  /// Returns the verifier of a CA's name or file.
  package static func verifier(_ authentication: String) throws -> AuthenticationVerifier {
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
