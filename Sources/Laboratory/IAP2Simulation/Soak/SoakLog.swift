// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
public import IAP2Runtime
public import IAP2Transport
import Synchronization

/// A count of a role's connected and disconnected events over all cycles.
public final class SoakLog: Sendable {
  private struct State {
    var connected = 0
    var disconnected = 0
    /// The number of connections that cycles have waited for.
    var taken = 0
    var hasLeft = false
  }

  private let state = Mutex(State())
  private let changed = Signal()
  let clock: any RuntimeClock

  /// Creates a log without events, whose timeouts use this clock.
  public init(clock: any RuntimeClock) { self.clock = clock }

  /// Counts the events of a role until the role finishes.
  ///
  /// - Parameters:
  ///   - events: the events of the role.
  ///   - show: called with each event.
  public func follow(_ events: RoleEvents, show: @Sendable (TimedEvent) -> Void = { _ in }) async {
    for await event in events {
      show(event)
      switch event.event {
      case .connected: state.withLock { $0.connected += 1 }
      case .disconnected: state.withLock { $0.disconnected += 1 }
      default: continue
      }
      changed.notify()
    }
  }

  /// Records that the role has left its transport.
  func leave() {
    state.withLock { $0.hasLeft = true }
    changed.notify()
  }

  /// Waits for the connected event of the next connection. Returns false when the role leaves its transport first, or
  /// after ``Soak/readyMilliseconds``.
  func waitForReady() async -> Bool {
    state.withLock { $0.hasLeft = false }
    let deadline = clock.now.adding(milliseconds: Soak.readyMilliseconds)
    while true {
      let (isReady, hasLeft) = state.withLock { state in
        guard state.connected > state.taken else { return (false, state.hasLeft) }
        state.taken += 1
        return (true, state.hasLeft)
      }
      if isReady { return true }
      guard !hasLeft, clock.now < deadline else { return false }
      await withTaskGroup(of: Void.self) { group in
        group.addTask { do { try await self.clock.sleep(until: deadline) } catch { return } }
        group.addTask { await self.changed.wait() }
        await group.next()
        group.cancelAll()
      }
    }
  }

  /// Checks that the role has reported one connected and one disconnected event for each cycle. Waits at most 1 s for
  /// events that arrive after the role has left its transport.
  ///
  /// - Parameter cycles: the number of completed cycles.
  /// - Throws: ``Soak/Problem/verdicts(connected:disconnected:)`` when the counts differ.
  public func check(_ cycles: Int) async throws(Soak.Problem) {
    let deadline = clock.now.adding(milliseconds: 1000)
    while true {
      let (connected, disconnected) = state.withLock { ($0.connected, $0.disconnected) }
      if connected == cycles, disconnected == cycles { return }
      guard clock.now < deadline, connected <= cycles, disconnected <= cycles else {
        throw .verdicts(connected: connected, disconnected: disconnected)
      }
      do { try await clock.sleep(until: clock.now.adding(milliseconds: 10)) } catch { return }
    }
  }
}
