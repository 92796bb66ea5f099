// swift-iap2 · Apache-2.0

import IAP2
import IAP2Authentication
import IAP2Capture
import IAP2Fuzzing
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Simulation
import IAP2Transport
import Synchronization

/// What the peer made of a round.
enum FuzzOutcome: String, Sendable {
  /// It went on, or ended in order.
  case survived
  /// It reset the link.
  case reset
  /// It closed the transport.
  case closed
  /// It gave no sign of life any more.
  case hang
  /// Afterwards no session came up with it.
  case crash

  /// What no peer should do, whatever it is sent.
  var isFailure: Bool { self == .hang || self == .crash }
}

/// One round: a session with a peer, valid up to a step and changed from there on.
struct FuzzRound: Sendable {
  let side: Side
  let clock: any RuntimeClock

  /// How long a peer is watched behind the last change: more than its silence and the probes take.
  private static let watchMilliseconds = 2500
  /// A peer that answers at all is ready by then.
  private static let roundMilliseconds = 15_000

  /// What became of a round.
  struct Result {
    var outcome: FuzzOutcome
    var wasReady: Bool
    /// It shows no fault, and no life either: a peer that had no reason to answer, or is dead. A clean session tells.
    var isOpen = false
  }

  /// - Parameter course: nil: nothing is changed, and the session ends when both sides are ready.
  func play(
    on transport: any ByteTransport, course: FuzzCourse?, onEvent: @escaping @Sendable (RoleEvent) -> Void = { _ in }
  ) async -> Result {
    let live = role()
    let mutating = course.map { MutatingTransport(transport, course: $0, clock: clock) }
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
        // Whose link was reset by what it was sent has nothing to answer.
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
        // A peer that takes nothing any more.
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
    times.silenceMilliseconds = LifecycleTimes.liveSilenceMilliseconds
    options.lifecycle = Lifecycle(times: times)
    switch side {
    case .accessory: return HeadUnit(profile: .standard(), options: options)
    case .device: return Phone(verifier: .any, options: options)
    }
  }
}

/// A value that tasks share.
final class Locked<Value: Sendable>: Sendable {
  let value: Mutex<Value>
  init(_ value: Value) { self.value = Mutex(value) }
}

/// What a round has seen.
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
      // Until both are ready a peer may wait for what it never got.
      case .timeout, .retransmissionLimit: outcome = wasReady ? .hang : .survived
      case .requested, .authenticationFailed, .identificationRejected, .notification, .chargingStopped, .sessionEnded,
        .replugged:
        break
      }
    default: break
    }
  }
}
