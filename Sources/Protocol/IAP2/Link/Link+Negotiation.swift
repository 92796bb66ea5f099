// swift-iap2 · Apache-2.0

import Basics

extension Link {
  /// Handles a SYN or SYN+ACK of the peer.
  ///
  /// The device answers a SYN with a SYN+ACK, which accepts the offer or counters it. The accessory answers that with a
  /// pure ACK, which accepts, or with a counter-offer of its own (Link.md#counter-offer). A repeated SYN gets the same
  /// answer.
  mutating func acceptSynchronization(
    _ proposal: LinkSynchronization, _ header: LinkHeader, at now: MonotonicTime
  ) {
    switch side {
    case .device: deviceAccepts(proposal, header, at: now)
    case .accessory: accessoryAccepts(proposal, header, at: now)
    }
  }

  private mutating func deviceAccepts(_ proposal: LinkSynchronization, _ header: LinkHeader, at now: MonotonicTime) {
    let proposed = Proposed(sequence: header.sequence, proposal: proposal)
    var rounds = 0
    switch state {
    case .awaitingDetect: break
    case .negotiating(let negotiation):
      if proposed == received.last { owed.insert(.synchronization) }
      if received.contains(proposed) { return countRepetition(negotiation) }
      rounds = negotiation.rounds + 1
    case .up, .closing:
      // Unverified: no public source describes a SYN on a link that is up. A transport that repeats or delays packets
      // can deliver an old SYN of this link again. Three such SYNs without new data between them mean that the
      // accessory has lost the link and restarts it.
      if received.contains(proposed), !isStartOver() { return }
      peerReset(at: now)
      if case .ended = state { return }
    case .idle, .detecting, .resting, .ended: return
    }
    if rounds == 0 { received = [] }
    received.append(proposed)
    guard rounds < limits.negotiationRounds, proposal.maxPacketLength >= 24 else {
      owed.insert(.reset)
      pending.append(.violation(.notNegotiated))
      return end(.notNegotiated)
    }
    var answer = preferences.answer(to: proposal)
    if answer.sessionID(of: .control) == nil { answer.sessions = preferences.offer.sessions }
    lastInOrder = header.sequence
    if rounds > 0 { synchronizationSequence = synchronizationSequence.next }
    propose(answer, remote: proposal, rounds: rounds, at: now)
  }

  private mutating func accessoryAccepts(
    _ proposal: LinkSynchronization, _ header: LinkHeader, at now: MonotonicTime
  ) {
    let proposed = Proposed(sequence: header.sequence, proposal: proposal)
    let rounds: Int
    switch state {
    case .negotiating(let negotiation) where header.control.contains(.acknowledge):
      // A counter-offer to this proposal was already sent. It is repeated with the same sequence number, because the
      // device would treat a new one as another round.
      if proposed == received.last { owed.insert(.synchronization) }
      if received.contains(proposed) { return countRepetition(negotiation) }
      rounds = negotiation.rounds + 1
    case .up where received.contains(proposed):
      // The ACK was lost, or a delayed copy of the SYN+ACK arrived.
      owed.insert(.acknowledgement)
      return
    case .up: return peerReset(at: now)
    case .idle, .detecting, .awaitingDetect, .negotiating, .closing, .resting, .ended: return
    }
    received.append(proposed)
    lastInOrder = header.sequence
    var answer = preferences.answer(to: proposal)
    if answer.sessionID(of: .control) == nil { answer.sessions = preferences.offer.sessions }
    if answer.agrees(with: proposal), proposal.maxPacketLength >= 24 {
      comeUp(local: answer, remote: proposal)
      owed.insert(.acknowledgement)
    } else if rounds <= limits.negotiationRounds {
      synchronizationSequence = synchronizationSequence.next
      propose(answer, remote: proposal, rounds: rounds, at: now)
    } else {
      owed.insert(.reset)
      pending.append(.violation(.notNegotiated))
      end(.notNegotiated)
    }
  }

  /// Counts a packet that repeats a proposal during the negotiation, and ends a negotiation with too many of them.
  private mutating func countRepetition(_ negotiation: Negotiation) {
    var negotiation = negotiation
    negotiation.repetitions += 1
    state = .negotiating(negotiation)
    guard negotiation.repetitions > limits.synchronizationRepetitions else { return }
    owed.insert(.reset)
    pending.append(.violation(.synchronizationRepeated(limit: limits.synchronizationRepetitions)))
    end(.notNegotiated)
  }

  /// Counts a repeated SYN of this link on which no new data has arrived since the last one. Returns whether there are
  /// enough to treat it as a restart.
  private mutating func isStartOver() -> Bool {
    if stragglers.after != lastInOrder { stragglers = (0, lastInOrder) }
    stragglers.count += 1
    return stragglers.count >= Self.startOverCount
  }

  private static let startOverCount = 3

  private mutating func propose(
    _ proposal: LinkSynchronization, remote: LinkSynchronization, rounds: Int, at now: MonotonicTime
  ) {
    state = .negotiating(
      Negotiation(
        proposal: proposal, remote: remote, attempt: 1,
        next: now.adding(milliseconds: limits.synchronizationIntervalMilliseconds), rounds: rounds))
    owed.insert(.synchronization)
  }

  mutating func comeUp(local: LinkSynchronization, remote: LinkSynchronization) {
    self.local = local
    self.remote = remote
    state = .up()
    owed.remove(.synchronization)
    queue = RetransmitQueue(first: synchronizationSequence.next, spareLimit: limits.spareBufferByteCount)
    unacknowledgedCount = 0
    lastAcknowledged = lastInOrder
    pending.append(.up(local: local, remote: remote))
  }
}
