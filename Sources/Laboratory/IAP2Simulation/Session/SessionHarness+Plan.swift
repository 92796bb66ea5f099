// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import IAP2Roles

/// An EA session that the app requests, with its state.
struct SimulatedExchange: Sendable {
  enum State: Sendable, Equatable {
    /// Not requested yet; `attempt` counts from 1.
    case wanted(attempt: Int)
    case opening(session: UInt16, attempt: Int)
    case open(session: UInt16)
    case done
  }

  let order: SimulatedContent.Order
  var state = State.wanted(attempt: 1)

  func isIn(_ id: UInt16) -> Bool {
    switch state {
    case .opening(let session, _), .open(let session): session == id
    case .wanted, .done: false
    }
  }
}

// The activities of a seed, and the checks of the events that the roles report.
extension SessionHarness {
  /// Runs every connection of the plan.
  mutating func play() -> SessionOutcome {
    for (number, connection) in simulated.sessionPlan.connections.enumerated() {
      plug(number, end: connection.end)
      use(connection, number)
      finish(connection.end)
      // Close both ends, also for a role that has not detected the disconnect.
      unplug()
      keep()
    }
    if !hasUndetected { watch.checkMessages() }
    outcome.violations = watch.violations.map(\.description)
    outcome.undetected = undetectedCount
    outcome.milliseconds = Int(now.nanoseconds / 1_000_000)
    return outcome
  }

  private static var limit: Int { SessionRunner.timeoutMilliseconds }

  /// Performs the activities of the connection until the connection ends.
  private mutating func use(_ connection: SessionPlan.Connection, _ number: Int) {
    let isReady = run(Self.limit) { harness in
      harness.truth.isOver || harness.watch.isReady(.accessory) && harness.watch.isReady(.device)
    }
    if !isReady { stuck("never ready") }
    guard isReady, !truth.isOver else { return }
    noteReady()
    for (index, deed) in connection.deeds.enumerated() where !truth.isOver {
      perform(deed, number: number * 100 + index)
    }
  }

  /// Disconnects by request or waits for the planned accident, and then checks the verdict of each side.
  private mutating func finish(_ end: SessionPlan.End) {
    switch end {
    case .requested(let side):
      truth.goes(at: now)
      switch side {
      case .accessory: headUnit.session.submit(.disconnect, at: now)
      case .device: phone.session.submit(.disconnect, at: now)
      }
      drain()
    case .pulled, .lost: _ = run(Self.limit) { $0.truth.isGone }
    }
    waitForVerdicts()
  }

  private mutating func stuck(_ text: String) {
    // Damage that passed the checksums may leave both sides in inconsistent states permanently.
    if !hasUndetected, !truth.isOver { watch.broken("\(text) in \(Self.limit / 1000) s") }
  }

  // MARK: Deeds

  private mutating func perform(_ deed: SessionPlan.Deed, number: Int) {
    switch deed {
    case .exchange(let wanted):
      guard simulated.settings.protocolName != nil else { return }
      exchanges = wanted.enumerated().map { index, exchange in
        let seed = simulated.seed &* 1000 &+ UInt64(number) &* 10 &+ UInt64(index)
        return SimulatedExchange(
          order: SimulatedContent.Order(
            seed: UInt32(truncatingIfNeeded: seed), toAccessory: exchange.toAccessory, toApp: exchange.toApp))
      }
      openWanted()
      let isDone = run(Self.limit) { $0.truth.isOver || $0.exchanges.allSatisfy { $0.state == .done } }
      if !isDone { stuck("EA data did not arrive") }
      // Unfinished exchanges must not block the rest of the session.
      if !isDone || watch.isBroken { pull() }
    case .battery(let percent):
      guard watch.hasPower else { return }
      updatePhone { $0.battery.percent = percent }
      arrives("battery level") { $0.watch.batteryLevel == percent }
    case .song(let count):
      guard simulated.settings.headUnit.profile.listens(to: NowPlayingUpdate.id) else { return }
      let artwork = SimulatedContent.bytes(count, seed: UInt32(truncatingIfNeeded: simulated.seed &+ UInt64(number)))
      updatePhone { state in
        var item = MediaItem(identifier: UInt64(number + 1), title: "Song \(number)", duration: .seconds(180))
        item.artwork = artwork
        state.player.replaceQueue([item])
        state.player.play()
      }
      arrives("artwork") { $0.watch.artwork == artwork }
    case .powerDip(let milliseconds):
      guard let current = headUnit.session.policy.state.powerSource?.availableCurrentForDevice else { return }
      updateHeadUnit { $0.powerSource?.availableCurrentForDevice = 0 }
      sleep(milliseconds)
      updateHeadUnit { $0.powerSource?.availableCurrentForDevice = current }
    case .falseNotice(.accessory):
      headUnit.session.submit(.notice, at: now)
      drain()
    case .falseNotice(.device):
      phone.session.submit(.notice, at: now)
      drain()
    case .idle(let milliseconds): sleep(milliseconds)
    }
  }

  private mutating func updatePhone(_ body: (inout PhoneState) -> Void) {
    phone.session.act(at: now) { policy in ((), policy.change(body)) }
    drain()
  }

  private mutating func updateHeadUnit(_ body: (inout HeadUnitState) -> Void) {
    headUnit.session.act(at: now) { policy in ((), policy.change(body)) }
    drain()
  }

  private mutating func arrives(_ what: String, _ condition: (borrowing SessionHarness) -> Bool) {
    if !run(Self.limit, until: { $0.truth.isOver || condition($0) }) { stuck("\(what) did not arrive") }
  }

  // MARK: EA sessions

  /// Opens each EA session that is in the state `wanted`.
  mutating func openWanted() {
    guard let name = simulated.settings.protocolName else { return }
    for index in exchanges.indices {
      guard case .wanted(let attempt) = exchanges[index].state else { continue }
      guard !truth.isOver, phone.session.isConnectionOpen else {
        exchanges[index].state = .done
        continue
      }
      do {
        let session = try phone.session.openExternalAccessory(name, at: now)
        exchanges[index].state = .opening(session: session, attempt: attempt)
      } catch {
        exchanges[index].state = .done
        if !hasUndetected { watch.broken("EA session: \(error)", .device) }
      }
    }
    drain()
  }

  mutating func opened(_ session: UInt16) {
    guard let index = exchanges.firstIndex(where: { $0.isIn(session) }) else { return }
    exchanges[index].state = .open(session: session)
    phone.works[session] = ExchangeEnd(app: exchanges[index].order)
  }

  mutating func closed(_ session: UInt16) {
    let work = phone.works.removeValue(forKey: session)
    guard let index = exchanges.firstIndex(where: { $0.isIn(session) }) else { return }
    // The ends of the EA sessions are reported before the end of their connection.
    let isOver = truth.isOver || !phone.session.isConnectionOpen
    switch exchanges[index].state {
    case .opening(_, let attempt):
      // With high loss, an answer may arrive after the app's timeout. The app then requests the session again.
      if attempt < (simulated.settings.faults.isEmpty ? 1 : Self.openAttempts), !isOver {
        exchanges[index].state = .wanted(attempt: attempt + 1)
        return openWanted()
      }
      exchanges[index].state = .done
      if !isOver, !hasUndetected { watch.broken("EA session: refused", .device) }
    case .open:
      exchanges[index].state = .done
      if work?.isWhole != true, !isOver, !hasUndetected { watch.broken("EA session ended early", .device) }
    case .wanted, .done: break
    }
  }

  private static var openAttempts: Int { 20 }

  // MARK: Verdicts

  /// Counts a false verdict: one that is not based on the end of the link while the connection exists.
  mutating func checkEnd(_ end: Disconnection, _ side: Side) {
    if !truth.isGone {
      if watch.isConnected(side), end.cause.isJudgement { outcome.falseVerdicts += 1 }
      if !simulated.excuses(end.cause), !hasUndetected {
        watch.broken("ended by itself: \(end.cause.rawValue)", side)
      }
    }
    truth.goes(at: end.time)
  }

  private mutating func noteReady() {
    outcome.connected += 1
    // With the policy `notification`, a side may not have detected the end of the previous connection.
    if simulated.settings.policy == .evidence {
      for side in Side.allCases where !watch.isConnected(side) { watch.broken("ready without an event for it", side) }
    }
    if !hasUndetected { watch.checkAgreement() }
  }

  /// Waits for both sides' verdicts after the end of the connection and counts the missing ones.
  private mutating func waitForVerdicts() {
    _ = run(SessionRunner.missedMilliseconds, although: true) {
      !$0.watch.isConnected(.accessory) && !$0.watch.isConnected(.device)
    }
    let missed = Side.allCases.count { watch.isConnected($0) }
    outcome.missed += missed
    // With the policy `evidence`, no end may be missed and no role may stay on a disconnected cable.
    guard simulated.settings.policy == .evidence else { return }
    if missed > 0 { watch.broken("no verdict within \(SessionRunner.missedMilliseconds / 1000) s") }
    if !run(2 * SessionRunner.identifySeconds * 1000, although: true, until: { $0.truth.haveBothEnded }) {
      watch.broken("a role stayed on a removed cable")
    }
  }
}
