// swift-iap2 · Apache-2.0

package import IAP2
import IAP2Analysis
import IAP2Roles
package import IAP2Runtime
package import IAP2Transport
import Synchronization

/// An actor that plays one side of a recorded session on a transport: it executes the decisions of ``Replay`` on a live
/// connection.
package actor ReplaySide {
  private let script: ReplayScript
  private let replayOptions: ReplayOptions
  private let port: AuthenticationPort
  private let options: RoleOptions
  private let show: @Sendable (MonotonicTime, ReplayEvent) -> Void
  private var connection: Connection<ReplayPolicy>?
  private let news = ReplayNews()
  /// The steps that were permitted before there was a connection.
  private var grantedSteps = 0
  private var isAsking = false
  private var mayNotAsk = false

  /// - Parameters:
  ///   - options: the options of the role; `identifyTimeout` is the time for the link to come up.
  ///   - show: receives the events in order.
  package init(
    _ script: ReplayScript, replay: ReplayOptions, port: AuthenticationPort, options: RoleOptions,
    show: @escaping @Sendable (MonotonicTime, ReplayEvent) -> Void
  ) {
    self.script = script
    replayOptions = replay
    self.port = port
    self.options = options
    self.show = show
  }

  /// Plays the script once on a connection of its own, closes that in order, and returns the result.
  package func run(on transport: any ByteTransport) async -> ReplayReport {
    let replay = Replay(script, options: replayOptions)
    news.begin()
    let news = news
    let (opened, openings) = AsyncStream<ExternalAccessoryStream>.makeStream()
    let (clock, show) = (options.clock, show)
    var session = SessionOptions { $0 ?? ReplayPolicy(replay, clock: clock, news: news) }
    session.pacing = options.pacing
    session.identifyTimeout = options.identifyTimeout
    let connection = Connection<ReplayPolicy>(
      endpoint: options.endpoint(of: script.side), options: session, port: port, transport: transport, clock: clock,
      emit: { timed in
        if case .violation(let violation) = timed.event { show(timed.time, .violation(violation)) }
        if case .disconnected(let end) = timed.event { news.end(end.cause) }
      },
      service: {
        news.add($0)
        openings.yield($0)
      })
    self.connection = connection
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await connection.run()
        openings.finish()
      }
      group.addTask { await Self.read(opened, connection, news) }
      await drive(connection, news)
      await connection.disconnect()
    }
    self.connection = nil
    return await connection.act { ($0.replay.report, []) }
  }

  /// In a stepped replay, permits the step that is ready, or the next one.
  package func go() async {
    isAsking = false
    guard let connection else {
      grantedSteps += 1
      return
    }
    await connection.act { ((), $0.take(.go)) }
  }

  /// States that no further `go` will come. The session is closed in order when the next step is ready.
  package func endSteps() {
    mayNotAsk = true
    if isAsking { stop() }
  }

  /// Closes the session in order; a later run ends at once.
  package func stop() { news.stop() }

  /// Passes the data of all EA sessions to the replay.
  private static func read(
    _ opened: AsyncStream<ExternalAccessoryStream>, _ connection: Connection<ReplayPolicy>, _ news: ReplayNews
  ) async {
    await withDiscardingTaskGroup { readers in
      for await stream in opened {
        readers.addTask {
          let session = await connection.act { ($0.replay.session(ofLive: stream.session), []) }
          while let bytes = await stream.read() {
            if let session { await connection.act { ((), $0.take(.data(session: session, bytes))) } }
          }
          news.remove(stream)
        }
      }
    }
  }

  private func drive(_ connection: Connection<ReplayPolicy>, _ news: ReplayNews) async {
    let clock = options.clock
    let granted = grantedSteps
    grantedSteps = 0
    await connection.act { policy in ((), (0..<granted).flatMap { _ in policy.take(.go) }) }
    // A recording may have many pieces of data, so finished writes are discarded.
    await withDiscardingTaskGroup { group in
      while true {
        // Everything received before the end is read before the end is reported.
        let end = news.endOfAll
        let (actions, deadline, isOver) = await connection.act { policy in
          let actions = policy.take(end.map { .ended($0) } ?? .time)
          return ((policy.takeOutbox(), policy.replay.nextDeadline, policy.replay.isOver), actions)
        }
        for action in actions {
          switch action {
          case .report(let event):
            show(clock.now, event)
            if case .ready = event {
              isAsking = true
              if mayNotAsk { stop() }
            }
          case .write(let session, let bytes):
            group.addTask {
              let isSent = await news.stream(session)?.writeAll(bytes) ?? false
              await connection.act { ((), $0.take(.written(isSent: isSent))) }
            }
          case .flush:
            group.addTask {
              await Self.drain(connection, clock)
              await connection.act { ((), $0.take(.written(isSent: true))) }
            }
          case .role: break
          }
        }
        if isOver { break }
        await Self.wait(for: news, until: deadline, clock)
      }
      group.cancelAll()
    }
  }

  /// Polls every 5 ms until the link has sent everything, because a link does not report that.
  private static func drain(_ connection: Connection<ReplayPolicy>, _ clock: any RuntimeClock) async {
    while await !connection.isDrained {
      do { try await clock.sleep(until: clock.now.adding(milliseconds: 5)) } catch { return }
    }
  }

  private static func wait(for news: ReplayNews, until deadline: MonotonicTime?, _ clock: any RuntimeClock) async {
    guard let deadline else { return await news.changed.wait() }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { do { try await clock.sleep(until: deadline) } catch { return } }
      group.addTask { await news.changed.wait() }
      await group.next()
      group.cancelAll()
    }
  }
}

extension ExternalAccessoryStream {
  /// Writes bytes and waits until they were sent; returns false if the session was closed.
  fileprivate func writeAll(_ bytes: [UInt8]) async -> Bool {
    do { try await write(bytes) } catch { return false }
    await drain()
    return isOpen
  }
}

/// The state that a connection reports to its driver.
private final class ReplayNews: Sendable {
  private struct State {
    var isStopped = false
    var cause: DisconnectCause?
    /// The latest stream of each live session id.
    var streams: [UInt16: ExternalAccessoryStream] = [:]
    var readerCount = 0
  }

  private let state = Mutex(State())
  let changed = Signal()

  /// The cause of the end: `requested` after a stop, else the connection's cause once every EA session was read.
  var endOfAll: DisconnectCause? {
    state.withLock { $0.isStopped ? .requested : $0.readerCount == 0 ? $0.cause : nil }
  }

  /// Resets the state for a new connection.
  func begin() {
    state.withLock { $0 = State(isStopped: $0.isStopped) }
  }

  func stop() {
    state.withLock { $0.isStopped = true }
    changed.notify()
  }

  func end(_ cause: DisconnectCause) {
    state.withLock { $0.cause = $0.cause ?? cause }
    changed.notify()
  }

  func stream(_ session: UInt16) -> ExternalAccessoryStream? { state.withLock { $0.streams[session] } }

  func add(_ stream: ExternalAccessoryStream) {
    state.withLock {
      $0.streams[stream.session] = stream
      $0.readerCount += 1
    }
  }

  func remove(_ stream: ExternalAccessoryStream) {
    state.withLock { state in
      state.readerCount -= 1
      if state.streams[stream.session] === stream { state.streams[stream.session] = nil }
    }
    changed.notify()
  }
}

/// A role policy that executes a replay.
private struct ReplayPolicy: RolePolicy {
  let side: Side
  var replay: Replay
  /// The actions for the driver.
  private var outbox: [Replay.Action] = []
  private var lostCount = 0
  private let clock: any RuntimeClock
  private let news: ReplayNews

  init(_ replay: Replay, clock: any RuntimeClock, news: ReplayNews) {
    side = replay.script.side
    self.replay = replay
    self.clock = clock
    self.news = news
  }

  /// A replay does not estimate the phone's power.
  var power: PowerObservation { PowerObservation() }

  mutating func handle(_ input: RoleInput) -> [RoleAction] { take(.role(input)) }

  mutating func take(_ input: Replay.Input) -> [RoleAction] {
    let deadline = replay.nextDeadline
    var actions: [RoleAction] = []
    for action in replay.handle(input, at: clock.now) {
      switch action {
      case .role(let action): actions.append(action)
      case .report where outbox.count >= Self.outboxLimit: lostCount += 1
      case .report, .write, .flush: outbox.append(action)
      }
    }
    if !outbox.isEmpty || replay.nextDeadline != deadline || replay.isOver { news.changed.notify() }
    return actions
  }

  /// The maximum number of actions that wait for the driver. Further events are only counted.
  private static let outboxLimit = 65_536

  mutating func takeOutbox() -> [Replay.Action] {
    defer { (outbox, lostCount) = ([], 0) }
    return lostCount > 0 ? outbox + [.report(.eventsLost(count: lostCount))] : outbox
  }

  /// Always empty, because the script opens and closes the sessions.
  var openSessions: [UInt16: String] { [:] }
  mutating func closeExternalAccessory(_ session: UInt16) -> [RoleAction] {
    [.closeExternalAccessory(session: session)]
  }
  /// A replay needs nothing from the live peer but its link.
  var isReady: Bool { replay.isLinkUp }
  /// Always empty, because a capture has the bytes of the link only.
  var nativeProtocols: [String] { [] }
  var tickMilliseconds: Int? { nil }
}
