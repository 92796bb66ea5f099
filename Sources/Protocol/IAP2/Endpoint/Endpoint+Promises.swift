// swift-iap2 · Apache-2.0

/// What any endpoint keeps at any time, whatever it is given: looked at by simulation, fuzzing and tests.
extension Endpoint {
  /// The first promise that is broken, as text; nil while all are kept.
  ///
  /// - Never more unacknowledged packets than the peer's window.
  /// - Nothing unacknowledged without a deadline, unless retransmission was agreed away.
  /// - Every bound of ``Limits``, of one message, of one packet and of our own window.
  package var brokenPromise: String? {
    if unacknowledgedPacketCount > windowPacketCount {
      return "\(unacknowledgedPacketCount) packets in a window of \(windowPacketCount)"
    }
    // A peer that agreed to a timeout of 0 is never asked again.
    if hasUnacknowledged, nextDeadline == nil, link.local.retransmissionTimeout > 0 {
      return "unacknowledged packets without a deadline"
    }
    return brokenBound ?? externalAccessory.lazy.compactMap(brokenBound).first
  }

  private var brokenBound: String? {
    let window = max(1, Int(min(127, link.local.maxOutstandingPackets)))
    let bounds: [(held: Int, most: Int, what: StaticString)] = [
      (controlByteCount, limits.queuedByteCount, "bytes of messages queued"),
      (assembler.collected.count, limits.messageByteCount, "bytes of a message collected"),
      (link.carry.count, link.longestPacket, "bytes of a packet kept"),
      (link.reorder.count, window, "packets that came early"),
      (link.reorder.byteCount, window * link.longestPacket, "bytes of packets that came early"),
      (files.receiving.count, limits.fileTransfers, "files of the peer"),
      (files.replies.count, 4 * limits.fileTransfers, "datagrams about files"),
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

  /// The number of the last packet that has left.
  package var lastSentSequence: SequenceNumber { link.queue.lastSent }

  package func isOpen(externalAccessory id: UInt16) -> Bool { externalAccessory.contains { $0.id == id } }

  /// Bytes written to an EA session that have not been read by this side's application.
  package func unreadByteCount(externalAccessory id: UInt16) -> Int {
    externalAccessory.first { $0.id == id }?.unreadByteCount ?? 0
  }
}
