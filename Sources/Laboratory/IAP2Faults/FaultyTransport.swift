// swift-iap2 · Apache-2.0

import Basics
public import IAP2
public import IAP2Transport
import Synchronization

/// A transport that applies a `FaultPlan` to another transport, in both directions.
///
/// Up to three tasks of its own move incoming bytes, move outgoing bytes, and disconnect at the planned moment. They
/// run on the executor of the clock, so that virtual time stays virtual, and end with the transport. While the
/// transport is half-open, the other side does not see it close either: the transport below stays open and unread until
/// the other side closes it.
public final class FaultyTransport: ByteTransport {
  private let transport: any ByteTransport
  private let clock: any RuntimeClock
  /// The executor of the tasks.
  private let executor: (any TaskExecutor)?
  private let plan: FaultPlan
  private let side: Side
  private let incoming: FaultyLane
  private let outgoing: FaultyLane
  private let disconnectAt: Mutex<MonotonicTime?>
  private let disconnectChanged = Signal()
  /// The task that disconnects at the planned moment.
  private let ending = Mutex<Task<Void, Never>?>(nil)
  /// The task that closes the transport.
  private let closing = Mutex<Task<Void, Never>?>(nil)
  /// Notified when the writer has ended.
  private let written = Signal()
  /// The time that bytes in transit have when the transport closes. A stall may be longer.
  private static let closeMilliseconds = 2000

  /// The address of the transport below.
  public var address: String { transport.address }
  /// The executor of the transport below.
  public var taskExecutor: (any TaskExecutor)? { transport.taskExecutor }

  /// Creates a transport without pieces in transit.
  ///
  /// - Parameters:
  ///   - transport: The transport below, which moves the bytes.
  ///   - plan: The faults.
  ///   - side: The side that uses the transport.
  ///   - connection: The number of the connection, so that each has its own random numbers from one seed.
  ///   - clock: The clock for delays and moments.
  public init(
    _ transport: any ByteTransport, plan: FaultPlan, side: Side, connection: Int = 0, clock: any RuntimeClock
  ) {
    self.transport = transport
    self.clock = clock
    self.plan = plan
    self.side = side
    let start = clock.now
    // The constants only make the random numbers of connections and directions independent.
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

  /// Reports an event, because a moment of the plan may be named by an event.
  public func happened(_ event: String) {
    let now = clock.now
    incoming.happened(event, at: now)
    outgoing.happened(event, at: now)
    guard plan.disconnect == .event(event) else { return }
    disconnectAt.withLock { $0 = $0 ?? now }
    disconnectChanged.notify()
  }

  /// Makes the transport half-open now: all bytes are lost and neither side is notified, as if a pulled cable went
  /// unnoticed.
  public func goHalfOpen() { goHalfOpen(incoming: true, outgoing: true) }

  /// Makes one direction or both half-open.
  package func goHalfOpen(incoming isIncoming: Bool, outgoing isOutgoing: Bool) {
    if isIncoming { incoming.goHalfOpen(at: clock.now) }
    if isOutgoing { outgoing.goHalfOpen(at: clock.now) }
  }

  /// Changes the conditions of packets that are sent from now on. What the plan has for moments stays.
  ///
  /// - Parameter change: Called for each direction.
  package func change(_ change: ConditionChange) {
    incoming.change { change(&$0, side) }
    outgoing.change { change(&$0, side == .accessory ? .device : .accessory) }
  }

  /// Returns the stream of the transport below. Faults apply to the link only.
  public func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)? {
    transport.nativeStream(of: name, among: protocols)
  }

  // MARK: The stream of bytes

  /// Returns the next bytes that have arrived under the plan; nil at the end or when the task is canceled.
  ///
  /// - Throws: the error of the transport below.
  public func receive() async throws(TransportError) -> [UInt8]? {
    while !Task.isCancelled {
      switch incoming.front(at: clock.now) {
      case .bytes(let bytes): return bytes
      case .over(let error?): throw error
      case .over(nil): return nil
      case .nothing(let time): guard await wait(for: incoming.arrived, until: time) else { return nil }
      }
    }
    return nil
  }

  /// Puts bytes in transit. It waits while 4 MiB are in transit.
  ///
  /// - Throws: `TransportError.closed` after the end or when the task is canceled.
  public func send(_ bytes: [UInt8]) async throws(TransportError) {
    guard !bytes.isEmpty else { return }
    guard await outgoing.enter(bytes, at: clock.now) else { throw .closed }
  }

  /// Closes the transport after bytes in transit have left, at most two seconds later. Canceling the caller does not
  /// change that.
  public func close() async {
    let task = closing.withLock { closing in
      let task = closing ?? Task(executorPreference: executor) { [self] in await leave() }
      closing = task
      return task
    }
    await task.value
  }

  private func leave() async {
    // The writer sends the bytes in transit, then closes the transport below.
    outgoing.finish()
    incoming.finish(discarding: true)
    _ = await wait(for: written, until: clock.now.adding(milliseconds: Self.closeMilliseconds))
    if !outgoing.isHalfOpen(at: clock.now) { await transport.close() }
  }

  /// Ends both directions now. Both sides are notified, even if the transport is half-open.
  package func end() {
    incoming.finish(discarding: true)
    outgoing.finish(discarding: true)
  }

  // MARK: Tasks

  private func read() async {
    while true {
      do {
        guard let bytes = try await transport.receive() else { break }
        // After the end, bytes are read and dropped, to detect the end of the transport below.
        _ = await incoming.enter(bytes, at: clock.now)
      } catch {
        if !incoming.isHalfOpen(at: clock.now) { incoming.finish(error) }
        break
      }
    }
    if !incoming.isHalfOpen(at: clock.now) { incoming.finish() }
    // While the outgoing direction is half-open, sent bytes are lost without an error.
    if !outgoing.isHalfOpen(at: clock.now) { outgoing.finish(discarding: true) }
    await transport.close()
  }

  private func write() async {
    defer {
      written.notify()
      // The planned moment may never come.
      ending.withLock { $0?.cancel() }
    }
    while true {
      switch outgoing.front(at: clock.now) {
      case .bytes(let bytes):
        do { try await transport.send(bytes) } catch {
          outgoing.finish(error, discarding: true)
          return
        }
      case .nothing(let time): guard await wait(for: outgoing.arrived, until: time) else { return }
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
      guard await wait(for: disconnectChanged, until: time) else { return }
    }
  }

  /// Waits for a signal or for a time.
  ///
  /// - Returns: False if the clock has ended, so that the time never comes.
  private func wait(for signal: Signal, until time: MonotonicTime?) async -> Bool {
    guard let time else {
      await signal.wait()
      return true
    }
    return await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        do {
          try await self.clock.sleep(until: time)
          return true
        } catch { return false }
      }
      group.addTask {
        await signal.wait()
        return true
      }
      let first = await group.next() ?? true
      group.cancelAll()
      return first || Task.isCancelled
    }
  }
}
