// swift-iap2 · Apache-2.0

package import IAP2
import Synchronization

/// A ``Session`` on a transport: the tasks that move bytes and time for it.
///
/// The session decides everything. After each of its operations, ``finishOperation()`` passes the session's events to
/// the user of the role and to the streams of EA sessions, and wakes or starts the tasks that have something to do.
/// Only the reader and the writer last as long as the connection, because a task that waits takes more than a kilobyte.
package actor Connection<Policy: RolePolicy>: ExternalAccessoryHost {
  package internal(set) var session: Session<Policy>
  private let port: AuthenticationPort
  let transport: any ByteTransport
  let clock: any RuntimeClock
  let emit: @Sendable (TimedEvent) -> Void
  let service: @Sendable (ExternalAccessoryStream) -> Void
  private let inspect: (@Sendable (Endpoint) -> Void)?

  let outputSignal = Signal()
  private let deadlineSignal = Signal()
  /// A task that runs only while it has something to do.
  enum OccasionalTask: Sendable {
    case keepTime, servePort
    case carry(NativeSession)
  }
  private let startedTasks: AsyncStream<OccasionalTask>
  /// Starts a task.
  let tasks: AsyncStream<OccasionalTask>.Continuation
  private var isKeepingTime = false
  private var isServingPort = false
  /// The deadline that the timekeeper sleeps until.
  private var armed: MonotonicTime?
  private var lastBatchByteCount = 0
  /// The error that ended the transport; nil if it ended without one.
  private(set) var transportError: TransportError?
  /// The role has taken the session over. Nothing that the role does may change it any more.
  var isReleased = false

  var streams: [UInt16: ExternalAccessoryStream] = [:]
  /// The closed EA sessions whose bytes were not read to the end when they closed.
  var closedUnread: [ClosedStream] = []
  let unread = UnreadByteCount()
  let natives = NativeSessions()
  /// Tasks that wait for an EA session to open.
  var openers: [UInt16: CheckedContinuation<Opening, Never>] = [:]
  /// Tasks that wait for the end of an EA session.
  var closers: [UInt16: [CheckedContinuation<Void, Never>]] = [:]

  package init(
    endpoint: Endpoint, options: SessionOptions<Policy>, port: AuthenticationPort, lifecycle: Lifecycle = Lifecycle(),
    transport: any ByteTransport, clock: any RuntimeClock, inspect: (@Sendable (Endpoint) -> Void)? = nil,
    emit: @escaping @Sendable (TimedEvent) -> Void, service: @escaping @Sendable (ExternalAccessoryStream) -> Void
  ) {
    var options = options
    options.carriesNatives = true
    session = Session(endpoint: endpoint, lifecycle: lifecycle, options: options)
    self.port = port
    self.transport = transport
    self.clock = clock
    self.inspect = inspect
    self.emit = emit
    self.service = service
    (startedTasks, tasks) = AsyncStream.makeStream()
  }

  // MARK: Life

  /// Runs until the transport has ended.
  package func run() async {
    guard let executor = transport.taskExecutor else { return await live() }
    await withTaskExecutorPreference(executor) { await live() }
  }

  private func live() async {
    start()
    await withDiscardingTaskGroup { group in
      group.addTask { await self.read() }
      group.addTask { await self.write() }
      for await task in startedTasks { group.addTask { await self.run(task) } }
      group.cancelAll()
    }
    await transport.close()
    submit(.transportClosed)
  }

  private func run(_ task: OccasionalTask) async {
    switch task {
    case .keepTime: await keepTime()
    case .servePort: await servePort()
    case .carry(let native): await carry(native)
    }
  }

  /// Reads to the end of the transport, which ends the other tasks.
  private func read() async {
    defer {
      natives.stop()
      tasks.finish()
    }
    var count = 0
    while true {
      do {
        guard let bytes = try await transport.receive() else { return }
        received(bytes)
        count += 1
        if count.isMultiple(of: Self.readsInARow) { await Task.yield() }
      } catch {
        transportError = error
        return
      }
    }
  }

  /// Reads before the other tasks get their turn. A peer that never stops sending would leave them no gap.
  private static var readsInARow: Int { 16 }

  private func write() async {
    while !Task.isCancelled {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(lastBatchByteCount)
      if transmit(into: &bytes) {
        lastBatchByteCount = bytes.count
        do { try await transport.send(bytes) } catch { return await transport.close() }
        sent()
      } else if isOver {
        // The last bytes, RST among them, have left.
        return await transport.close()
      } else {
        await outputSignal.wait()
      }
    }
  }

  /// Bytes handed to the transport at once: a part of the window, so that the peer starts reading while the rest
  /// follows, and at most 256 KiB, which a socket takes at once.
  private var batchByteCount: Int { min(1 << 18, max(1 << 14, inPlace { $0.endpoint.windowByteCount } / 4)) }

  private func keepTime() async {
    while !Task.isCancelled, !isOver, let deadline = nextDeadline {
      guard deadline > clock.now else {
        handleDeadline()
        continue
      }
      armed = deadline
      await withTaskGroup(of: Void.self) { group in
        group.addTask { do { try await self.clock.sleep(until: deadline) } catch { return } }
        group.addTask { await self.deadlineSignal.wait() }
        await group.next()
        group.cancelAll()
      }
    }
    guard isOver else {
      isKeepingTime = false
      return
    }
    // A peer that has stopped reading must not keep this connection open for its last bytes.
    let limit = closeDeadline
    do { try await clock.sleep(until: limit) } catch { return }
    await transport.close()
  }

  private func servePort() async {
    while let request = nextRequest() {
      let answer = await port.perform(request.action)
      // The transport has ended, so the authenticator was cancelled and its answer is not valid.
      guard !Task.isCancelled else { return }
      submit(.answer(to: request, answer))
    }
    isServingPort = false
  }

  // MARK: The session's verbs

  // Not inlined into the functions above: those run as long as the connection, and the session's values in their frames
  // took 60 kB.

  @inline(never)
  private func start() {
    session.start(address: transport.address, at: clock.now)
    execute()
    watchTime()
  }

  @inline(never)
  private func received(_ bytes: [UInt8]) {
    session.receive(bytes, at: clock.now)
    finishOperation()
  }

  @inline(never)
  private func transmit(into bytes: inout [UInt8]) -> Bool {
    session.transmit(into: &bytes, at: clock.now, limit: batchByteCount)
  }

  @inline(never)
  private func sent() {
    session.sent(at: clock.now)
    finishOperation()
  }

  @inline(never)
  private func handleDeadline() {
    session.handleDeadline(at: clock.now)
    finishOperation()
  }

  private var isOver: Bool { inPlace { $0.isOver } }

  private var nextDeadline: MonotonicTime? { inPlace { $0.nextDeadline } }

  /// Asks the session without a copy of it. For a property of another module, the compiler would copy the whole value,
  /// which took a tenth of the time of a stream of packets.
  @inline(never)
  func inPlace<Value>(_ ask: (inout Session<Policy>) -> Value) -> Value { ask(&session) }

  private var closeDeadline: MonotonicTime {
    @inline(never) get { clock.now.adding(milliseconds: session.endpoint.limits.closeTimeoutMilliseconds) }
  }

  @inline(never)
  private func nextRequest() -> SessionRequest? { session.nextRequest() }

  @inline(never)
  func submit(_ input: SessionInput) {
    session.submit(input, at: clock.now)
    finishOperation()
  }

  /// Carries out what the session wants after a verb, and wakes the tasks that have something to do.
  func finishOperation() {
    execute()
    inspect?(session.endpoint)
    wakeStreams()
    outputSignal.notify()
    watchTime()
  }

  /// Starts the timekeeper, or wakes it for an earlier deadline or for the end.
  private func watchTime() {
    guard isKeepingTime else {
      guard isOver || nextDeadline != nil else { return }
      isKeepingTime = true
      tasks.yield(.keepTime)
      return
    }
    if let next = nextDeadline, armed.map({ next < $0 }) ?? true { deadlineSignal.notify() }
    if isOver { deadlineSignal.notify() }
  }

  private func execute() {
    while let event = session.nextEvent() { handle(event) }
    guard inPlace({ $0.hasRequest }), !isServingPort else { return }
    isServingPort = true
    tasks.yield(.servePort)
  }

  private func handle(_ event: SessionEvent) {
    switch event {
    case .role(let event): emit(TimedEvent(time: clock.now, event: event))
    case .opened(let session, let name, let isRequested, let isNative):
      opened(session, name, isRequested: isRequested, isNative: isNative)
    case .data(let session, let bytes):
      streams[session]?.append(bytes)
      if unread.value > unreadLimit { closeSlowest() }
    case .closed(let session): closed(session)
    case .openNative(let session, let name): openNative(session, name)
    case .closeNative(let session): closeNative(session)
    case .nativeClosed(let session, let name): nativeClosed(session, name)
    }
  }
}
