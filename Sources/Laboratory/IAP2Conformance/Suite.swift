// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Authentication
public import IAP2Capture
import IAP2Runtime
public import IAP2Transport
import Synchronization

/// The settings of a suite: the connections to the peer, and the probe's own identity.
public struct Setting: Sendable {
  /// The clock of all waits.
  public var clock: any RuntimeClock
  /// A function that returns the next connection to the peer, or nil when no further connection is possible. Each check
  /// has its own connection, and some reconnect.
  public var connect: @Sendable () async throws(TransportError) -> (any ByteTransport)?
  /// A function that ends a wait of ``connect`` permanently. The default has no effect.
  public var giveUp: @Sendable () async -> Void = {}
  /// A function that starts a peer again that has not connected within the time of an answer; nil, the default, if
  /// nothing can.
  public var restart: (@Sendable () async -> Void)?
  /// The authenticator of the probe as a head unit; the software test authenticator by default.
  public var authenticator: any Authenticator = SoftwareAuthenticator.test
  /// Whether the peer trusts the certificate of ``authenticator``; true by default. If not, its rejection of a correct
  /// response is inconclusive.
  public var isTrusted = true
  /// The EA protocol in the probe's identification as a head unit.
  public var protocolName = Setting.defaultProtocolName
  /// Whether all checks share one transport that stays open, such as a ``SharedLine``; false by default. Each check
  /// then starts with a reset.
  public var keepsTransport = false
  /// A function that returns the capture for the bytes of a check, or nil for none.
  public var capture: @Sendable (Check) -> CaptureLog? = { _ in nil }

  /// The default EA protocol, `com.example.conformance`.
  public static let defaultProtocolName = "com.example.conformance"
  /// The time limit for an answer of the peer in milliseconds; 5000 by default. The limits for the peer's first bytes,
  /// for its next connection and for a whole check are multiples of it.
  public var answerMilliseconds = Setting.defaultAnswerMilliseconds
  /// The certificates and responses that the probe accepts from a head unit; ``AccessoryTrust/certificateKey`` by
  /// default.
  public var accessoryTrust = AccessoryTrust.certificateKey

  /// The default of ``answerMilliseconds``. The slowest coprocessor needs 1.65 s for a signature
  /// (Authentication.md#signing-time).
  public static let defaultAnswerMilliseconds = 5000
  /// The time limit for a new connection of the peer, in milliseconds. Cars and phones reconnect within seconds.
  public var comeBackMilliseconds: Int { 6 * answerMilliseconds }
  /// The time limit of a check in milliseconds.
  var checkMilliseconds: Int { Check.limitMilliseconds / Self.defaultAnswerMilliseconds * answerMilliseconds }
  /// The time after the reset on a shared transport in which received bytes belong to the previous link, in
  /// milliseconds.
  static let drainMilliseconds = 300

  /// Creates settings with the defaults of the other properties.
  public init(
    clock: any RuntimeClock,
    connect: @escaping @Sendable () async throws(TransportError) -> (any ByteTransport)?
  ) {
    self.clock = clock
    self.connect = connect
  }
}

/// The certificates and responses that the probe accepts as a phone.
public enum AccessoryTrust: Sendable {
  /// Any certificate, and a response by its key.
  case certificateKey
  /// Any certificate and any response: their contents are not checked.
  case any
  /// A certificate that the verifier trusts, and a response by its key.
  case verifier(AuthenticationVerifier)
}

/// The result of a check.
public struct Outcome: Sendable {
  /// The check.
  public let check: Check
  /// The verdict about the peer.
  public let verdict: Verdict
  /// The duration in milliseconds on the clock of the settings, including the wait for the connection.
  public let milliseconds: Int
  /// Whether the check was played. If not, its verdict is inconclusive.
  public let isPlayed: Bool
  /// Whether the peer had gone when the next check began.
  public internal(set) var leftPeerGone = false

  init(check: Check, verdict: Verdict, milliseconds: Int, isPlayed: Bool = true) {
    self.check = check
    self.verdict = verdict
    self.milliseconds = milliseconds
    self.isPlayed = isPlayed
  }

  /// Creates an inconclusive outcome of a check that did not run because of an interruption.
  public init(notRun check: Check) {
    self.init(
      check: check, verdict: .inconclusive(reason: "not run: interrupted"), milliseconds: 0, isPlayed: false)
  }
}

/// The absence of a peer after a check: it did not connect again within the time of an answer.
public struct PeerAbsence: Sendable, Equatable {
  /// The check after which the peer had gone.
  public let after: String
  /// The last bytes that the probe sent it, in words.
  public let sent: String
  /// Whether the peer connected later.
  public let cameBack: Bool
  /// The number of checks that are not played because of it.
  public let notPlayed: Int
}

/// A suite that runs checks against one side, one after the other, each on its own connection.
public struct Suite: Sendable {
  /// The side of the peer under test. The probe takes the other side.
  public let subject: Side
  /// The checks that apply to ``subject``.
  public let checks: [Check]

  /// Creates a suite from those of these checks that apply to the side.
  public init(of subject: Side, _ checks: [Check]) {
    self.subject = subject
    self.checks = checks.filter { $0.subjects.contains(subject) }
  }

  /// Creates a suite of all checks that apply to the side.
  public init(of subject: Side) { self.init(of: subject, Check.all) }

  /// Runs the checks. A cancellation makes the running check inconclusive and ends the suite.
  ///
  /// When the peer does not connect again, also after ``Setting/restart``, the remaining checks are inconclusive.
  ///
  /// - Parameters:
  ///   - setting: the settings.
  ///   - begin: called before each check.
  ///   - absent: called when the peer did not connect again within the time of an answer, before the outcome of the
  ///     next check.
  ///   - report: called with the outcome of each check.
  /// - Returns: the outcomes; after a cancellation, without those of the checks that did not start.
  /// - Throws: the error of the first connection.
  public func run(
    _ setting: Setting, begin: @Sendable (Check) async -> Void = { _ in },
    absent: @Sendable (PeerAbsence) async -> Void = { _ in }, report: @Sendable (Outcome) async -> Void = { _ in }
  ) async throws(TransportError) -> [Outcome] {
    var outcomes: [Outcome] = []
    var absence: String?
    var sent = ""
    let ordered = setting.keepsTransport ? checks.filter { !$0.mayEndPeer } + checks.filter(\.mayEndPeer) : checks
    checking: for check in ordered {
      if Task.isCancelled { break }
      await begin(check)
      let start = setting.clock.now
      var verdict = Verdict.inconclusive(reason: absence ?? "")
      var isPlayed = false
      if absence == nil {
        let isLate = Locked(false)
        let connected = await Self.connect(setting, restart: setting.restart, isLate)
        var isThere = false
        if case .transport = connected { isThere = true }
        if let last = outcomes.indices.last, !Task.isCancelled, !isThere || isLate.value.withLock({ $0 }) {
          outcomes[last].leftPeerGone = true
          await absent(
            PeerAbsence(
              after: outcomes[last].check.id, sent: sent, cameBack: isThere,
              notPlayed: isThere ? 0 : ordered.count - outcomes.count))
        }
        switch connected {
        case .transport(let transport):
          (verdict, sent) = await run(check, on: transport, setting)
          isPlayed = true
        case .failed(let reason):
          if Task.isCancelled { break checking }
          absence = "not run: \(reason)"
          verdict = .inconclusive(reason: reason)
          await setting.giveUp()
        case .error(let error):
          guard !outcomes.isEmpty else { throw error }
          absence = "not run: the peer could not be reached: \(error)"
          verdict = .inconclusive(reason: "the peer could not be reached: \(error)")
        }
      }
      if Task.isCancelled { verdict = .inconclusive(reason: "interrupted") }
      let elapsed = setting.clock.now.nanoseconds - start.nanoseconds
      let outcome = Outcome(
        check: check, verdict: verdict, milliseconds: Int(elapsed / 1_000_000), isPlayed: isPlayed)
      outcomes.append(outcome)
      await report(outcome)
    }
    return outcomes
  }

  /// Returns the next connection.
  ///
  /// - Parameters:
  ///   - restart: started once when the peer has not connected within the time of an answer.
  ///   - isLate: set to true then.
  static func connect(
    _ setting: Setting, restart: (@Sendable () async -> Void)? = nil, _ isLate: Locked<Bool> = Locked(false)
  ) async -> Connected {
    let late = setting.clock.now.adding(milliseconds: setting.answerMilliseconds)
    let limit = (restart == nil ? setting.clock.now : late).adding(milliseconds: setting.comeBackMilliseconds)
    return await withTaskGroup(of: Connected?.self) { group in
      group.addTask {
        do throws(TransportError) {
          guard let transport = try await setting.connect() else { return .failed("there are no more connections") }
          return .transport(transport)
        } catch { return .error(error) }
      }
      group.addTask {
        do { try await setting.clock.sleep(until: limit) } catch { return .failed("interrupted") }
        return .failed("the peer did not connect within \(seconds(setting.comeBackMilliseconds))")
      }
      if let restart {
        group.addTask {
          do { try await setting.clock.sleep(until: late) } catch { return nil }
          isLate.value.withLock { $0 = true }
          await restart()
          return nil
        }
      }
      var first = Connected.failed("interrupted")
      while let next = await group.next() {
        guard let next else { continue }
        first = next
        break
      }
      if case .failed = first { await setting.giveUp() }
      group.cancelAll()
      return first
    }
  }

  /// Plays a check. Returns its verdict, and the last bytes that were sent, in words.
  private func run(
    _ check: Check, on transport: any ByteTransport, _ setting: Setting
  ) async -> (verdict: Verdict, sent: String) {
    let log = setting.capture(check)
    let side = subject.peer
    let wrap: @Sendable (any ByteTransport) -> any ByteTransport = { log?.capturing($0, side: side) ?? $0 }
    let probe = Probe(side: side, setting: setting, transport: wrap(transport)) {
      let next = await Self.connect(setting)
      return if case .transport(let transport) = next { .transport(wrap(transport)) } else { next }
    }
    let verdict = await withTaskGroup(of: Verdict?.self) { group in
      group.addTask {
        await probe.pump()
        return nil
      }
      group.addTask {
        if setting.keepsTransport { await probe.beginAnew() }
        return await check.verdict(of: probe)
      }
      group.addTask {
        let limit = setting.clock.now.adding(milliseconds: setting.checkMilliseconds)
        do { try await setting.clock.sleep(until: limit) } catch { return nil }
        return .inconclusive(reason: "the check did not finish within \(seconds(setting.checkMilliseconds))")
      }
      var verdict: Verdict?
      while verdict == nil, let next = await group.next() { verdict = next }
      await probe.leave()
      group.cancelAll()
      return verdict ?? .inconclusive(reason: "interrupted")
    }
    return (verdict, await probe.lastSent)
  }
}

/// The result of a request for a connection.
enum Connected: Sendable {
  case transport(any ByteTransport)
  case failed(String)
  case error(TransportError)
}

extension Check {
  func verdict(of probe: Probe) async -> Verdict {
    do {
      try await body(probe)
      return .pass
    } catch {
      switch error {
      case .failed(let reason):
        return .fail(reason: evidence.isUnverified ? "unverified requirement: \(reason)" : reason)
      case .inconclusive(let reason): return .inconclusive(reason: reason)
      case .notApplicable(let reason): return .notApplicable(reason: reason)
      }
    }
  }
}

extension Probe {
  /// Resets the previous link on a shared transport and discards its remaining bytes.
  func beginAnew() async {
    await send(Packet(.reset, sequence: sequence).bytes)
    _ = await watch(Setting.drainMilliseconds)
    forgetLink()
  }
}
