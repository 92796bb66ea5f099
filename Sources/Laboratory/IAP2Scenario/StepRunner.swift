// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import IAP2Formats
import IAP2Roles
package import IAP2Runtime
import IAP2Transport
import Synchronization

/// A runner of the steps of a scenario.
struct StepRunner {
  private let presentHeadUnit: @Sendable () -> HeadUnit?
  private let presentPhone: @Sendable () -> Phone?
  let log: EventLog
  let clock: any RuntimeClock
  let cut: @Sendable () async -> Void
  /// Pulls the cable while its transports stay open; nil with a live peer.
  let halfOpen: (@Sendable () async -> Void)?
  /// Plugs the cable in; nil with a live peer.
  let plug: (@Sendable () async -> Void)?
  /// Delivers the disconnect notification of the phone's platform; nil if the phone itself receives it.
  let notice: (@Sendable () async -> Void)?
  /// Runs a step of the CarPlay session; nil without one.
  var carPlay: (@Sendable (CarPlayStep) async -> String?)?
  /// Takes the phone out of the range of the access point or back; nil without one.
  var changeWiFi: (@Sendable (Scenario.WiFiChange) async -> Void)?
  /// Changes the conditions of the cable; nil if it has none that can be changed.
  var changeFaults: (@Sendable (ConditionChange) -> Void)?
  /// Loses the next disconnect notification of a role's platform; nil if the platform is not ours.
  var loseNotice: (@Sendable (Role) -> Void)?
  /// The open EA sessions of the phone.
  let sessions: OpenSessions
  /// Receives each step before it begins.
  var showStep: @Sendable (Scenario.Step) -> Void = { _ in }

  init(
    headUnit: HeadUnit?, phone: Phone?, log: EventLog, clock: any RuntimeClock, sessions: OpenSessions = OpenSessions(),
    cut: @escaping @Sendable () async -> Void, halfOpen: (@Sendable () async -> Void)? = nil,
    plug: (@Sendable () async -> Void)? = nil
  ) {
    self.init(
      headUnit: { headUnit }, phone: { phone }, log: log, clock: clock, sessions: sessions, cut: cut,
      halfOpen: halfOpen, plug: plug, notice: nil)
  }

  /// Creates a runner of roles that may change with each plug.
  init(
    headUnit: @escaping @Sendable () -> HeadUnit?, phone: @escaping @Sendable () -> Phone?, log: EventLog,
    clock: any RuntimeClock, sessions: OpenSessions = OpenSessions(), cut: @escaping @Sendable () async -> Void,
    halfOpen: (@Sendable () async -> Void)?, plug: (@Sendable () async -> Void)?, notice: (@Sendable () async -> Void)?
  ) {
    presentHeadUnit = headUnit
    presentPhone = phone
    self.log = log
    self.clock = clock
    self.sessions = sessions
    self.cut = cut
    self.halfOpen = halfOpen
    self.plug = plug
    self.notice = notice
  }

  private var headUnit: HeadUnit? { presentHeadUnit() }
  private var phone: Phone? { presentPhone() }

  /// Returns a runner of the same session whose expectations take events of another log.
  func reading(_ log: EventLog) -> StepRunner {
    var stage = StepRunner(
      headUnit: presentHeadUnit, phone: presentPhone, log: log, clock: clock, sessions: sessions, cut: cut,
      halfOpen: halfOpen, plug: plug, notice: notice)
    (stage.carPlay, stage.showStep, stage.changeWiFi) = (carPlay, showStep, changeWiFi)
    (stage.changeFaults, stage.loseNotice) = (changeFaults, loseNotice)
    return stage
  }

  mutating func play(_ steps: [Scenario.Step]) async -> ScenarioPlayer.Outcome {
    for step in steps {
      log.begin(step)
      showStep(step)
      if let reason = await play(step.action)
        ?? (Task.isCancelled ? "the scenario ended before this step was complete" : nil)
      {
        return .failed(file: step.file, line: step.line, step: step.text, reason: reason)
      }
    }
    return .complete
  }

  /// Runs one step. Returns nil on success, otherwise the reason of the failure.
  private mutating func play(_ action: Scenario.Step.Action) async -> String? {
    switch action {
    case .wait(let milliseconds): await sleep(milliseconds)
    case .expect(let expectation): return await expect(expectation)
    case .never(let expectation): return await expectNone(expectation)
    case .phone(let change):
      let problem = Mutex<String?>(nil)
      await phone?.update { state in
        let found = change(&state)
        problem.withLock { $0 = found }
      }
      return problem.withLock { $0 }
    case .headUnit(let change): await headUnit?.update(change)
    case .send(let message): return await trying { try await headUnit?.send(message) }
    case .press(let usages, let component):
      return await pressing { () throws(PressProblem) in
        try await headUnit?.press(usages, on: component)
      }
    case .button(let button):
      return await pressing { () throws(PressProblem) in try await headUnit?.press(button) }
    case .lights(let usages, let component):
      return await phone?.output(usages, to: component) == false
        ? "the accessory has not started the HID device \(component)" : nil
    case .report(let sentences):
      return await headUnit?.report(sentences) == false ? "the phone has requested none of these sentences" : nil
    case .raw(.headUnit, let id, let body):
      return await headUnit?.sendRaw(id: id, body: body) == false ? "there is no connection" : nil
    case .raw(.phone, let id, let body):
      return await phone?.sendRaw(id: id, body: body) == false ? "there is no connection" : nil
    case .exchange(let name, let count, let milliseconds): return await exchange(name, count, within: milliseconds)
    case .open(let name): return await open(name)
    case .write(let name, let count): return await write(Self.pattern(count), in: name)
    case .writeData(let data, let name): return await write(data, in: name)
    case .expectData(let expectation): return await expectData(expectation)
    case .close(let name):
      return await using(name) { entry in
        await entry.stream.close()
        sessions.remove(entry)
        return nil
      }
    case .closeByAccessory(let name):
      return await headUnit?.close(name) == 0 ? "no session of \(name) is open" : nil
    case .disconnect(.headUnit): await headUnit?.disconnect()
    case .disconnect(.phone): await phone?.disconnect()
    case .settle(let awaited):
      // The peer's own expectation reports a missing event, so the result is ignored.
      let own: Role = headUnit == nil ? .phone : .headUnit
      if let awaited { _ = awaited.role == own ? await hasCome(awaited) : await expect(awaited) == nil }
      await settle(own)
    case .notice(.headUnit): await headUnit?.notice()
    case .notice(.phone): if let notice { await notice() } else { await phone?.notice() }
    case .faults(let change):
      guard let changeFaults else { return "the faults of this cable cannot be changed; use --fault" }
      changeFaults(change)
    case .loseNotice(let role):
      guard let loseNotice else { return "this platform's notification cannot be lost on demand; use --notice-loss" }
      loseNotice(role)
    case .halfOpen:
      guard let halfOpen else {
        return "the cable to a live peer cannot be pulled by this program; use --fault half-open=…"
      }
      await halfOpen()
    case .cut: await cut()
    case .plug:
      guard let plug else { return "the cable to a live peer cannot be plugged in by this program; do it by hand" }
      await plug()
    case .wiFi(let change):
      guard let changeWiFi else { return "there is no access point; `carPlay: {wireless: true}` has one" }
      await changeWiFi(change)
    case .session(let step):
      guard let carPlay else { return "no CarPlay session is possible here; add --carplay" }
      return await carPlay(step)
    case .added(let action):
      return await action.run(ScenarioStage(headUnit: headUnit, phone: phone, clock: clock, log: log))
    }
    return nil
  }

  private func sleep(_ milliseconds: Int) async {
    do { try await clock.sleep(until: clock.now.adding(milliseconds: milliseconds)) } catch {}
  }

  /// Waits until this side has had no event for ``settleMilliseconds``, so that the peer's step is complete.
  private func settle(_ role: Role) async {
    var received = -1
    var waits = 0
    while received != log.count(of: role), waits < Self.maximumSettleWaits, !log.hasEnded(role), !Task.isCancelled {
      received = log.count(of: role)
      waits += 1
      await sleep(Self.settleMilliseconds)
    }
  }

  /// An interval that is longer than the response time of two sides on a network.
  private static let settleMilliseconds = 300
  private static let maximumSettleWaits = 30

  private func pressing(_ body: () async throws(PressProblem) -> Void) async -> String? {
    do throws(PressProblem) {
      try await body()
      return nil
    } catch {
      return switch error {
      case .notReady: "the connection is not ready"
      case .notListed: "the head unit's identification does not list 0x6802"
      case .noDevice(0): "the head unit has no media remote"
      case .noDevice(let component): "the head unit has no HID device \(component)"
      case .noUsage(let usage): "the report descriptor of the HID device has no usage \(usage.page):\(usage.number)"
      case .queueFull: "the queue of messages to send is full"
      }
    }
  }

  private func trying(_ body: () async throws -> Void) async -> String? {
    do {
      try await body()
      return nil
    } catch RoleError.notListed(let id) {
      return "the head unit's identification does not list \(MessageCatalog.text(id))"
    } catch RoleError.notReady {
      return "the connection is not ready"
    } catch RoleError.queueFull {
      return "the queue of messages to send is full"
    } catch { return "\(error)" }
  }

  /// Waits for an event without taking it, so that a later expectation can match it.
  func hasCome(_ expectation: Scenario.Expectation) async -> Bool {
    let before = log.position(of: expectation.role)
    defer { log.goBack(expectation.role, to: before) }
    return await expect(expectation) == nil
  }

  private func expect(_ expectation: Scenario.Expectation) async -> String? {
    let deadline = clock.now.adding(milliseconds: expectation.withinMilliseconds)
    while true {
      if log.take(expectation) { return nil }
      // A finished role has no further events.
      if clock.now >= deadline || log.hasEnded(expectation.role) || Task.isCancelled { break }
      await wait(for: log.changed, until: deadline)
    }
    let values = expectation.values.keys.sorted().map { "\($0) \(expectation.values[$0] ?? "")" }
    let wanted = ([expectation.event] + (values.isEmpty ? [] : ["with " + values.joined(separator: ", ")]))
    return "expected \(wanted.joined(separator: " ")); received: \(log.instead(of: expectation))"
      + (log.earlier(expectation).map { "; \($0)" } ?? "")
  }

  private func expectNone(_ expectation: Scenario.Expectation) async -> String? {
    guard await hasCome(expectation) else { return nil }
    let values = expectation.values.keys.sorted().map { "\($0) \(expectation.values[$0] ?? "")" }
    return ([expectation.event] + (values.isEmpty ? [] : ["with " + values.joined(separator: ", ")]))
      .joined(separator: " ") + " came"
  }

  // MARK: External accessory

  private static func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
  }

  /// Writes bytes in a new EA session and compares the echo. Returns nil on success, otherwise the reason of the
  /// failure.
  private func exchange(_ name: String, _ count: Int, within milliseconds: Int) async -> String? {
    guard let phone else { return nil }
    let sent = Self.pattern(count)
    let stream: ExternalAccessoryStream
    do { stream = try await phone.open(name) } catch { return "\(name): \(error.text)" }
    let deadline = clock.now.adding(milliseconds: milliseconds)
    let received = await withTaskGroup(of: [UInt8]?.self) { group in
      // At the deadline, closing the session ends the other tasks.
      group.addTask { [clock] in
        do { try await clock.sleep(until: deadline) } catch { return nil }
        await stream.close()
        return nil
      }
      group.addTask {
        // The reading task detects the end of the session.
        do { try await stream.write(sent) } catch {}
        return nil
      }
      group.addTask {
        var received: [UInt8] = []
        while received.count < count, let chunk = await stream.read() { received += chunk }
        return received
      }
      var all: [UInt8] = []
      for await result in group {
        guard let result else { continue }
        all = result
        group.cancelAll()
      }
      return all
    }
    await stream.close()
    return received == sent ? nil : "\(received.count) of \(count) bytes came back, or with different values"
  }

  private func open(_ name: String) async -> String? {
    guard let phone else { return nil }
    do {
      sessions.add(try await phone.open(name))
      return nil
    } catch { return "\(name): \(error.text)" }
  }

  private func write(_ bytes: [UInt8], in name: String?) async -> String? {
    await using(name) { entry in
      do throws(ExternalAccessoryError) {
        try await entry.stream.write(bytes)
        return nil
      } catch { return "\(entry.stream.protocolName): \(error.text)" }
    }
  }

  /// The time in which the session of a running app is expected, in milliseconds. The app opens it after
  /// identification.
  private static let sessionMilliseconds = 1000

  /// Runs a step on an open EA session. Returns the reason if there is none.
  private func using(_ name: String?, _ body: (OpenSessions.Entry) async -> String?) async -> String? {
    let deadline = clock.now.adding(milliseconds: Self.sessionMilliseconds)
    while true {
      do throws(OpenSessions.Problem) { return await body(try sessions.find(name)) } catch {
        if case .several(let names) = error {
          return "several sessions are open (\(names.joined(separator: ", "))): name the protocol"
        }
      }
      guard clock.now < deadline, !Task.isCancelled else { break }
      await wait(for: sessions.changed, until: deadline)
    }
    return "no session\(name.map { " of \($0)" } ?? "") is open"
  }

  private func wait(for signal: Signal, until deadline: MonotonicTime) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [clock] in do { try await clock.sleep(until: deadline) } catch {} }
      group.addTask { await signal.wait() }
      await group.next()
      group.cancelAll()
    }
  }

  /// Reads from a session until the expected bytes have come. Later bytes stay for the next expectation.
  private func expectData(_ expectation: Scenario.DataExpectation) async -> String? {
    let deadline = clock.now.adding(milliseconds: expectation.withinMilliseconds)
    return await using(expectation.protocolName) { entry in
      var search = DataPattern.Search(expectation.pattern)
      var seen: [UInt8] = []
      while let bytes = await nextBytes(of: entry, until: deadline) {
        if let end = search.end(in: bytes) {
          entry.putBack(bytes[end...], taken: seen[...] + bytes[..<end])
          return nil
        }
        seen = (seen + bytes).suffix(Self.seenByteCount)
      }
      let came = seen.isEmpty ? "nothing" : SeenBytes.text(seen)
      let isEarlier = entry.hasTaken(expectation.pattern)
      let end = entry.stream.isOpen ? "" : "; the session has ended"
      return "expected \(expectation.pattern.text) in \(entry.stream.protocolName); received: \(came)\(end)"
        + (isEarlier ? "; it came earlier, among the bytes that earlier expectations have taken" : "")
    }
  }

  /// The bytes that an error considers at most.
  private static let seenByteCount = 4096

  /// Returns the next bytes of a session; nil at the deadline and after the end of the session.
  private func nextBytes(of entry: OpenSessions.Entry, until deadline: MonotonicTime) async -> ArraySlice<UInt8>? {
    if let unread = entry.takeUnread() { return unread }
    return await withTaskGroup(of: [UInt8]?.self) { group in
      group.addTask { [clock] in
        do { try await clock.sleep(until: deadline) } catch {}
        return nil
      }
      group.addTask { await entry.stream.read() }
      var bytes: [UInt8]?
      for await next in group {
        bytes = bytes ?? next
        group.cancelAll()
      }
      return bytes.map { $0[...] }
    }
  }
}

extension ExternalAccessoryError {
  /// The human-readable reason.
  package var text: String {
    switch self {
    case .sessionEnded: "the session has ended"
    case .refused: "the accessory did not open the session"
    case .notPossible(_, .notReady): "the accessory is not identified yet"
    case .notPossible(_, .unknownProtocol): "the accessory has no such protocol"
    case .notPossible(_, .notListed): "the accessory does not list 0xEA00, which opens sessions"
    case .notPossible(_, .tooManySessions(let limit)): "at most \(limit) sessions can be open at once"
    }
  }
}
