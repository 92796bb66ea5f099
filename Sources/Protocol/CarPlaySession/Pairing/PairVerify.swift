// swift-iap2 · Apache-2.0

public import Cryptography

/// The short-lived keys of a connection, and the secret that follows from them. Source: CarPlaySession.md#pair-verify.
private struct VerifyKeys: Sendable {
  let shared: Secret
  let own, other: [UInt8]

  /// Agrees on the secret of two X25519 keys.
  ///
  /// - Throws: ``PairingProblem/badPublicKey`` for an invalid key, and for one that gives a secret of zeros.
  init(privateKey: X25519PrivateKey, other: [UInt8]?) throws(PairingProblem) {
    guard let other, let secret = privateKey.secret(with: other) else { throw .badPublicKey }
    (shared, own, self.other) = (secret, privateKey.publicKey, other)
  }

  private var encryption: Secret { PairingCipher.verifyKey(shared) }

  func sealed(_ identity: PairingIdentity, nonce: String) throws(PairingProblem) -> [UInt8] {
    let name = Array(identity.identifier.utf8)
    let signature = identity.sign(own + name + other)
    return PairingCipher.seal(TLV8([(.identifier, name), (.signature, signature)]), key: encryption, nonce: nonce)
  }

  func peer(
    _ sealed: [UInt8]?, nonce: String, _ key: (_ identifier: String) -> [UInt8]?
  ) throws(PairingProblem) -> PairedPeer {
    let list = try PairingCipher.open(sealed, key: encryption, nonce: nonce)
    return try PairingCipher.peer(in: list, key: key) { name, _ in other + name + own }
  }
}

extension PairingCipher {
  /// Returns the key of the sealed identities of pair-verify.
  ///
  /// - Parameter shared: The X25519 secret.
  package static func verifyKey(_ shared: Secret) -> Secret {
    derive(shared, salt: "Pair-Verify-Encrypt-Salt", info: "Pair-Verify-Encrypt-Info")
  }
}

/// The result of pair-verify: the peer of the connection, and the secret from which the keys of the connection are
/// derived.
public struct VerifiedPeer: Sendable, Hashable {
  /// The other side.
  public var peer: PairedPeer
  /// The 32 bytes that both sides share.
  public var secret: Secret

  /// Creates the result.
  public init(peer: PairedPeer, secret: Secret) { (self.peer, self.secret) = (peer, secret) }
}

/// The head unit's side of pair-verify.
public struct PairVerifyHeadUnit: Sendable {
  private let identity: PairingIdentity
  private var keys: VerifyKeys?
  private var agreed: AgreedSecret?

  /// Creates a side.
  public init(_ identity: PairingIdentity) { self.identity = identity }

  /// Removes and returns the secret on which the sides have agreed since the last call; nil if there is none.
  public mutating func takeAgreed() -> AgreedSecret? { agreed.take() }

  /// Answers a message of the phone. An invalid message resets the procedure.
  ///
  /// - Parameters:
  ///   - body: The message.
  ///   - stored: Returns the key of a paired phone; nil for an unknown one.
  ///   - random: The random bytes.
  /// - Returns: The answer, with the phone once it is verified. The channel is encrypted after that answer.
  /// - Throws: ``PairingProblem/malformed`` for a body that is not a pairing message.
  public mutating func answer(
    _ body: [UInt8], stored: (_ identifier: String) -> [UInt8]?, _ random: RandomBytes
  ) throws(PairingProblem) -> PairingAnswer<VerifiedPeer> {
    let (list, number) = try TLV8.message(body)
    let before = keys
    keys = nil
    do throws(PairingProblem) {
      switch (number, before) {
      case (1, _):
        let made = try VerifyKeys(privateKey: try .drawn(random), other: list[.publicKey])
        agreed = AgreedSecret(procedure: .pairVerify, phoneKey: made.other, secret: made.shared)
        let sealed = try made.sealed(identity, nonce: "PV-Msg02")
        keys = made
        return PairingAnswer(body: TLV8([(.state, [2]), (.publicKey, made.own), (.encryptedData, sealed)]).bytes)
      case (3, let keys?):
        let peer = try keys.peer(list[.encryptedData], nonce: "PV-Msg03", stored)
        let verified = VerifiedPeer(peer: peer, secret: keys.shared)
        return PairingAnswer(body: TLV8([(.state, [4])]).bytes, result: verified)
      default: throw .unexpectedState(number)
      }
    } catch { return .refusal(of: number, error) }
  }
}

/// The phone's side of pair-verify.
public struct PairVerifyPhone: Sendable {
  private enum State: Sendable {
    case start
    case key(X25519PrivateKey)
    case verified(VerifiedPeer)
    case over
  }

  private let identity: PairingIdentity
  private let headUnits: [String: [UInt8]]
  private var state = State.start
  private var agreed: AgreedSecret?

  /// Creates a side that expects one of the paired head units, whose keys are given by their identifiers.
  public init(_ identity: PairingIdentity, headUnits: [String: [UInt8]]) {
    (self.identity, self.headUnits) = (identity, headUnits)
  }

  /// Removes and returns the secret on which the sides have agreed since the last call; nil if there is none.
  public mutating func takeAgreed() -> AgreedSecret? { agreed.take() }

  /// Starts pair-verify and returns the first message.
  ///
  /// - Throws: ``PairingProblem/badKey`` if the random bytes are not a key.
  public mutating func begin(_ random: RandomBytes) throws(PairingProblem) -> [UInt8] {
    let key = try X25519PrivateKey.drawn(random)
    state = .key(key)
    return TLV8([(.state, [1]), (.publicKey, key.publicKey)]).bytes
  }

  /// The step that follows an answer.
  public enum Step: Sendable, Hashable {
    /// The next message.
    case send([UInt8])
    /// The end: the channel is encrypted from now on.
    case verified(VerifiedPeer)
  }

  /// Processes an answer of the head unit.
  ///
  /// - Throws: The reason why the phone closes the connection. After ``PairingProblem/refused(_:)`` or
  ///   ``PairingProblem/unknownPeer`` it can pair instead.
  public mutating func take(_ body: [UInt8]) throws(PairingProblem) -> Step {
    let before = state
    state = .over
    let (list, number) = try TLV8.message(body)
    if let error = list.byte(.error) { throw .refused(error) }
    switch (number, before) {
    case (2, .key(let privateKey)):
      let keys = try VerifyKeys(privateKey: privateKey, other: list[.publicKey])
      agreed = AgreedSecret(procedure: .pairVerify, phoneKey: keys.own, secret: keys.shared)
      let peer = try keys.peer(list[.encryptedData], nonce: "PV-Msg02") { headUnits[$0] }
      let sealed = try keys.sealed(identity, nonce: "PV-Msg03")
      state = .verified(VerifiedPeer(peer: peer, secret: keys.shared))
      return .send(TLV8([(.state, [3]), (.encryptedData, sealed)]).bytes)
    case (4, .verified(let peer)): return .verified(peer)
    default: throw .unexpectedState(number)
    }
  }
}
