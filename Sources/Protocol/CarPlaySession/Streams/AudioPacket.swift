// swift-iap2 · Apache-2.0

import Basics
public import Cryptography

/// A datagram of sound: an RTP header and a payload. Source: CarPlaySession.md#audio-packet.
public struct AudioPacket: Sendable, Hashable {
  /// The payload type, in the low seven bits of the second byte. Our sides send the type of the stream; phones may
  /// send another one.
  public var type: UInt8
  /// The sequence number, which wraps to 0 after 65535.
  public var sequence: UInt16
  /// The time in samples of the stream's rate.
  public var timestamp: UInt32
  /// The identifier of the source.
  public var source: UInt32
  /// The payload without encryption.
  public var payload: [UInt8]

  /// Creates a packet.
  public init(type: UInt8, sequence: UInt16, timestamp: UInt32, source: UInt32, payload: [UInt8]) {
    (self.type, self.sequence, self.timestamp) = (type & 0x7F, sequence, timestamp)
    (self.source, self.payload) = (source, payload)
  }

  /// The sizes of a header, and of the nonce behind the sealed payload, in bytes.
  package static let headerByteCount = 12
  static let nonceByteCount = 8

  fileprivate var header: [UInt8] {
    [0x80, type] + sequence.bigEndianBytes + timestamp.bigEndianBytes + source.bigEndianBytes
  }

  fileprivate init?(header bytes: ArraySlice<UInt8>) {
    guard bytes.count == Self.headerByteCount, bytes.first == 0x80 else { return nil }
    func part(_ offset: Int, _ size: Int) -> ArraySlice<UInt8> { bytes.dropFirst(offset).prefix(size) }
    self.init(
      type: bytes[bytes.startIndex + 1], sequence: UInt16(bigEndianBytes: part(2, 2)),
      timestamp: UInt32(bigEndianBytes: part(4, 4)), source: UInt32(bigEndianBytes: part(8, 4)), payload: [])
  }
}

/// The writing side of sound in one direction of a stream. The nonce of sealed packets counts them from 0.
public struct AudioSealer: Sendable {
  private let cipher: AudioCipher
  /// The number of packets that were sealed.
  public private(set) var count: UInt64 = 0

  /// Creates a side with the key of its direction, 32 bytes.
  public init(key: Secret) { cipher = .sealed(SealingKey(key)) }

  /// Creates a side of a session's stream by its `streamConnectionID` and the sender of the sound.
  public init(_ protection: StreamProtection, id: UInt64, from sender: SessionSide) {
    cipher = AudioCipher(protection, id: id, from: sender)
  }

  /// Returns the bytes of a packet.
  public mutating func seal(_ packet: AudioPacket) -> [UInt8] {
    let header = packet.header
    defer { count += 1 }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(header.count + packet.payload.count + SealingKey.tagByteCount + AudioPacket.nonceByteCount)
    bytes += header
    bytes += packet.payload
    // Time and source are authenticated.
    cipher.seal(&bytes, from: header.count, number: count, authenticating: header[4...])
    return bytes
  }
}

/// The reading side of sound in one direction of a stream. An invalid packet is dropped and counted, and the stream
/// continues. A packet without a nonce can be opened twice.
public struct AudioOpener: Sendable {
  private let cipher: AudioCipher
  /// The number of packets before the newest one that are still accepted when they arrive late.
  private let window: UInt64
  /// The highest nonce that was opened. `seen` has a bit for each nonce before it that was opened, the nearest one in
  /// the lowest bit.
  private var highest: UInt64?
  private var seen: UInt64 = 0
  /// The number of packets that were dropped.
  public private(set) var droppedCount = 0
  private var payloads = BufferRing()

  /// Creates a side with the key of its direction, 32 bytes.
  public init(key: Secret) {
    cipher = .sealed(SealingKey(key))
    window = Self.datagramWindow
  }

  /// Creates a side of a session's stream by its `streamConnectionID` and the sender of the sound.
  public init(_ protection: StreamProtection, id: UInt64, from sender: SessionSide) {
    cipher = AudioCipher(protection, id: id, from: sender)
    window = Self.datagramWindow
  }

  /// Creates a side for a connection that keeps the order.
  init(orderedKey key: Secret) {
    cipher = .sealed(SealingKey(key))
    window = 0
  }

  /// Creates a side for packets that a reader of a capture has opened already.
  package init() {
    cipher = .clear
    window = Self.datagramWindow
  }

  /// Returns a packet; nil for one with a wrong tag, and for one that was opened before or is older than the window. The
  /// payload type is not compared: it is not authenticated, and phones send another one than the stream's.
  public mutating func open(_ bytes: [UInt8]) -> AudioPacket? { open(bytes[...]) }

  /// Returns a packet like ``open(_:)-([UInt8])``.
  mutating func open(_ bytes: ArraySlice<UInt8>) -> AudioPacket? {
    guard let packet = opened(bytes) else {
      droppedCount += 1
      return nil
    }
    return packet
  }

  private mutating func opened(_ bytes: ArraySlice<UInt8>) -> AudioPacket? {
    let header = bytes.prefix(AudioPacket.headerByteCount)
    guard var packet = AudioPacket(header: header) else { return nil }
    payloads.turn()
    payloads.current += bytes.dropFirst(header.count)
    guard let nonce = cipher.open(&payloads.current, authenticating: header.dropFirst(4)) else { return nil }
    if case .number(let number) = nonce {
      guard !isKnown(number) else { return nil }
      note(number)
    }
    packet.payload = payloads.current
    return packet
  }

  /// The window for datagrams, in packets, because retransmitted packets arrive later. 64 packets of 352 samples last
  /// half a second.
  private static let datagramWindow: UInt64 = 64

  private func isKnown(_ number: UInt64) -> Bool {
    guard let highest, number <= highest else { return false }
    let age = highest - number
    return age == 0 || age > window || seen & 1 << (age - 1) != 0
  }

  private mutating func note(_ number: UInt64) {
    guard let last = highest else {
      highest = number
      return
    }
    if number < last {
      seen |= 1 << (last - number - 1)
    } else {
      let step = number - last
      seen = seen << step | 1 << (step - 1)
      highest = number
    }
  }
}
