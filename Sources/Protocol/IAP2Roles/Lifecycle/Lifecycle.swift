// swift-iap2 · Apache-2.0

public import IAP2

/// What "connected" means: evidence goes in, verdicts come out, each once for each connection.
///
///     idle ── begin ──► opening ── ready ──► connected ◄── heard ── suspected ── unanswered ──► idle
///       ▲                  │                    │  └───── evidence ────►│
///       └──── linkEnded ───┴───── linkEnded ────┴────── linkEnded ──────┘
///
/// Rules:
/// - The end of the link is proof and ends every connection at once; under ``LifecyclePolicy/notification`` and
///   ``LifecyclePolicy/charging`` an identified connection ends by their own signals only.
/// - Anything else is checked: the link is probed, and what is heard from the second probe on clears it. What comes before
///   may have been under way when the cable was pulled; after a silence nothing was.
/// - Silence and sessions that end are told as a suspicion only when a probe was not answered: a quiet peer and an app
///   that is closed are nothing to speak of.
/// - Where the link cannot be probed (zero-acknowledgement links), a second kind of evidence takes the probe's place.
///
/// The owner tells what happens, does what each call returns, in order, and calls `handleDeadline` at `nextDeadline`.
public struct Lifecycle: Sendable {
  public enum Action: Sendable, Hashable {
    case connected
    case suspected([Evidence])
    case cleared
    case disconnected(Disconnection)
    /// Ask the link for a sign of life.
    case probe
  }

  private enum State: Sendable, Hashable {
    case idle
    /// A connection that is not ready for anybody yet.
    case opening
    case connected
    case checking(Check)
  }

  /// Evidence that is being checked.
  private struct Check: Sendable, Hashable {
    var evidence: [Evidence]
    var probes: Int
    /// When the next step is due; nil where nobody can be asked.
    var next: MonotonicTime?
    var isTold: Bool

    /// After a silence nothing was under way any more.
    var probesWithoutMeaning: Int { evidence.first?.kind == .silence ? 0 : 1 }
  }

  public let policy: LifecyclePolicy
  public let times: LifecycleTimes
  private var state = State.idle
  private var supply = PowerSupply.unknown
  private var hasCharger: Bool?
  private var lastHeard = MonotonicTime.zero
  private var canProbe = true

  public init(policy: LifecyclePolicy = .evidence, times: LifecycleTimes = LifecycleTimes()) {
    self.policy = policy
    self.times = times
  }

  /// For diagrams and tests.
  package var stateName: String {
    switch state {
    case .idle: "idle"
    case .opening: "opening"
    case .connected: "connected"
    case .checking(let check): check.isTold ? "suspected" : "checking"
    }
  }

  /// A connection is believed in.
  public var isConnected: Bool {
    switch state {
    case .idle, .opening: false
    case .connected, .checking: true
    }
  }

  // MARK: The connection

  /// A transport is there. A connection that was still believed in has ended, whoever noticed it.
  public mutating func begin(at now: MonotonicTime) -> [Action] {
    lastHeard = now
    // What was known belongs to the peer before.
    supply = .unknown
    hasCharger = nil
    switch state {
    case .idle, .opening:
      state = .opening
      return []
    case .connected, .checking:
      // Only who takes all evidence sees that there is another connection.
      guard policy == .evidence else { return [] }
      let actions = end(.replugged, with: Evidence(.replugged, at: now))
      state = .opening
      return actions
    }
  }

  /// Both sides are ready: what users call connected.
  ///
  /// - Parameter canProbe: false on a link without acknowledgements.
  public mutating func ready(canProbe: Bool, at now: MonotonicTime) -> [Action] {
    guard state == .opening else { return [] }
    self.canProbe = canProbe
    lastHeard = now
    state = .connected
    return [.connected]
  }

  /// The link ended, or never came up.
  public mutating func linkEnded(_ cause: DisconnectCause, at now: MonotonicTime) -> [Action] {
    switch state {
    case .idle: return []
    case .opening: return end(cause, with: Evidence(.linkEnded, at: now))
    case .connected, .checking:
      // What its user asked for needs no evidence.
      guard policy == .evidence || cause == .requested else { return [] }
      return end(cause, with: Evidence(.linkEnded, at: now))
    }
  }

  // MARK: Evidence

  /// The platform says that the connection is gone.
  public mutating func notified(at now: MonotonicTime) -> [Action] {
    switch policy {
    case .notification, .charging: return end(.notification, with: Evidence(.notification, at: now))
    case .evidence: return suspect(.notification, at: now)
    }
  }

  /// The battery's supply, whenever it is told.
  public mutating func supplied(_ supply: PowerSupply, at now: MonotonicTime) -> [Action] {
    let before = self.supply
    self.supply = supply
    guard supply == .unplugged, before != .unplugged, before != .unknown else { return [] }
    switch policy {
    case .notification: return []
    case .charging:
      // As described: from charging. A full battery has no such edge.
      return before == .charging ? end(.chargingStopped, with: Evidence(.chargingStopped, at: now)) : []
    case .evidence: return suspect(.chargingStopped, at: now)
    }
  }

  /// Whether there is an external charger, whenever it is told.
  public mutating func charger(_ isConnected: Bool, at now: MonotonicTime) -> [Action] {
    defer { hasCharger = isConnected }
    guard policy == .evidence, hasCharger == true, !isConnected else { return [] }
    return suspect(.chargerDisconnected, at: now)
  }

  /// A phone's power as it is known now; what is as it was is nothing new.
  public mutating func saw(_ power: PowerSighting, after before: PowerSighting, at now: MonotonicTime) -> [Action] {
    var actions: [Action] = []
    if power.supply != before.supply { actions += supplied(power.supply, at: now) }
    if let hasCharger = power.hasCharger, hasCharger != before.hasCharger { actions += charger(hasCharger, at: now) }
    return actions
  }

  /// CarPlay, or the last EA session, was ended by the peer.
  public mutating func sessionEnded(at now: MonotonicTime) -> [Action] {
    policy == .evidence ? suspect(.sessionEnded, at: now) : []
  }

  /// Bytes came from the peer.
  public mutating func heard(at now: MonotonicTime) -> [Action] {
    lastHeard = now
    guard case .checking(let check) = state, !canProbe || check.probes > check.probesWithoutMeaning else { return [] }
    state = .connected
    return check.isTold ? [.cleared] : []
  }

  // MARK: Time

  public var nextDeadline: MonotonicTime? {
    guard policy == .evidence else { return nil }
    switch state {
    case .idle, .opening: return nil
    case .connected: return canProbe ? silenceDeadline : nil
    case .checking(let check): return check.next
    }
  }

  private var silenceDeadline: MonotonicTime? {
    times.silenceMilliseconds.map { lastHeard.adding(milliseconds: $0) }
  }

  public mutating func handleDeadline(at now: MonotonicTime) -> [Action] {
    guard let deadline = nextDeadline, deadline <= now else { return [] }
    switch state {
    case .idle, .opening: return []
    case .connected: return check([Evidence(.silence, at: now)], isTold: false, at: now)
    case .checking(var check):
      guard check.probes < max(2, times.probeCount) else {
        return end(Self.cause(of: check.evidence), with: Evidence(.probeUnanswered, at: now))
      }
      check.probes += 1
      check.next = now.adding(milliseconds: times.probeMilliseconds)
      let isNews = !check.isTold
      check.isTold = true
      state = .checking(check)
      return isNews ? [.suspected(check.evidence), .probe] : [.probe]
    }
  }

  // MARK: Verdicts

  private mutating func suspect(_ kind: EvidenceKind, at now: MonotonicTime) -> [Action] {
    let evidence = Evidence(kind, at: now)
    let isQuiet = kind == .sessionEnded
    switch state {
    case .idle, .opening: return []
    case .connected: return check([evidence], isTold: !isQuiet, at: now)
    case .checking(var check):
      guard !check.evidence.contains(where: { $0.kind == kind }) else { return [] }
      // Charging and charger are one thing seen twice.
      if !canProbe, !kind.isPower || check.evidence.contains(where: { !$0.kind.isPower }) {
        return end(Self.cause(of: check.evidence), with: evidence)
      }
      check.evidence.append(evidence)
      let isNews = !check.isTold && !isQuiet
      check.isTold = check.isTold || isNews
      state = .checking(check)
      return isNews ? [.suspected(check.evidence)] : []
    }
  }

  private mutating func check(_ evidence: [Evidence], isTold: Bool, at now: MonotonicTime) -> [Action] {
    state = .checking(
      Check(
        evidence: evidence, probes: 1, next: canProbe ? now.adding(milliseconds: times.probeMilliseconds) : nil,
        isTold: isTold))
    return (isTold ? [.suspected(evidence)] : []) + (canProbe ? [.probe] : [])
  }

  private mutating func end(_ cause: DisconnectCause, with evidence: Evidence) -> [Action] {
    var collected: [Evidence] = []
    switch state {
    case .idle: return []
    case .opening, .connected: break
    case .checking(let check): collected = check.evidence
    }
    state = .idle
    return [.disconnected(Disconnection(cause, evidence: collected + [evidence], at: evidence.time))]
  }

  /// What the first evidence was.
  private static func cause(of evidence: [Evidence]) -> DisconnectCause {
    switch evidence.first?.kind {
    case .notification: .notification
    case .chargingStopped, .chargerDisconnected: .chargingStopped
    case .sessionEnded: .sessionEnded
    case .replugged: .replugged
    case .silence, .linkEnded, .probeUnanswered, nil: .timeout
    }
  }
}
