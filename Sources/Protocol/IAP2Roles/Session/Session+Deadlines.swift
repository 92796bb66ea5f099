// swift-iap2 · Apache-2.0

public import IAP2

// Everything a session waits for.
extension Session {
  /// The earliest deadline of the endpoint, of identification, of EA sessions that open or close, of pacing, of the
  /// role's ticks and of the lifecycle; nil when nothing waits.
  public var nextDeadline: MonotonicTime? {
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

  /// A deadline has passed.
  public mutating func handleDeadline(at now: MonotonicTime) {
    guard !isOver else { return }
    if let limit = identifyDeadline, limit <= now {
      identifyDeadline = nil
      if !policy.isReady {
        end(.timeout, at: now)
        drain([], at: now)
        return settle(at: now)
      }
    }
    for session in opening.keys.sorted() where opening[session].map({ $0 <= now }) ?? false {
      // The end of the wait does not depend on when pacing lets the message leave.
      opening[session] = nil
      events.append(.closed(session: session))
      perform(policy.closeExternalAccessory(session), at: now)
    }
    closeDrained(at: now)
    tick(at: now)
    performDue(at: now)
    if lifecycleDeadline != nil { judge(at: now) { $0.handleDeadline(at: now) } }
    endpoint.handleDeadline(at: now)
    drain([], at: now)
    settle(at: now)
  }

  /// What every verb ends with.
  mutating func settle(at now: MonotonicTime) {
    closeDrained(at: now)
    finishDraining(at: now)
    tickedAt = policy.tickMilliseconds == nil ? nil : tickedAt ?? now
  }

  /// Each connection has this long to get both sides ready.
  mutating func limitIdentification(at now: MonotonicTime) {
    // Longer than a century is as good as never, and has no place in nanoseconds.
    identifyDeadline = options.identifyTimeout.map { limit in
      let (seconds, attoseconds) = min(limit, .seconds(4_000_000_000)).components
      return MonotonicTime(nanoseconds: now.nanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
  }

  /// An orderly end has a limit of its own: during it nothing is probed, and silence means nothing.
  private var lifecycleDeadline: MonotonicTime? { state == .open ? lifecycle.nextDeadline : nil }

  private var nextTick: MonotonicTime? {
    guard let interval = policy.tickMilliseconds, let since = tickedAt else { return nil }
    return since.adding(milliseconds: interval)
  }

  /// Tells the policy how much time has passed; the rest of a millisecond counts next time.
  private mutating func tick(at now: MonotonicTime) {
    guard let next = nextTick, let since = tickedAt, next <= now else { return }
    let milliseconds = Int((now.nanoseconds - since.nanoseconds) / 1_000_000)
    tickedAt = since.adding(milliseconds: milliseconds)
    perform(policy.handle(.tick(milliseconds: milliseconds)), at: now)
  }
}
