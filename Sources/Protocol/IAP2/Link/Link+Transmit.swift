// swift-iap2 · Apache-2.0

import Basics

extension Link {
  // MARK: Sending data

  /// The packets that may be built now within the peer's window.
  var writablePacketCount: Int {
    guard isUp else { return 0 }
    // Without acknowledgements nothing frees the window, so only packets that were not sent yet count.
    let used = isZeroAcknowledgement ? queue.unsentCount : queue.count
    return max(0, remote.windowPacketCount - used)
  }

  /// The payload bytes of the largest packet that the peer accepts.
  var payloadCapacity: Int { Int(remote.maxPacketLength) - LinkHeader.overheadByteCount }

  /// Builds a data packet. The caller has checked `writablePacketCount` and `payloadCapacity`.
  mutating func send(session: UInt8, prefix: UInt16? = nil, payload: RawSpan) {
    queue.append(
      acknowledgement: acknowledgement, session: session, prefix: prefix, payload: payload,
      window: remote.windowPacketCount)
  }

  /// Whether `probe` can make a live peer answer.
  var canProbe: Bool { isUp && !isZeroAcknowledgement && queue.hasAcknowledged }

  /// Retransmits the packet that the peer acknowledged last. A live peer acknowledges a duplicate at once and drops it
  /// (FieldBehavior.md#f12; unverified on Apple's own devices).
  mutating func probe() { if canProbe { owed.insert(.probe) } }

  // MARK: Sending packets

  var hasTransmit: Bool { !owed.isEmpty || queue.unsentCount > 0 || queue.dueCount > 0 }

  /// Calls `body` with the next packet or detect sequence to send; returns nil if nothing is left to send.
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

  /// The acknowledgement that packets carry now.
  private var acknowledgement: SequenceNumber { isHolding ? lastAcknowledged : lastInOrder }

  /// Records that an acknowledgement of everything received was sent.
  private mutating func acknowledged() {
    guard !isHolding else { return }
    unacknowledgedCount = 0
    acknowledgeAt = nil
    lastAcknowledged = lastInOrder
  }

  /// Sends a packet that owns no sequence number and carries the last one that was sent.
  private func small<R>(
    _ control: LinkControl, sequence: SequenceNumber, acknowledgement: SequenceNumber, payload: [UInt8] = [],
    _ body: (RawSpan) -> R
  ) -> R {
    // The payload is a list of at most 127 missing packets. Entries beyond the peer's packet length are left out.
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
  /// Delays acknowledgements because a reader is slow. Everything received so far is acknowledged at once.
  mutating func delayAcknowledgements(at now: MonotonicTime) {
    guard !isHolding, !isZeroAcknowledgement, local.retransmissionTimeout > 1 else { return }
    isHolding = true
    held = []
    heldCredit = 0
    heldWaits = 0
    lastAcknowledged = lastInOrder
    owed.insert(.acknowledgement)
    acknowledgeAt = now.adding(milliseconds: Int(local.retransmissionTimeout) / 2)
  }

  /// Acknowledges held-back packets at the end of a delay, and starts the next delay.
  ///
  /// - Parameter byteCount: The bytes that the slow readers have read; nil acknowledges everything received.
  mutating func acknowledgeHeld(_ byteCount: Int?, at now: MonotonicTime) {
    var count = 0
    if let byteCount {
      heldCredit += byteCount
      while count < held.count, heldCredit >= held[count] {
        heldCredit -= held[count]
        count += 1
      }
      // The sender retransmits a packet that is not acknowledged and finally gives the link up. So the oldest packet is
      // acknowledged after eight delays in which none was.
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

  /// Ends the delay and acknowledges everything received at once.
  mutating func releaseAcknowledgement() {
    isHolding = false
    held = []
    guard acknowledgeAt != nil else { return }
    acknowledgeAt = nil
    owed.insert(.acknowledgement)
  }
}
