// swift-iap2 · Apache-2.0

import Basics

/// The data packets that were built and are not acknowledged, at most a window of them, in sequence order.
///
/// Buffers are reused, the last freed one first, so that a steady flow neither allocates nor leaves the processor's
/// cache.
struct RetransmitQueue: Sendable {
  struct Slot: Sendable {
    var packet: [UInt8] = []
    /// The time at which the packet is retransmitted; it has no meaning before the packet was sent.
    var deadline = MonotonicTime.zero
    var retransmissions = 0
    var isDue = false
  }

  private var slots: [Slot] = []
  private var spare: [[UInt8]] = []
  private var spareByteCount = 0
  /// The sequence number of the oldest unacknowledged packet, or of the next packet to build if there is none.
  private(set) var oldest: SequenceNumber
  /// The number of packets in the queue, sent or not.
  private(set) var count = 0
  /// The number of packets that were never sent. They are the newest ones.
  private(set) var unsentCount = 0
  /// The number of packets that are marked for retransmission.
  private(set) var dueCount = 0
  private let spareLimit: Int
  /// The packet that was acknowledged last, for probes; empty if there was none.
  private var lastAcknowledged: [UInt8] = []

  init(first: SequenceNumber, spareLimit: Int) {
    oldest = first
    self.spareLimit = spareLimit
  }

  var next: SequenceNumber { oldest.advanced(by: count) }
  /// The last sequence number that was sent, or the one before the first packet.
  var lastSent: SequenceNumber { oldest.advanced(by: count - unsentCount - 1) }
  var sentCount: Int { count - unsentCount }

  /// The number of slots is a power of two, so that a mask of the sequence number gives the slot.
  private func place(of sequence: SequenceNumber) -> Int { Int(sequence.rawValue) & (slots.count - 1) }

  /// Builds the next packet.
  mutating func append(
    acknowledgement: SequenceNumber, session: UInt8, prefix: UInt16?, payload: RawSpan, window: Int
  ) {
    if count == slots.count { grow(to: max(window, count + 1)) }
    let sequence = next
    let place = place(of: next)
    if slots[place].packet.capacity == 0, let buffer = spare.popLast() {
      spareByteCount -= buffer.capacity
      slots[place].packet = buffer
    }
    slots[place].packet.removeAll(keepingCapacity: true)
    slots[place].retransmissions = 0
    slots[place].isDue = false
    LinkPacket.append(
      to: &slots[place].packet, control: .acknowledge, sequence: sequence, acknowledgement: acknowledgement,
      session: session, prefix: prefix, payload: payload)
    count += 1
    unsentCount += 1
  }

  private mutating func grow(to wanted: Int) {
    var size = max(8, slots.count)
    while size < wanted { size *= 2 }
    var larger = [Slot](repeating: Slot(), count: min(size, 256))
    for step in 0..<count {
      let sequence = oldest.advanced(by: step)
      larger[Int(sequence.rawValue) & (larger.count - 1)] = slots[place(of: sequence)]
    }
    slots = larger
  }

  /// Releases the oldest packets. `released` must not exceed the number of sent packets.
  mutating func release(_ released: Int) {
    for _ in 0..<released {
      let place = place(of: oldest)
      if slots[place].isDue { dueCount -= 1 }
      var buffer: [UInt8] = []
      swap(&buffer, &lastAcknowledged)
      swap(&lastAcknowledged, &slots[place].packet)
      if spareByteCount + buffer.capacity <= spareLimit {
        spareByteCount += buffer.capacity
        spare.append(buffer)
      }
      oldest = oldest.next
      count -= 1
    }
  }

  /// Marks a packet for retransmission; returns false if it was not sent or is acknowledged.
  mutating func markDue(_ sequence: SequenceNumber) -> Bool {
    guard sequence.distance(from: oldest) < sentCount else { return false }
    let place = place(of: sequence)
    if !slots[place].isDue {
      slots[place].isDue = true
      dueCount += 1
    }
    return true
  }

  /// Marks every sent packet whose deadline has passed. Returns `limit` if one of them was retransmitted as often as
  /// agreed, else the earliest deadline of the packets that are not marked.
  mutating func expire(at now: MonotonicTime, maxRetransmissions: Int) -> Expiry {
    var earliest: MonotonicTime?
    for step in 0..<sentCount {
      let place = place(of: oldest.advanced(by: step))
      if slots[place].isDue { continue }
      if slots[place].deadline <= now {
        if slots[place].retransmissions >= maxRetransmissions { return .limit }
        slots[place].retransmissions += 1
        slots[place].isDue = true
        dueCount += 1
      } else if earliest.map({ slots[place].deadline < $0 }) ?? true {
        earliest = slots[place].deadline
      }
    }
    return .next(earliest)
  }

  enum Expiry {
    case limit
    case next(MonotonicTime?)
  }

  /// Returns the packet to send next: the oldest marked one, else the oldest one that was never sent.
  mutating func takeNext(acknowledgement: SequenceNumber, deadline: MonotonicTime) -> SequenceNumber? {
    var chosen: SequenceNumber
    if dueCount > 0 {
      chosen = oldest
      while !slots[place(of: chosen)].isDue { chosen = chosen.next }
      slots[place(of: chosen)].isDue = false
      dueCount -= 1
    } else if unsentCount > 0 {
      chosen = oldest.advanced(by: sentCount)
      unsentCount -= 1
    } else {
      return nil
    }
    let place = place(of: chosen)
    slots[place].deadline = deadline
    LinkPacket.refresh(&slots[place].packet, acknowledgement: acknowledgement)
    return chosen
  }

  var hasAcknowledged: Bool { !lastAcknowledged.isEmpty }

  /// Calls `body` with the packet that was acknowledged last, with a current acknowledgement.
  mutating func withLastAcknowledged<R>(acknowledgement: SequenceNumber, _ body: (RawSpan) -> R) -> R {
    LinkPacket.refresh(&lastAcknowledged, acknowledgement: acknowledgement)
    return unsafe lastAcknowledged.withUnsafeBytes { unsafe body($0.bytes) }
  }

  /// Calls `body` with the bytes of a packet in the queue.
  func withPacket<R>(_ sequence: SequenceNumber, _ body: (RawSpan) -> R) -> R {
    unsafe slots[place(of: sequence)].packet.withUnsafeBytes { unsafe body($0.bytes) }
  }
}
