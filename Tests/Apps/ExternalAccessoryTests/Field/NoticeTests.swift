// swift-iap2 · Apache-2.0

import CarSupport
import ExternalAccessory
import ExternalAccessoryTesting
import Foundation
import Testing

/// Failures of the field around connect and disconnect notifications. Each test has a naive app that fails and a
/// careful one that does not.
extension AccessoryAppTests {
  @MainActor @Suite struct FieldNotices {
    /// Resets the bench without an accessory.
    private func begin(_ names: [String] = [echoName]) async {
      await AccessoryBench.reset()
      AccessoryBench.declare(protocols: names)
    }

    @discardableResult private func attach(
      _ name: String = "Echo", faults: String = "", isPlugged: Bool = true
    ) async throws -> AttachedAccessory {
      try await AccessoryBench.attach(
        name: name, protocols: [echoName], services: [echoName: echo], faults: faults, isPlugged: isPlugged)
    }

    /// Opens with the first accessory it is told of, whatever its protocols, and then looks no further.
    private final class FirstNotice: Talker {
      private var isDone = false

      func connected(_ accessory: EAAccessory) {
        guard !isDone else { return }
        isDone = true
        open(accessory)
      }
    }

    @Test func anEarlyConnectHasNoProtocolsAndIsTakenBack() async throws {
      await begin()
      let (naive, careful) = (FirstNotice(), Talker())
      var counts = (connects: 0, disconnects: 0)
      let notices = Notices(
        connected: { accessory in
          counts.connects += 1
          naive.connected(accessory)
          if accessory.protocolStrings.contains(echoName) { careful.open(accessory) }
        }, disconnected: { _ in counts.disconnects += 1 })
      try await attach(faults: "early-connect=1")
      try await until { careful.session != nil }
      #expect(counts.connects == 2 && counts.disconnects == 1)
      #expect(naive.session == nil && careful.session != nil && refusals == [.unknownProtocol])
      withExtendedLifetime(notices) {}
    }

    @Test(.onlyCar) func aLostConnectNoticeIsFoundInTheList() async throws {
      await begin()
      AccessoryBench.declare(protocols: [echoName], runsInBackground: true)
      let (naive, careful) = (Talker(), Talker())
      let notices = Notices(connected: { naive.open($0) })
      notices.observe("UIApplicationWillEnterForegroundNotification") { careful.open(careful.listed()) }
      try await attach(faults: "lose-connect=1")
      #expect(naive.session == nil && careful.session == nil && careful.listed() != nil)
      await AccessoryBench.enterForeground()
      #expect(naive.session == nil && careful.session != nil)
    }

    /// Takes the accessory for connected until it is told otherwise.
    private final class Truster: Talker {
      var isConnected = false
    }

    /// Ends the session itself if a question is not answered until the next one.
    private final class Asker: Talker {
      private var hasAsked = false

      func ask() {
        read()
        if hasAsked, received.isEmpty { return end(isError: true) }
        (hasAsked, received) = (true, [])
        send("?")
      }
    }

    @Test func aLostDisconnectNoticeIsReplacedByAQuestionWithoutAnAnswer() async throws {
      await begin()
      let (naive, careful) = (Truster(), Asker())
      let notices = Notices(disconnected: { _ in naive.isConnected = false })
      let attached = try await attach(faults: "lose-notice=1")
      naive.isConnected = true
      #expect(careful.open(attached.eaAccessory))
      careful.ask()
      try await until { !careful.received.isEmpty }
      careful.ask()
      // An answer that waited in the stream would be taken for that of the last question.
      try await until { !careful.received.isEmpty }
      await attached.unplug()
      #expect(naive.isConnected && !careful.hasEnded && careful.listed() != nil)
      careful.received = []
      careful.ask()
      #expect(naive.isConnected && careful.hasEnded)
      await attached.notice()
      #expect(!naive.isConnected && careful.listed() == nil)
      withExtendedLifetime(notices) {}
    }

    @Test func aLateDisconnectNoticeComesAfterTheEndOfTheStreams() async throws {
      await begin()
      let (naive, careful) = (Truster(), Talker())
      let notices = Notices(disconnected: { _ in naive.isConnected = false })
      let attached = try await attach(faults: "delay-notice=60000")
      naive.isConnected = true
      careful.open(attached.eaAccessory)
      async let pull: Void = attached.unplug()
      try await until { careful.hasEnded }
      #expect(careful.hasEnded && naive.isConnected && careful.listed() != nil)
      AccessoryBench.faults.delayNotice = nil
      await pull
      #expect(!naive.isConnected && careful.listed() == nil)
      withExtendedLifetime(notices) {}
    }

    /// Opens a session unless it has one.
    private class OneSession: Talker {
      func connected(_ accessory: EAAccessory) { if session == nil { open(accessory) } }
      func disconnected(_ accessory: EAAccessory) { close() }
    }

    /// Follows its accessory to another connection, and tells accessories apart.
    private final class Follower: OneSession {
      override func connected(_ accessory: EAAccessory) {
        guard accessory.protocolStrings.contains(echoName) else { return }
        if session?.accessory?.serialNumber == accessory.serialNumber { close() }
        super.connected(accessory)
      }

      override func disconnected(_ accessory: EAAccessory) {
        if accessory.connectionID == connectionID { super.disconnected(accessory) }
      }
    }

    @Test(arguments: [false, true])
    func aSecondConnectOfTheSameAccessoryWithoutADisconnectMovesTheSession(isCareful: Bool) async throws {
      await begin()
      let app = isCareful ? Follower() : OneSession()
      let notices = Notices(connected: { app.connected($0) }, disconnected: { app.disconnected($0) })
      let bluetooth = try await attach(faults: "lose-notice=1")
      await bluetooth.unplug()
      let usb = try await attach()
      #expect(EAAccessoryManager.shared().connectedAccessories.count == 2)
      app.send("over USB")
      if isCareful { try await until { !app.received.isEmpty } }
      #expect(app.text == (isCareful ? "over USB" : ""))
      #expect((app.connectionID == usb.eaAccessory?.connectionID) == isCareful)
      withExtendedLifetime(notices) {}
    }

    @Test(arguments: [false, true])
    func aDisconnectOfAnotherConnectionLeavesTheSession(isCareful: Bool) async throws {
      await begin()
      let app = isCareful ? Follower() : OneSession()
      let notices = Notices(connected: { app.connected($0) }, disconnected: { app.disconnected($0) })
      let mine = try await attach()
      let other = try await AccessoryBench.attach(name: "Other", protocols: ["com.example.other"])
      await other.unplug()
      #expect((app.session != nil) == isCareful)
      // The same accessory over USB and Bluetooth for a moment: the old connection ends after the new one has begun.
      if isCareful {
        let usb = try await attach()
        await mine.unplug()
        #expect(app.session != nil && app.connectionID == usb.eaAccessory?.connectionID)
      }
      withExtendedLifetime(notices) {}
    }

    /// Closes a session in which nothing has come until a timer.
    private class Impatient: Talker {
      func timerFired(of connectionID: Int?) { close() }
    }

    /// Its timer belongs to one connection.
    private final class Patient: Impatient {
      override func timerFired(of connectionID: Int?) {
        if connectionID == self.connectionID { super.timerFired(of: connectionID) }
      }
    }

    @Test(arguments: [false, true])
    func aTimerOfTheFirstConnectionDoesNotEndTheSecond(isCareful: Bool) async throws {
      await begin()
      let app = isCareful ? Patient() : Impatient()
      let attached = try await attach()
      app.open(attached.eaAccessory)
      let first = app.connectionID
      await attached.unplug()
      await attached.plug()
      #expect(app.hasEnded && app.open(attached.eaAccessory))
      app.timerFired(of: first)
      #expect((app.session != nil) == isCareful)
    }

    @Test func oneComponentThatUnregistersSilencesTheOthers() async throws {
      await begin()
      var count = 0
      let notices = Notices(connected: { _ in count += 1 })
      // The naive component unregisters when it stops, the careful one only removes its own observer.
      EAAccessoryManager.shared().unregisterForLocalNotifications()
      let attached = try await attach()
      #expect(count == 0)
      var other: Notices? = Notices()
      withExtendedLifetime(other) {}
      other = nil
      await attached.unplug()
      await attached.plug()
      #expect(count == 1)
      withExtendedLifetime(notices) {}
    }

    @Test func aGhostStaysInTheListAndOpensASessionThatCarriesNothing() async throws {
      await begin()
      let (naive, careful) = (Talker(), Talker())
      var newest: EAAccessory?
      let notices = Notices(connected: { newest = $0 })
      let attached = try await attach(faults: "ghost=60000")
      await attached.unplug()
      await attached.plug()
      #expect(EAAccessoryManager.shared().connectedAccessories.count == 2)
      #expect(naive.open(naive.listed()), "the first of this name is the ghost")
      naive.send("hello")
      #expect(careful.open(newest))
      careful.send("hello")
      try await until { careful.received.count == 5 }
      #expect(naive.text == "" && careful.text == "hello")
      AccessoryBench.faults.ghost = nil
      try await until { EAAccessoryManager.shared().connectedAccessories.count == 1 }
      #expect(EAAccessoryManager.shared().connectedAccessories.first === newest)
      withExtendedLifetime(notices) {}
    }

    @Test func aHiddenAccessoryNeedsAReplug() async throws {
      await begin()
      let (naive, careful) = (Talker(), Talker())
      let notices = Notices(connected: { careful.open($0) })
      let attached = try await attach(faults: "hidden=1")
      naive.open(naive.listed())
      #expect(attached.isPlugged && naive.session == nil && careful.session == nil)
      // The timer of the careful app asks the user to plug the accessory in again, and its observer waits for that.
      await attached.unplug()
      await attached.plug()
      #expect(naive.session == nil && careful.session != nil)
      withExtendedLifetime(notices) {}
    }

    @Test func theListIsEmptyUntilTheAppRegisters() async throws {
      await begin()
      // A test before this one may have registered; the reset has forgotten that.
      let (naive, careful) = (Talker(), Talker())
      try await attach(faults: "empty-until-registration")
      naive.open(naive.listed())
      EAAccessoryManager.shared().registerForLocalNotifications()
      careful.open(careful.listed())
      #expect(naive.session == nil && careful.session != nil)
    }

    /// Handles the end of streams and no error, so it keeps a session that is dead.
    private final class EndHandler: Talker {
      override func end(isError: Bool) { if !isError { super.end(isError: false) } }
    }

    @Test(arguments: [false, true])
    func aRestartOfThePhonesServiceEndsSessionsWithAnError(isCareful: Bool) async throws {
      await begin()
      let app = isCareful ? Talker() : EndHandler()
      let notices = Notices(connected: { accessory in if app.session == nil { app.open(accessory) } })
      let attached = try await attach()
      let first = try #require(app.connectionID)
      await AccessoryBench.restartService()
      #expect(attached.eaAccessory != nil && attached.eaAccessory?.connectionID != first)
      #expect((app.connectionID == attached.eaAccessory?.connectionID) == isCareful)
      withExtendedLifetime(notices) {}
    }

    @Test func anAccessoryThatWasThereBeforeTheAppIsNotNotified() async throws {
      await begin()
      let attached = try await attach()
      let (naive, careful) = (Talker(), Talker())
      let notices = Notices(connected: { naive.open($0) })
      careful.open(careful.listed())
      #expect(naive.session == nil && careful.session != nil && attached.isPlugged)
      withExtendedLifetime(notices) {}
    }

    /// Opens a session again whenever that fails.
    private class Retrier: Talker {
      var attemptCount = 0
      var mayTry: Bool { true }

      /// - Parameter limit: The end of the test, which the app does not know.
      func connected(_ accessory: EAAccessory, limit: Int) {
        while mayTry, attemptCount < limit {
          attemptCount += 1
          if open(accessory) { return }
        }
      }
    }

    /// Gives up after three attempts, and begins to count anew with each connection.
    private final class BoundedRetrier: Retrier {
      override var mayTry: Bool { attemptCount < 3 }

      override func connected(_ accessory: EAAccessory, limit: Int) {
        attemptCount = 0
        super.connected(accessory, limit: limit)
      }
    }

    @Test(arguments: [false, true])
    func attemptsToOpenHaveALimitThatEachConnectionRestores(isCareful: Bool) async throws {
      await begin()
      let app = isCareful ? BoundedRetrier() : Retrier()
      let notices = Notices(connected: { app.connected($0, limit: 50) })
      let attached = try await attach(faults: "refuse-open=always")
      #expect(app.attemptCount == (isCareful ? 3 : 50) && app.session == nil)
      AccessoryBench.faults.refuseOpen = nil
      await attached.unplug()
      await attached.plug()
      #expect((app.session != nil) == isCareful, "the naive app's counter was not reset")
      withExtendedLifetime(notices) {}
    }

    @Test func aNoticeBeforeTheEndOfTheStreamsLosesUnreadBytesOfTheNaiveApp() async throws {
      await begin()
      /// Reads only at the end.
      final class LateReader: Talker {
        var isLate = true
        override func read() { if !isLate { super.read() } }
        override func end(isError: Bool) {
          isLate = false
          read()
          super.end(isError: isError)
        }
      }
      for isCareful in [false, true] {
        await begin()
        let app = LateReader()
        let notices = Notices(disconnected: { _ in if !isCareful { app.close() } })
        let attached = try await attach(faults: "order=notice-first")
        app.open(attached.eaAccessory)
        app.send("last words")
        try await until {
          AccessoryBench.log.contains { $0.event == .streamEvent(.input, echoName, .hasBytesAvailable) }
        }
        await attached.unplug()
        app.isLate = false
        app.read()
        if isCareful { try await until { app.hasEnded } }
        #expect(app.text == (isCareful ? "last words" : ""))
        withExtendedLifetime(notices) {}
      }
    }
  }
}
