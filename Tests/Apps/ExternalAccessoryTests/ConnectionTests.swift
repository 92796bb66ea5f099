// swift-iap2 · Apache-2.0

import CarSupport
import CoreFoundation
import Dispatch
import ExternalAccessory
import ExternalAccessoryTesting
import Foundation
import Synchronization
import Testing

/// The reports that an app received, in order.
private final class Witness: NSObject, EAAccessoryDelegate, Sendable {
  private struct State {
    var lines: [String] = []
    var tokens: [any NSObjectProtocol] = []
  }
  private struct Box: @unchecked Sendable { var state = State() }

  private let box = Mutex(Box())

  var lines: [String] { box.withLock { $0.state.lines } }
  func add(_ line: String) { box.withLock { $0.state.lines.append(line) } }

  func watch() {
    for (name, word) in [
      (Notification.Name.EAAccessoryDidConnect, "connect"), (.EAAccessoryDidDisconnect, "disconnect"),
    ] {
      let token = NotificationCenter.default.addObserver(
        forName: name, object: EAAccessoryManager.shared(), queue: nil
      ) { [weak self] note in
        dispatchPrecondition(condition: .onQueue(.main))
        guard let accessory = note.userInfo?[EAAccessoryKey] as? EAAccessory else { return }
        let isListed = EAAccessoryManager.shared().connectedAccessories.contains { $0 === accessory }
        let selected = note.userInfo?[EAAccessorySelectedKey] as? EAAccessory === accessory ? " selected" : ""
        self?.add("\(word) \(accessory.name) listed \(isListed) connected \(accessory.isConnected)\(selected)")
        if word == "connect" { accessory.delegate = self }
      }
      struct Token: @unchecked Sendable { let value: any NSObjectProtocol }
      let carried = Token(value: token)
      box.withLock { $0.state.tokens.append(carried.value) }
    }
  }

  func stop() {
    let tokens = box.withLock { box in
      defer { box.state.tokens = [] }
      return Box(state: box.state)
    }
    for token in tokens.state.tokens { NotificationCenter.default.removeObserver(token) }
  }

  func accessoryDidDisconnect(_ accessory: EAAccessory) {
    dispatchPrecondition(condition: .onQueue(.main))
    add("delegate \(accessory.name)")
  }
}

extension AccessoryAppTests {
  @Suite struct Connections {
    @Test func anAccessoryHasTheFactsOfItsIdentification() async throws {
      await AccessoryBench.reset()
      let attached = try await AccessoryBench.attach(profile: "thermal-camera")
      let accessory = try #require(attached.eaAccessory)
      #expect(accessory.name == "Thermal Camera" && accessory.modelNumber == "TC-1")
      #expect(accessory.protocolStrings == ["com.example.thermal.frames", "com.example.thermal.control"])
      #expect(accessory.isConnected && accessory.connectionID != EAConnectionIDNone && accessory.dockType == "")
      #expect(EAAccessoryManager.shared().connectedAccessories.first === accessory)
    }

    @Test func notificationsComeOnTheMainQueueAfterTheListHasChangedAndBeforeTheDelegate() async throws {
      await AccessoryBench.reset()
      let witness = Witness()
      witness.watch()
      defer { witness.stop() }
      let attached = try await AccessoryBench.attach(name: "First", protocols: [echoName])
      #expect(witness.lines == [], "nothing is posted before the registration")
      EAAccessoryManager.shared().registerForLocalNotifications()
      await attached.unplug()
      let first = attached.eaAccessory
      await attached.plug()
      await attached.unplug()
      #expect(first == nil)
      #expect(
        witness.lines == [
          "disconnect First listed false connected false", "connect First listed true connected true",
          "disconnect First listed false connected false", "delegate First",
        ])
    }

    @Test func oneUnregistrationEndsAllNotificationsUnlessTheyAreCounted() async throws {
      for (isCounting, count) in [(false, 0), (true, 1)] {
        await AccessoryBench.reset()
        if isCounting { AccessoryBench.options.registration = .counting }
        let witness = Witness()
        witness.watch()
        let manager = EAAccessoryManager.shared()
        manager.registerForLocalNotifications()
        manager.registerForLocalNotifications()
        manager.unregisterForLocalNotifications()
        try await AccessoryBench.attach(name: "Any", protocols: [])
        #expect(witness.lines.count == count)
        witness.stop()
      }
    }

    @Test func aReplugIsAnotherObjectWithAnotherID() async throws {
      let attached = try await attachEcho()
      let first = try #require(attached.eaAccessory)
      await attached.unplug()
      await attached.plug()
      let second = try #require(attached.eaAccessory)
      #expect(first !== second && first.connectionID != second.connectionID)
      #expect(!first.isConnected && second.isConnected)
    }

    @Test func aPullInTheMiddleOfATransferEndsBothStreamsBeforeTheNotification() async throws {
      let attached = try await attachEcho(upTo: 1 << 16)
      let witness = Witness()
      witness.watch()
      defer { witness.stop() }
      EAAccessoryManager.shared().registerForLocalNotifications()
      let half = DispatchSemaphore(value: 0)
      let client = Client(try #require(try Carried(attached).open()), sending: pattern(1 << 20)) { count in
        if count > 1 << 14 { half.signal() }
      }
      client.begin(in: .main)
      #expect(await waits(for: half))
      await attached.unplug()
      #expect(await client.finishedInTime())
      #expect(witness.lines == ["disconnect Echo listed false connected false"])
      let received = client.received.withLock { $0 }
      #expect(received.count < 1 << 20 && received == Array(pattern(1 << 20).prefix(received.count)))
      let reports = AccessoryBench.log.map(\.event).filter {
        [
          .streamEvent(.input, echoName, .endEncountered), .streamEvent(.output, echoName, .endEncountered),
          .disconnectNotified,
        ].contains($0)
      }
      #expect(reports.count == 3 && reports.last == .disconnectNotified)
      #expect(client.session.outputStream?.put([1]) == -1)
      #expect((client.session.outputStream?.streamError as NSError?)?.domain == NSPOSIXErrorDomain)
      client.end()
    }

    @Test func anUnnoticedPullLeavesTheAccessoryInTheListUntilTheLateNotice() async throws {
      let attached = try await attachEcho()
      let carried = try Carried(attached)
      let client = Client(try #require(carried.open()), sending: [])
      client.begin(in: .main)
      await attached.unplug(isNoticed: false)
      #expect(carried.accessory.isConnected && EAAccessoryManager.shared().connectedAccessories.count == 1)
      #expect(!client.events.withLock { $0 }.contains { $0.hasSuffix("end") })
      await attached.notice()
      #expect(!carried.accessory.isConnected)
      #expect(EAAccessoryManager.shared().connectedAccessories.isEmpty)
      #expect(await client.finishedInTime())
      client.end()
    }

    @Test func theAccessoryCanEndOneSessionAndStay() async throws {
      let attached = try await attachEcho()
      let client = Client(try #require(try Carried(attached).open()), sending: [])
      client.begin(in: .main)
      await attached.close(echoName)
      #expect(await client.finishedInTime())
      try await until { client.events.withLock { $0 }.filter { $0.hasSuffix("end") }.count == 2 }
      #expect(client.events.withLock { $0 }.filter { $0.hasSuffix("end") }.sorted() == ["input end", "output end"])
      #expect(attached.eaAccessory?.isConnected == true)
      client.end()
    }

    @Test(.onlyCar) func withoutTheBackgroundModeTheAccessoryLeavesAndItsSessionStays() async throws {
      let attached = try await attachEcho()
      let carried = try Carried(attached)
      let session = try #require(carried.open())
      await AccessoryBench.enterBackground()
      #expect(!carried.accessory.isConnected && EAAccessoryManager.shared().connectedAccessories.isEmpty)
      await AccessoryBench.enterForeground()
      #expect(carried.accessory.isConnected && EAAccessoryManager.shared().connectedAccessories.count == 1)
      #expect(carried.open() == nil, "the session of before the background is still open")
      AccessoryBench.declare(protocols: [echoName], runsInBackground: true)
      await AccessoryBench.enterBackground()
      #expect(carried.accessory.isConnected)
      withExtendedLifetime(session) {}
    }

    @Test func thePickerConnectsWhatTheUserSelectsOrThrows() async throws {
      await AccessoryBench.reset()
      let witness = Witness()
      witness.watch()
      defer { witness.stop() }
      let manager = EAAccessoryManager.shared()
      manager.registerForLocalNotifications()
      await #expect(throws: EABluetoothAccessoryPickerError(.resultNotFound)) {
        try await EAAccessoryManager.shared().showBluetoothAccessoryPicker(withNameFilter: nil)
      }
      try await AccessoryBench.attach(name: "Far", protocols: [echoName], isPlugged: false)
      AccessoryBench.picker = .cancel
      await #expect(throws: EABluetoothAccessoryPickerError(.resultCancelled)) {
        try await EAAccessoryManager.shared().showBluetoothAccessoryPicker(withNameFilter: nil)
      }
      AccessoryBench.picker = .select("Far")
      try await manager.showBluetoothAccessoryPicker(
        withNameFilter: NSPredicate { name, _ in name as? String == "Far" })
      #expect(witness.lines == ["connect Far listed true connected true selected"])
    }

    /// Options set the behavior for which no source of a phone exists.
    @Test func theOrderAndTheQueueOfThePickersCompletionAreOptions() async throws {
      let isMain = DispatchSpecificKey<Bool>()
      DispatchQueue.main.setSpecific(key: isMain, value: true)
      for (completesFirst, queue) in [(false, PlatformOptions.PickerQueue.main), (true, .main), (false, .background)] {
        await AccessoryBench.reset()
        AccessoryBench.options.pickerCompletesFirst = completesFirst
        AccessoryBench.options.pickerQueue = queue
        try await AccessoryBench.attach(name: "Far", protocols: [echoName], isPlugged: false)
        EAAccessoryManager.shared().registerForLocalNotifications()
        let order = Mutex<[String]>([])
        let token = NotificationCenter.default.addObserver(
          forName: .EAAccessoryDidConnect, object: nil, queue: nil
        ) { _ in order.withLock { $0.append("connect") } }
        EAAccessoryManager.shared().showBluetoothAccessoryPicker(withNameFilter: nil) { error in
          let place = DispatchQueue.getSpecific(key: isMain) == true ? "main" : "background"
          order.withLock { $0.append("\(place) \(error == nil)") }
        }
        try await until { order.withLock { $0.count } == 2 }
        let completion = queue == .main ? "main true" : "background true"
        #expect(order.withLock { $0 } == (completesFirst ? [completion, "connect"] : ["connect", completion]))
        NotificationCenter.default.removeObserver(token)
      }
    }

    @Test func theIDAfterTheEndIsAnOption() async throws {
      for forgets in [false, true] {
        let attached = try await attachEcho()
        AccessoryBench.options.forgetsConnectionID = forgets
        let accessory = try #require(attached.eaAccessory)
        let id = accessory.connectionID
        #expect(id != EAConnectionIDNone)
        await attached.unplug()
        #expect(accessory.connectionID == (forgets ? EAConnectionIDNone : id))
      }
    }

    @Test func anErrorOfThePickerMatchesItsCode() {
      let error: any Error = EABluetoothAccessoryPickerError(.resultCancelled)
      #expect((error as NSError).code == 2 && (error as NSError).domain == EABluetoothAccessoryPickerErrorDomain)
      do { throw error } catch EABluetoothAccessoryPickerError.resultCancelled {} catch { Issue.record("\(error)") }
    }

    @Test func aHundredPlugsLeaveNothingBehindAndEachEndIsReportedOnce() async throws {
      let count = Int(ProcessInfo.processInfo.environment["EXTERNAL_ACCESSORY_PLUGS"] ?? "") ?? 100
      let attached = try await attachEcho()
      let witness = Witness()
      witness.watch()
      defer { witness.stop() }
      await attached.unplug()
      let serviceEnds = Mutex(0)
      attached.serve(echoName) { stream in
        await echo(stream)
        serviceEnds.withLock { $0 += 1 }
      }
      EAAccessoryManager.shared().registerForLocalNotifications()
      // The first connections open descriptors that stay: timers, the queue of the main thread.
      for _ in 0..<5 { _ = try await connectOnce(attached) }
      let (descriptors, sources) = (descriptorCount(), mainSourceCount())
      var sessions: [WeakSession] = []
      for _ in 0..<count { sessions.append(try await connectOnce(attached)) }
      // The app, the delegate of the accessory and the accessory's service.
      #expect(witness.lines.count { $0.hasPrefix("disconnect") } == count + 5)
      #expect(witness.lines.count { $0.hasPrefix("delegate") } == count + 5)
      try await until { serviceEnds.withLock { $0 } >= count + 5 }
      #expect(serviceEnds.withLock { $0 } == count + 5)
      // A thread of the module releases a session, and ends, some time after its last job.
      try await until { sessions.allSatisfy { $0.session == nil } && moduleThreadCount() == 0 }
      #expect(sessions.allSatisfy { $0.session == nil })
      #expect(moduleThreadCount() == 0)
      #expect(AccessoryBench.log.count { $0.event == .sessionClosed(echoName) } == count + 5)
      #expect(mainSourceCount() == sources)
      // A leak would be one for each plug, and stay. Foundation, Dispatch and tests that run beside this one open some
      // too, and those of listeners hundreds for a moment.
      try await until { descriptorCount() - descriptors < max(count / 2, 10) }
      #expect(descriptorCount() - descriptors < max(count / 2, 10))
    }

    /// Plugs the accessory in, exchanges some bytes and pulls it. Each stream reports its end once.
    private func connectOnce(_ attached: AttachedAccessory) async throws -> WeakSession {
      await attached.plug()
      let sources = mainSourceCount()
      let client = Client(try #require(try Carried(attached).open()), sending: pattern(100))
      client.begin(in: .main)
      #expect(mainSourceCount() == sources + 2)
      #expect(await client.finishedInTime())
      await attached.unplug()
      #expect(client.events.withLock { $0.filter { $0.hasSuffix("end") }.sorted() } == ["input end", "output end"])
      client.end()
      return WeakSession(session: client.session)
    }

    private struct WeakSession { weak var session: EASession? }

    /// The sources in the main run loop, by its description. CoreFoundation has no call that counts them.
    private func mainSourceCount() -> Int {
      let text = CFCopyDescription(CFRunLoopGetMain()).map { String(describing: $0) } ?? ""
      // A source may appear more than once, always with its address.
      return Set(text.components(separatedBy: "<CFRunLoopSource 0x").dropFirst().map { $0.prefix { $0 != " " } }).count
    }

    /// The threads whose name begins with `ea-`.
    private func moduleThreadCount() -> Int {
      let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
      return tasks.count { task in
        (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8))?.hasPrefix("ea-") == true
      }
    }

    private func descriptorCount() -> Int {
      ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).count
    }
  }
}
