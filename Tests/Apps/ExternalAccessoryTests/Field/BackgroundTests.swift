// swift-iap2 · Apache-2.0

import CarSupport
import ExternalAccessory
import ExternalAccessoryTesting
import Foundation
import Testing

/// Failures of the field in the background. Each test has a naive app that fails and a careful one that does not.
extension AccessoryAppTests {
  @MainActor @Suite(.onlyCar) struct FieldBackground {
    @Test func anAppThatIsSuspendedWhileItOpensContinuesAfterwards() async throws {
      let attached = try await attachEcho()
      let naive = Talker()
      naive.open(attached.eaAccessory)
      AccessoryBench.suspend()
      await Task.yield()
      // The timer of the naive app ends the attempt and forgets the session.
      let left = naive.forget()
      await AccessoryBench.resume()
      #expect(!naive.open(attached.eaAccessory) && refusals == [.inUse])
      for stream in left { stream.close() }

      let careful = Talker()
      AccessoryBench.suspend()
      #expect(careful.open(attached.eaAccessory))
      careful.send("hello")
      try await until { careful.session?.inputStream?.hasBytesAvailable == true }
      #expect(careful.openedCount == 0 && careful.received.isEmpty)
      await AccessoryBench.resume()
      try await until { careful.received.count == 5 }
      #expect(careful.openedCount == 2 && careful.text == "hello")
      careful.close()
    }

    /// Ends the session if nothing came since its last timer.
    private class Watchdog: Talker {
      private var count = 0

      func timerFired() {
        if received.count == count { end(isError: true) }
        count = received.count
      }
    }

    /// Its timer rests in the background.
    private final class RestingWatchdog: Watchdog {
      var isInBackground = false
      override func timerFired() { if !isInBackground { super.timerFired() } }
    }

    @Test(arguments: [false, true])
    func aSuspendedAppGetsItsBytesAfterwards(isCareful: Bool) async throws {
      let attached = try await attachEcho()
      AccessoryBench.declare(protocols: [echoName], runsInBackground: true)
      let resting = RestingWatchdog()
      let app = isCareful ? resting : Watchdog()
      let notices = Notices()
      notices.observe("UIApplicationDidEnterBackgroundNotification") { resting.isInBackground = true }
      notices.observe("UIApplicationWillEnterForegroundNotification") { resting.isInBackground = false }
      app.open(attached.eaAccessory)
      try await until { app.openedCount == 2 }
      await AccessoryBench.enterBackground()
      AccessoryBench.suspend()
      app.send("hello")
      app.timerFired()
      await AccessoryBench.resume()
      await AccessoryBench.enterForeground()
      if isCareful { try await until { app.text == "hello" } }
      #expect(app.hasEnded == !isCareful && (app.text == "hello") == isCareful)
    }

    @Test func accessoriesThatComeAndGoDuringASuspensionAreNotReported() async throws {
      let attached = try await attachEcho()
      var lines: [String] = []
      let notices = Notices(connected: { lines.append("+\($0.name)") }, disconnected: { lines.append("-\($0.name)") })
      let carried = try Carried(attached)
      AccessoryBench.suspend()
      await attached.unplug()
      let other = try await AccessoryBench.attach(name: "Passing", protocols: [echoName])
      await other.unplug()
      await attached.plug()
      await attached.unplug()
      await attached.plug()
      #expect(lines == [] && carried.accessory.isConnected)
      await AccessoryBench.resume()
      #expect(lines == ["-Echo", "+Echo"] && !carried.accessory.isConnected)
      #expect(EAAccessoryManager.shared().connectedAccessories.map(\.name) == ["Echo"])
      withExtendedLifetime(notices) {}
    }

    /// Keeps its session when it is told of a disconnect.
    private class Keeper: Talker {
      var needsReplug = false

      func connected(_ accessory: EAAccessory) { needsReplug = !open(accessory) }
      func disconnected() {}
    }

    private final class Closer: Keeper {
      override func connected(_ accessory: EAAccessory) { if session == nil { super.connected(accessory) } }
      override func disconnected() { close() }
    }

    @Test(arguments: [false, true])
    func withoutTheBackgroundModeTheSessionHasToBeClosed(isCareful: Bool) async throws {
      let attached = try await attachEcho()
      let app = isCareful ? Closer() : Keeper()
      app.open(attached.eaAccessory)
      let before = app.session
      let notices = Notices(connected: { app.connected($0) }, disconnected: { _ in app.disconnected() })
      await AccessoryBench.enterBackground()
      #expect(attached.eaAccessory == nil)
      await AccessoryBench.enterForeground()
      #expect(refusals == (isCareful ? [] : [.inUse]) && app.needsReplug == !isCareful)
      #expect((app.session === before) == !isCareful)
      withExtendedLifetime(notices) {}
    }

    @Test func anAccessoryThatIsDeadAfterTheBackgroundNeedsAReplug() async throws {
      let attached = try await attachEcho()
      let app = Closer()
      app.open(attached.eaAccessory)
      let notices = Notices(connected: { app.connected($0) }, disconnected: { _ in app.disconnected() })
      await AccessoryBench.enterBackground()
      AccessoryBench.faults.held = [.init(echoName)]
      await AccessoryBench.enterForeground()
      #expect(app.needsReplug && app.session == nil && refusals == [.inUse])
      // The naive app tries again without a replug.
      #expect(!Talker().open(attached.eaAccessory))
      AccessoryBench.faults.held = []
      await attached.unplug()
      await attached.plug()
      #expect(!app.needsReplug && app.session != nil)
      withExtendedLifetime(notices) {}
    }
  }
}
