// swift-iap2 · Apache-2.0

package import Cryptography

/// The sealed identities of pairing, for a reader of a capture that knows a secret.
package enum PairingInspection {
  /// Opens the identity in a message of pair-setup (5 or 6) or of pair-verify (2 or 3).
  ///
  /// - Parameters:
  ///   - sealed: The value of the item `encryptedData`.
  ///   - isSetup: Whether the message is of pair-setup.
  ///   - state: The number of the message.
  ///   - secret: The secret of the procedure, as a key log has it.
  /// - Returns: The list; nil if the secret is another one.
  package static func open(_ sealed: [UInt8], isSetup: Bool, state: UInt8, secret: Secret) -> TLV8? {
    let key = isSetup ? PairingCipher.setupKey(secret) : PairingCipher.verifyKey(secret)
    do throws(PairingProblem) {
      return try PairingCipher.open(sealed, key: key, nonce: "\(isSetup ? "PS" : "PV")-Msg0\(state)")
    } catch { return nil }
  }

  /// The values of pair-setup that prove the password.
  package struct SetupProofs: Sendable {
    /// The salt and the public key of the head unit, in message 2.
    package var salt: [UInt8] = [], headUnitKey: [UInt8] = []
    /// The public key and the proof of the phone, in message 3.
    package var phoneKey: [UInt8] = [], phoneProof: [UInt8] = []

    /// Creates values that are not known.
    package init() {}
  }

  /// Returns whether a side signed its identity in pair-setup.
  package static func isSigned(setup list: TLV8, by side: SessionSide, secret: Secret) -> Bool {
    guard let identifier = list[.identifier], let key = list[.publicKey], let signature = list[.signature] else {
      return false
    }
    return PairedPeer(identifier: "", publicKey: key)
      .hasSigned(PairingCipher.setupSigned(secret, by: side, identifier, key), signature)
  }

  /// Returns whether a side signed the keys of pair-verify.
  ///
  /// - Parameters:
  ///   - own: The short-lived key of the side that signed.
  ///   - other: The short-lived key of the other side.
  ///   - publicKey: The long-term key of the side, from pair-setup.
  package static func isSigned(verify list: TLV8, own: [UInt8], other: [UInt8], publicKey: [UInt8]) -> Bool {
    guard let identifier = list[.identifier], let signature = list[.signature] else { return false }
    return PairedPeer(identifier: "", publicKey: publicKey).hasSigned(own + identifier + other, signature)
  }
}
