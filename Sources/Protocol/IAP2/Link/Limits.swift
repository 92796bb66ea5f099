// swift-iap2 · Apache-2.0

/// The bounds of an endpoint and of the EA sessions that the runtime opens on it, each with the reason for its default.
public struct Limits: Sendable, Hashable {
  /// Milliseconds between two detect sequences. Most accessories wait one second (Link.md#detect-repeat).
  package var detectIntervalMilliseconds = 1000
  /// Detect sequences that the accessory sends before it gives up. EXOS stops after 30, IAP2RS after 30 s
  /// (Link.md#detect-repeat).
  package var detectAttempts = 30
  /// Milliseconds between two SYN packets. CAT waits one second (Link.md#syn-retry).
  package var synchronizationIntervalMilliseconds = 1000
  /// SYN packets that either side sends before it gives up. The number is ours: no source names one
  /// (Link.md#syn-attempts).
  package var synchronizationAttempts = 10
  /// SYN or SYN+ACK packets with which a peer may repeat a proposal before this side resets the link. No source names a
  /// number (Link.md#syn-limit). An implementation that sends ten, over a transport that delivers each of them up
  /// to three times, stays within it.
  package var synchronizationRepetitions = 30
  /// Proposals that a peer may make before this side resets the link. CAT stops after ten (Link.md#counter-offer).
  package var negotiationRounds = 10
  /// Milliseconds that an orderly end waits for acknowledgements. It is bounded so that a peer that stopped reading
  /// does not block the end.
  public var closeTimeoutMilliseconds = 2000
  /// Milliseconds that an accessory waits after a reset before it restarts detection, so that a peer that ends the
  /// connection has time to close the transport.
  package var restartDelayMilliseconds = 1000
  /// Milliseconds between two probes of a device that received DETECT on a link that is up. A peer acknowledges at
  /// once, over Bluetooth within some 100 ms.
  package var restartProbeMilliseconds = 500
  /// Probes after such a DETECT that must stay unanswered. With the default interval the link ends after 2 s: an
  /// accessory repeats DETECT for 30 s, and one that was busy has time to answer.
  package var restartProbes = 4
  /// Milliseconds without a new byte after which an incomplete packet is given up. One second is far above the pauses
  /// of any transport and far below the time that a peer waits. Without this limit a header with a wrong length would
  /// block reception.
  package var partialPacketMilliseconds = 1000
  /// Milliseconds that an accessory may take to confirm an EA session. Some ask their user first.
  public var externalAccessoryOpenMilliseconds = 10_000
  /// Milliseconds in which the bytes written to an EA session must be sent once it is to close. It is bounded so that a
  /// peer that has stopped reading does not keep the session open.
  public var externalAccessoryCloseMilliseconds = 5000
  /// Milliseconds in which the service of an EA session must return after the end of the connection. Then it is
  /// cancelled, so that the next peer can be served.
  public var externalAccessoryServiceMilliseconds = 5000
  /// Bytes of one control message, the largest value of its length field.
  public var messageByteCount = ControlHeader.maximumMessageByteCount
  /// Bytes of control messages that are queued while the window is full. It is bounded so that a peer that stops
  /// reading does not make memory grow.
  public var queuedByteCount = 1 << 20
  /// Bytes queued for sending in one EA session: four packets of the largest size, so that a full window refills at
  /// once.
  package var externalAccessoryQueueByteCount = 1 << 18
  /// EA sessions that are open at once. The peer chooses their ids out of 65 536.
  public var externalAccessorySessions = 64
  /// Unread bytes of one EA session above which its data packets are acknowledged late, which slows the sender. The
  /// delay ends at half of it.
  package var externalAccessoryHighMark = 1 << 20
  /// Unread bytes of one EA session above which the session is closed: twice the largest window (127 × 65 535).
  ///
  /// If the application reads nothing, another window arrives every half retransmission timeout, because the link's
  /// other sessions must go on. The limit is then reached after one to two seconds with the largest window and usual
  /// timeouts, and after seven with 32 × 65 535.
  public var externalAccessoryUnreadByteCount = 16 << 20
  /// Unread bytes of all EA sessions of a connection, those of closed sessions included, above which the session with
  /// the most unread bytes is closed and loses them: four sessions at ``externalAccessoryUnreadByteCount``. Without
  /// this limit the sessions of one peer could hold 1 GiB. The bound is never below that of one session.
  public var externalAccessoryTotalUnreadByteCount = 64 << 20
  /// Services of closed EA sessions that have not returned. While there are as many, a session that the peer opens is
  /// closed at once. A service that cannot be reached may take minutes, and a peer that opens and closes sessions would
  /// otherwise start any number of them.
  package var externalAccessoryClosedServices = 64
  /// File transfers of the peer that are open at once: all ids of one side.
  package var fileTransfers = 128
  /// Bytes of one file that is received from the peer.
  public var fileByteCount = 64 << 20
  /// Bytes of all files that are received from the peer at once: eight of the largest files that a head unit takes. A
  /// file counts with its announced size, and one without a size with the bytes that arrived. A file alone is bounded
  /// by ``fileByteCount`` only.
  public var openFileByteCount = 64 << 20
  /// Bytes of freed packet buffers that a link keeps for reuse.
  package var spareBufferByteCount = 1 << 20

  /// Creates limits with the default values.
  public init() {}
}
