// swift-iap2 · Apache-2.0

import Crypto

/// The protection of a session's streams: the secret from which the keys of all of them follow.
///
/// Source: CarPlaySession.md#generations.
public enum StreamProtection: Sendable, Hashable {
  /// The secret of pair-verify, 32 bytes. ChaCha20-Poly1305 seals streams.
  case verified([UInt8])
  /// The session key of a connection without pair-verify. AES-128 encrypts streams, and nothing authenticates them.
  case unverified(SessionKey)

  /// The secret of pair-verify; nil on a connection without it, whose channels are clear.
  var secret: [UInt8]? { if case .verified(let secret) = self { secret } else { nil } }

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
  public let bytes: [UInt8]
  /// The initialization vector of sound, 16 bytes.
  public let initializationVector: [UInt8]
  /// Whether sound is encrypted. A head unit with ``FeatureBits/unencryptedAudio`` takes clear sound.
  public var encryptsSound: Bool

  /// Creates a key; nil for another number of bytes.
  public init?(bytes: [UInt8], initializationVector: [UInt8], encryptsSound: Bool) {
    guard bytes.count == Self.byteCount, initializationVector.count == Self.byteCount else { return nil }
    (self.bytes, self.initializationVector) = (bytes, initializationVector)
    self.encryptsSound = encryptsSound
  }

  /// Returns the key and the first counter of a screen by its `streamConnectionID`, 16 bytes each.
  public func screenKey(id: UInt64) -> (key: [UInt8], counter: [UInt8]) {
    func derive(_ word: String) -> [UInt8] {
      Array(SHA512.hash(data: Array("\(word)\(id)".utf8) + bytes).prefix(Self.byteCount))
    }
    return (derive("AirPlayStreamKey"), derive("AirPlayStreamIV"))
  }
}

/// The cipher of the frames of a screen.
enum ScreenCipher: Sendable {
  /// ChaCha20-Poly1305; the nonce counts frames.
  case sealed(SealingKey)
  /// AES-128 in counter mode, which runs on across frames, with the offset of the next one.
  case counter(CounterKey, offset: UInt64)

  init(_ protection: StreamProtection, id: UInt64) {
    switch protection {
    case .verified(let secret): self = .sealed(SealingKey(ChannelKeys.stream(secret, id: id).phone))
    case .unverified(let session):
      let (key, counter) = session.screenKey(id: id)
      self = .counter(CounterKey(key, counter: counter), offset: 0)
    }
  }

  /// The bytes of a tag behind the body of a frame.
  var tagByteCount: Int { if case .sealed = self { SealingKey.tagByteCount } else { 0 } }

  /// Returns the encrypted body of a frame with its tag.
  mutating func seal(_ body: [UInt8], number: UInt64, authenticating header: [UInt8]) -> [UInt8] {
    switch self {
    case .sealed(let key): return key.seal(body[...], nonce: number.littleEndianBytes, authenticating: header)
    case .counter(let key, let offset):
      self = .counter(key, offset: offset + UInt64(body.count))
      return key.apply(body, at: offset)
    }
  }

  /// Adds the body of a frame to others, and returns whether its tag is right.
  ///
  /// - Parameter box: The nonce and the encrypted body, as ``SealingKey`` has them.
  mutating func open(_ box: [UInt8], authenticating header: [UInt8], into text: inout [UInt8]) -> Bool {
    switch self {
    case .sealed(let key): return key.open(box, authenticating: header[...], into: &text)
    case .counter(let key, let offset):
      let body = box[SealingKey.nonceByteCount...]
      self = .counter(key, offset: offset + UInt64(body.count))
      text += key.apply(body, at: offset)
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
      let keys = ChannelKeys.stream(secret, id: id)
      self = .sealed(SealingKey(sender == .phone ? keys.phone : keys.headUnit))
    case .unverified(let session) where session.encryptsSound:
      self = .blocks(BlockChainKey(session.bytes, initializationVector: session.initializationVector))
    case .unverified: self = .clear
    }
  }

  /// Returns the bytes behind the header of a packet.
  func seal(_ payload: [UInt8], number: UInt64, authenticating header: ArraySlice<UInt8>) -> [UInt8] {
    switch self {
    case .sealed(let key):
      let nonce = number.littleEndianBytes
      return key.seal(payload[...], nonce: nonce, authenticating: Array(header)) + nonce
    case .blocks(let key): return key.seal(payload[...])
    case .clear: return payload
    }
  }

  /// The nonce of a packet.
  enum Nonce {
    case number(UInt64)
    /// The packet has none.
    case none
  }

  /// Adds the payload of the bytes behind a header to others, and returns the nonce; nil for other bytes.
  ///
  /// - Parameter box: Memory that is used again for each packet.
  func open(
    _ bytes: ArraySlice<UInt8>, authenticating header: ArraySlice<UInt8>, _ box: inout [UInt8],
    into payload: inout [UInt8]
  ) -> Nonce? {
    switch self {
    case .sealed(let key):
      guard bytes.count >= AudioPacket.nonceByteCount else { return nil }
      let nonce = UInt64(littleEndianBytes: bytes.suffix(AudioPacket.nonceByteCount))
      SealingKey.begin(&box, nonce: nonce)
      box += bytes.prefix(bytes.count - AudioPacket.nonceByteCount)
      return key.open(box, authenticating: header, into: &payload) ? .number(nonce) : nil
    case .blocks(let key): payload += key.open(bytes)
    case .clear: payload += bytes
    }
    return Nonce.none
  }
}
