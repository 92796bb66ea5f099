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

  /// The allowed size of a name in bytes, which bounds files and lists of pairings. Ours; a UUID has 36 bytes.
  static let identifierByteCounts = 1...255

  /// Creates an identity.
  ///
  /// - Throws: ``PairingProblem/badKey`` for a key of another size than 32 bytes.
  public init(identifier: String, privateKey: Secret) throws(PairingProblem) {
    do { key = try Ed25519PrivateKey(privateKey.span) } catch { throw .badKey }
    self.identifier = identifier
    self.privateKey = privateKey
    publicKey = key.publicKey
  }

  func sign(_ bytes: [UInt8]) -> [UInt8] { key.sign(bytes.span) }
}

/// The other side of a pairing, in the form that is stored.
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

/// A reason why a pairing fails.
public enum PairingProblem: Error, Sendable, Hashable {
  /// The body is not a TLV8 list, or has no state of one byte. A head unit answers it with status 400.
  case malformed
  /// The other side refused with an error of ``PairingError``.
  case refused(UInt8)
  /// A message of another step.
  case unexpectedState(UInt8)
  /// A proof that was not made with the password.
  case badProof
  /// A public key that is missing or invalid, is 0 modulo N, or gives a secret of zeros.
  case badPublicKey
  /// A sealed list with a wrong tag, or without the items of its step.
  case badTag
  /// A signature of another key.
  case badSignature
  /// An identifier that is not paired.
  case unknownPeer
  /// Too many proofs failed before, or pair-setup was started too often on the connection.
  case tooManyTries
  /// A key of another size than 32 bytes.
  case badKey
  /// A phone with the name of a paired one has another key.
  case nameTaken
  /// The phone asks for a transient pairing, which CarPlay does not have.
  case transient
}

/// The errors of pairing messages. Source: CarPlaySession.md#tlv8-errors.
public enum PairingError: UInt8, Sendable, Hashable {
  /// Any other fault, such as a step out of order.
  case unknown = 1
  /// A wrong proof or signature, or an unknown side.
  case authentication
  /// The other side must wait before the next try.
  case backOff
  /// No room for another pairing.
  case maximumPeers
  /// Too many failed proofs.
  case maximumTries
  /// Pairing is not offered now.
  case unavailable
  /// Another pairing is in progress.
  case busy
}

/// The head unit's answer to a message of pairing.
public struct PairingAnswer<Result: Sendable>: Sendable {
  /// The body of the answer.
  public var body: [UInt8]
  /// The result of the procedure at its end.
  public var result: Result?
  /// The reason for a refusal; nil for any other answer.
  public var refusal: PairingProblem?
}

/// A source of random bytes. In a simulation it returns the same bytes in each run.
public typealias RandomBytes = (_ count: Int) -> [UInt8]
