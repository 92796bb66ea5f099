// swift-iap2 · Apache-2.0

extension Link {
  /// A SYN or SYN+ACK of the peer.
  ///
  /// The device answers a SYN with SYN+ACK, which accepts or counters; the accessory answers that with a pure ACK, which
  /// agrees, or counters itself (Link.md#counter-offer). A repeated SYN gets the same answer again.
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
      if proposed == heard.last { owed.insert(.synchronization) }
      if heard.contains(proposed) { return }
      rounds = negotiation.rounds + 1
    case .up, .closing:
      // Unverified: nobody describes a SYN on a link that is up. One of its own comes again where the way to us repeats
      // or delays packets; several, and nothing new between them, are of an accessory that has forgotten the link.
      if heard.contains(proposed), !isStartOver() { return }
      peerReset(at: now)
      if case .ended = state { return }
    case .idle, .detecting, .resting, .ended: return
    }
    if rounds == 0 { heard = [] }
    heard.append(proposed)
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
      // Countered already: under another number the device would take it for one more round.
      if proposed == heard.last { owed.insert(.synchronization) }
      if heard.contains(proposed) { return }
      rounds = negotiation.rounds + 1
    case .up where heard.contains(proposed):
      // Our ACK was lost, or the answer comes again late.
      owed.insert(.acknowledgement)
      return
    case .up: return peerReset(at: now)
    case .idle, .detecting, .awaitingDetect, .negotiating, .closing, .resting, .ended: return
    }
    heard.append(proposed)
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

  /// Counts SYNs of this link that come again while nothing else does.
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
    state = .up
    owed.remove(.synchronization)
    queue = RetransmitQueue(first: synchronizationSequence.next, spareLimit: limits.spareBufferByteCount)
    unacknowledgedCount = 0
    lastAcknowledged = lastInOrder
    pending.append(.up(local: local, remote: remote))
  }
}
