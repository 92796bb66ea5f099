// swift-iap2 · Apache-2.0

import IAP2
internal import IAP2Authentication
import IAP2Faults
public import IAP2Runtime
import IAP2Simulation
public import IAP2Transport
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
  let life: LifeConditions
  let clock: any RuntimeClock
  let wrap: @Sendable (any ByteTransport) -> any ByteTransport
  let show: @Sendable (Scenario.Role, TimedEvent) -> Void

  /// - Parameters:
  ///   - life: instead of the scenario's own.
  ///   - wrap: puts something around the head unit's transport, such as a capture.
  public init(
    _ scenario: Scenario, clock: any RuntimeClock, life: LifeConditions? = nil,
    wrap: @escaping @Sendable (any ByteTransport) -> any ByteTransport = { $0 },
    show: @escaping @Sendable (Scenario.Role, TimedEvent) -> Void
  ) {
    self.scenario = scenario
    self.life = life ?? scenario.life
    self.clock = clock
    self.wrap = wrap
    self.show = show
  }

  /// One way through the cable; about what a USB transfer takes.
  package static let delayMilliseconds = 1

  /// Both roles in one process.
  public func play() async -> Outcome { await play(until: Signal()) }

  /// - Parameter stop: ends it early: the step that is under way fails, and what that brings about is still shown.
  package func play(until stop: Signal) async -> Outcome {
    var options = RoleOptions()
    options.clock = clock
    options.identifyTimeout = .seconds(60)
    life.apply(to: &options)
    scenario.headUnitConduct.apply(to: &options)
    let chip = scenario.headUnitConduct.authenticator(SoftwareAuthenticator.test, clock: clock)
    let headUnit = HeadUnit(profile: scenario.headUnit, authenticator: chip, options: options)
    life.apply(to: &options, number: 1)
    scenario.phoneConduct.apply(to: &options)
    let phone = Phone(profile: scenario.phone, options: options)
    for (name, service) in scenario.services { await headUnit.serve(name) { await Self.serve(service, $0) } }
    let log = EventLog()
    // A cable that can be pulled unnoticed is one that can be faulty.
    let isFaulty = scenario.steps.contains { if case .halfOpen = $0.action { true } else { false } }
    let cable = MemoryCable(
      delayMilliseconds: Self.delayMilliseconds, plan: life.fault ?? (isFaulty ? FaultPlan(seed: life.seed) : nil),
      clock: clock)
    // Who pulls it first of all begins without one.
    if case .cut? = scenario.steps.first?.action {} else { cable.plug() }
    return await withTaskGroup(of: Outcome?.self) { group in
      group.addTask {
        await follow(headUnit.events, .headUnit, log, cable)
        return nil
      }
      group.addTask {
        await follow(phone.events, .phone, log, cable)
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
        let stage = Stage(
          headUnit: headUnit, phone: phone, log: log, clock: clock, cut: { cable.cut() },
          halfOpen: { cable.goHalfOpen() }, plug: { cable.plug() })
        let outcome = await play(on: stage, until: stop)
        cable.end()
        return outcome
      }
      var outcome = Outcome.complete
      for await found in group { if let found { outcome = found } }
      return outcome
    }
  }

  private func play(on stage: Stage, until stop: Signal) async -> Outcome? {
    await withTaskGroup(of: Outcome?.self) { group in
      group.addTask {
        var stage = stage
        return await stage.play(scenario.steps)
      }
      group.addTask {
        await stop.wait()
        return nil
      }
      // Whichever is first ends the other.
      let first = await group.next()
      group.cancelAll()
      let second = await group.next()
      return [first, second].compactMap { $0 ?? nil }.first
    }
  }

  private func follow(_ events: RoleEvents, _ role: Scenario.Role, _ log: EventLog, _ cable: MemoryCable) async {
    for await event in events {
      cable.happened(event.event.name)
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
