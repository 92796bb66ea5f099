// swift-iap2 · Apache-2.0

public import Basics

/// The packets that an audio stream sent last, for requests of the receiver. Source: CarPlaySession.md#audio-control.
public struct AudioHistory: Sendable {
  private struct Entry: Sendable {
    var sequence: UInt16
    var packet: [UInt8]
    /// The time of the last answer with the packet; nil before one.
    var answered: MonotonicTime?
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

  /// The shortest time between two answers with the same packet. A request has no tag, so many of them must not make
  /// more traffic than this. Ours: less than the time between two requests of a receiver.
  private static let answerInterval = Duration.milliseconds(20)

  /// Returns the answers to a request, in order. Packets that are no longer kept, those behind the first
  /// ``AudioRetransmitRequest/maximumCount``, and those that were sent a moment ago get no answer.
  public mutating func answers(to request: AudioRetransmitRequest, at time: MonotonicTime) -> [AudioControlPacket] {
    var answers: [AudioControlPacket] = []
    for offset in 0..<min(request.count, UInt16(AudioRetransmitRequest.maximumCount)) {
      let sequence = request.first &+ offset
      let place = Int(sequence) % entries.count
      guard let entry = entries[place], entry.sequence == sequence,
        entry.answered.map({ $0.advanced(by: Self.answerInterval) <= time }) ?? true
      else { continue }
      entries[place]?.answered = time
      answers.append(.retransmitted(sequence: sequence, packet: entry.packet))
    }
    return answers
  }
}
