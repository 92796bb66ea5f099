// swift-iap2 · Apache-2.0

extension Link {
  // MARK: Sending data

  /// Packets that may be built now without passing the peer's window.
  var writablePacketCount: Int {
    guard isUp else { return 0 }
    // Without acknowledgements nothing frees the window: only what has not left yet counts.
    let used = isZeroAcknowledgement ? queue.unsentCount : queue.count
    return max(0, max(1, Int(min(127, remote.maxOutstandingPackets))) - used)
  }

  /// Payload bytes of the largest packet the peer takes.
  var payloadCapacity: Int { Int(remote.maxPacketLength) - LinkHeader.overheadByteCount }

  /// Builds a data packet. The caller has asked `writablePacketCount` and `payloadCapacity`.
  mutating func send(session: UInt8, prefix: UInt16? = nil, payload: RawSpan) {
    queue.append(
      acknowledgement: acknowledgement, session: session, prefix: prefix, payload: payload,
      window: Int(remote.maxOutstandingPackets))
  }

  /// A live peer can be made to answer.
  var canProbe: Bool { isUp && !isZeroAcknowledgement && queue.hasAcknowledged }

  /// Asks the peer for a sign of life: sends again what it has acknowledged last. Whoever lives acknowledges a duplicate
  /// at once and changes nothing (FieldBehavior.md#f12; on Apple's own devices unverified).
  mutating func probe() { if canProbe { owed.insert(.probe) } }

  // MARK: The wire

  var hasTransmit: Bool { !owed.isEmpty || queue.unsentCount > 0 || queue.dueCount > 0 }

  /// Hands the next bytes that shall leave to `body`, one packet or detect sequence at a time; nil when nothing is left.
  mutating func nextTransmit<R>(at now: MonotonicTime, _ body: (RawSpan) -> R) -> R? {
    guard hasTransmit else { return nil }
    if owed.contains(.reset) {
      owed.remove(.reset)
      return small(.reset, sequence: resetSequence, acknowledgement: SequenceNumber(0), body)
    }
    if owed.contains(.detect) {
      owed.remove(.detect)
      let detect = LinkScanner.detect
      return body(detect.rawBytes)
    }
    if owed.contains(.synchronization) { return synchronization(body) }
    if owed.contains(.missing) {
      owed.subtract([.missing, .acknowledgement])
      acknowledged()
      return small(
        missingControl, sequence: queue.lastSent, acknowledgement: acknowledgement, payload: reportedMissing, body)
    }
    if owed.contains(.probe) {
      owed.subtract([.probe, .acknowledgement])
      acknowledged()
      return queue.withLastAcknowledged(acknowledgement: acknowledgement, body)
    }
    if let sequence = queue.takeNext(
      acknowledgement: acknowledgement, deadline: now.adding(milliseconds: Int(local.retransmissionTimeout)))
    {
      owed.remove(.acknowledgement)
      acknowledged()
      let result = queue.withPacket(sequence, body)
      if local.retransmissionTimeout > 0, retransmitCheck == nil {
        retransmitCheck = now.adding(milliseconds: Int(local.retransmissionTimeout))
      }
      if isZeroAcknowledgement {
        queue.release(queue.sentCount)
        finishClosing()
      }
      return result
    }
    if owed.contains(.acknowledgement) {
      owed.remove(.acknowledgement)
      acknowledged()
      return small(.acknowledge, sequence: queue.lastSent, acknowledgement: acknowledgement, body)
    }
    return nil
  }

  /// What packets that leave now acknowledge.
  private var acknowledgement: SequenceNumber { isHolding ? lastAcknowledged : lastInOrder }

  /// Every acknowledgement we owed has left.
  private mutating func acknowledged() {
    guard !isHolding else { return }
    unacknowledgedCount = 0
    acknowledgeAt = nil
    lastAcknowledged = lastInOrder
  }

  /// A packet that owns no sequence number: it carries the last one sent.
  private func small<R>(
    _ control: LinkControl, sequence: SequenceNumber, acknowledgement: SequenceNumber, payload: [UInt8] = [],
    _ body: (RawSpan) -> R
  ) -> R {
    // Payload here is a list of missing packets, at most 127 bytes: what does not fit the peer's packets waits.
    let fitting = Array(payload.prefix(max(1, payloadCapacity)))
    if fitting.isEmpty {
      let header = LinkHeader(
        byteCount: LinkHeader.byteCount, control: control, sequence: sequence, acknowledgement: acknowledgement,
        session: 0)
      let length = UInt8(LinkHeader.byteCount)
      let bytes: InlineArray<9, UInt8> = [
        LinkHeader.start0, LinkHeader.start1, 0, length, control.rawValue, sequence.rawValue,
        acknowledgement.rawValue, 0, header.checksum,
      ]
      return body(unsafe bytes.span.bytes)
    }
    var packet: [UInt8] = []
    LinkPacket.append(
      to: &packet, control: control, sequence: sequence, acknowledgement: acknowledgement, session: 0,
      payload: fitting.rawBytes)
    return body(packet.rawBytes)
  }

  private mutating func synchronization<R>(_ body: (RawSpan) -> R) -> R? {
    owed.remove(.synchronization)
    guard case .negotiating(let negotiation) = state else { return nil }
    var packet: [UInt8] = []
    LinkPacket.append(
      to: &packet, control: negotiation.remote == nil ? .synchronize : [.synchronize, .acknowledge],
      sequence: synchronizationSequence,
      acknowledgement: negotiation.remote == nil ? SequenceNumber(0) : lastInOrder, session: 0,
      payload: negotiation.proposal.bytes.rawBytes)
    return body(packet.rawBytes)
  }
}

extension Link {
  /// A reader is behind: acknowledges what came so far, and what comes from now on late.
  mutating func holdAcknowledgement(at now: MonotonicTime) {
    guard !isHolding, !isZeroAcknowledgement, local.retransmissionTimeout > 1 else { return }
    isHolding = true
    held = []
    heldCredit = 0
    heldWaits = 0
    lastAcknowledged = lastInOrder
    owed.insert(.acknowledgement)
    acknowledgeAt = now.adding(milliseconds: Int(local.retransmissionTimeout) / 2)
  }

  /// While holding, at the end of each wait: acknowledges packets of so many bytes, and waits again.
  ///
  /// - Parameter byteCount: nil for everything that came.
  mutating func acknowledgeHeld(_ byteCount: Int?, at now: MonotonicTime) {
    var count = 0
    if let byteCount {
      heldCredit += byteCount
      while count < held.count, heldCredit >= held[count] {
        heldCredit -= held[count]
        count += 1
      }
      // A packet that waits too long is sent again and again, and in the end the link is lost for it.
      heldWaits = count == 0 && !held.isEmpty ? heldWaits + 1 : 0
      if heldWaits >= 8 {
        heldCredit -= held[0]
        count = 1
        heldWaits = 0
      }
    } else {
      count = held.count
      heldCredit = 0
    }
    held.removeFirst(count)
    lastAcknowledged = lastAcknowledged.advanced(by: count)
    if count > 0 { owed.insert(.acknowledgement) }
    acknowledgeAt = now.adding(milliseconds: Int(local.retransmissionTimeout) / 2)
  }

  /// Says at once what was put off.
  mutating func releaseAcknowledgement() {
    isHolding = false
    held = []
    guard acknowledgeAt != nil else { return }
    acknowledgeAt = nil
    owed.insert(.acknowledgement)
  }
}
