// swift-iap2 · Apache-2.0

import Dispatch
import IAP2
import IAP2Authentication
import IAP2Faults
import IAP2Recordings
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Transport
import IAP2Transports
import Synchronization

extension EmulatedDescription {
  /// The phone of the description's scenario. It has no apps of its own, and notifications are lost by
  /// ``EmulatedAccessory``.
  fileprivate var setup: PhoneSetup {
    var setup = PhoneSetup(place: place)
    guard let story else { return setup }
    setup.profile = story.scenario.phone
    setup.profile.state.apps = []
    setup.adjust = { [life] options in
      life?.apply(to: &options, number: 1)
      story.scenario.phoneBehavior.apply(to: &options)
    }
    setup.onEvent = { story.handle(.phone, $0) }
    return setup
  }

  fileprivate var life: LifecycleConditions? {
    var life = story?.scenario.life
    life?.noticeLoss = 0
    return life
  }
}

/// An accessory of this process: a head unit of the engine that can be plugged and pulled.
///
/// The head unit has a thread of its own, and so has each session of a service that is a closure. A closure that blocks
/// therefore stops neither the phone nor the accessory.
package final class EmulatedAccessory: Sendable {
  private struct Plugged {
    var cable: MemoryTransport
    var phoneEnd: SilenceableTransport
    var headUnit: HeadUnit
    var connection: AccessoryConnection
    /// The task of the phone's end.
    var phone: Task<Void, Never>?
  }

  private struct State {
    var description: EmulatedDescription
    var plugged: Plugged?
    /// A connection that has ended without the app's knowledge.
    var ghosts: [AccessoryConnection] = []
    var received: [String: [UInt8]] = [:]
    /// The steps of the scenario, with their failure as one line.
    var steps: Task<String?, Never>?
  }

  private let platform: Platform
  private let state: Mutex<State>
  private let thread = WorkThread("ea-accessory")
  /// The bytes that are kept of one protocol.
  private static var receivedByteCountLimit: Int { 16 << 20 }

  init(_ platform: Platform, _ description: EmulatedDescription) {
    self.platform = platform
    state = Mutex(State(description: description))
  }

  package var name: String { state.withLock { $0.description.headUnit.identification.name } }
  package var isPlugged: Bool { state.withLock { $0.plugged != nil } }
  /// The present connection; nil while unplugged.
  package var connection: AccessoryConnection? { state.withLock { $0.plugged?.connection } }

  /// Sets the service of a protocol. It applies from the next plug on.
  package func serve(_ protocolName: String, _ service: EmulatedDescription.Service) {
    state.withLock { $0.description.services[protocolName] = service }
  }

  /// The bytes that the accessory has received of a protocol without a service.
  package func received(_ protocolName: String) -> [UInt8] { state.withLock { $0.received[protocolName] ?? [] } }

  // MARK: The steps of a scenario

  /// Plugs the accessory in when its description says so, and plays the steps of its scenario.
  ///
  /// - Parameter whenSettled: Called once: when the accessory is connected, when its connection has ended, or at once
  ///   if it is plugged in later.
  package func begin(whenSettled: @escaping @Sendable () -> Void = {}) {
    let description = state.withLock { $0.description }
    let isUnplugged = description.story?.startsUnplugged == true
    let isLate = description.plugMilliseconds > 0
    if isLate || isUnplugged { whenSettled() } else { plug(whenSettled: whenSettled) }
    guard isLate || description.story != nil else { return }
    let clock = thread
    let steps = Task(executorPreference: thread) { () -> String? in
      if isLate {
        do { try await clock.sleep(until: clock.now.adding(milliseconds: description.plugMilliseconds)) } catch {
          return nil
        }
        if !isUnplugged { self.plug() }
      }
      guard let story = description.story else { return nil }
      return await self.play(story, description.place)
    }
    state.withLock { $0.steps = steps }
  }

  /// Waits for the end of the scenario's steps. Returns the failed step as one line; nil if none failed.
  package func stepFailure() async -> String? { await state.withLock { $0.steps }?.value }

  private func play(_ story: AppScenario, _ place: String) async -> String? {
    let life = story.scenario.life
    let loss = NoticeLoss(probability: life.noticeLoss, seed: life.seed)
    let stage = AppScenario.Stage(
      headUnit: { self.state.withLock { $0.plugged?.headUnit } }, phone: { self.connection?.phone },
      cut: { await self.unplug(isNoticed: !loss.isLost()) }, plug: { self.plug() }, halfOpen: { self.goHalfOpen() },
      notice: {
        let connection = self.connection
        if await self.notice().isEmpty { await connection?.phone.notice() }
      })
    let failure = await story.play(on: stage, clock: thread).failure
    // The reset of a test is no failure.
    guard !Task.isCancelled else { return nil }
    if let failure { AccessoryPlatform.note("\(place): \(failure)") }
    platform.log.add(failure.map { .scenarioFailed($0) } ?? .scenarioCompleted, connection?.id ?? 0)
    return failure
  }

  // MARK: The cable

  /// Plugs the accessory in. Does nothing if it is plugged in.
  ///
  /// - Parameters:
  ///   - isSelected: The user has chosen the accessory in the picker.
  ///   - whenSettled: Called once, when the accessory is connected or its connection has ended.
  package func plug(isSelected: Bool = false, whenSettled: @escaping @Sendable () -> Void = {}) {
    let description = state.withLock { $0.description }
    let ends = MemoryTransport.pair()
    let phoneEnd = SilenceableTransport(ends.device)
    let connection = AccessoryConnection(
      platform, faults: description.faults, setup: description.setup, isSelected: isSelected)
    let headUnit = makeHeadUnit(description)
    let isNew = state.withLock { state in
      guard state.plugged == nil else { return false }
      state.plugged = Plugged(
        cable: ends.accessory, phoneEnd: phoneEnd, headUnit: headUnit, connection: connection)
      return true
    }
    guard isNew else { return whenSettled() }
    connection.whenSettled(whenSettled)
    Task(executorPreference: thread) {
      await self.addServices(description, to: headUnit)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { for await event in headUnit.events { description.story?.handle(.headUnit, event.event) } }
        _ = await headUnit.run(on: ends.accessory)
        headUnit.finish()
      }
    }
    let phone = Task(executorPreference: platform.phoneThread) {
      await connection.run(on: phoneEnd)
      self.state.withLock { if $0.plugged?.connection === connection { $0.plugged = nil } }
    }
    state.withLock { if $0.plugged?.connection === connection { $0.plugged?.phone = phone } }
  }

  private func makeHeadUnit(_ description: EmulatedDescription) -> HeadUnit {
    var options = RoleOptions()
    options.clock = thread
    description.life?.apply(to: &options)
    description.behavior.apply(to: &options)
    return HeadUnit(
      profile: description.headUnit,
      authenticator: description.behavior.authenticator(SoftwareAuthenticator.test, clock: thread),
      options: options)
  }

  private func addServices(_ description: EmulatedDescription, to headUnit: HeadUnit) async {
    let clock = thread
    for name in description.protocols {
      switch description.services[name] {
      case .scenario(let service):
        await headUnit.serve(name) {
          await LiveScenario.serve(service, $0, clock: clock) {
            AccessoryPlatform.note("\(description.place): \(name): \(AnyTransportAddress.explanation(of: $0))")
          }
        }
      case .recorded(let service):
        let report: @Sendable (String) -> Void = { [weak self] in self?.reportDifference($0) }
        await headUnit.serve(name) { await service.serve($0, report: report) }
      case .body(let body):
        // A closure that blocks stops only its own session.
        await headUnit.serve(name) { stream in
          await withTaskExecutorPreference(WorkThread("ea-service")) { await body(stream) }
        }
      case nil:
        await headUnit.serve(name) { [weak self] stream in
          while let bytes = await stream.read() { self?.keep(bytes, of: name) }
        }
      }
    }
  }

  private func reportDifference(_ text: String) {
    note("\(state.withLock { $0.description.place }): \(text)")
    platform.log.add(.replayDiffered(text), connection?.id ?? 0)
  }

  private func keep(_ bytes: [UInt8], of name: String) {
    state.withLock { state in
      let room = Self.receivedByteCountLimit - (state.received[name]?.count ?? 0)
      state.received[name, default: []] += bytes.prefix(room)
    }
  }

  /// Pulls the cable and returns when the phone has noticed.
  ///
  /// - Parameter isNoticed: The app is notified. Otherwise the accessory stays in the list, until ``notice()``.
  ///
  /// - Returns: Whether the app is notified. A fault of the phone may lose the notification.
  @discardableResult
  package func unplug(isNoticed: Bool = true) async -> Bool {
    let isNoticed = isNoticed && !(isPlugged && platform.losesNotice())
    let plugged = state.withLock { state in
      defer { state.plugged = nil }
      if !isNoticed, let connection = state.plugged?.connection { state.ghosts.append(connection) }
      return state.plugged
    }
    guard let plugged else { return false }
    if !isNoticed { plugged.connection.loseNotice() }
    plugged.cable.cut()
    plugged.phoneEnd.end()
    // A service of the accessory may block for ever.
    await plugged.phone?.value
    return isNoticed
  }

  /// Notifies the app of the ends that were not reported to it, and returns their connections.
  @discardableResult
  package func notice() async -> [AccessoryConnection] {
    let ghosts = state.withLock { state in
      defer { state.ghosts = [] }
      return state.ghosts
    }
    for ghost in ghosts { await ghost.deliverLostNotice() }
    return ghosts
  }

  /// Loses all bytes in both directions from now on. Neither end is notified.
  package func goHalfOpen() { state.withLock { $0.plugged?.phoneEnd }?.silence() }

  /// Ends the sessions of a protocol from the accessory's side.
  package func close(_ protocolName: String) async {
    await state.withLock { $0.plugged?.headUnit }?.close(protocolName)
  }

  func end() async {
    let steps = state.withLock { $0.steps }
    steps?.cancel()
    await unplug()
    _ = await steps?.value
    // A step may have plugged the accessory in before it ended.
    await unplug()
    await notice()
  }
}
