// swift-iap2 · Apache-2.0

import Basics
package import Cryptography

/// The keys and the sealed parts of pairing messages. Source: CarPlaySession.md#pair-setup-identity,
/// CarPlaySession.md#pair-verify.
package enum PairingCipher {
  /// Returns 32 bytes of HKDF-SHA512.
  static func derive(_ secret: Secret, salt: String, info: String) -> Secret {
    do throws(CryptographyError) {
      return try HKDF.derive(
        .sha512, secret: secret.span, salt: Array(salt.utf8).span, info: Array(info.utf8).span, byteCount: 32)
    } catch { preconditionFailure("32 bytes are within the limit: \(error)") }
  }

  /// Seals a list; the nonce has eight letters.
  package static func seal(_ list: TLV8, key: Secret, nonce: String) -> [UInt8] {
    var bytes = list.bytes
    SealingKey(key).seal(&bytes, nonce: UInt64(littleEndianBytes: nonce.utf8))
    return bytes
  }

  /// Opens a sealed list.
  package static func open(_ bytes: [UInt8]?, key: Secret, nonce: String) throws(PairingProblem) -> TLV8 {
    guard var bytes, SealingKey(key).open(&bytes, nonce: UInt64(littleEndianBytes: nonce.utf8)) else { throw .badTag }
    do { return try TLV8(bytes: bytes) } catch { throw .badTag }
  }

  /// Returns the identity in a sealed list. It must have a known key and a valid signature.
  ///
  /// - Parameters:
  ///   - list: The list.
  ///   - key: Returns the key of a name; nil for an unknown one.
  ///   - signed: Returns the signed bytes for a name and its key.
  static func peer(
    in list: TLV8, key: (_ identifier: String) -> [UInt8]?,
    signed: (_ identifier: [UInt8], _ publicKey: [UInt8]) -> [UInt8]
  ) throws(PairingProblem) -> PairedPeer {
    guard let name = list[.identifier], PairingIdentity.identifierByteCounts.contains(name.count),
      let identifier = String(validating: name, as: UTF8.self),
      let signature = list[.signature]
    else { throw .badTag }
    guard let known = key(identifier), known.count == 32 else { throw .unknownPeer }
    let peer = PairedPeer(identifier: identifier, publicKey: known)
    guard peer.hasSigned(signed(name, known), signature) else { throw .badSignature }
    return peer
  }
}

extension TLV8 {
  /// Reads a pairing message: a list with a state of one byte.
  static func message(_ body: [UInt8]) throws(PairingProblem) -> (list: TLV8, state: UInt8) {
    let list: TLV8
    do { list = try TLV8(bytes: body) } catch { throw .malformed }
    guard let state = list.byte(.state) else { throw .malformed }
    return (list, state)
  }

}

extension PairingAnswer {
  /// Returns an answer that refuses a message of a state.
  static func refusal(of state: UInt8, _ problem: PairingProblem) -> Self {
    let error: PairingError =
      switch problem {
      case .tooManyTries: .maximumTries
      case .unexpectedState: .unknown
      case .transient: .unavailable
      default: .authentication
      }
    return Self(body: TLV8([(.state, [state &+ 1]), (.error, [error.rawValue])]).bytes, refusal: problem)
  }
}
