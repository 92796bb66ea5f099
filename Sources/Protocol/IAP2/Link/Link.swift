// swift-iap2 · Apache-2.0

/// One side of the reliable link: detection, synchronization, acknowledgement, retransmission.
///
///     idle ── start ──► detecting ── echo or FF 5A ──► negotiating ── agreed ──► up ── close ──► closing ──► ended
///                        ▲  (the device waits instead)      │                     │
///                        └──────────── resting ◄── RST ─────┴── RST, limit ◄──────┘
///
/// Rules: the accessory speaks first and the device only echoes; a packet owns a sequence number when it is a SYN or has
/// payload; data always carries an acknowledgement; nothing is delivered twice or out of order; bytes that are no packet
/// are passed over. After a reset the accessory rests and detects again: as a new connection.
///
/// Deviations from what single implementations do are noted where they are made; facts are from
/// Documentation/Protocol/Link.md, Documentation/Protocol/Reliability.md, and Documentation/Protocol/FieldBehavior.md.
struct Link: Sendable {
  enum State: Sendable, Hashable {
    case idle
    /// Accessory: sends the detect sequence until it is echoed.
    case detecting(attempt: Int, next: MonotonicTime, sawLegacy: Bool)
    /// Device: waits for it.
    case awaitingDetect
    case negotiating(Negotiation)
    case up
    /// Orderly end: waits for acknowledgements, then sends RST.
    case closing(deadline: MonotonicTime)
    /// After a reset.
    case resting(until: MonotonicTime)
    case ended(LinkEnd)
  }

  /// A proposal of ours on the wire.
  struct Negotiation: Sendable, Hashable {
    var proposal: LinkSynchronization
    /// What the peer proposed last; nil for the accessory's first SYN.
    var remote: LinkSynchronization?
    var attempt: Int
    var next: MonotonicTime
    var rounds: Int
  }

  /// A proposal of the peer's.
  struct Proposed: Sendable, Hashable {
    var sequence: SequenceNumber
    var proposal: LinkSynchronization
  }

  let side: Side
  let preferences: LinkPreferences
  let limits: Limits

  var state: State = .idle
  /// What the two agreed on; ours is what binds the peer.
  var local: LinkSynchronization
  var remote: LinkSynchronization

  // Sending.
  var queue: RetransmitQueue
  /// The sequence number of our last SYN.
  var synchronizationSequence: SequenceNumber
  /// A lower bound of the earliest retransmission.
  var retransmitCheck: MonotonicTime?
  var owed: Owed = []
  /// What our RST carries: the last sequence number that left.
  var resetSequence = SequenceNumber(0)

  // Receiving.
  var lastInOrder = SequenceNumber(0)
  var unacknowledgedCount = 0
  var acknowledgeAt: MonotonicTime?
  /// A reader is behind: acknowledgements leave on time only, and what leaves meanwhile repeats the last one.
  var isHolding = false
  var lastAcknowledged = SequenceNumber(0)
  /// Payload bytes of the packets that came since and are not acknowledged; only while holding.
  var held: [Int] = []
  /// Bytes that may be acknowledged beside those of the next reading, and waits in which nothing was.
  var heldCredit = 0
  var heldWaits = 0
  var reorder = ReorderBuffer()
  var delivering = ReorderBuffer.Held(session: 0, payload: [])
  var reportedMissing: [UInt8] = []
  /// Of the packets that name what is missing: sources disagree, 60 is what most send (Reliability.md#eak-control).
  var missingControl: LinkControl = [.acknowledge, .extendedAcknowledge]
  var carry: [UInt8] = []
  var carryConsumed = 0
  /// When what is carried is given up.
  var carryDeadline: MonotonicTime?
  /// What the peer has proposed for this link, the last of it agreed on; as many as there were rounds.
  var heard: [Proposed] = []
  var stragglers = (count: 0, after: SequenceNumber(0))
  var pending: [LinkEvent] = []

  /// Small packets that leave at the next chance.
  struct Owed: OptionSet, Sendable, Hashable {
    var rawValue: UInt8
    static let reset = Owed(rawValue: 1)
    static let detect = Owed(rawValue: 2)
    static let synchronization = Owed(rawValue: 4)
    static let acknowledgement = Owed(rawValue: 8)
    static let missing = Owed(rawValue: 16)
    static let probe = Owed(rawValue: 32)
  }

  /// - Parameter firstSequence: of our SYN; any value is legal (Reliability.md#sequence-range).
  init(side: Side, preferences: LinkPreferences, limits: Limits, firstSequence: SequenceNumber) {
    self.side = side
    self.preferences = preferences
    self.limits = limits
    local = preferences.offer
    remote = preferences.offer
    synchronizationSequence = firstSequence
    queue = RetransmitQueue(first: firstSequence.next, spareLimit: limits.spareBufferByteCount)
  }

  /// A pattern, not `==`: comparing would copy the other states' payloads, for every packet.
  @inline(__always) var isUp: Bool { if case .up = state { true } else { false } }

  var isZeroAcknowledgement: Bool { local.isZeroAcknowledgement }

  // MARK: Verbs

  /// Begins detection; a link that is alive goes on as it is.
  mutating func start(at now: MonotonicTime) {
    switch state {
    case .idle, .resting, .ended: break
    case .detecting, .awaitingDetect, .negotiating, .up, .closing: return
    }
    switch side {
    case .accessory:
      state = .detecting(
        attempt: 1, next: now.adding(milliseconds: limits.detectIntervalMilliseconds), sawLegacy: false)
      owed = [.detect]
    case .device: state = .awaitingDetect
    }
  }

  /// Begins an orderly end.
  mutating func close(at now: MonotonicTime) {
    switch state {
    case .up: state = .closing(deadline: now.adding(milliseconds: limits.closeTimeoutMilliseconds))
    case .negotiating:
      owed = [.reset]
      end(.closed)
    case .idle, .detecting, .awaitingDetect, .resting: end(.closed)
    case .closing, .ended: return
    }
    finishClosing()
  }

  /// Ends at once with RST.
  mutating func reset() {
    guard isAlive else { return }
    owed = [.reset]
    end(.closed)
  }

  /// Ends with RST and starts over, as after a reset of the peer's.
  mutating func restart(at now: MonotonicTime) {
    guard isUp else { return }
    peerReset(at: now)
    owed.insert(.reset)
  }

  private var isAlive: Bool {
    switch state {
    case .up, .closing, .negotiating: true
    case .idle, .detecting, .awaitingDetect, .resting, .ended: false
    }
  }

  /// Everything acknowledged: the RST may go.
  mutating func finishClosing() {
    guard case .closing = state, queue.count == 0 || isZeroAcknowledgement && queue.unsentCount == 0 else { return }
    owed = [.reset]
    end(.closed)
  }

  mutating func end(_ reason: LinkEnd) {
    state = .ended(reason)
    forgetTraffic()
    pending.append(.down(reason))
  }

  /// Drops what belongs to the ended link; bytes not yet scanned stay.
  private mutating func forgetTraffic() {
    resetSequence = queue.lastSent
    queue = RetransmitQueue(first: synchronizationSequence.next, spareLimit: limits.spareBufferByteCount)
    retransmitCheck = nil
    acknowledgeAt = nil
    unacknowledgedCount = 0
    isHolding = false
    held = []
    reorder = ReorderBuffer()
    reportedMissing = []
    heard = []
    stragglers.count = 0
    owed = owed.intersection(.reset)
  }

  /// The peer ended the link: an accessory rests and detects again, a device waits.
  mutating func peerReset(at now: MonotonicTime) {
    switch state {
    case .up, .negotiating:
      forgetTraffic()
      state =
        side == .device
        ? .awaitingDetect : .resting(until: now.adding(milliseconds: limits.restartDelayMilliseconds))
      pending.append(.down(.reset))
    case .closing:
      // Both wanted the end.
      forgetTraffic()
      state = .ended(.closed)
      pending.append(.down(.closed))
    case .idle, .detecting, .awaitingDetect, .resting, .ended: return
    }
  }

  // MARK: Deadlines

  var nextDeadline: MonotonicTime? {
    var earliest: MonotonicTime?
    func consider(_ time: MonotonicTime?) {
      if let time, earliest.map({ time < $0 }) ?? true { earliest = time }
    }
    switch state {
    case .detecting(_, let next, _): consider(next)
    case .negotiating(let negotiation): consider(negotiation.next)
    case .closing(let deadline): consider(deadline)
    case .resting(let until): consider(until)
    case .idle, .awaitingDetect, .up, .ended: break
    }
    consider(retransmitCheck)
    consider(acknowledgeAt)
    consider(carryDeadline)
    return earliest
  }

  mutating func handleDeadline(at now: MonotonicTime) {
    if let due = acknowledgeAt, due <= now, !isHolding { releaseAcknowledgement() }
    if let due = carryDeadline, due <= now { giveUpCarry() }
    if let check = retransmitCheck, check <= now { expireRetransmissions(at: now) }
    switch state {
    case .detecting(let attempt, let next, let sawLegacy) where next <= now:
      guard attempt < limits.detectAttempts else { return end(.notDetected(legacyOnly: sawLegacy)) }
      state = .detecting(
        attempt: attempt + 1, next: now.adding(milliseconds: limits.detectIntervalMilliseconds), sawLegacy: sawLegacy)
      owed.insert(.detect)
    case .negotiating(var negotiation) where negotiation.next <= now:
      guard negotiation.attempt < limits.synchronizationAttempts else {
        owed.insert(.reset)
        return end(.notNegotiated)
      }
      negotiation.attempt += 1
      negotiation.next = now.adding(milliseconds: limits.synchronizationIntervalMilliseconds)
      state = .negotiating(negotiation)
      owed.insert(.synchronization)
    case .closing(let deadline) where deadline <= now:
      owed = [.reset]
      end(.closed)
    case .resting(let until) where until <= now: start(at: now)
    case .idle, .detecting, .awaitingDetect, .negotiating, .up, .closing, .resting, .ended: break
    }
  }

  private mutating func expireRetransmissions(at now: MonotonicTime) {
    switch queue.expire(at: now, maxRetransmissions: Int(local.maxRetransmissions)) {
    case .limit:
      owed = [.reset]
      end(.retransmissionLimit)
    case .next(let time): retransmitCheck = time
    }
  }
}
