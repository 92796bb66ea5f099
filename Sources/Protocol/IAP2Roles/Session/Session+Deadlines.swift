// swift-iap2 · Apache-2.0

package import IAP2

// The deadlines of a session.
extension Session {
  /// The earliest deadline of the endpoint, of identification, of EA sessions that open or close, of pacing, of the
  /// role's ticks and of the lifecycle; nil if there is none.
  package var nextDeadline: MonotonicTime? {
    guard !isOver else { return nil }
    var next = endpoint.nextDeadline
    func consider(_ time: MonotonicTime?) {
      if let time, next.map({ time < $0 }) ?? true { next = time }
    }
    for deadline in opening.values { consider(deadline) }
    for session in externalAccessory.values { consider(session.closing.deadline) }
    consider(identifyDeadline)
    consider(nextTick)
    consider(paced.due)
    consider(lifecycleDeadline)
    return next
  }

  /// Handles the deadlines that have passed. The owner calls it at ``nextDeadline``.
  package mutating func handleDeadline(at now: MonotonicTime) {
    guard !isOver else { return }
    if let limit = identifyDeadline, limit <= now {
      identifyDeadline = nil
      if !policy.isReady {
        end(.timeout, at: now)
        drain([], at: now)
        return finishOperation(at: now)
      }
    }
    for session in opening.keys.sorted() where opening[session].map({ $0 <= now }) ?? false {
      // The wait ends now, even if pacing delays the message that closes the session.
      opening[session] = nil
      events.append(.closed(session: session))
      perform(policy.closeExternalAccessory(session), at: now)
    }
    closeDrained(at: now)
    tick(at: now)
    performDue(at: now)
    if lifecycleDeadline != nil { updateLifecycle(at: now) { $0.handleDeadline(at: now) } }
    endpoint.handleDeadline(at: now)
    drain([], at: now)
    finishOperation(at: now)
  }

  /// Completes an operation of the session: closes EA sessions that have sent their bytes, and starts or stops the
  /// ticks.
  mutating func finishOperation(at now: MonotonicTime) {
    closeDrained(at: now)
    finishDraining(at: now)
    tickedAt = policy.tickMilliseconds == nil ? nil : tickedAt ?? now
  }

  /// Starts the time limit in which both sides of a connection must become ready.
  mutating func limitIdentification(at now: MonotonicTime) {
    // Longer times would overflow the nanoseconds; the bound is more than a century.
    identifyDeadline = options.identifyTimeout.map { limit in
      let (seconds, attoseconds) = min(limit, .seconds(4_000_000_000)).components
      return MonotonicTime(nanoseconds: now.nanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
  }

  /// The deadline of the lifecycle; nil during an orderly end, which has a limit of its own. During an orderly end the
  /// peer is not probed, and silence is no evidence. Nil also while the link checks whether the peer has restarted,
  /// because its verdict names the cause and keeps the transport.
  private var lifecycleDeadline: MonotonicTime? {
    state == .open && !endpoint.isCheckingRestart ? lifecycle.nextDeadline : nil
  }

  private var nextTick: MonotonicTime? {
    guard let interval = policy.tickMilliseconds, let since = tickedAt else { return nil }
    return since.adding(milliseconds: interval)
  }

  /// Passes the elapsed whole milliseconds to the policy. The rest counts towards the next tick.
  private mutating func tick(at now: MonotonicTime) {
    guard let next = nextTick, let since = tickedAt, next <= now else { return }
    let milliseconds = Int((now.nanoseconds - since.nanoseconds) / 1_000_000)
    tickedAt = since.adding(milliseconds: milliseconds)
    perform(policy.handle(.tick(milliseconds: milliseconds)), at: now)
  }
}
