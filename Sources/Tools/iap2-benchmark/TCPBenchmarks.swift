// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Runtime
import IAP2Sockets
import IAP2Transport

/// Benchmarks of an EA session over loopback TCP, compared with plain sockets.
enum TCPBenchmarks {
  static let chunkByteCount = 1 << 18

  /// Measures the machine's limit: two threads with blocking sockets.
  static func plain(byteCount: Int) throws -> Double {
    let (writer, reader) = try connected()
    let start = ContinuousClock.now
    startThread("iap2-benchmark") {
      let chunk = [UInt8](repeating: 1, count: chunkByteCount)
      var sent = 0
      while sent < byteCount {
        let count = unsafe write(writer, chunk, chunk.count)
        guard count > 0 else { break }
        sent += count
      }
      close(writer)
    }
    var bytes = [UInt8](repeating: 0, count: chunkByteCount)
    var received = 0
    while true {
      let count = unsafe read(reader, &bytes, bytes.count)
      guard count > 0 else { break }
      received += count
    }
    close(reader)
    return Double(received) / seconds(since: start)
  }

  /// Measures the cost of a window without a protocol: the writer waits for a byte back after each `window` bytes.
  static func plain(byteCount: Int, window: Int) throws -> Double {
    let (writer, reader) = try connected()
    let start = ContinuousClock.now
    startThread("iap2-benchmark") {
      var bytes = [UInt8](repeating: 0, count: window)
      var received = 0
      while true {
        let count = unsafe read(reader, &bytes, bytes.count)
        guard count > 0 else { break }
        received += count
        if received % window == 0 { guard unsafe write(reader, bytes, 1) == 1 else { break } }
      }
      close(reader)
    }
    let chunk = [UInt8](repeating: 1, count: window)
    var answer: UInt8 = 0
    var sent = 0
    while sent < byteCount {
      guard unsafe write(writer, chunk, window) == window, unsafe read(writer, &answer, 1) == 1 else { break }
      sent += window
    }
    close(writer)
    return Double(sent) / seconds(since: start)
  }

  private static func connected() throws -> (Int32, Int32) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let dialled = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        unsafe bind(listener, name, length) | listen(listener, 1) | getsockname(listener, name, &length)
          | connect(dialled, name, length)
      }
    }
    guard status == 0 else { throw TransportError.system(number: errno, operation: "connect to loopback") }
    let accepted = accept(listener, nil, nil)
    close(listener)
    return (dialled, accepted)
  }

  static func seconds(since start: ContinuousClock.Instant) -> Double {
    let elapsed = (ContinuousClock.now - start).components
    return Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18
  }

  /// Moves the same bytes through the library's transports without a protocol.
  static func transport(byteCount: Int) async throws -> Double {
    let source = try await TransportAddress.tcpListen(host: "127.0.0.1", port: 0).open()
    let address = try TransportAddress(parsing: String(source.address.replacing("tcp-listen", with: "tcp")))
    let start = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        guard let peer = try await source.next() else { return }
        while try await peer.receive() != nil {}
      }
      group.addTask {
        guard let peer = try await address.open().next() else { return }
        let chunk = [UInt8](repeating: 1, count: chunkByteCount)
        for _ in 0..<(byteCount / chunk.count) { try await peer.send(chunk) }
        await peer.close()
      }
      try await group.waitForAll()
    }
    let rate = Double(byteCount) / seconds(since: start)
    await source.close()
    return rate
  }

  enum Work: String { case oneWay, echo }

  /// Sends from phone to head unit through both roles. With `echo` the bytes also return and are compared.
  static func session(_ work: Work, byteCount: Int, window: UInt8, length: UInt16) async throws -> Double {
    var offer = LinkSynchronization.standard
    offer.maxOutstandingPackets = window
    offer.maxPacketLength = length
    var options = RoleOptions()
    options.preferences = LinkPreferences(offer: offer)
    let source = try await TransportAddress.tcpListen(host: "127.0.0.1", port: 0).open()
    let address = try TransportAddress(parsing: String(source.address.replacing("tcp-listen", with: "tcp")))
    let headUnit = HeadUnit(profile: .standard(protocols: ["work"]), options: options)
    let phone = Phone(options: options)
    await headUnit.serve("work") { stream in
      var received = 0
      while received < byteCount, let bytes = await stream.read() {
        received += bytes.count
        if work == .echo { do { try await stream.write(bytes) } catch { return } }
      }
      // The phone decides when the echo ends.
      if work == .echo { while await stream.read() != nil {} }
    }
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { if let peer = try await source.next() { _ = await headUnit.run(on: peer) } }
      group.addTask { if let peer = try await address.open().next() { _ = await phone.run(on: peer) } }
      var wanted = 2
      for await event in phone.events where event.event == .authenticated || event.event.identification != nil {
        wanted -= 1
        if wanted == 0 { break }
      }
      let stream = try await phone.open("work")
      let start = ContinuousClock.now
      group.addTask {
        let chunk = (0..<chunkByteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for _ in 0..<(byteCount / chunk.count) { try await stream.write(chunk) }
      }
      var received = 0
      while received < (work == .echo ? byteCount : 1), let bytes = await stream.read() {
        // Chunks are a multiple of 256 bytes, so the position gives the expected byte.
        guard bytes[0] == UInt8(truncatingIfNeeded: received &* 31) else {
          fatalError("byte \(received) differs from the sent byte")
        }
        received += bytes.count
      }
      let rate = Double(byteCount) / seconds(since: start)
      await stream.close()
      await phone.disconnect()
      await source.close()
      return rate
    }
  }
}
