// swift-iap2 · Apache-2.0

/// The times of a session. All are ours, because no limit of Apple's phones is public. 11 s, 10 s and 2 s are the
/// values of one program (CarPlaySession.md#session-times).
public struct SessionTimes: Sendable, Hashable {
  /// The time limit for the answer to a request.
  public var request = Duration.seconds(11)
  /// The time limit for the answer to `/info`.
  public var info = Duration.seconds(10)
  /// The time limit for the answer to the end of a session.
  public var tearDown = Duration.seconds(2)
  /// The time limit for a TCP connection to be established.
  public var connection = Duration.seconds(2)
  /// The time after which a phone connects again to an event port that refused it.
  public var connectionRetry = Duration.milliseconds(100)
  /// The time between two datagrams of the low-power keep-alive.
  public var keepAlive = Duration.seconds(10)
  /// The time limit from the connection to a live session.
  public var setUp = Duration.seconds(30)
  /// The time for which a head unit waits for a phone that disconnected before it was verified. A phone may pair on one
  /// connection and verify on the next.
  public var reconnect = Duration.seconds(5)
  /// The time for which a head unit keeps the set-up of a stream until the event connection is established.
  public var eventConnection = Duration.seconds(2)
  /// The time for which a head unit keeps a session after the event connection was lost.
  public var eventLoss = Duration.seconds(2)
  /// The time between two `/feedback` requests, between two requests of the clock, and between two heartbeats.
  public var heartbeat = Duration.seconds(1)
  /// The time limit for the answer to a `/feedback`.
  public var feedbackAnswer = Duration.seconds(2)
  /// The number of unanswered `/feedback` requests in a row that ends a session on the phone.
  public var feedbackMisses = 3
  /// The time without a request of the phone that ends a session on the head unit while it is live or a stream runs. A
  /// phone sends `/feedback`, or `OPTIONS`, about once a second.
  public var feedbackSilence = Duration.seconds(10)
  /// The time without any sign of the other side that ends a session with a clock. Silence of the clock alone ends
  /// nothing (CarPlaySession.md#clock-silence).
  public var clockSilence = Duration.seconds(5)
  /// The time without progress of the screen that ends a session on the phone.
  public var videoStall = Duration.seconds(5)
  /// The time without sound after which a phone reports where the sound has ended, and the time before it repeats that
  /// report.
  public var soundPause = Duration.milliseconds(100)
  /// The time between the end of a stream and the end of its connection on a head unit, in either order.
  public var drain = Duration.milliseconds(500)

  /// Creates the default times.
  public init() {}
}
