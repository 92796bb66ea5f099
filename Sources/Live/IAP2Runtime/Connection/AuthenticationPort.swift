// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Authentication
import IAP2Roles

/// What a role's authentication rests on: the accessory signs, the device judges.
public enum AuthenticationPort: Sendable {
  case authenticator(any Authenticator)
  case verifier(
    AuthenticationVerifier, makeChallenge: @Sendable (_ byteCount: Int) -> [UInt8] = AuthenticationPort.randomBytes)

  /// Bytes that nobody can foresee.
  public static let randomBytes: @Sendable (_ byteCount: Int) -> [UInt8] = { byteCount in
    var generator = SystemRandomNumberGenerator()
    return (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// Does one action of a policy and gives what to tell it.
  func perform(_ action: RoleAction) async -> RoleInput? {
    do {
      switch (self, action) {
      case (.authenticator(let port), .fetchCertificate): return .certificateReady(try await port.certificate())
      case (.authenticator(let port), .fetchSerialNumber): return .serialNumberReady(try await port.serialNumber())
      case (.authenticator(let port), .sign(let challenge)):
        return .signatureReady(try await port.sign(challenge: challenge))
      case (.verifier(let port, let makeChallenge), .judge(let certificate)):
        let challenge = makeChallenge(try port.challengeByteCount(for: certificate))
        return .certificateJudged(challenge: challenge, reason: nil)
      case (.verifier(let port, _), .verify(let response, let challenge, let certificate)):
        try port.verify(response: response, challenge: challenge, certificate: certificate)
        return .responseJudged(isValid: true, reason: nil)
      default: return nil
      }
    } catch {
      let reason = "\(error)"
      return switch action {
      case .judge: .certificateJudged(challenge: nil, reason: reason)
      case .verify: .responseJudged(isValid: false, reason: reason)
      default: .authenticatorFailed(reason)
      }
    }
  }
}
