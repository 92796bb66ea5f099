// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Authentication
public import IAP2Capture
import IAP2Runtime
public import IAP2Transport

/// What a suite needs beside its checks.
public struct Setting: Sendable {
  public var clock: any RuntimeClock
  /// The next connection to the peer: each check has its own. Nil when there will be no more.
  public var connect: @Sendable () async throws(TransportError) -> (any ByteTransport)?
  /// Ends whatever `connect` waits for, for good.
  public var giveUp: @Sendable () async -> Void = {}
  /// Signs for us when we play the head unit.
  public var authenticator: any Authenticator = SoftwareAuthenticator.test
  /// The peer trusts what signs for us; without that, nothing can be said of what it accepts.
  public var isTrusted = true
  /// The EA protocol that we identify when we play the head unit.
  public var protocolName = Setting.defaultProtocolName
  /// There is one transport for all checks, which stays open: each begins with a reset.
  public var keepsTransport = false
  /// Where the bytes of a check's run go; nil for nowhere.
  public var capture: @Sendable (Check) -> CaptureLog? = { _ in nil }

  public static let defaultProtocolName = "com.example.conformance"
  /// How long a peer may take to come back: cars and phones redial within seconds.
  public static let comeBackMilliseconds = 30_000
  /// On a transport that stays, this long what comes after the reset is the end of the link before.
  static let drainMilliseconds = 300

  public init(
    clock: any RuntimeClock,
    connect: @escaping @Sendable () async throws(TransportError) -> (any ByteTransport)?
  ) {
    self.clock = clock
    self.connect = connect
  }
}

/// A check that was run.
public struct Outcome: Sendable {
  public let check: Check
  public let verdict: Verdict
  public let milliseconds: Int

  init(check: Check, verdict: Verdict, milliseconds: Int) {
    self.check = check
    self.verdict = verdict
    self.milliseconds = milliseconds
  }

  /// A check that was not asked any more.
  public init(notRun check: Check) {
    self.init(check: check, verdict: .inconclusive(reason: "not run: interrupted"), milliseconds: 0)
  }
}

/// Checks one side, one check after the other, each on a connection of its own.
public struct Suite: Sendable {
  /// The side that is checked; we play the other.
  public let subject: Side
  public let checks: [Check]

  public init(of subject: Side, _ checks: [Check]) {
    self.subject = subject
    self.checks = checks.filter { $0.subjects.contains(subject) }
  }

  public init(of subject: Side) { self.init(of: subject, Check.all) }

  /// Runs all checks, or as many as there is time for: cancellation ends it after the check that is running.
  ///
  /// A peer that does not come back ends it too: what is left is inconclusive.
  ///
  /// - Parameter report: told of each check as it is done.
  /// - Throws: if there never was a connection.
  public func run(
    _ setting: Setting, report: @Sendable (Outcome) async -> Void = { _ in }
  ) async throws(TransportError) -> [Outcome] {
    var outcomes: [Outcome] = []
    var absence: String?
    let ordered = setting.keepsTransport ? checks.filter { !$0.mayEndPeer } + checks.filter(\.mayEndPeer) : checks
    checking: for check in ordered {
      if Task.isCancelled { break }
      let start = setting.clock.now
      var verdict = Verdict.inconclusive(reason: absence ?? "")
      if absence == nil {
        switch await Self.connect(setting) {
        case .transport(let transport): verdict = await run(check, on: transport, setting)
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
      let outcome = Outcome(check: check, verdict: verdict, milliseconds: Int(elapsed / 1_000_000))
      outcomes.append(outcome)
      await report(outcome)
    }
    return outcomes
  }

  private static func connect(_ setting: Setting) async -> Connected {
    let limit = setting.clock.now.adding(milliseconds: Setting.comeBackMilliseconds)
    return await withTaskGroup(of: Connected.self) { group in
      group.addTask {
        do throws(TransportError) {
          guard let transport = try await setting.connect() else { return .failed("there are no more connections") }
          return .transport(transport)
        } catch { return .error(error) }
      }
      group.addTask {
        do { try await setting.clock.sleep(until: limit) } catch { return .failed("interrupted") }
        return .failed("the peer did not come within \(seconds(Setting.comeBackMilliseconds))")
      }
      let first = await group.next() ?? .failed("interrupted")
      if case .failed = first { await setting.giveUp() }
      group.cancelAll()
      return first
    }
  }

  private func run(_ check: Check, on transport: any ByteTransport, _ setting: Setting) async -> Verdict {
    let log = setting.capture(check)
    let side = subject.peer
    let wrap: @Sendable (any ByteTransport) -> any ByteTransport = { log?.capturing($0, side: side) ?? $0 }
    let probe = Probe(side: side, setting: setting, transport: wrap(transport)) {
      let next = await Self.connect(setting)
      return if case .transport(let transport) = next { .transport(wrap(transport)) } else { next }
    }
    return await withTaskGroup(of: Verdict?.self) { group in
      group.addTask {
        await probe.pump()
        return nil
      }
      group.addTask {
        if setting.keepsTransport { await probe.beginAnew() }
        return await check.verdict(of: probe)
      }
      group.addTask {
        let limit = setting.clock.now.adding(milliseconds: Check.limitMilliseconds)
        do { try await setting.clock.sleep(until: limit) } catch { return nil }
        return .inconclusive(reason: "not done within \(seconds(Check.limitMilliseconds))")
      }
      var verdict: Verdict?
      while verdict == nil, let next = await group.next() { verdict = next }
      await probe.leave()
      group.cancelAll()
      return verdict ?? .inconclusive(reason: "interrupted")
    }
  }
}

/// What came of asking for a connection.
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
  /// On a transport that has carried another link: ends that, and forgets what is left of it.
  func beginAnew() async {
    await send(Packet(.reset, sequence: sequence).bytes)
    _ = await watch(Setting.drainMilliseconds)
    forgetLink()
  }
}
