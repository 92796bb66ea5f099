// swift-iap2 · Apache-2.0

/// The options of a ``Session``.
public struct SessionOptions<Policy: RolePolicy>: Sendable {
  /// Creates the policy of a connection from the policy of the previous one, which is nil for the first connection.
  public var makePolicy: @Sendable (Policy?) -> Policy
  /// The delays of control messages; none by default.
  public var pacing = MessagePacing()
  /// The time in which a connection must be identified and authenticated. Otherwise it ends with
  /// ``DisconnectCause/timeout``. Nil, the default, sets no limit.
  public var identifyTimeout: Duration?
  /// Returns whether the platform's notification of a link's end is lost. Called at each end of a link on which both
  /// sides were ready. Returns false by default.
  public var losesNotice: @Sendable () -> Bool = { false }
  /// Returns the bytes that a native EA session has sent and received. Called with the session id if the connection
  /// ends before the stream was read to its end. Returns zeros by default.
  public var nativeByteCounts: @Sendable (UInt16) -> (sent: Int, received: Int) = { _ in (0, 0) }
  /// Returns the number of EA sessions that are closed and whose service has not returned. Called when the peer opens a
  /// session. Returns 0 by default.
  public var closedServiceCount: @Sendable () -> Int = { 0 }
  /// Whether the owner can open streams outside the link for native EA protocols; false by default.
  public var carriesNatives = false

  /// Creates options with default values.
  public init(makePolicy: @escaping @Sendable (Policy?) -> Policy) { self.makePolicy = makePolicy }
}
