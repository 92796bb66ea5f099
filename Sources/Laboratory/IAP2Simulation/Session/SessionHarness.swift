// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import IAP2Roles
import IAP2Runtime
import IAP2Transport
import Synchronization

/// A runner of a simulated session on ``Session`` values, without tasks and actors: both roles, the cable between them
/// and its faults.
struct SessionHarness {
  let simulated: SimulatedSession
  let clock = StepClock()
  let watch: InvariantChecker
  private let detector: UndetectedDamageDetector?
  var outcome = SessionOutcome()
  /// The head unit's profile, whose state is kept from one connection to the next.
  private var headUnitProfile: HeadUnitProfile
  /// The phone's profile, whose state is kept from one connection to the next.
  private var phoneProfile: PhoneProfile
  private var lifecycles: [Side: Lifecycle] = [:]
  private let losses: [Side: NoticeLoss]

  // The current connection.
  var headUnit: SimulatedPeer<HeadUnitPolicy>
  var phone: SimulatedPeer<PhonePolicy>
  var truth = CableState()
  private var toHeadUnit: LinkLane
  private var toPhone: LinkLane
  private var accident: SessionPlan.End?
  private var tap: (@Sendable (Side, [UInt8]) -> Void)?
  var exchanges: [SimulatedExchange] = []
  /// The number of consecutive steps in which the time did not advance.
  private var stillSteps = 0

  /// The number of steps at one time above which a side is in an endless loop.
  private static let stillStepLimit = 100_000
  /// The cable's delay without faults, in milliseconds.
  private static let cableMilliseconds = 1

  init(_ simulated: SimulatedSession) {
    self.simulated = simulated
    watch = InvariantChecker(clock: clock)
    let faults = simulated.sessionPlan.faults
    let isDamaging = [faults.toHeadUnit.conditions, faults.toPhone.conditions].contains {
      $0.corruption > 0 || $0.truncation > 0
    }
    detector = isDamaging ? UndetectedDamageDetector() : nil
    headUnitProfile = simulated.settings.headUnit.profile
    phoneProfile = simulated.settings.phone.profile
    var losses: [Side: NoticeLoss] = [:]
    if simulated.sessionPlan.noticeLoss > 0 {
      for (number, side) in [Side.accessory, .device].enumerated() {
        losses[side] = NoticeLoss(
          probability: simulated.sessionPlan.noticeLoss, seed: simulated.seed &* 2 &+ UInt64(number))
      }
    }
    self.losses = losses
    var times = LifecycleTimes()
    times.silenceMilliseconds = LifecycleTimes.liveSilenceMilliseconds
    let lifecycle = Lifecycle(policy: simulated.settings.policy, times: times)
    for side in Side.allCases { lifecycles[side] = lifecycle }
    // Replaced when the first cable is plugged in.
    headUnit = Self.headUnit(simulated, headUnitProfile, lifecycle, losses[.accessory])
    phone = Self.phone(simulated, phoneProfile, lifecycle, losses[.device])
    toHeadUnit = LinkLane(faults.toHeadUnit, seed: 0, start: .zero)
    toPhone = LinkLane(faults.toPhone, seed: 0, start: .zero)
  }

  private static func headUnit(
    _ simulated: SimulatedSession, _ profile: HeadUnitProfile, _ lifecycle: Lifecycle, _ loss: NoticeLoss?
  ) -> SimulatedPeer<HeadUnitPolicy> {
    let plan = simulated.sessionPlan
    let options = SessionOptions<HeadUnitPolicy> { before in
      var next = profile
      if let before { next.state = before.state }
      return HeadUnitPolicy(profile: next)
    }
    return peer(
      .accessory, simulated.settings.headUnit, plan.headUnitLink, lifecycle, loss, options,
      signMilliseconds: plan.signMilliseconds)
  }

  private static func phone(
    _ simulated: SimulatedSession, _ profile: PhoneProfile, _ lifecycle: Lifecycle, _ loss: NoticeLoss?
  ) -> SimulatedPeer<PhonePolicy> {
    let options = SessionOptions<PhonePolicy> { before in
      var next = profile
      if let before { next.state = before.state }
      return PhonePolicy(profile: next)
    }
    return peer(
      .device, simulated.settings.phone, simulated.sessionPlan.phoneLink, lifecycle, loss, options,
      signMilliseconds: 0)
  }

  private static func peer<Policy, Profile>(
    _ side: Side, _ settings: SimulationSide<Profile>, _ link: LinkPreferences, _ lifecycle: Lifecycle,
    _ loss: NoticeLoss?, _ base: SessionOptions<Policy>, signMilliseconds: Int
  ) -> SimulatedPeer<Policy> {
    var options = base
    options.pacing = settings.pacing
    options.identifyTimeout = .seconds(SessionRunner.identifySeconds)
    if let loss { options.losesNotice = loss.isLost() }
    let endpoint = Endpoint(
      side: side, preferences: link, quirks: settings.quirks, firstSequence: Endpoint.firstSequence(of: side))
    return SimulatedPeer(
      side: side, session: Session(endpoint: endpoint, lifecycle: lifecycle, options: options),
      signMilliseconds: signMilliseconds)
  }

  // MARK: The cable

  var now: MonotonicTime { clock.now }
  /// Whether damage has passed the checksums, so that the contents are no longer checked.
  var hasUndetected: Bool { undetectedCount > 0 }
  var undetectedCount: Int { detector?.count ?? 0 }

  /// Connects both roles by a new cable.
  mutating func plug(_ number: Int, end: SessionPlan.End) {
    let faults = simulated.sessionPlan.faults
    // The seeds that a `FaultyTransport` uses for its lanes.
    let seed = faults.seed &+ UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
    func lane(_ direction: FaultPlan.Direction, _ salt: UInt64) -> LinkLane {
      var direction = direction
      direction.conditions.delayMilliseconds += Self.cableMilliseconds
      return LinkLane(direction, seed: seed &+ salt, start: now)
    }
    toHeadUnit = lane(faults.toHeadUnit, 0x1234_5677)
    toPhone = lane(faults.toPhone, 0x7654_3211)
    headUnit = Self.headUnit(
      simulated, headUnitProfile, lifecycles[.accessory] ?? Lifecycle(), losses[.accessory])
    phone = Self.phone(simulated, phoneProfile, lifecycles[.device] ?? Lifecycle(), losses[.device])
    truth = CableState()
    exchanges = []
    accident = end
    truth.pluggedAt = now
    tap = simulated.tap?(clock)
    watch.begin()
    headUnit.session.start(address: "loopback", at: now)
    phone.session.start(address: "loopback", at: now)
    drain()
  }

  /// Pulls the cable: both ends detect it at once, and bytes in transit are lost.
  mutating func pull() {
    truth.goes(at: now)
    unplug()
  }

  /// Closes the transports of both roles, independent of their states.
  mutating func unplug() {
    toHeadUnit.finish(discarding: true)
    toPhone.finish(discarding: true)
    leaveHeadUnit()
    leavePhone()
    drain()
  }

  /// Stores the state that the roles keep for the next connection.
  mutating func keep() {
    headUnitProfile.state = headUnit.session.policy.state
    phoneProfile.state = phone.session.policy.state
    lifecycles = [.accessory: headUnit.session.lifecycle, .device: phone.session.lifecycle]
  }

  private mutating func leaveHeadUnit() {
    guard !headUnit.hasLeft else { return }
    headUnit.hasLeft = true
    truth.ends(.accessory)
    headUnit.session.submit(.transportClosed, at: now)
    if !toPhone.isHalfOpen(at: now) { toPhone.finish() }
  }

  private mutating func leavePhone() {
    guard !phone.hasLeft else { return }
    phone.hasLeft = true
    truth.ends(.device)
    phone.session.submit(.transportClosed, at: now)
    if !toHeadUnit.isHalfOpen(at: now) { toHeadUnit.finish() }
  }

  // MARK: Time

  /// Runs until the condition holds, or until an invariant was violated.
  ///
  /// - Parameters:
  ///   - milliseconds: the limit in virtual time.
  ///   - isBroken: true to continue after a violated invariant.
  /// - Returns: false at the limit.
  mutating func run(
    _ milliseconds: Int, although isBroken: Bool = false, until condition: (borrowing SessionHarness) -> Bool
  ) -> Bool {
    let end = now.adding(milliseconds: milliseconds)
    while !condition(self), isBroken || !watch.isBroken {
      guard now < end else { return false }
      step(until: end)
    }
    return true
  }

  mutating func sleep(_ milliseconds: Int) { _ = run(milliseconds, although: true) { _ in false } }

  /// Advances the time to the next event, at most to `end`, and processes the event.
  private mutating func step(until end: MonotonicTime) {
    var next = end
    func consider(_ time: MonotonicTime?) { if let time, time < next { next = time } }
    consider(headUnit.nextDeadline)
    consider(phone.nextDeadline)
    consider(accidentTime)
    let headUnitBytes = headUnit.hasLeft ? .nothing(until: nil) : toHeadUnit.front(at: now)
    let phoneBytes = phone.hasLeft ? .nothing(until: nil) : toPhone.front(at: now)
    for front in [headUnitBytes, phoneBytes] {
      switch front {
      case .bytes, .over: next = now
      case .nothing(let time): consider(time)
      }
    }
    stillSteps = next > now ? 0 : stillSteps + 1
    guard stillSteps < Self.stillStepLimit else {
      watch.broken("virtual time does not advance")
      return clock.advance(to: end)
    }
    if next > now { clock.advance(to: next) }
    happen()
    deliver(headUnitBytes, to: .accessory)
    deliver(phoneBytes, to: .device)
    if let deadline = headUnit.nextDeadline, deadline <= now {
      if let request = headUnit.nextAnswer(at: now) {
        headUnit.session.submit(.answer(to: request, request.stubAnswer), at: now)
      }
      if let deadline = headUnit.session.nextDeadline, deadline <= now { headUnit.session.handleDeadline(at: now) }
    }
    if let deadline = phone.nextDeadline, deadline <= now {
      if let request = phone.nextAnswer(at: now) {
        phone.session.submit(.answer(to: request, request.stubAnswer), at: now)
      }
      if let deadline = phone.session.nextDeadline, deadline <= now { phone.session.handleDeadline(at: now) }
    }
    drain()
  }

  private mutating func deliver(_ front: LinkLane.Front, to side: Side) {
    switch (front, side) {
    case (.bytes(let bytes), .accessory):
      tap?(.device, bytes)
      detector?.arrived(bytes, at: .accessory)
      headUnit.session.receive(bytes, at: now)
    case (.bytes(let bytes), .device):
      detector?.arrived(bytes, at: .device)
      phone.session.receive(bytes, at: now)
    case (.over, .accessory): leaveHeadUnit()
    case (.over, .device): leavePhone()
    case (.nothing, _): break
    }
  }

  /// The time of the planned accident; nil without one or after it.
  private var accidentTime: MonotonicTime? {
    switch accident {
    case .pulled(let moment), .lost(let moment, _, _): truth.pluggedAt.adding(milliseconds: moment)
    case .requested, nil: nil
    }
  }

  private mutating func happen() {
    guard let time = accidentTime, time <= now, let end = accident else { return }
    accident = nil
    truth.goes(at: now)
    switch end {
    case .requested: break
    case .pulled: unplug()
    case .lost(_, let isToHeadUnit, let isToPhone):
      if isToHeadUnit { toHeadUnit.goHalfOpen(at: now) }
      if isToPhone { toPhone.goHalfOpen(at: now) }
    }
  }

  // MARK: Output of the sessions

  /// Processes the output of both sessions until both have none at this time.
  mutating func drain() {
    while settleHeadUnit() || settlePhone() {}
  }

  private mutating func settleHeadUnit() -> Bool {
    var isActive = false
    while let event = headUnit.session.nextEvent() {
      isActive = true
      switch event {
      case .role(let event): report(event, .accessory)
      case .opened(let session, let name, _, _):
        headUnit.works[session] = name == simulated.settings.protocolName ? .accessory : nil
      case .data(let session, let bytes):
        headUnit.works[session]?.take(bytes)
        if headUnit.works[session]?.isDifferent == true { different(.accessory) }
        headUnit.session.submit(.consumed(session: session, byteCount: bytes.count), at: now)
      case .closed(let session): headUnit.works[session] = nil
      case .openNative(let session, _): headUnit.session.submit(.nativeUnavailable(session: session), at: now)
      case .closeNative, .nativeClosed: break
      }
    }
    headUnit.takeRequests(at: now)
    for session in headUnit.works.keys.sorted() {
      if headUnit.write(session, at: now) { isActive = true }
      if headUnit.works[session]?.isDone == true {
        headUnit.works[session] = nil
        headUnit.session.submit(.closeExternalAccessory(session: session), at: now)
        isActive = true
      }
    }
    watch.inspect(headUnit.session.endpoint)
    var bytes: [UInt8] = []
    guard !headUnit.hasLeft else { return isActive }
    if headUnit.session.transmit(into: &bytes, at: now) {
      tap?(.accessory, bytes)
      detector?.sent(bytes, by: .accessory)
      toPhone.enter(packets: bytes, at: now)
      headUnit.session.sent(at: now)
      return true
    }
    if headUnit.session.isOver {
      leaveHeadUnit()
      return true
    }
    return isActive
  }

  private mutating func settlePhone() -> Bool {
    var isActive = false
    while let event = phone.session.nextEvent() {
      isActive = true
      switch event {
      case .role(let event): report(event, .device)
      case .opened(let session, _, let isRequested, _): if isRequested { opened(session) }
      case .data(let session, let bytes):
        phone.works[session]?.take(bytes)
        if phone.works[session]?.isDifferent == true { different(.device) }
        phone.session.submit(.consumed(session: session, byteCount: bytes.count), at: now)
      case .closed(let session): closed(session)
      case .openNative(let session, _): phone.session.submit(.nativeUnavailable(session: session), at: now)
      case .closeNative, .nativeClosed: break
      }
    }
    phone.takeRequests(at: now)
    for session in phone.works.keys.sorted() {
      if phone.write(session, at: now) { isActive = true }
      // Without StatusExternalAccessoryProtocolSession (EA03), the accessory cannot close the session.
      if phone.works[session]?.isDone == true,
        !simulated.settings.headUnit.profile.sends(StatusExternalAccessoryProtocolSession.id),
        !phone.session.isClosing(session)
      {
        phone.session.submit(.closeExternalAccessory(session: session), at: now)
        isActive = true
      }
    }
    watch.inspect(phone.session.endpoint)
    var bytes: [UInt8] = []
    guard !phone.hasLeft else { return isActive }
    if phone.session.transmit(into: &bytes, at: now) {
      detector?.sent(bytes, by: .device)
      toHeadUnit.enter(packets: bytes, at: now)
      phone.session.sent(at: now)
      return true
    }
    if phone.session.isOver {
      leavePhone()
      return true
    }
    return isActive
  }

  private mutating func report(_ event: RoleEvent, _ side: Side) {
    if case .disconnected(let end) = event { checkEnd(end, side) }
    watch.note(event, side)
    simulated.show(side, TimedEvent(time: now, event: event))
  }

  func different(_ side: Side) {
    if !hasUndetected { watch.broken("EA bytes differ from the sent bytes", side) }
  }
}

/// The physical state of a cable, independent of the verdicts of the roles.
struct CableState: Sendable {
  var pluggedAt = MonotonicTime.zero
  private(set) var goneAt: MonotonicTime?
  private(set) var ended: Set<Side> = []

  /// Records that the cable was pulled or that a side ended the connection.
  mutating func goes(at now: MonotonicTime) { goneAt = goneAt ?? now }
  /// Records that a role has left its transport.
  mutating func ends(_ side: Side) { ended.insert(side) }

  var isGone: Bool { goneAt != nil }
  /// Whether the connection or a role on it has ended, so that no further activity can succeed.
  var isOver: Bool { goneAt != nil || !ended.isEmpty }
  var haveBothEnded: Bool { ended.count == 2 }
}

/// A clock whose time advances only by ``advance(to:)``.
final class StepClock: RuntimeClock {
  private let time = Mutex(MonotonicTime.zero)

  var now: MonotonicTime { time.withLock { $0 } }
  func advance(to time: MonotonicTime) { self.time.withLock { $0 = max($0, time) } }
  /// Always throws, because the harness has no tasks that sleep.
  func sleep(until deadline: MonotonicTime) async throws(CancellationError) { throw CancellationError() }
}
