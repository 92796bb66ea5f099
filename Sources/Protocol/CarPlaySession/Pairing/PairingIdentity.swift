// swift-iap2 · Apache-2.0

public import Cryptography

/// The long-term identity of a side: its name and its Ed25519 key.
public struct PairingIdentity: Sendable {
  /// The name, UTF-8 text; a UUID in practice.
  public let identifier: String
  /// The 32 bytes of the private key.
  public let privateKey: Secret
  /// The 32 bytes of the public key.
  public let publicKey: [UInt8]
  private let key: Ed25519PrivateKey

  /// The bytes that a name may have, so that files and lists of pairings have a bound. Ours; a UUID has 36.
  static let identifierByteCounts = 1...255

  /// Creates an identity.
  ///
  /// - Throws: ``PairingProblem/badKey`` for a key that has not 32 bytes.
  public init(identifier: String, privateKey: Secret) throws(PairingProblem) {
    do { key = try Ed25519PrivateKey(privateKey.span) } catch { throw .badKey }
    self.identifier = identifier
    self.privateKey = privateKey
    publicKey = key.publicKey
  }

  func sign(_ bytes: [UInt8]) -> [UInt8] { key.sign(bytes.span) }
}

/// The other side, as it is stored after a pairing.
public struct PairedPeer: Sendable, Hashable, Codable {
  /// The name.
  public var identifier: String
  /// The 32 bytes of its Ed25519 key.
  public var publicKey: [UInt8]

  /// Creates a peer.
  public init(identifier: String, publicKey: [UInt8]) {
    self.identifier = identifier
    self.publicKey = publicKey
  }

  /// Returns whether the peer signed the bytes. An invalid public key verifies no signature.
  func hasSigned(_ bytes: [UInt8], _ signature: [UInt8]) -> Bool {
    Ed25519.isValid(signature.span, of: bytes.span, publicKey: publicKey.span)
  }
}

/// A reason why a pairing does not go on.
public enum PairingProblem: Error, Sendable, Hashable {
  /// The body is no TLV8, or has no state of one byte. A head unit answers it with status 400.
  case malformed
  /// The other side refused with an error of ``PairingError``.
  case refused(UInt8)
  /// A message of another step.
  case unexpectedState(UInt8)
  /// A proof that does not show the password.
  case badProof
  /// A public key that is none, of 0 modulo N, or with a secret of zeros.
  case badPublicKey
  /// A sealed list with a wrong tag, or without the items of its step.
  case badTag
  /// A signature of another key.
  case badSignature
  /// An identifier that is not paired.
  case unknownPeer
  /// Too many failed proofs came before.
  case tooManyTries
  /// A key that has not 32 bytes.
  case badKey
}

/// The errors of pairing messages. Source: CarPlaySession.md#tlv8-errors.
public enum PairingError: UInt8, Sendable, Hashable {
  /// Any other fault, such as a step out of order.
  case unknown = 1
  /// A wrong proof or signature, or an unknown side.
  case authentication
  /// Wait before the next try.
  case backOff
  /// No room for another pairing.
  case maximumPeers
  /// Too many failed proofs.
  case maximumTries
  /// Pairing is not offered now.
  case unavailable
  /// Another pairing goes on.
  case busy
}

/// The head unit's answer to a message of pairing.
public struct PairingAnswer<Result: Sendable>: Sendable {
  /// The body of the answer.
  public var body: [UInt8]
  /// The result of the procedure at its end.
  public var result: Result?
  /// The reason of an answer that refuses.
  public var refusal: PairingProblem?
}

/// The random bytes of a side. A simulation gives the same ones in each run.
public typealias RandomBytes = (_ count: Int) -> [UInt8]
