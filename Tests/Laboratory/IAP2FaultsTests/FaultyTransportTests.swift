// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import IAP2Runtime
import IAP2Transport
import Synchronization
import Testing

/// Tests of the effects of a plan on bytes, in virtual time.
@Suite struct FaultyTransportTests {
  struct Received: Sendable, Equatable {
    var milliseconds: Int64
    var bytes: [UInt8]
  }

  /// The bytes received so far.
  final class Ear: Sendable {
    private let state = Mutex<[Received]>([])
    var received: [Received] { state.withLock { $0 } }
    func add(_ bytes: [UInt8], at time: MonotonicTime) {
      state.withLock { $0.append(Received(milliseconds: time.nanoseconds / 1_000_000, bytes: bytes)) }
    }
  }

  /// Returns the bytes that the head unit receives within `milliseconds` when a phone under the plan sends these at
  /// once.
  static func received(_ plan: String, _ sent: [[UInt8]], until milliseconds: Int = 10_000) throws -> [Received] {
    try VirtualTime.run { time in
      let ends = MemoryTransport.pair()
      let faulty = FaultyTransport(
        ends.device, plan: try FaultPlan(parsing: plan, seed: 1, events: ["linkUp"]), side: .device, clock: time)
      let ear = Ear()
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          do {
            while let bytes = try await ends.accessory.receive() { ear.add(bytes, at: time.now) }
          } catch { Issue.record(error) }
        }
        group.addTask {
          do { for bytes in sent { try await faulty.send(bytes) } } catch { Issue.record(error) }
          do { try await time.sleep(until: time.now.adding(milliseconds: milliseconds)) } catch {}
          await faulty.close()
          ends.accessory.cut()
        }
      }
      return ear.received
    }
  }

  static let packet: [UInt8] = [0xFF, 0x5A, 0x00, 0x09, 0x40, 0x10, 0x20, 0x00, 0x2E]
  static let detect: [UInt8] = [0xFF, 0x55, 0x02, 0x00, 0xEE, 0x10]

  @Test func linkPacketsAreThePiecesOfABatch() throws {
    let received = try Self.received("to-headunit:delay=20", [Self.detect + Self.packet + [1, 2, 3]])
    #expect(
      received == [
        Received(milliseconds: 20, bytes: Self.detect), Received(milliseconds: 20, bytes: Self.packet),
        Received(milliseconds: 20, bytes: [1, 2, 3]),
      ])
  }

  @Test func aRateDelaysLaterBytes() throws {
    // Nine bytes at 900 bytes per second take 10 ms.
    let received = try Self.received("rate=900", [Self.packet + Self.packet])
    #expect(received.map(\.milliseconds) == [10, 20])
  }

  @Test func everyPieceIsLostAtProbabilityOne() throws {
    #expect(try Self.received("loss=1", [Self.packet]).isEmpty)
    #expect(try Self.received("to-phone:loss=1", [Self.packet]).map(\.bytes) == [Self.packet])
  }

  @Test(arguments: [1, 6, 30]) func anOvertakenPieceHasALimit(limit: Int) {
    var conditions = LinkConditions()
    conditions.reordering = 0.05
    conditions.overtaking = limit
    var injector = FaultInjector(conditions)
    var generator = SeededGenerator(seed: 7)
    // A hundred pieces leave per millisecond, so a late piece could be passed by several hundred.
    var arrivals: [(time: MonotonicTime, number: Int)] = []
    for number in 0..<6_000 {
      let now = MonotonicTime(nanoseconds: Int64(number) * 10_000)
      for arrival in injector.carry([UInt8(number & 255)], at: now, using: &generator) {
        arrivals.append((arrival.time, number))
      }
    }
    arrivals.sort { ($0.time, $0.number) < ($1.time, $1.number) }
    var most = 0
    for (place, arrival) in arrivals.enumerated() {
      // The pieces that arrived earlier and left later.
      let passed = arrivals[max(0, place - 600)..<place].count { $0.number > arrival.number }
      most = max(most, passed)
    }
    #expect(most == limit)
  }

  @Test func everyPieceArrivesTwiceAtProbabilityOne() throws {
    #expect(try Self.received("duplication=1", [Self.packet]).map(\.bytes) == [Self.packet, Self.packet])
  }

  @Test func aStallDelaysAndLosesNothing() throws {
    let received = try Self.received("stall=0+500", [Self.packet, Self.detect])
    #expect(received.map(\.milliseconds) == [500, 500] && received.map(\.bytes) == [Self.packet, Self.detect])
  }

  @Test func aHalfOpenTransportNeitherCarriesNorEnds() throws {
    try VirtualTime.run { time in
      let ends = MemoryTransport.pair()
      let faulty = FaultyTransport(
        ends.device, plan: try FaultPlan(parsing: "half-open=linkUp", seed: 1, events: ["linkUp"]), side: .device,
        clock: time)
      try await faulty.send(Self.detect)
      let first = try await ends.accessory.receive()
      #expect(first == Self.detect)
      faulty.happened("linkUp")
      try await faulty.send(Self.packet)
      await faulty.close()
      let ear = Ear()
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          do { ear.add(try await ends.accessory.receive() ?? [], at: time.now) } catch { Issue.record(error) }
        }
        group.addTask { do { try await time.sleep(until: time.now.adding(milliseconds: 60_000)) } catch {} }
        await group.next()
        // Neither bytes nor the end arrived.
        #expect(ear.received.isEmpty)
        ends.accessory.cut()
      }
    }
  }

  @Test func aWriterToAHalfOpenTransportGetsNoEnd() throws {
    try VirtualTime.run { time in
      let ends = MemoryTransport.pair()
      let faulty = FaultyTransport(ends.device, plan: FaultPlan(seed: 1), side: .device, clock: time)
      faulty.goHalfOpen()
      // The other side knows that the transport is half-open, and closes it.
      await ends.accessory.close()
      for _ in 0..<3 {
        try await time.sleep(until: time.now.adding(milliseconds: 1000))
        try await faulty.send(Self.packet)
      }
      await faulty.close()
    }
  }

  @Test func aDisconnectEndsBothSidesAtItsMoment() throws {
    let received = try Self.received("disconnect=300,delay=10", [Self.packet])
    #expect(received.map(\.bytes) == [Self.packet])
    try VirtualTime.run { time in
      let ends = MemoryTransport.pair()
      let faulty = FaultyTransport(
        ends.device, plan: try FaultPlan(parsing: "disconnect=300", seed: 1, events: []), side: .device, clock: time)
      let end = try await faulty.receive()
      #expect(end == nil && time.now == MonotonicTime.zero.adding(milliseconds: 300))
      let peer = try await ends.accessory.receive()
      #expect(peer == nil)
    }
  }

  @Test(arguments: 1...20) func theSameSeedMakesTheSameRun(seed: Int) throws {
    let plan =
      "loss=0.2,duplication=0.2,reordering=0.2,corruption=0.2,truncation=0.2,splitting=0.2,jitter=30,seed=\(seed)"
    let sent = (0..<50).map { Self.packet + [UInt8($0)] }
    let first = try Self.received(plan, sent)
    let second = try Self.received(plan, sent)
    #expect(first == second)
    #expect(first.map(\.bytes) != sent.flatMap { [Array($0.prefix(9)), Array($0.suffix(1))] })
  }

  /// The link repairs every fault that it can repair, in whole sessions.
  @Test(arguments: 1...12) func sessionsGetThroughAFaultyTransport(seed: UInt64) throws {
    var plan = FaultPlan(seed: seed)
    plan.toPhone.conditions = .rough(0.05)
    plan.toHeadUnit.conditions = .rough(0.05)
    let finished = plan
    try VirtualTime.run { time in
      let ends = MemoryTransport.pair()
      var options = RoleOptions()
      options.clock = time
      let headUnit = HeadUnit(profile: .standard(protocols: ["com.example.echo"]), options: options)
      await headUnit.serve("com.example.echo") { stream in
        while let bytes = await stream.read() { do { try await stream.write(bytes) } catch { return } }
      }
      let phone = Phone(options: options)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { _ = await headUnit.run(on: ends.accessory) }
        group.addTask {
          _ = await phone.run(on: FaultyTransport(ends.device, plan: finished, side: .device, clock: time))
          phone.finish()
        }
        var isIdentified = false
        for await event in phone.events where event.event.identification != nil {
          isIdentified = true
          break
        }
        #expect(isIdentified, "\(finished)")
        let sent = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        do {
          let stream = try await phone.open("com.example.echo")
          async let writing: Void = stream.write(sent)
          var back: [UInt8] = []
          while back.count < sent.count, let bytes = await stream.read() { back += bytes }
          try await writing
          #expect(back == sent, "\(finished)")
        } catch { Issue.record(error, "\(finished)") }
        await phone.disconnect()
      }
    }
  }
}
