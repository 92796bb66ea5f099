// swift-iap2 · Apache-2.0

package import IAP2
import IAP2Roles
package import IAP2Runtime
package import IAP2Transport
import Synchronization

/// Plays one side of a recorded session on a transport: what ``Replay`` decides, done by a live connection.
package actor ReplaySide {
  private let script: ReplayScript
  private let replayOptions: ReplayOptions
  private let port: AuthenticationPort
  private let options: RoleOptions
  private let show: @Sendable (MonotonicTime, ReplayEvent) -> Void
  private var connection: Connection<ReplayPolicy>?
  private let news = ReplayNews()
  /// Steps that may go, said before there was a connection.
  private var grantedSteps = 0
  private var isAsking = false
  private var mayNotAsk = false

  /// - Parameters:
  ///   - options: `identifyTimeout` is how long the link may take to come up.
  ///   - show: what happens, in order.
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

  /// Plays the script once, on a connection of its own, and ends that in order.
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

  /// Sends the step that is ready, where each has to be asked for, or the next that will be.
  package func go() async {
    isAsking = false
    guard let connection else {
      grantedSteps += 1
      return
    }
    await connection.act { ((), $0.take(.go)) }
  }

  /// Nobody will say `go` any more: the session ends in order when that is asked for.
  package func endSteps() {
    mayNotAsk = true
    if isAsking { stop() }
  }

  /// Ends it in order, and whatever is played later at once.
  package func stop() { news.stop() }

  /// Hands the data of all EA sessions to the replay.
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
    // As many writes as a recording has pieces of data: none of them stays.
    await withDiscardingTaskGroup { group in
      while true {
        // What came before the end is read before it is judged.
        let end = news.endOfAll
        let (actions, deadline, isOver) = await connection.act { policy in
          let actions = policy.take(end.map { .ended($0) } ?? .time)
          return ((policy.takeOutbox(), policy.replay.nextDeadline, policy.replay.isOver), actions)
        }
        for action in actions {
          switch action {
          case .tell(let event):
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

  /// A link does not tell when it has nothing left; it is asked often enough to lose no time worth speaking of.
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
  /// Writes and waits until it has left; a session that ends takes no more.
  fileprivate func writeAll(_ bytes: [UInt8]) async -> Bool {
    do { try await write(bytes) } catch { return false }
    await drain()
    return isOpen
  }
}

/// What a connection tells the one who drives it.
private final class ReplayNews: Sendable {
  private struct State {
    var isStopped = false
    var cause: DisconnectCause?
    /// By the live session's id: the latest of that id.
    var streams: [UInt16: ExternalAccessoryStream] = [:]
    var readerCount = 0
  }

  private let state = Mutex(State())
  let changed = Signal()

  /// The end, once every EA session was read, or when the user wants it.
  var endOfAll: DisconnectCause? {
    state.withLock { $0.isStopped ? .requested : $0.readerCount == 0 ? $0.cause : nil }
  }

  /// Another connection.
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

/// A replay as the decisions of a role.
private struct ReplayPolicy: RolePolicy {
  let side: Side
  var replay: Replay
  /// What the driver has to do.
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

  /// A replay does not judge.
  var power: PowerSighting { PowerSighting() }

  mutating func handle(_ input: RoleInput) -> [RoleAction] { take(.role(input)) }

  mutating func take(_ input: Replay.Input) -> [RoleAction] {
    let deadline = replay.nextDeadline
    var actions: [RoleAction] = []
    for action in replay.handle(input, at: clock.now) {
      switch action {
      case .role(let action): actions.append(action)
      case .tell where outbox.count >= Self.outboxLimit: lostCount += 1
      case .tell, .write, .flush: outbox.append(action)
      }
    }
    if !outbox.isEmpty || replay.nextDeadline != deadline || replay.isOver { news.changed.notify() }
    return actions
  }

  /// What is to be shown waits for who shows it, but not without end: what a peer sends faster is only counted.
  private static let outboxLimit = 65_536

  mutating func takeOutbox() -> [Replay.Action] {
    defer { (outbox, lostCount) = ([], 0) }
    return lostCount > 0 ? outbox + [.tell(.eventsLost(count: lostCount))] : outbox
  }

  /// The script opens and closes them.
  var openSessions: [UInt16: String] { [:] }
  mutating func closeExternalAccessory(_ session: UInt16) -> [RoleAction] {
    [.closeExternalAccessory(session: session)]
  }
  /// Nothing is awaited of a live peer but its link.
  var isReady: Bool { replay.isLinkUp }
  /// A capture has the bytes of the link.
  var nativeProtocols: [String] { [] }
  var tickMilliseconds: Int? { nil }
}
