// swift-iap2 · Apache-2.0

/// Every bound of the protocol machines in one place; each default with its reason.
public struct Limits: Sendable, Hashable {
  /// Milliseconds between two detect sequences: one second is what most accessories do (WIO, IVY, EXOS, IAP2RS).
  public var detectIntervalMilliseconds = 1000
  /// Detect sequences before the accessory gives up: EXOS stops after 30 and IAP2RS after 30 s.
  public var detectAttempts = 30
  /// Milliseconds between two SYN: CCPA and CAT wait one second.
  public var synchronizationIntervalMilliseconds = 1000
  /// SYN sent before either side gives up: a device was described as giving up at the eleventh (low).
  public var synchronizationAttempts = 10
  /// Proposals a peer may make before we reset: CAT stops after ten.
  public var negotiationRounds = 10
  /// Milliseconds we wait for acknowledgements in an orderly end; a peer that stopped reading must not hold us.
  public var closeTimeoutMilliseconds = 2000
  /// Milliseconds an accessory rests after a reset before it detects again, so that a peer that is leaving can go.
  public var restartDelayMilliseconds = 1000
  /// Milliseconds the rest of a packet may take to follow without a new byte: one second is far above any transport's
  /// pauses, and far below a peer's patience. A header that lies about its length must not make us deaf.
  public var partialPacketMilliseconds = 1000
  /// Milliseconds an accessory may take to answer the opening of an EA session; some ask their user.
  public var externalAccessoryOpenMilliseconds = 10_000
  /// Milliseconds in which what was written to an EA session must have left when it is to end; a peer that has stopped
  /// reading must not keep it open.
  public var externalAccessoryCloseMilliseconds = 5000
  /// Bytes of one control message: the length field has no more.
  public var messageByteCount = 65_535
  /// Bytes queued for control and file transfer while the window is full; a peer that stops reading must not grow us.
  public var queuedByteCount = 1 << 20
  /// Bytes queued for sending in one EA session: two of the largest packets, so that a full window refills at once.
  public var externalAccessoryQueueByteCount = 1 << 18
  /// EA sessions open at once; the peer chooses ids out of 65 536.
  public var externalAccessorySessions = 64
  /// Unread bytes of one EA session after which its data packets are acknowledged late, which slows the sender.
  public var externalAccessoryHighMark = 1 << 20
  /// Unread bytes of one EA session after which it is closed: twice the largest window (127 × 65 535). While nobody
  /// reads, a window more comes every half retransmission timeout, so that the link's other sessions go on: a reader
  /// gets here after one to two seconds with the largest window and usual timeouts, after seven with 32 × 65 535.
  public var externalAccessoryUnreadByteCount = 16 << 20
  /// File transfers at once: the ids of one side.
  public var fileTransfers = 128
  /// Bytes of one file taken from a peer.
  public var fileByteCount = 64 << 20
  /// Bytes of spare packet buffers kept by a link with nothing in flight.
  public var spareBufferByteCount = 1 << 20

  public init() {}
}
