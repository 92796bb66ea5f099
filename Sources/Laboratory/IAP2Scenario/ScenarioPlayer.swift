// swift-iap2 · Apache-2.0

public import CarPlaySession
import IAP2
internal import IAP2Authentication
import IAP2Faults
import IAP2Roles
public import IAP2Runtime
import IAP2Simulation
import IAP2Sockets
public import IAP2Transport
import Synchronization

/// A runner of a scenario with both roles in one process, on memory transports.
public struct ScenarioPlayer: Sendable {
  /// The outcome of a scenario.
  public enum Outcome: Sendable, Equatable {
    /// All steps succeeded.
    case complete
    /// A step failed: its place, its name, and the reason with the expected and the actual events.
    case failed(file: String, line: Int?, step: String, reason: String)

    /// The failed step as one line: place, expectation and reason; nil if the scenario is complete.
    public var failure: String? {
      guard case .failed(let file, let line, let step, let reason) = self else { return nil }
      let place = file.isEmpty ? "" : "\(file)\(line.map { ":\($0)" } ?? ""): "
      return "\(place)\(step): \(reason)"
    }
  }

  let scenario: Scenario
  let life: LifecycleConditions
  let clock: any RuntimeClock
  let wrap: @Sendable (any ByteTransport) -> any ByteTransport
  let show: @Sendable (Role, TimedEvent) -> Void
  let report: @Sendable (TransportError) -> Void
  private let showCarPlay:
    @Sendable (SessionSide, MonotonicTime, CarPlaySession.SessionEvent, _ linkCause: String?) -> Void

  /// Receives what passes the network of CarPlay sessions; nil for none.
  package var sessionTap: SessionTap?
  /// Receives what the CarPlay sessions of both sides have left after the last step, as text; without any, nothing.
  package var examineCarPlay: @Sendable ([String]) -> Void = { _ in }
  /// Receives each step before it begins.
  package var showStep: @Sendable (Scenario.Step) -> Void = { _ in }
  /// Steps of a user, who adds them while the scenario plays, and a receiver of the outcome of each of these steps, and
  /// of the scenario, which has no step. With them the session goes on behind the scenario. Their expectations are about events from then on.
  package var added: (steps: AsyncStream<Scenario.Step>, show: @Sendable (Scenario.Step?, Outcome) -> Void)?

  /// Creates a runner of a scenario.
  ///
  /// - Parameters:
  ///   - scenario: the scenario.
  ///   - clock: the clock of both roles and of all waits.
  ///   - life: the conditions that replace those of the scenario; nil to keep them.
  ///   - wrap: called for each cable; returns the head unit's transport itself or a wrapper, such as a capture.
  ///   - report: called with the error because of which a program did not serve a session.
  ///   - showCarPlay: called with each event of a CarPlay session, and the cause for which the link ended.
  ///   - show: called with each event of either role.
  public init(
    _ scenario: Scenario, clock: any RuntimeClock, life: LifecycleConditions? = nil,
    wrap: @escaping @Sendable (any ByteTransport) -> any ByteTransport = { $0 },
    report: @escaping @Sendable (TransportError) -> Void = { _ in },
    showCarPlay:
      @escaping @Sendable (SessionSide, MonotonicTime, CarPlaySession.SessionEvent, _ linkCause: String?) -> Void = {
        _, _, _, _ in
      },
    show: @escaping @Sendable (Role, TimedEvent) -> Void
  ) {
    self.scenario = scenario
    self.life = life ?? scenario.life
    self.clock = clock
    self.wrap = wrap
    self.report = report
    self.show = show
    self.showCarPlay = showCarPlay
  }

  /// The delay of the cable in each direction, about the duration of a USB transfer.
  package static let delayMilliseconds = 1

  /// Runs the scenario to its end or to the first failed step.
  public func play() async -> Outcome { await play(until: Signal()) }

  /// Runs the scenario to its end, to the first failed step, or until the signal.
  ///
  /// - Parameter stop: the signal that ends the scenario early. The current step fails, and the resulting events are
  ///   still shown.
  package func play(until stop: Signal) async -> Outcome {
    var options = RoleOptions()
    options.clock = clock
    options.identifyTimeout = .seconds(60)
    let losses = NoticeLosses()
    life.apply(to: &options)
    options.losesEndingNotice = { losses.take(.headUnit) }
    scenario.headUnitBehavior.apply(to: &options)
    let chip = scenario.headUnitBehavior.authenticator(SoftwareAuthenticator.test, clock: clock)
    let headUnit = HeadUnit(profile: scenario.headUnit, authenticator: chip, options: options)
    life.apply(to: &options, number: 1)
    options.losesEndingNotice = { losses.take(.phone) }
    scenario.phoneBehavior.apply(to: &options)
    let phone = Phone(profile: scenario.phone, options: options)
    for (name, service) in scenario.services {
      await headUnit.serve(name) { [clock, report] in await Self.serve(service, $0, clock: clock, report: report) }
    }
    let sessions = OpenSessions()
    defer { sessions.removeAll() }
    await scenario.hold(sessions, on: phone)
    let addedLog = added.map { _ in EventLog() }
    let log = EventLog(follower: addedLog)
    let cable = MemoryCable(
      delayMilliseconds: Self.delayMilliseconds,
      // A user may add any step.
      plan: life.fault ?? (added == nil ? scenario.changeablePlan(seed: life.seed) : FaultPlan(seed: life.seed)),
      clock: clock)
    let carPlay: MemoryCarPlay?
    do throws(PairingProblem) {
      carPlay = try scenario.carPlay.map { settings throws(PairingProblem) in
        try MemoryCarPlay(settings, of: scenario, clock: clock, log: log, tap: sessionTap) {
          [showCarPlay] side, time, event, cause in
          showCarPlay(side, time, event, cause)
          // A moment of the fault plan may be named by an event of the session.
          if let record = event.record(of: side, linkCause: nil) { cable.happened(record.declaration.name) }
        } dropLink: {
          cable.cut()
        }
      }
    } catch { preconditionFailure("hashes of 32 bytes are keys: \(error)") }
    // A scenario whose first step is `cut` starts without a cable.
    if case .cut? = scenario.steps.first?.action {} else { cable.plug() }
    return await withTaskGroup(of: Outcome?.self) { group in
      group.addTask {
        await follow(headUnit.events, .headUnit, log, cable, nil, carPlay)
        return nil
      }
      group.addTask {
        await follow(phone.events, .phone, log, cable, sessions, carPlay)
        return nil
      }
      if let carPlay {
        group.addTask {
          await carPlay.run()
          return nil
        }
      }
      group.addTask {
        // One cable after the other. Both roles run on each until it is pulled.
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
        var stage = StepRunner(
          headUnit: headUnit, phone: phone, log: log, clock: clock, sessions: sessions,
          cut: {
            cable.cut()
            await carPlay?.cut()
          },
          halfOpen: {
            cable.goHalfOpen()
            await carPlay?.cut()
          },
          plug: {
            cable.plug()
            await carPlay?.plug()
          })
        if let carPlay { stage.carPlay = { await carPlay.run($0) } }
        if let carPlay, scenario.carPlay?.isWireless == true { stage.changeWiFi = { await carPlay.change($0) } }
        stage.changeFaults = { cable.change($0) }
        stage.loseNotice = { losses.add($0) }
        stage.showStep = showStep
        let outcome = await play(on: stage, adding: addedLog.map(stage.reading), until: stop)
        if let carPlay { examineCarPlay(await carPlay.leftovers()) }
        cable.end()
        await carPlay?.end()
        return outcome
      }
      var outcome = Outcome.complete
      for await found in group { if let found { outcome = found } }
      return outcome
    }
  }

  private func play(on stage: StepRunner, adding other: StepRunner?, until stop: Signal) async -> Outcome? {
    await withTaskGroup(of: Outcome?.self) { group in
      group.addTask { await play(on: stage, adding: other) }
      group.addTask {
        await stop.wait()
        return nil
      }
      // The first task to end cancels the other.
      let first = await group.next()
      group.cancelAll()
      let second = await group.next()
      return [first, second].compactMap { $0 ?? nil }.first
    }
  }

  /// Plays the steps of the scenario, and meanwhile and behind them those that a user adds.
  private func play(on stage: StepRunner, adding other: StepRunner?) async -> Outcome? {
    var stage = stage
    guard let added, let other else { return await stage.play(scenario.steps) }
    return await withTaskGroup(of: Void.self) { [stage] group in
      group.addTask {
        var other = other
        for await step in added.steps {
          other.log.skip()
          added.show(step, await other.play([step]))
        }
      }
      var stage = stage
      let outcome = await stage.play(scenario.steps)
      added.show(nil, outcome)
      await group.waitForAll()
      return outcome
    }
  }

  private func follow(
    _ events: RoleEvents, _ role: Role, _ log: EventLog, _ cable: MemoryCable, _ sessions: OpenSessions?,
    _ carPlay: MemoryCarPlay?
  ) async {
    for await event in events {
      sessions?.handle(event.event)
      cable.happened(event.event.name)
      show(role, event)
      log.add(role, event.event)
      await carPlay?.handle(event.event, of: role)
    }
    log.end(role)
  }

  static func serve(
    _ service: Scenario.Service, _ stream: ExternalAccessoryStream, clock: any RuntimeClock,
    report: (TransportError) -> Void = { _ in }
  ) async {
    switch service {
    case .echo:
      while let bytes = await stream.read() { do { try await stream.write(bytes) } catch { return } }
    case .discard: while await stream.read() != nil {}
    case .stall: await stream.waitUntilClosed()
    case .script(let script): await script.run(on: stream, clock: clock)
    case .program(let address):
      do throws(TransportError) {
        guard let program = try await address.open().next() else { return }
        let error = await stream.join(program).error
        // A program may end its connection while bytes of the phone are under way.
        if let error, error != .closed { throw error }
      } catch { report(error) }
    }
  }
}
