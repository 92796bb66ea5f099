// swift-iap2 · Apache-2.0

package import IAP2

/// A state machine that decides whether a peer is connected. It receives observations and returns verdicts. A
/// connection is reported as connected at most once and as disconnected at most once.
///
///     idle ── begin ──► opening ── ready ──► connected ◄─ received ─ suspected ── unanswered ──► idle
///       ▲                  │                    │  └───── evidence ────►│
///       └──── linkEnded ───┴───── linkEnded ────┴────── linkEnded ──────┘
///
/// Rules:
/// - The end of the link is proof and ends every connection at once. Under ``LifecyclePolicy/notification`` and
///   ``LifecyclePolicy/charging``, a connection that was ready ends only by their own signals or by an end that this
///   side decided.
/// - All other evidence is checked with probes of the link.
/// - After a sign (`EvidenceKind.isSign`) the probes begin at once and follow each other quickly. Acknowledgements that
///   arrive from the second probe on clear the suspicion. Earlier ones may have been under way when the cable was
///   pulled.
/// - After a silence, and one retransmission time after the peer ended its sessions, the probes have the link's agreed
///   retransmission time. Any acknowledgement ends the check. The suspicion is reported only after a probe was not
///   answered, because a quiet peer and a closed app are normal. A sign during such a check makes it quick.
/// - If the link cannot be probed (zero-acknowledgement links), a second kind of evidence replaces the probe.
///
/// The owner reports the observations, carries out the actions that each call returns, in order, and calls
/// `handleDeadline` at `nextDeadline`.
public struct Lifecycle: Sendable {
  /// An action for the owner of a lifecycle: a verdict to report, or a probe to send.
  package enum Action: Sendable, Hashable {
    /// Both sides are ready.
    case connected
    /// There is evidence against the connection, and it is being checked.
    case suspected([Evidence])
    /// The peer answered, so the suspicion is withdrawn.
    case cleared
    /// The connection ended.
    case disconnected(Disconnection)
    /// The owner probes the link.
    case probe
  }

  private enum State: Sendable, Hashable {
    case idle
    /// There is a connection on which the two sides are not ready yet.
    case opening
    case connected
    case checking(Check)
  }

  /// Evidence that is being checked.
  private struct Check: Sendable, Hashable {
    var evidence: [Evidence]
    /// The probes that were sent.
    var probes: Int
    /// The time of the next step; nil if the link cannot be probed.
    var next: MonotonicTime?
    var isReported: Bool

    var hasSign: Bool { evidence.contains(where: \.kind.isSign) }

    /// Whether an acknowledgement now proves that the peer is active. The answers to the first probe after a sign may
    /// have been under way before.
    var trusts: Bool { !hasSign || probes > 1 }
  }

  /// The policy for the end of a connection.
  package let policy: LifecyclePolicy
  /// The times of ``LifecyclePolicy/evidence``.
  package let times: LifecycleTimes
  private var state = State.idle
  private var supply = PowerSupply.unknown
  private var hasCharger: Bool?
  private var lastReceived = MonotonicTime.zero
  /// The retransmission values of the link; nil if it cannot be probed.
  private var retransmission: AgreedRetransmission?

  /// Creates a lifecycle without a connection.
  public init(policy: LifecyclePolicy = .evidence, times: LifecycleTimes = LifecycleTimes()) {
    self.policy = policy
    self.times = times
  }

  /// The name of the state, for diagrams and tests.
  package var stateName: String {
    switch state {
    case .idle: "idle"
    case .opening: "opening"
    case .connected: "connected"
    case .checking(let check): check.isReported ? "suspected" : "checking"
    }
  }

  /// Whether the connection is regarded as connected, also while evidence is being checked.
  package var isConnected: Bool {
    switch state {
    case .idle, .opening: false
    case .connected, .checking: true
    }
  }

  // MARK: The connection

  /// Begins a connection on an open transport. Under ``LifecyclePolicy/evidence``, a connection that was still regarded
  /// as connected ends with ``DisconnectCause/replugged``.
  package mutating func begin(at now: MonotonicTime) -> [Action] {
    lastReceived = now
    // The known power state belongs to the previous peer.
    supply = .unknown
    hasCharger = nil
    switch state {
    case .idle, .opening:
      state = .opening
      return []
    case .connected, .checking:
      // The other policies do not observe that another connection began.
      guard policy == .evidence else { return [] }
      let actions = end(.replugged, with: Evidence(.replugged, at: now))
      state = .opening
      return actions
    }
  }

  /// Records that both sides are authenticated and identified, which users call connected.
  ///
  /// - Parameters:
  ///   - retransmission: The retransmission values of the link; nil for a link without acknowledgements, which cannot
  ///     be probed.
  ///   - now: The current time.
  package mutating func ready(_ retransmission: AgreedRetransmission?, at now: MonotonicTime) -> [Action] {
    guard state == .opening else { return [] }
    self.retransmission = retransmission
    lastReceived = now
    state = .connected
    return [.connected]
  }

  /// Records that the link ended or never came up.
  ///
  /// - Parameters:
  ///   - cause: The reason of the end.
  ///   - isDecided: Whether this side decided the end, such as by a request or after a failed authentication.
  ///   - now: The current time.
  package mutating func linkEnded(_ cause: DisconnectCause, isDecided: Bool, at now: MonotonicTime) -> [Action] {
    switch state {
    case .idle: return []
    case .opening: return end(cause, with: Evidence(.linkEnded, at: now))
    case .connected, .checking:
      // An end that this side decided needs no evidence.
      guard policy == .evidence || isDecided else { return [] }
      return end(cause, with: Evidence(.linkEnded, at: now))
    }
  }

  // MARK: Evidence

  /// Records that the platform notified of a disconnect.
  package mutating func notified(at now: MonotonicTime) -> [Action] {
    switch policy {
    case .notification, .charging: return end(.notification, with: Evidence(.notification, at: now))
    case .evidence: return suspect(.notification, at: now)
    }
  }

  /// Records a report of the supply of the phone's battery.
  package mutating func supplied(_ supply: PowerSupply, at now: MonotonicTime) -> [Action] {
    let before = self.supply
    self.supply = supply
    guard supply == .unplugged, before != .unplugged, before != .unknown else { return [] }
    switch policy {
    case .notification: return []
    case .charging:
      // The workaround is described for the change from charging. A full battery has no such change.
      return before == .charging ? end(.chargingStopped, with: Evidence(.chargingStopped, at: now)) : []
    case .evidence: return suspect(.chargingStopped, at: now)
    }
  }

  /// Records a report whether an external charger is connected.
  package mutating func charger(_ isConnected: Bool, at now: MonotonicTime) -> [Action] {
    defer { hasCharger = isConnected }
    guard policy == .evidence, hasCharger == true, !isConnected else { return [] }
    return suspect(.chargerDisconnected, at: now)
  }

  /// Records the changes from the power state `before` to the power state `power`.
  package mutating func saw(_ power: PowerObservation, after before: PowerObservation, at now: MonotonicTime)
    -> [Action]
  {
    var actions: [Action] = []
    if power.supply != before.supply { actions += supplied(power.supply, at: now) }
    if let hasCharger = power.hasCharger, hasCharger != before.hasCharger { actions += charger(hasCharger, at: now) }
    return actions
  }

  /// Records that the peer ended CarPlay or its last EA session.
  package mutating func sessionEnded(at now: MonotonicTime) -> [Action] {
    policy == .evidence ? suspect(.sessionEnded, at: now) : []
  }

  /// Records that the peer acknowledged what this side sent. Other bytes prove nothing: a peer that has restarted sends
  /// DETECT.
  package mutating func received(at now: MonotonicTime) -> [Action] {
    lastReceived = now
    guard case .checking(let check) = state, !canProbe || check.trusts else { return [] }
    state = .connected
    return check.isReported ? [.cleared] : []
  }

  // MARK: Time

  /// The time at which the owner calls ``handleDeadline(at:)``; nil if the lifecycle waits for nothing.
  package var nextDeadline: MonotonicTime? {
    guard policy == .evidence else { return nil }
    switch state {
    case .idle, .opening: return nil
    case .connected: return canProbe ? silenceDeadline : nil
    case .checking(let check): return check.next
    }
  }

  private var silenceDeadline: MonotonicTime? {
    times.silenceMilliseconds.map { lastReceived.adding(milliseconds: $0) }
  }

  private var canProbe: Bool { retransmission != nil }

  /// Sends the next probe, or ends the connection if no probe was answered. Does nothing before ``nextDeadline``.
  package mutating func handleDeadline(at now: MonotonicTime) -> [Action] {
    guard let deadline = nextDeadline, deadline <= now else { return [] }
    switch state {
    case .idle, .opening: return []
    case .connected: return check([Evidence(.silence, at: now)], probing: true, at: now)
    case .checking(var check):
      let pace = pace(of: check)
      guard check.probes < pace.limit else {
        return end(Self.cause(of: check.evidence), with: Evidence(.probeUnanswered, at: now))
      }
      let isNews = !check.isReported && check.probes > 0
      check.probes += 1
      check.next = now.adding(milliseconds: pace.milliseconds)
      check.isReported = check.isReported || isNews
      state = .checking(check)
      return isNews ? [.suspected(check.evidence), .probe] : [.probe]
    }
  }

  /// The time between two probes, and the number of probes that must stay unanswered.
  private func pace(of check: Check) -> AgreedRetransmission {
    guard !check.hasSign, let retransmission else {
      return AgreedRetransmission(milliseconds: times.probeMilliseconds, limit: max(2, times.probeCount))
    }
    return AgreedRetransmission(
      milliseconds: times.quietProbeMilliseconds ?? max(times.probeMilliseconds, retransmission.milliseconds),
      limit: max(1, min(times.probeCount, retransmission.limit)))
  }

  // MARK: Verdicts

  private mutating func suspect(_ kind: EvidenceKind, at now: MonotonicTime) -> [Action] {
    let evidence = Evidence(kind, at: now)
    switch state {
    case .idle, .opening: return []
    case .connected: return check([evidence], probing: kind.isSign, at: now)
    case .checking(let check):
      guard !check.evidence.contains(where: { $0.kind == kind }) else { return [] }
      // The supply and the charger are two observations of the same change.
      if !canProbe, !kind.isPower || check.evidence.contains(where: { !$0.kind.isPower }) {
        return end(Self.cause(of: check.evidence), with: evidence)
      }
      guard check.hasSign || !kind.isSign else {
        return self.check(check.evidence + [evidence], probing: true, isReported: check.isReported, at: now)
      }
      var check = check
      check.evidence.append(evidence)
      state = .checking(check)
      return []
    }
  }

  /// Begins to check evidence. A sign is reported at once.
  ///
  /// - Parameters:
  ///   - evidence: The evidence so far.
  ///   - probing: Whether the first probe is sent now.
  ///   - isReported: Whether the suspicion was reported before.
  ///   - now: The current time.
  private mutating func check(
    _ evidence: [Evidence], probing: Bool, isReported: Bool = false, at now: MonotonicTime
  ) -> [Action] {
    var check = Check(evidence: evidence, probes: probing ? 1 : 0, isReported: isReported)
    if canProbe { check.next = now.adding(milliseconds: pace(of: check).milliseconds) }
    let isNews = check.hasSign && !isReported
    check.isReported = isReported || isNews
    state = .checking(check)
    return (isNews ? [.suspected(evidence)] : []) + (probing && canProbe ? [.probe] : [])
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

  /// Returns the cause for the kind of the first evidence that says more than silence.
  private static func cause(of evidence: [Evidence]) -> DisconnectCause {
    switch evidence.first(where: { $0.kind != .silence })?.kind {
    case .notification: .notification
    case .chargingStopped, .chargerDisconnected: .chargingStopped
    case .sessionEnded: .sessionEnded
    case .replugged: .replugged
    case .silence, .linkEnded, .probeUnanswered, nil: .timeout
    }
  }
}
