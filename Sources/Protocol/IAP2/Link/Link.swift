// swift-iap2 · Apache-2.0

import Basics

/// One side of the reliable link: detection, synchronization, acknowledgement, retransmission.
///
///     idle ── start ──► detecting ── echo or FF 5A ──► negotiating ── agreed ──► up ── close ──► closing ──► ended
///                        ▲  (the device waits instead)      │                     │
///                        └──────────── resting ◄── RST ─────┴── RST, limit ◄──────┤
///                        └──────────── the accessory restarted (device) ◄─────────┘
///
/// Rules of the link:
///
/// - The accessory sends the detect sequence first; the device only echoes it.
/// - SYN, SYN+ACK and data packets own a sequence number; pure ACK, EAK and RST do not.
/// - Every data packet carries an acknowledgement.
/// - Data is delivered once and in order.
/// - Bytes that are not a packet are skipped.
/// - After a reset the accessory waits and then starts detection, as on a new connection.
/// - DETECT on a link that is up makes the device probe. If nothing is acknowledged, the accessory has restarted.
///
/// Comments in the code name deviations from single implementations. The facts come from
/// Documentation/Protocol/Link.md, Documentation/Protocol/Reliability.md and Documentation/Protocol/FieldBehavior.md.
struct Link: Sendable {
  enum State: Sendable, Hashable {
    case idle
    /// The accessory sends the detect sequence until the device echoes it.
    case detecting(attempt: Int, next: MonotonicTime, sawLegacy: Bool)
    /// The device waits for the detect sequence. After a restart of the accessory without RST, `resetsOldLink` is true:
    /// a packet of the old link then comes from an accessory that was only slow, and is answered with RST.
    case awaitingDetect(resetsOldLink: Bool = false)
    case negotiating(Negotiation)
    /// The link is up. The value is the check after a DETECT on this link; nil if no DETECT came.
    case up(RestartCheck? = nil)
    /// An orderly end: the link waits for acknowledgements, then sends RST.
    case closing(deadline: MonotonicTime)
    /// The accessory waits after a reset before it starts detection again.
    case resting(until: MonotonicTime)
    case ended(LinkEnd)
  }

  /// A proposal of this side that waits for an answer.
  struct Negotiation: Sendable, Hashable {
    var proposal: LinkSynchronization
    /// The last proposal of the peer; nil while the accessory's first SYN is unanswered.
    var remote: LinkSynchronization?
    var attempt: Int
    var next: MonotonicTime
    var rounds: Int
    /// The number of SYN or SYN+ACK packets that repeated a proposal of this link instead of acknowledging the answer.
    var repetitions = 0
  }

  /// The check whether an accessory that sent DETECT on a link that is up has restarted and lost the link.
  struct RestartCheck: Sendable, Hashable {
    /// The value of ``Link/acknowledgementsReceived`` at DETECT. A later acknowledgement disproves a restart.
    var acknowledgementsReceived: Int
    var probes: Int
    /// The time of the next probe or of the decision; nil if the link cannot be probed and waits for another DETECT.
    var next: MonotonicTime?
  }

  /// A proposal of the peer with its sequence number.
  struct Proposed: Sendable, Hashable {
    var sequence: SequenceNumber
    var proposal: LinkSynchronization
  }

  let side: Side
  let preferences: LinkPreferences
  let limits: Limits

  var state: State = .idle
  /// The agreed values. `local` has the window and packet length that this side declared and the peer obeys; `remote`
  /// has those that the peer declared.
  var local: LinkSynchronization
  var remote: LinkSynchronization

  // Sending.
  var queue: RetransmitQueue
  /// The sequence number of this side's last SYN or SYN+ACK.
  var synchronizationSequence: SequenceNumber
  /// The time of the next check for retransmissions. No packet is due before it.
  var retransmitCheck: MonotonicTime?
  var owed: Owed = []
  /// The sequence number in this side's RST: the last one that was sent.
  var resetSequence = SequenceNumber(0)

  // Receiving.
  var lastInOrder = SequenceNumber(0)
  /// The number of received packets that acknowledge what this side sent, whole or still incomplete. Only these prove
  /// that the peer still has the link.
  var acknowledgementsReceived = 0
  var unacknowledgedCount = 0
  var acknowledgeAt: MonotonicTime?
  /// Whether acknowledgements are delayed because a reader is slow. They are then sent only at the end of each delay,
  /// and packets repeat the last one.
  var isHolding = false
  var lastAcknowledged = SequenceNumber(0)
  /// The payload sizes of the packets that were received while holding and are not acknowledged, in bytes.
  var held: [Int] = []
  /// The bytes that slow readers have read beyond the acknowledged packets. `heldWaits` counts the delays in a row
  /// after which no packet was acknowledged.
  var heldCredit = 0
  var heldWaits = 0
  var reorder = ReorderBuffer()
  var delivering = ReorderBuffer.Held(session: 0, payload: [])
  var reportedMissing: [UInt8] = []
  /// The control bits of an EAK. Sources disagree; 60 is the form of most implementations (Reliability.md#eak-control;
  /// high).
  var missingControl: LinkControl = [.acknowledge, .extendedAcknowledge]
  var carry: [UInt8] = []
  var carryConsumed = 0
  /// The time at which an incomplete packet is given up.
  var carryDeadline: MonotonicTime?
  /// The peer's proposals for this link, one for each round. The last one was agreed on.
  var received: [Proposed] = []
  var stragglers = (count: 0, after: SequenceNumber(0))
  var pending: [LinkEvent] = []

  /// The packets without data that are sent at the next opportunity.
  struct Owed: OptionSet, Sendable, Hashable {
    var rawValue: UInt8
    static let reset = Owed(rawValue: 1)
    static let detect = Owed(rawValue: 2)
    static let synchronization = Owed(rawValue: 4)
    static let acknowledgement = Owed(rawValue: 8)
    static let missing = Owed(rawValue: 16)
    static let probe = Owed(rawValue: 32)
  }

  /// Creates an idle link.
  ///
  /// - Parameter firstSequence: The sequence number of the first SYN; any value is legal
  ///   (Reliability.md#sequence-range).
  init(side: Side, preferences: LinkPreferences, limits: Limits, firstSequence: SequenceNumber) {
    self.side = side
    self.preferences = preferences
    self.limits = limits
    local = preferences.offer
    remote = preferences.offer
    synchronizationSequence = firstSequence
    queue = RetransmitQueue(first: firstSequence.next, spareLimit: limits.spareBufferByteCount)
  }

  /// Matches a pattern instead of using `==`, which would copy the payloads of the other states for every packet.
  @inline(__always) var isUp: Bool { if case .up = state { true } else { false } }

  var isZeroAcknowledgement: Bool { local.isZeroAcknowledgement }

  // MARK: Verbs

  /// Starts detection. A link that is active is not changed.
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
    case .device: state = .awaitingDetect()
    }
  }

  /// Starts an orderly end.
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

  /// Ends the link at once with RST.
  mutating func reset() {
    guard isAlive else { return }
    owed = [.reset]
    end(.closed)
  }

  /// Ends the link with RST and restarts it, as after a reset by the peer.
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

  /// Sends RST once every packet is acknowledged.
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

  /// Drops everything that belongs to the ended link. Received bytes that were not scanned stay.
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
    received = []
    stragglers.count = 0
    owed = owed.intersection(.reset)
  }

  /// Ends the link because the accessory has restarted without RST, and waits for its next DETECT. RST could end the
  /// detection of an accessory that has no link.
  mutating func peerRestarted() {
    forgetTraffic()
    state = .awaitingDetect(resetsOldLink: true)
    pending.append(.down(.peerRestarted))
  }

  /// Handles a reset by the peer: an accessory waits and starts detection again, a device waits for detection.
  mutating func peerReset(at now: MonotonicTime) {
    switch state {
    case .up, .negotiating:
      forgetTraffic()
      state =
        side == .device
        ? .awaitingDetect() : .resting(until: now.adding(milliseconds: limits.restartDelayMilliseconds))
      pending.append(.down(.reset))
    case .closing:
      // Both sides ended the link.
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
    case .up(let check): consider(check?.next)
    case .closing(let deadline): consider(deadline)
    case .resting(let until): consider(until)
    case .idle, .awaitingDetect, .ended: break
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
        return end(.unanswered)
      }
      negotiation.attempt += 1
      negotiation.next = now.adding(milliseconds: limits.synchronizationIntervalMilliseconds)
      state = .negotiating(negotiation)
      owed.insert(.synchronization)
    case .up(let check?): continueRestartCheck(check, at: now)
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
