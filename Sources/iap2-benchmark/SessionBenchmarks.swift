// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Authentication
import IAP2Runtime

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
          for await event in phone.events where event.event == .identified { break }
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

  /// A big echo over real TCP, and the plain copy beside it.
  static func tcp(byteCount: Int, window: UInt8, length: UInt16) async throws -> Double {
    var offer = LinkSynchronization.standard
    offer.maxOutstandingPackets = window
    offer.maxPacketLength = length
    var options = RoleOptions()
    options.preferences = LinkPreferences(offer: offer)
    let source = try await TransportAddress.tcpListen(host: "127.0.0.1", port: 0).open()
    let address = try TransportAddress(parsing: String(source.address.replacing("tcp-listen", with: "tcp")))
    let headUnit = HeadUnit(profile: .standard(protocols: ["sink"]), options: options)
    let phone = Phone(options: options)
    await headUnit.serve("sink") { stream in
      var received = 0
      while received < byteCount, let bytes = await stream.read() { received += bytes.count }
    }
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { if let peer = try await source.next() { _ = await headUnit.run(on: peer) } }
      group.addTask { if let peer = try await address.open().next() { _ = await phone.run(on: peer) } }
      var wanted = 2
      for await event in phone.events where event.event == .authenticated || event.event == .identified {
        wanted -= 1
        if wanted == 0 { break }
      }
      let stream = try await phone.open("sink")
      let clock = ContinuousClock()
      let start = clock.now
      let chunk = [UInt8](repeating: 1, count: 1 << 18)
      var sent = 0
      while sent < byteCount {
        try await stream.write(chunk)
        sent += chunk.count
      }
      // The sink ends the session when it has everything.
      while await stream.read() != nil {}
      let elapsed = (clock.now - start).components
      await phone.disconnect()
      await source.close()
      return Double(byteCount) / (Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18)
    }
  }

  /// The same bytes through the same transports without a protocol.
  static func rawTCP(byteCount: Int) async throws -> Double {
    let source = try await TransportAddress.tcpListen(host: "127.0.0.1", port: 0).open()
    let address = try TransportAddress(parsing: String(source.address.replacing("tcp-listen", with: "tcp")))
    let clock = ContinuousClock()
    let start = clock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        guard let peer = try await source.next() else { return }
        while try await peer.receive() != nil {}
      }
      group.addTask {
        guard let peer = try await address.open().next() else { return }
        let chunk = [UInt8](repeating: 1, count: 1 << 18)
        for _ in 0..<(byteCount / chunk.count) { try await peer.send(chunk) }
        await peer.close()
      }
      try await group.waitForAll()
    }
    let elapsed = (clock.now - start).components
    await source.close()
    return Double(byteCount) / (Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18)
  }
}
