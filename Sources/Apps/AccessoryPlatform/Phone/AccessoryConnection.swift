// swift-iap2 · Apache-2.0

import Dispatch
import IAP2
import IAP2Authentication
import IAP2Faults
import IAP2Roles
import IAP2Runtime
import IAP2Transport
package import Synchronization

/// The facts of an accessory that an app can read.
package struct AccessoryFacts: Sendable, Equatable {
  package var name = ""
  package var manufacturer = ""
  package var modelNumber = ""
  package var serialNumber = ""
  package var firmwareRevision = ""
  package var hardwareRevision = ""
  package var protocols: [String] = []

  init() {}

  init(_ identification: IdentificationInformation) {
    name = identification.name
    manufacturer = identification.manufacturer
    modelNumber = identification.modelIdentifier
    serialNumber = identification.serialNumber
    firmwareRevision = identification.firmwareVersion
    hardwareRevision = identification.hardwareVersion
    protocols = identification.supportedExternalAccessoryProtocol.map(\.externalAccessoryProtocolName)
  }
}

/// The phone at the end of an accessory's connections.
struct PhoneSetup: Sendable {
  /// The accessory as the user named it, for messages.
  var place: String
  var profile = PhoneProfile()
  var adjust: @Sendable (inout RoleOptions) -> Void = { _ in }
  var onEvent: @Sendable (RoleEvent) -> Void = { _ in }
  /// The accessories that the phone trusts; nil for the setting of the phone.
  var verifier: AuthenticationVerifier?
  /// Tells the user that the accessory was refused.
  var report: @Sendable (String) -> Void = note
}

/// One connection of one accessory, from its plug to its end, with a phone of the engine of its own.
package final class AccessoryConnection: Sendable {
  private struct State {
    var facts = AccessoryFacts()
    var isConnected = false
    var hasAppeared = false
    var isOver = false
    var isNoticeLost = false
    var isEndReported = false
    var endsWithError = false
    /// The time at which the accessory was connected, authenticated and identified.
    var appearance: ContinuousClock.Instant?
    var onSettled: (@Sendable () -> Void)?
    var slots: [String: SessionSlot] = [:]
    /// The sessions whose streams the app has not closed.
    var sessions: [SessionCore] = []
  }

  /// The connection ID. It is not 0, and no two connections of a process have the same.
  package let id: Int
  package let platform: Platform
  /// Whether the app's picker has chosen the accessory.
  let isSelected: Bool
  let phone: Phone
  private let faults: FaultInjection
  private let setup: PhoneSetup
  private let state = Mutex(State())
  /// The object that stands for the connection in the app's API, while the accessory is in the list.
  package let face = Mutex<Face?>(nil)

  /// An object of the app's API.
  ///
  /// Invariant for `@unchecked Sendable`: only the target that creates the object uses it, under its own rules.
  package struct Face: @unchecked Sendable {
    package let object: AnyObject
    package init(_ object: AnyObject) { self.object = object }
  }

  init(_ platform: Platform, faults: FaultPlan?, setup: PhoneSetup, isSelected: Bool = false) {
    self.platform = platform
    self.setup = setup
    self.isSelected = isSelected
    id = platform.makeConnectionID()
    let thread = platform.phoneThread
    self.faults = FaultInjection(faults, side: .device, clock: thread)
    var options = RoleOptions()
    options.clock = thread
    setup.adjust(&options)
    phone = Phone(profile: setup.profile, verifier: setup.verifier ?? platform.verifier, options: options)
  }

  /// Creates the connection that a phone may report before the accessory is authenticated: it has no protocols, and it
  /// is not served.
  init(withoutProtocols other: AccessoryConnection) {
    platform = other.platform
    setup = other.setup
    isSelected = false
    id = other.platform.makeConnectionID()
    faults = FaultInjection(nil, side: .device, clock: other.platform.phoneThread)
    phone = Phone(profile: PhoneProfile())
    var facts = other.facts
    facts.protocols = []
    state.withLock { $0.facts = facts }
  }

  package var facts: AccessoryFacts { state.withLock { $0.facts } }

  /// Whether the app may use the accessory. It changes on the main queue.
  package var isConnected: Bool { state.withLock { $0.isConnected } }
  func setConnected(_ isConnected: Bool) { state.withLock { $0.isConnected = isConnected } }

  /// Whether the accessory was authenticated and identified.
  package var hasAppeared: Bool { state.withLock { $0.hasAppeared } }

  /// Whether the connection has ended and the app has learned of it.
  package var isGone: Bool { state.withLock { $0.isOver && !$0.isConnected } }

  /// Whether the connection has ended.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// Whether the end of the connection is not reported to the app.
  var isNoticeLost: Bool { state.withLock { $0.isNoticeLost } }
  func loseNotice() { state.withLock { $0.isNoticeLost = true } }

  /// Whether the connection ends its sessions itself, with or after the notice of its end.
  var reportsEndItself: Bool { isNoticeLost || platform.faults.noticeFirst && isOver }

  /// Whether the app was notified of the end of the connection.
  package var isEndReported: Bool { state.withLock { $0.isEndReported } }
  func endWasReported() { state.withLock { $0.isEndReported = true } }

  /// Whether the streams of the sessions end with an error.
  var endsWithError: Bool { state.withLock { $0.endsWithError } }
  func endWithError() { state.withLock { $0.endsWithError = true } }

  /// Requests the turns of all streams after the app was resumed.
  func requestTurns() {
    for session in state.withLock({ $0.sessions }) {
      session.input.requestTurn()
      session.output.requestTurn()
    }
  }

  /// Tells the app of an end whose notice was lost.
  func deliverLostNotice() async {
    let isDue = state.withLock { state in
      defer { state.isNoticeLost = false }
      return state.isNoticeLost && state.isOver
    }
    if isDue { await leave() }
  }

  /// Sets the body that runs once, when the accessory is connected or its connection has ended. It is set before the
  /// run.
  func whenSettled(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onSettled = body } }

  private func settle() {
    let body = state.withLock { state in
      defer { state.onSettled = nil }
      return state.onSettled
    }
    body?()
  }

  /// The app has closed the streams of a session.
  func forget(_ session: SessionCore) { state.withLock { $0.sessions.removeAll { $0 === session } } }

  // MARK: Life

  /// Serves the transport to its end.
  func run(on transport: any ByteTransport) async {
    let faulty = faults.around(transport)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.followEvents() }
      _ = await self.phone.run(on: faulty)
      self.phone.finish()
    }
    state.withLock { $0.isOver = true }
    settle()
    if !isNoticeLost { await leave() }
  }

  private func followEvents() async {
    for await event in phone.events {
      faults.happened(event.event)
      setup.onEvent(event.event)
      switch event.event {
      case .connected:
        await readFacts()
        state.withLock { state in
          state.hasAppeared = true
          state.appearance = .now
        }
        // The completion of the picker is the body that is called now.
        if isSelected, platform.options.pickerCompletesFirst { settle() }
        platform.appear(self)
        settle()
      case .message(.received, IdentificationInformationUpdate.id, _): await readFacts()
      case .authenticationFailed(let reason):
        setup.report(
          "\(setup.place): the accessory was not authenticated\(reason.map { ": \($0)" } ?? ""); "
            + "EXTERNAL_ACCESSORY_AUTHENTICATION says which accessories the phone trusts")
      case .identificationRejected(let parameters):
        let named = parameters.map { id in
          "\(id)" + (IdentificationInformation.rows.first { $0.id == id }.map { " \($0.name)" } ?? "")
        }
        setup.report(
          "\(setup.place): the phone rejected the identification of the accessory: parameter\(named.count == 1 ? "" : "s") "
            + named.joined(separator: ", "))
      default: break
      }
    }
  }

  private func readFacts() async {
    guard let identification = await phone.identification else { return }
    state.withLock { $0.facts = AccessoryFacts(identification) }
  }

  private func leave() async {
    guard hasAppeared else { return }
    let ended = state.withLock { $0.sessions }
    if platform.faults.noticeFirst {
      platform.disappear(self, after: [])
      // The block of the main queue that notifies the app is queued already.
      await platform.onMainQueue {}
    }
    for session in ended {
      await session.settleInput()
      session.end()
    }
    await platform.wait(for: \.delayNotice)
    platform.disappear(self, after: ended)
  }

  // MARK: Sessions

  /// Opens a session. Blocks until the accessory has answered, at most until the time limit of the options.
  package func open(_ protocolName: String) -> SessionCore? {
    switch opening(protocolName) {
    case .success(let session): return session
    case .failure(let refusal):
      platform.log.add(.sessionRefused(protocolName, refusal.reason), id)
      note("no session of \(protocolName): \(refusal.reason.rawValue): \(refusal.text)")
      return nil
    }
  }

  private struct Refusal: Error {
    var reason: SessionRefusal
    var text: String
  }

  private func opening(_ name: String) -> Result<SessionCore, Refusal> {
    let options = platform.options
    let deadline = DispatchTime.now() + options.openTimeout.dispatchInterval
    if let text = platform.declaration.refusal(of: name) { return .failure(Refusal(reason: .notDeclared, text: text)) }
    guard facts.protocols.contains(name) else {
      let known = facts.protocols.joined(separator: ", ")
      return .failure(Refusal(reason: .unknownProtocol, text: "the accessory has \(known.isEmpty ? "none" : known)"))
    }
    guard isConnected else { return .failure(Refusal(reason: .gone, text: "the accessory is not connected")) }
    if platform.faults.isHeld(name, since: state.withLock { $0.appearance }) {
      return .failure(Refusal(reason: .inUse, text: "another app has a session of this protocol"))
    }
    if let time = platform.faults.slowOpen {
      _ = DispatchSemaphore(value: 0).wait(timeout: min(deadline, .now() + time.dispatchInterval))
    }
    let slot: SessionSlot
    switch reserve(name, until: deadline, replaces: options.sessionInUse == .replace) {
    case .success(let free): slot = free
    case .failure(let refusal): return .failure(refusal)
    }
    if isOver, platform.faults.ghost != nil { return .success(add(SessionCore(nil, name, of: self, in: slot))) }
    let attempt = OpenAttempt()
    Task(executorPreference: platform.phoneThread) {
      do throws(ExternalAccessoryError) {
        let stream = try await self.phone.open(name)
        guard !attempt.answer(.success(stream)) else { return }
        await stream.close()
      } catch { _ = attempt.answer(.failure(error)) }
      _ = slot.release()
    }
    guard let answer = attempt.wait(until: deadline) else {
      // The slot stays taken until the engine gives the request up.
      slot.beginClosing()
      return .failure(Refusal(reason: .timedOut, text: "no answer within \(options.openTimeout)"))
    }
    switch answer {
    case .success(let stream) where platform.takeRefusal(of: name):
      slot.beginClosing()
      Task(executorPreference: platform.phoneThread) {
        await stream.close()
        _ = slot.release()
      }
      return .failure(Refusal(reason: .fault, text: "a fault refuses the session, which the accessory has opened"))
    case .success(let stream): return .success(add(SessionCore(stream, name, of: self, in: slot)))
    case .failure(let error): return .failure(Self.refusal(of: error))
    }
  }

  private func add(_ session: SessionCore) -> SessionCore {
    state.withLock { $0.sessions.append(session) }
    session.start()
    return session
  }

  private func reserve(
    _ name: String, until deadline: DispatchTime, replaces: Bool
  ) -> Result<SessionSlot, Refusal> {
    while true {
      let (slot, isNew) = state.withLock { state in
        if let slot = state.slots[name] { return (slot, false) }
        let slot = SessionSlot { [weak self] in self?.state.withLock { _ = $0.slots.removeValue(forKey: name) } }
        state.slots[name] = slot
        return (slot, true)
      }
      if isNew { return .success(slot) }
      if replaces {
        for session in state.withLock({ $0.sessions }) where session.protocolName == name { session.replace() }
      }
      guard slot.isClosing, slot.wait(until: deadline) else {
        let text = slot.isClosing ? "the session before has not ended yet" : "a session of this protocol is open"
        return .failure(Refusal(reason: .inUse, text: text))
      }
    }
  }

  private static func refusal(of error: ExternalAccessoryError) -> Refusal {
    switch error {
    case .sessionEnded: Refusal(reason: .gone, text: "the connection has ended")
    case .notPossible(_, .notReady): Refusal(reason: .gone, text: "the accessory is not identified")
    case .notPossible(_, .unknownProtocol):
      Refusal(reason: .unknownProtocol, text: "the accessory has not identified the protocol")
    case .notPossible(_, .notListed):
      Refusal(reason: .refused, text: "the accessory does not list the message that opens sessions")
    case .notPossible(_, .tooManySessions(let limit)):
      Refusal(reason: .inUse, text: "\(limit) sessions are open")
    case .refused: Refusal(reason: .refused, text: "the accessory declined it, or did not answer")
    }
  }
}

/// A request for a session, whose answer the calling thread waits for.
private final class OpenAttempt: Sendable {
  typealias Answer = Result<ExternalAccessoryStream, ExternalAccessoryError>

  private struct State {
    var answer: Answer?
    var isAbandoned = false
  }

  private let state = Mutex(State())
  private let answered = DispatchSemaphore(value: 0)

  /// Returns false if the caller no longer waits, or if the request has failed.
  func answer(_ answer: Answer) -> Bool {
    let isUsed = state.withLock { state in
      state.answer = answer
      return !state.isAbandoned
    }
    answered.signal()
    if case .failure = answer { return false }
    return isUsed
  }

  func wait(until deadline: DispatchTime) -> Answer? {
    _ = answered.wait(timeout: deadline)
    return state.withLock { state in
      state.isAbandoned = state.answer == nil
      return state.answer
    }
  }
}

extension Duration {
  fileprivate var dispatchInterval: DispatchTimeInterval {
    .nanoseconds(Int(components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000))
  }
}
