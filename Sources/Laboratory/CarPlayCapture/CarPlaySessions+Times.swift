// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2
import IAP2Capture

/// The packets of a capture that wait, so that they are read in the order of their times. Several interfaces, queues of
/// a network card and tools that join captures write packets in another order.
struct PacketQueue: Sendable {
  /// A packet from its IP header on.
  struct Packet: Sendable {
    let bytes: [UInt8]
    let comment: String?
    let moment: CaptureMoment
    let time: Int64
  }

  /// The records that are not in the order of their times.
  struct Disorder: Sendable {
    /// The number of records, and the first of them.
    var count: Int
    var first: Int
    /// Whether all were read in the order of their times.
    var isSorted: Bool
  }

  private var packets: [Packet] = []
  /// The latest time until now, and that of the last packet that was read.
  private var latest: Int64?, read: Int64?
  /// The records with an earlier time than one before them, and those of them that came too late.
  private var early: [Int] = [], unsorted: [Int] = []

  /// The most packets that wait. Ours: reordered packets are a few places off.
  static let maximumCount = 64
  /// The nanoseconds up to which a time that goes back is another order. Ours: beyond them the clock was set, or
  /// captures follow each other.
  private static let maximumStep: Int64 = 5_000_000_000
  private static let maximumRecords = 1024

  /// Returns whether a time goes back so far that the packets before it are complete.
  func isStep(_ time: Int64) -> Bool { latest.map { $0 - time > Self.maximumStep } ?? false }

  /// Forgets the times before a step.
  mutating func step() { (latest, read) = (nil, nil) }

  mutating func add(_ packet: Packet) {
    if let latest, packet.time < latest {
      if early.count < Self.maximumRecords { early.append(packet.moment.record) }
      if let read, packet.time < read, unsorted.count < Self.maximumRecords { unsorted.append(packet.moment.record) }
    }
    latest = max(latest ?? packet.time, packet.time)
    var place = packets.endIndex
    while place > 0, packets[place - 1].time > packet.time { place -= 1 }
    packets.insert(packet, at: place)
  }

  /// Removes and returns the first packet if more than the limit wait.
  mutating func takeDue() -> Packet? { packets.count > Self.maximumCount ? take() : nil }

  /// Removes and returns the first packet.
  mutating func take() -> Packet? {
    guard !packets.isEmpty else { return nil }
    let first = packets.removeFirst()
    read = max(read ?? first.time, first.time)
    return first
  }

  /// Returns the disorder of records in a range; nil without one.
  func disorder(in records: ClosedRange<Int>) -> Disorder? {
    let found = early.filter(records.contains)
    guard let first = found.first else { return nil }
    return Disorder(count: found.count, first: first, isSorted: !unsorted.contains(where: records.contains))
  }
}

// Packets in the order of their times.
extension CarPlaySessions {
  /// Takes a packet, and reads the one that is due.
  mutating func enqueue(
    _ bytes: RawSpan, from start: Int, comment: String?, at moment: CaptureMoment, _ time: Int64
  ) {
    if queue.isStep(time) {
      takeQueue()
      queue.step()
    }
    let packet = [UInt8](copying: bytes.extracting(start..<bytes.byteCount))
    queue.add(.init(bytes: packet, comment: comment, moment: moment, time: time))
    if let due = queue.takeDue() { takeNow(due.bytes.rawBytes, from: 0, comment: due.comment, at: due.moment) }
  }

  /// Reads all packets that wait.
  mutating func takeQueue() {
    while let packet = queue.take() {
      takeNow(packet.bytes.rawBytes, from: 0, comment: packet.comment, at: packet.moment)
    }
  }

  /// Returns the disorder of a session's records; nil without one.
  func disorder(of session: Int) -> PacketQueue.Disorder? {
    // The beginning of the session may be out of order, too.
    let first = sessions[session].firstRecord - PacketQueue.maximumCount
    let last = (sessions[session].story?.end?.moment.record).map { $0 + PacketQueue.maximumCount } ?? .max
    return queue.disorder(in: min(first, last)...last)
  }
}

extension PacketQueue.Disorder {
  /// The line of an explanation.
  var line: String {
    let start =
      count == 1
      ? "record \(first) is not in the order of the times"
      : "\(count) records from \(first) on are not in the order of their times"
    return isSorted
      ? "\(start), and the session was read in that order, in which `reordercap` writes them"
      : "\(start), so nobody is blamed: explain a copy that `reordercap` has sorted"
  }
}

extension SessionExplanation {
  /// Takes back what depends on the order of the records.
  mutating func withdrawBlame() {
    (finding, others, turn, expected) = (nil, [], nil, [])
    guard point != .complete else { return }
    (point, text) = (.unread, "The records are not in the order of their times, so the capture does not show the stop.")
  }
}
