// swift-iap2 · Apache-2.0

public import IAP2
import IAP2Authentication
public import IAP2Roles
public import IAP2Runtime
public import IAP2Transport
import Synchronization

/// A check of an accessory in a unit test: its identification against the rules that are known, and its messages
/// against the list that it declared.
///
///     @Test func theAccessoryKeepsItsIdentification() throws {
///       let check = try AccessoryCheck.run(headUnit: profile)
///       #expect(check.findings.isEmpty)
///     }
///
/// A session of a check runs in virtual time with a phone of this project, so that a test does not wait. The phone
/// accepts every certificate: a check says nothing about authentication.
public struct AccessoryCheck: Sendable {
  /// The errors: a phone rejects the identification, or the accessory breaks the protocol.
  public private(set) var findings: [Finding] = []
  /// The hints: a phone accepts them, and they may be intended.
  public private(set) var warnings: [Finding] = []
  /// The identification that was checked, or the last one that the phone accepted; nil if it accepted none.
  public private(set) var identification: IdentificationInformation?

  /// A rule that an accessory breaks.
  public struct Finding: Sendable, Hashable, CustomStringConvertible {
    /// The stable name of the rule: the id of an `IdentificationRule`, or one of these.
    ///
    /// - `schema`: the identification cannot be read.
    /// - `not-ready`: the connection ended before the accessory was authenticated and identified.
    /// - `undeclared`: the accessory sent messages that its list (parameter 6) does not name.
    /// - `unused`: the list names messages that the accessory did not send during the check.
    /// - `violation`: the phone reported a `ProtocolViolation`.
    public var rule: String
    /// The rule, or the error, as text.
    public var text: String
    /// The top-level parameters of the identification that the finding is about, ascending.
    public var parameters: [UInt16] = []
    /// The ids of the messages that the finding is about.
    public var messages: [UInt16] = []
    /// Details, such as the name of an EA protocol; empty if there are none.
    public var detail = ""

    /// One line with everything that is known.
    public var description: String {
      var places: [String] = []
      if !parameters.isEmpty { places.append("parameters \(parameters.map(String.init).joined(separator: ", "))") }
      places += messages.map { id in MessageCatalog.text(id) + (MessageCatalog[id].map { " \($0.name)" } ?? "") }
      if !detail.isEmpty { places.append(detail) }
      return "\(rule): \(text)" + (places.isEmpty ? "" : " (\(places.joined(separator: "; ")))")
    }
  }

  // MARK: An identification

  /// Checks an identification against the rules, without a session.
  public init(identification: IdentificationInformation) {
    self.identification = identification
    add(IdentificationRule.findings(in: identification))
  }

  // MARK: A session

  /// Connects a head unit to a phone, runs `body` once both are ready, waits until the head unit is quiet and ends the
  /// connection.
  ///
  /// - Parameters:
  ///   - profile: The profile of the head unit that is checked.
  ///   - services: The services of its EA protocols, by the protocols' names.
  ///   - phone: The profile of the phone. Its state decides which features the phone offers.
  ///   - body: Makes the phone and the head unit use what the check is about, such as EA sessions. It is not called if
  ///     the head unit does not become ready.
  /// - Throws: The error of `body`, or `VirtualTimeStalled` if both sides wait for each other.
  public static func run(
    headUnit profile: HeadUnitProfile,
    services: [String: @Sendable (ExternalAccessoryStream) async -> Void] = [:], phone: PhoneProfile = PhoneProfile(),
    _ body: @escaping @Sendable (HeadUnit, Phone) async throws -> Void = { _, _ in }
  ) throws -> AccessoryCheck {
    try VirtualTime.run { time in
      var options = RoleOptions()
      options.clock = time
      let headUnit = HeadUnit(profile: profile, options: options)
      for (name, service) in services { await headUnit.serve(name, service) }
      return try await session(phone, time) { transport in
        _ = await headUnit.run(on: transport)
        headUnit.finish()
      } body: { phone in
        try await body(headUnit, phone)
      }
    }
  }

  /// Connects an accessory of any implementation to a phone, runs `body` once the accessory is ready, waits until it is
  /// quiet and ends the connection.
  ///
  /// - Parameters:
  ///   - accessory: Runs the accessory on a transport until the transport ends. It must take its time from the clock
  ///     and must not use threads or sockets, because the check runs in virtual time.
  ///   - phone: The profile of the phone. Its state decides which features the phone offers.
  ///   - body: Makes the phone use what the check is about. It is not called if the accessory does not become ready.
  /// - Throws: The error of `body`, or `VirtualTimeStalled` if both sides wait for each other.
  public static func run(
    accessory: @escaping @Sendable (any ByteTransport, VirtualTime) async -> Void, phone: PhoneProfile = PhoneProfile(),
    _ body: @escaping @Sendable (Phone) async throws -> Void = { _ in }
  ) throws -> AccessoryCheck {
    try VirtualTime.run { time in
      try await session(phone, time, accessory: { await accessory($0, time) }, body: body)
    }
  }

  /// The time that the accessory gets to be authenticated and identified, as long as a phone waits at most.
  private static let readyLimit = Duration.seconds(30)
  /// The time after `body` for messages that the accessory sends by itself.
  private static let quietMilliseconds = 5000

  private static func session(
    _ profile: PhoneProfile, _ time: VirtualTime, accessory: @escaping @Sendable (any ByteTransport) async -> Void,
    body: @escaping @Sendable (Phone) async throws -> Void
  ) async throws -> AccessoryCheck {
    let transports = MemoryTransport.pair()
    var options = RoleOptions()
    options.clock = time
    options.identifyTimeout = readyLimit
    let phone = Phone(profile: profile, verifier: .any, options: options)
    let log = EventCollector()
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await time.participant("the accessory") { await accessory(transports.accessory) } }
      group.addTask {
        _ = await phone.run(on: transports.device)
        phone.finish()
      }
      group.addTask { await log.collect(phone.events) }
      let isReady = await log.isReady()
      if isReady {
        do {
          try await time.participant("the body") { try await body(phone) }
          try await time.sleep(until: time.now.adding(milliseconds: quietMilliseconds))
        } catch {
          await phone.drop()
          throw error
        }
        await phone.disconnect()
      }
      try await group.waitForAll()
      var check = AccessoryCheck(log.events, isReady: isReady)
      check.identification = await phone.identification
      return check
    }
  }

  private init(_ events: [RoleEvent], isReady: Bool) {
    var declared = DeclarationCheck()
    for event in events {
      switch event {
      case .message(let direction, let id, let bytes):
        declared.add(id, bytes, from: direction == .sent ? .device : .accessory)
        if direction == .received, id == IdentificationInformation.id { add(identification: bytes) }
      // The comparison of the lists names these.
      case .violation(.undeclaredMessage): break
      case .violation(let violation): add(violation)
      case .disconnected(let end) where !isReady:
        add(
          Finding(
            rule: "not-ready", text: "the connection ended before the accessory was ready", detail: end.cause.rawValue))
      default: break
      }
    }
    for finding in declared.findings ?? [] where finding.side == .accessory {
      add(
        Finding(
          rule: finding.rule.rawValue, text: finding.text, parameters: [finding.parameter], messages: finding.messages),
        finding.severity)
    }
  }

  private mutating func add(identification bytes: [UInt8]) {
    do {
      add(IdentificationRule.findings(in: try IdentificationInformation(decoding: bytes.rawBytes)))
    } catch {
      add(
        Finding(
          rule: "schema", text: "the identification cannot be read",
          parameters: IdentificationCheck.offendingParameters(in: bytes), detail: "\(error.reason)"))
    }
  }

  private mutating func add(_ found: [IdentificationFinding]) {
    for finding in found {
      add(
        Finding(
          rule: finding.rule.id, text: finding.rule.text, parameters: finding.parameters, messages: finding.messages,
          detail: finding.detail),
        finding.rule.severity)
    }
  }

  private mutating func add(_ violation: ProtocolViolation) {
    let detail = if case .link(let ofLink) = violation { "\(ofLink)" } else { "\(violation)" }
    add(
      Finding(
        rule: "violation", text: violation.name, messages: violation.message.map { [$0] } ?? [], detail: detail))
  }

  /// Adds a finding, once: an accessory may send the same identification twice.
  private mutating func add(_ finding: Finding, _ severity: IdentificationRule.Severity = .reject) {
    switch severity {
    case .reject: if !findings.contains(finding) { findings.append(finding) }
    case .warn: if !warnings.contains(finding) { warnings.append(finding) }
    }
  }
}

/// The events of a phone, collected while the session runs.
private final class EventCollector: Sendable {
  private struct State {
    var events: [RoleEvent] = []
    var isReady: Bool?
    var waiter: CheckedContinuation<Bool, Never>?
  }

  private let state = Mutex(State())

  var events: [RoleEvent] { state.withLock { $0.events } }

  func collect(_ events: RoleEvents) async {
    for await event in events {
      state.withLock { $0.events.append(event.event) }
      if event.event == .connected { decide(true) }
    }
    decide(false)
  }

  private func decide(_ isReady: Bool) {
    let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard state.isReady == nil else { return nil }
      state.isReady = isReady
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: isReady)
  }

  /// Returns true once both sides are ready, and false when the connection has ended before.
  func isReady() async -> Bool {
    await withCheckedContinuation { continuation in
      let known = state.withLock { state -> Bool? in
        if state.isReady == nil { state.waiter = continuation }
        return state.isReady
      }
      if let known { continuation.resume(returning: known) }
    }
  }
}
