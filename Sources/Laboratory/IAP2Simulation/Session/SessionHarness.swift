// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import IAP2Roles
import IAP2Runtime
import IAP2Transport
import Synchronization

/// Plays a simulated session on ``Session`` values: both roles, the cable between them and what happens to it, without
/// tasks and actors.
struct SessionHarness {
  let simulated: SimulatedSession
  let clock = StepClock()
  let watch: SessionWatch
  private let witness: DamageWitness?
  var outcome = SessionOutcome()
  /// The state that each role keeps from one cable to the next.
  private var headUnitProfile: HeadUnitProfile
  private var phoneProfile: PhoneProfile
  private var lifecycles: [Side: Lifecycle] = [:]
  private let losses: [Side: NoticeLoss]

  // The connection that is played.
  var headUnit: SimulatedParty<HeadUnitPolicy>
  var phone: SimulatedParty<PhonePolicy>
  var truth = CableTruth()
  private var toHeadUnit: FaultLane
  private var toPhone: FaultLane
  private var accident: SessionCourse.End?
  private var tap: (@Sendable (Side, [UInt8]) -> Void)?
  var exchanges: [SimulatedExchange] = []
  /// Steps in a row in which time stood still.
  private var stillSteps = 0

  /// More steps at one moment than any session needs; beyond it a side spins.
  private static let stillStepLimit = 100_000
  /// The cable's own delay.
  private static let cableMilliseconds = 1

  init(_ simulated: SimulatedSession) {
    self.simulated = simulated
    watch = SessionWatch(clock: clock)
    let faults = simulated.course.faults
    let isDamaging = [faults.toHeadUnit.conditions, faults.toPhone.conditions].contains {
      $0.corruption > 0 || $0.truncation > 0
    }
    witness = isDamaging ? DamageWitness() : nil
    headUnitProfile = simulated.settings.headUnit.profile
    phoneProfile = simulated.settings.phone.profile
    var losses: [Side: NoticeLoss] = [:]
    if simulated.course.noticeLoss > 0 {
      for (number, side) in [Side.accessory, .device].enumerated() {
        losses[side] = NoticeLoss(
          probability: simulated.course.noticeLoss, seed: simulated.seed &* 2 &+ UInt64(number))
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
    toHeadUnit = FaultLane(faults.toHeadUnit, seed: 0, start: .zero)
    toPhone = FaultLane(faults.toPhone, seed: 0, start: .zero)
  }

  private static func headUnit(
    _ simulated: SimulatedSession, _ profile: HeadUnitProfile, _ lifecycle: Lifecycle, _ loss: NoticeLoss?
  ) -> SimulatedParty<HeadUnitPolicy> {
    let side = simulated.settings.headUnit
    var options = SessionOptions<HeadUnitPolicy> { before in
      var next = profile
      if let before { next.state = before.state }
      return HeadUnitPolicy(profile: next)
    }
    configure(&options, side.pacing, loss)
    let endpoint = Endpoint(
      side: .accessory, preferences: simulated.course.headUnitLink, quirks: side.quirks,
      firstSequence: Endpoint.firstSequence(of: .accessory))
    return SimulatedParty(
      side: .accessory, session: Session(endpoint: endpoint, lifecycle: lifecycle, options: options),
      signMilliseconds: simulated.course.signMilliseconds)
  }

  private static func phone(
    _ simulated: SimulatedSession, _ profile: PhoneProfile, _ lifecycle: Lifecycle, _ loss: NoticeLoss?
  ) -> SimulatedParty<PhonePolicy> {
    let side = simulated.settings.phone
    var options = SessionOptions<PhonePolicy> { before in
      var next = profile
      if let before { next.state = before.state }
      return PhonePolicy(profile: next)
    }
    configure(&options, side.pacing, loss)
    let endpoint = Endpoint(
      side: .device, preferences: simulated.course.phoneLink, quirks: side.quirks,
      firstSequence: Endpoint.firstSequence(of: .device))
    return SimulatedParty(
      side: .device, session: Session(endpoint: endpoint, lifecycle: lifecycle, options: options), signMilliseconds: 0)
  }

  private static func configure<Policy>(
    _ options: inout SessionOptions<Policy>, _ pacing: MessagePacing, _ loss: NoticeLoss?
  ) {
    options.pacing = pacing
    options.identifyTimeout = .seconds(SessionStage.identifySeconds)
    if let loss { options.losesNotice = { loss.isLost() } }
  }

  // MARK: The cable

  var now: MonotonicTime { clock.now }
  /// Damage got past the checksums: what the link promises of its contents is not asked any more.
  var hasUndetected: Bool { undetectedCount > 0 }
  var undetectedCount: Int { witness?.count ?? 0 }

  /// A new cable between both roles.
  mutating func plug(_ number: Int, end: SessionCourse.End) {
    let faults = simulated.course.faults
    // As a faulty transport draws for its lanes.
    let seed = faults.seed &+ UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
    func lane(_ direction: FaultPlan.Direction, _ salt: UInt64) -> FaultLane {
      var direction = direction
      direction.conditions.delayMilliseconds += Self.cableMilliseconds
      return FaultLane(direction, seed: seed &+ salt, start: now)
    }
    toHeadUnit = lane(faults.toHeadUnit, 0x1234_5677)
    toPhone = lane(faults.toPhone, 0x7654_3211)
    headUnit = Self.headUnit(
      simulated, headUnitProfile, lifecycles[.accessory] ?? Lifecycle(), losses[.accessory])
    phone = Self.phone(simulated, phoneProfile, lifecycles[.device] ?? Lifecycle(), losses[.device])
    truth = CableTruth()
    exchanges = []
    accident = end
    truth.pluggedAt = now
    tap = simulated.tap?(clock)
    watch.begin()
    headUnit.session.start(address: "loopback", at: now)
    phone.session.start(address: "loopback", at: now)
    settle()
  }

  /// The cable is pulled: both ends see it at once, and what was on the way is lost.
  mutating func pull() {
    truth.goes(at: now)
    unplug()
  }

  /// Both roles leave, whatever they believe.
  mutating func unplug() {
    toHeadUnit.finish(discarding: true)
    toPhone.finish(discarding: true)
    leaveHeadUnit()
    leavePhone()
    settle()
  }

  /// Stores the state that the roles keep.
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

  /// Plays until the condition holds.
  ///
  /// - Returns: false when it did not within so many milliseconds. A session in which something is broken is not waited
  ///   for, unless its end is.
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

  /// Goes to the next moment at which anything happens.
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
      watch.broken("time stands still")
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
    settle()
  }

  private mutating func deliver(_ front: FaultLane.Front, to side: Side) {
    switch (front, side) {
    case (.bytes(let bytes), .accessory):
      tap?(.device, bytes)
      witness?.arrived(bytes, at: .accessory)
      headUnit.session.receive(bytes, at: now)
    case (.bytes(let bytes), .device):
      witness?.arrived(bytes, at: .device)
      phone.session.receive(bytes, at: now)
    case (.over, .accessory): leaveHeadUnit()
    case (.over, .device): leavePhone()
    case (.nothing, _): break
    }
  }

  /// When the accident of the connection happens; nil when none is left.
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

  // MARK: After each verb

  /// Carries out what both sessions want, until neither wants anything more at this moment.
  mutating func settle() {
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
      case .closeNative: break
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
      witness?.sent(bytes, by: .accessory)
      toPhone.enter(bytes, at: now)
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
      case .closeNative: break
      }
    }
    phone.takeRequests(at: now)
    for session in phone.works.keys.sorted() {
      if phone.write(session, at: now) { isActive = true }
      // Some accessories cannot say that they are done.
      if phone.works[session]?.isDone == true, !simulated.settings.headUnit.profile.says(0xEA03),
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
      witness?.sent(bytes, by: .device)
      toHeadUnit.enter(bytes, at: now)
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
    if case .disconnected(let end) = event { judge(end, side) }
    watch.note(event, side)
    simulated.show(side, TimedEvent(time: now, event: event))
  }

  func different(_ side: Side) {
    if !hasUndetected { watch.broken("EA bytes are not what was sent", side) }
  }
}

/// The physical state of a cable, independent of what the roles believe.
struct CableTruth: Sendable {
  var pluggedAt = MonotonicTime.zero
  private(set) var goneAt: MonotonicTime?
  private(set) var ended: Set<Side> = []

  /// The cable was pulled, or a side ended the connection.
  mutating func goes(at now: MonotonicTime) { goneAt = goneAt ?? now }
  /// A role has left its transport.
  mutating func ends(_ side: Side) { ended.insert(side) }

  var isGone: Bool { goneAt != nil }
  /// Nothing more can be asked of the connection.
  var isOver: Bool { goneAt != nil || !ended.isEmpty }
  var haveBothEnded: Bool { ended.count == 2 }
}

/// A clock that goes where it is put.
final class StepClock: RuntimeClock {
  private let time = Mutex(MonotonicTime.zero)

  var now: MonotonicTime { time.withLock { $0 } }
  func advance(to time: MonotonicTime) { self.time.withLock { $0 = max($0, time) } }
  /// Nothing sleeps on it.
  func sleep(until deadline: MonotonicTime) async throws(CancellationError) { throw CancellationError() }
}
