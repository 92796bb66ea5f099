// swift-iap2 · Apache-2.0

import Basics

/// A datagram between the control ports of an audio stream. Source: CarPlaySession.md#audio-control.
public enum AudioControlPacket: Sendable, Hashable {
  /// The relation of the stream's time to the clock, from the sender of the audio.
  case sync(AudioSync)
  /// A request for lost packets, from the receiver of the audio.
  case retransmitRequest(AudioRetransmitRequest)
  /// The answer to a request: a sequence number, and the bytes of the packet as they were sent first.
  case retransmitted(sequence: UInt16, packet: [UInt8])

  private static let syncType: UInt8 = 0xD4, requestType: UInt8 = 0xD5, answerType: UInt8 = 0xD6
  /// The first byte; the bit marks the first sync packet of a stream.
  private static let version: UInt8 = 0x80, firstSyncBit: UInt8 = 0x10

  /// Reads a datagram; nil for other bytes. The marker bit and bytes 2 and 3 of sync packets and requests are ignored,
  /// as senders differ.
  public init?(bytes: [UInt8]) {
    guard bytes.count >= 4, bytes[0] & ~Self.firstSyncBit == Self.version else { return nil }
    let isFirst = bytes[0] & Self.firstSyncBit != 0
    switch bytes[1] | 0x80 {
    case Self.syncType where bytes.count == AudioSync.byteCount:
      self = .sync(
        AudioSync(
          isFirst: isFirst, heard: UInt32(bigEndianBytes: bytes[4..<8]), time: UInt64(bigEndianBytes: bytes[8..<16]),
          next: UInt32(bigEndianBytes: bytes[16..<20])))
    case Self.requestType where !isFirst && bytes.count == AudioRetransmitRequest.byteCount:
      self = .retransmitRequest(
        AudioRetransmitRequest(
          first: UInt16(bigEndianBytes: bytes[4..<6]), count: UInt16(bigEndianBytes: bytes[6..<8])))
    case Self.answerType where !isFirst && bytes.count >= 4 + AudioPacket.headerByteCount:
      self = .retransmitted(sequence: UInt16(bigEndianBytes: bytes[2..<4]), packet: Array(bytes[4...]))
    default: return nil
    }
  }

  /// The bytes of the datagram.
  public var bytes: [UInt8] {
    switch self {
    case .sync(let sync):
      [Self.version | (sync.isFirst ? Self.firstSyncBit : 0), Self.syncType, 0, 7]
        + sync.heard.bigEndianBytes + sync.time.bigEndianBytes + sync.next.bigEndianBytes
    case .retransmitRequest(let request):
      [Self.version, Self.requestType, 0, 1] + request.first.bigEndianBytes + request.count.bigEndianBytes
    case .retransmitted(let sequence, let packet):
      [Self.version, Self.answerType] + sequence.bigEndianBytes + packet
    }
  }
}

/// The relation of a stream's time to the clock of its sender.
public struct AudioSync: Sendable, Hashable {
  /// The bytes of the datagram.
  public static let byteCount = 20

  /// Whether the packet is the first one of the stream.
  public var isFirst: Bool
  /// The RTP time of the sample that is to be heard now.
  public var heard: UInt32
  /// The present time in NTP's form, 32 bits of seconds and 32 of their fraction.
  public var time: UInt64
  /// The RTP time of the sample that is sent next.
  public var next: UInt32

  /// Creates a relation.
  public init(isFirst: Bool, heard: UInt32, time: UInt64, next: UInt32) {
    (self.isFirst, self.heard, self.time, self.next) = (isFirst, heard, time, next)
  }
}

/// A request for consecutive packets that did not arrive.
public struct AudioRetransmitRequest: Sendable, Hashable {
  /// The bytes of the datagram.
  public static let byteCount = 8
  /// The largest number of packets in one request. Ours: the answers arrive as a burst of datagrams, which the system
  /// must buffer.
  public static let maximumCount = 64

  /// The sequence number of the first missing packet.
  public var first: UInt16
  /// The number of missing packets.
  public var count: UInt16

  /// Creates a request.
  public init(first: UInt16, count: UInt16) { (self.first, self.count) = (first, count) }
}
