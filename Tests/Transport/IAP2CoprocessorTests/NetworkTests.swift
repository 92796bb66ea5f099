// swift-iap2 · Apache-2.0

import IAP2
import IAP2Authentication
import IAP2Runtime
import IAP2Testing
import IAP2Transport
import Synchronization
import Testing

@testable import IAP2Coprocessor

/// Tests of client and server over an in-memory transport, in virtual time.
@Suite struct NetworkTests {
  /// Returns the bytes that a client receives for these bytes until the server closes, and the server's events.
  private static func talk(
    _ pieces: [[UInt8]], _ behavior: EmulatedChip.Behavior = EmulatedChip.Behavior()
  ) throws -> (answer: [UInt8], events: [CoprocessorServer.Event]) {
    let events = Mutex<[CoprocessorServer.Event]>([])
    let answer = try VirtualTime.run { time in
      let chip = Coprocessor(port: EmulatedChip(behavior, clock: time), clock: time)
      let server = CoprocessorServer(chip, clock: time) { event in events.withLock { $0.append(event) } }
      let (near, far) = MemoryTransport.pair()
      async let served: Void = server.serve(far)
      var answer: [UInt8] = []
      // Sending fails on a connection that the server has already closed.
      do {
        for piece in pieces { try await near.send(piece) }
      } catch {}
      // The server has answered everything by this time.
      let stop = Task(executorPreference: time) {
        do { try await time.sleep(until: time.now.adding(milliseconds: 59_000)) } catch { return }
        await near.close()
      }
      while let bytes = try await near.receive() { answer += bytes }
      stop.cancel()
      await served
      return answer
    }
    return (answer, events.withLock { $0 })
  }

  static let information: [UInt8] = FrameTests.magic + [1, 0x81, 0, 8, 7, 0, 3, 0, 0, 0, 3, 0]

  @Test func oneConnectionMayAskManyTimesAndInAnyPieces() throws {
    let request: [UInt8] = FrameTests.magic + [1, 1, 0, 0]
    #expect(
      try Self.talk([request, request + request]).answer == Self.information + Self.information + Self.information)
    #expect(try Self.talk(request.map { [$0] }).answer == Self.information)
  }

  @Test func aRequestCutAtAnyByteEndsWithoutAnAnswer() throws {
    let request: [UInt8] = FrameTests.magic + [1, 4, 0, 3, 1, 2, 3]
    for cut in 1..<request.count {
      let (answer, events) = try Self.talk([Array(request[..<cut])])
      #expect(answer == [])
      #expect(events.contains(.invalidRequest(client: "loopback", .truncated)))
    }
  }

  /// Returns the time for which the server keeps a client that sends one piece every `milliseconds` and then nothing,
  /// and whether the server reports it as idle.
  private static func closeTime(_ pieces: [[UInt8]], every milliseconds: Int) throws -> (
    end: Int64, isIdleReported: Bool
  ) {
    let events = Mutex<[CoprocessorServer.Event]>([])
    let end = try VirtualTime.run { time in
      let chip = Coprocessor(port: EmulatedChip(EmulatedChip.Behavior(), clock: time), clock: time)
      let server = CoprocessorServer(chip, clock: time) { event in events.withLock { $0.append(event) } }
      let (near, far) = MemoryTransport.pair()
      async let served: Void = server.serve(far)
      for piece in pieces {
        try await time.sleep(until: time.now.adding(milliseconds: milliseconds))
        // The server may already have disconnected the client.
        do { try await near.send(piece) } catch {}
      }
      while try await near.receive() != nil {}
      await served
      return time.now.nanoseconds / 1_000_000
    }
    return (end, events.withLock { $0.contains(.idle(client: "loopback")) })
  }

  @Test func aClientWithoutRequestsIsDisconnectedAfterAMinute() throws {
    let request: [UInt8] = FrameTests.magic + [1, 1, 0, 0]
    #expect(try Self.closeTime([], every: 0) == (60_000, true))
    // Each request restarts the idle time.
    #expect(try Self.closeTime([request, request, request], every: 50_000) == (210_000, true))
    // An incomplete request does not restart the idle time. The eighth byte, after 80 s, is too late.
    #expect(try Self.closeTime(request.map { [$0] }, every: 10_000) == (80_000, true))
  }

  @Test func aClientThatReadsNoAnswerIsDisconnected() throws {
    let events = Mutex<[CoprocessorServer.Event]>([])
    try VirtualTime.run { time in
      let chip = Coprocessor(port: EmulatedChip(EmulatedChip.Behavior(), clock: time), clock: time)
      let server = CoprocessorServer(chip, clock: time) { event in events.withLock { $0.append(event) } }
      let (near, far) = MemoryTransport.pair(capacityByteCount: 10)
      async let served: Void = server.serve(far)
      for _ in 0..<3 { try await near.send(FrameTests.magic + [1, 1, 0, 0]) }
      await served
    }
    #expect(events.withLock { $0.contains(.idle(client: "loopback")) })
  }

  @Test func garbageIsAnsweredOnceAndTheConnectionEnds() throws {
    let fault: [UInt8] = FrameTests.magic + [1, 0xFF, 0, 5, 1, 0, 0, 0, 0]
    let request: [UInt8] = FrameTests.magic + [1, 1, 0, 0]
    #expect(try Self.talk([Array("GET / HTTP/1.1\r\n\r\n".utf8), request]).answer == fault)
    #expect(try Self.talk([FrameTests.magic + [1, 4, 0xFF, 0xFF]]).answer == fault)
    #expect(try Self.talk([FrameTests.magic + [1, 0x81, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0]]).answer == fault)
    #expect(
      try Self.talk([FrameTests.magic + [2, 1, 0, 0]]).answer == FrameTests.magic + [1, 0xFF, 0, 5, 2, 0, 1, 0, 0])
    // A complete request before the garbage is answered.
    #expect(try Self.talk([request + [0]]).answer == Self.information + fault)
  }

  @Test func theChipsErrorsAreReportedByNumber() throws {
    let sign: [UInt8] = FrameTests.magic + [1, 4, 0, 32] + [UInt8](repeating: 5, count: 32)
    var failing = EmulatedChip.Behavior()
    failing.failure = .signingFailed
    #expect(try Self.talk([sign], failing).answer == FrameTests.magic + [1, 0xFF, 0, 5, 6, 0, 6, 0, 0])
    var dead = EmulatedChip.Behavior()
    dead.isDead = true
    #expect(try Self.talk([sign], dead).answer == FrameTests.magic + [1, 0xFF, 0, 5, 4, 0x0B, 0xB8, 0, 0])
    let old = EmulatedChip.Behavior(.version2C)
    #expect(try Self.talk([sign], old).answer == FrameTests.magic + [1, 0xFF, 0, 5, 3, 0, 32, 0, 20])
    var lying = EmulatedChip.Behavior()
    lying.responseLength = 65
    #expect(try Self.talk([sign], lying).answer == FrameTests.magic + [1, 0xFF, 0, 5, 7, 0, 0, 0, 0])
  }

  // MARK: Too many clients

  private static let tooMany: [UInt8] = FrameTests.magic + [1, 0xFF, 0, 5, 9, 0, 32, 0, 0]

  /// A source of clients that all connect at once.
  private final class Crowd: TransportSource {
    let nears: [MemoryTransport]
    private let fars: Mutex<[MemoryTransport]>
    let address = "crowd"

    init(count: Int) {
      let pairs = (0..<count).map { _ in MemoryTransport.pair() }
      nears = pairs.map(\.accessory)
      fars = Mutex(pairs.map(\.device))
    }

    func next() async throws(TransportError) -> (any ByteTransport)? {
      fars.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    func close() async {}
  }

  private static func server(_ time: VirtualTime) -> CoprocessorServer {
    CoprocessorServer(Coprocessor(port: EmulatedChip(EmulatedChip.Behavior(), clock: time), clock: time), clock: time)
  }

  /// TCP sends RST for bytes that a closed socket has not read, and the client may lose the reason.
  @Test func aRequestOfARejectedClientIsReadBeforeTheServerCloses() throws {
    try VirtualTime.run { time in
      let server = Self.server(time)
      let crowd = Crowd(count: 33)
      async let served: Void = server.serve(crowd)
      let rejected = crowd.nears[32]
      #expect(try await rejected.receive() == Self.tooMany)
      try await rejected.send(FrameTests.magic + [1, 1, 0, 0])
      // A client that does not close is disconnected.
      #expect(try await rejected.receive() == nil)
      #expect(time.now == MonotonicTime.zero.adding(milliseconds: 1000))
      for near in crowd.nears { await near.close() }
      try await served
    }
  }

  @Test func eachClientAboveTheLimitGetsTheReason() throws {
    try VirtualTime.run { time in
      let server = Self.server(time)
      // No client closes, so that 64 of them are rejected at a time.
      let crowd = Crowd(count: 32 + 3 * 64)
      async let served: Void = server.serve(crowd)
      for near in crowd.nears.dropFirst(32) { #expect(try await near.receive() == Self.tooMany) }
      #expect(time.now == MonotonicTime.zero.adding(milliseconds: 2000))
      for near in crowd.nears { await near.close() }
      try await served
    }
  }

  @Test func rejectedClientsDoNotDelayTheEnd() throws {
    try VirtualTime.run { time in
      let server = Self.server(time)
      let crowd = Crowd(count: 33)
      async let served: Void = server.serve(crowd)
      #expect(try await crowd.nears[32].receive() == Self.tooMany)
      await server.end()
      try await served
      #expect(time.now == .zero)
    }
  }

  // MARK: The client

  /// Runs the body with a client whose server answers a request with these bytes and then closes. Without bytes the
  /// server never answers.
  private static func ask<Value: Sendable>(
    _ answer: [UInt8]?, _ body: @escaping @Sendable (RemoteCoprocessor) async throws(CoprocessorError) -> Value
  ) throws -> Result<Value, CoprocessorError> {
    try VirtualTime.run { time in
      let remote = RemoteCoprocessor(address: "tcp:test:1", clock: time) { () throws(TransportError) in
        let (near, far) = MemoryTransport.pair()
        Task(executorPreference: time) {
          guard let answer, try await far.receive() != nil else { return }
          try await far.send(answer)
          await far.close()
        }
        return near
      }
      do throws(CoprocessorError) { return .success(try await body(remote)) } catch { return .failure(error) }
    }
  }

  @Test func answersAreReadOrReported() throws {
    func information(_ bytes: [UInt8]?) throws -> Result<CoprocessorInformation, CoprocessorError> {
      try Self.ask(bytes) { (remote) throws(CoprocessorError) in try await remote.information() }
    }
    #expect(try information(Self.information).get().deviceID == 0x0300)
    for cut in 0..<Self.information.count {
      #expect(try information(Array(Self.information[..<cut])) == .failure(.badFrame(.truncated)))
    }
    #expect(try information(Array("HTTP/1.1 400".utf8)) == .failure(.badFrame(.badMagic(offset: 0))))
    #expect(try information(Self.information + [0]) == .failure(.badFrame(.badMagic(offset: 0))))
    #expect(
      try information(FrameTests.magic + [1, 0x85, 0, 1, 0xC0]) == .failure(.badFrame(.unexpected(kind: 0x85))))
    #expect(try information(FrameTests.magic + [1, 0x01, 0, 0]) == .failure(.badFrame(.unexpected(kind: 0x01))))
    #expect(
      try information(FrameTests.magic + [1, 0x82, 0xFF, 0xFF])
        == .failure(.badFrame(.badLength(kind: 0x82, byteCount: 65_535, allowed: 1...1_280))))
    #expect(
      try information(FrameTests.magic + [1, 0xFF, 0, 5, 6, 0, 5, 0, 0]) == .failure(.chip(ChipError(code: 5))))
    #expect(
      try information(FrameTests.magic + [1, 0xFF, 0, 5, 99, 0, 5, 0, 0])
        == .failure(.remote(FrameFault(.unknown, 5))))
    #expect(try information(nil) == .failure(.noReply(milliseconds: 30_000)))
  }

  /// The server sends a fault to a client beyond its limit and closes without reading a request.
  @Test func bytesBeforeAnyRequestAreReceived() throws {
    let fault: [UInt8] = FrameTests.magic + [1, 0xFF, 0, 5, 9, 0, 32, 0, 0]
    let found: Result<CoprocessorInformation, CoprocessorError> = try VirtualTime.run { time in
      let remote = RemoteCoprocessor(address: "tcp:test:1", clock: time) { () throws(TransportError) in
        let (near, far) = MemoryTransport.pair()
        try await far.send(fault)
        await far.close()
        return near
      }
      do throws(CoprocessorError) { return .success(try await remote.information()) } catch { return .failure(error) }
    }
    #expect(found == .failure(.remote(FrameFault(.tooManyClients, 32))))
  }

  @Test func challengesAboveAFramesLengthAreNotSent() throws {
    for count in [0, 129] {
      let found = try Self.ask(nil) { (remote) throws(CoprocessorError) in
        try await remote.sign(challenge: [UInt8](repeating: 0, count: count))
      }
      #expect(found == .failure(.badLength(.challengeLength, found: count, allowed: 1...128)))
    }
  }

  /// Connects to a server over an in-memory transport.
  private final class Exchange: Sendable {
    let server: CoprocessorServer
    let time: VirtualTime
    private let far = Mutex<[MemoryTransport]>([])

    init(_ server: CoprocessorServer, _ time: VirtualTime) { (self.server, self.time) = (server, time) }

    var dialled: [MemoryTransport] { far.withLock { $0 } }

    func dial() -> MemoryTransport {
      let (near, far) = MemoryTransport.pair()
      self.far.withLock { $0.append(far) }
      Task(executorPreference: time) { [server] in await server.serve(far) }
      return near
    }

    var remote: RemoteCoprocessor {
      RemoteCoprocessor(address: "tcp:test:1", clock: time) { () throws(TransportError) in self.dial() }
    }
  }

  @Test func clientsTakeTurns() throws {
    try VirtualTime.run { time in
      var behavior = EmulatedChip.Behavior()
      behavior.busyMilliseconds = 1
      let chip = Coprocessor(port: EmulatedChip(behavior, clock: time), clock: time)
      let exchange = Exchange(CoprocessorServer(chip, clock: time), time)
      try await withThrowingTaskGroup(of: Void.self) { clients in
        for seed in UInt8(0)..<4 {
          clients.addTask {
            let remote = exchange.remote
            let certificate = try AccessoryCertificate(try await remote.certificate())
            for round in UInt8(0)..<4 {
              let challenge = [UInt8](repeating: seed &* 16 &+ round, count: 32)
              let response = try await remote.sign(challenge: challenge)
              try certificate.verify(response: response, challenge: challenge)
            }
            await remote.close()
          }
        }
        try await clients.waitForAll()
      }
      #expect(exchange.dialled.count == 4)
    }
  }

  @Test func aLostConnectionIsDialedAgainOnce() throws {
    try VirtualTime.run { time in
      let chip = Coprocessor(port: EmulatedChip(EmulatedChip.Behavior(), clock: time), clock: time)
      let exchange = Exchange(CoprocessorServer(chip, clock: time), time)
      let remote = exchange.remote
      _ = try await remote.information()
      for count in 1...3 {
        #expect(exchange.dialled.count == count)
        exchange.dialled[count - 1].cut()
        let serial = try await remote.serialNumber()
        #expect(serial.count == 32)
      }
      await remote.close()
    }
  }
}

@Suite struct CoprocessorAddressTests {
  @Test func addressesAreReadAndWritten() throws {
    let good: [(String, CoprocessorAddress)] = [
      ("i2c:/dev/i2c-1", .i2c(I2CAddress(path: "/dev/i2c-1"))),
      ("i2c:/dev/i2c-1@0x11", .i2c(I2CAddress(path: "/dev/i2c-1", chip: 0x11))),
      ("tcp:127.0.0.1:7020", .tcp(host: "127.0.0.1", port: 7020)), ("tcp:[::1]:7020", .tcp(host: "::1", port: 7020)),
      ("emulated:3.0", .emulated(.version3)), ("emulated:2.0C", .emulated(.version2C)),
    ]
    for (text, address) in good {
      #expect(try CoprocessorAddress(parsing: text) == address)
      #expect(address.description == text)
    }
    #expect(try CoprocessorAddress(parsing: "i2c:/dev/i2c-1@10") == .i2c(I2CAddress(path: "/dev/i2c-1", chip: 0x10)))
    #expect(try CoprocessorAddress(parsing: "emulated") == .emulated(.version3))
  }

  @Test(arguments: [
    "", "i2c", "i2c:", "i2c:dev", "i2c:/dev/i2c-1@", "i2c:/dev/i2c-1@7", "i2c:/dev/i2c-1@78", "i2c:/dev/i2c-1@xx",
    "i2c:/dev/i2c-1@0x110", "tcp:", "tcp:host", "tcp:host:0", "tcp:host:70000", "emulated:", "emulated:2.0", "usb",
    "unix:/tmp/x",
  ])
  func malformedAddressesAreRejected(text: String) {
    #expect(throws: CoprocessorAddress.Problem(text: text)) { try CoprocessorAddress(parsing: text) }
  }
}
