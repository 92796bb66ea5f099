// swift-iap2 · Apache-2.0

public import IAP2

/// The kind of an observation that speaks against a connection.
///
/// Only the end of the link itself is proof. Notifications are lost or delayed, and charging starts and stops for other
/// reasons (Lifecycle.md#missed).
public enum EvidenceKind: String, Sendable, Hashable, CaseIterable {
  /// The link or its transport ended. This is the only proof.
  case linkEnded
  /// The platform notified of a disconnect. On the systems for which this was reported, the notification is lost about
  /// one time in five.
  case notification
  /// The battery was charging or full and is no longer supplied.
  case chargingStopped
  /// The external charger was disconnected. For a phone, a car is an external charger.
  case chargerDisconnected
  /// The peer ended CarPlay or its last EA session.
  case sessionEnded
  /// Nothing was acknowledged for ``LifecycleTimes/silenceMilliseconds``.
  case silence
  /// Another connection began while this one was still regarded as connected.
  case replugged
  /// The peer answered no probe.
  case probeUnanswered

  /// Whether the observation says that the peer may be disconnected: a notice, or a change of the phone's power.
  /// Silence and a closed app are no sign, because both are usual with an active peer.
  package var isSign: Bool { self == .notification || isPower }

  /// Whether the observation is one of the phone's power.
  var isPower: Bool { self == .chargingStopped || self == .chargerDisconnected }
}

/// An observation that speaks against a connection.
public struct Evidence: Sendable, Hashable {
  /// The kind of the observation.
  public var kind: EvidenceKind
  /// The time of the observation.
  public var time: MonotonicTime

  /// Creates an observation.
  package init(_ kind: EvidenceKind, at time: MonotonicTime) {
    self.kind = kind
    self.time = time
  }
}

/// The supply of a phone's battery, as far as it is known.
package enum PowerSupply: String, Sendable, Hashable, CaseIterable {
  /// No state was reported, or the reported state is not described.
  case unknown
  /// The battery is supplied and charges.
  case charging
  /// The battery is supplied and full.
  case full
  /// The battery is not supplied.
  case unplugged
}

/// The power state of a phone, as far as a side knows it.
package struct PowerObservation: Sendable, Hashable {
  /// The supply of the battery.
  package var supply = PowerSupply.unknown
  /// Whether an external charger is connected; nil if this is not known. For a phone, a car is an external charger.
  package var hasCharger: Bool?

  /// Creates a power state of which nothing is known.
  package init() {}

  mutating func note(_ update: PowerUpdate) {
    if let state = update.batteryChargingState { supply = PowerSupply(state) }
    if let external = update.isExternalChargerConnected { hasCharger = external }
  }
}

extension PowerSupply {
  init(_ state: BatteryChargingState) {
    self =
      switch state {
      case .charging: .charging
      case .charged: .full
      case .disabled: .unplugged
      default: .unknown
      }
  }
}

/// The end of a connection, which is reported once.
public struct Disconnection: Sendable, Hashable {
  /// The reason for the end.
  public var cause: DisconnectCause
  /// The evidence in the order of observation.
  public var evidence: [Evidence]
  /// The time at which the end was decided.
  public var time: MonotonicTime

  /// Creates the end of a connection.
  package init(_ cause: DisconnectCause, evidence: [Evidence], at time: MonotonicTime) {
    self.cause = cause
    self.evidence = evidence
    self.time = time
  }

  /// The time from the first evidence to the decision in milliseconds; 0 without evidence.
  package var latencyMilliseconds: Double {
    guard let first = evidence.first else { return 0 }
    return Double(time.nanoseconds - first.time.nanoseconds) / 1_000_000
  }
}
