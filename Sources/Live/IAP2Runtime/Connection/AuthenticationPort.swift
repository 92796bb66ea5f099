// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Authentication
import IAP2Roles

/// The provider of a role's authentication: the accessory signs, the device verifies.
public enum AuthenticationPort: Sendable {
  /// The signer of an accessory.
  case authenticator(any Authenticator)
  /// The verifier of a device, and the generator of its challenges.
  case verifier(
    AuthenticationVerifier, makeChallenge: @Sendable (_ byteCount: Int) -> [UInt8] = AuthenticationPort.randomBytes)

  /// Returns bytes of the system's generator for cryptography.
  public static let randomBytes: @Sendable (_ byteCount: Int) -> [UInt8] = { byteCount in
    var generator = SystemRandomNumberGenerator()
    return (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// Performs one action of a policy and returns the input with the result; nil if the port cannot perform the action.
  func perform(_ action: RoleAction) async -> RoleInput? {
    do {
      switch (self, action) {
      case (.authenticator(let port), .fetchCertificate): return .certificateReady(try await port.certificate())
      case (.authenticator(let port), .fetchSerialNumber): return .serialNumberReady(try await port.serialNumber())
      case (.authenticator(let port), .sign(let challenge)):
        return .signatureReady(try await port.sign(challenge: challenge))
      case (.verifier(let port, let makeChallenge), .checkCertificate(let certificate)):
        let challenge = makeChallenge(try port.challengeByteCount(for: certificate))
        return .certificateChecked(challenge: challenge, reason: nil)
      case (.verifier(let port, _), .verify(let response, let challenge, let certificate)):
        try port.verify(response: response, challenge: challenge, certificate: certificate)
        return .responseChecked(isValid: true, reason: nil)
      default: return nil
      }
    } catch {
      let reason = "\(error)"
      return switch action {
      case .checkCertificate: .certificateChecked(challenge: nil, reason: reason)
      case .verify: .responseChecked(isValid: false, reason: reason)
      default: .authenticatorFailed(reason)
      }
    }
  }
}
