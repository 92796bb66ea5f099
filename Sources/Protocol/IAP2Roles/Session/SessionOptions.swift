// swift-iap2 · Apache-2.0

/// What a ``Session`` is given beside its endpoint.
public struct SessionOptions<Policy: RolePolicy>: Sendable {
  /// Makes the policy of the next connection from that of the one before it.
  public var makePolicy: @Sendable (Policy?) -> Policy
  public var pacing = MessagePacing()
  /// A connection that is not identified and authenticated within this time ends with `timeout`.
  public var identifyTimeout: Duration?
  /// Asked at each end of a link: whether the platform loses its notice of that end.
  public var losesNotice: @Sendable () -> Bool = { false }
  /// The bytes that a native EA session has carried, asked when the connection ends before its stream was read.
  public var nativeByteCounts: @Sendable (UInt16) -> (sent: Int, received: Int) = { _ in (0, 0) }
  /// The owner can open streams beside the link for native EA protocols.
  public var carriesNatives = false

  public init(makePolicy: @escaping @Sendable (Policy?) -> Policy) { self.makePolicy = makePolicy }
}
