// swift-iap2 · Apache-2.0

/// The invariants of an endpoint, which hold at any time and for any input. Simulation, fuzzing and tests check them.
extension Endpoint {
  /// A description of the first invariant that does not hold; nil if all hold.
  ///
  /// - At most as many packets are unacknowledged as the peer's window allows.
  /// - A deadline exists for unacknowledged packets, unless the agreed retransmission timeout is 0.
  /// - Every bound holds: those of ``Limits``, of one message, of one packet and of this side's window.
  package var invariantViolation: String? {
    if unacknowledgedPacketCount > windowPacketCount {
      return "\(unacknowledgedPacketCount) packets in a window of \(windowPacketCount)"
    }
    // A link with a retransmission timeout of 0 never retransmits, so it needs no deadline.
    if hasUnacknowledged, nextDeadline == nil, link.local.retransmissionTimeout > 0 {
      return "unacknowledged packets without a deadline"
    }
    return brokenBound ?? externalAccessory.lazy.compactMap(brokenBound).first
  }

  private var brokenBound: String? {
    let window = link.local.windowPacketCount
    let bounds: [(held: Int, most: Int, what: StaticString)] = [
      (controlByteCount, limits.queuedByteCount, "bytes of messages queued"),
      (assembler.collected.count, limits.messageByteCount, "bytes of a message collected"),
      (link.carry.count, link.longestPacket, "bytes of a packet kept"),
      (link.held.count, window, "packets whose acknowledgement waits"),
      (link.reorder.count, window, "packets that came early"),
      (link.reorder.byteCount, window * link.longestPacket, "bytes of packets that came early"),
      (files.receiving.count, limits.fileTransfers, "files of the peer"),
      (files.claimedByteCount, max(limits.openFileByteCount, limits.fileByteCount), "bytes of files of the peer"),
      (files.stepCount, FileTransfers.stepLimit, "steps of file transfers"),
      (files.replies.count - files.stepCount, 3 * 256, "answers about files"),
      (externalAccessory.count, limits.externalAccessorySessions, "EA sessions"),
    ]
    return bounds.first { $0.held > $0.most }.map { "\($0.held) \($0.what), at most \($0.most)" }
  }

  private func brokenBound(of session: ExternalAccessorySession) -> String? {
    if session.queuedByteCount > limits.externalAccessoryQueueByteCount {
      return "\(session.queuedByteCount) bytes queued in EA session \(session.id)"
    }
    if session.unreadByteCount > limits.externalAccessoryUnreadByteCount {
      return "\(session.unreadByteCount) unread bytes in EA session \(session.id)"
    }
    return nil
  }

  /// The sequence number of the last packet that was sent.
  package var lastSentSequence: SequenceNumber { link.queue.lastSent }

  /// Returns whether an EA session is open.
  package func isOpen(externalAccessory id: UInt16) -> Bool { externalAccessory.contains { $0.id == id } }

  /// Returns the bytes received for an EA session that the application on this side has not read; 0 if it is not open.
  package func unreadByteCount(externalAccessory id: UInt16) -> Int {
    externalAccessory.first { $0.id == id }?.unreadByteCount ?? 0
  }
}
