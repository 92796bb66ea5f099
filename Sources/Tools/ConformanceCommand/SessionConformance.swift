// swift-iap2 · Apache-2.0

import Basics
import CarPlayCommand
import CarPlayConformance
import CarPlayLive
import CarPlaySession
import CommandSupport
import Cryptography
package import IAP2
package import IAP2Authentication
package import IAP2Conformance
import IAP2Transport
import Synchronization

/// A run of the checks of CarPlay sessions against a peer.
package struct SessionConformance: Sendable {
  /// The settings of a run.
  package struct Settings: Sendable {
    /// The time limit of an answer.
    package var answer = Duration.seconds(5)
    /// How the evidence of auth-setup is judged.
    package var trust = AccessoryTrust.certificateKey
    /// The authenticator of a head unit.
    package var authenticator: any Authenticator = SoftwareAuthenticator.test
    /// The folder for a capture of each check; nil for none.
    package var captures: String?
    /// Starts the peer again; nil if nothing can.
    package var restart: (@Sendable () -> Void)?
    fileprivate var keyLog: KeyLogOptions?
    /// The control port of a phone; nil if it is not known.
    fileprivate var control: HostPort?
    /// The name under which the probe is announced as a phone; nil if it is not.
    fileprivate var announce: String?
    fileprivate var live = Duration.seconds(3)

    /// Creates settings without captures.
    init() {}

    /// Creates the settings of a command.
    package init(_ options: SessionConformanceOptions) {
      (keyLog, live) = (options.keyLog, .seconds(options.liveSeconds))
      (control, announce) = (options.control, options.announce)
    }
  }

  private let checks: [SessionCheck]
  let subject: Side
  private let settings: Settings
  let peer: SessionPeer

  /// Creates a run of those of all checks that are named.
  ///
  /// - Parameters:
  ///   - subject: The side that is checked.
  ///   - transport: The peer, as `--transport` names it.
  package init(_ checks: [Check], of subject: Side, _ settings: Settings, transport: String) throws {
    let ids = Set(checks.map(\.id))
    self.checks = SessionCheck.all(of: subject).filter { ids.contains($0.check.id) }
    (self.subject, self.settings, peer) = (subject, settings, try SessionPeer(transport))
  }

  /// Runs the checks.
  ///
  /// - Returns: The outcomes; after a cancellation, without those of the checks that did not start.
  /// - Throws: The error of the first connection.
  package func run(
    begin: @escaping @Sendable (Check) -> Void, absent: @escaping @Sendable (PeerAbsence) -> Void,
    report: @escaping @Sendable (Outcome, _ capture: String?) -> Void
  ) async throws -> [Outcome] {
    let captures = try SessionCheckCaptures(settings.captures, keyLog: settings.keyLog)
    let rules = Set(checks.filter(\.isRule).map(\.check.id))
    let start: @Sendable (Check) -> Void = { check in
      captures.begin(rules.contains(check.id) ? nil : check)
      begin(check)
    }
    let end: @Sendable (Outcome) -> Void = { outcome in report(outcome, captures.end()) }
    let suite = SessionSuite(checks)
    let outcomes: [Outcome]
    switch (peer, subject) {
    case (.loopback, .accessory), (.dial, _):
      var headUnit = try await headUnit(captures)
      headUnit.answer = settings.answer
      headUnit.ordinary = settings.live
      let announced = try await announced()
      if let announced {
        headUnit.control = ProbeControl {
          announced.requests
        } announceSecond: {
          await secondPhone()
        }
      }
      outcomes = await suite.run(headUnit, begin: start, absent: absent, report: end)
      await announced?.close()
    case (.loopback, .device), (.listen, _):
      var phone = try await phone(captures)
      phone.answer = settings.answer
      phone.ordinary = settings.live
      outcomes = await suite.run(phone, begin: start, absent: absent, report: end)
      await phone.line.close()
    }
    try captures.check()
    return outcomes
  }

  /// Returns the head unit that is checked.
  func headUnit(_ captures: SessionCheckCaptures) async throws -> ProbedHeadUnit {
    if case .dial(let address) = peer { return try await dialed(address, captures) }
    return try SessionReference.headUnit { $0 }
  }

  /// Returns the phone that is checked. It connects to an address, where the probe waits from now on.
  func phone(_ captures: SessionCheckCaptures) async throws -> ProbedPhone {
    guard case .listen(let address) = peer else { return try SessionReference.phone() }
    let line = SocketLine(
      sign: { [authenticator = settings.authenticator] in await CarPlayHeadUnitRun.sign($0, authenticator) },
      tap: { record in captures.tap?(record) }, keyLog: { secret in captures.secrets?(secret) })
    do {
      Output.note("waiting at \(try await line.listen(host: address.host, port: address.port))")
    } catch {
      throw CommandFailure(.unavailable, "cannot listen at \(address): \(SocketAddresses.reason(of: error))")
    }
    var phone = ProbedPhone(
      line: line, restart: settings.restart.map { start in { @Sendable in start() } },
      identity: try identity(of: .headUnit), otherIdentity: try otherIdentity(), random: SessionSystem.random)
    phone.calls = settings.control.map(Self.calls)
    return phone
  }

  /// Announces the probe as a phone; nil if that is not wanted.
  private func announced() async throws -> AnnouncedPhone? {
    guard let name = settings.announce, let id = DeviceID(Self.bluetoothID) else { return nil }
    return try await AnnouncedPhone.announce(name, bluetoothID: id, keeping: ProbeControl.maximumCount)
  }

  /// Announces a second phone beside the probe.
  private func secondPhone() async -> Result<ProbeControl.SecondPhone, Stop> {
    do {
      guard let name = settings.announce, let id = DeviceID(Self.secondBluetoothID) else {
        throw CommandFailure(.software, "the probe is not announced")
      }
      let phone = try await AnnouncedPhone.announce(
        name + Self.secondName, bluetoothID: id, keeping: ProbeControl.maximumCount)
      return .success(
        ProbeControl.SecondPhone {
          phone.requests
        } withdraw: {
          await phone.close()
        })
    } catch { return .failure(.inconclusive("a second phone cannot be announced: \(error)")) }
  }

  /// The Bluetooth address of the probe, as its SETUP has it, and that of the second phone.
  private static let bluetoothID = "02:00:00:00:01:01"
  private static let secondBluetoothID = "02:00:00:00:02:01"
  /// The end of the second phone's name.
  private static let secondName = " 2"

  /// Returns the way to a control port.
  private static func calls(_ address: HostPort) -> ProbeCalls {
    @Sendable func send(_ bytes: [UInt8], within limit: Duration) async -> PhoneCaller.Outcome? {
      do {
        return try await ControlClient.send(
          bytes, host: address.host, port: UInt16(clamping: address.port), within: limit)
      } catch { return nil }
    }
    // A request that stops outlives the next one.
    return ProbeCalls {
      await send($0, within: ControlClient.answerTime)
    } hold: { bytes in
      Task { await send(bytes, within: ControlClient.answerTime * 4) }
    }
  }

  /// Returns the identity of this program's side, whose pairings others keep.
  private func identity(of side: SessionSide) throws -> PairingIdentity {
    do throws(PairingFile.Problem) {
      return try PairingFile(path: PairingFile.standardPath(of: side)).identity
    } catch { throw error.failure }
  }

  /// Returns a new identity for a second peer.
  private func otherIdentity() throws -> PairingIdentity {
    try PairingIdentity(
      identifier: "5EC0FD00-0000-4000-8000-000000000002", privateKey: SecureRandom.secret(byteCount: 32))
  }

  /// Returns the head unit at an address, after it answered one request.
  private func dialed(_ address: HostPort, _ captures: SessionCheckCaptures) async throws -> ProbedHeadUnit {
    let line = SocketLine()
    do { try await line.dial(host: address.host, port: address.port) } catch {
      guard settings.restart != nil else {
        throw CommandFailure(.unavailable, "no head unit at \(address): \(SocketAddresses.reason(of: error))")
      }
    }
    await line.close()
    var headUnit = try headUnit(at: address, captures)
    headUnit.answer = settings.answer
    switch await SessionRecognition(of: headUnit) {
    case .headUnit: return headUnit
    case .absent: throw CommandFailure(.unavailable, "\(address): the head unit accepts no connection")
    case .silent:
      Output.note(
        "\(address): GET /info got no answer within \(Int(settings.answer / .seconds(1))) s; if the port is right, "
          + "see the check CRQ-01")
      headUnit.isMute = true
      return headUnit
    case .closed:
      Output.note(
        "\(address): the other side closed the connection without a byte; it may serve another phone; if not, see the "
          + "check CRQ-01")
      headUnit.isMute = true
      return headUnit
    case .other(let bytes):
      let text = String(decoding: bytes, as: UTF8.self).printable
      throw CommandFailure(
        .unavailable, "\(address): the other side does not speak RTSP, it sends \(text) …; check the port")
    }
  }

  /// Returns the head unit at an address.
  private func headUnit(at address: HostPort, _ captures: SessionCheckCaptures) throws -> ProbedHeadUnit {
    var peer = ProbedHeadUnit(
      identity: try identity(of: .phone), otherIdentity: try otherIdentity(), random: SessionSystem.random,
      judge: { [trust = settings.trust] in Self.judge($0, trust) },
      dial: { [settings] in await Self.dial(address, settings, captures) })
    if case .any = settings.trust { peer.checksSignature = false }
    return peer
  }

  /// Connects for a check. A head unit that does not listen is tried again, and is started once.
  private static func dial(
    _ address: HostPort, _ settings: Settings, _ captures: SessionCheckCaptures
  ) async -> (any ProbeLine)? {
    let clock = ContinuousClock()
    let begin = clock.now
    var restart = settings.restart
    while !Task.isCancelled {
      let line = SocketLine(tap: captures.tap, keyLog: captures.secrets)
      do {
        try await line.dial(host: address.host, port: address.port)
        return line
      } catch { await line.close() }
      let waited = clock.now - begin
      if let start = restart, waited > min(settings.answer, .seconds(1)) {
        start()
        restart = nil
      }
      guard waited < settings.answer * 6 else { return nil }
      do { try await Task.sleep(for: .milliseconds(200)) } catch { return nil }
    }
    return nil
  }

  private static func judge(
    _ evidence: AuthSetupPhone.Evidence, _ trust: AccessoryTrust
  ) -> PhoneConfiguration.Verdict {
    let challenge = HashFunction.sha256.hash(evidence.signed)
    do throws(AuthenticationError) {
      switch trust {
      case .any: break
      case .certificateKey:
        let certificate = try AccessoryCertificate(evidence.certificate)
        // The padding of the signatures of old chips is not public.
        if !certificate.isOldForm { try certificate.verify(response: evidence.signature, challenge: challenge) }
      case .verifier(let verifier):
        try verifier.verify(
          response: evidence.signature, challenge: challenge, certificate: evidence.certificate)
      }
      return .trusted
    } catch {
      switch error {
      case .wrongSignature, .wrongResponseLength: return .badSignature
      default: return .badCertificate
      }
    }
  }
}

/// The captures of the checks of sessions, one file each, with their secrets if a key log is wanted.
final class SessionCheckCaptures: Sendable {
  private struct State {
    var capture: SessionCapture?
    var path: String?
    /// The file of the ordinary session; nil before the first rule.
    var ordinary: String?
    var failure: (any Error)?
  }

  private let folder: String?
  private let keyLog: KeyLog?
  /// Whether captures get the secrets of their sessions.
  private let hasSecrets: Bool
  /// The capture of a whole run; nil if each check has its own.
  private let whole: SessionCapture?
  private let state = Mutex(State())

  /// Opens the key log.
  init(_ folder: String?, keyLog options: KeyLogOptions?) throws {
    self.folder = folder
    keyLog = try options?.open(beside: nil)
    (hasSecrets, whole) = (keyLog != nil, nil)
    try keyLog?.begin()
    if let folder { SocketTap.report("each file of \(folder)", hasSecrets: keyLog != nil) }
  }

  /// Opens one capture with its secrets for a whole run; nil for none. It begins with ``begin()``.
  init(file path: String?) throws {
    (folder, keyLog, hasSecrets) = (nil, nil, path != nil)
    whole = try path.map { try SessionCapture($0) }
    try whole?.begin(hasSecrets: true)
  }

  /// Begins the capture of a whole run.
  func begin() { state.withLock { $0.capture = whole } }

  /// Opens the capture of a check, or that of the ordinary session before the first rule.
  ///
  /// - Parameter check: The check; nil for a rule.
  func begin(_ check: Check?) {
    guard let folder else { return }
    let path = "\(folder)/\(check?.id ?? "ordinary-session").pcapng"
    state.withLock { state in
      guard check != nil || state.ordinary == nil else {
        state.path = state.ordinary
        return
      }
      if check == nil { state.ordinary = path }
      do {
        let capture = try SessionCapture(path)
        try capture.begin(hasSecrets: hasSecrets, isQuiet: true)
        (state.capture, state.path) = (capture, path)
      } catch { state.failure = error }
    }
  }

  /// Ends the capture of a check and returns its file.
  func end() -> String? {
    state.withLock { state in
      defer { (state.capture, state.path) = (nil, nil) }
      do {
        try state.capture?.check()
        if hasSecrets, state.capture != nil, let path = state.path { try SecretsFirst.apply(to: path) }
      } catch { state.failure = error }
      return state.path
    }
  }

  /// The function that receives the records of the present check; nil without a capture.
  var tap: (@Sendable (SocketRecord) -> Void)? { state.withLock { $0.capture?.tap.receive } }

  /// The function that receives the secrets of the present check; nil without a key log.
  var secrets: (@Sendable (AgreedSecret) -> Void)? {
    guard hasSecrets else { return nil }
    let capture = state.withLock { $0.capture?.tap }
    return { [keyLog] secret in
      keyLog?.receive(secret)
      capture?.writeSecrets(Array((secret.keyLogLine + "\n").utf8))
    }
  }

  func check() throws {
    if let failure = state.withLock({ $0.failure }) { throw failure }
    try state.withLock { $0.capture }?.check()
  }
}
