// swift-iap2 · Apache-2.0

/// A policy that determines which signals end a connection.
public enum LifecyclePolicy: String, Sendable, Hashable, CaseIterable {
  /// Only the platform's notification ends a connection. Apps that miss disconnects use this policy.
  case notification
  /// The notification or the change from charging to not charging ends a connection. This is the workaround as its
  /// authors describe it (Lifecycle.md#charging-workaround).
  case charging
  /// All evidence counts. Evidence that is not proof is checked with probes of the link.
  case evidence
}

/// The times of ``LifecyclePolicy/evidence``.
public struct LifecycleTimes: Sendable, Hashable {
  /// The time without received bytes in milliseconds after which the link is probed. Nil, the default, means that
  /// silence is no evidence: a car and a phone that have nothing to send may be silent for minutes. With a value there
  /// is always a deadline, so virtual time no longer detects that both sides wait for each other.
  public var silenceMilliseconds: Int?
  /// The value of ``silenceMilliseconds`` for live connections. With the probes that follow, a peer that disconnects
  /// without a signal is found within two seconds. This project chose the value.
  public static let liveSilenceMilliseconds = 1000
  /// The time between two probes in milliseconds. A live peer acknowledges at once (FieldBehavior.md#f12), and over
  /// Bluetooth within some 100 ms.
  public var probeMilliseconds = 200
  /// The probes that must stay unanswered. Values below 2 count as 2, because the answer to the first probe may have
  /// been under way before.
  public var probeCount = 4

  /// Creates times with the default values.
  public init() {}
}
