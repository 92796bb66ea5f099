// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Authentication
import IAP2Runtime
import IAP2Simulation
import IAP2Sockets
import IAP2Transport
import Synchronization

enum SessionBenchmarks {
  /// CPU time of this process.
  private static var cpuSeconds: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Detection to identified, both roles, real P-256, in virtual time.
  static func handshake() throws -> Double {
    let count = 200
    let start = cpuSeconds
    for _ in 0..<count {
      try VirtualTime.run { time in
        let transports = MemoryTransport.pair()
        var options = RoleOptions()
        options.clock = time
        let headUnit = HeadUnit(profile: .standard(), options: options)
        let phone = Phone(options: options)
        await withTaskGroup(of: Void.self) { group in
          group.addTask { _ = await headUnit.run(on: transports.accessory) }
          group.addTask {
            _ = await phone.run(on: transports.device)
            phone.finish()
          }
          for await event in phone.events where event.event.identification != nil { break }
          transports.device.cut()
        }
      }
    }
    return (cpuSeconds - start) / Double(count)
  }

  /// Resident bytes of this process.
  private static var residentByteCount: Int {
    do {
      let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
      return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * Int(getpagesize())
    } catch { fatalError("\(error)") }
  }

  /// Bytes each core endpoint holds, link up and quiet.
  static func idle(pairs: Int) -> Double {
    var all: [JoinedEndpoints] = []
    all.reserveCapacity(pairs)
    let start = residentByteCount
    for _ in 0..<pairs {
      var pair = JoinedEndpoints(window: 32, packetLength: 4096)
      do { try pair.device.send(message: [0x40, 0x40, 0, 6, 0x1D, 0]) } catch { fatalError("\(error)") }
      pair.exchange()
      pair.exchange()
      all.append(pair)
    }
    let held = residentByteCount - start
    use(all.count)
    return Double(held) / Double(2 * pairs)
  }

  /// Bytes each side of an idle connection holds in the runtime: actors, tasks, transport and core. A task reads the
  /// events of each side, as a user does.
  ///
  /// - Parameter connect: Returns the two ends of a new connection.
  static func idleConnections(
    pairs: Int, _ connect: () async throws -> (accessory: any ByteTransport, device: any ByteTransport)
  ) async throws -> Double {
    let start = residentByteCount
    let (profile, options) = (HeadUnitProfile.standard(), RoleOptions())
    return try await withThrowingTaskGroup(of: Void.self) { group in
      var ends: [any ByteTransport] = []
      for _ in 0..<pairs {
        let (accessory, device) = try await connect()
        let headUnit = HeadUnit(profile: profile, options: options)
        let phone = Phone(options: options)
        group.addTask {
          _ = await headUnit.run(on: accessory)
          headUnit.finish()
        }
        group.addTask {
          _ = await phone.run(on: device)
          phone.finish()
        }
        for events in [headUnit.events, phone.events] {
          for await event in events where event.event.identification != nil { break }
          group.addTask { for await _ in events {} }
        }
        ends.append(accessory)
      }
      let held = residentByteCount - start
      for end in ends { await end.close() }
      return Double(held) / Double(2 * pairs)
    }
  }

  /// The same with the two ends of Unix sockets.
  static func idleSockets(pairs: Int) async throws -> Double {
    let path = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).sock").path()
    let source = try await TransportAddress(parsing: "unix-listen:\(path)").open()
    let address = try TransportAddress(parsing: "unix:\(path)")
    let byteCount = try await idleConnections(pairs: pairs) {
      async let accepted = source.next()
      guard let dialled = try await address.open().next(), let accepted = try await accepted else {
        throw TransportError.closed
      }
      return (accepted, dialled)
    }
    await source.close()
    return byteCount
  }

  /// Returns the time that the cycles take, and the growth of memory after the first hundred.
  static func soak(cycles: Int) throws -> String {
    let warmed = Atomic(0)
    let start = ContinuousClock.now
    let done = try Soak.loopback(cycles: cycles) { count in
      if count == min(100, cycles) { warmed.store(residentByteCount, ordering: .relaxed) }
      return true
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let grown = residentByteCount - warmed.load(ordering: .relaxed)
    return String(
      format: "%d cycles in %.1f s, %.0f a second; resident memory grew by %.1f MB", done, seconds,
      Double(done) / seconds, Double(grown) / 1e6)
  }
}
