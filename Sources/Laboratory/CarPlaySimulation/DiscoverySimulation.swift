// swift-iap2 · Apache-2.0

public import Basics
import CarPlaySession

/// A head unit and a phone that find each other, part and meet again, in memory and in virtual time.
///
/// Multicast DNS is a model: each side announces a service, hears the other's late or not at all, asks again, and keeps
/// what it heard for ``lifetime`` unless a goodbye comes. A session has no content: that is the work of
/// ``SessionSimulation``. The head unit's `PhoneCaller` and the phone's `HeadUnitFinder` decide as they do in
/// `iap2 carplay`. The same seed gives the same run.
public struct DiscoverySimulation: Sendable {
  /// The way in which a pair parts.
  public enum Parting: Sendable, Hashable, CaseIterable {
    /// The phone ends the session in order, and stays on the network for a while.
    case teardown
    /// The phone ends the session in order, says goodbye and leaves.
    case leaves
    /// The phone goes out of range without a word, and comes back.
    case lost
    /// The connection breaks, and both stay on the network.
    case broken
  }

  /// The faults of the network.
  public struct Faults: Sendable, Hashable {
    /// The probability that a datagram of multicast DNS is lost.
    public var loss = 0.0
    /// The probability that a control request or its answer is lost.
    public var callLoss = 0.0
    /// The longest delay of a datagram.
    public var delay = Duration.milliseconds(20)

    /// Creates a network without faults.
    public init(loss: Double = 0, callLoss: Double = 0, delay: Duration = .milliseconds(20)) {
      (self.loss, self.callLoss, self.delay) = (loss, callLoss, delay)
    }
  }

  /// The counts of a run.
  public struct Result: Sendable, Hashable {
    /// The sessions that began, by the parting before them; nil before the first.
    public var sessions = 0
    /// The reunions in which no session began within ``patience``.
    public var missed = 0
    /// The sessions that began after the phone had ended one in order and had stayed, or while another one was live.
    public var unwanted = 0
    /// The ends of sessions that were reported.
    public var ends = 0
    /// The longest time from the reunion to the session.
    public var longest = Duration.zero
  }

  /// The lifetime of a record (RFC 6762 recommends it for records with a host name).
  public static let lifetime = Duration.seconds(120)
  /// The time within which a pair must meet again. The requests of a caller to an old port, which a cache may give, last
  /// for about a minute.
  public static let patience = Duration.seconds(100)

  private enum Event: Sendable {
    /// A datagram arrives at the head unit, or at the phone.
    case heard(ServiceChange, atHeadUnit: Bool, generation: Int)
    /// A side announces its service, or asks for the other's.
    case announce(byHeadUnit: Bool, generation: Int)
    /// A record grows old: its side asks again, or at last forgets it.
    case refresh(FoundService.ID, atHeadUnit: Bool)
    case expire(FoundService.ID, atHeadUnit: Bool)
    case called(ControlCall, port: UInt16, number: Int)
    case outcome(PhoneCaller.Outcome)
    case connected(port: UInt16, generation: Int)
    case sessionSetUp(generation: Int)
  }

  private var caller = PhoneCaller(PhoneCaller.Settings(.any))
  private var finder = HeadUnitFinder(HeadUnitFinder.Settings(.caller))
  private let faults: Faults
  private var random: SeededGenerator
  /// The present time.
  public private(set) var now = MonotonicTime(nanoseconds: 1 << 40)
  private var queue: [(time: MonotonicTime, number: Int, event: Event)] = []
  private var number = 0
  /// Changes with each arrival of the phone, so that what was sent before is not of the next stay.
  private var generation = 0
  private var isPresent = false
  private var port: UInt16 = 5000
  private var hasSession = false
  /// The number of the request that is on its way.
  private var callNumber = 0
  private var mayConnect = false
  /// The arrivals of the last datagrams at the head unit (true) and at the phone.
  private var arrivals: [Bool: MonotonicTime] = [:]
  /// The records in the caches.
  private var known: Set<FoundService.ID> = []
  /// The result so far.
  public private(set) var result = Result()

  private static let deviceID = "02:00:00:00:00:01"
  private static let phoneID = FoundService.ID(.control, name: "Phone", interface: "wlan0", isIPv6: false)
  private static let carID = FoundService.ID(.airPlay, name: "Car", interface: "wlan0", isIPv6: false)

  /// Creates a pair whose phone is not on the network.
  public init(seed: UInt64, faults: Faults) { (random, self.faults) = (SeededGenerator(seed: seed), faults) }

  /// Lets the phone come, have a session and go, so many times.
  public mutating func run(cycles: Int) {
    for _ in 0..<cycles {
      arrive()
      meet()
      pass(.milliseconds(Int64.random(in: 100...60_000, using: &random)))
      part(by: Parting.allCases.randomElement(using: &random) ?? .teardown)
    }
    leave(saysGoodbye: true)
    pass(Self.lifetime + .seconds(60))
  }

  /// Whether nothing is left: no record, no deadline, no datagram.
  public var isQuiet: Bool {
    known.isEmpty && queue.isEmpty && caller.nextDeadline == nil && finder.nextDeadline == nil && !hasSession
  }

  // MARK: The cycle

  /// Demands that a session begins.
  private mutating func meet() {
    guard !hasSession else { return }
    let start = now
    let end = now.advanced(by: Self.patience)
    while !hasSession, let time = nextTime, time <= end { step(at: time) }
    now = max(now, hasSession ? now : end)
    if hasSession { result.longest = max(result.longest, start.duration(to: now)) } else { result.missed += 1 }
  }

  private mutating func part(by parting: Parting) {
    guard hasSession else { return leave(saysGoodbye: true) }
    switch parting {
    case .teardown, .leaves:
      endSession(headUnit: .teardown, phone: .teardown)
      mayConnect = false
      if parting == .teardown { pass(.seconds(Int64.random(in: 1...300, using: &random))) }
      leave(saysGoodbye: true)
      pass(.milliseconds(Int64.random(in: 10...20_000, using: &random)))
    case .lost:
      endSession(headUnit: .clockSilent, phone: .controlLost)
      leave(saysGoodbye: false)
      pass(.milliseconds(Int64.random(in: 10...200_000, using: &random)))
    case .broken:
      endSession(headUnit: .controlLost, phone: .controlLost)
      meet()
      guard hasSession else { return }
      endSession(headUnit: .teardown, phone: .teardown)
      leave(saysGoodbye: true)
    }
  }

  private mutating func arrive() {
    generation += 1
    (isPresent, mayConnect) = (true, true)
    // The port changes at every join (CarPlayStart.md#ctrl-service).
    port = port == .max ? 5000 : port + 1
    // A service is announced twice or more, and who looks for it asks with growing pauses (RFC 6762, 5.2 and 8.3).
    for seconds in [0, 1, 3, 7, 15, 31, 63] {
      plan(after: .seconds(seconds), .announce(byHeadUnit: false, generation: generation))
      plan(after: .seconds(seconds), .announce(byHeadUnit: true, generation: generation))
    }
  }

  private mutating func leave(saysGoodbye: Bool) {
    guard isPresent else { return }
    if saysGoodbye { send(.lost(Self.phoneID), toHeadUnit: true) }
    isPresent = false
    generation += 1
    // The phone leaves its own network: it forgets what it heard there.
    drivePhone { $0.take(.lost(Self.carID), at: $1) }
    known.remove(Self.carID)
  }

  private mutating func endSession(headUnit: SessionEnd, phone: SessionEnd) {
    hasSession = false
    result.ends += 1
    driveHeadUnit { $0.sessionEnded(headUnit, at: $1) }
    drivePhone { $0.sessionEnded(phone, at: $1) }
  }

  // MARK: The network

  private mutating func plan(after delay: Duration, _ event: Event) {
    number += 1
    queue.append((now.advanced(by: delay), number, event))
  }

  private mutating func delay() -> Duration {
    .nanoseconds(Int64.random(in: 0...max(0, Int64(faults.delay / .nanoseconds(1))), using: &random))
  }

  private mutating func isLost(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }

  private mutating func send(_ change: ServiceChange, toHeadUnit: Bool) {
    guard isPresent, !isLost(faults.loss) else { return }
    // The datagrams of one sender keep their order on one network.
    let arrival = max(now.advanced(by: delay()), arrivals[toHeadUnit] ?? now)
    arrivals[toHeadUnit] = arrival
    plan(after: now.duration(to: arrival), .heard(change, atHeadUnit: toHeadUnit, generation: generation))
  }

  private var phone: FoundService {
    FoundService(
      Self.phoneID, host: "phone.local", address: "192.0.2.2", port: port,
      text: TextRecord([.init("id", "02:00:00:00:00:09")]))
  }

  private static let car = FoundService(
    carID, host: "car.local", address: "192.0.2.1", port: 7000,
    text: TextRecord([.init("deviceid", deviceID), .init("features", FeatureBits.minimum.text)]))

  private var nextTime: MonotonicTime? {
    [queue.map(\.time).min(), caller.nextDeadline, finder.nextDeadline].compactMap { $0 }.min()
  }

  private mutating func pass(_ duration: Duration) {
    let end = now.advanced(by: duration)
    while let time = nextTime, time <= end { step(at: time) }
    now = max(now, end)
  }

  private mutating func step(at time: MonotonicTime) {
    now = max(now, time)
    let index = queue.indices.min { (queue[$0].time, queue[$0].number) < (queue[$1].time, queue[$1].number) }
    if let index, queue[index].time <= now { return take(queue.remove(at: index).event) }
    if let deadline = caller.nextDeadline, deadline <= now { driveHeadUnit { $0.handleDeadline(at: $1) } }
    if let deadline = finder.nextDeadline, deadline <= now { drivePhone { $0.handleDeadline(at: $1) } }
  }

  private mutating func take(_ event: Event) {
    switch event {
    case .heard(let change, let atHeadUnit, let sent):
      // A datagram that was sent before the phone left still reaches the head unit.
      guard atHeadUnit || sent == generation else { return }
      keep(change, atHeadUnit: atHeadUnit)
      if atHeadUnit { driveHeadUnit { $0.take(change, at: $1) } } else { drivePhone { $0.take(change, at: $1) } }
    case .announce(let byHeadUnit, let sent):
      guard sent == generation, isPresent else { return }
      send(.found(byHeadUnit ? Self.car : phone), toHeadUnit: !byHeadUnit)
    case .refresh(let id, let atHeadUnit):
      guard known.contains(id), isPresent else { return }
      send(.found(atHeadUnit ? phone : Self.car), toHeadUnit: atHeadUnit)
    case .expire(let id, let atHeadUnit):
      guard known.remove(id) != nil else { return }
      let change = ServiceChange.lost(id)
      if atHeadUnit { driveHeadUnit { $0.take(change, at: $1) } } else { drivePhone { $0.take(change, at: $1) } }
    case .called(let call, let port, let sent):
      guard sent == callNumber else { return }
      guard isPresent, port == self.port else { return plan(after: delay(), .outcome(.none(reason: "refused"))) }
      drivePhone { $0.called(call, at: $1) }
      let outcome = isLost(faults.callLoss) ? PhoneCaller.Outcome.none(reason: "no answer") : .status(200)
      plan(after: delay(), .outcome(outcome))
    case .outcome(let outcome): driveHeadUnit { $0.answered(outcome, at: $1) }
    case .connected(let port, let sent):
      guard sent == generation, isPresent, port == 7000 else { return drivePhone { $0.failed(at: $1) } }
      drivePhone { $0.sessionBegan(at: $1) }
      plan(after: .milliseconds(200), .sessionSetUp(generation: generation))
    case .sessionSetUp(let sent):
      guard sent == generation, isPresent else { return }
      result.sessions += 1
      if hasSession || !mayConnect { result.unwanted += 1 }
      hasSession = true
      driveHeadUnit { $0.sessionBegan(at: $1) }
      drivePhone { phone, _ in phone.sessionSetUp() }
    }
  }

  /// Keeps a record in the cache of the side that heard it. Before it grows too old, the side asks again.
  private mutating func keep(_ change: ServiceChange, atHeadUnit: Bool) {
    queue.removeAll { entry in
      switch entry.event {
      case .refresh(_, atHeadUnit), .expire(_, atHeadUnit): true
      default: false
      }
    }
    switch change {
    case .found(let service):
      known.insert(service.id)
      plan(after: Self.lifetime, .expire(service.id, atHeadUnit: atHeadUnit))
      // RFC 6762 asks at 80 to 95 % of the lifetime.
      for part in [80, 85, 90, 95] {
        plan(after: Self.lifetime * part / 100, .refresh(service.id, atHeadUnit: atHeadUnit))
      }
    case .lost(let id): known.remove(id)
    }
  }

  private mutating func driveHeadUnit(_ body: (inout PhoneCaller, MonotonicTime) -> Void) {
    body(&caller, now)
    for action in caller.takeActions() {
      if case .report = action { continue }
      // Another request, or none: the connection of the last one is closed.
      callNumber += 1
      guard case .call(let phone) = action else { continue }
      guard isPresent, !isLost(faults.callLoss), let call = Self.call else {
        // The time to connect is over.
        plan(after: .seconds(2), .outcome(.none(reason: "no answer")))
        continue
      }
      plan(after: delay(), .called(call, port: phone.port, number: callNumber))
    }
  }

  private mutating func drivePhone(_ body: (inout HeadUnitFinder, MonotonicTime) -> Void) {
    body(&finder, now)
    for action in finder.takeActions() {
      guard case .connect(let headUnit) = action else { continue }
      plan(after: delay(), .connected(port: headUnit.port, generation: generation))
    }
  }

  /// The request of the head unit.
  private static let call: ControlCall? = {
    guard let id = DeviceID(deviceID) else { return nil }
    var reader = RequestReader()
    reader.add(ControlCall.request(id, sourceVersion: "320.17", host: "phone.local"))
    do { return try (try reader.next()).map { message in try ControlCall(message) } } catch { return nil }
  }()
}
