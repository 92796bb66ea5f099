// swift-iap2 · Apache-2.0

public import IAP2
import IAP2Capture
import IAP2Runtime
public import IAP2Transport
import Synchronization

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
  public package(set) var leftPeerGone = false
  /// Why the session from which the check is judged ended early; nil if it went to its end, or the check has its own.
  public package(set) var sessionStop: String?

  package init(check: Check, verdict: Verdict, milliseconds: Int, isPlayed: Bool = true) {
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

  package init(after: String, sent: String, cameBack: Bool, notPlayed: Int) {
    (self.after, self.sent, self.cameBack, self.notPlayed) = (after, sent, cameBack, notPlayed)
  }
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
    self.checks = checks.filter { $0.subjects.contains(subject) && $0.body != nil }
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
