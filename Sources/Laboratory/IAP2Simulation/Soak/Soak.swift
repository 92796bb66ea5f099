// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Faults
import IAP2Roles
public import IAP2Runtime
public import IAP2Transport

/// Connects, uses and disconnects, again and again, with roles that live through all of it.
public enum Soak {
  /// What a cycle came to grief over.
  public enum Problem: Error, Sendable, Equatable {
    /// Both sides did not get ready in time.
    case neverReady
    /// What came back was not what was sent; so many bytes were right.
    case wrongBytes(right: Int, of: Int)
    case exchange(ExternalAccessoryError)
    /// The sequence numbers have not begun anew on both sides, which so many packets each way should have made them.
    case neverWrapped
    /// Not one connected and one disconnected in each cycle.
    case verdicts(connected: Int, disconnected: Int)
  }

  /// Longer than any peer takes, shorter than anybody waits for a hanging one.
  static let readyMilliseconds = 30_000
  /// The EA protocol of loopback, whose accessory sends back what it reads.
  public static let protocolName = "com.example.soak"
  /// What each cycle sends and gets back, whatever the sequence numbers do: more packets than a window.
  public static let exchangeByteCount = 40_000
  /// A peer that sends nothing back for so long never will.
  static let stallMilliseconds = 30_000

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
  /// - Parameter exchange: an EA protocol whose accessory sends back what it reads; with so much that the sequence numbers
  ///   of both sides begin anew.
  public static func cycle(
    _ phone: Phone, _ log: SoakLog, on transport: any ByteTransport, exchange: String?
  ) async throws(Problem) {
    let watch = SequenceWatch(transport)
    try await cycle(
      log, transport, run: { _ = await phone.run(on: watch) },
      use: { () async throws(Problem) in
        if let exchange { try await Self.exchange(phone, exchange, watch, log.clock) }
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

  private static func exchange(
    _ phone: Phone, _ name: String, _ watch: SequenceWatch, _ clock: any RuntimeClock
  ) async throws(Problem) {
    let stream: ExternalAccessoryStream
    do { stream = try await phone.open(name) } catch { throw .exchange(error) }
    let stall = StallWatch()
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

  /// Echoes until the sequence numbers have begun anew.
  private static func wrap(
    _ stream: ExternalAccessoryStream, _ watch: SequenceWatch, _ stall: StallWatch
  ) async -> Result<Void, Problem> {
    do throws(Problem) {
      try await echo(SimulatedContent.bytes(exchangeByteCount, seed: 1), on: stream, stall)
      // Packets may be so long that these were few: from here on one goes there and one comes back.
      for round in 0...UInt8.max where !watch.hasWrapped { try await echo([round], on: stream, stall) }
      return .success(())
    } catch { return .failure(error) }
  }

  /// Sends bytes and waits until they have come back.
  private static func echo(
    _ sent: [UInt8], on stream: ExternalAccessoryStream, _ stall: StallWatch
  ) async throws(Problem) {
    let right = await withTaskGroup(of: Int.self) { group in
      group.addTask {
        // A session that ends shows in what came back.
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
        // Whoever still writes is not waited for.
        if count < sent.count { await stream.close() }
        return count
      }
      return await group.reduce(0, +)
    }
    guard right == sent.count else { throw .wrongBytes(right: right, of: sent.count) }
  }
}
