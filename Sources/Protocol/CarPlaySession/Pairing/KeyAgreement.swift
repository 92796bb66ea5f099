// swift-iap2 · Apache-2.0

import Crypto

extension Curve25519.KeyAgreement.PrivateKey {
  /// Draws a key.
  ///
  /// - Throws: ``PairingProblem/badKey`` if the random bytes are no key.
  static func drawn(_ random: RandomBytes) throws(PairingProblem) -> Self {
    do { return try Self(rawRepresentation: random(32)) } catch { throw .badKey }
  }

  /// Returns the secret that two sides share; nil for bytes that are no key, or that give a secret of zeros.
  func secret(with other: some Collection<UInt8>) -> [UInt8]? {
    do {
      let agreed = try sharedSecretFromKeyAgreement(with: .init(rawRepresentation: Array(other)))
      let secret = unsafe agreed.withUnsafeBytes { unsafe Array($0) }
      return secret.contains { $0 != 0 } ? secret : nil
    } catch { return nil }
  }
}
