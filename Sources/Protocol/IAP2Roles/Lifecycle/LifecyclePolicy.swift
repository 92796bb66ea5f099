// swift-iap2 · Apache-2.0

/// What a side believes about the end of its connection.
public enum LifecyclePolicy: String, Sendable, Hashable, CaseIterable {
  /// The platform's notice and nothing else: what apps do that miss disconnects.
  case notification
  /// The notice, or the edge from charging to not charging: the workaround, as its authors describe it
  /// (Lifecycle.md#charging-workaround).
  case charging
  /// Everything there is; what is not proof is checked by asking the link for a sign of life.
  case evidence
}

/// The times of ``LifecyclePolicy/evidence``.
public struct LifecycleTimes: Sendable, Hashable {
  /// Silence after which the link is asked; nil: silence is no evidence. A car and a phone that have nothing to say may
  /// be silent for minutes. With it something is always going to happen: virtual time no longer notices that both sides
  /// wait for each other.
  public var silenceMilliseconds: Int?
  /// What live sides use: with the probes behind it, a peer that is gone without a sign is found within two seconds. Our
  /// choice.
  public static let liveSilenceMilliseconds = 1000
  /// Between two probes. A live peer acknowledges at once (FieldBehavior.md#f12), and over Bluetooth within some 100
  /// ms.
  public var probeMilliseconds = 200
  /// Probes that must stay unanswered: at least 2, for the first one's answer may have been under way before.
  public var probeCount = 4

  public init() {}
}
