// swift-iap2 · Apache-2.0

package import Cryptography

/// The user name and the derivation strings of pair-setup. Source: CarPlaySession.md#pair-setup.
private enum Words {
  static let user = "Pair-Setup"
  static let encryption = ("Pair-Setup-Encrypt-Salt", "Pair-Setup-Encrypt-Info")
  static let phoneSignature = ("Pair-Setup-Controller-Sign-Salt", "Pair-Setup-Controller-Sign-Info")
  static let headUnitSignature = ("Pair-Setup-Accessory-Sign-Salt", "Pair-Setup-Accessory-Sign-Info")
}

extension PairingCipher {
  /// Returns the key of the sealed identities of pair-setup.
  ///
  /// - Parameter session: The session key K of SRP.
  package static func setupKey(_ session: Secret) -> Secret {
    derive(session, salt: Words.encryption.0, info: Words.encryption.1)
  }

  /// Returns the bytes that a side signs in pair-setup.
  static func setupSigned(
    _ session: Secret, by side: SessionSide, _ identifier: [UInt8], _ publicKey: [UInt8]
  ) -> [UInt8] {
    SetupKeys(session: session).signed(
      side == .phone ? Words.phoneSignature : Words.headUnitSignature, identifier, publicKey)
  }
}

/// The session key K, and the sealed identities that both sides make and open with it.
private struct SetupKeys {
  let session: Secret

  var encryption: Secret { PairingCipher.setupKey(session) }

  func signed(_ words: (String, String), _ identifier: [UInt8], _ publicKey: [UInt8]) -> [UInt8] {
    PairingCipher.derive(session, salt: words.0, info: words.1).bytes + identifier + publicKey
  }

  /// Returns the sealed identity of a side.
  func sealed(_ identity: PairingIdentity, _ words: (String, String), nonce: String) throws(PairingProblem) -> [UInt8] {
    let name = Array(identity.identifier.utf8)
    let signature = identity.sign(signed(words, name, identity.publicKey))
    return PairingCipher.seal(
      TLV8([(.identifier, name), (.publicKey, identity.publicKey), (.signature, signature)]), key: encryption,
      nonce: nonce)
  }

  func peer(_ sealed: [UInt8]?, _ words: (String, String), nonce: String) throws(PairingProblem) -> PairedPeer {
    let list = try PairingCipher.open(sealed, key: encryption, nonce: nonce)
    return try PairingCipher.peer(
      in: list, key: { _ in list[.publicKey] }, signed: { signed(words, $0, $1) })
  }
}

/// The head unit's side of pair-setup: three requests of the phone, each with an answer.
public struct PairSetupHeadUnit: Sendable {
  /// The password of every CarPlay head unit. It is public.
  public static let password = "3939"

  private enum State: Sendable {
    case start
    case proof(SecureRemotePassword, SecureRemotePassword.KeyPair)
    case exchange(key: Secret)
  }

  private let identity: PairingIdentity
  private let password: String
  private var state = State.start
  private var agreed: AgreedSecret?
  /// The flag of a pairing that is not stored: it would end after the fourth message.
  private static let transientFlag: UInt8 = 0x10

  /// The number of times that the phone has started pair-setup.
  private var beginCount = 0
  /// The number of starts after which each pair-setup of the connection is refused with error 5. Each start costs the
  /// head unit milliseconds. Failed proofs of others count nothing: the password is public, and they would keep phones
  /// out. Ours.
  public static let maximumBeginnings = 16

  /// Creates a side.
  public init(_ identity: PairingIdentity, password: String = Self.password) {
    (self.identity, self.password) = (identity, password)
  }

  /// Removes and returns the secret on which the sides have agreed since the last call, or with which a proof of the phone
  /// was refused; nil if there is none.
  public mutating func takeAgreed() -> AgreedSecret? { agreed.take() }

  /// Answers a message of the phone. An invalid message resets the procedure.
  ///
  /// - Parameters:
  ///   - body: The body of the request.
  ///   - stored: Returns the key of a paired phone by its name. Another phone cannot take the name.
  ///   - random: A source of random bytes.
  /// - Returns: The answer, with the phone once it is paired.
  /// - Throws: ``PairingProblem/malformed`` for a body that is not a pairing message.
  public mutating func answer(
    _ body: [UInt8], stored: (_ identifier: String) -> [UInt8]? = { _ in nil }, _ random: RandomBytes
  ) throws(PairingProblem) -> PairingAnswer<PairedPeer> {
    let (list, number) = try TLV8.message(body)
    let before = state
    state = .start
    if number == 1 { beginCount += 1 }
    guard beginCount <= Self.maximumBeginnings else {
      return .refusal(of: number, .tooManyTries)
    }
    do throws(PairingProblem) {
      switch (number, before) {
      case (1, _):
        guard (list[.flags]?.first ?? 0) & Self.transientFlag == 0 else { throw .transient }
        return PairingAnswer(body: begin(random))
      case (3, .proof(let remote, let keys)): return PairingAnswer(body: try check(list, remote, keys))
      case (5, .exchange(let key)): return try exchange(list, SetupKeys(session: key), stored)
      default: throw .unexpectedState(number)
      }
    } catch { return .refusal(of: number, error) }
  }

  private mutating func begin(_ random: RandomBytes) -> [UInt8] {
    let salt = random(SecureRemotePassword.saltByteCount)
    let remote = SecureRemotePassword(user: Words.user, password: password, salt: salt)
    let keys = remote.headUnitKeys(random)
    state = .proof(remote, keys)
    return TLV8([(.state, [2]), (.publicKey, keys.publicBytes), (.salt, salt)]).bytes
  }

  private mutating func check(
    _ list: TLV8, _ remote: SecureRemotePassword, _ keys: SecureRemotePassword.KeyPair
  ) throws(PairingProblem) -> [UInt8] {
    guard let phoneKey = list[.publicKey], let agreement = remote.agreement(headUnit: keys, phoneKey: phoneKey) else {
      throw .badPublicKey
    }
    let proof = list[.proof] ?? []
    let isUsual = ConstantTime.areEqual(proof.span, agreement.phoneProof.span)
    let isPadded = ConstantTime.areEqual(proof.span, agreement.paddedPhoneProof.span)
    // With the key of a refused proof, a reader of a capture sees which side is at fault. It protects nothing.
    agreed = AgreedSecret(procedure: .pairSetup, phoneKey: phoneKey, secret: agreement.key)
    guard isUsual || isPadded else { throw .badProof }
    state = .exchange(key: agreement.key)
    return TLV8([(.state, [4]), (.proof, agreement.headUnitProof(proof).usual)]).bytes
  }

  private func exchange(
    _ list: TLV8, _ keys: SetupKeys, _ stored: (_ identifier: String) -> [UInt8]?
  ) throws(PairingProblem) -> PairingAnswer<PairedPeer> {
    let peer = try keys.peer(list[.encryptedData], Words.phoneSignature, nonce: "PS-Msg05")
    guard stored(peer.identifier) ?? peer.publicKey == peer.publicKey else { throw .nameTaken }
    let sealed = try keys.sealed(identity, Words.headUnitSignature, nonce: "PS-Msg06")
    return PairingAnswer(body: TLV8([(.state, [6]), (.encryptedData, sealed)]).bytes, result: peer)
  }
}

/// The phone's side of pair-setup.
public struct PairSetupPhone: Sendable {
  private enum State: Sendable {
    case start
    case key
    case proof(SecureRemotePassword.Agreement)
    case exchange(key: Secret)
    case over
  }

  private let identity: PairingIdentity
  private let password: String
  private var state = State.start
  private var agreed: AgreedSecret?

  /// Creates a side.
  public init(_ identity: PairingIdentity, password: String = PairSetupHeadUnit.password) {
    (self.identity, self.password) = (identity, password)
  }

  /// Removes and returns the secret on which the sides have agreed since the last call; nil if there is none.
  public mutating func takeAgreed() -> AgreedSecret? { agreed.take() }

  /// Starts pair-setup and returns the first message.
  public mutating func begin() -> [UInt8] {
    state = .key
    return TLV8([(.method, [0]), (.state, [1])]).bytes
  }

  /// Processes an answer of the head unit.
  ///
  /// - Returns: The next message, or the head unit once it is paired.
  /// - Throws: The reason why the phone closes the connection.
  public mutating func take(_ body: [UInt8], _ random: RandomBytes) throws(PairingProblem) -> Step {
    let before = state
    state = .over
    let (list, number) = try TLV8.message(body)
    if let error = list.byte(.error) { throw .refused(error) }
    switch (number, before) {
    case (2, .key): return .send(try prove(list, random))
    case (4, .proof(let agreement)): return .send(try exchange(list, agreement))
    case (6, .exchange(let key)):
      return .paired(
        try SetupKeys(session: key).peer(list[.encryptedData], Words.headUnitSignature, nonce: "PS-Msg06"))
    default: throw .unexpectedState(number)
    }
  }

  /// The step that follows an answer.
  public enum Step: Sendable, Hashable {
    /// The next message.
    case send([UInt8])
    /// The end: the head unit is paired.
    case paired(PairedPeer)
  }

  private mutating func prove(_ list: TLV8, _ random: RandomBytes) throws(PairingProblem) -> [UInt8] {
    guard let headUnitKey = list[.publicKey], let salt = list[.salt] else { throw .badPublicKey }
    let remote = SecureRemotePassword(user: Words.user, password: password, salt: salt)
    let keys = SecureRemotePassword.phoneKeys(random)
    guard let agreement = remote.agreement(phone: keys, headUnitKey: headUnitKey) else { throw .badPublicKey }
    state = .proof(agreement)
    agreed = AgreedSecret(procedure: .pairSetup, phoneKey: keys.publicBytes, secret: agreement.key)
    return TLV8([(.state, [3]), (.publicKey, keys.publicBytes), (.proof, agreement.phoneProof)]).bytes
  }

  private mutating func exchange(
    _ list: TLV8, _ agreement: SecureRemotePassword.Agreement
  ) throws(PairingProblem) -> [UInt8] {
    let proofs = agreement.headUnitProof(agreement.phoneProof)
    let proof = list[.proof] ?? []
    let isUsual = ConstantTime.areEqual(proof.span, proofs.usual.span)
    let isUnpadded = ConstantTime.areEqual(proof.span, proofs.unpadded.span)
    guard isUsual || isUnpadded else {
      throw .badProof
    }
    state = .exchange(key: agreement.key)
    let sealed = try SetupKeys(session: agreement.key).sealed(identity, Words.phoneSignature, nonce: "PS-Msg05")
    return TLV8([(.state, [5]), (.encryptedData, sealed)]).bytes
  }
}

extension PairingInspection {
  /// Returns whether the head unit proved the password in message 4 of pair-setup.
  ///
  /// - Parameters:
  ///   - proof: The proof of the head unit.
  ///   - known: The values of the messages before.
  ///   - secret: The secret of pair-setup, as a key log has it.
  /// - Returns: nil if the secret is not that of the phone's proof.
  package static func isProved(by proof: [UInt8], _ known: SetupProofs, secret: Secret) -> Bool? {
    SecureRemotePassword.isProved(by: proof, user: Words.user, known, key: secret)
  }

  /// Returns whether the phone proved the password in message 3 of pair-setup; nil if a public key is not known.
  ///
  /// - Parameters:
  ///   - known: The values of the messages up to 3.
  ///   - secret: The secret of pair-setup, as a key log has it.
  package static func isPhoneProved(_ known: SetupProofs, secret: Secret) -> Bool? {
    SecureRemotePassword.isPhoneProved(user: Words.user, known, key: secret)
  }
}
