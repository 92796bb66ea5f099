// swift-iap2 · Apache-2.0

/// What an endpoint holds, so that its bounds can be checked from outside.
package struct HeldCounts: Sendable, Hashable {
  /// Bytes of control messages that wait to leave.
  package var messages: Int
  /// Bytes of a control message that is not whole yet.
  package var assembled: Int
  /// Bytes of a packet that is not whole yet.
  package var partial: Int
  /// Payload bytes of packets that came ahead of their turn.
  package var reordered: Int
  /// Files of the peer that were offered and are not over.
  package var incomingFiles: Int
  /// Datagrams of file transfers that wait to leave before any more data.
  package var fileReplies: Int
  /// Open EA sessions.
  package var sessions: Int
}

extension Endpoint {
  package var heldCounts: HeldCounts {
    HeldCounts(
      messages: controlByteCount, assembled: assembler.collected.count, partial: link.carry.count,
      reordered: link.reorder.byteCount, incomingFiles: files.receiving.count, fileReplies: files.replies.count,
      sessions: externalAccessory.count)
  }

  /// Bytes of the longest packet whose rest is waited for.
  package var longestPacket: Int { link.longestPacket }

  /// Payload bytes of a window of the longest packets.
  package var longestReordered: Int {
    max(1, Int(min(127, link.local.maxOutstandingPackets))) * link.longestPacket
  }

  /// A peer that does not acknowledge is asked again.
  package var retransmits: Bool { link.local.retransmissionTimeout > 0 }

  /// The number of the last packet that has left.
  package var lastSentSequence: SequenceNumber { link.queue.lastSent }

  package func isOpen(externalAccessory id: UInt16) -> Bool { externalAccessory.contains { $0.id == id } }

  /// Bytes written to an EA session that have not been read by this side's application.
  package func unreadByteCount(externalAccessory id: UInt16) -> Int {
    externalAccessory.first { $0.id == id }?.unreadByteCount ?? 0
  }
}
