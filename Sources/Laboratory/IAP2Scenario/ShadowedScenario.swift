// swift-iap2 · Apache-2.0

import IAP2
package import IAP2Roles
package import IAP2Runtime
import IAP2Transport
import Synchronization

/// A runner of one side of a scenario against a replay of its other side.
///
/// The steps of the live side wait for events of the other side. A replay has no role that reports events, so a shadow
/// of that role receives the replay's input and reports the events. The shadow's messages are not sent, because the
/// replay sends the recorded ones.
package final class ShadowedScenario: Sendable {
  private enum Shadow: Sendable {
    case headUnit(HeadUnitPolicy)
    case phone(PhonePolicy)

    mutating func handle(_ input: RoleInput) -> [RoleAction] {
      switch self {
      case .headUnit(var policy):
        defer { self = .headUnit(policy) }
        return policy.handle(input)
      case .phone(var policy):
        defer { self = .phone(policy) }
        return policy.handle(input)
      }
    }
  }

  private struct State {
    var shadow: Shadow
    /// The protocol names of the EA sessions that are requested but not open.
    var opening: [UInt16: String] = [:]
    /// The protocol names of the open EA sessions.
    var open: [UInt16: String] = [:]
    /// The byte counts of the EA sessions by protocol name.
    var sent: [String: Int] = [:]
    var received: [String: Int] = [:]
  }

  private let scenario: Scenario
  private let live: Role
  private let log = EventLog()
  private let state: Mutex<State>

  /// Creates a runner for one live side.
  ///
  /// - Parameter live: the side that is not replayed.
  package init(_ scenario: Scenario, live: Role) {
    self.scenario = scenario
    self.live = live
    let shadow: Shadow =
      live == .phone
      ? .headUnit(HeadUnitPolicy(profile: scenario.headUnit)) : .phone(PhonePolicy(profile: scenario.phone))
    state = Mutex(State(shadow: shadow))
  }

  private var replayed: Role { live == .phone ? .headUnit : .phone }

  /// Records an event of the live side.
  package func handle(_ event: RoleEvent) { log.add(live, event) }

  /// Passes input of the replay to the shadow and records the resulting events.
  package func receive(_ input: RoleInput) {
    let events = state.withLock { Self.events(input, &$0) }
    for event in events { log.add(replayed, event) }
  }

  /// Tracks the EA sessions that a replayed message of either side opens or closes.
  ///
  /// - Parameters:
  ///   - message: the message.
  ///   - protocolName: the protocol name of the EA session that the message opens.
  package func follow(_ message: [UInt8], opening protocolName: String?) {
    switch ExternalAccessoryChange(message) {
    case .started(let session, _): state.withLock { $0.opening[session] = protocolName }
    case .opened(let session): open(session)
    case .closed(let session): close(session)
    case nil: break
    }
  }

  private func open(_ session: UInt16) {
    let name = state.withLock { state -> String? in
      guard let name = state.opening.removeValue(forKey: session) else { return nil }
      (state.open[session], state.sent[name], state.received[name]) = (name, 0, 0)
      return name
    }
    if let name { log.add(replayed, .externalAccessoryOpened(protocol: name, session: session)) }
  }

  private func close(_ session: UInt16) {
    let event = state.withLock { state -> RoleEvent? in
      guard let name = state.open.removeValue(forKey: session) else { return nil }
      return .externalAccessoryClosed(
        protocol: name, session: session, bytesSent: state.sent[name] ?? 0, bytesReceived: state.received[name] ?? 0)
    }
    if let event { log.add(replayed, event) }
  }

  /// Counts bytes that the replay sent or received in an EA session.
  package func count(_ protocolName: String, sent: Int = 0, received: Int = 0) {
    state.withLock { state in
      state.sent[protocolName, default: 0] += sent
      state.received[protocolName, default: 0] += received
    }
  }

  /// Records that no further events follow, which fails pending expectations.
  package func end() {
    log.end(live)
    log.end(replayed)
  }

  private static func events(_ input: RoleInput, _ state: inout State) -> [RoleEvent] {
    var linkUp: [RoleEvent] = []
    if case .linkUp(let link) = input { linkUp = [.linkUp(local: link, remote: link)] }
    return linkUp
      + state.shadow.handle(input).flatMap { action -> [RoleEvent] in
        switch action {
        case .event(let event): return [event]
        // The replay has its own verdicts, so the shadow accepts certificate and signature, and signs with nothing.
        case .checkCertificate: return events(.certificateChecked(challenge: [], reason: nil), &state)
        case .verify: return events(.responseChecked(isValid: true, reason: nil), &state)
        case .sign: return events(.signatureReady([]), &state)
        case .send, .fetchCertificate, .fetchSerialNumber, .openExternalAccessory, .closeExternalAccessory, .sendFile,
          .acceptFile, .cancelFile, .end:
          return []
        }
      }
  }

  /// Runs the live side's steps up to the first end of the connection.
  package func play(
    headUnit: HeadUnit? = nil, phone: Phone? = nil, clock: any RuntimeClock
  ) async -> ScenarioPlayer.Outcome {
    var stage = StepRunner(headUnit: headUnit, phone: phone, log: log, clock: clock, cut: {})
    for step in Self.fromFirstLink(scenario.steps[...]) {
      if endsReplay(step.action) { return .complete }
      if isOfCarPlay(step.action) || isOfCable(step.action) { continue }
      guard step.role == replayed else {
        let outcome = await stage.play([step])
        guard outcome == .complete else { return outcome }
        continue
      }
      switch step.action {
      case .expect:
        // The shadow may lack events that the replayed role reported, so the result is ignored.
        _ = await stage.play([step])
      case .open(let name): await wait(for: "externalAccessoryOpened", of: name, stage)
      case .exchange(let name, _, _): await wait(for: "externalAccessoryClosed", of: name, stage)
      case .wait, .never, .phone, .headUnit, .send, .press, .button, .lights, .report, .raw, .write, .writeData,
        .expectData,
        .close, .closeByAccessory, .disconnect, .settle, .notice, .loseNotice, .faults, .halfOpen, .cut, .plug,
        .wiFi, .session, .added:
        continue
      }
    }
    return .complete
  }

  /// Returns the steps that belong to the first link of a recording. A cable that is pulled before a link can be up and
  /// plugged in later leaves nothing in the recording: of the steps before, only changes of state matter.
  private static func fromFirstLink(_ steps: ArraySlice<Scenario.Step>) -> ArraySlice<Scenario.Step> {
    func isChange(_ step: Scenario.Step) -> Bool {
      switch step.action {
      case .phone, .headUnit: true
      default: false
      }
    }
    let cut = steps.firstIndex { if case .cut = $0.action { true } else { false } }
    guard let cut, steps[..<cut].allSatisfy(isChange),
      let plug = steps[cut...].firstIndex(where: { if case .plug = $0.action { true } else { false } })
    else { return steps }
    return steps[..<plug].filter(isChange) + fromFirstLink(steps[(plug + 1)...])
  }

  /// Returns whether a step belongs to the CarPlay session, which no recording of a link has.
  private func isOfCarPlay(_ action: Scenario.Step.Action) -> Bool {
    switch action {
    case .session, .wiFi: true
    case .expect(let expectation), .never(let expectation): CarPlayEvents.names.contains(expectation.event)
    default: false
    }
  }

  /// Returns whether a step changes the faults of the recorded cable, which the recording shows.
  private func isOfCable(_ action: Scenario.Step.Action) -> Bool {
    switch action {
    case .faults, .loseNotice: true
    default: false
    }
  }

  /// Returns whether the recording ends with this step: a disconnect by the replayed side, or a pulled cable.
  private func endsReplay(_ action: Scenario.Step.Action) -> Bool {
    if case .disconnect(let role) = action { return role == replayed }
    switch action {
    case .cut, .halfOpen: return true
    default: return false
    }
  }

  /// Waits for the effect of a replayed step on the live side, and leaves the event to later expectations.
  private func wait(for event: String, of protocolName: String, _ stage: StepRunner) async {
    let expectation = Scenario.Expectation(
      role: live, event: event, values: ["protocol": protocolName], withinMilliseconds: Self.waitMilliseconds)
    _ = await stage.hasCome(expectation)
  }

  /// The time limit for opening an EA session.
  private static let waitMilliseconds = 10_000
}
