// swift-iap2 · Apache-2.0

/// The options of a ``Session``.
package struct SessionOptions<Policy: RolePolicy>: Sendable {
  /// Creates the policy of a connection from the policy of the previous one, which is nil for the first connection.
  package var makePolicy: @Sendable (Policy?) -> Policy
  /// The delays of control messages; none by default.
  package var pacing = MessagePacing()
  /// The time in which a connection must be identified and authenticated. Otherwise it ends with
  /// ``DisconnectCause/timeout``. Nil, the default, sets no limit.
  package var identifyTimeout: Duration?
  /// Whether the platform loses its notifications that a link on which both sides were ready has ended; false by
  /// default.
  package var losesNotice = false
  /// Asked once at the end of the connection, unless it loses its notification anyway.
  package var losesEndingNotice: @Sendable () -> Bool = { false }
  /// Whether the owner can open streams outside the link for native EA protocols; false by default.
  package var carriesNatives = false

  /// Creates options with default values.
  package init(makePolicy: @escaping @Sendable (Policy?) -> Policy) { self.makePolicy = makePolicy }
}

/// The limit of a queue that is full.
public enum QueueLimit: Error, Sendable, Hashable {
  /// The bytes of control messages that may wait, from `Limits.queuedByteCount`.
  case bytes(Int)
  /// The actions that the delays of `MessagePacing` may hold back.
  case delayedActions(Int)
}
