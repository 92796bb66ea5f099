// swift-iap2 · Apache-2.0

import IAP2
import IAP2Authentication
import IAP2Faults
import IAP2Roles
import IAP2Runtime
import IAP2Transport
import Synchronization

/// Both roles of a simulated session, the cable between them, and what happens to it.
final class SessionStage: Sendable {
  let session: SimulatedSession
  let clock: VirtualTime
  let watch: SessionWatch
  let headUnit: HeadUnit
  let phone: Phone
  private let witness: DamageWitness?
  private let outcome = Mutex(SessionOutcome())
  /// Of the connection that is played.
  private let truth = Mutex<ConnectionTruth?>(nil)

  /// What is gone for so long and still believed in was missed: more than the slowest link drawn takes until it has sent a
  /// packet as often as agreed, thirty times two seconds. Where only one direction is lost, repetitions that are heard
  /// answer every probe, and that limit is what ends it.
  static let missedMilliseconds = 90_000
  /// As in scenarios; what gets ready later has failed.
  static let identifySeconds = 60
  /// Virtual time in which whatever a session wants must be done: the slowest links drawn, with every twentieth packet
  /// lost, need some minutes.
  static let patienceMilliseconds = 3_600_000

  init(_ session: SimulatedSession, clock: VirtualTime) {
    self.session = session
    self.clock = clock
    let watch = SessionWatch(clock: clock)
    self.watch = watch
    let conditions = [session.course.faults.toHeadUnit.conditions, session.course.faults.toPhone.conditions]
    let isDamaging = conditions.contains { $0.corruption > 0 || $0.truncation > 0 }
    witness = isDamaging ? DamageWitness() : nil
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
      if session.course.noticeLoss > 0 {
        let loss = NoticeLoss(probability: session.course.noticeLoss, seed: session.seed &* 2 &+ number)
        own.losesNotice = { loss.isLost() }
      }
      return own
    }
    headUnit = HeadUnit(
      profile: session.settings.headUnit.profile,
      authenticator: StubAuthenticator(signMilliseconds: session.course.signMilliseconds, clock: clock),
      options: side(session.settings.headUnit, session.course.headUnitLink, 0))
    phone = Phone(
      profile: session.settings.phone.profile, verifier: .any,
      options: side(session.settings.phone, session.course.phoneLink, 1))
  }

  func play() async -> SessionOutcome {
    if let name = session.settings.protocolName { await headUnit.serve(name) { await self.serve($0) } }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.follow(self.headUnit.events, .accessory) }
      group.addTask { await self.follow(self.phone.events, .device) }
      for (number, connection) in session.course.connections.enumerated() { await play(connection, number) }
      headUnit.finish()
      phone.finish()
    }
    // What moves bytes ends a little later than who sent them.
    await sleep(10_000)
    if !hasUndetected { watch.checkMessages() }
    return outcome.withLock { outcome in
      outcome.violations = watch.violations.map(\.description)
      outcome.undetected = witness?.count ?? 0
      outcome.milliseconds = Int(clock.now.nanoseconds / 1_000_000)
      return outcome
    }
  }

  private func follow(_ events: RoleEvents, _ side: Side) async {
    for await event in events {
      if case .disconnected(let end) = event.event { judge(end, side) }
      watch.note(event.event, side)
      session.show(side, event)
    }
  }

  // MARK: What is true

  /// Damage got past the checksums: what the link promises of its contents is not asked any more.
  var hasUndetected: Bool { (witness?.count ?? 0) > 0 }

  func witnessed(_ transport: any ByteTransport, _ side: Side) -> any ByteTransport {
    witness?.around(transport, side: side) ?? transport
  }

  func begin(_ truth: ConnectionTruth) {
    watch.begin()
    self.truth.withLock { $0 = truth }
  }

  /// A verdict that rests on anything but the end of the link is false while the connection lives.
  private func judge(_ end: Disconnection, _ side: Side) {
    guard let truth = truth.withLock({ $0 }) else { return }
    if !truth.isGone {
      if watch.isConnected(side), end.cause.isJudgement { outcome.withLock { $0.falseVerdicts += 1 } }
      if !session.excuses(end.cause), !hasUndetected { watch.broken("ended by itself: \(end.cause.rawValue)", side) }
    }
    truth.goes(at: end.time)
  }

  func noteReady() {
    outcome.withLock { $0.connected += 1 }
    // Who believes the notice alone may still believe in the connection before.
    if session.settings.policy == .evidence {
      for side in Side.allCases where !watch.isConnected(side) { watch.broken("ready, and not told so", side) }
    }
    if !hasUndetected { watch.checkAgreement() }
  }

  /// The connection is gone: who still believes in it after a while has missed that.
  func waitForVerdicts(_ truth: ConnectionTruth) async {
    _ = await wait(Self.missedMilliseconds, although: true) {
      !watch.isConnected(.accessory) && !watch.isConnected(.device)
    }
    let missed = Side.allCases.count { watch.isConnected($0) }
    outcome.withLock { $0.missed += missed }
    // With all evidence no end is missed, and no role stays on a cable that is gone.
    guard session.settings.policy == .evidence else { return }
    if missed > 0 { watch.broken("no verdict within \(Self.missedMilliseconds / 1000) s") }
    let limit = 2 * Self.identifySeconds * 1000
    if await !wait(limit, although: true, for: { truth.haveBothEnded }) {
      watch.broken("a role stayed on a cable that is gone")
    }
  }

  func sleep(_ milliseconds: Int) async {
    // Only a cancelled task does not sleep to the end, and it is over anyway.
    do { try await clock.sleep(until: clock.now.adding(milliseconds: milliseconds)) } catch {}
  }

  /// Waits, looking ever more seldom; false when it did not come in time. A session in which something is broken already
  /// is not waited for, but for its end.
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
  /// What a side concludes, as opposed to what the link or its user says.
  var isJudgement: Bool {
    switch self {
    case .notification, .chargingStopped, .sessionEnded, .timeout: true
    case .requested, .linkReset, .transportClosed, .retransmissionLimit, .authenticationFailed,
      .identificationRejected, .replugged:
      false
    }
  }
}

extension SimulatedSession {
  /// A link under faults may give up or be given up; nothing else ends a connection that nobody has ended. An accessory
  /// that resets when messages come too fast does so by its profile.
  func excuses(_ cause: DisconnectCause) -> Bool {
    let mayReset =
      settings.headUnit.quirks.resetsAbove != nil || settings.phone.quirks.resetsAbove != nil
    if mayReset, cause == .linkReset || cause == .requested { return true }
    return !settings.faults.isEmpty && (cause.isJudgement || cause == .retransmissionLimit)
  }
}

extension HeadUnitProfile {
  /// Its identification lists this message as one of its own.
  func says(_ id: UInt16) -> Bool { identification.messagesSentByAccessory.elements.contains(id) }

  /// Its identification lists this message of the phone's.
  func listens(to id: UInt16) -> Bool { identification.messagesReceivedFromDevice.elements.contains(id) }
}
