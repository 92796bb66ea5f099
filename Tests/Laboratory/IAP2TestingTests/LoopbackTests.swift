// swift-iap2 · Apache-2.0

import IAP2Testing
import Testing

/// Tests of virtual time for the code of a test.
@Suite struct LoopbackTests {
  static let name = "com.example.thermo"

  /// Sends a value each minute, by any clock.
  static func thermometer(_ session: ExternalAccessoryStream, _ clock: any Clock<Duration>) async {
    do {
      for degree in UInt8(20)... {
        try await clock.sleep(for: .seconds(60))
        try await session.write([degree])
      }
    } catch {}
  }

  @Test func bothEndsSleepOnTheClockOfTheRun() throws {
    let (values, time) = try Loopback.run(
      Self.name, accessory: { await Self.thermometer($0, $1) },
      app: { session, clock in
        let start = clock.now
        var values: [UInt8] = []
        while values.count < 3, let bytes = await session.read() { values += bytes }
        return (values, start.duration(to: clock.now))
      })
    #expect(values == [20, 21, 22])
    #expect(time >= .seconds(180) && time < .seconds(181))
  }

  @Test func aTimeoutOfTheAppIsTestedWithoutWaiting() throws {
    let elapsed = try Loopback.run(
      Self.name, accessory: { session, _ in _ = await session.read() },
      app: { session, clock in
        let start = clock.now
        await withTaskGroup(of: Void.self) { group in
          group.addTask { do { try await clock.sleep(for: .seconds(3600)) } catch {} }
          group.addTask { _ = await session.read() }
          await group.next()
          group.cancelAll()
        }
        return start.duration(to: clock.now)
      })
    #expect(elapsed >= .seconds(3600))
  }

  /// Returns the error of a run that stalls.
  static func stall(
    accessory: @escaping @Sendable (ExternalAccessoryStream) async -> Void,
    app: @escaping @Sendable (ExternalAccessoryStream) async throws -> Void
  ) -> VirtualTimeStalled? {
    do {
      try Loopback.run(name, accessory: accessory, app: app)
      return nil
    } catch { return error as? VirtualTimeStalled }
  }

  @Test func endsThatWaitForEachOtherAreNamed() throws {
    let found = Self.stall(accessory: { _ = await $0.read() }, app: { _ = await $0.read() })
    let stalled = try #require(found)
    let wait = "waits for bytes from the other end of com.example.thermo"
    #expect(Set(stalled.waits) == ["the app \(wait)", "the accessory \(wait)"], "\(stalled)")
  }

  @Test func aTaskThatWaitsForSomethingElseIsNamed() throws {
    let found = Self.stall(
      accessory: { _ = await $0.read() },
      app: { _ in
        let (nothing, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in nothing {}
        continuation.finish()
      })
    let stalled = try #require(found)
    #expect(stalled.waits.contains("the app waits for something that is neither the clock nor an EA session"))
    #expect(stalled.description.contains("Task.sleep, threads, queues and sockets do not move virtual time"))
  }

  @Test func aRealSleepIsNamed() throws {
    let found = Self.stall(
      accessory: { _ = await $0.read() }, app: { _ in try await Task.sleep(for: .seconds(3600)) })
    let stalled = try #require(found)
    #expect(stalled.waits.contains("the app waits for something that is neither the clock nor an EA session"))
  }
}
