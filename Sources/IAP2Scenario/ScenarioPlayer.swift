// swift-iap2 · Apache-2.0

public import IAP2
internal import IAP2Authentication
public import IAP2Runtime
import Synchronization

/// Plays a scenario: both roles over memory, or one of them against a live peer.
public struct ScenarioPlayer: Sendable {
  /// What became of it.
  public enum Outcome: Sendable, Equatable {
    case complete
    /// A step that did not go as it should: where, what was awaited, what came instead.
    case failed(file: String, line: Int?, step: String, reason: String)
  }

  let scenario: Scenario
  let clock: any RuntimeClock
  let wrap: @Sendable (any ByteTransport) -> any ByteTransport
  let show: @Sendable (Scenario.Role, TimedEvent) -> Void

  /// - Parameter wrap: puts something around the head unit's transport, such as a capture.
  public init(
    _ scenario: Scenario, clock: any RuntimeClock,
    wrap: @escaping @Sendable (any ByteTransport) -> any ByteTransport = { $0 },
    show: @escaping @Sendable (Scenario.Role, TimedEvent) -> Void
  ) {
    self.scenario = scenario
    self.clock = clock
    self.wrap = wrap
    self.show = show
  }

  /// One way through the cable; about what a USB transfer takes.
  static let delayMilliseconds = 1

  /// Both roles in one process.
  public func play() async -> Outcome {
    var options = RoleOptions()
    options.clock = clock
    options.identifyTimeout = .seconds(60)
    scenario.headUnitConduct.apply(to: &options)
    let chip = scenario.headUnitConduct.authenticator(SoftwareAuthenticator.test, clock: clock)
    let headUnit = HeadUnit(profile: scenario.headUnit, authenticator: chip, options: options)
    scenario.phoneConduct.apply(to: &options)
    let phone = Phone(profile: scenario.phone, options: options)
    for (name, service) in scenario.services { await headUnit.serve(name) { await Self.serve(service, $0) } }
    let log = EventLog()
    let cable = MemoryCable { MemoryTransport.pair(delay: .init(milliseconds: Self.delayMilliseconds, clock: clock)) }
    cable.plug()
    return await withTaskGroup(of: Outcome?.self) { group in
      group.addTask {
        await follow(headUnit.events, .headUnit, log)
        return nil
      }
      group.addTask {
        await follow(phone.events, .phone, log)
        return nil
      }
      group.addTask {
        // A cable after the other; both roles live on each until it is pulled.
        for await transports in cable.pairs {
          await withTaskGroup(of: Void.self) { roles in
            roles.addTask { _ = await headUnit.run(on: wrap(transports.accessory)) }
            roles.addTask { _ = await phone.run(on: transports.device) }
          }
        }
        headUnit.finish()
        phone.finish()
        return nil
      }
      group.addTask {
        var stage = Stage(
          headUnit: headUnit, phone: phone, log: log, clock: clock, cut: { cable.cut() }, plug: { cable.plug() })
        let outcome = await stage.play(scenario.steps)
        cable.end()
        return outcome
      }
      var outcome = Outcome.complete
      for await found in group { if let found { outcome = found } }
      return outcome
    }
  }

  private func follow(_ events: RoleEvents, _ role: Scenario.Role, _ log: EventLog) async {
    for await event in events {
      show(role, event)
      log.add(role, event.event)
    }
    log.end(role)
  }

  static func serve(_ service: Scenario.Service, _ stream: ExternalAccessoryStream) async {
    switch service {
    case .echo:
      while let bytes = await stream.read() { do { try await stream.write(bytes) } catch { return } }
    case .discard: while await stream.read() != nil {}
    case .stall: await stream.waitUntilClosed()
    }
  }
}

/// A cable that is pulled and put in again: each time a pair of transports of its own.
final class MemoryCable: Sendable {
  typealias Pair = (accessory: MemoryTransport, device: MemoryTransport)

  let pairs: AsyncStream<Pair>
  private let plugged: AsyncStream<Pair>.Continuation
  private let makePair: @Sendable () -> Pair
  private let current = Mutex<MemoryTransport?>(nil)

  init(_ makePair: @escaping @Sendable () -> Pair) {
    self.makePair = makePair
    (pairs, plugged) = AsyncStream.makeStream()
  }

  /// Puts a new one in; one that is in is pulled first.
  func plug() {
    cut()
    let pair = makePair()
    current.withLock { $0 = pair.accessory }
    plugged.yield(pair)
  }

  func cut() {
    current.withLock { transport in
      transport?.cut()
      transport = nil
    }
  }

  func end() {
    cut()
    plugged.finish()
  }
}

/// The events of both roles, for those who wait for one.
final class EventLog: Sendable {
  private struct State {
    var events: [Scenario.Role: [EventSummary]] = [:]
    /// What was expected before stands before this.
    var read: [Scenario.Role: Int] = [:]
    var ended: Set<Scenario.Role> = []
  }

  private let state = Mutex(State())
  let changed = Signal()

  /// Events kept for expectations; a scenario that runs for hours forgets the oldest it never asked for.
  private static let limit = 100_000

  func add(_ role: Scenario.Role, _ event: RoleEvent) { add(role, EventSummary(event)) }

  func add(_ role: Scenario.Role, _ event: EventSummary) {
    state.withLock { state in
      state.events[role, default: []].append(event)
      if state.events[role, default: []].count > Self.limit {
        state.events[role]?.removeFirst(Self.limit / 2)
        state.read[role] = max(0, state.read[role, default: 0] - Self.limit / 2)
      }
    }
    changed.notify()
  }

  func end(_ role: Scenario.Role) {
    state.withLock { _ = $0.ended.insert(role) }
    changed.notify()
  }

  /// Where the next expectation begins.
  func position(of role: Scenario.Role) -> Int { state.withLock { $0.read[role, default: 0] } }
  func goBack(_ role: Scenario.Role, to position: Int) { state.withLock { $0.read[role] = position } }

  /// Events of a role so far.
  func count(of role: Scenario.Role) -> Int { state.withLock { $0.events[role]?.count ?? 0 } }

  func hasEnded(_ role: Scenario.Role) -> Bool { state.withLock { $0.ended.contains(role) } }

  /// Takes the first event after the last one taken that is as expected.
  func take(_ expectation: Scenario.Expectation) -> Bool {
    state.withLock { state in
      let start = state.read[expectation.role, default: 0]
      let events = state.events[expectation.role] ?? []
      guard start < events.count, let index = events[start...].firstIndex(where: { $0.meets(expectation) }) else {
        return false
      }
      state.read[expectation.role] = index + 1
      return true
    }
  }

  /// What came since, for people: events of that name with their values, and the names of the others.
  func instead(of expectation: Scenario.Expectation) -> String {
    state.withLock { state in
      let events = (state.events[expectation.role] ?? []).dropFirst(state.read[expectation.role, default: 0])
      let same = events.filter { $0.name == expectation.event }
      if let last = same.last {
        let values = expectation.values.keys.sorted().map { "\($0) \(last.values[$0] ?? "not told")" }
        return "\(same.count) × \(expectation.event), the last with \(values.joined(separator: ", "))"
      }
      let names = events.filter { $0.name != "message" }.map(\.name)
      return names.isEmpty ? "nothing" : names.suffix(8).joined(separator: ", ")
    }
  }
}

extension EventSummary {
  func meets(_ expectation: Scenario.Expectation) -> Bool {
    name == expectation.event && expectation.values.allSatisfy { values[$0.key] == $0.value }
  }
}

/// The steps of a scenario, one after the other.
struct Stage {
  let headUnit: HeadUnit?
  let phone: Phone?
  let log: EventLog
  let clock: any RuntimeClock
  let cut: @Sendable () async -> Void
  /// Nil where the peer is not ours.
  let plug: (@Sendable () async -> Void)?
  private var streams: [String: ExternalAccessoryStream] = [:]

  init(
    headUnit: HeadUnit?, phone: Phone?, log: EventLog, clock: any RuntimeClock,
    cut: @escaping @Sendable () async -> Void, plug: (@Sendable () async -> Void)? = nil
  ) {
    self.headUnit = headUnit
    self.phone = phone
    self.log = log
    self.clock = clock
    self.cut = cut
    self.plug = plug
  }

  mutating func play(_ steps: [Scenario.Step]) async -> ScenarioPlayer.Outcome {
    for step in steps {
      if let reason = await play(step.action) {
        return .failed(file: step.file, line: step.line, step: step.text, reason: reason)
      }
    }
    return .complete
  }

  /// Nil when it went as it should.
  private mutating func play(_ action: Scenario.Step.Action) async -> String? {
    switch action {
    case .wait(let milliseconds): await sleep(milliseconds)
    case .expect(let expectation): return await expect(expectation)
    case .phone(let change):
      let problem = Mutex<String?>(nil)
      await phone?.update { state in
        let found = change(&state)
        problem.withLock { $0 = found }
      }
      return problem.withLock { $0 }
    case .headUnit(let change): await headUnit?.update(change)
    case .send(let message): return await trying { try await headUnit?.send(message) }
    case .press(let usages, let component):
      return await pressing { () throws(HeadUnitPolicy.PressProblem) in
        try await headUnit?.press(usages, on: component)
      }
    case .button(let button):
      return await pressing { () throws(HeadUnitPolicy.PressProblem) in try await headUnit?.press(button) }
    case .lights(let usages, let component):
      return await phone?.output(usages, to: component) == false
        ? "the accessory has started no device \(component)" : nil
    case .report(let sentences):
      return await headUnit?.report(sentences) == false ? "the phone has asked for none of these sentences" : nil
    case .raw(.headUnit, let id, let body):
      return await headUnit?.sendRaw(id: id, body: body) == false ? "there is no connection" : nil
    case .raw(.phone, let id, let body):
      return await phone?.sendRaw(id: id, body: body) == false ? "there is no connection" : nil
    case .exchange(let name, let count, let milliseconds): return await exchange(name, count, within: milliseconds)
    case .open(let name): return await open(name)
    case .write(let name, let count): return await write(name, count)
    case .close(let name):
      guard let stream = streams.removeValue(forKey: name) else { return "no session of \(name) is open" }
      await stream.close()
    case .closeByAccessory(let name):
      return await headUnit?.close(name) == 0 ? "no session of \(name) is open" : nil
    case .disconnect(.headUnit): await headUnit?.disconnect()
    case .disconnect(.phone): await phone?.disconnect()
    case .settle(let awaited):
      // Whether it comes is the other side's to say.
      let own: Scenario.Role = headUnit == nil ? .phone : .headUnit
      if let awaited { _ = awaited.role == own ? await hasCome(awaited) : await expect(awaited) == nil }
      await settle(own)
    case .cut: await cut()
    case .plug:
      guard let plug else { return "the cable to a live peer is in your hand" }
      await plug()
    }
    return nil
  }

  private func sleep(_ milliseconds: Int) async {
    do { try await clock.sleep(until: clock.now.adding(milliseconds: milliseconds)) } catch {}
  }

  /// Waits until nothing has happened on this side for a while: what the other side had to do is done then.
  private func settle(_ role: Scenario.Role) async {
    var heard = -1
    var waits = 0
    while heard != log.count(of: role), waits < Self.maximumSettleWaits, !log.hasEnded(role) {
      heard = log.count(of: role)
      waits += 1
      await sleep(Self.settleMilliseconds)
    }
  }

  /// Longer than two sides on a network take to answer each other, shorter than a person waits.
  private static let settleMilliseconds = 300
  private static let maximumSettleWaits = 30

  private func pressing(_ body: () async throws(HeadUnitPolicy.PressProblem) -> Void) async -> String? {
    do throws(HeadUnitPolicy.PressProblem) {
      try await body()
      return nil
    } catch {
      return switch error {
      case .notReady: "the connection is not ready"
      case .notListed: "the head unit's identification does not list 0x6802"
      case .noDevice(0): "the head unit has no media remote"
      case .noDevice(let component): "the head unit has no device \(component)"
      case .noUsage(let usage): "the device has no place for usage \(usage.page):\(usage.number)"
      }
    }
  }

  private func trying(_ body: () async throws -> Void) async -> String? {
    do {
      try await body()
      return nil
    } catch RoleError.notListed(let id) {
      return "the head unit's identification does not list \(MessageCatalog.text(id))"
    } catch RoleError.notReady { return "the connection is not ready" } catch { return "\(error)" }
  }

  /// Waits for an event without taking it: expectations find it again.
  func hasCome(_ expectation: Scenario.Expectation) async -> Bool {
    let before = log.position(of: expectation.role)
    defer { log.goBack(expectation.role, to: before) }
    return await expect(expectation) == nil
  }

  private func expect(_ expectation: Scenario.Expectation) async -> String? {
    let deadline = clock.now.adding(milliseconds: expectation.withinMilliseconds)
    while true {
      if log.take(expectation) { return nil }
      // Nothing more can come from a role that is over.
      if clock.now >= deadline || log.hasEnded(expectation.role) { break }
      await withTaskGroup(of: Void.self) { group in
        group.addTask { [clock] in do { try await clock.sleep(until: deadline) } catch {} }
        group.addTask { [log] in await log.changed.wait() }
        await group.next()
        group.cancelAll()
      }
    }
    let values = expectation.values.keys.sorted().map { "\($0) \(expectation.values[$0] ?? "")" }
    let wanted = ([expectation.event] + (values.isEmpty ? [] : ["with " + values.joined(separator: ", ")]))
    return "awaited \(wanted.joined(separator: " ")); came: \(log.instead(of: expectation))"
  }

  // MARK: External accessory

  private static func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
  }

  /// Sends, and wants the same back, byte for byte.
  private func exchange(_ name: String, _ count: Int, within milliseconds: Int) async -> String? {
    guard let phone else { return nil }
    let sent = Self.pattern(count)
    let stream: ExternalAccessoryStream
    do { stream = try await phone.open(name) } catch { return "\(name): \(Self.text(error))" }
    let deadline = clock.now.adding(milliseconds: milliseconds)
    let received = await withTaskGroup(of: [UInt8]?.self) { group in
      // Whoever is late ends the session, and with it the others.
      group.addTask { [clock] in
        do { try await clock.sleep(until: deadline) } catch { return nil }
        await stream.close()
        return nil
      }
      group.addTask {
        // A session that ends shows in what came back.
        do { try await stream.write(sent) } catch {}
        return nil
      }
      group.addTask {
        var received: [UInt8] = []
        while received.count < count, let chunk = await stream.read() { received += chunk }
        return received
      }
      var all: [UInt8] = []
      for await result in group {
        guard let result else { continue }
        all = result
        group.cancelAll()
      }
      return all
    }
    await stream.close()
    return received == sent ? nil : "\(received.count) of \(count) bytes came back, or other ones"
  }

  private static func text(_ error: ExternalAccessoryError) -> String {
    switch error {
    case .sessionEnded: "the session has ended"
    case .refused: "the accessory did not open the session"
    case .notPossible(_, .notReady): "the accessory is not identified yet"
    case .notPossible(_, .unknownProtocol): "the accessory has no such protocol"
    case .notPossible(_, .notListed): "the accessory does not list 0xEA00, which opens sessions"
    case .notPossible(_, .tooManySessions(let limit)): "more than \(limit) sessions at once"
    }
  }

  private mutating func open(_ name: String) async -> String? {
    guard let phone else { return nil }
    do {
      streams[name] = try await phone.open(name)
      return nil
    } catch { return "\(name): \(Self.text(error))" }
  }

  private func write(_ name: String, _ count: Int) async -> String? {
    guard let stream = streams[name] else { return "no session of \(name) is open" }
    do {
      try await stream.write(Self.pattern(count))
      return nil
    } catch { return "\(name): \(Self.text(error))" }
  }
}

/// One side of a scenario against a live peer: its steps, and the expectations of its own events.
public final class LiveScenario: Sendable {
  private let log = EventLog()
  private let scenario: Scenario
  private let role: Scenario.Role
  private let prediction = Mutex(PeerPrediction())

  public init(_ scenario: Scenario, role: Scenario.Role) {
    self.scenario = scenario
    self.role = role
  }

  /// Whether this side says when it is over: the one whose step is the last.
  public var hasLastWord: Bool { scenario.steps.last { $0.role != nil }?.role == role }

  /// Tells the scenario what happened.
  public func handle(_ event: RoleEvent) {
    log.add(role, event)
    guard case .message(.sent, let id, let bytes) = event,
      let told = prediction.withLock({ $0.event(id, bytes) })
    else { return }
    log.add(role.peer, told)
  }

  /// No more will happen.
  public func end() {
    log.end(role)
    log.end(role.peer)
  }

  public func play(
    headUnit: HeadUnit? = nil, phone: Phone? = nil, clock: any RuntimeClock
  ) async -> ScenarioPlayer.Outcome {
    var stage = Stage(
      headUnit: headUnit, phone: phone, log: log, clock: clock,
      cut: {
        await headUnit?.drop()
        await phone?.drop()
      })
    // Neither side can do anything before.
    let ready = Scenario.Expectation(role: role, event: "identified", values: [:], withinMilliseconds: 60_000)
    guard await stage.hasCome(ready) else {
      return .failed(file: "", line: nil, step: "begin", reason: "the other side was not identified")
    }
    return await stage.play(ownSteps)
  }

  /// The steps of this side; where the other one acts or looks, this one waits until that has settled.
  private var ownSteps: [Scenario.Step] {
    var steps: [Scenario.Step] = []
    let last = scenario.steps.lastIndex { $0.role != role.peer } ?? -1
    for step in scenario.steps.prefix(last + 1) {
      guard let actor = step.role, actor != role else {
        steps.append(step)
        continue
      }
      var wait = step
      wait.action = .settle(awaited(step.action))
      if case .settle(nil)? = steps.last?.action, case .settle(nil) = wait.action { continue }
      steps.append(wait)
    }
    // The other side has the last word: it says when it is over.
    let rest = scenario.steps.dropFirst(last + 1)
    guard var end = rest.first else { return steps }
    let patience = rest.reduce(Self.endMilliseconds) { $0 + $1.action.patienceMilliseconds }
    end.action = .settle(
      Scenario.Expectation(role: role, event: "disconnected", values: [:], withinMilliseconds: patience))
    steps.append(end)
    return steps
  }

  private static let endMilliseconds = 10_000

  /// What this side knows of a step of the other: what it was told, and when a session is over.
  private func awaited(_ action: Scenario.Step.Action) -> Scenario.Expectation? {
    if case .expect(let expectation) = action, PeerPrediction.knows(expectation.event) { return expectation }
    guard case .exchange(let name, _, let milliseconds) = action else { return nil }
    return Scenario.Expectation(
      role: role, event: "externalAccessoryClosed", values: ["protocol": name], withinMilliseconds: milliseconds)
  }

  /// What a service of the scenario does with a session.
  public static func serve(_ service: Scenario.Service, _ stream: ExternalAccessoryStream) async {
    await ScenarioPlayer.serve(service, stream)
  }
}

extension Scenario.Role {
  fileprivate var peer: Scenario.Role { self == .headUnit ? .phone : .headUnit }
}

extension Scenario.Step.Action {
  /// How long a step may take.
  fileprivate var patienceMilliseconds: Int {
    switch self {
    case .expect(let expectation): expectation.withinMilliseconds
    case .exchange(_, _, let milliseconds): milliseconds
    case .wait(let milliseconds): milliseconds
    default: 0
    }
  }
}
