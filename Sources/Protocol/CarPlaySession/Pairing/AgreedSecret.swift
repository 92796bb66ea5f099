// swift-iap2 · Apache-2.0

import Basics
public import Cryptography

/// A secret on which the sides of a connection agreed, with the phone's public key, by which a reader of a capture finds
/// its place.
///
/// All keys of a session follow from these secrets and from bytes of the session (CarPlaySession.md#keys).
public struct AgreedSecret: Sendable, Hashable {
  /// A procedure that ends with a secret.
  public enum Procedure: String, Sendable, Hashable, CaseIterable {
    /// The session key K of SRP, 64 bytes, which encrypts the identities in M5 and M6. The phone's key is that of M3.
    case pairSetup = "CARPLAY_PAIR_SETUP"
    /// The X25519 secret of pair-verify, 32 bytes, from which the keys of the channels are derived. The phone's key is
    /// that of M1.
    case pairVerify = "CARPLAY_PAIR_VERIFY"
    /// The X25519 secret of auth-setup, 32 bytes. It encrypts the signature, and the session key of a phone that does not
    /// pair. The phone's key is that of its request.
    case authSetup = "CARPLAY_AUTH_SETUP"

    /// The size of the secret in bytes.
    package var secretByteCount: Int { self == .pairSetup ? 64 : 32 }
  }

  /// The procedure.
  public let procedure: Procedure
  /// The public key that the phone sent.
  public let phoneKey: [UInt8]
  /// The secret.
  public let secret: Secret

  /// Creates a secret.
  package init(procedure: Procedure, phoneKey: [UInt8], secret: Secret) {
    (self.procedure, self.phoneKey, self.secret) = (procedure, phoneKey, secret)
  }
}

extension AgreedSecret {
  /// Reads a line of a key log; nil for another line.
  ///
  /// - Parameter line: The line without its end, in the form of ``keyLogLine``.
  public init?(keyLogLine line: Substring) {
    let words = line.split(separator: " ")
    guard words.count == 3, let procedure = Procedure(rawValue: String(words[0])),
      let phoneKey = Hex.bytes(words[1]), let secret = Hex.bytes(words[2]),
      secret.count == procedure.secretByteCount, !phoneKey.isEmpty
    else { return nil }
    self.init(procedure: procedure, phoneKey: phoneKey, secret: Secret(secret))
  }

  /// The line of a key log: the procedure, the phone's key and the secret, both in hexadecimal digits.
  public var keyLogLine: String { "\(procedure.rawValue) \(Hex.text(phoneKey)) \(Hex.text(secret.bytes))" }
}
