// swift-iap2 · Apache-2.0

import IAP2
import IAP2Authentication
import IAP2Faults
import IAP2Roles
import IAP2Runtime
import IAP2Transport
import Synchronization

/// A runner of a simulated session on the actors ``HeadUnit`` and ``Phone``: both roles, the cable between them and its
/// faults.
final class SessionRunner: Sendable {
  let session: SimulatedSession
  let clock: VirtualTime
  let watch: InvariantChecker
  let headUnit: HeadUnit
  let phone: Phone
  private let detector: UndetectedDamageDetector?
  private let outcome = Mutex(SessionOutcome())
  /// The physical state of the current connection.
  private let truth = Mutex<ConnectionTruth?>(nil)

  /// The time after the end of a connection at which a side without a verdict has missed the end.
  ///
  /// It is longer than the retransmission limit of the slowest link drawn, 30 retransmissions at 2 s. Where only one
  /// direction is lost, received retransmissions answer every probe, so that only this limit ends the connection.
  static let missedMilliseconds = 90_000
  /// The identification timeout, as in scenarios.
  static let identifySeconds = 60
  /// The virtual time in which every activity must complete. The slowest links drawn, with a packet loss of 0.05, need
  /// some minutes.
  static let timeoutMilliseconds = 3_600_000

  init(_ session: SimulatedSession, clock: VirtualTime) {
    self.session = session
    self.clock = clock
    let watch = InvariantChecker(clock: clock)
    self.watch = watch
    let conditions = [session.sessionPlan.faults.toHeadUnit.conditions, session.sessionPlan.faults.toPhone.conditions]
    let isDamaging = conditions.contains { $0.corruption > 0 || $0.truncation > 0 }
    detector = isDamaging ? UndetectedDamageDetector() : nil
    var options = RoleOptions()
    options.clock = clock
    options.identifyTimeout = .seconds(Self.identifySeconds)
    options.inspect = { watch.inspect($0) }
    options.makeChallenge = { StubAuthenticator.bytes($0) }
    var times = LifecycleTimes()
    times.silenceMilliseconds = LifecycleTimes.liveSilenceMilliseconds
    options.lifecycle = Lifecycle(policy: session.settings.policy, times: times)
    func side<Profile>(_ side: SimulationSide<Profile>, _ link: LinkPreferences, _ number: UInt64) -> RoleOptions {
      var own = options
      own.preferences = link
      own.quirks = side.quirks
      own.pacing = side.pacing
      if session.sessionPlan.noticeLoss > 0 {
        let loss = NoticeLoss(probability: session.sessionPlan.noticeLoss, seed: session.seed &* 2 &+ number)
        own.losesNotice = { loss.isLost() }
      }
      return own
    }
    headUnit = HeadUnit(
      profile: session.settings.headUnit.profile,
      authenticator: StubAuthenticator(signMilliseconds: session.sessionPlan.signMilliseconds, clock: clock),
      options: side(session.settings.headUnit, session.sessionPlan.headUnitLink, 0))
    phone = Phone(
      profile: session.settings.phone.profile, verifier: .any,
      options: side(session.settings.phone, session.sessionPlan.phoneLink, 1))
  }

  func play() async -> SessionOutcome {
    if let name = session.settings.protocolName { await headUnit.serve(name) { await self.serve($0) } }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.follow(self.headUnit.events, .accessory) }
      group.addTask { await self.follow(self.phone.events, .device) }
      for (number, connection) in session.sessionPlan.connections.enumerated() { await play(connection, number) }
      headUnit.finish()
      phone.finish()
    }
    // The tasks of the transports end after the roles.
    await sleep(10_000)
    if !hasUndetected { watch.checkMessages() }
    return outcome.withLock { outcome in
      outcome.violations = watch.violations.map(\.description)
      outcome.undetected = detector?.count ?? 0
      outcome.milliseconds = Int(clock.now.nanoseconds / 1_000_000)
      return outcome
    }
  }

  private func follow(_ events: RoleEvents, _ side: Side) async {
    for await event in events {
      if case .disconnected(let end) = event.event { checkEnd(end, side) }
      watch.note(event.event, side)
      session.show(side, event)
    }
  }

  // MARK: Checks

  /// Whether damage has passed the checksums, so that the contents are no longer checked.
  var hasUndetected: Bool { (detector?.count ?? 0) > 0 }

  func witnessed(_ transport: any ByteTransport, _ side: Side) -> any ByteTransport {
    detector?.around(transport, side: side) ?? transport
  }

  func begin(_ truth: ConnectionTruth) {
    watch.begin()
    self.truth.withLock { $0 = truth }
  }

  /// Counts a false verdict: one that is not based on the end of the link while the connection exists.
  private func checkEnd(_ end: Disconnection, _ side: Side) {
    guard let truth = truth.withLock({ $0 }) else { return }
    if !truth.isGone {
      if watch.isConnected(side), end.cause.isJudgement { outcome.withLock { $0.falseVerdicts += 1 } }
      if !session.excuses(end.cause), !hasUndetected { watch.broken("ended by itself: \(end.cause.rawValue)", side) }
    }
    truth.goes(at: end.time)
  }

  func noteReady() {
    outcome.withLock { $0.connected += 1 }
    // With the policy `notification`, a side may not have detected the end of the previous connection.
    if session.settings.policy == .evidence {
      for side in Side.allCases where !watch.isConnected(side) { watch.broken("ready without an event for it", side) }
    }
    if !hasUndetected { watch.checkAgreement() }
  }

  /// Waits for both sides' verdicts after the end of the connection and counts the missing ones.
  func waitForVerdicts(_ truth: ConnectionTruth) async {
    _ = await wait(Self.missedMilliseconds, although: true) {
      !watch.isConnected(.accessory) && !watch.isConnected(.device)
    }
    let missed = Side.allCases.count { watch.isConnected($0) }
    outcome.withLock { $0.missed += missed }
    // With the policy `evidence`, no end may be missed and no role may stay on a disconnected cable.
    guard session.settings.policy == .evidence else { return }
    if missed > 0 { watch.broken("no verdict within \(Self.missedMilliseconds / 1000) s") }
    let limit = 2 * Self.identifySeconds * 1000
    if await !wait(limit, although: true, for: { truth.haveBothEnded }) {
      watch.broken("a role stayed on a removed cable")
    }
  }

  func sleep(_ milliseconds: Int) async {
    // The sleep throws only in a cancelled task, which needs no further time.
    do { try await clock.sleep(until: clock.now.adding(milliseconds: milliseconds)) } catch {}
  }

  /// Waits until the condition holds, or until an invariant was violated. The polling interval grows from 5 to 200 ms.
  ///
  /// - Parameters:
  ///   - limit: the limit in milliseconds of virtual time.
  ///   - isBroken: true to continue after a violated invariant.
  /// - Returns: false at the limit.
  func wait(_ limit: Int, although isBroken: Bool = false, for condition: () -> Bool) async -> Bool {
    let end = clock.now.adding(milliseconds: limit)
    var step = 5
    while !condition(), isBroken || !watch.isBroken {
      guard clock.now < end else { return false }
      await sleep(step)
      step = min(step * 2, 200)
    }
    return true
  }
}

extension DisconnectCause {
  /// Whether the side inferred the disconnect, as opposed to a report by the link or a request.
  var isJudgement: Bool {
    switch self {
    case .notification, .chargingStopped, .sessionEnded, .timeout, .peerRestarted: true
    case .requested, .linkReset, .transportClosed, .retransmissionLimit, .negotiationFailed, .authenticationFailed,
      .identificationRejected, .replugged:
      false
    }
  }
}

extension SimulatedSession {
  /// Returns whether a connection may end by this cause while the cable is connected and no side has requested the end.
  ///
  /// Under faults, a link may reach its retransmission limit and a side may infer a disconnect. An endpoint whose
  /// quirks have a maximum message rate may reset the link.
  func excuses(_ cause: DisconnectCause) -> Bool {
    let mayReset =
      settings.headUnit.quirks.resetsAbove != nil || settings.phone.quirks.resetsAbove != nil
    if mayReset, cause == .linkReset || cause == .requested { return true }
    return !settings.faults.isEmpty && (cause.isJudgement || cause == .retransmissionLimit)
  }
}

extension HeadUnitProfile {
  /// Returns whether the identification lists the message as sent by the accessory.
  func sends(_ id: UInt16) -> Bool { identification.messagesSentByAccessory.elements.contains(id) }

  /// Returns whether the identification lists the message as received from the phone.
  func listens(to id: UInt16) -> Bool { identification.messagesReceivedFromDevice.elements.contains(id) }
}
