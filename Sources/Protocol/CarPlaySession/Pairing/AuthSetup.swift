// swift-iap2 · Apache-2.0

import Basics
package import Cryptography

/// A reason why auth-setup fails.
public enum AuthSetupProblem: Error, Sendable, Hashable {
  /// The request is not version 1 with a key of 32 bytes. A head unit answers it with status 400.
  case malformed
  /// The keys give a secret of zeros. A head unit answers it with status 400.
  case badKey
  /// A second request on one connection. A head unit answers it with status 455.
  case repeated
  /// The parts of the answer are longer or shorter than the answer.
  case malformedAnswer
}

/// The secret of both sides, and the cipher that follows from it: AES-128 in counter mode.
private struct AuthSetupCipher: Sendable {
  private let key: CounterKey

  init(_ secret: Secret) {
    func first(_ word: String) -> Secret {
      var hash = Hash(.sha1)
      hash.update(Array(word.utf8).span)
      hash.update(secret.span)
      return Secret(copying: hash.finishSecret().span.extracting(..<AES128.keyByteCount))
    }
    key = CounterKey(first("AES-KEY"), counter: first("AES-IV").span)
  }

  /// Encrypts or decrypts bytes at an offset of the key stream.
  func apply(_ bytes: [UInt8], at offset: Int = 0) -> [UInt8] {
    var bytes = bytes
    key.apply(&bytes, at: UInt64(offset))
    return bytes
  }
}

/// The body of the head unit's answer.
package struct AuthSetupAnswer: Sendable, Hashable {
  /// The head unit's key, 32 bytes.
  package var publicKey: [UInt8]
  /// The certificate of the coprocessor.
  package var certificate: [UInt8]
  /// The signature, encrypted.
  package var signature: [UInt8]

  init(publicKey: [UInt8], certificate: [UInt8], signature: [UInt8]) {
    (self.publicKey, self.certificate, self.signature) = (publicKey, certificate, signature)
  }

  /// Reads a body.
  ///
  /// - Throws: ``AuthSetupProblem/malformedAnswer`` for parts that are longer or shorter than the body.
  package init(bytes body: [UInt8]) throws(AuthSetupProblem) {
    var rest = body[...]
    func part(_ count: Int) throws(AuthSetupProblem) -> [UInt8] {
      guard rest.count >= count else { throw .malformedAnswer }
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    func counted() throws(AuthSetupProblem) -> [UInt8] { try part(Int(UInt32(bigEndianBytes: try part(4)[...]))) }
    self.init(publicKey: try part(32), certificate: try counted(), signature: try counted())
    guard rest.isEmpty else { throw .malformedAnswer }
  }

  var bytes: [UInt8] {
    func counted(_ bytes: [UInt8]) -> [UInt8] { UInt32(bytes.count).bigEndianBytes + bytes }
    return publicKey + counted(certificate) + counted(signature)
  }
}

/// The decryption of what auth-setup encrypts, for a reader of a capture that knows the secret.
package enum AuthSetupInspection {
  /// Returns whether a signature has the form of ECDSA in DER: a sequence of two numbers. Our sides take the bytes of
  /// both numbers alone (CarPlaySession.md#auth-setup-keys).
  package static func isDER(_ signature: [UInt8]) -> Bool {
    do throws(CryptographyError) {
      let numbers = try DERElement(signature.span).children(.sequence, in: signature.span) ?? []
      return numbers.count == 2 && numbers.allSatisfy { $0.tag == .integer }
    } catch { return false }
  }

  /// Decrypts the signature of an answer, or the session key that a phone sends behind it.
  ///
  /// - Parameter offset: The number of bytes that were encrypted before: those of the signature, for a session key.
  package static func decrypt(_ bytes: [UInt8], at offset: Int = 0, secret: Secret) -> [UInt8] {
    AuthSetupCipher(secret).apply(bytes, at: offset)
  }
}

/// The head unit's side of auth-setup, with which it proves that it has a coprocessor (MFi-SAP, version 1).
///
/// Source: CarPlaySession.md#auth-setup.
public struct AuthSetupHeadUnit: Sendable {
  private var cipher: AuthSetupCipher?
  private var publicKey: [UInt8] = []
  private var signatureByteCount = 0
  private var agreed: AgreedSecret?

  /// Creates a side of a connection.
  public init() {}

  /// Removes and returns the secret on which the sides have agreed since the last call; nil if there is none.
  public mutating func takeAgreed() -> AgreedSecret? { agreed.take() }

  /// Processes the phone's request.
  ///
  /// - Returns: The bytes that the coprocessor signs: SHA-256 with ECDSA, or SHA-1 with RSA for chips of version 2.0.
  /// - Throws: ``AuthSetupProblem``, whose cases name the status of the answer.
  public mutating func take(_ body: [UInt8], _ random: RandomBytes) throws(AuthSetupProblem) -> [UInt8] {
    guard cipher == nil else { throw .repeated }
    guard body.count == 33, body[0] == 1 else { throw .malformed }
    let key: X25519PrivateKey
    do { key = try .drawn(random) } catch { throw .badKey }
    guard let secret = key.secret(with: body[1...]) else { throw .badKey }
    cipher = AuthSetupCipher(secret)
    agreed = AgreedSecret(procedure: .authSetup, phoneKey: Array(body[1...]), secret: secret)
    publicKey = key.publicKey
    return publicKey + body[1...]
  }

  /// Whether the proof was sent.
  var isAnswered: Bool { signatureByteCount > 0 }

  /// Returns the body of the answer; empty before a request.
  public mutating func answer(certificate: [UInt8], signature: [UInt8]) -> [UInt8] {
    guard let cipher else { return [] }
    signatureByteCount = signature.count
    return AuthSetupAnswer(publicKey: publicKey, certificate: certificate, signature: cipher.apply(signature)).bytes
  }

  /// Decrypts a session key that the phone sends in the oldest generation; nil before a request. The key stream
  /// continues after the signature.
  public func sessionKey(_ encrypted: [UInt8]) -> [UInt8]? { cipher?.apply(encrypted, at: signatureByteCount) }
}

/// The phone's side of auth-setup.
public struct AuthSetupPhone: Sendable {
  private let key: X25519PrivateKey
  private var cipher: AuthSetupCipher?
  private var signatureByteCount = 0
  private var agreed: AgreedSecret?

  /// Creates a side of a connection with a new key.
  ///
  /// - Throws: ``AuthSetupProblem/badKey`` if the random bytes are not a key.
  public init(_ random: RandomBytes) throws(AuthSetupProblem) {
    do { key = try .drawn(random) } catch { throw .badKey }
  }

  /// Removes and returns the secret on which the sides have agreed since the last call; nil if there is none.
  public mutating func takeAgreed() -> AgreedSecret? { agreed.take() }

  /// The body of the request.
  public var request: [UInt8] { [1] + key.publicKey }

  /// The certificate of a head unit and its signature. The owner checks the certificate and verifies the signature.
  public struct Evidence: Sendable, Hashable {
    /// One X.509 certificate, or a PKCS#7 container with one.
    public var certificate: [UInt8]
    /// The signature.
    public var signature: [UInt8]
    /// The bytes that were signed.
    public var signed: [UInt8]
  }

  /// Processes the answer of the head unit.
  public mutating func take(_ body: [UInt8]) throws(AuthSetupProblem) -> Evidence {
    let answer = try AuthSetupAnswer(bytes: body)
    guard let secret = key.secret(with: answer.publicKey) else { throw .badKey }
    let made = AuthSetupCipher(secret)
    cipher = made
    agreed = AgreedSecret(procedure: .authSetup, phoneKey: key.publicKey, secret: secret)
    signatureByteCount = answer.signature.count
    return Evidence(
      certificate: answer.certificate, signature: made.apply(answer.signature),
      signed: answer.publicKey + key.publicKey)
  }

  /// Encrypts a session key in the form of the oldest generation; nil before the answer of the head unit.
  public func encrypted(sessionKey: [UInt8]) -> [UInt8]? { cipher?.apply(sessionKey, at: signatureByteCount) }
}
