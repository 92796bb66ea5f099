// swift-iap2 · Apache-2.0

package import IAP2

/// An open EA session.
struct OpenExternalAccessory: Sendable {
  var name: String
  var isNative: Bool
  /// Whether a service runs for it, because the peer or a running app opened it.
  var isServed: Bool
  var bytesSent = 0
  var bytesReceived = 0
  var closing = Closing.no

  /// The progress of the orderly end of an EA session.
  enum Closing: Sendable, Equatable {
    case no
    /// The session closes when all written bytes are sent, at this time at the latest.
    case until(MonotonicTime)
    /// The policy closes the session.
    case now

    var deadline: MonotonicTime? { if case .until(let time) = self { time } else { nil } }
    var isWaiting: Bool { deadline != nil }
  }
}

// The EA sessions of a session.
extension Session {
  /// The protocol names of the open EA sessions, by session id.
  package var openExternalAccessories: [UInt16: String] { externalAccessory.mapValues(\.name) }

  /// Queues as many bytes for an EA session as there is room for.
  ///
  /// - Returns: The number of bytes that were queued; nil if the session is not open on the link or is closing.
  package mutating func send(_ bytes: [UInt8], in session: UInt16, at now: MonotonicTime) -> Int? {
    guard let open = externalAccessory[session], open.closing == .no, !open.isNative else { return nil }
    let taken: Int
    do { taken = try endpoint.sendExternalAccessory(session, bytes.rawBytes) } catch { return nil }
    externalAccessory[session]?.bytesSent += taken
    return taken
  }

  /// Returns whether the EA session still has to send its last bytes, or its native stream is still being read.
  package func isClosing(_ session: UInt16) -> Bool {
    externalAccessory[session].map { $0.closing != .no } ?? false || endingNatives.contains { $0.session == session }
  }

  /// Returns the bytes of an EA session that wait in the link's queue.
  package func queuedByteCount(_ session: UInt16) -> Int { endpoint.queuedByteCount(externalAccessory: session) }

  mutating func openStream(_ session: UInt16, _ name: String, _ answer: [UInt8]?, at now: MonotonicTime) {
    // A session that this side requested has no service.
    let limit = endpoint.limits.externalAccessoryClosedServices
    guard opening[session] != nil || closedServiceCount < limit else {
      return failed(session, .limit(StaticName("externalAccessoryClosedServices"), limit), at: now)
    }
    guard carriesNative(name) else { return openOnLink(session, name, answer, at: now) }
    // Each protocol has one stream. The bytes of two sessions on it could not be distinguished.
    let isTaken = externalAccessory.values.contains { $0.isNative && $0.name == name }
    guard !isTaken else { return failed(session, .externalAccessoryNotPossible(session: session), at: now) }
    openingNatives[session] = (name, answer)
    events.append(.openNative(session: session, protocol: name))
  }

  /// The services that have not returned although their session is closed.
  private var closedServiceCount: Int { runningServices - externalAccessory.values.count(where: \.isServed) }

  mutating func openOnLink(_ session: UInt16, _ name: String, _ answer: [UInt8]?, at now: MonotonicTime) {
    do { try endpoint.openExternalAccessory(session) } catch {
      guard case .tooManyExternalAccessorySessions(let limit) = error else {
        return failed(session, .externalAccessoryNotPossible(session: session), at: now)
      }
      return failed(session, .limit(StaticName("externalAccessorySessions"), limit), at: now)
    }
    opened(session, name, answer, isNative: false)
  }

  mutating func openedNative(_ session: UInt16, at now: MonotonicTime) {
    guard let (name, answer) = openingNatives.removeValue(forKey: session) else { return }
    opened(session, name, answer, isNative: true)
  }

  private mutating func failed(_ session: UInt16, _ violation: ProtocolViolation, at now: MonotonicTime) {
    report(.violation(violation))
    perform(policy.closeExternalAccessory(session), at: now)
  }

  private mutating func opened(_ session: UInt16, _ name: String, _ answer: [UInt8]?, isNative: Bool) {
    let isRequested = opening.removeValue(forKey: session) != nil
    externalAccessory[session] = OpenExternalAccessory(name: name, isNative: isNative, isServed: !isRequested)
    if !isRequested { runningServices += 1 }
    report(.externalAccessoryOpened(protocol: name, session: session))
    events.append(.opened(session: session, protocol: name, isRequested: isRequested, isNative: isNative))
    if let answer { send(answer) }
  }

  mutating func closeStream(_ session: UInt16) {
    let undelivered = queuedByteCount(session) + endpoint.unsentByteCount(externalAccessory: session)
    endpoint.closeExternalAccessory(session)
    opening[session] = nil
    openingNatives[session] = nil
    guard let open = externalAccessory.removeValue(forKey: session) else {
      return events.append(.closed(session: session))
    }
    guard !open.isNative else {
      endingNatives.append((session, open.name))
      return events.append(.closeNative(session: session))
    }
    events.append(.closed(session: session))
    if undelivered > 0, open.closing != .no {
      report(.externalAccessoryUndelivered(protocol: open.name, session: session, byteCount: undelivered))
    }
    report(
      .externalAccessoryClosed(
        protocol: open.name, session: session, bytesSent: open.bytesSent, bytesReceived: open.bytesReceived))
  }

  mutating func nativeEnded(_ session: UInt16) {
    guard let index = endingNatives.firstIndex(where: { $0.session == session }) else { return }
    events.append(.nativeClosed(session: session, protocol: endingNatives.remove(at: index).name))
  }

  mutating func close(_ session: UInt16, at now: MonotonicTime) {
    guard let open = externalAccessory[session], queuedByteCount(session) > 0 || open.isNative else {
      return perform(policy.closeExternalAccessory(session), at: now)
    }
    guard open.closing == .no else { return }
    externalAccessory[session]?.closing = .until(
      now.adding(milliseconds: endpoint.limits.externalAccessoryCloseMilliseconds))
  }

  /// Closes the sessions whose bytes were sent, or whose time limit has passed.
  mutating func closeDrained(at now: MonotonicTime) {
    guard externalAccessory.values.contains(where: { $0.closing.isWaiting }) else { return }
    for (session, open) in externalAccessory.sorted(by: { $0.key < $1.key }) {
      guard let limit = open.closing.deadline, limit <= now || !open.isNative && queuedByteCount(session) == 0
      else { continue }
      externalAccessory[session]?.closing = .now
      perform(policy.closeExternalAccessory(session), at: now)
    }
  }
}
