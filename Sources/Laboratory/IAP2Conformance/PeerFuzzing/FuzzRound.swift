// swift-iap2 · Apache-2.0

import IAP2
import IAP2Fuzzing
import IAP2Roles
import IAP2Runtime
import IAP2Transport
import Synchronization

/// The reaction of a peer to a round.
package enum FuzzOutcome: String, Sendable {
  /// The peer continued, or ended the connection in order.
  case survived
  /// The peer reset the link.
  case reset
  /// The peer closed the transport.
  case closed
  /// The peer stopped answering, on the link or above it.
  case hang
  /// No session could be established with the peer afterwards.
  case crash

  /// Whether the reaction is wrong for any input.
  package var isFailure: Bool { self == .hang || self == .crash }
}

/// One round: a session with a peer, valid up to a step and mutated from there on.
struct FuzzRound: Sendable {
  /// The purpose of a session.
  enum Purpose: Sendable {
    /// A clean session that finds the questions that the peer answers.
    case learning
    /// A clean session, which ends when both sides are ready.
    case clean
    /// A session with mutations, after which the peer is asked.
    case mutated(FuzzSchedule, FuzzQuestions)
  }

  let side: Side
  let protocolName: String
  let clock: any RuntimeClock

  /// The time for which a peer is observed after the last mutation, unless it can be asked. Silence detection and its
  /// probes take less.
  private static let watchMilliseconds = 2500
  /// The time for which a peer is observed before it is asked. Its answers show more than its silence.
  private static let beforeQuestionsMilliseconds = 200
  /// The time after which a session that is not ready is ended.
  private static let roundMilliseconds = 15_000

  /// The result of a round.
  struct Result {
    /// The reaction of the peer.
    var outcome: FuzzOutcome
    /// The question above the link that the peer did not answer; nil if it answered all.
    var unanswered: String?
    /// Whether the session was established.
    var wasReady: Bool
    /// Whether the outcome is undecided: the peer had no reason to answer, or it crashed. A clean session decides it.
    var isOpen = false
    /// The questions that the peer answered in a session of `learning`.
    var questions = FuzzQuestions()
    var log = FuzzLog()
    var mutating: MutatingTransport?
  }

  /// Plays the round.
  func play(
    on transport: any ByteTransport, _ purpose: Purpose, onEvent: @escaping @Sendable (RoleEvent) -> Void = { _ in }
  ) async -> Result {
    let log = Locked(FuzzLog())
    let player = await FuzzPlayer(
      side, protocolName: protocolName, clock: clock, identifyMilliseconds: Self.roundMilliseconds, log: log)
    var mutating: MutatingTransport?
    if case .mutated(let schedule, _) = purpose {
      mutating = MutatingTransport(transport, schedule: schedule, clock: clock)
    }
    let used: any ByteTransport = mutating ?? transport
    let found = Locked((questions: FuzzQuestions(), unanswered: String?.none))
    let live = player.live
    await withTaskGroup(of: Void.self) { [mutating] group in
      group.addTask {
        for await event in live.events {
          onEvent(event.event)
          log.value.withLock { $0.note(event.event) }
        }
      }
      group.addTask {
        _ = await live.run(on: used)
        live.finish()
        log.value.withLock { $0.hasLeft = true }
      }
      group.addTask { await lead(player, purpose, mutating, transport, log, found) }
      await group.waitForAll()
    }
    return result(log.value.withLock { $0 }, found.value.withLock { $0 }, mutating)
  }

  private func result(
    _ log: FuzzLog, _ found: (questions: FuzzQuestions, unanswered: String?), _ mutating: MutatingTransport?
  ) -> Result {
    var result = Result(outcome: log.outcome, wasReady: log.wasReady, isOpen: !log.wasReady)
    (result.questions, result.log, result.mutating) = (found.questions, log, mutating)
    // A peer that ended the connection is not judged by unanswered questions.
    if let question = found.unanswered, result.outcome == .survived {
      (result.outcome, result.unanswered) = (.hang, question)
    }
    // A peer whose link was reset by the mutated bytes has nothing to answer.
    if result.outcome == .hang, mutating?.excusesSilence == true {
      (result.outcome, result.isOpen, result.unanswered) = (.survived, true, nil)
    }
    return result
  }

  /// Leads the session through its purpose and ends it.
  private func lead(
    _ player: FuzzPlayer, _ purpose: Purpose, _ mutating: MutatingTransport?, _ transport: any ByteTransport,
    _ log: Locked<FuzzLog>, _ found: Locked<(questions: FuzzQuestions, unanswered: String?)>
  ) async {
    let latest = clock.now.adding(milliseconds: Self.roundMilliseconds)
    func isWatched() -> Bool {
      mutating?.finished.map { clock.now >= $0.adding(milliseconds: Self.watchMilliseconds) } ?? false
    }
    await wait(until: latest, log) { $0.wasReady || isWatched() }
    let isReady = log.value.withLock { $0.wasReady }
    switch purpose {
    case .clean: break
    case .learning where isReady:
      let questions = await player.learn()
      found.value.withLock { $0.questions = questions }
    case .learning: break
    case .mutated(let schedule, let questions):
      if isReady {
        await player.useSessions(questions, changing: schedule.place)
        // If no last change was made, the sessions had too few packets.
        let end = mutating?.finished ?? clock.now
        let watch = questions.names.isEmpty ? Self.watchMilliseconds : Self.beforeQuestionsMilliseconds
        await wait(until: end.adding(milliseconds: watch), log) { _ in false }
      }
      // The questions are not changed.
      mutating?.stop()
      let unanswered = await player.unanswered(questions)
      found.value.withLock { $0.unanswered = unanswered }
    }
    await player.live.disconnect()
    await wait(until: clock.now.adding(milliseconds: Self.roundMilliseconds), log) { _ in false }
    // The peer did not end the connection after RST.
    if !log.value.withLock({ $0.hasLeft }) { await transport.close() }
  }

  /// Waits until the log meets a condition, the role has returned, or a time has come.
  private func wait(until end: MonotonicTime, _ log: Locked<FuzzLog>, _ condition: (FuzzLog) -> Bool) async {
    while clock.now < end {
      if log.value.withLock({ $0.hasLeft || condition($0) }) { return }
      do { try await clock.sleep(until: clock.now.adding(milliseconds: 20)) } catch { return }
    }
  }
}
