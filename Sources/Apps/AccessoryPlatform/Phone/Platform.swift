// swift-iap2 · Apache-2.0

import Dispatch
import Foundation
import IAP2Authentication
package import IAP2Faults
import Synchronization

/// The emulated phone around the app: its accessories, its notifications and its settings.
///
/// The list of connected accessories and `isConnected` change on the main queue, just before the app is notified there.
/// The phone's engine runs on ``phoneThread``.
package final class Platform: Sendable {
  /// The calls that notify the app of an accessory, on the main queue.
  package struct Observer: Sendable {
    package var connected: @Sendable (AccessoryConnection, _ isSelected: Bool) -> Void
    package var disconnected: @Sendable (AccessoryConnection) -> Void

    package init(
      connected: @escaping @Sendable (AccessoryConnection, _ isSelected: Bool) -> Void,
      disconnected: @escaping @Sendable (AccessoryConnection) -> Void
    ) {
      self.connected = connected
      self.disconnected = disconnected
    }
  }

  /// A change of the list of which a suspended app is not notified yet.
  fileprivate enum HeldReport {
    case connected(AccessoryConnection)
    case disconnected(AccessoryConnection)
  }

  fileprivate struct State {
    var options = PlatformOptions()
    var declaration: AppDeclaration?
    var verifier = AuthenticationVerifier.test
    var observer: Observer?
    var connected: [AccessoryConnection] = []
    var connectionIDs: Set<Int> = []
    var registrationCount = 0
    var emulated: [EmulatedAccessory] = []
    var transports: [TransportAccessory] = []
    var isStarted = false
    /// The app does not run yet, so accessories appear without a notification.
    var isStarting = false
    var isInBackground = false
    /// The connections that were reported to the app as disconnected when it entered the background.
    var hidden: [AccessoryConnection] = []
    var faults = PhoneFaults()
    var connectLoss = NoticeLoss(probability: 0, seed: 0)
    var noticeLoss = NoticeLoss(probability: 0, seed: 0)
    /// The app is suspended: its streams report nothing, and ``heldReports`` has its notifications.
    var isSuspended = false
    var heldReports: [HeldReport] = []
    var picker = PickerAnswer.automatic
    var wireless = WirelessAccessories()
  }

  /// The phone of this process.
  package static let shared = Platform()

  private let state = Mutex(State())
  /// The log since the last reset.
  package let log = PlatformLog()
  /// The executor and the clock of the phone and its transports.
  let phoneThread = WorkThread("ea-phone")

  private init() {}

  // MARK: Settings

  package var options: PlatformOptions {
    get { state.withLock { $0.options } }
    set { state.withLock { $0.options = newValue } }
  }

  var verifier: AuthenticationVerifier { state.withLock { $0.verifier } }

  /// The entries of the app's Info.plist that concern accessories.
  package var declaration: AppDeclaration {
    if let known = state.withLock({ $0.declaration }) { return known }
    let found = AppDeclaration.ofProcess()
    return state.withLock { state in
      let declaration = state.declaration ?? found
      state.declaration = declaration
      return declaration
    }
  }

  /// Sets the declaration of the app; nil reads it from its file again.
  package func declare(_ declaration: AppDeclaration?) { state.withLock { $0.declaration = declaration } }

  package var picker: PickerAnswer {
    get { state.withLock { $0.picker } }
    set { state.withLock { $0.picker = newValue } }
  }

  package var wireless: WirelessAccessories {
    get { state.withLock { $0.wireless } }
    set { state.withLock { $0.wireless = newValue } }
  }

  /// The faults of the phone.
  package var faults: PhoneFaults {
    get { state.withLock { $0.faults } }
    set {
      state.withLock { state in
        state.faults = newValue
        state.connectLoss = NoticeLoss(probability: newValue.loseConnect, seed: newValue.seed)
        state.noticeLoss = NoticeLoss(probability: newValue.loseNotice, seed: newValue.seed)
      }
    }
  }

  /// Takes one refusal of a session. Returns false if there is none.
  func takeRefusal(of protocolName: String) -> Bool { state.withLock { $0.faults.takeRefusal(of: protocolName) } }

  /// Returns whether the next pull is not noticed.
  func losesNotice() -> Bool { state.withLock { $0.noticeLoss.isLost() } }

  /// Waits for the time of a fault, or until a test withdraws the fault.
  func wait(for fault: any KeyPath<PhoneFaults, Duration?> & Sendable) async {
    let start = ContinuousClock.now
    while let time = faults[keyPath: fault] {
      let rest = time - (ContinuousClock.now - start)
      guard rest > .zero else { return }
      do { try await phoneThread.sleep(min(rest, Self.faultPoll)) } catch { return }
    }
  }

  /// The time until a withdrawn fault is noticed.
  private static var faultPoll: Duration { .milliseconds(10) }

  private func takeHidden() -> Bool {
    state.withLock { state in
      guard state.faults.hidden > 0 else { return false }
      state.faults.hidden -= 1
      return true
    }
  }

  // MARK: Start

  /// Attaches the accessories of the environment, unless a test has attached others before.
  ///
  /// An app finds the accessories that were plugged in before its start in the list, without a notification. So the
  /// first call waits until emulated accessories are connected.
  package func start() {
    let isFirst = state.withLock { state in
      defer { state.isStarted = true }
      guard !state.isStarted else { return false }
      state.isStarting = true
      return true
    }
    guard isFirst else { return }
    let configuration = Configuration(environment: ProcessInfo.processInfo.environment)
    for problem in configuration.problems { note(problem) }
    state.withLock { $0.verifier = configuration.verifier }
    faults = configuration.faults
    // The line of the problem is told by then.
    guard !declaration.isUnreadable else { return state.withLock { $0.isStarting = false } }
    let ready = DispatchGroup()
    for accessory in configuration.emulated {
      ready.enter()
      add(accessory).begin { ready.leave() }
    }
    for accessory in configuration.transports { add(accessory).start() }
    _ = ready.wait(timeout: .now() + .seconds(5))
    state.withLock { $0.isStarting = false }
  }

  /// Keeps the accessories of the environment out; for tests.
  package func startEmpty() { state.withLock { $0.isStarted = true } }

  package func observe(_ observer: Observer) { state.withLock { $0.observer = observer } }

  /// Ends every accessory and returns to the state before the first use.
  package func reset() async {
    faults = PhoneFaults()
    let (emulated, transports) = state.withLock { state in
      state.isStarted = true
      state.isSuspended = false
      return (state.emulated, state.transports)
    }
    for accessory in emulated { await accessory.end() }
    for accessory in transports { await accessory.end() }
    await onMainQueue {
      self.state.withLock { state in
        for connection in state.connected + state.hidden { connection.setConnected(false) }
        let (observer, ids) = (state.observer, state.connectionIDs)
        state = State()
        (state.observer, state.connectionIDs, state.isStarted) = (observer, ids, true)
      }
      self.log.reset()
    }
  }

  package func attach(_ description: EmulatedDescription) -> EmulatedAccessory {
    startEmpty()
    return add(description)
  }

  private func add(_ description: EmulatedDescription) -> EmulatedAccessory {
    let accessory = EmulatedAccessory(self, description)
    state.withLock { $0.emulated.append(accessory) }
    return accessory
  }

  private func add(_ description: TransportDescription) -> TransportAccessory {
    let accessory = TransportAccessory(self, description)
    state.withLock { $0.transports.append(accessory) }
    return accessory
  }

  /// Sets the faults of the phone that a text has, beside those that are set. Returns the plan of the transport's
  /// faults.
  package func setFaults(_ text: String) throws(ConfigurationProblem) -> FaultPlan? {
    let text = try FaultText(text)
    var all = faults
    try text.apply(to: &all)
    faults = all
    return text.plan
  }

  /// Attaches the accessories of a transport.
  ///
  /// - Parameter authentication: The accessories that the phone trusts, as in `EXTERNAL_ACCESSORY_AUTHENTICATION`; nil
  ///   takes that variable.
  package func attach(
    _ address: String, faults: String, authentication: String?
  ) throws(ConfigurationProblem) -> TransportAccessory {
    startEmpty()
    var description = TransportDescription(
      address: try Configuration.address(address), faults: try setFaults(faults), place: address)
    description.verifier =
      if let authentication { try Configuration.verifier(authentication) } else {
        try Configuration.verifierOfProcess()
      }
    return add(description)
  }

  /// Attaches the accessories of a configuration file. They are not plugged in and not started yet.
  package func attach(
    configuration path: String
  ) throws(ConfigurationProblem) -> (emulated: [EmulatedAccessory], transports: [TransportAccessory]) {
    let file = try ConfigurationFile(path)
    let verifier = file.transports.isEmpty ? nil : try Configuration.verifierOfProcess()
    startEmpty()
    var all = faults
    try file.apply(to: &all)
    faults = all
    return (
      file.emulated.map(add),
      file.transports.map { description in
        var description = description
        description.verifier = verifier
        return add(description)
      }
    )
  }

  // MARK: Connections

  package var connected: [AccessoryConnection] { state.withLock { $0.connected } }

  func makeConnectionID() -> Int {
    state.withLock { state in
      while true {
        let id = Int.random(in: 1...Int(Int32.max))
        if state.connectionIDs.insert(id).inserted { return id }
      }
    }
  }

  func appear(_ connection: AccessoryConnection) {
    guard !takeHidden() else { return }
    let isStarting = state.withLock { state in
      guard state.isStarting else { return false }
      connection.setConnected(true)
      state.connected.append(connection)
      return true
    }
    log.add(.connected(connection.facts.name), connection.id)
    guard !isStarting else { return }
    if faults.earlyConnect != nil { return appearEarly(connection) }
    DispatchQueue.main.async { self.show(connection) }
  }

  /// Reports an accessory without protocols, which leaves again, before the connection itself.
  private func appearEarly(_ connection: AccessoryConnection) {
    let early = AccessoryConnection(withoutProtocols: connection)
    DispatchQueue.main.async { self.show(early) }
    Task(executorPreference: phoneThread) {
      await self.wait(for: \.earlyConnect)
      DispatchQueue.main.async {
        self.hide(early)
        if !connection.isOver { self.show(connection) }
      }
    }
  }

  /// Adds a connection to the list and notifies the app. Runs on the main queue.
  private func show(_ connection: AccessoryConnection) {
    guard !holds(.connected(connection)) else { return }
    let observer = state.withLock { state -> Observer? in
      guard !state.connected.contains(where: { $0 === connection }) else { return nil }
      if state.isHiding(state.declaration) {
        state.hidden.append(connection)
        return nil
      }
      connection.setConnected(true)
      state.connected.append(connection)
      return state.connectLoss.isLost() ? nil : state.observer
    }
    observer?.connected(connection, connection.isSelected)
  }

  /// Removes a connection from the list after its streams on the main queue have reported their end.
  func disappear(_ connection: AccessoryConnection, after sessions: [SessionCore]) {
    hide(connection, after: sessions, turns: Self.streamTurns)
  }

  /// The turns of the main queue that the notification of a disconnect leaves to streams. A stream of another run loop
  /// races with the notification, as on a phone.
  private static var streamTurns: Int { 64 }

  private func hide(_ connection: AccessoryConnection, after sessions: [SessionCore], turns: Int) {
    DispatchQueue.main.async {
      if turns > 0, sessions.contains(where: \.isEventDue) {
        return self.hide(connection, after: sessions, turns: turns - 1)
      }
      self.hide(connection)
    }
  }

  /// Removes a connection from the list and notifies the app. Runs on the main queue.
  private func hide(_ connection: AccessoryConnection) {
    guard !holds(.disconnected(connection)) else { return }
    let isGhost = connection.isOver && faults.ghost != nil
    let observer = state.withLock { state -> Observer? in
      state.hidden.removeAll { $0 === connection }
      guard state.connected.contains(where: { $0 === connection }), !connection.isEndReported else { return nil }
      if !isGhost { state.remove(connection) }
      return state.observer
    }
    guard let observer else { return }
    log.add(.disconnected, connection.id)
    observer.disconnected(connection)
    if connection.isOver { connection.endWasReported() }
    guard isGhost else { return connection.face.withLock { $0 = nil } }
    Task(executorPreference: phoneThread) {
      await self.wait(for: \.ghost)
      DispatchQueue.main.async {
        self.state.withLock { $0.remove(connection) }
        connection.face.withLock { $0 = nil }
      }
    }
  }

  /// Runs a body on the main queue and returns after it.
  package func onMainQueue(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      DispatchQueue.main.async {
        body()
        done.resume()
      }
    }
  }

  // MARK: Suspension

  /// Whether the app is suspended.
  package var isSuspended: Bool { state.withLock { $0.isSuspended } }

  /// Suspends the app: its streams report nothing, and it is not notified of accessories that come and go.
  package func suspend() {
    state.withLock { $0.isSuspended = true }
    log.add(.suspended)
  }

  /// Resumes the app. It is notified of accessories that connected or disconnected, except of those that did both.
  package func resume() async {
    await onMainQueue {
      self.log.add(.resumed)
      let (reports, connected) = self.state.withLock { state in
        defer { (state.isSuspended, state.heldReports) = (false, []) }
        return (state.heldReports, state.connected)
      }
      for connection in connected { connection.requestTurns() }
      for report in reports {
        switch report {
        case .connected(let connection): self.show(connection)
        case .disconnected(let connection): self.hide(connection)
        }
      }
    }
  }

  /// Keeps a report for later if the app is suspended. A connection that came and went is not reported at all.
  private func holds(_ report: HeldReport) -> Bool {
    state.withLock { state in
      guard state.isSuspended else { return false }
      if case .disconnected(let connection) = report {
        let count = state.heldReports.count
        state.heldReports.removeAll { if case .connected(let other) = $0 { other === connection } else { false } }
        if state.heldReports.count < count { return true }
      }
      state.heldReports.append(report)
      return true
    }
  }

  /// Ends all sessions with an error and all connections, as a restart of the phone's accessory service does. The
  /// emulated accessories connect again.
  package func restartService() async {
    let (emulated, transports) = state.withLock { ($0.emulated.filter(\.isPlugged), $0.transports) }
    for accessory in emulated {
      accessory.connection?.endWithError()
      await accessory.unplug()
    }
    for accessory in transports {
      accessory.connection?.endWithError()
      await accessory.drop()
    }
    for accessory in emulated {
      await withCheckedContinuation { (settled: CheckedContinuation<Void, Never>) in
        accessory.plug { settled.resume() }
      }
    }
    await onMainQueue {}
  }

  // MARK: Registration

  package func register() { state.withLock { $0.registrationCount += 1 } }

  package func unregister() {
    state.withLock { state in
      state.registrationCount = state.options.registration == .boolean ? 0 : max(0, state.registrationCount - 1)
    }
  }

  package var isRegistered: Bool { state.withLock { $0.registrationCount > 0 } }

  // MARK: Background

  /// Puts the app into the background. Without the background mode `external-accessory`, every accessory is
  /// reported to the app as disconnected. Sessions stay open.
  package func enterBackground() async {
    let declaration = declaration
    await onMainQueue {
      self.log.add(.enteredBackground)
      let gone = self.state.withLock { state in
        state.isInBackground = true
        return declaration.runsInBackground ? [] : state.connected
      }
      for connection in gone {
        self.hide(connection)
        self.state.withLock { $0.hidden.append(connection) }
      }
    }
  }

  /// Puts the app into the foreground. The accessories that are still there appear again.
  package func enterForeground() async {
    await onMainQueue {
      self.log.add(.enteredForeground)
      let back = self.state.withLock { state in
        state.isInBackground = false
        defer { state.hidden = [] }
        return state.hidden
      }
      for connection in back where !connection.isOver { self.show(connection) }
    }
  }

  // MARK: Picker

  /// The accessories that the picker can offer: attached and not plugged in.
  package var unpluggedAccessories: [EmulatedAccessory] {
    state.withLock { $0.emulated }.filter { !$0.isPlugged }
  }

  /// The names of the connected accessories.
  package var pluggedNames: [String] { connected.map(\.facts.name) }
}

extension Platform.State {
  fileprivate mutating func remove(_ connection: AccessoryConnection) {
    connected.removeAll { $0 === connection }
    connection.setConnected(false)
  }

  fileprivate func isHiding(_ declaration: AppDeclaration?) -> Bool {
    isInBackground && declaration?.runsInBackground != true
  }
}
