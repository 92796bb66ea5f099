// swift-iap2 · Apache-2.0

import IAP2

// What a policy wants done, and what the lifecycle makes of it.
extension Session {
  mutating func perform(_ actions: [RoleAction], at now: MonotonicTime) {
    // What a service or a user still wants after the end has nowhere to go.
    guard isLive else { return }
    for action in actions {
      if paced.isImmediate {
        carryOut(action, at: now)
      } else if !paced.add(action) {
        report(.violation(.limit(StaticName("pacedActions"), PacedActions.limit)))
      }
    }
    performDue(at: now)
    judgePolicy(at: now)
  }

  /// Carries out what pacing held back and what is due now.
  mutating func performDue(at now: MonotonicTime) {
    while let action = paced.next(at: now) { carryOut(action, at: now) }
  }

  func carriesNative(_ name: String) -> Bool { options.carriesNatives && policy.nativeProtocols.contains(name) }

  private mutating func carryOut(_ action: RoleAction, at now: MonotonicTime) {
    switch action {
    case .send(let message): send(message)
    case .event(let event): report(event)
    case .fetchCertificate, .fetchSerialNumber, .sign, .judge, .verify:
      // An answer takes its time; a peer that only asks must not make the queue grow.
      guard requests.count < Self.requestLimit else {
        return report(.violation(.limit(StaticName("portRequestLimit"), Self.requestLimit)))
      }
      requests.append(action)
    case .openExternalAccessory(let session, let name, let answer): openStream(session, name, answer, at: now)
    case .closeExternalAccessory(let session): closeStream(session)
    case .sendFile(let id, let bytes, let type):
      move { (endpoint) throws(APIMisuse) in try endpoint.sendFile(bytes, type: type, id: id) }
    case .acceptFile(let id): move { (endpoint) throws(APIMisuse) in try endpoint.acceptFile(id) }
    case .cancelFile(let id): move { (endpoint) throws(APIMisuse) in try endpoint.cancelFile(id) }
    case .end(let cause): end(cause, at: now)
    }
  }

  mutating func send(_ message: [UInt8]) {
    do {
      try endpoint.send(message: message)
      report(.message(.sent, id: ControlHeader.id(of: message), bytes: message))
    } catch {
      // A peer that does not acknowledge while it makes this side answer.
      if case .queueFull(let limit) = error { report(.violation(.limit(StaticName("queuedByteCount"), limit))) }
    }
  }

  // MARK: Files

  func fileInput(_ event: FileTransferEvent, _ bytes: [UInt8]) -> FileInput? {
    switch event {
    case .offered(let id, let setup): .offered(id: id, setup)
    case .data(let id, let payload, let isLast):
      .data(id: id, [UInt8](copying: endpoint.bytes(of: payload, in: bytes.rawBytes)), isLast: isLast)
    case .delivered(let id): .delivered(id: id)
    case .failed(let id): .failed(id: id)
    case .cancelled(let id): .cancelled(id: id)
    case .refused, .paused: nil
    }
  }

  /// A step of a file transfer; a step that the link has no session for, or that comes too late, is reported.
  private mutating func move(_ step: (inout Endpoint) throws(APIMisuse) -> Void) {
    do { try step(&endpoint) } catch { report(.violation(.fileTransferNotPossible)) }
  }

  // MARK: Lifecycle

  /// Gives the lifecycle an observation and does what it wants.
  mutating func judge(at now: MonotonicTime, _ observe: (inout Lifecycle) -> [Lifecycle.Action]) {
    for action in observe(&lifecycle) {
      if action == .probe { endpoint.probe() }
      if let event = RoleEvent(action) { report(event) }
      if case .disconnected(let end) = action { giveUp(end.cause, at: now) }
    }
  }

  /// The lifecycle hears what the policy knows.
  private mutating func judgePolicy(at now: MonotonicTime) {
    if isLive, policy.isReady, !wasReady {
      wasReady = true
      let canProbe = endpoint.canProbe
      judge(at: now) { $0.ready(canProbe: canProbe, at: now) }
    }
    let power = policy.power
    guard power != lastPower else { return }
    let before = lastPower
    lastPower = power
    judge(at: now) { $0.saw(power, after: before, at: now) }
  }

  /// The peer has ended what ran on the link.
  mutating func judgeSessions(_ actions: [RoleAction], at now: MonotonicTime) {
    let isClosing = actions.contains { action in
      switch action {
      case .closeExternalAccessory: policy.openSessions.isEmpty
      case .event(.carPlayAvailable(let offer)): !offer.isAvailable
      default: false
      }
    }
    if isClosing { judge(at: now) { $0.sessionEnded(at: now) } }
  }

  /// The link ended; then the platform gives its notice, unless it loses it.
  mutating func judgeEnd(_ cause: DisconnectCause, at now: MonotonicTime) {
    judge(at: now) { $0.linkEnded(cause, at: now) }
    if wasReady, !options.losesNotice() { judge(at: now) { $0.notified(at: now) } }
    wasReady = false
  }
}

extension CarPlayAvailability {
  fileprivate var isAvailable: Bool {
    wiredAttributes?.wiredCarPlayAvailable == true || wirelessAttributes?.wirelessCarPlayAvailable == true
  }
}

extension RoleEvent {
  /// The event that reports an action; nil for a probe.
  package init?(_ action: Lifecycle.Action) {
    switch action {
    case .connected: self = .connected
    case .suspected(let evidence): self = .suspected(evidence)
    case .cleared: self = .cleared
    case .disconnected(let end): self = .disconnected(end)
    case .probe: return nil
    }
  }
}
