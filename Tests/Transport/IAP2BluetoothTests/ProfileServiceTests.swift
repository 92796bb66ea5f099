// swift-iap2 · Apache-2.0

import IAP2Transport

#if Bluetooth
  import DBus
  import Glibc
  import IAP2
  import IAP2Transport
  import Synchronization
  import Testing

  @testable import IAP2Bluetooth

  /// Tests of records and calls on a message bus that the test emulates.
  @Suite(.timeLimit(.minutes(10))) struct ProfileServiceTests {
    private static let address = "rfcomm-listen:3"

    private static func service(on bus: FakeBus) async throws -> ProfileService {
      let address = bus.address
      return try await onOwnThread(bluetoothThread) { () throws(TransportError) in
        try ProfileService(
          BlueZ.records(of: .accessory, channel: 3, offersCarPlay: false), adapter: nil, address: Self.address
        ) { () throws(BusFailure) in
          try SystemBus(address: address)
        } onEvent: { _ in
        }
      }
    }

    /// Returns the two ends of a stream: the one that bluetoothd passes on, and the peer's.
    private static func pair() throws -> (given: Int32, peer: Int32) {
      var ends: [Int32] = [-1, -1]
      try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      return (ends[0], ends[1])
    }

    private static func nextCaller(_ service: ProfileService) async -> RFCOMMTransport? {
      while !service.isOver, !Task.isCancelled {
        if let transport = service.take() { return transport }
        await service.changed.wait()
      }
      return nil
    }

    /// The limit of a wait for another thread, which usually takes milliseconds. A busy machine may need seconds.
    private static let waitLimit = Duration.seconds(60)

    /// Waits until another thread makes the condition true. Returns false after the limit.
    private static func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
      let end = ContinuousClock.now + waitLimit
      while try await !condition() {
        guard ContinuousClock.now < end else { return false }
        try await Task.sleep(for: .milliseconds(5))
      }
      return true
    }

    @Test func aCallThatArrivedWithAnAnswerIsAccepted() async throws {
      let bus = try FakeBus()
      let service = try await Self.service(on: bus)
      let (given, peer) = try Self.pair()
      bus.accompany("RegisterProfile", with: BusBytes.newConnection(serial: 7), given)
      bus.send(BusBytes.bluetoothdCame(serial: 6))
      let caller = await Self.nextCaller(service)
      #expect(caller != nil)
      await caller?.close()
      Glibc.close(peer)
      await service.stop()
      #expect(bus.calls.filter { $0 == "RegisterProfile" }.count == 2)
      bus.end()
    }

    @Test func theEndOfTheBusHasAnErrorOfItsOwn() async throws {
      let bus = try FakeBus()
      let service = try await Self.service(on: bus)
      #expect(service.failure == nil)
      bus.end()
      #expect(await Self.nextCaller(service) == nil)
      #expect(service.failure == .bluetooth(.busLost, address: Self.address))
    }

    @Test func aServiceThatWasStoppedHasNotFailed() async throws {
      let bus = try FakeBus()
      let service = try await Self.service(on: bus)
      await service.stop()
      #expect(service.isOver && service.failure == nil)
      bus.end()
    }

    @Test func closedCallersFreeTheirPlaces() async throws {
      let bus = try FakeBus()
      let service = try await Self.service(on: bus)
      /// Sends a call and returns whether it was accepted.
      func call(_ serial: UInt32) async throws -> Bool {
        let (given, peer) = try Self.pair()
        defer { Glibc.close(peer) }
        bus.send(BusBytes.newConnection(serial: serial), given)
        #expect(try await Self.eventually { bus.answer(to: serial) != nil })
        return bus.answer(to: serial) == true
      }
      // Seven callers may wait. Each one disconnects as soon as it has its answer.
      for serial in UInt32(1)...7 { #expect(try await call(serial)) }
      // The ends of the calls are seen on other threads.
      var serial = UInt32(7)
      let isAccepted = try await Self.eventually {
        serial += 1
        return try await call(serial)
      }
      #expect(isAccepted)
      await service.stop()
      bus.end()
    }
  }
#endif
