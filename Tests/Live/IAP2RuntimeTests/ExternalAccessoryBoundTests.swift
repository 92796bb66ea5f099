// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
import IAP2Testing
import IAP2Transport
import Synchronization
import Testing

@testable import IAP2Runtime

/// The bounds of all EA sessions of a connection together.
@Suite struct ExternalAccessoryBoundTests {
  private static let name = "com.example.echo"

  /// Runs a head unit and a phone in virtual time and returns the events of the head unit.
  private static func play(
    _ limits: Limits, service: @escaping @Sendable (ExternalAccessoryStream, VirtualTime) async -> Void,
    _ script: @escaping @Sendable (Phone, VirtualTime) async throws -> Void
  ) throws -> [RoleEvent] {
    try VirtualTime.run { time in
      let transports = MemoryTransport.pair()
      var options = RoleOptions()
      options.clock = time
      let phone = Phone(options: options)
      options.limits = limits
      let headUnit = HeadUnit(profile: .standard(protocols: [name]), options: options)
      await headUnit.serve(name) { stream in await service(stream, time) }
      return await withTaskGroup(of: Void.self) { group in
        group.addTask {
          _ = await headUnit.run(on: transports.accessory)
          headUnit.finish()
        }
        group.addTask { _ = await phone.run(on: transports.device) }
        group.addTask {
          do {
            try await time.sleep(until: MonotonicTime(nanoseconds: 5_000_000_000))
            try await script(phone, time)
          } catch { Issue.record("\(error)") }
          await phone.disconnect()
        }
        var events: [RoleEvent] = []
        for await event in headUnit.events { events.append(event.event) }
        return events
      }
    }
  }

  private static func pass(_ seconds: Int64, _ time: VirtualTime) async throws {
    try await time.sleep(until: time.now.adding(milliseconds: Int(seconds) * 1000))
  }

  /// Eight sessions that do not read hold less than each could alone. The session that reads loses nothing.
  @Test func theUnreadBytesOfAllSessionsHaveOneBound() throws {
    var limits = Limits()
    limits.externalAccessoryUnreadByteCount = 400_000
    limits.externalAccessoryTotalUnreadByteCount = 1_000_000
    let bound = limits.externalAccessoryTotalUnreadByteCount
    let held = Mutex<[ExternalAccessoryStream]>([])
    let events = try Self.play(
      limits,
      service: { stream, _ in
        let isFirst = held.withLock { streams in
          streams.append(stream)
          return streams.count == 1
        }
        if isFirst { while await stream.read() != nil {} } else { await stream.waitUntilClosed() }
      },
      { phone, time in
        let read = try await phone.open(Self.name)
        for _ in 0..<8 {
          let stalled = try await phone.open(Self.name)
          do { try await stalled.write([UInt8](repeating: 1, count: 300_000)) } catch {}
          try await read.write([UInt8](repeating: 2, count: 100_000))
          try await Self.pass(1, time)
          let unread = held.withLock { $0.map(\.unreadByteCount) }
          #expect(unread.reduce(0, +) <= bound, "\(unread)")
        }
        #expect(read.isOpen)
        held.withLock { #expect($0.first?.bytesReceived == 800_000 && $0.first?.unreadByteCount == 0) }
      })
    let limit = RoleEvent.violation(.limit(StaticName("externalAccessoryTotalUnreadByteCount"), bound))
    #expect(events.contains(limit))
  }

  /// A closed session that is still read counts too. Its reader loses the bytes if it holds the most.
  @Test func aClosedSessionCountsUntilItIsRead() throws {
    var limits = Limits()
    limits.externalAccessoryUnreadByteCount = 400_000
    limits.externalAccessoryTotalUnreadByteCount = 1_000_000
    let bound = limits.externalAccessoryTotalUnreadByteCount
    let held = Mutex<[ExternalAccessoryStream]>([])
    _ = try Self.play(
      limits,
      service: { stream, time in
        held.withLock { $0.append(stream) }
        // The service neither reads nor returns, as one that waits for its own peer.
        do { try await Self.pass(3600, time) } catch {}
      },
      { phone, time in
        for _ in 0..<8 {
          let stream = try await phone.open(Self.name)
          try await stream.write([UInt8](repeating: 1, count: 300_000))
          await stream.close()
          try await Self.pass(1, time)
          let unread = held.withLock { $0.map(\.unreadByteCount) }
          #expect(unread.reduce(0, +) <= bound && unread.last == 300_000, "\(unread)")
        }
      })
    #expect(held.withLock { $0.count } == 8)
  }

  /// A peer that opens and closes sessions starts no more services than the limit while none of them returns.
  @Test func theServicesOfClosedSessionsHaveALimit() throws {
    var limits = Limits()
    limits.externalAccessoryClosedServices = 3
    let started = Atomic(0)
    let mayReturn = Atomic(false)
    let events = try Self.play(
      limits,
      service: { _, time in
        started.wrappingAdd(1, ordering: .relaxed)
        while !mayReturn.load(ordering: .relaxed) { do { try await Self.pass(1, time) } catch { return } }
      },
      { phone, time in
        for _ in 0..<3 { await (try await phone.open(Self.name)).close() }
        try await Self.pass(2, time)
        for _ in 0..<3 {
          await #expect(throws: ExternalAccessoryError.refused(Self.name)) { _ = try await phone.open(Self.name) }
        }
        #expect(started.load(ordering: .relaxed) == 3)
        // Services that have returned make room.
        mayReturn.store(true, ordering: .relaxed)
        try await Self.pass(3, time)
        for _ in 0..<6 {
          await (try await phone.open(Self.name)).close()
          try await Self.pass(3, time)
        }
        #expect(started.load(ordering: .relaxed) == 9)
      })
    let refusals = events.count {
      $0 == .violation(.limit(StaticName("externalAccessoryClosedServices"), 3))
    }
    #expect(refusals == 3)
  }
}
