// swift-iap2 · Apache-2.0

import CarPlayLive
package import CarPlaySession
package import CommandSupport
import IAP2
import IAP2Authentication
package import IAP2Faults
package import IAP2Roles
package import IAP2Runtime
package import IAP2Scenario
import IAP2USB
import Synchronization

extension CarPlayHeadUnitRun {
  /// Puts the address of this head unit into the answer to an offer of CarPlay.
  package func advertise(in profile: inout HeadUnitProfile) throws {
    guard profile.identification.messagesSentByAccessory.elements.contains(CarPlayStartSession.id) else {
      throw CommandFailure(
        .badInput, "--carplay: the profile does not declare CarPlayStartSession; choose another --profile")
    }
    let own = start
    var message = profile.state.carPlay ?? CarPlayStartSession()
    var (wired, wireless) = (CarPlayStartSession.WiredAttributes(), CarPlayStartSession.WirelessAttributes())
    (wired.ipAddress, wireless.ipAddress) = (own.addresses, own.addresses)
    (message.wiredAttributes, message.wirelessAttributes) = (wired, wireless)
    message.port = UInt32(own.port)
    message.deviceIdentifier = own.deviceID
    message.publicKey = own.publicKey
    message.sourceVersion = own.sourceVersion
    profile.state.carPlay = message
  }

  /// Turns the network of the cable on, and names its address in the start message. Addresses must exist before
  /// (CarPlayStart.md#network-first).
  package func turnOn(_ interface: String, for headUnit: HeadUnit) async {
    guard let cable = CableNetwork(interface: interface) else { return }
    do throws(CancellationError) { try await cable.waitForHost() } catch { return }
    if let advice = cable.turnOnOrAdvise() { Output.note(advice) }
    await headUnit.update { $0.carPlay?.wiredAttributes?.ipAddress = [cable.address] }
  }

  /// Runs a step of a scenario.
  package var step: @Sendable (CarPlayStep) async -> String? {
    { [self] step in
      guard case .headUnit(let body) = step else { return "this is a step of the phone" }
      return await run(body)
    }
  }

  /// Serves phones from the start message to the end of the link. A session over the air outlives its link.
  package func take(_ event: RoleEvent) async {
    switch event {
    case .identified: linkChanged(isUp: true)
    case .carPlayStarted(let start):
      outlivesLink.store(start.isWirelessAlone, ordering: .relaxed)
      await accept()
    case .disconnected(let end):
      linkChanged(isUp: false)
      if !outlivesLink.load(ordering: .relaxed) { await linkEnded(end.cause.rawValue) }
    default: break
    }
  }
}

extension CarPlayStartSession {
  /// Whether the session is one over the air.
  var isWirelessAlone: Bool { wirelessAttributes != nil && wiredAttributes == nil }
}

extension FaultInjection {
  /// Reports an event of the session beside the link.
  package func happened(_ event: CarPlaySession.SessionEvent, of side: SessionSide) {
    guard hasPlan, let record = event.record(of: side, linkCause: nil) else { return }
    happened(named: record.declaration.name)
  }
}

extension Phone {
  /// Shows the head unit what apps report; nil after the end of their session.
  package func show(_ report: AppReport?, after before: AppReport?) async {
    await update { state in
      (report ?? AppReport()).apply(to: &state, after: before)
      guard report == nil else { return }
      // Nothing of this session is left for the apps of the next one.
      state.appsDecide = false
      _ = state.takeRequests()
    }
  }
}

/// The CarPlay session of a phone: the head unit's start message begins it, and the end of the link ends it.
package final class CarPlayLink: Sendable {
  private struct State {
    var run: CarPlayPhoneRun?
    var task: Task<Void, Never>?
    var isComplete = false
    /// Whether the link that brought the two together is up.
    var isLinkUp = false
    /// Whether the session goes on without its link, as one over the air.
    var outlivesLink = false
    /// Whether a session failed because of this side's own apps or files.
    var hasFailed = false
  }

  /// When the end of the session ends the iAP2 connection.
  package enum ConnectionEnd {
    case never
    /// If no head unit answers at its address.
    case onFailure
    case always
  }

  package typealias Make = @Sendable (HeadUnitPlaces, HeadUnitName?) throws -> CarPlayPhoneRun

  private let make: Make
  private let fixed: HostPort?
  private let isOnCable: Bool
  private let discovery: PhoneDiscovery?
  private let inner: LiveInnerLink?
  private let end: LiveEnd
  private let ends: ConnectionEnd
  private let state = Mutex(State())

  /// - Parameters:
  ///   - fixed: The address of the head unit; nil takes the one of its start message.
  ///   - isOnCable: Whether the head unit is a USB device of this machine.
  ///   - discovery: Finds head units beside the link; nil for none.
  ///   - inner: iAP2 inside the session, behind which the phone needs no Bluetooth any more; nil for none.
  ///   - end: Ends the iAP2 connection.
  ///   - ends: When the end of the session ends the iAP2 connection.
  package init(
    fixed: HostPort?, isOnCable: Bool = false, discovery: PhoneDiscovery? = nil, inner: LiveInnerLink? = nil,
    end: LiveEnd, ends: ConnectionEnd,
    make: @escaping Make
  ) {
    (self.fixed, self.isOnCable, self.discovery, self.end, self.ends) = (fixed, isOnCable, discovery, end, ends)
    (self.inner, self.make) = (inner, make)
    inner?.whenIdentified { [weak self] in await self?.disableBluetooth() }
  }

  /// Whether a session was set up, carried its content and ended in order.
  package var isComplete: Bool { state.withLock { $0.isComplete } }

  /// Whether a session failed because of this side's own apps or files.
  package var hasFailed: Bool { state.withLock { $0.hasFailed } }

  /// Makes the next picture of the apps one that stands alone.
  package func requestKeyFrame() { state.withLock { $0.run }?.requestKeyFrame() }

  /// Runs a step of a scenario.
  package var step: @Sendable (CarPlayStep) async -> String? {
    { [self] step in
      guard case .phone(let body) = step else { return "this step is possible in `iap2 run` alone" }
      guard let run = state.withLock({ $0.run }) else { return "no CarPlay session is live" }
      return await run.run(body)
    }
  }

  package func take(_ event: RoleEvent) async {
    switch event {
    case .identified: state.withLock { $0.isLinkUp = true }
    case .carPlayStarted(let start): begin(start)
    case .disconnected(let end):
      state.withLock { $0.isLinkUp = false }
      let (run, task) = state.withLock { $0.outlivesLink ? (nil, nil) : ($0.run, $0.task) }
      await run?.linkEnded(end.cause.rawValue)
      _ = await task?.value
    default: break
    }
  }

  /// Ends a session that outlived its link, because the user wants it.
  package func stop() async {
    discovery?.stop()
    let run = state.withLock { $0.outlivesLink ? $0.run : nil }
    await run?.stopByUser()
  }

  /// Asks the head unit to end the link over Bluetooth, if it is up.
  private func disableBluetooth() async { await state.withLock { $0.isLinkUp ? $0.run : nil }?.disableBluetooth() }

  /// Returns after the end of a session that outlived its link.
  package func waitForEnd() async {
    _ = await state.withLock { $0.task }?.value
    await inner?.close()
  }

  /// Passes the head unit's requests and the car's position to the apps of the session.
  package func pass(_ event: RoleEvent, from phone: Phone) async {
    guard let run = state.withLock({ $0.run }), run.hasApps else { return }
    run.perform(await phone.takeRequests())
    if case .feature(.location(let message)) = event, let location = LocationReading(sentences: message.nmeaSentence) {
      run.move(to: location)
    }
  }

  /// Finds head units beside the link until ``stop()``: the phone meets a known one again without it. Returns at once
  /// without discovery.
  package func find() async {
    guard let discovery else { return }
    do {
      let isComplete = try await discovery.run(once: false, duration: nil, isAlone: false) {
        [self] places, expected, _ in
        let run = try make(places, expected)
        state.withLock { ($0.run, $0.outlivesLink) = (run, true) }
        return run
      }
      state.withLock { $0.isComplete = isComplete }
    } catch {
      // A phone without a session has failed only if its own files did.
      guard (error as? CommandFailure)?.status != .unavailable else { return }
      fail(error)
    }
  }

  private func fail(_ error: any Error) {
    state.withLock { $0.hasFailed = true }
    end.reach()
    Output.note((error as? CommandFailure)?.text ?? "\(error)")
  }

  private func begin(_ start: CarPlayStartSession) {
    guard let places = fixed.map({ HeadUnitPlaces($0) }) ?? HeadUnitPlaces(start, isOnCable: isOnCable) else {
      return Output.note("the head unit's start message has no IP address with a port; give --connect HOST:PORT")
    }
    let run: CarPlayPhoneRun
    // Behind an address of the user there may be another head unit.
    let expected = fixed == nil ? start.publicKey.flatMap(HeadUnitName.init(field:)) : nil
    if let discovery { return discovery.start(places, expected) }
    do { run = try make(places, expected) } catch { return fail(error) }
    state.withLock { state in
      guard state.task == nil else { return }
      state.outlivesLink = start.isWirelessAlone
      state.run = run
      state.task = Task { [self] in
        let isComplete = await play(run)
        // Another start message, and the next link, have a session of their own.
        self.state.withLock { ($0.run, $0.task, $0.isComplete) = (nil, nil, isComplete) }
      }
    }
  }

  private func play(_ run: CarPlayPhoneRun) async -> Bool {
    do {
      let isComplete = try await run.run(isAlone: false)
      if ends == .always { end.reach() }
      return isComplete
    } catch {
      let failure = error as? CommandFailure
      Output.note(failure?.text ?? "\(error)")
      // Another head unit may come, but the apps stay as they are.
      let isOwn = failure?.status != .unavailable
      if isOwn { state.withLock { $0.hasFailed = true } }
      if isOwn || ends != .never { end.reach() }
      return false
    }
  }
}
