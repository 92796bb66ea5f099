// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
import IAP2Transport

// What a connection sees of its own life, told to its lifecycle, and what that decides.
extension Connection {
  /// Tells the lifecycle something, and does what it wants.
  func judge(_ note: (inout Lifecycle) -> [Lifecycle.Action]) {
    for action in note(&lifecycle) {
      if action == .probe { endpoint.probe() }
      if let event = RoleEvent(action) { tell(event) }
      if case .disconnected(let end) = action {
        lastCause = end.cause
        giveUp()
      }
    }
  }

  /// What the policy knows may have changed.
  func judgePolicy() {
    if isLive, policy.isReady, !wasReady {
      wasReady = true
      judge { $0.ready(canProbe: endpoint.canProbe, at: clock.now) }
    }
    let power = policy.power
    guard power != lastPower else { return }
    let before = lastPower
    lastPower = power
    judge { $0.saw(power, after: before, at: clock.now) }
  }

  /// The peer has ended what ran on the link.
  func judgeSessions(_ actions: [RoleAction]) {
    let isClosing = actions.contains { action in
      switch action {
      case .closeExternalAccessory: policy.openSessions.isEmpty
      case .event(.carPlayAvailable(let offer)): !offer.isAvailable
      default: false
      }
    }
    if isClosing { judge { $0.sessionEnded(at: clock.now) } }
  }

  /// The link ended; what the platform makes of it, if it does not lose it.
  func judgeEnd(_ cause: DisconnectCause) {
    judge { $0.linkEnded(cause, at: clock.now) }
    if wasReady, !losesNotice() { judge { $0.notified(at: clock.now) } }
    wasReady = false
  }

  /// The platform's notice, whenever it comes.
  package func notice() {
    judge { $0.notified(at: clock.now) }
    settle()
  }
}

extension CarPlayAvailability {
  fileprivate var isAvailable: Bool {
    wiredAttributes?.wiredCarPlayAvailable == true || wirelessAttributes?.wirelessCarPlayAvailable == true
  }
}

extension RoleEvent {
  /// What is told of an action; a probe is nothing to tell.
  init?(_ action: Lifecycle.Action) {
    switch action {
    case .connected: self = .connected
    case .suspected(let evidence): self = .suspected(evidence)
    case .cleared: self = .cleared
    case .disconnected(let end): self = .disconnected(end)
    case .probe: return nil
    }
  }
}
