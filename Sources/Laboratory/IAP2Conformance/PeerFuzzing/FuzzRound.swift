// swift-iap2 · Apache-2.0

import IAP2
import IAP2Authentication
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
  /// The peer stopped answering.
  case hang
  /// No session could be established with the peer afterwards.
  case crash

  /// Whether the reaction is wrong for any input.
  package var isFailure: Bool { self == .hang || self == .crash }
}

/// One round: a session with a peer, valid up to a step and mutated from there on.
struct FuzzRound: Sendable {
  let side: Side
  let clock: any RuntimeClock

  /// The time for which a peer is observed after the last mutation. Silence detection and its probes take less.
  private static let watchMilliseconds = 2500
  /// The time after which a session that is not ready is ended.
  private static let roundMilliseconds = 15_000

  /// The result of a round.
  struct Result {
    /// The reaction of the peer.
    var outcome: FuzzOutcome
    /// Whether the session was established.
    var wasReady: Bool
    /// Whether the outcome is undecided: the peer had no reason to answer, or it crashed. A clean session decides it.
    var isOpen = false
  }

  /// Plays the round.
  ///
  /// - Parameter schedule: The mutations; nil for a clean session, which ends when both sides are ready.
  func play(
    on transport: any ByteTransport, schedule: FuzzSchedule?,
    onEvent: @escaping @Sendable (RoleEvent) -> Void = { _ in }
  ) async -> Result {
    let live = role()
    let mutating = schedule.map { MutatingTransport(transport, schedule: $0, clock: clock) }
    let log = Locked(FuzzLog())
    return await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for await event in live.events {
          onEvent(event.event)
          log.value.withLock { $0.note(event.event) }
        }
      }
      group.addTask {
        _ = await live.run(on: mutating ?? transport)
        live.finish()
        log.value.withLock { $0.hasLeft = true }
      }
      group.addTask { await watch(live, mutating, transport, log) }
      await group.waitForAll()
      return log.value.withLock { log in
        var result = Result(outcome: log.outcome, wasReady: log.wasReady, isOpen: !log.wasReady)
        // A peer whose link was reset by the mutated bytes has nothing to answer.
        if result.outcome == .hang, mutating?.excusesSilence == true {
          (result.outcome, result.isOpen) = (.survived, true)
        }
        return result
      }
    }
  }

  private func watch(
    _ live: any LiveRole, _ mutating: MutatingTransport?, _ transport: any ByteTransport, _ log: Locked<FuzzLog>
  ) async {
    let start = clock.now
    var hasAsked = false
    while true {
      let (hasLeft, wasReady) = log.value.withLock { ($0.hasLeft, $0.wasReady) }
      if hasLeft { return }
      let watched = mutating?.finished.map { clock.now >= $0.adding(milliseconds: Self.watchMilliseconds) } ?? wasReady
      let isLate = clock.now >= start.adding(milliseconds: Self.roundMilliseconds)
      if watched || isLate, !hasAsked {
        hasAsked = true
        await live.disconnect()
      } else if clock.now >= start.adding(milliseconds: 2 * Self.roundMilliseconds) {
        // The peer does not take the end of the link either.
        return await transport.close()
      }
      do { try await clock.sleep(until: clock.now.adding(milliseconds: 20)) } catch { return }
    }
  }

  private func role() -> any LiveRole {
    var options = RoleOptions()
    options.clock = clock
    options.identifyTimeout = .milliseconds(Self.roundMilliseconds)
    var times = LifecycleTimes()
    // A round lasts seconds, and whether the peer still answers has to be known at its end.
    times.silenceMilliseconds = 1000
    times.quietProbeMilliseconds = times.probeMilliseconds
    options.lifecycle = Lifecycle(times: times)
    switch side {
    case .accessory: return HeadUnit(profile: .standard(), options: options)
    case .device: return Phone(verifier: .any, options: options)
    }
  }
}

/// A value that several tasks share.
final class Locked<Value: Sendable>: Sendable {
  let value: Mutex<Value>
  init(_ value: Value) { self.value = Mutex(value) }
}

/// The events of a round.
struct FuzzLog: Sendable {
  var wasReady = false
  var hasLeft = false
  private(set) var outcome = FuzzOutcome.survived

  mutating func note(_ event: RoleEvent) {
    switch event {
    case .connected: wasReady = true
    case .disconnected(let end):
      switch end.cause {
      case .linkReset: outcome = .reset
      case .transportClosed: outcome = .closed
      // Before both sides are ready, the peer may wait for a message that it never received.
      case .timeout, .retransmissionLimit, .peerRestarted: outcome = wasReady ? .hang : .survived
      case .requested, .negotiationFailed, .authenticationFailed, .identificationRejected, .notification,
        .chargingStopped, .sessionEnded,
        .replugged:
        break
      }
    default: break
    }
  }
}
