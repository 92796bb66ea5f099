// swift-iap2 · Apache-2.0

import Dispatch
import ExternalAccessory
import ExternalAccessoryTesting
import Foundation
import IAP2
import Synchronization
import Testing

extension AccessoryAppTests {
  @Suite struct Sessions {
    private func refusals() -> [SessionRefusal] {
      AccessoryBench.log.compactMap { if case .sessionRefused(_, let reason) = $0.event { reason } else { nil } }
    }

    @Test func aProtocolOutsideTheInfoPlistIsNotOpened() async throws {
      let carried = try Carried(try await attachEcho())
      AccessoryBench.declare(protocols: [])
      #expect(carried.open() == nil)
      AccessoryBench.setInfoPlist(["UISupportedExternalAccessoryProtocols": [echoName]])
      #expect(carried.open() != nil)
      #expect(refusals() == [.notDeclared])
    }

    @Test func anUnknownProtocolAndASecondSessionAreNotOpened() async throws {
      let carried = try Carried(try await attachEcho())
      AccessoryBench.declare(protocols: [echoName, "com.example.other", "com.example.unknown"])
      #expect(carried.open("com.example.unknown") == nil)
      let first = carried.open()
      #expect(first != nil && carried.open() == nil)
      #expect(carried.open("com.example.other") != nil, "another protocol of the same accessory")
      #expect(refusals() == [.unknownProtocol, .inUse])
      withExtendedLifetime(first) {}
    }

    @Test func aSessionThatIsReplacedEndsAndTheNewOneWorks() async throws {
      let carried = try Carried(try await attachEcho())
      AccessoryBench.options.sessionInUse = .replace
      let first = Client(try #require(carried.open()), sending: pattern(1_000_000))
      first.begin(in: .main)
      let second = Client(try #require(carried.open()), sending: pattern(1000))
      second.begin(in: .main)
      #expect(await first.finishedInTime())
      #expect(await second.finishedInTime())
      #expect(second.received.withLock { $0 } == pattern(1000))
      first.end()
      second.end()
    }

    @Test func anAccessoryThatIsGoneOrRefusedGivesNoSession() async throws {
      let attached = try await attachEcho()
      let carried = try Carried(attached)
      AccessoryBench.refuseSessions(1)
      #expect(carried.open() == nil)
      await attached.unplug()
      #expect(carried.open() == nil && !carried.accessory.isConnected)
      #expect(refusals() == [.fault, .gone])
    }

    @Test func anAccessoryThatDoesNotAnswerBlocksNoLongerThanTheLimit() async throws {
      let attached = try await attachEcho()
      let carried = try Carried(attached)
      AccessoryBench.options.openTimeout = .milliseconds(50)
      attached.goHalfOpen()
      #expect(carried.open() == nil)
      #expect(refusals() == [.timedOut])
    }

    @Test func anAccessoryThatDeclinesASessionRefusesIt() async throws {
      await AccessoryBench.reset()
      AccessoryBench.declare(protocols: [echoName])
      var profile = HeadUnitProfile.standard(protocols: [echoName], features: [])
      profile.identification.messagesReceivedFromDevice.elements.removeAll { $0 == 0xEA00 }
      let attached = try await AccessoryBench.attach(profile)
      #expect(try Carried(attached).open() == nil)
      #expect(refusals() == [.refused])
    }

    @Test func aSessionOpensAgainAtOnceAfterBothStreamsAreClosed() async throws {
      let carried = try Carried(try await attachEcho())
      for _ in 0..<20 {
        let session = try #require(carried.open())
        session.inputStream?.open()
        session.outputStream?.open()
        #expect(session.outputStream?.put([1, 2, 3]) == 3)
        session.inputStream?.close()
        session.outputStream?.close()
      }
      #expect(refusals() == [])
    }

    @Test func aReleasedSessionGivesItsProtocolBack() async throws {
      let carried = try Carried(try await attachEcho())
      for _ in 0..<3 { #expect(carried.open() != nil) }
      let input = carried.open()?.inputStream
      #expect(input != nil && carried.open() == nil, "a stream keeps its session")
    }

    @Test func bytesThatWereWrittenBeforeTheCloseArrive() async throws {
      await AccessoryBench.reset()
      AccessoryBench.declare(protocols: [echoName])
      let attached = try await AccessoryBench.attach(name: "Keeper", protocols: [echoName])
      let carried = try Carried(attached)
      let session = try #require(carried.open())
      session.outputStream?.open()
      #expect(session.outputStream?.put(pattern(4096)) == 4096)
      session.outputStream?.close()
      session.inputStream?.close()
      // The next session opens after the end of the first.
      #expect(carried.open() != nil)
      try await until { attached.received(echoName).count == 4096 }
      #expect(attached.received(echoName) == pattern(4096))
    }

    @Test func sessionsOpenInManyTasksAtOnceAndOnTheMainActor() async throws {
      await AccessoryBench.reset()
      let names = (0..<16).map { "com.example.p\($0)" }
      AccessoryBench.declare(protocols: names + [echoName])
      let attached = try await AccessoryBench.attach(name: "Many", protocols: names + [echoName])
      let carried = try Carried(attached)
      await withTaskGroup(of: Bool.self) { group in
        for name in names { group.addTask { carried.open(name) != nil } }
        for await isOpen in group { #expect(isOpen) }
      }
      #expect(await MainActor.run { carried.open() != nil })
      #expect(refusals() == [])
    }

    @Test func aServiceThatBlocksItsThreadDoesNotStopThePhone() async throws {
      let attached = try await attachEcho()
      let free = DispatchSemaphore(value: 0)
      defer { free.signal() }
      let blocker = try await AccessoryBench.attach(
        name: "Blocker", protocols: [echoName], services: [echoName: { _ in block(free) }])
      let blocked = try #require(try Carried(blocker).open())
      let client = Client(try #require(try Carried(attached).open()), sending: pattern(10_000))
      client.begin(in: .main)
      #expect(await client.finishedInTime())
      client.end()
      withExtendedLifetime(blocked) {}
    }
  }
}

/// Blocks the calling thread until the semaphore is signaled.
private func block(_ semaphore: DispatchSemaphore) { semaphore.wait() }
