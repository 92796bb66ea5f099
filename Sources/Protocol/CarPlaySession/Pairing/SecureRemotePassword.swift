// swift-iap2 · Apache-2.0

import Cryptography

/// The password proof of a pairing: SRP-6a with the group of 3072 bits of RFC 5054, g = 5 and SHA-512.
///
/// Two peers in the field each differ in one place: one pads A and B in the phone's proof, the other does not pad A in
/// the head unit's proof. Each side accepts both forms and sends Apple's form.
/// Source: CarPlaySession.md#srp-padding.
struct SecureRemotePassword: Sendable {
  /// The size of a public key in bytes.
  static let keyByteCount = 384
  /// The size of a new private key in bytes.
  private static let privateKeyByteCount = 32
  static let saltByteCount = 16

  private static let prime = BigNumber(Self.bytes(of: primeDigits).span)
  private static let generator = BigNumber([UInt8(5)].span)
  private static let primeDigits =
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD"
    + "EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED"
    + "EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F"
    + "83655D23DCA3AD961C62F356208552BB9ED529077096966D670C354E4ABC9804F1746C08CA18217C32905E462E36CE3B"
    + "E39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF6955817183995497CEA956AE515D2261898FA0510"
    + "15728E5A8AAAC42DAD33170D04507A33A85521ABDF1CBA64ECFB850458DBEF0A8AEA71575D060C7DB3970F85A6E1E4C7"
    + "ABF5AE8CDB0933D71E8C94E04A25619DCEE3D2261AD2EE6BF12FFA06D98A0864D87602733EC86A64521F2B18177B200C"
    + "BBE117577A615D6C770988C0BAD946E208E24FA074E5AB3143DB5BFCE0FD108E4B82D120A93AD2CAFFFFFFFFFFFFFFFF"

  private static func bytes(of digits: String) -> [UInt8] {
    let values = digits.utf8.map { $0 < 0x41 ? $0 - 0x30 : $0 - 0x37 }
    return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }

  private static func hash(_ parts: [UInt8]...) -> [UInt8] {
    var hash = Hash(.sha512)
    for part in parts { hash.update(part.span) }
    return hash.finish()
  }

  /// Returns the hash of public parts and the session key behind them.
  private static func proof(_ parts: [UInt8]..., key: Secret) -> [UInt8] {
    var hash = Hash(.sha512)
    for part in parts { hash.update(part.span) }
    hash.update(key.span)
    return hash.finish()
  }

  /// Returns whether a head unit's proof follows from the phone's proof and the session key, in one of both forms; nil if
  /// the phone's proof does not follow from the session key, so that the key may be another session's.
  static func isProved(
    by proof: [UInt8], user: String, _ known: PairingInspection.SetupProofs, key: Secret
  ) -> Bool? {
    guard let agreement = agreement(user, known, key: key), agreement.isRight(known.phoneProof) else { return nil }
    let proofs = agreement.headUnitProof(known.phoneProof)
    return proof == proofs.usual || proof == proofs.unpadded
  }

  /// Returns whether the phone's proof follows from the session key, in one of both forms; nil if a public key is not
  /// known.
  static func isPhoneProved(user: String, _ known: PairingInspection.SetupProofs, key: Secret) -> Bool? {
    agreement(user, known, key: key)?.isRight(known.phoneProof)
  }

  private static func agreement(
    _ user: String, _ known: PairingInspection.SetupProofs, key: Secret
  ) -> Agreement? {
    guard let phone = publicKey(known.phoneKey), let headUnit = publicKey(known.headUnitKey) else { return nil }
    return agreement(Array(user.utf8), known.salt, phone, headUnit, key: key)
  }

  private static func padded(_ number: BigNumber) -> [UInt8] { number.padded(to: keyByteCount) }

  private let user: [UInt8]
  private let salt: [UInt8]
  /// `x`, the private key that follows from the password.
  private let secret: BigNumber
  /// `v`, the verifier of the password.
  private let verifier: BigNumber

  init(user: String, password: String, salt: [UInt8]) {
    self.user = Array(user.utf8)
    self.salt = salt
    secret = BigNumber(Self.hash(salt, Self.hash(Array("\(user):\(password)".utf8))).span)
    verifier = Self.generator.power(secret, modulo: Self.prime)
  }

  private static let multiplier = BigNumber(hash(padded(prime), padded(generator)).span)

  /// The short-lived keys of a side.
  struct KeyPair: Sendable {
    fileprivate let privateKey, publicKey: BigNumber

    /// The bytes of the public key, with zeros before them.
    var publicBytes: [UInt8] { padded(publicKey) }
  }

  /// Draws the phone's keys a and A.
  static func phoneKeys(_ random: RandomBytes) -> KeyPair {
    let key = BigNumber(Secret(random(privateKeyByteCount)).span)
    return KeyPair(privateKey: key, publicKey: generator.power(key, modulo: prime))
  }

  /// Draws the head unit's keys b and B.
  func headUnitKeys(_ random: RandomBytes) -> KeyPair {
    let key = BigNumber(Secret(random(Self.privateKeyByteCount)).span)
    let power = Self.generator.power(key, modulo: Self.prime)
    return KeyPair(privateKey: key, publicKey: (Self.multiplier * verifier + power) % Self.prime)
  }

  /// The result of both sides' computation.
  struct Agreement: Sendable {
    /// The session key K, 64 bytes.
    var key: Secret
    /// The phone's proof M1, and the form in which A and B are padded.
    var phoneProof, paddedPhoneProof: [UInt8]
    /// The function that returns the head unit's proof M2 for a phone's proof, and the form in which A is not padded.
    var headUnitProof: @Sendable (_ phoneProof: [UInt8]) -> (usual: [UInt8], unpadded: [UInt8])

    /// Returns whether a proof of the phone has one of both forms.
    fileprivate func isRight(_ proof: [UInt8]) -> Bool { [phoneProof, paddedPhoneProof].contains(proof) }
  }

  /// Returns the agreement of the phone; nil for a public key that is 0 modulo N.
  func agreement(phone: KeyPair, headUnitKey: [UInt8]) -> Agreement? {
    guard let theirs = Self.publicKey(headUnitKey) else { return nil }
    let scramble = BigNumber(Self.hash(phone.publicBytes, Self.padded(theirs)).span)
    let base = theirs.minus(Self.multiplier * verifier, modulo: Self.prime)
    let premaster = base.power(phone.privateKey + scramble * secret, modulo: Self.prime)
    return agreement(phone.publicKey, theirs, premaster)
  }

  /// Returns the agreement of the head unit; nil for a public key that is 0 modulo N.
  func agreement(headUnit: KeyPair, phoneKey: [UInt8]) -> Agreement? {
    guard let theirs = Self.publicKey(phoneKey) else { return nil }
    let scramble = BigNumber(Self.hash(Self.padded(theirs), headUnit.publicBytes).span)
    let base = theirs * verifier.power(scramble, modulo: Self.prime) % Self.prime
    return agreement(theirs, headUnit.publicKey, base.power(headUnit.privateKey, modulo: Self.prime))
  }

  /// Returns the public key of the other side; nil for one that is 0 modulo N or too long.
  private static func publicKey(_ bytes: [UInt8]) -> BigNumber? {
    guard bytes.count <= keyByteCount else { return nil }
    let key = BigNumber(bytes.span)
    return (key % prime).isZero ? nil : key
  }

  private func agreement(_ phone: BigNumber, _ headUnit: BigNumber, _ premaster: BigNumber) -> Agreement {
    var hash = Hash(.sha512)
    hash.update(premaster.secret.span)
    return Self.agreement(user, salt, phone, headUnit, key: hash.finishSecret())
  }

  private static func agreement(
    _ user: [UInt8], _ salt: [UInt8], _ phone: BigNumber, _ headUnit: BigNumber, key: Secret
  ) -> Agreement {
    let group = zip(hash(prime.bytes), hash(generator.bytes)).map { $0 ^ $1 }
    let (paddedPhone, shortPhone) = (padded(phone), phone.bytes)
    return Agreement(
      key: key,
      phoneProof: proof(group, hash(user), salt, shortPhone, headUnit.bytes, key: key),
      paddedPhoneProof: proof(group, hash(user), salt, paddedPhone, padded(headUnit), key: key),
      headUnitProof: { (proof(paddedPhone, $0, key: key), proof(shortPhone, $0, key: key)) })
  }
}
