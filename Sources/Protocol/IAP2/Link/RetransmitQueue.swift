// swift-iap2 · Apache-2.0

/// Data packets from being built until they are acknowledged: at most a window of them, in sequence order.
///
/// Buffers are used again, the last freed first, so that a steady flow neither allocates nor leaves the cache.
struct RetransmitQueue: Sendable {
  struct Slot: Sendable {
    var packet: [UInt8] = []
    /// When it is sent again; meaningless before it was sent.
    var deadline = MonotonicTime.zero
    var retransmissions = 0
    var isDue = false
  }

  private var slots: [Slot] = []
  private var spare: [[UInt8]] = []
  private var spareByteCount = 0
  /// The oldest unacknowledged packet, or the next to be built when there is none.
  private(set) var oldest: SequenceNumber
  /// Packets held, sent or not.
  private(set) var count = 0
  /// Of these, how many have not left for the first time; they are the newest ones.
  private(set) var unsentCount = 0
  /// Packets marked to be sent again.
  private(set) var dueCount = 0
  private let spareLimit: Int
  /// The packet that was acknowledged last, for probes; empty before there was one.
  private var lastAcknowledged: [UInt8] = []

  init(first: SequenceNumber, spareLimit: Int) {
    oldest = first
    self.spareLimit = spareLimit
  }

  var next: SequenceNumber { oldest.advanced(by: count) }
  /// The last sequence number that has left, or that was used before the first packet.
  var lastSent: SequenceNumber { oldest.advanced(by: count - unsentCount - 1) }
  var sentCount: Int { count - unsentCount }

  /// Slots are a power of two in number, so that the 8-bit sequence number masks to its place.
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

  /// Frees the oldest packets; `released` must not be more than have been sent.
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

  /// Marks a packet that was sent and not acknowledged to be sent again; false if there is no such packet.
  mutating func markDue(_ sequence: SequenceNumber) -> Bool {
    guard sequence.distance(from: oldest) < sentCount else { return false }
    let place = place(of: sequence)
    if !slots[place].isDue {
      slots[place].isDue = true
      dueCount += 1
    }
    return true
  }

  /// Marks every sent packet whose time has passed. Nil when one of them was sent as often as agreed, else the earliest
  /// remaining deadline among those not marked.
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

  /// The packet to send next: marked ones first, oldest first, then the oldest that has never left.
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

  /// The bytes of the packet that was acknowledged last, as it would leave now.
  mutating func withLastAcknowledged<R>(acknowledgement: SequenceNumber, _ body: (RawSpan) -> R) -> R {
    LinkPacket.refresh(&lastAcknowledged, acknowledgement: acknowledgement)
    return unsafe lastAcknowledged.withUnsafeBytes { unsafe body($0.bytes) }
  }

  /// The bytes of a packet that is held.
  func withPacket<R>(_ sequence: SequenceNumber, _ body: (RawSpan) -> R) -> R {
    unsafe slots[place(of: sequence)].packet.withUnsafeBytes { unsafe body($0.bytes) }
  }
}
