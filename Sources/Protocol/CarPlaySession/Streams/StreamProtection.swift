// swift-iap2 · Apache-2.0

import Basics
public import Cryptography

/// The protection of a session's streams: the secret from which the keys of all of them follow.
///
/// Source: CarPlaySession.md#generations.
public enum StreamProtection: Sendable, Hashable {
  /// The secret of pair-verify, 32 bytes. ChaCha20-Poly1305 seals streams.
  case verified(Secret)
  /// The session key of a connection without pair-verify. AES-128 encrypts streams, and nothing authenticates them.
  case unverified(SessionKey)

  /// The secret of pair-verify; nil on a connection without it, whose channels are clear.
  package var secret: Secret? { if case .verified(let secret) = self { secret } else { nil } }

  /// The features that need the secret of pair-verify, because their streams have no other keys.
  static let featuresOfVerified: Set<String> = ["iAPChannel", "mainBuffered"]
}

/// The key that a phone sends in the set-up of a session without pair-verify.
///
/// Source: CarPlaySession.md#generation-old-forms.
public struct SessionKey: Sendable, Hashable {
  /// The bytes of the key and of the initialization vector.
  public static let byteCount = 16

  /// The key, 16 bytes.
  public let bytes: Secret
  /// The initialization vector of sound, 16 bytes.
  public let initializationVector: [UInt8]
  /// Whether sound is encrypted. A head unit with ``FeatureBits/unencryptedAudio`` accepts unencrypted sound.
  public var encryptsSound: Bool

  /// Creates a key; nil for another number of bytes.
  public init?(bytes: Secret, initializationVector: [UInt8], encryptsSound: Bool) {
    guard bytes.byteCount == Self.byteCount, initializationVector.count == Self.byteCount else { return nil }
    (self.bytes, self.initializationVector) = (bytes, initializationVector)
    self.encryptsSound = encryptsSound
  }

  /// Returns the key and the first counter of a screen by its `streamConnectionID`, 16 bytes each.
  public func screenKey(id: UInt64) -> (key: Secret, counter: Secret) {
    func derive(_ word: String) -> Secret {
      var hash = Hash(.sha512)
      hash.update(Array("\(word)\(id)".utf8).span)
      hash.update(bytes.span)
      return Secret(copying: hash.finishSecret().span.extracting(..<Self.byteCount))
    }
    return (derive("AirPlayStreamKey"), derive("AirPlayStreamIV"))
  }
}

/// The cipher of the frames of a screen.
enum ScreenCipher: Sendable {
  /// ChaCha20-Poly1305; the nonce counts frames.
  case sealed(SealingKey)
  /// AES-128 in counter mode. The key stream continues across frames; `offset` is that of the next frame.
  case counter(CounterKey, offset: UInt64)

  init(_ protection: StreamProtection, id: UInt64) {
    switch protection {
    case .verified(let secret): self = .sealed(SealingKey(ChannelKeys.stream(secret, id: id, from: .phone)))
    case .unverified(let session):
      let (key, counter) = session.screenKey(id: id)
      self = .counter(CounterKey(key, counter: counter.span), offset: 0)
    }
  }

  /// The size of the tag behind the body of a frame, in bytes.
  var tagByteCount: Int { if case .sealed = self { SealingKey.tagByteCount } else { 0 } }

  /// Encrypts the body of a frame, from an index on, and adds its tag.
  mutating func seal(_ bytes: inout [UInt8], from start: Int, number: UInt64, authenticating header: [UInt8]) {
    switch self {
    case .sealed(let key): key.seal(&bytes, from: start, nonce: number, authenticating: header[...])
    case .counter(let key, let offset):
      self = .counter(key, offset: offset + UInt64(bytes.count - start))
      key.apply(&bytes, from: start, at: offset)
    }
  }

  /// Decrypts the body of a frame, removes its tag, and returns whether the tag is right.
  mutating func open(_ body: inout [UInt8], number: UInt64, authenticating header: [UInt8]) -> Bool {
    switch self {
    case .sealed(let key): return key.open(&body, nonce: number, authenticating: header[...])
    case .counter(let key, let offset):
      self = .counter(key, offset: offset + UInt64(body.count))
      key.apply(&body, at: offset)
      return true
    }
  }
}

/// The cipher of the packets of sound in one direction.
enum AudioCipher: Sendable {
  /// ChaCha20-Poly1305; the nonce is behind the tag.
  case sealed(SealingKey)
  /// AES-128 in cipher block chaining mode, from the same initialization vector in each packet.
  case blocks(BlockChainKey)
  case clear

  init(_ protection: StreamProtection, id: UInt64, from sender: SessionSide) {
    switch protection {
    case .verified(let secret):
      self = .sealed(SealingKey(ChannelKeys.stream(secret, id: id, from: sender)))
    case .unverified(let session) where session.encryptsSound:
      self = .blocks(BlockChainKey(session.bytes, initializationVector: session.initializationVector))
    case .unverified: self = .clear
    }
  }

  /// Encrypts the payload of a packet, from an index on, and adds the tag and the nonce if the cipher has them.
  func seal(_ bytes: inout [UInt8], from start: Int, number: UInt64, authenticating header: ArraySlice<UInt8>) {
    switch self {
    case .sealed(let key):
      key.seal(&bytes, from: start, nonce: number, authenticating: header)
      number.appendLittleEndian(to: &bytes)
    case .blocks(let key): key.seal(&bytes, from: start)
    case .clear: break
    }
  }

  /// The nonce of a packet.
  enum Nonce {
    case number(UInt64)
    /// The packet has no nonce.
    case none
  }

  /// Decrypts the bytes behind a header in place, and returns their nonce; nil for invalid bytes.
  func open(_ bytes: inout [UInt8], authenticating header: ArraySlice<UInt8>) -> Nonce? {
    switch self {
    case .sealed(let key):
      guard bytes.count >= AudioPacket.nonceByteCount else { return nil }
      let nonce = UInt64(littleEndianBytes: bytes.suffix(AudioPacket.nonceByteCount))
      bytes.removeLast(AudioPacket.nonceByteCount)
      return key.open(&bytes, nonce: nonce, authenticating: header) ? .number(nonce) : nil
    case .blocks(let key): key.open(&bytes)
    case .clear: break
    }
    return Nonce.none
  }
}
