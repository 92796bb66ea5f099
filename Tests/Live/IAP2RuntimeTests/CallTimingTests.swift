// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
import IAP2Testing
import IAP2Transport
import Synchronization
import Testing

@testable import IAP2Runtime

/// Calls of a role at unusual moments: while it already runs, during an end, after an end, and with a full queue.
@Suite struct CallTimingTests {
  private static let name = "com.example.echo"

  /// Two roles that run on one transport in virtual time.
  struct Bench: Sendable {
    let headUnit: HeadUnit
    let phone: Phone
    let time: VirtualTime
    let transport: MemoryTransport

    func wait(milliseconds: Int) async {
      do { try await time.sleep(until: time.now.adding(milliseconds: milliseconds)) } catch {}
    }
  }

  typealias Service = @Sendable (ExternalAccessoryStream, VirtualTime) async -> Void

  /// A service that returns 3 s after the end of its session.
  private static let lingering: Service = { stream, time in
    while await stream.read() != nil {}
    do { try await time.sleep(until: time.now.adding(milliseconds: 3000)) } catch {}
  }

  /// Connects both roles, waits for a second and runs the script. Afterwards the transport is cut.
  ///
  /// - Parameters:
  ///   - silence: The time in nanoseconds from which the transport carries nothing.
  ///   - service: The service of the EA protocol on both sides.
  /// - Returns: The results of both runs in the order of their ends, and the events of the head unit.
  private static func play(
    limits: Limits = Limits(), pacing: MessagePacing = MessagePacing(), silence: Int64 = .max,
    service: Service? = nil, _ script: @escaping @Sendable (Bench) async throws -> Void
  ) throws -> (results: [ServeResult], headUnit: [RoleEvent]) {
    try VirtualTime.run { time in
      let transports = MemoryTransport.pair()
      var options = RoleOptions()
      options.clock = time
      options.limits = limits
      let phone = Phone(options: options)
      options.pacing = pacing
      let headUnit = HeadUnit(profile: .standard(protocols: [name], features: .all), options: options)
      if let service {
        await headUnit.serve(name) { await service($0, time) }
        await phone.serve(name) { await service($0, time) }
      }
      let end = MonotonicTime(nanoseconds: silence)
      return try await withThrowingTaskGroup(of: ServeResult.self) { group in
        group.addTask {
          let result = await headUnit.run(on: RoleTests.Muted(inner: transports.accessory, clock: time, from: end))
          headUnit.finish()
          return result
        }
        group.addTask { await phone.run(on: RoleTests.Muted(inner: transports.device, clock: time, from: end)) }
        let bench = Bench(headUnit: headUnit, phone: phone, time: time, transport: transports.accessory)
        await bench.wait(milliseconds: 1000)
        do { try await script(bench) } catch { Issue.record("\(error)") }
        transports.accessory.cut()
        var results: [ServeResult] = []
        for try await result in group { results.append(result) }
        var events: [RoleEvent] = []
        for await event in headUnit.events { events.append(event.event) }
        return (results, events)
      }
    }
  }

  private static func sent(_ id: UInt16, _ events: [RoleEvent]) -> Int {
    events.count { if case .message(.sent, id, _) = $0 { true } else { false } }
  }

  private static func limits(_ events: [RoleEvent]) -> [RoleEvent] {
    events.filter { if case .violation(.limit) = $0 { true } else { false } }
  }

  // MARK: run

  @Test func aSecondRunIsRefusedAtOnceAndTheFirstContinues() throws {
    let (results, events) = try Self.play { bench in
      let start = bench.time.now
      let other = MemoryTransport.pair()
      let headUnit = await bench.headUnit.run(on: other.accessory)
      let phone = await bench.phone.run(on: other.device)
      #expect(bench.time.now == start)
      #expect(headUnit == ServeResult(wasIdentified: false, cause: nil, refusal: .alreadyRunning))
      #expect(phone == headUnit)
      let session = try await bench.phone.open(Self.name)
      await session.close()
      await bench.headUnit.disconnect()
    }
    #expect(results.map(\.wasIdentified) == [true, true] && results.map(\.refusal) == [nil, nil])
    #expect(events.count { $0 == .connected } == 1)
    #expect(events.compactMap(\.disconnectCause) == [.requested])
  }

  @Test func aRunWhileAServiceOfTheEndedConnectionStillRunsIsRefused() throws {
    let (_, events) = try Self.play(service: Self.lingering) { bench in
      _ = try await bench.phone.open(Self.name)
      bench.transport.cut()
      await bench.wait(milliseconds: 1000)
      let start = bench.time.now
      let result = await bench.headUnit.run(on: MemoryTransport.pair().accessory)
      #expect(result.refusal == .alreadyRunning && bench.time.now == start)
    }
    #expect(events.compactMap(\.disconnectCause) == [.transportClosed])
  }

  @Test func aRunAfterTheEndOfTheFirstIsServed() throws {
    let causes = try VirtualTime.run { time in
      var options = RoleOptions()
      options.clock = time
      let phone = Phone(options: options)
      var causes: [DisconnectCause?] = []
      for _ in 0..<2 {
        let transports = MemoryTransport.pair()
        transports.accessory.cut()
        causes.append(await phone.run(on: transports.device).cause)
      }
      return causes
    }
    #expect(causes == [.transportClosed, .transportClosed])
  }

  // MARK: update

  /// Updates follow each other without a pause from before the end until after both runs have returned. The streams
  /// keep the connections busy meanwhile, so that each step of the end waits for its turn.
  @Test func noUpdateAroundAnEndIsLost() throws {
    let perTask = 2000
    let counts = try VirtualTime.run { time in
      let transports = MemoryTransport.pair()
      var options = RoleOptions()
      options.clock = time
      let streams = Mutex<[ExternalAccessoryStream]>([])
      let headUnit = HeadUnit(profile: .standard(protocols: [Self.name]), options: options)
      await headUnit.serve(Self.name) { stream in streams.withLock { $0.append(stream) } }
      let phone = Phone(options: options)
      return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { _ = await headUnit.run(on: transports.accessory) }
        group.addTask { _ = await phone.run(on: transports.device) }
        try await time.sleep(until: MonotonicTime(nanoseconds: 1_000_000_000))
        let stream = try await phone.open(Self.name)
        try await time.sleep(until: MonotonicTime(nanoseconds: 2_000_000_000))
        for task in 0..<4 {
          for stream in streams.withLock({ $0 }) + [stream] {
            group.addTask { for _ in 0..<(2 * perTask) { await stream.close() } }
          }
          group.addTask {
            for turn in 0..<perTask {
              if task == 0, turn == 100 { transports.accessory.cut() }
              await phone.update { $0.timeZoneOffsetMinutes += 1 }
              await headUnit.update { $0.vehicleStatus.range = ($0.vehicleStatus.range ?? 0) + 1 }
            }
          }
        }
        try await group.waitForAll()
        return (await phone.state.timeZoneOffsetMinutes, await headUnit.state.vehicleStatus.range)
      }
    }
    #expect(counts.0 == Int16(4 * perTask))
    #expect(counts.1 == UInt16(4 * perTask))
  }

  /// The policy `charging` judges a connection by the battery, also after the end of its link.
  @Test func aBatteryUpdateWhileAServiceStillRunsIsJudged() throws {
    let causes = try VirtualTime.run { time in
      let transports = MemoryTransport.pair()
      var options = RoleOptions()
      options.clock = time
      options.lifecycle = Lifecycle(policy: .charging)
      options.losesNotice = { true }
      var profile = PhoneProfile()
      profile.state.apps = [
        PhoneApp(name: "App", bundleIdentifier: "com.example.app", protocols: [Self.name], isRunning: true)
      ]
      let headUnit = HeadUnit(profile: .standard(protocols: [Self.name]), options: options)
      let phone = Phone(profile: profile, options: options)
      await phone.serve(Self.name) { await Self.lingering($0, time) }
      return await withTaskGroup(of: Void.self) { group in
        group.addTask { _ = await headUnit.run(on: transports.accessory) }
        group.addTask {
          _ = await phone.run(on: transports.device)
          phone.finish()
        }
        group.addTask {
          do {
            try await time.sleep(until: MonotonicTime(nanoseconds: 2_000_000_000))
            transports.accessory.cut()
            try await time.sleep(until: MonotonicTime(nanoseconds: 3_000_000_000))
          } catch {}
          await phone.update { $0.battery.carCurrent = 0 }
        }
        var causes: [DisconnectCause] = []
        for await event in phone.events { if let cause = event.event.disconnectCause { causes.append(cause) } }
        return causes
      }
    }
    #expect(causes == [.chargingStopped])
  }

  // MARK: send

  @Test func aCallThatExceedsTheQueueIsRejected() throws {
    var limits = Limits()
    limits.queuedByteCount = 1024
    let taken = Mutex(0)
    let (_, events) = try Self.play(limits: limits, silence: 2_000_000_000) { bench in
      await bench.wait(milliseconds: 1500)
      var problem: RoleError?
      do throws(RoleError) {
        for _ in 0..<10_000 {
          try await bench.headUnit.send(AcceptCall())
          taken.withLock { $0 += 1 }
        }
      } catch { problem = error }
      #expect(problem == .queueFull(.bytes(1024)))
      await #expect(throws: PressProblem.queueFull(.bytes(1024))) {
        try await bench.headUnit.press(.play)
      }
    }
    let count = taken.withLock { $0 }
    #expect(count > 50)
    #expect(Self.sent(AcceptCall.id, events) == count)
    #expect(Self.sent(AccessoryHIDReport.id, events) == 0)
    #expect(Self.limits(events).isEmpty)
  }

  @Test func aSendThatExceedsPacingIsRejected() throws {
    var pacing = MessagePacing()
    pacing.delays[AcceptCall.id] = 3_600_000
    let taken = Mutex(0)
    let (_, events) = try Self.play(pacing: pacing) { bench in
      var problem: RoleError?
      do throws(RoleError) {
        for _ in 0..<10_000 {
          try await bench.headUnit.send(AcceptCall())
          taken.withLock { $0 += 1 }
        }
      } catch { problem = error }
      #expect(problem == .queueFull(.delayedActions(4096)))
    }
    #expect(taken.withLock { $0 } == 4096)
    #expect(Self.limits(events).isEmpty)
  }

  @Test func aSendThatIsTooLateIsRefused() throws {
    let (_, events) = try Self.play(service: Self.lingering) { bench in
      _ = try await bench.phone.open(Self.name)
      await bench.headUnit.disconnect()
      // The end is decided, and the peer has not heard of it yet.
      await #expect(throws: RoleError.notReady) { try await bench.headUnit.send(AcceptCall()) }
      await #expect(throws: PressProblem.notReady) { try await bench.headUnit.press(.play) }
      await bench.wait(milliseconds: 1000)
      // The link has ended, and a service still runs.
      await #expect(throws: RoleError.notReady) { try await bench.headUnit.send(AcceptCall()) }
    }
    #expect(Self.sent(AcceptCall.id, events) == 0)
    #expect(events.compactMap(\.disconnectCause) == [.requested])
  }

  // MARK: open

  @Test func anOpenDuringOrAfterAnEndIsRejectedAtOnce() throws {
    _ = try Self.play(service: Self.lingering) { bench in
      await bench.phone.update {
        $0.apps = [PhoneApp(name: "A", bundleIdentifier: "com.example.a", protocols: [Self.name], isRunning: true)]
      }
      await bench.wait(milliseconds: 500)
      await bench.phone.disconnect()
      var start = bench.time.now
      await #expect(throws: ExternalAccessoryError.sessionEnded) { _ = try await bench.phone.open(Self.name) }
      #expect(bench.time.now == start)
      await bench.wait(milliseconds: 1000)
      // The link has ended, and the service of the app's session still runs.
      #expect(await bench.phone.run(on: MemoryTransport.pair().device).refusal == .alreadyRunning)
      start = bench.time.now
      await #expect(throws: ExternalAccessoryError.sessionEnded) { _ = try await bench.phone.open(Self.name) }
      #expect(bench.time.now == start)
    }
  }

  @Test func theEndOfTheConnectionEndsAnOpenThatWaits() throws {
    _ = try Self.play(silence: 2_000_000_000) { bench in
      await bench.wait(milliseconds: 1500)
      async let opening = bench.phone.open(Self.name)
      await bench.wait(milliseconds: 1000)
      bench.transport.cut()
      do {
        _ = try await opening
        Issue.record("opened on a silent transport")
      } catch { #expect(error as? ExternalAccessoryError == .sessionEnded) }
      #expect(bench.time.now.seconds < 4)
    }
  }
}
