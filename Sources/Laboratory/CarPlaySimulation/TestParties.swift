// swift-iap2 · Apache-2.0

package import CarPlaySession
import Cryptography
import IAP2Authentication

/// The identities and the coprocessor of sides in memory. They are for simulations and tests, never for real peers.
package enum TestParties {
  /// Returns an identity whose key follows from its name.
  package static func identity(_ name: String) throws(PairingProblem) -> PairingIdentity {
    try PairingIdentity(identifier: name, privateKey: Secret(HashFunction.sha256.hash(Array(name.utf8))))
  }

  /// Signs with the project's test accessory.
  package static func sign(_ bytes: [UInt8]) -> AccessoryEvidence? {
    do throws(AuthenticationError) {
      let evidence = try SoftwareAuthenticator.test.evidence(over: HashFunction.sha256.hash(bytes))
      return AccessoryEvidence(certificate: evidence.certificate, signature: evidence.signature)
    } catch { return nil }
  }

  /// Judges by the project's test CA.
  package static func judge(_ evidence: AuthSetupPhone.Evidence) -> PhoneConfiguration.Verdict {
    do throws(AuthenticationError) {
      try AuthenticationVerifier.test.verify(
        response: evidence.signature, challenge: HashFunction.sha256.hash(evidence.signed),
        certificate: evidence.certificate)
      return .trusted
    } catch {
      switch error {
      case .wrongSignature, .wrongResponseLength: return .badSignature
      default: return .badCertificate
      }
    }
  }
}
