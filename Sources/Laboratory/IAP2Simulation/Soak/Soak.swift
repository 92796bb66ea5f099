// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Faults
import IAP2Roles
public import IAP2Runtime
public import IAP2Transport

/// Soak tests that repeatedly connect, exchange data and disconnect with the same roles.
public enum Soak {
  /// A failure of a cycle.
  public enum Problem: Error, Sendable, Equatable {
    /// The connection did not become ready within 30 s, or its transport ended before.
    case neverReady
    /// The echoed bytes differ from the sent ones after `right` of `of` bytes, or fewer bytes arrived.
    case wrongBytes(right: Int, of: Int)
    /// The EA session could not be opened.
    case exchange(ExternalAccessoryError)
    /// The sequence numbers of a side have not wrapped around, although the exchange has enough packets in each
    /// direction.
    case neverWrapped
    /// The counts of connected and disconnected events differ from the number of cycles.
    case verdicts(connected: Int, disconnected: Int)
  }

  /// The time in which a connection must become ready.
  static let readyMilliseconds = 30_000
  /// The EA protocol of ``loopback(cycles:faults:progress:)``, whose accessory echoes the bytes it reads.
  public static let protocolName = "com.example.soak"
  /// The number of bytes that each cycle sends and receives, which need more packets than a window has. An exchange
  /// adds single bytes until the sequence numbers wrap around.
  public static let exchangeByteCount = 40_000
  /// The time without received bytes after which an EA session has stalled.
  static let stallMilliseconds = 30_000

  /// Runs cycles of both roles on memory transports in virtual time.
  ///
  /// - Parameters:
  ///   - cycles: the number of cycles.
  ///   - faults: the faults of the cable, with new random numbers in each cycle; nil for none.
  ///   - progress: called after each cycle with the number of completed cycles; returns false to stop.
  /// - Returns: the number of completed cycles.
  /// - Throws: ``Problem`` when a cycle fails, or `VirtualTimeStalled` when both roles wait for each other.
  public static func loopback(
    cycles: Int, faults: FaultPlan? = nil, progress: @escaping @Sendable (Int) -> Bool = { _ in true }
  ) throws -> Int {
    try VirtualTime.run { clock in
      var options = RoleOptions()
      options.clock = clock
      options.preferences.offer.maxPacketLength = 128
      let headUnit = HeadUnit(profile: .standard(protocols: [protocolName]), options: options)
      await headUnit.serve(protocolName) { stream in
        // The phone detects an EA session that ends during a write.
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
          // End the head unit's transport also when the cycle fails.
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

  /// Runs one cycle of a phone on one transport: waits until the phone is connected, exchanges data, and disconnects.
  ///
  /// - Parameters:
  ///   - phone: the phone, which must not run on another transport.
  ///   - log: the log that follows the phone's events.
  ///   - transport: the transport of this cycle.
  ///   - exchange: an EA protocol whose accessory echoes the bytes it reads, for an exchange in which the sequence
  ///     numbers of both sides wrap around; nil for no exchange.
  public static func cycle(
    _ phone: Phone, _ log: SoakLog, on transport: any ByteTransport, exchange: String?
  ) async throws(Problem) {
    let watch = SequenceChecker(transport)
    try await cycle(
      log, transport, run: { _ = await phone.run(on: watch) },
      use: { () async throws(Problem) in
        if let exchange { try await Self.exchange(phone, exchange, watch, log.clock) }
        await phone.disconnect()
      })
  }

  /// Runs one cycle of a head unit on one transport: waits until the head unit is connected, and disconnects.
  ///
  /// - Parameters:
  ///   - headUnit: the head unit, which must not run on another transport.
  ///   - log: the log that follows the head unit's events.
  ///   - transport: the transport of this cycle.
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

  private static func exchange(
    _ phone: Phone, _ name: String, _ watch: SequenceChecker, _ clock: any RuntimeClock
  ) async throws(Problem) {
    let stream: ExternalAccessoryStream
    do { stream = try await phone.open(name) } catch { throw .exchange(error) }
    let stall = StallDetector()
    let result = await withTaskGroup(of: Result<Void, Problem>?.self) { group in
      group.addTask {
        await stall.closeWhenStalled(stream, clock, milliseconds: stallMilliseconds)
        return nil
      }
      group.addTask { await wrap(stream, watch, stall) }
      var result = Result<Void, Problem>.success(())
      for await found in group {
        guard let found else { continue }
        result = found
        group.cancelAll()
      }
      return result
    }
    await stream.close()
    try result.get()
    guard watch.hasWrapped else { throw .neverWrapped }
  }

  /// Exchanges bytes until the sequence numbers have wrapped around.
  private static func wrap(
    _ stream: ExternalAccessoryStream, _ watch: SequenceChecker, _ stall: StallDetector
  ) async -> Result<Void, Problem> {
    do throws(Problem) {
      try await echo(SimulatedContent.bytes(exchangeByteCount, seed: 1), on: stream, stall)
      // With long packets, the bytes above need few packets. Each further byte needs one packet in each direction.
      for round in 0...UInt8.max where !watch.hasWrapped { try await echo([round], on: stream, stall) }
      return .success(())
    } catch { return .failure(error) }
  }

  /// Sends bytes and waits for their echo.
  private static func echo(
    _ sent: [UInt8], on stream: ExternalAccessoryStream, _ stall: StallDetector
  ) async throws(Problem) {
    let right = await withTaskGroup(of: Int.self) { group in
      group.addTask {
        // The reading task detects the end of the session.
        do { try await stream.write(sent) } catch {}
        return 0
      }
      group.addTask {
        var count = 0
        while count < sent.count, let chunk = await stream.read() {
          stall.note()
          guard chunk.count <= sent.count - count, sent[count..<(count + chunk.count)].elementsEqual(chunk) else {
            break
          }
          count += chunk.count
        }
        // Closing the stream ends a write that still waits.
        if count < sent.count { await stream.close() }
        return count
      }
      return await group.reduce(0, +)
    }
    guard right == sent.count else { throw .wrongBytes(right: right, of: sent.count) }
  }
}
