// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Runtime
import Synchronization

/// Connects, uses and disconnects, again and again, with roles that live through all of it.
public enum Soak {
  /// What a cycle came to grief over.
  public enum Problem: Error, Sendable, Equatable {
    /// Both sides did not get ready in time.
    case neverReady
    /// What came back was not what was sent; so many bytes were right.
    case wrongBytes(right: Int, of: Int)
    case exchange(ExternalAccessoryError)
    /// Not one connected and one disconnected in each cycle.
    case verdicts(connected: Int, disconnected: Int)
  }

  /// Longer than any peer takes, shorter than anybody waits for a hanging one.
  static let readyMilliseconds = 30_000
  /// The EA protocol of loopback, whose accessory sends back what it reads.
  public static let protocolName = "com.example.soak"
  /// With packets of 128 bytes more than 256 packets each way: the sequence numbers of both sides, which have eight bits,
  /// begin anew in every cycle.
  public static let exchangeByteCount = 40_000

  /// So many cycles of both roles in memory, in virtual time.
  ///
  /// - Parameters:
  ///   - faults: what goes wrong on the cable, another way in each cycle.
  ///   - progress: cycles done, after each; false ends it.
  /// - Returns: cycles done.
  public static func loopback(
    cycles: Int, faults: FaultPlan? = nil, progress: @escaping @Sendable (Int) -> Bool = { _ in true }
  ) throws -> Int {
    try VirtualTime.run { clock in
      var options = RoleOptions()
      options.clock = clock
      options.preferences.offer.maxPacketLength = 128
      let headUnit = HeadUnit(profile: .standard(protocols: [protocolName]), options: options)
      await headUnit.serve(protocolName) { stream in
        // A session that ends while something is sent back is over, and that shows at the other end.
        while let bytes = await stream.read() { do { try await stream.write(bytes) } catch { return } }
      }
      let phone = Phone(options: options)
      let (cars, phones) = (SoakLog(clock: clock), SoakLog(clock: clock))
      let injection = FaultInjection(faults, side: .device, clock: clock)
      return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await cars.follow(headUnit.events) }
        group.addTask {
          await phones.follow(phone.events) { injection.happened($0.event) }
        }
        var done = 0
        defer {
          headUnit.finish()
          phone.finish()
        }
        while done < cycles {
          let ends = MemoryTransport.pair()
          async let other = headUnit.run(on: ends.accessory)
          // Whatever became of it, the other role must not be left alone.
          defer { ends.accessory.cut() }
          try await cycle(phone, phones, on: injection.around(ends.device), exchange: protocolName)
          _ = await other
          done += 1
          for log in [cars, phones] { try await log.check(done) }
          guard progress(done) else { break }
        }
        return done
      }
    }
  }

  /// One cycle of a phone on one transport.
  ///
  /// - Parameter exchange: an EA protocol whose accessory sends back what it reads.
  public static func cycle(
    _ phone: Phone, _ log: SoakLog, on transport: any ByteTransport, exchange: String?
  ) async throws(Problem) {
    try await cycle(
      log, transport, run: { _ = await phone.run(on: transport) },
      use: { () async throws(Problem) in
        if let exchange { try await Self.exchange(phone, exchange) }
        await phone.disconnect()
      })
  }

  /// One cycle of a head unit on one transport.
  public static func cycle(
    _ headUnit: HeadUnit, _ log: SoakLog, on transport: any ByteTransport
  ) async throws(Problem) {
    try await cycle(
      log, transport, run: { _ = await headUnit.run(on: transport) },
      use: { () async throws(Problem) in
        await headUnit.disconnect()
      })
  }

  private static func cycle(
    _ log: SoakLog, _ transport: any ByteTransport, run: @escaping @Sendable () async -> Void,
    use: @escaping @Sendable () async throws(Problem) -> Void
  ) async throws(Problem) {
    let outcome = await withTaskGroup(of: Result<Void, Problem>.self) { group in
      group.addTask {
        await run()
        log.leave()
        return .success(())
      }
      group.addTask {
        guard await log.waitForReady() else {
          await transport.close()
          return .failure(.neverReady)
        }
        do throws(Problem) { try await use() } catch {
          await transport.close()
          return .failure(error)
        }
        return .success(())
      }
      var outcome = Result<Void, Problem>.success(())
      for await result in group { if case .failure = result { outcome = result } }
      return outcome
    }
    try outcome.get()
  }

  private static func exchange(_ phone: Phone, _ name: String) async throws(Problem) {
    let stream: ExternalAccessoryStream
    do { stream = try await phone.open(name) } catch { throw .exchange(error) }
    let right = await withTaskGroup(of: Int.self) { group in
      let sent = SimulatedContent.bytes(exchangeByteCount, seed: 1)
      group.addTask {
        // A session that ends shows in what came back.
        do { try await stream.write(sent) } catch {}
        return 0
      }
      group.addTask {
        var count = 0
        while count < sent.count, let chunk = await stream.read() {
          guard chunk.count <= sent.count - count, sent[count..<(count + chunk.count)].elementsEqual(chunk) else {
            break
          }
          count += chunk.count
        }
        // Whoever still writes is not waited for.
        if count < sent.count { await stream.close() }
        return count
      }
      return await group.reduce(0, +)
    }
    await stream.close()
    guard right == exchangeByteCount else { throw .wrongBytes(right: right, of: exchangeByteCount) }
  }
}

/// A role's verdicts over all cycles.
public final class SoakLog: Sendable {
  private struct State {
    var connected = 0
    var disconnected = 0
    /// Connections that a cycle has waited for.
    var taken = 0
    var hasLeft = false
  }

  private let state = Mutex(State())
  private let changed = Signal()
  private let clock: any RuntimeClock

  public init(clock: any RuntimeClock) { self.clock = clock }

  /// Until there are no more events.
  ///
  /// - Parameter show: each of them, too.
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

  /// The role has left its transport.
  func leave() {
    state.withLock { $0.hasLeft = true }
    changed.notify()
  }

  /// Waits until both sides are ready, on a connection that was not waited for before.
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

  /// Each connection was told once and ended once; events may come a little after the role has left.
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
