// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Transport
import Synchronization

/// A transport on which a ``FaultPlan`` comes true, in both directions.
///
/// Three tasks of its own move bytes: in, out, and the end at its moment. They run where the clock does, so that virtual
/// time stays virtual, and end with the transport. While it is half-open, closing it stays unknown to the other side too:
/// the transport below is kept, unread, until the other side has closed it.
public final class FaultyTransport: ByteTransport {
  private let transport: any ByteTransport
  private let clock: any RuntimeClock
  /// Where its tasks run.
  private let executor: (any TaskExecutor)?
  private let plan: FaultPlan
  private let incoming: FaultyLane
  private let outgoing: FaultyLane
  private let disconnectAt: Mutex<MonotonicTime?>
  private let disconnectChanged = Signal()
  /// Ends the transport at its moment.
  private let ending = Mutex<Task<Void, Never>?>(nil)
  private let closing = Mutex<Task<Void, Never>?>(nil)
  /// The writer has ended.
  private let written = Signal()
  /// What is on its way at the end has this long; a stall may be longer than anybody waits.
  private static let closeMilliseconds = 2000

  public var address: String { transport.address }
  public var taskExecutor: (any TaskExecutor)? { transport.taskExecutor }

  /// - Parameters:
  ///   - side: who uses it.
  ///   - connection: which connection it is, so that each has its own course under one seed.
  public init(
    _ transport: any ByteTransport, plan: FaultPlan, side: Side, connection: Int = 0, clock: any RuntimeClock
  ) {
    self.transport = transport
    self.clock = clock
    self.plan = plan
    let start = clock.now
    // Any odd numbers would do: streams that have nothing to do with each other.
    let seed = plan.seed &+ UInt64(truncatingIfNeeded: connection) &* 0x9E37_79B9_7F4A_7C15
    let toHeadUnit = FaultyLane(plan.toHeadUnit, seed: seed &+ 0x1234_5677, start: start)
    let toPhone = FaultyLane(plan.toPhone, seed: seed &+ 0x7654_3211, start: start)
    incoming = side == .accessory ? toHeadUnit : toPhone
    outgoing = side == .accessory ? toPhone : toHeadUnit
    var generator = SeededGenerator(seed: seed)
    disconnectAt = Mutex(plan.disconnect?.resolved(from: start, using: &generator))
    executor = clock as? any TaskExecutor ?? transport.taskExecutor
    if plan.disconnect != nil {
      ending.withLock { $0 = Task(executorPreference: executor) { [self] in await disconnect() } }
    }
    Task(executorPreference: executor) { [self] in await read() }
    Task(executorPreference: executor) { [self] in await write() }
  }

  /// Tells what has happened, for moments that are named by an event.
  public func happened(_ event: String) {
    let now = clock.now
    incoming.happened(event, at: now)
    outgoing.happened(event, at: now)
    guard plan.disconnect == .event(event) else { return }
    disconnectAt.withLock { $0 = $0 ?? now }
    disconnectChanged.notify()
  }

  /// From now on everything is lost, and nobody is told: a cable that was pulled unnoticed.
  public func goHalfOpen() { goHalfOpen(incoming: true, outgoing: true) }

  /// The same, in one direction or both.
  package func goHalfOpen(incoming isIncoming: Bool, outgoing isOutgoing: Bool) {
    if isIncoming { incoming.goHalfOpen(at: clock.now) }
    if isOutgoing { outgoing.goHalfOpen(at: clock.now) }
  }

  /// Faults are the link's; what goes beside it goes as it does.
  public func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)? {
    transport.nativeStream(of: name, among: protocols)
  }

  // MARK: The stream

  public func receive() async throws(TransportError) -> [UInt8]? {
    while !Task.isCancelled {
      switch incoming.front(at: clock.now) {
      case .bytes(let bytes): return bytes
      case .over(let error?): throw error
      case .over(nil): return nil
      case .nothing(let time): await wait(for: incoming.arrived, until: time)
      }
    }
    return nil
  }

  public func send(_ bytes: [UInt8]) async throws(TransportError) {
    guard !bytes.isEmpty else { return }
    guard await outgoing.enter(bytes, at: clock.now) else { throw .closed }
  }

  /// Returns when what is on its way has left; whoever gives up waiting for that does not change it.
  public func close() async {
    let task = closing.withLock { closing in
      let task = closing ?? Task(executorPreference: executor) { [self] in await leave() }
      closing = task
      return task
    }
    await task.value
  }

  private func leave() async {
    // The writer sends what is on its way, then closes the transport below.
    outgoing.finish()
    incoming.finish(discarding: true)
    await wait(for: written, until: clock.now.adding(milliseconds: Self.closeMilliseconds))
    if !outgoing.isHalfOpen(at: clock.now) { await transport.close() }
  }

  /// Nothing arrives any more, either way; both ends come to know it, half-open or not.
  package func end() {
    incoming.finish(discarding: true)
    outgoing.finish(discarding: true)
  }

  // MARK: What moves bytes

  private func read() async {
    while true {
      do {
        guard let bytes = try await transport.receive() else { break }
        // After the end the rest is read and forgotten: only the end below is waited for.
        _ = await incoming.enter(bytes, at: clock.now)
      } catch {
        if !incoming.isHalfOpen(at: clock.now) { incoming.finish(error) }
        break
      }
    }
    if !incoming.isHalfOpen(at: clock.now) { incoming.finish() }
    // What is sent into a cable that nobody knows to be pulled is lost, and no more.
    if !outgoing.isHalfOpen(at: clock.now) { outgoing.finish(discarding: true) }
    await transport.close()
  }

  private func write() async {
    defer {
      written.notify()
      // Its moment may never come.
      ending.withLock { $0?.cancel() }
    }
    while true {
      switch outgoing.front(at: clock.now) {
      case .bytes(let bytes):
        do { try await transport.send(bytes) } catch {
          outgoing.finish(error, discarding: true)
          return
        }
      case .nothing(let time): await wait(for: outgoing.arrived, until: time)
      case .over:
        if !outgoing.isHalfOpen(at: clock.now) { await transport.close() }
        return
      }
    }
  }

  private func disconnect() async {
    while !Task.isCancelled {
      let time = disconnectAt.withLock { $0 }
      if let time, time <= clock.now {
        end()
        return await transport.close()
      }
      await wait(for: disconnectChanged, until: time)
    }
  }

  private func wait(for signal: Signal, until time: MonotonicTime?) async {
    guard let time else { return await signal.wait() }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { do { try await self.clock.sleep(until: time) } catch { return } }
      group.addTask { await signal.wait() }
      await group.next()
      group.cancelAll()
    }
  }
}
