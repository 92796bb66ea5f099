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
///
/// The time to a verdict depends on the evidence. After a sign (`EvidenceKind.isSign`) the probes follow each other
/// quickly, because the peer is probably disconnected. In mere silence an active peer may be busy, so the probes have
/// the link's agreed retransmission time.
public struct LifecycleTimes: Sendable, Hashable {
  /// The time without an acknowledgement in milliseconds after which the link is probed. Nil, the default, means that
  /// silence is no evidence: a car and a phone that have nothing to send may be silent for minutes. With a value there
  /// is always a deadline, so virtual time no longer detects that both sides wait for each other.
  public var silenceMilliseconds: Int?
  /// The value of ``silenceMilliseconds`` for live connections. With four probes at the usual retransmission time of 2
  /// s, a peer that disconnects without a sign is found after 23 s. This project chose the value.
  package static let liveSilenceMilliseconds = 15_000
  /// The time between two probes after a sign, in milliseconds. A live peer acknowledges at once
  /// (FieldBehavior.md#f12), and over Bluetooth within some 100 ms. A peer that is busy for longer than
  /// ``probeCount`` times this value is reported as disconnected: a longer time makes the verdict later and safer.
  public var probeMilliseconds = 200
  /// The time between two probes where nothing spoke, in milliseconds; nil, the default, for the retransmission time
  /// that the link has agreed on, or ``probeMilliseconds`` if that is longer.
  public var quietProbeMilliseconds: Int?
  /// The probes that must stay unanswered. After a sign, values below 2 count as 2, because the answer to the first
  /// probe may have been under way before. Without a sign, the agreed limit of retransmissions counts if it is lower.
  public var probeCount = 4

  /// The time from a sign to the verdict if no probe is answered, in milliseconds. Setting it changes
  /// ``probeMilliseconds``.
  public var confirmationMilliseconds: Int {
    get { probeMilliseconds * max(2, probeCount) }
    set { probeMilliseconds = newValue / max(2, probeCount) }
  }

  /// Creates times with the default values.
  public init() {}
}
