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
    let transports = MemoryTransport.pair(delay: .init(milliseconds: Self.delayMilliseconds, clock: clock))
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
        _ = await headUnit.run(on: wrap(transports.accessory))
        headUnit.finish()
        return nil
      }
      group.addTask {
        _ = await phone.run(on: transports.device)
        phone.finish()
        return nil
      }
      group.addTask {
        var stage = Stage(
          headUnit: headUnit, phone: phone, log: log, clock: clock, cut: { transports.accessory.cut() })
        let outcome = await stage.play(scenario.steps)
        transports.accessory.cut()
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

  func add(_ role: Scenario.Role, _ event: RoleEvent) {
    state.withLock { state in
      state.events[role, default: []].append(EventSummary(event))
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
  private var streams: [String: ExternalAccessoryStream] = [:]

  init(
    headUnit: HeadUnit?, phone: Phone?, log: EventLog, clock: any RuntimeClock,
    cut: @escaping @Sendable () async -> Void
  ) {
    self.headUnit = headUnit
    self.phone = phone
    self.log = log
    self.clock = clock
    self.cut = cut
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
    case .phone(let change): await phone?.update(change)
    case .headUnit(let change): await headUnit?.update(change)
    case .send(let message): return await trying { try await headUnit?.send(message) }
    case .press(let usages, let component):
      return await trying { try await headUnit?.press(usages, on: component) }
    case .button(let button): return await trying { try await headUnit?.press(button) }
    case .lights(let usages, let component): await phone?.output(usages, to: component)
    case .report(let sentences): await headUnit?.report(sentences)
    case .raw(.headUnit, let id, let body): await headUnit?.sendRaw(id: id, body: body)
    case .raw(.phone, let id, let body): await phone?.sendRaw(id: id, body: body)
    case .exchange(let name, let count): return await exchange(name, count)
    case .open(let name): return await open(name)
    case .write(let name, let count): return await write(name, count)
    case .close(let name):
      guard let stream = streams.removeValue(forKey: name) else { return "no session of \(name) is open" }
      await stream.close()
    case .closeByAccessory(let name): await headUnit?.close(name)
    case .disconnect(.headUnit): await headUnit?.disconnect()
    case .disconnect(.phone): await phone?.disconnect()
    case .cut: await cut()
    }
    return nil
  }

  private func sleep(_ milliseconds: Int) async {
    do { try await clock.sleep(until: clock.now.adding(milliseconds: milliseconds)) } catch {}
  }

  private func trying(_ body: () async throws -> Void) async -> String? {
    do {
      try await body()
      return nil
    } catch RoleError.notListed(let id) {
      return "the head unit's identification does not list \(MessageCatalog.text(id))"
    } catch RoleError.notReady { return "the connection is not ready" } catch { return "\(error)" }
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
  private func exchange(_ name: String, _ count: Int) async -> String? {
    guard let phone else { return nil }
    let sent = Self.pattern(count)
    do {
      let stream = try await phone.open(name)
      async let writing: Void = stream.write(sent)
      var received: [UInt8] = []
      while received.count < count, let chunk = await stream.read() { received += chunk }
      try await writing
      await stream.close()
      return received == sent ? nil : "\(received.count) of \(count) bytes came back, or other ones"
    } catch { return "\(name): \(error)" }
  }

  private mutating func open(_ name: String) async -> String? {
    guard let phone else { return nil }
    do {
      streams[name] = try await phone.open(name)
      return nil
    } catch { return "\(name): \(error)" }
  }

  private func write(_ name: String, _ count: Int) async -> String? {
    guard let stream = streams[name] else { return "no session of \(name) is open" }
    do {
      try await stream.write(Self.pattern(count))
      return nil
    } catch { return "\(name): \(error)" }
  }
}

/// One side of a scenario against a live peer: its steps, and the expectations of its own events.
public final class LiveScenario: Sendable {
  private let log = EventLog()
  private let scenario: Scenario
  private let role: Scenario.Role

  public init(_ scenario: Scenario, role: Scenario.Role) {
    self.scenario = scenario
    self.role = role
  }

  /// Whether this side has anything to do or to see; without it the other side says when it is over.
  public var hasSteps: Bool { scenario.steps.contains { $0.role == role } }

  /// Tells the scenario what happened.
  public func handle(_ event: RoleEvent) { log.add(role, event) }

  /// No more will happen.
  public func end() { log.end(role) }

  public func play(
    headUnit: HeadUnit? = nil, phone: Phone? = nil, clock: any RuntimeClock
  ) async -> ScenarioPlayer.Outcome {
    var stage = Stage(
      headUnit: headUnit, phone: phone, log: log, clock: clock,
      cut: {
        await headUnit?.disconnect()
        await phone?.disconnect()
      })
    return await stage.play(scenario.steps.filter { $0.role == nil || $0.role == role })
  }

  /// What a service of the scenario does with a session.
  public static func serve(_ service: Scenario.Service, _ stream: ExternalAccessoryStream) async {
    await ScenarioPlayer.serve(service, stream)
  }
}
