// swift-iap2 · Apache-2.0

import Dispatch
import ExternalAccessory
import ExternalAccessoryTesting
import Foundation
import Synchronization
import Testing

/// Failures of the field in which a session does not open. Each test has a naive app that fails and a careful one that
/// does not.
extension AccessoryAppTests {
  @MainActor @Suite struct FieldOpening {
    /// Sends through optionals and takes the message for sent.
    private final class OptionalSender: Talker {
      var isSent = false

      func start(_ accessory: EAAccessory?) {
        _ = open(accessory)
        _ = session?.outputStream?.put([1, 2, 3])
        isSent = true
      }
    }

    @Test func withoutTheProtocolInTheInfoPlistTheNaiveAppSendsToNobody() async throws {
      let attached = try await attachEcho()
      AccessoryBench.declare(protocols: [])
      let naive = OptionalSender()
      naive.start(attached.eaAccessory)
      #expect(naive.isSent && naive.session == nil)
      let careful = Talker()
      #expect(!careful.open(attached.eaAccessory), "the careful app knows that it has no session")
      #expect(refusals == [.notDeclared, .notDeclared])
    }

    @Test func theFirstAccessoryOfTheListIsNotAlwaysTheAppsOwn() async throws {
      await AccessoryBench.reset()
      AccessoryBench.declare(protocols: [echoName])
      let careful = Talker()
      #expect(careful.listed() == nil, "an empty list is no error")
      try await AccessoryBench.attach(name: "Keyboard", protocols: ["com.example.keys"])
      try await AccessoryBench.attach(name: "Echo", protocols: [echoName], services: [echoName: echo])
      let naive = Talker()
      #expect(!naive.open(EAAccessoryManager.shared().connectedAccessories.first))
      #expect(careful.open(careful.listed()) && refusals == [.unknownProtocol])
    }

    @Test func aSessionThatWasNotClosedKeepsTheNextOneOut() async throws {
      let attached = try await attachEcho()
      let naive = Talker()
      #expect(naive.open(attached.eaAccessory))
      let left = naive.forget()
      for _ in 0..<3 { #expect(!naive.open(attached.eaAccessory)) }
      for stream in left { stream.close() }
      let careful = Talker()
      for _ in 0..<3 {
        #expect(careful.open(attached.eaAccessory))
        careful.close()
      }
      #expect(refusals == [.inUse, .inUse, .inUse])
    }

    @Test func aSessionThatLingersNeedsAnotherAttempt() async throws {
      let attached = try await attachEcho(faults: "linger=60000")
      let naive = Talker()
      #expect(naive.open(attached.eaAccessory))
      naive.close()
      #expect(!naive.open(attached.eaAccessory), "the naive app gives up")
      AccessoryBench.faults.linger = .milliseconds(1)
      let careful = Talker()
      try await until { careful.open(attached.eaAccessory) }
      #expect(careful.session != nil && refusals.allSatisfy { $0 == .inUse })
    }

    @Test func aProtocolThatAnotherAppHoldsOpensLater() async throws {
      let attached = try await attachEcho(faults: "held=\(echoName)+50")
      AccessoryBench.faults.held.append(.init("com.example.other"))
      AccessoryBench.declare(protocols: [echoName, "com.example.other"])
      let naive = Talker()
      #expect(!naive.open(attached.eaAccessory, "com.example.other"), "the other app keeps it")
      let careful = Talker()
      try await until { careful.open(attached.eaAccessory) }
      #expect(careful.session != nil && refusals.allSatisfy { $0 == .inUse })
      careful.close()
      AccessoryBench.faults.held = [.init(echoName)]
      // The careful app tells its user after some attempts.
      #expect((0..<3).allSatisfy { _ in !careful.open(attached.eaAccessory) })
    }

    @Test func bytesThatAreSwallowedAreSentAgainByTheCarefulApp() async throws {
      let attached = try await attachEcho(faults: "swallow=5")
      let naive = Talker()
      naive.open(attached.eaAccessory)
      naive.send("HELLO")
      // The naive app waits for ever: what it sends now comes back, and the greeting does not.
      naive.send("x")
      try await until { !naive.received.isEmpty }
      #expect(naive.text == "x")
      naive.close()
      let careful = Talker()
      careful.open(attached.eaAccessory)
      careful.send("HELLO")
      careful.send("HELLO")
      try await until { careful.received.count == 5 }
      #expect(careful.text == "HELLO")
    }

    @Test func aRefusedSessionWasOpenForTheAccessoryAndOpensAtALaterAttempt() async throws {
      await AccessoryBench.reset()
      AccessoryBench.declare(protocols: [echoName])
      let sessionCount = Mutex(0)
      let attached = try await AccessoryBench.attach(
        name: "Echo", protocols: [echoName],
        services: [
          echoName: { session in
            sessionCount.withLock { $0 += 1 }
            await echo(session)
          }
        ], faults: "refuse-open=2:\(echoName)")
      let naive = Talker()
      #expect(!naive.open(attached.eaAccessory))
      let careful = Talker()
      #expect((0..<5).contains { _ in careful.open(attached.eaAccessory) })
      #expect(refusals == [.fault, .fault])
      try await until { sessionCount.withLock { $0 } == 3 }
      #expect(sessionCount.withLock { $0 } == 3, "the accessory has opened all three")
    }

    @Test func anAccessoryThatAnswersLateFreezesTheAppThatOpensOnItsMainThread() async throws {
      let attached = try await attachEcho(faults: "slow-open=300")
      let carried = try Carried(attached)
      let picture = Picture()
      picture.draw()
      let naive = Talker()
      #expect(naive.open(carried.accessory))
      #expect(!picture.isShown, "nothing was drawn while the session opened")
      naive.close()
      try await until { picture.isShown }
      let wasShown = await withCheckedContinuation { (done: CheckedContinuation<Bool, Never>) in
        Thread.detachNewThread {
          picture.draw()
          // The main thread may be busy with other tests, for longer than one session opens.
          var isOpen = true
          for attempt in 0..<200 where isOpen && (attempt == 0 || !picture.isShown) { isOpen = carried.open() != nil }
          done.resume(returning: picture.isShown && isOpen)
        }
      }
      #expect(wasShown, "the careful app draws while the session opens on another thread")
    }

    @Test func anAccessoryThatAuthenticatesSlowlyIsNotInTheListAtTheStart() async throws {
      await AccessoryBench.reset()
      AccessoryBench.declare(protocols: [echoName])
      let (naive, careful) = (Talker(), Talker())
      let notices = Notices(connected: { careful.open($0) })
      let attached = try await AccessoryBench.attach(
        name: "Slow", protocols: [echoName], faults: "stall=detected+2000", isPlugged: false)
      // The list is read at once, while the accessory authenticates for two seconds.
      async let plug: Void = attached.plug()
      naive.open(naive.listed())
      careful.open(careful.listed())
      await plug
      #expect(naive.session == nil && careful.session != nil)
      withExtendedLifetime(notices) {}
    }

    @Test func anAppThatTakesEverySessionForOpenCrashes() async throws {
      await #expect(processExitsWith: .failure) {
        let attached = try await attachEcho(faults: "refuse-open=always")
        let accessory = try #require(attached.eaAccessory)
        let session = EASession(accessory: accessory, forProtocol: echoName)
        session!.inputStream!.open()
      }
      let attached = try await attachEcho(faults: "refuse-open=always")
      let careful = Talker()
      #expect(!careful.open(attached.eaAccessory))
    }
  }
}
