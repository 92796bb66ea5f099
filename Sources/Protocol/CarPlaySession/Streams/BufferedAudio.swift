// swift-iap2 · Apache-2.0

import Basics
public import Cryptography

/// A reason why a buffered audio stream ends.
public enum BufferedAudioProblem: Error, Sendable, Hashable {
  /// The length of a frame is smaller than a packet without audio.
  case tooShort(Int)
  /// A payload is longer than ``BufferedAudioSealer/maximumPayloadByteCount``.
  case payloadTooLong(Int)
  /// A packet has a wrong tag, or a nonce that is not above the one before. The value is the packet's place in the
  /// stream, from 0.
  case wrongPacket(UInt64)

  /// The problem as an event names it.
  package func valueProblem(of type: StreamType) -> ValueProblem {
    switch self {
    case .tooShort(let count):
      ValueProblem(
        type.name, is: "a frame has \(count) bytes", expected: "at least \(BufferedAudioFrame.overhead)")
    case .payloadTooLong(let count):
      ValueProblem(
        type.name, is: "a payload has \(count) bytes",
        expected: "at most \(BufferedAudioSealer.maximumPayloadByteCount)")
    case .wrongPacket(let number):
      ValueProblem(
        type.name, is: "the tag of packet \(number) is wrong, or its nonce is not above the one before",
        expected: "the key shk of the set-up, the time and source as authenticated bytes, and a nonce that rises")
    }
  }
}

/// The length that precedes a packet of buffered audio.
private enum BufferedAudioFrame {
  /// The size of the length in bytes. The length counts itself.
  static let lengthByteCount = 2
  /// The size of a frame without audio, in bytes.
  static let overhead =
    lengthByteCount + AudioPacket.headerByteCount + SealingKey.tagByteCount + AudioPacket.nonceByteCount
}

/// The writing side of buffered audio (type 103): packets as frames of a TCP stream, sealed as those of
/// ``AudioSealer``.
/// Source: CarPlaySession.md#buffered-audio.
public struct BufferedAudioSealer: Sendable {
  /// The largest size of the audio in a frame, in bytes.
  public static let maximumPayloadByteCount = Int(UInt16.max) - BufferedAudioFrame.overhead

  private var sealer: AudioSealer
  /// The number of packets that were sealed.
  public var count: UInt64 { sealer.count }

  /// Creates a side with the key `shk` of the stream's set-up, 32 bytes.
  public init(key: Secret) { sealer = AudioSealer(key: key) }

  /// Returns the frame of a packet.
  ///
  /// - Throws: ``BufferedAudioProblem/payloadTooLong(_:)``. The nonce is not used then.
  public mutating func seal(_ packet: AudioPacket) throws(BufferedAudioProblem) -> [UInt8] {
    guard packet.payload.count <= Self.maximumPayloadByteCount else { throw .payloadTooLong(packet.payload.count) }
    let sealed = sealer.seal(packet)
    return UInt16(BufferedAudioFrame.lengthByteCount + sealed.count).bigEndianBytes + sealed
  }
}

/// The reading side of buffered audio. Unlike a datagram, a wrong packet ends the stream: TCP loses no bytes.
public struct BufferedAudioOpener: Sendable {
  private var opener: AudioOpener
  /// The size of a frame without audio, in bytes.
  private let overhead: Int
  private var arrived = ReceiveBuffer()
  /// The number of packets that were opened.
  public private(set) var count: UInt64 = 0

  /// Creates a side with the key `shk` of the stream's set-up, 32 bytes.
  ///
  /// The type in a packet's header is not compared: a receiver of AirPlay reads its byte as the highest one of the
  /// sequence number.
  public init(key: Secret) { (opener, overhead) = (AudioOpener(orderedKey: key), BufferedAudioFrame.overhead) }

  /// Creates a side for packets that a reader of a capture has opened already, without tags and nonces.
  package init() {
    (opener, overhead) = (AudioOpener(), BufferedAudioFrame.lengthByteCount + AudioPacket.headerByteCount)
  }

  /// Adds received bytes.
  public mutating func add(_ piece: some Sequence<UInt8>) { arrived.add(piece) }

  /// Returns the next packet; nil until more bytes arrive.
  ///
  /// - Throws: ``BufferedAudioProblem``, after which nothing can be opened.
  public mutating func next() throws(BufferedAudioProblem) -> AudioPacket? {
    let bytes = arrived.unread
    guard bytes.count >= BufferedAudioFrame.lengthByteCount else { return nil }
    let length = Int(UInt16(bigEndianBytes: bytes.prefix(BufferedAudioFrame.lengthByteCount)))
    guard length >= overhead else { throw .tooShort(length) }
    guard bytes.count >= length else { return nil }
    let sealed = bytes.prefix(length).dropFirst(BufferedAudioFrame.lengthByteCount)
    guard let packet = opener.open(sealed) else { throw .wrongPacket(count) }
    arrived.skip(length)
    count += 1
    return packet
  }
}
