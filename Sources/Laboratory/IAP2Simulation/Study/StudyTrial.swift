// swift-iap2 · Apache-2.0

import IAP2
import IAP2Authentication
import IAP2Faults
import IAP2Roles
import IAP2Runtime
import IAP2Transport
import Synchronization

/// One trial of a ``StudyCase``: a connection of both roles in virtual time, and the verdict of each side.
struct StudyTrial: Sendable {
  /// The verdict of one side.
  struct Verdict: Sendable, Equatable {
    /// Whether the connection ended and the side did not report it in time.
    var isMissed = false
    /// Whether the side reported an end of a connection that had not ended.
    var isFalse = false
    /// The time from the physical event to the verdict; nil without an event or a verdict.
    var milliseconds: Double?
  }

  let studyCase: StudyCase
  let policy: LifecyclePolicy
  let seed: UInt64
  /// The time that probes stay unanswered after a sign.
  var confirmationMilliseconds = LifecycleTimes().confirmationMilliseconds

  /// The time after the event at which a side without a verdict has missed the end: far more than the times of any
  /// policy.
  static let missedMilliseconds = 60_000

  /// Runs the trial and returns the verdict of each side.
  func run() -> [Side: Verdict] {
    do {
      return try VirtualTime.run { clock in await StudyStage(self, clock: clock).play() }
    } catch {
      // Deadlock in virtual time: neither side can report the end.
      return [.accessory: Verdict(isMissed: true), .device: Verdict(isMissed: true)]
    }
  }
}

/// The roles and the cable of one trial.
private final class StudyStage: Sendable {
  private let trial: StudyTrial
  private let clock: VirtualTime
  private let headUnit: HeadUnit
  private let phone: Phone
  private let log: StudyLog
  private let moments: Moments

  /// The random times of a trial in milliseconds, drawn before the trial starts.
  private struct Moments: Sendable {
    /// The time from the readiness of both sides to the event.
    var event: Int
    /// The time from the event to the platform's notifications.
    var notice: Int
    /// The time from the event to the phone's report that the supply stopped.
    var supply: Int
    /// The duration of the interruption of the supply, where the connection stays up.
    var dip: Int
    /// The time from the event to the second connection.
    var replug: Int
    /// The delay of the cable in each direction.
    var delay: Int
    /// The interval of changes of the battery level; nil for no traffic.
    var traffic: Int?
    var isNoticeLost: [Side: Bool]
    var isSupplyStopLost: Bool

    init(_ trial: StudyTrial) {
      var generator = SeededGenerator(seed: trial.seed)
      event = Int.random(in: 200...3000, using: &generator)
      let early = Int.random(in: 10...300, using: &generator)
      let late = Int.random(in: 1000...10_000, using: &generator)
      let isReplugged = trial.studyCase.event == .replugged
      // After a replug, the second connection is ready when the notification of the first arrives.
      notice = trial.studyCase.notice == .late ? (isReplugged ? 1500 + late : late) : early
      let seen = Int.random(in: 50...1000, using: &generator)
      let seenLate = Int.random(in: 1000...10_000, using: &generator)
      supply = trial.studyCase.supplyStop == .late ? seenLate : seen
      dip = Int.random(in: 200...2000, using: &generator)
      replug = Int.random(in: 100...900, using: &generator)
      delay = Int.random(in: 1...40, using: &generator)
      let pause = Int.random(in: 20...2000, using: &generator)
      traffic = generator.chance(0.5) ? pause : nil
      isNoticeLost = [:]
      for side in Side.allCases { isNoticeLost[side] = generator.chance(trial.studyCase.notice.lossProbability) }
      isSupplyStopLost = generator.chance(trial.studyCase.supplyStop.lossProbability)
    }
  }

  init(_ trial: StudyTrial, clock: VirtualTime) {
    self.trial = trial
    self.clock = clock
    moments = Moments(trial)
    log = StudyLog(clock: clock)
    var options = RoleOptions()
    options.clock = clock
    // The trial sends the notifications itself, so those at the end of the transport are dropped.
    options.losesNotice = { true }
    options.makeChallenge = { StubAuthenticator.bytes($0) }
    var times = LifecycleTimes()
    times.silenceMilliseconds = LifecycleTimes.liveSilenceMilliseconds
    times.confirmationMilliseconds = trial.confirmationMilliseconds
    options.lifecycle = Lifecycle(policy: trial.policy, times: times)
    var car = HeadUnitProfile.standard(features: [.power, .carPlay, .deviceNotifications, .calls])
    if trial.studyCase.supply != .car { car.state.powerSource?.availableCurrentForDevice = 0 }
    var device = PhoneProfile()
    device.state.battery.percent = trial.studyCase.isBatteryFull ? 100 : 60
    if trial.studyCase.supply == .other { device.state.battery.wallCurrent = 2000 }
    headUnit = HeadUnit(
      profile: car, authenticator: StubAuthenticator(signMilliseconds: 0, clock: clock), options: options)
    phone = Phone(profile: device, verifier: .any, options: options)
  }

  private func sleep(_ milliseconds: Int) async {
    do { try await clock.sleep(until: clock.now.adding(milliseconds: milliseconds)) } catch {}
  }

  func play() async -> [Side: StudyTrial.Verdict] {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.log.follow(self.headUnit.events, .accessory) }
      group.addTask { await self.log.follow(self.phone.events, .device) }
      let first = plug(number: 0)
      group.addTask { await self.live(on: first) }
      await ready(1)
      if trial.studyCase.isAlertShown {
        await phone.update { state in
          _ = state.telephone.receiveCall(from: Contact(remote: "+15550100", name: "A Friend"))
        }
      }
      let traffic = Task(executorPreference: clock) { await self.talk() }
      await sleep(moments.event)
      log.happens(trial.studyCase.event)
      group.addTask { await self.signalSupply() }
      for side in Side.allCases { group.addTask { await self.signalNotice(to: side) } }
      switch trial.studyCase.event {
      case .nothing: break
      case .pause: first.faulty.happened(StudyCase.pauseEvent)
      case .gone, .replugged: if trial.studyCase.isEndReported { first.cable.cut() } else { first.faulty.goHalfOpen() }
      }
      var last = first
      if trial.studyCase.event == .replugged {
        await sleep(moments.replug)
        // The old socket reports its end when the new cable is connected.
        first.cable.cut()
        await phone.drop()
        last = plug(number: 1)
        let second = last
        group.addTask { await self.live(on: second) }
        await ready(2)
      }
      await sleep(StudyTrial.missedMilliseconds)
      traffic.cancel()
      log.ends()
      last.cable.cut()
      await phone.drop()
      await sleep(5000)
      headUnit.finish()
      phone.finish()
    }
    return log.verdicts
  }

  private struct Plug: Sendable {
    var cable: MemoryTransport
    var faulty: FaultyTransport
  }

  private func plug(number: Int) -> Plug {
    let ends = MemoryTransport.pair(delay: MemoryTransport.Delay(milliseconds: moments.delay, clock: clock))
    let faulty = FaultyTransport(
      ends.device, plan: trial.studyCase.faults(seed: trial.seed), side: .device, connection: number, clock: clock)
    return Plug(cable: ends.accessory, faulty: faulty)
  }

  private func live(on plug: Plug) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { _ = await self.headUnit.run(on: plug.cable) }
      group.addTask { _ = await self.phone.run(on: plug.faulty) }
    }
  }

  /// Waits until both sides have become ready this number of times, at most 10 s.
  private func ready(_ count: Int) async {
    for _ in 0..<1000 where !log.isReady(count) { await sleep(10) }
  }

  /// Changes the battery level at the drawn interval.
  private func talk() async {
    guard let pause = moments.traffic else { return }
    var level = 0
    while !Task.isCancelled {
      await sleep(pause)
      level += 1
      let percent = trial.studyCase.isBatteryFull ? 100 : 60 + level % 2
      await phone.update { $0.battery.percent = percent }
    }
  }

  private func signalSupply() async {
    guard !moments.isSupplyStopLost else { return }
    await sleep(moments.supply)
    switch trial.studyCase.supply {
    case .none: return
    case .other: await phone.update { $0.battery.wallCurrent = 0 }
    case .car where !trial.studyCase.event.isEnd:
      await headUnit.update { $0.powerSource?.availableCurrentForDevice = 0 }
      await sleep(moments.dip)
      await headUnit.update { $0.powerSource?.availableCurrentForDevice = 2400 }
    case .car where trial.studyCase.event == .gone: await phone.update { $0.battery.carCurrent = 0 }
    // A replug is too short for the phone to report that charging stopped.
    case .car: return
    }
  }

  private func signalNotice(to side: Side) async {
    // If the connection stays up, only a case with a false notification sends one.
    let isSent = trial.studyCase.event.isEnd || trial.studyCase.notice == .present
    guard isSent, moments.isNoticeLost[side] == false else { return }
    await sleep(moments.notice)
    switch side {
    case .accessory: await headUnit.notice()
    case .device: await phone.notice()
    }
  }
}

/// A record of the event and of the ends that each side reported.
private final class StudyLog: Sendable {
  private struct State {
    var event: (kind: StudyCase.Event, time: MonotonicTime)?
    var isOver = false
    /// The times of the ends that each side reported for an active connection before the trial ended.
    var ends: [Side: [MonotonicTime]] = [.accessory: [], .device: []]
    var identified: [Side: Int] = [.accessory: 0, .device: 0]
    var connected: Set<Side> = []
    /// The time at which both sides were ready on the second connection.
    var secondReady: MonotonicTime?
  }

  private let state = Mutex(State())
  private let clock: VirtualTime

  init(clock: VirtualTime) { self.clock = clock }

  func follow(_ events: RoleEvents, _ side: Side) async {
    for await event in events {
      state.withLock { state in
        switch event.event {
        case .connected: state.connected.insert(side)
        case .identified:
          state.identified[side, default: 0] += 1
          if state.identified.values.allSatisfy({ $0 >= 2 }) { state.secondReady = state.secondReady ?? event.time }
        case .disconnected:
          if state.connected.remove(side) != nil, !state.isOver { state.ends[side, default: []].append(event.time) }
        default: break
        }
      }
    }
  }

  func isReady(_ count: Int) -> Bool { state.withLock { $0.identified.values.allSatisfy { $0 >= count } } }
  func happens(_ kind: StudyCase.Event) {
    let now = clock.now
    state.withLock { $0.event = (kind, now) }
  }
  func ends() { state.withLock { $0.isOver = true } }

  var verdicts: [Side: StudyTrial.Verdict] {
    state.withLock { state in
      guard let event = state.event else { return [:] }
      var verdicts: [Side: StudyTrial.Verdict] = [:]
      for side in Side.allCases {
        let ends = state.ends[side] ?? []
        // A verdict about the first connection that arrives after the second is ready ends the second.
        let inTime = ends.first { end in
          end >= event.time && (state.secondReady.map { end <= $0 } ?? true)
        }
        let isWrong = { (end: MonotonicTime) in
          end < event.time || !event.kind.isEnd || (state.secondReady.map { end > $0 } ?? false)
        }
        verdicts[side] = StudyTrial.Verdict(
          isMissed: event.kind.isEnd && inTime == nil, isFalse: ends.contains(where: isWrong),
          milliseconds: event.kind.isEnd
            ? inTime.map { Double($0.nanoseconds - event.time.nanoseconds) / 1_000_000 } : nil)
      }
      return verdicts
    }
  }
}

extension StudyCase {
  /// The name by which the pause of a case begins.
  static let pauseEvent = "pause"

  /// The faults of the cable: the pause, in both directions.
  func faults(seed: UInt64) -> FaultPlan {
    var plan = FaultPlan(seed: seed)
    guard case .pause(let milliseconds) = event else { return plan }
    let stall = FaultPlan.Stall(start: .event(Self.pauseEvent), milliseconds: milliseconds)
    plan.toHeadUnit.stall = stall
    plan.toPhone.stall = stall
    return plan
  }
}
