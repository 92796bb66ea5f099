// swift-iap2 · Apache-2.0

import IAP2
import Synchronization

/// Runs a service for each EA session that is opened while a connection lasts.
///
/// After the end of the connection the services have a bounded time to return. Then they are cancelled, and a service that
/// does not return from that either is left behind, so that it never holds the end of a connection.
struct ServedSessions: Sendable {
  private let opened: AsyncStream<ExternalAccessoryStream>
  private let openings: AsyncStream<ExternalAccessoryStream>.Continuation
  private let running = RunningServices()
  private let finished = Signal()
  private let clock: any RuntimeClock
  private let limits: Limits

  init(clock: any RuntimeClock, limits: Limits) {
    (opened, openings) = AsyncStream.makeStream()
    self.clock = clock
    self.limits = limits
  }

  func add(_ session: ExternalAccessoryStream) {
    running.add(session)
    openings.yield(session)
  }

  /// Runs `life` and the services of the sessions that are added meanwhile.
  ///
  /// - Returns: The sessions whose services were cancelled because they did not return in time.
  func serve(
    _ services: [String: @Sendable (ExternalAccessoryStream) async -> Void], _ life: @Sendable () async -> Void
  ) async -> [ExternalAccessoryStream] {
    let (opened, running, finished) = (opened, running, finished)
    // Not a child task: a service that ignores its cancellation would block the end of a task group.
    let server = Task(executorPreference: clock as? any TaskExecutor) {
      await withDiscardingTaskGroup { bodies in
        for await session in opened {
          bodies.addTask {
            if let body = services[session.protocolName] {
              await body(session)
            } else {
              while await session.read() != nil {}
            }
            await session.close()
            await session.serviceEnded()
            running.remove(session)
          }
        }
      }
      running.finish()
      finished.notify()
    }
    await life()
    openings.finish()
    if await returns(within: limits.externalAccessoryServiceMilliseconds) { return [] }
    let late = running.sessions
    server.cancel()
    _ = await returns(within: limits.closeTimeoutMilliseconds)
    return late
  }

  private func returns(within milliseconds: Int) async -> Bool {
    let (clock, finished) = (clock, finished)
    guard !running.isFinished else { return true }
    let limit = clock.now.adding(milliseconds: milliseconds)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { do { try await clock.sleep(until: limit) } catch { return } }
      group.addTask { await finished.wait() }
      await group.next()
      group.cancelAll()
    }
    return running.isFinished
  }
}

/// The sessions whose services have not returned.
private final class RunningServices: Sendable {
  private struct State {
    var sessions: [ExternalAccessoryStream] = []
    var isFinished = false
  }

  private let state = Mutex(State())

  var sessions: [ExternalAccessoryStream] { state.withLock { $0.sessions } }
  var isFinished: Bool { state.withLock { $0.isFinished } }
  func add(_ session: ExternalAccessoryStream) { state.withLock { $0.sessions.append(session) } }
  func remove(_ session: ExternalAccessoryStream) { state.withLock { $0.sessions.removeAll { $0 === session } } }
  func finish() { state.withLock { $0.isFinished = true } }
}
