// swift-iap2 · Apache-2.0

/// The times of a session. All are ours, because no limit of Apple's phones is public; 11 s, 10 s and 2 s are of one
/// program (CarPlaySession.md#session-times).
public struct SessionTimes: Sendable, Hashable {
  /// The time in which a request is answered.
  public var request = Duration.seconds(11)
  /// The time in which `/info` is answered.
  public var info = Duration.seconds(10)
  /// The time in which the end of a session is answered.
  public var tearDown = Duration.seconds(2)
  /// The time in which a TCP connection stands.
  public var connection = Duration.seconds(2)
  /// The time from the connection to a live session.
  public var setUp = Duration.seconds(30)
  /// The time for which a head unit waits for a phone that left before it was verified. It may pair on one connection
  /// and verify on the next.
  public var comeBack = Duration.seconds(5)
  /// The time for which a head unit keeps a stream's set-up until the event connection stands.
  public var eventConnection = Duration.seconds(2)
  /// The time for which a head unit lives without its event connection.
  public var eventLoss = Duration.seconds(2)
  /// The time between two `/feedback` requests, between two questions about the clock, and between two heartbeats.
  public var beat = Duration.seconds(1)
  /// The time in which a `/feedback` is answered.
  public var feedbackAnswer = Duration.seconds(2)
  /// The unanswered `/feedback` requests that end a session on the phone.
  public var feedbackMisses = 3
  /// The time without a `/feedback` that ends a session on the head unit while a stream runs.
  public var feedbackSilence = Duration.seconds(10)
  /// The time without a datagram of the other clock that ends a session.
  public var clockSilence = Duration.seconds(5)
  /// The time without progress of the screen that ends a session on the phone.
  public var videoStall = Duration.seconds(5)
  /// The time without sound after which a phone tells where it has ended, and the time before it tells that again.
  public var soundPause = Duration.milliseconds(100)
  /// The time between the end of a stream and the end of its connection on a head unit, in either order.
  public var drain = Duration.milliseconds(500)

  /// Creates the usual times.
  public init() {}
}
