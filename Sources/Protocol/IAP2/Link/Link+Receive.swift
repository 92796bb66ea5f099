// swift-iap2 · Apache-2.0

import Basics

extension Link {
  /// Reads bytes from `offset` until an event occurs and advances `offset`; nil once all bytes are used.
  ///
  /// The payload of an event is valid until the next mutating call.
  mutating func receive(_ bytes: RawSpan, offset: inout Int, at now: MonotonicTime) -> LinkEvent? {
    if !pending.isEmpty { return pending.removeFirst() }
    if !reorder.isEmpty, let event = deliverReordered(at: now) { return event }
    while !carry.isEmpty {
      if carryConsumed > 0 {
        carry.removeFirst(carryConsumed)
        carryConsumed = 0
        if carry.isEmpty { carryDeadline = nil }
        continue
      }
      let wanted: Int
      switch LinkScanner.scan(carry.rawBytes, from: 0) {
      case .incomplete(_, let need):
        if need > receiveLimit { return passOverCarry(need) }
        wanted = min(need - carry.count, bytes.byteCount - offset)
        guard wanted > 0 else { return nil }
        carry.append(copying: bytes.extracting(offset..<(offset + wanted)))
        noteIncomplete()
        offset += wanted
        carryDeadline = now.adding(milliseconds: limits.partialPacketMilliseconds)
        continue
      case .end: continue
      case let found:
        carryConsumed = found.end(of: carry.count)
        if let event = accept(found, place: .carry, input: bytes, at: now) { return event }
      }
    }
    while offset < bytes.byteCount {
      let found = LinkScanner.scan(bytes, from: offset)
      offset = found.end(of: bytes.byteCount)
      switch found {
      case .packet(let header, let start):
        if let event = accept(header, at: start, place: .input, input: bytes, at: now) { return event }
        if !pending.isEmpty { return pending.removeFirst() }
      case .incomplete(let start, let need):
        if need > receiveLimit {
          offset = start + 1
          return .violation(.packetTooLong(byteCount: need, limit: receiveLimit))
        }
        carry.append(copying: bytes.extracting(start..<bytes.byteCount))
        noteIncomplete()
        carryDeadline = now.adding(milliseconds: limits.partialPacketMilliseconds)
        offset = bytes.byteCount
        return nil
      default: if let event = accept(found, place: .input, input: bytes, at: now) { return event }
      }
    }
    return nil
  }

  /// The longest packet that the receiver waits for. Once the link is negotiated it is the declared length plus ten
  /// bytes, because WIO counts the payload only (FieldBehavior.md#f15). Before that it is the longest SYN.
  private var receiveLimit: Int {
    switch state {
    case .up, .closing, .negotiating: longestPacket
    case .idle, .detecting, .awaitingDetect, .resting, .ended: Self.synchronizationLimit
    }
  }

  /// The largest value of `receiveLimit` in any state.
  var longestPacket: Int { max(Int(preferences.offer.maxPacketLength), Self.synchronizationLimit) + 10 }

  private static var synchronizationLimit: Int {
    LinkHeader.overheadByteCount + LinkSynchronization.fixedByteCount + 255 * LinkSynchronization.sessionByteCount
  }

  private mutating func passOverCarry(_ need: Int) -> LinkEvent {
    carryConsumed = 1
    return .violation(.packetTooLong(byteCount: need, limit: receiveLimit))
  }

  /// Gives up an incomplete packet whose remaining bytes did not arrive in time.
  mutating func giveUpCarry() {
    carryDeadline = nil
    guard !carry.isEmpty else { return }
    pending.append(.violation(.partialPacket(byteCount: carry.count)))
    carryConsumed = max(1, carryConsumed)
  }

  /// Returns the bytes of an event's payload, which are valid until the next mutating call.
  ///
  /// The function is inlined because a call during a change of the endpoint copies its whole link.
  @_lifetime(borrow self, copy input)
  @inline(__always)
  func bytes(of payload: LentPayload, in input: RawSpan) -> RawSpan {
    switch payload.place {
    case .input: input.extracting(payload.range)
    case .carry: unsafe _overrideLifetime(carry.rawBytes.extracting(payload.range), borrowing: self)
    case .reordered, .assembled:
      unsafe _overrideLifetime(delivering.payload.rawBytes.extracting(payload.range), borrowing: self)
    }
  }

  @inline(never)
  private mutating func accept(
    _ found: LinkScan, place: LentPayload.Place, input: RawSpan, at now: MonotonicTime
  ) -> LinkEvent? {
    switch found {
    case .packet(let header, let start):
      if let event = accept(header, at: start, place: place, input: input, at: now) { return event }
      return pending.isEmpty ? nil : pending.removeFirst()
    case .detect: return acceptDetect(at: now)
    case .legacyFrame: return acceptLegacy()
    case .badPayloadChecksum(let header, _): return .violation(.badPayloadChecksum(sequence: header.sequence))
    case .badHeader(_, _, let reason): return .violation(.badHeader(reason))
    case .garbage(let range): return .violation(.garbage(byteCount: range.count))
    case .incomplete, .end: return nil
    }
  }

  @inline(__always)
  private mutating func accept(
    _ header: LinkHeader, at start: Int, place: LentPayload.Place, input: RawSpan, at now: MonotonicTime
  ) -> LinkEvent? {
    if isUp, header.control == .acknowledge, header.byteCount > LinkHeader.overheadByteCount,
      header.byteCount <= Int(local.maxPacketLength), header.sequence == lastInOrder.next
    {
      if header.acknowledgement.rawValue == queue.oldest.rawValue &- 1 {
        acknowledgementsReceived &+= 1
      } else if let event = acceptAcknowledgement(header.acknowledgement) {
        pending.append(event)
      }
      lastInOrder = header.sequence
      countForAcknowledgement(header.payloadByteCount, at: now)
      return .data(session: header.session, LentPayload(range: header.payload(at: start), place: place))
    }
    return acceptRare(header, at: start, place: place, input: input, at: now)
  }

  @inline(never)
  private mutating func acceptRare(
    _ header: LinkHeader, at start: Int, place: LentPayload.Place, input: RawSpan, at now: MonotonicTime
  ) -> LinkEvent? {
    // WIO counts the payload only, so its packets are up to ten bytes longer than declared (FieldBehavior.md#f15).
    let limit = Int(preferences.offer.maxPacketLength) + LinkHeader.overheadByteCount
    guard header.byteCount <= limit || header.control.contains(.synchronize) else {
      return .violation(
        .packetTooLong(byteCount: header.byteCount, limit: Int(preferences.offer.maxPacketLength)))
    }
    if header.control.contains(.reset) {
      peerReset(at: now)
      return nil
    }
    let payload = LentPayload(range: header.payload(at: start), place: place)
    switch state {
    case .idle, .resting, .ended: return nil
    case .detecting:
      // IAP2RS treats a valid packet as proof of iAP2 like an echo (Link.md#detect-other-bytes).
      detected(at: now)
      return .detected
    case .awaitingDetect, .negotiating, .up, .closing: break
    }
    if header.control.contains(.synchronize) {
      let proposal: LinkSynchronization
      do { proposal = try LinkSynchronization(bytes(of: payload, in: input)) } catch {
        return .violation(.badSynchronization(error))
      }
      pending.append(.proposal(proposal))
      acceptSynchronization(proposal, header, at: now)
      return nil
    }
    switch state {
    case .up, .closing: break
    case .negotiating(let negotiation):
      // Any acknowledgement of the device's SYN+ACK brings its link up, even one on a data packet.
      guard side == .device, header.control.contains(.acknowledge), header.acknowledgement == synchronizationSequence,
        let remote = negotiation.remote
      else { return header.payloadByteCount > 0 ? .violation(.dataBeforeLinkUp) : nil }
      comeUp(local: negotiation.proposal, remote: remote)
    case .awaitingDetect(let resetsOldLink):
      if resetsOldLink { owed.insert(.reset) }
      return nil
    case .idle, .detecting, .resting, .ended: return nil
    }
    // The packet's data counts even if its acknowledgement is invalid, because a duplicate must be acknowledged.
    if header.control.contains(.acknowledge), let event = acceptAcknowledgement(header.acknowledgement) {
      pending.append(event)
    }
    // If this acknowledgement completed an orderly end, no data is delivered after the end.
    if case .ended = state { return nil }
    if header.control.contains(.extendedAcknowledge) {
      let missing = [UInt8](copying: bytes(of: payload, in: input))
      for sequence in missing { _ = queue.markDue(SequenceNumber(sequence)) }
      return nil
    }
    guard header.payloadByteCount > 0 else { return nil }
    return acceptData(header, payload, input: input, at: now)
  }

  private mutating func acceptData(
    _ header: LinkHeader, _ payload: LentPayload, input: RawSpan, at now: MonotonicTime
  ) -> LinkEvent? {
    let ahead = header.sequence.distance(from: lastInOrder)
    if ahead == 1 {
      lastInOrder = header.sequence
      countForAcknowledgement(payload.byteCount, at: now)
      let event = LinkEvent.data(session: header.session, payload)
      guard pending.isEmpty else {
        // Another event of this packet comes first, such as the link coming up. The payload is copied because it must
        // stay valid for one more call.
        delivering = ReorderBuffer.Held(
          session: header.session, payload: [UInt8](copying: bytes(of: payload, in: input)))
        pending.append(
          .data(session: header.session, LentPayload(range: 0..<delivering.payload.count, place: .reordered)))
        return pending.removeFirst()
      }
      return event
    }
    // The window that this side declared limits how far ahead a packet may be. A duplicate is acknowledged at once, so
    // that its sender stops retransmitting.
    let window = local.windowPacketCount
    guard ahead >= 2, ahead <= window else {
      owed.insert(.acknowledgement)
      return ahead == 0 || ahead > 127 ? nil : .violation(.outsideWindow(sequence: header.sequence))
    }
    let copy = ReorderBuffer.Held(session: header.session, payload: [UInt8](copying: bytes(of: payload, in: input)))
    if reorder.insert(header.sequence, copy) {
      let missing = reorder.missing(after: lastInOrder)
      // An EAK is sent only when the list of missing packets changes. If a retransmission is lost, the sender's timer
      // repeats it.
      if missing != reportedMissing {
        reportedMissing = missing
        owed.insert(.missing)
      }
    } else {
      owed.insert(.acknowledgement)
    }
    return nil
  }

  private mutating func deliverReordered(at now: MonotonicTime) -> LinkEvent? {
    guard let held = reorder.take(lastInOrder.next) else { return nil }
    lastInOrder = lastInOrder.next
    delivering = held
    if reorder.isEmpty {
      reportedMissing = []
      owed.remove(.missing)
      owed.insert(.acknowledgement)
    }
    countForAcknowledgement(held.payload.count, at: now)
    return .data(session: held.session, LentPayload(range: 0..<held.payload.count, place: .reordered))
  }

  /// Counts a data packet. Requests an acknowledgement at the agreed count, or starts the timer for it.
  @inline(__always)
  private mutating func countForAcknowledgement(_ byteCount: Int, at now: MonotonicTime) {
    unacknowledgedCount &+= 1
    if isHolding { return hold(byteCount) }
    if isZeroAcknowledgement {
      if unacknowledgedCount >= local.windowPacketCount { owed.insert(.acknowledgement) }
      return
    }
    // The count is at most this side's window, because a peer with a full window waits for the acknowledgement.
    let count = max(1, min(Int(local.maxCumulativeAcks), local.windowPacketCount))
    if unacknowledgedCount >= count || local.cumulativeAckTimeout == 0 {
      owed.insert(.acknowledgement)
    } else if acknowledgeAt == nil {
      acknowledgeAt = now.adding(milliseconds: acknowledgementDelayMilliseconds)
    }
  }

  /// Keeps the acknowledgement of a packet back. A peer that ignores the window gets that of the oldest one, so that the
  /// list is no longer than the window.
  @inline(never)
  private mutating func hold(_ byteCount: Int) {
    held.append(byteCount)
    guard held.count > local.windowPacketCount else { return }
    heldCredit -= held.removeFirst()
    lastAcknowledged = lastAcknowledged.next
  }

  /// The agreed delay in milliseconds, but at most half of the retransmission timeout, so that the peer does not
  /// retransmit before. IVY asks for 4169 ms with a retransmission timeout of 1500 ms (Link.md#lsp-ranges-broken).
  private var acknowledgementDelayMilliseconds: Int {
    let agreed = Int(local.cumulativeAckTimeout)
    let retransmission = Int(local.retransmissionTimeout)
    return retransmission == 0 ? agreed : min(agreed, max(1, retransmission / 2))
  }

  /// Releases the acknowledged packets. An acknowledgement of older packets is late and ignored; one of a packet that
  /// was not sent is a violation.
  private mutating func acceptAcknowledgement(_ acknowledgement: SequenceNumber) -> LinkEvent? {
    let released = acknowledgement.distance(from: queue.oldest) + 1
    if acknowledges(acknowledgement) { acknowledgementsReceived &+= 1 }
    if released == 256 { return nil }
    guard released <= queue.sentCount else {
      return released <= 128 ? .violation(.acknowledgementOutOfRange(acknowledgement)) : nil
    }
    queue.release(released)
    if queue.sentCount == 0 { retransmitCheck = nil }
    finishClosing()
    return nil
  }

  /// Whether an acknowledgement names the packet that was acknowledged last, or one that was sent after it. On a link
  /// without acknowledgements every number does, because the peer need not keep it.
  private func acknowledges(_ acknowledgement: SequenceNumber) -> Bool {
    let released = acknowledgement.distance(from: queue.oldest) + 1
    return isZeroAcknowledgement || released == 256 || released <= queue.sentCount
  }

  /// Counts the bytes of an incomplete packet as an acknowledgement if its header is one: a long packet takes seconds
  /// on a serial line.
  private mutating func noteIncomplete() {
    guard isUp, carry.count >= LinkHeader.byteCount, carry.rawBytes.bigEndian16(0) == LinkHeader.start else { return }
    let header = LinkHeader(carry.rawBytes, at: 0)
    guard header.control.contains(.acknowledge), acknowledges(header.acknowledgement) else { return }
    acknowledgementsReceived &+= 1
  }

  // MARK: Detection

  private mutating func acceptDetect(at now: MonotonicTime) -> LinkEvent? {
    switch (side, state) {
    case (.accessory, .detecting):
      detected(at: now)
      return .detected
    case (.device, .awaitingDetect):
      owed.insert(.detect)
      return .detected
    case (.device, .negotiating):
      // The accessory has not received the echo, or it restarts detection. The device echoes again, and the next SYN
      // decides.
      owed.insert(.detect)
      return nil
    case (.device, .up(let check)):
      checkRestart(check, at: now)
      return pending.isEmpty ? nil : pending.removeFirst()
    // An accessory receives DETECT only as an echo of its own, which proves nothing about the device.
    default: return nil
    }
  }

  /// Handles DETECT on a link that is up. The accessory may have restarted without RST, as after a reboot on a serial
  /// line, or the sequence may be stray (Link.md#detect-up). A probe decides: an active accessory acknowledges.
  private mutating func checkRestart(_ check: RestartCheck?, at now: MonotonicTime) {
    if let check, check.acknowledgementsReceived == acknowledgementsReceived {
      // A link that cannot be probed: the accessory has sent DETECT again after the whole time, and nothing else.
      if check.next == nil { peerRestarted() }
      return
    }
    state = .up(
      RestartCheck(
        acknowledgementsReceived: acknowledgementsReceived, probes: 1,
        next: now.adding(milliseconds: limits.restartProbeMilliseconds)))
    probe()
  }

  /// Sends the next probe of a check, or decides it.
  mutating func continueRestartCheck(_ check: RestartCheck, at now: MonotonicTime) {
    guard check.acknowledgementsReceived == acknowledgementsReceived else {
      state = .up()
      return
    }
    guard let next = check.next, next <= now else { return }
    if check.probes < limits.restartProbes {
      var check = check
      check.probes += 1
      check.next = now.adding(milliseconds: limits.restartProbeMilliseconds)
      state = .up(check)
      return probe()
    }
    // A active peer would also have acknowledged packets that wait for it.
    if canProbe || !isZeroAcknowledgement && queue.sentCount > 0 { return peerRestarted() }
    var waiting = check
    waiting.next = nil
    state = .up(waiting)
  }

  /// Whether a DETECT is being checked by probes.
  var isCheckingRestart: Bool {
    guard case .up(let check?) = state else { return false }
    return check.next != nil && check.acknowledgementsReceived == acknowledgementsReceived
  }

  private mutating func acceptLegacy() -> LinkEvent? {
    switch state {
    case .detecting(let attempt, let next, false):
      state = .detecting(attempt: attempt, next: next, sawLegacy: true)
      return .legacyPeer
    case .awaitingDetect: return .legacyPeer
    case .idle, .detecting, .negotiating, .up, .closing, .resting, .ended: return nil
    }
  }

  private mutating func detected(at now: MonotonicTime) {
    owed.remove(.detect)
    received = []
    state = .negotiating(
      Negotiation(
        proposal: preferences.offer, remote: nil, attempt: 1,
        next: now.adding(milliseconds: limits.synchronizationIntervalMilliseconds), rounds: 0))
    owed.insert(.synchronization)
  }
}

extension LinkScan {
  /// Returns the offset at which scanning continues.
  @inline(__always)
  func end(of count: Int) -> Int {
    switch self {
    case .packet(let header, let start), .badPayloadChecksum(let header, let start): start &+ header.byteCount
    case .detect(let start): start &+ 6
    case .legacyFrame(let range), .garbage(let range): range.upperBound
    case .badHeader(_, let start, _): start &+ 1
    case .incomplete(let start, _): start
    case .end: count
    }
  }
}
