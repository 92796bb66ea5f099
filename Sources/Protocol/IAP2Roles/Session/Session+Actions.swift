// swift-iap2 · Apache-2.0

import IAP2

// Carries out the actions of a policy and of the lifecycle.
extension Session {
  mutating func perform(_ actions: [RoleAction], at now: MonotonicTime) {
    // After the end of the connection, an action of a service or of the user has no peer.
    guard isConnectionOpen else { return }
    for action in actions {
      if paced.isImmediate {
        execute(action, at: now)
      } else if !paced.add(action) {
        report(.violation(.limit(StaticName("pacedActions"), PacedActions.limit)))
      }
    }
    performDue(at: now)
    updateFromPolicy(at: now)
  }

  /// Returns the limit that keeps the queues from taking all of these actions; nil if they take them.
  func limitReached(by actions: [RoleAction]) -> QueueLimit? {
    guard paced.isImmediate || paced.count + actions.count <= PacedActions.limit else {
      return .delayedActions(PacedActions.limit)
    }
    let byteCount = actions.reduce(paced.byteCount) { $0 + $1.messageByteCount }
    return byteCount <= endpoint.controlQueueRoom ? nil : .bytes(endpoint.limits.queuedByteCount)
  }

  /// Carries out the delayed actions that are due now.
  mutating func performDue(at now: MonotonicTime) {
    while let action = paced.next(at: now) { execute(action, at: now) }
  }

  func carriesNative(_ name: String) -> Bool { options.carriesNatives && policy.nativeProtocols.contains(name) }

  private mutating func execute(_ action: RoleAction, at now: MonotonicTime) {
    switch action {
    case .send(let message): send(message)
    case .event(let event): report(event)
    case .fetchCertificate, .fetchSerialNumber, .sign, .checkCertificate, .verify:
      // A request takes time to answer. A peer that only asks must not make the queue grow.
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
      switch error {
      // The peer makes this side answer but acknowledges nothing.
      case .queueFull(let limit): report(.violation(.limit(StaticName("queuedByteCount"), limit)))
      case .messageTooLong:
        report(.violation(.limit(StaticName("messageByteCount"), endpoint.limits.messageByteCount)))
      // The link has ended.
      default: break
      }
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

  /// Carries out a step of a file transfer. Reports a step for which the link has no session, or whose transfer has
  /// ended.
  private mutating func move(_ step: (inout Endpoint) throws(APIMisuse) -> Void) {
    do { try step(&endpoint) } catch {
      guard case .queueFull(let limit) = error else { return report(.violation(.fileTransferNotPossible)) }
      report(.violation(.limit(StaticName("fileTransferSteps"), limit)))
    }
  }

  // MARK: Lifecycle

  /// Passes an observation to the lifecycle and carries out the actions that it returns.
  mutating func updateLifecycle(at now: MonotonicTime, _ observe: (inout Lifecycle) -> [Lifecycle.Action]) {
    for action in observe(&lifecycle) {
      if action == .probe { endpoint.probe() }
      // The ends of the EA sessions are reported before the end of the connection.
      if case .disconnected(let end) = action { giveUp(end.cause, at: now) }
      if let event = RoleEvent(action) { report(event) }
    }
  }

  /// Passes the platform's notification to the lifecycle. An end that was decided goes on in order and keeps its cause.
  mutating func noticed(at now: MonotonicTime) {
    guard decided == nil else { return }
    updateLifecycle(at: now) { $0.notified(at: now) }
  }

  /// Passes the policy's readiness and the changes of the phone's power to the lifecycle.
  private mutating func updateFromPolicy(at now: MonotonicTime) {
    if isConnectionOpen, policy.isReady, !wasReady {
      wasReady = true
      let retransmission = endpoint.canProbe ? endpoint.retransmission : nil
      updateLifecycle(at: now) { $0.ready(retransmission, at: now) }
    }
    let power = policy.power
    guard decided == nil, power != lastPower else { return }
    let before = lastPower
    lastPower = power
    updateLifecycle(at: now) { $0.saw(power, after: before, at: now) }
  }

  /// Notifies the lifecycle if the peer has closed the last EA session or withdrawn CarPlay.
  mutating func updateFromSessions(_ actions: [RoleAction], at now: MonotonicTime) {
    let isClosing = actions.contains { action in
      switch action {
      case .closeExternalAccessory: policy.openSessions.isEmpty
      case .event(.carPlayAvailable(let offer)): !offer.isAvailable
      default: false
      }
    }
    if isClosing, decided == nil { updateLifecycle(at: now) { $0.sessionEnded(at: now) } }
  }

  /// Notifies the lifecycle of the link's end, and then of the platform's notification unless that is lost.
  mutating func updateFromEnd(_ cause: DisconnectCause, isDecided: Bool, at now: MonotonicTime) {
    updateLifecycle(at: now) { $0.linkEnded(cause, isDecided: isDecided, at: now) }
    if wasReady, !options.losesNotice, !options.losesEndingNotice() {
      updateLifecycle(at: now) { $0.notified(at: now) }
    }
    wasReady = false
  }
}

extension CarPlayAvailability {
  fileprivate var isAvailable: Bool {
    wiredAttributes?.wiredCarPlayAvailable == true || wirelessAttributes?.wirelessCarPlayAvailable == true
  }
}

extension RoleEvent {
  /// Creates the event that reports an action; nil for a probe.
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
