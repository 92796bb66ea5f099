// swift-iap2 · Apache-2.0

import Basics

/// The packets that an audio stream sent last, for requests of the receiver. Source: CarPlaySession.md#audio-control.
public struct AudioHistory: Sendable {
  private struct Entry: Sendable {
    var sequence: UInt16
    var packet: [UInt8]
  }

  /// The default number of packets that are kept: as many as ``AudioReceiver/maximumWaitingCount``.
  public static let defaultCapacity = 512

  private var entries: [Entry?]

  /// Creates a history without packets.
  ///
  /// - Parameter capacity: The number of packets that are kept: the power of two at or above it, from 1 to 32768.
  public init(capacity: Int = AudioHistory.defaultCapacity) {
    // A power of two divides the range of sequence numbers, so that they wrap at the end of the ring.
    var count = 1
    while count < min(capacity, 1 << 15) { count *= 2 }
    entries = Array(repeating: nil, count: count)
  }

  /// Stores the bytes of a packet as ``AudioSealer`` returned them. Bytes that are shorter than a header are ignored.
  public mutating func add(_ packet: [UInt8]) {
    guard packet.count >= AudioPacket.headerByteCount else { return }
    let sequence = UInt16(bigEndianBytes: packet[2..<4])
    entries[Int(sequence) % entries.count] = Entry(sequence: sequence, packet: packet)
  }

  /// Returns the answers to a request, in order. Packets that are no longer kept, and those behind the first
  /// ``AudioRetransmitRequest/maximumCount``, get no answer.
  public func answers(to request: AudioRetransmitRequest) -> [AudioControlPacket] {
    (0..<min(request.count, UInt16(AudioRetransmitRequest.maximumCount))).compactMap { offset in
      let sequence = request.first &+ offset
      guard let entry = entries[Int(sequence) % entries.count], entry.sequence == sequence else { return nil }
      return .retransmitted(sequence: sequence, packet: entry.packet)
    }
  }
}
