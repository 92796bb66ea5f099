// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
import Synchronization

/// A value that several tasks share.
final class Locked<Value: Sendable>: Sendable {
  let value: Mutex<Value>
  init(_ value: Value) { self.value = Mutex(value) }
}

/// The events of a round.
struct FuzzLog: Sendable {
  private(set) var wasReady = false
  /// Whether the role has returned.
  var hasLeft = false
  /// Whether the connection has ended.
  private(set) var hasEnded = false
  private(set) var outcome = FuzzOutcome.survived
  var states: Set<FuzzCoverage.State> = []
  private(set) var sent: Set<UInt16> = []
  private(set) var received: Set<UInt16> = []
  /// The number of received messages by identifier.
  private(set) var counts: [UInt16: Int] = [:]
  /// The number of bytes that EA sessions received.
  private(set) var answerByteCount = 0
  private(set) var fileAnswerCount = 0
  /// Whether the link has a session for files.
  private(set) var hasFiles = false

  /// Whether no answer can arrive any more.
  var isOver: Bool { hasLeft || hasEnded }

  mutating func noteAnswer(byteCount: Int) {
    answerByteCount += byteCount
    states.insert(.externalAccessoryAnswered)
  }

  mutating func note(_ event: RoleEvent) {
    switch event {
    case .detected: states.insert(.detected)
    case .linkUp(_, let remote):
      states.insert(.linkUp)
      hasFiles = remote.sessionID(of: .fileTransfer) != nil
    case .authenticated: states.insert(.authenticated)
    case .identified: states.insert(.identified)
    case .connected:
      wasReady = true
      states.insert(.ready)
    case .externalAccessoryOpened: states.insert(.externalAccessoryOpened)
    case .fileTransfer:
      fileAnswerCount += 1
      states.insert(.fileAnswered)
    case .message(.sent, let id, _): sent.insert(id)
    case .message(.received, let id, _):
      received.insert(id)
      counts[id, default: 0] += 1
    case .disconnected(let end):
      hasEnded = true
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
