// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import IAP2Roles
import IAP2Runtime
import IAP2Transport
import Synchronization

/// The physical state of a connection, independent of the states of the roles.
final class ConnectionTruth: Sendable {
  private struct State {
    var goneAt: MonotonicTime?
    var ended: Set<Side> = []
  }

  private let state = Mutex(State())

  /// Records that the cable was pulled or that a side ended the connection.
  func goes(at now: MonotonicTime) { state.withLock { $0.goneAt = $0.goneAt ?? now } }
  /// Records that a role has left its transport.
  func ends(_ side: Side) { state.withLock { _ = $0.ended.insert(side) } }

  var isGone: Bool { state.withLock { $0.goneAt != nil } }
  /// Whether the connection or a role on it has ended, so that no further activity can succeed.
  var isOver: Bool { state.withLock { $0.goneAt != nil || !$0.ended.isEmpty } }
  var haveBothEnded: Bool { state.withLock { $0.ended.count == 2 } }
}

/// A thread-safe count of completed tasks.
private final class DoneCount: Sendable {
  private let count = Mutex(0)

  var value: Int { count.withLock { $0 } }
  func add() { count.withLock { $0 += 1 } }
}

extension SessionRunner {
  /// Runs one connection, until both roles have left its transports.
  func play(_ connection: SessionPlan.Connection, _ number: Int) async {
    let ends = MemoryTransport.pair(delay: MemoryTransport.Delay(milliseconds: 1, clock: clock))
    let faulty = FaultyTransport(
      ends.device, plan: session.sessionPlan.faults, side: .device, connection: number, clock: clock)
    let truth = ConnectionTruth()
    begin(truth)
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        _ = await self.headUnit.run(on: self.session.wrap(self.witnessed(ends.accessory, .accessory)))
        truth.ends(.accessory)
      }
      group.addTask {
        _ = await self.phone.run(on: self.witnessed(faulty, .device))
        truth.ends(.device)
      }
      group.addTask { await self.happen(connection.end, truth, ends.accessory, faulty) }
      group.addTask {
        await self.use(
          connection, number, truth,
          pull: {
            truth.goes(at: self.clock.now)
            ends.accessory.cut()
          })
        await self.finish(connection.end, truth)
        // Close both ends, also for a role that has not detected the disconnect.
        ends.accessory.cut()
        await self.phone.drop()
      }
    }
  }

  /// Waits for the time of the planned accident and causes it.
  private func happen(
    _ end: SessionPlan.End, _ truth: ConnectionTruth, _ cable: MemoryTransport, _ faulty: FaultyTransport
  ) async {
    switch end {
    case .requested: return
    case .pulled(let moment):
      await sleep(moment)
      truth.goes(at: clock.now)
      cable.cut()
    case .lost(let moment, let toHeadUnit, let toPhone):
      await sleep(moment)
      truth.goes(at: clock.now)
      faulty.goHalfOpen(incoming: toPhone, outgoing: toHeadUnit)
    }
  }

  /// Performs the activities of the connection until the connection ends.
  private func use(
    _ connection: SessionPlan.Connection, _ number: Int, _ truth: ConnectionTruth,
    pull: @escaping @Sendable () -> Void
  ) async {
    let isReady = await wait(Self.timeoutMilliseconds) {
      truth.isOver || watch.isReady(.accessory) && watch.isReady(.device)
    }
    if !isReady { stuck("never ready", truth) }
    guard isReady, !truth.isOver else { return }
    noteReady()
    for (index, deed) in connection.deeds.enumerated() where !truth.isOver {
      await perform(deed, number: number * 100 + index, truth, pull)
    }
  }

  /// Disconnects by request or waits for the planned accident, and then checks the verdict of each side.
  private func finish(_ end: SessionPlan.End, _ truth: ConnectionTruth) async {
    switch end {
    case .requested(let side):
      truth.goes(at: clock.now)
      switch side {
      case .accessory: await headUnit.disconnect()
      case .device: await phone.disconnect()
      }
    case .pulled, .lost: _ = await wait(Self.timeoutMilliseconds) { truth.isGone }
    }
    await waitForVerdicts(truth)
  }

  private func stuck(_ text: String, _ truth: ConnectionTruth) {
    // Damage that passed the checksums may leave both sides in inconsistent states permanently.
    if !hasUndetected, !truth.isOver { watch.broken("\(text) in \(Self.timeoutMilliseconds / 1000) s") }
  }

  // MARK: Deeds

  private func perform(
    _ deed: SessionPlan.Deed, number: Int, _ truth: ConnectionTruth, _ pull: @escaping @Sendable () -> Void
  ) async {
    switch deed {
    case .exchange(let exchanges):
      guard let name = session.settings.protocolName else { return }
      let done = DoneCount()
      await withTaskGroup(of: Void.self) { group in
        for (index, exchange) in exchanges.enumerated() {
          group.addTask {
            let seed = self.session.seed &* 1000 &+ UInt64(number) &* 10 &+ UInt64(index)
            await self.exchange(exchange, name, UInt32(truncatingIfNeeded: seed), truth)
            done.add()
          }
        }
        let isDone = await wait(Self.timeoutMilliseconds) { truth.isOver || done.value == exchanges.count }
        if !isDone { stuck("EA data did not arrive", truth) }
        // Unfinished exchanges must not block the rest of the session.
        if !isDone || watch.isBroken { pull() }
      }
    case .battery(let percent):
      guard watch.hasPower else { return }
      await phone.update { $0.battery.percent = percent }
      await arrives("battery level", truth) { watch.batteryLevel == percent }
    case .song(let count):
      guard session.settings.headUnit.profile.listens(to: NowPlayingUpdate.id) else { return }
      let artwork = SimulatedContent.bytes(count, seed: UInt32(truncatingIfNeeded: session.seed &+ UInt64(number)))
      await phone.update { state in
        var item = MediaItem(identifier: UInt64(number + 1), title: "Song \(number)", duration: .seconds(180))
        item.artwork = artwork
        state.player.replaceQueue([item])
        state.player.play()
      }
      await arrives("artwork", truth) { watch.artwork == artwork }
    case .powerDip(let milliseconds):
      let current = await headUnit.state.powerSource?.availableCurrentForDevice
      guard let current else { return }
      await headUnit.update { $0.powerSource?.availableCurrentForDevice = 0 }
      await sleep(milliseconds)
      await headUnit.update { $0.powerSource?.availableCurrentForDevice = current }
    case .falseNotice(.accessory): await headUnit.notice()
    case .falseNotice(.device): await phone.notice()
    case .idle(let milliseconds): await sleep(milliseconds)
    }
  }

  private func arrives(_ what: String, _ truth: ConnectionTruth, _ condition: () -> Bool) async {
    if await !wait(Self.timeoutMilliseconds, for: { truth.isOver || condition() }) {
      stuck("\(what) did not arrive", truth)
    }
  }

  // MARK: External accessory

  /// Opens an EA session. With high loss, an answer may arrive after the app's timeout, so a refused open is repeated.
  private func open(_ name: String, _ truth: ConnectionTruth) async -> ExternalAccessoryStream? {
    let attempts = session.settings.faults.isEmpty ? 1 : Self.openAttempts
    for attempt in 1...attempts {
      do { return try await phone.open(name) } catch {
        guard !truth.isOver, !hasUndetected else { return nil }
        if attempt < attempts, error == .refused(name) { continue }
        watch.broken("EA session: \(error)", .device)
        return nil
      }
    }
    return nil
  }

  private static let openAttempts = 20

  /// Runs the app's end of one EA session: writes the order and the bytes, checks the received bytes, and writes the
  /// zero byte.
  private func exchange(
    _ exchange: SessionPlan.Exchange, _ name: String, _ seed: UInt32, _ truth: ConnectionTruth
  ) async {
    guard let stream = await open(name, truth) else { return }
    let toApp = exchange.toApp
    let order = SimulatedContent.Order(seed: seed, toAccessory: exchange.toAccessory, toApp: toApp)
    let isWhole = await withTaskGroup(of: Bool?.self) { group in
      group.addTask {
        // The reading task detects the end of the session.
        do { try await stream.write(order.bytes + SimulatedContent.bytes(order.toAccessory, seed: seed)) } catch {}
        return nil
      }
      group.addTask {
        var check = SimulatedContent.Check(count: toApp, seed: ~seed)
        while !check.isWhole, let chunk = await stream.read() {
          if !check.take(chunk) { self.different(.device) }
        }
        return check.isWhole
      }
      return await group.reduce(false) { $0 || $1 == true }
    }
    do { if isWhole { try await stream.write([0]) } } catch {}
    // Without StatusExternalAccessoryProtocolSession (EA03), the accessory cannot close the session.
    if !session.settings.headUnit.profile.sends(StatusExternalAccessoryProtocolSession.id) { await stream.close() }
    while let more = await stream.read() { if !more.isEmpty { different(.device) } }
    if !isWhole, !truth.isOver, !hasUndetected { watch.broken("EA session ended early", .device) }
  }

  /// Runs the accessory's end of one EA session: executes the order, and returns after the app's zero byte.
  func serve(_ stream: ExternalAccessoryStream) async {
    var bytes: [UInt8] = []
    while bytes.count < SimulatedContent.Order.byteCount, let chunk = await stream.read() { bytes += chunk }
    guard let order = SimulatedContent.Order(bytes), order.isPlausible else { return }
    let rest = Array(bytes.dropFirst(SimulatedContent.Order.byteCount))
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        do { try await stream.write(SimulatedContent.bytes(order.toApp, seed: ~order.seed)) } catch {}
      }
      group.addTask {
        var check = SimulatedContent.Check(count: order.toAccessory, seed: order.seed, more: 1)
        if !check.take(rest) { self.different(.accessory) }
        while !check.isWhole, let chunk = await stream.read() {
          if !check.take(chunk) { self.different(.accessory) }
        }
      }
    }
  }

  private func different(_ side: Side) {
    if !hasUndetected { watch.broken("EA bytes differ from the sent bytes", side) }
  }
}
