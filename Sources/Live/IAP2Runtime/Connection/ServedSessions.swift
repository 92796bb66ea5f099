// swift-iap2 · Apache-2.0

import IAP2
import IAP2Transport
import Synchronization

/// Runs a service for each EA session that is opened while a connection lasts.
///
/// After the end of the connection the services have a bounded time to return. Then they are cancelled, and a service
/// that does not return from that either is left behind, so that it never holds the end of a connection.
final class ServedSessions: Sendable {
  /// The service of an EA protocol.
  typealias Service = @Sendable (ExternalAccessoryStream) async -> Void

  /// The sessions whose services have not returned.
  private let running = Mutex<[(session: ExternalAccessoryStream, task: Task<Void, Never>)]>([])
  private let returned = Signal()
  private let services: [String: Service]
  private let clock: any RuntimeClock
  private let limits: Limits
  /// The participant of the run. A session may be added by a task of another participant.
  private let party = VirtualParty.current

  init(_ services: [String: Service], clock: any RuntimeClock, limits: Limits) {
    self.services = services
    self.clock = clock
    self.limits = limits
  }

  /// Starts the service of a session.
  func add(_ session: ExternalAccessoryStream) {
    running.withLock { running in
      // Not a child task: a service that ignores its cancellation would block the end of a task group.
      let task = Task(executorPreference: clock as? any TaskExecutor) {
        await VirtualParty.$current.withValue(self.party) { await self.serve(session) }
      }
      running.append((session, task))
    }
  }

  private func serve(_ session: ExternalAccessoryStream) async {
    if let body = services[session.protocolName] {
      await body(session)
    } else {
      while await session.read() != nil {}
    }
    await session.close()
    await session.serviceEnded()
    running.withLock { $0.removeAll { $0.session === session } }
    returned.notify()
  }

  /// Waits for the services after the end of the connection.
  ///
  /// - Returns: The sessions whose services were cancelled because they did not return in time.
  func finish() async -> [ExternalAccessoryStream] {
    if await allReturn(within: limits.externalAccessoryServiceMilliseconds) { return [] }
    let late = running.withLock { $0 }
    for (_, task) in late { task.cancel() }
    _ = await allReturn(within: limits.closeTimeoutMilliseconds)
    return late.map(\.session)
  }

  private var haveReturned: Bool { running.withLock { $0.isEmpty } }

  /// Returns whether all services return in the time.
  private func allReturn(within milliseconds: Int) async -> Bool {
    guard !haveReturned else { return true }
    let limit = clock.now.adding(milliseconds: milliseconds)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { do { try await self.clock.sleep(until: limit) } catch { return } }
      group.addTask { while !self.haveReturned, !Task.isCancelled { await self.returned.wait() } }
      await group.next()
      group.cancelAll()
    }
    return haveReturned
  }
}
