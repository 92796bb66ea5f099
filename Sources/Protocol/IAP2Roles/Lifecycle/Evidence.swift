// swift-iap2 · Apache-2.0

public import IAP2

/// Something that speaks against a connection's being alive.
///
/// None but the end of the link itself is proof: notices get lost or come late, and charging starts and stops for reasons
/// of its own (Lifecycle.md#missed).
public enum EvidenceKind: String, Sendable, Hashable, CaseIterable {
  /// The link or its transport ended, which is the one proof there is.
  case linkEnded
  /// The platform's notice of a disconnect. It is lost about one time in five on the systems this was reported of.
  case notification
  /// The battery was charging, or full, and is no longer supplied.
  case chargingStopped
  /// The external charger, which is what a car is to a phone, is gone.
  case chargerDisconnected
  /// The peer ended what runs on the link: CarPlay, or its last EA session.
  case sessionEnded
  /// Nothing was heard for some time.
  case silence
  /// A new connection began while this one was believed in.
  case replugged
  /// The link was asked for a sign of life and gave none.
  case probeUnanswered

  /// Seen at the battery.
  var isPower: Bool { self == .chargingStopped || self == .chargerDisconnected }
}

public struct Evidence: Sendable, Hashable {
  public var kind: EvidenceKind
  public var time: MonotonicTime

  public init(_ kind: EvidenceKind, at time: MonotonicTime) {
    self.kind = kind
    self.time = time
  }
}

/// What is known of a battery's supply, as its owner and a car hear of it.
public enum PowerSupply: String, Sendable, Hashable, CaseIterable {
  case unknown
  case charging
  /// Supplied, and nothing to charge.
  case full
  case unplugged
}

/// A phone's power, as far as a side knows it.
public struct PowerSighting: Sendable, Hashable {
  public var supply = PowerSupply.unknown
  /// A charger, which is what a car is to a phone.
  public var hasCharger: Bool?

  public init() {}

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

/// The end of a connection: told once.
public struct Disconnection: Sendable, Hashable {
  public var cause: DisconnectCause
  /// In the order it came.
  public var evidence: [Evidence]
  public var time: MonotonicTime

  public init(_ cause: DisconnectCause, evidence: [Evidence], at time: MonotonicTime) {
    self.cause = cause
    self.evidence = evidence
    self.time = time
  }

  /// From the first evidence to the verdict.
  public var latencyMilliseconds: Double {
    guard let first = evidence.first else { return 0 }
    return Double(time.nanoseconds - first.time.nanoseconds) / 1_000_000
  }
}
