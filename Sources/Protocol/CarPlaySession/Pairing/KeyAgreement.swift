// swift-iap2 · Apache-2.0

import Cryptography

extension X25519PrivateKey {
  /// Draws a key.
  ///
  /// - Throws: ``PairingProblem/badKey`` if the random bytes are not a key.
  static func drawn(_ random: RandomBytes) throws(PairingProblem) -> Self {
    let bytes = Secret(random(byteCount))
    do { return try Self(bytes.span) } catch { throw .badKey }
  }

  /// Returns the secret that two sides share; nil for bytes that are not a key, or that give a secret of zeros.
  func secret(with other: some Collection<UInt8>) -> Secret? {
    let bytes = Array(other)
    do { return try sharedSecret(with: bytes.span) } catch { return nil }
  }
}
