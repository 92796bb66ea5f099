// swift-iap2 · Apache-2.0

import IAP2
import Synchronization

/// The outcome of a request to open an EA session.
enum Opening: Sendable {
  case opened(ExternalAccessoryStream)
  /// The accessory closed the session or did not answer in time.
  case refused
  /// The connection has ended.
  case ended
}

// The EA sessions of a connection as the streams that apps and services use.
extension Connection {
  func opened(_ session: UInt16, _ name: String, isRequested: Bool, isNative: Bool) {
    // A quarter of the mark, so that bytes that were read and not reported never hold the sender back.
    let stream = ExternalAccessoryStream(
      session: session, protocolName: name, host: self, unread: unread,
      reportingByteCount: self.session.endpoint.limits.externalAccessoryHighMark / 4)
    streams[session] = stream
    if isNative, let native = natives.begin(stream, limits: self.session.endpoint.limits) {
      tasks.yield(.carry(native))
    }
    if isRequested, let opener = openers.removeValue(forKey: session) {
      opener.resume(returning: .opened(stream))
    } else {
      service(stream)
    }
  }

  /// Handles the end of an EA session, or its failure to open.
  func closed(_ session: UInt16) {
    openers.removeValue(forKey: session)?.resume(returning: self.session.isConnectionOpen ? .refused : .ended)
    if let stream = streams[session], !natives.isEnding(session) {
      streams[session] = nil
      keepUnread(stream)
      stream.end()
    }
    for closer in closers.removeValue(forKey: session) ?? [] { closer.resume() }
  }

  /// Keeps a closed stream in sight while it holds unread bytes.
  private func keepUnread(_ stream: ExternalAccessoryStream) {
    closedUnread.removeAll { $0.stream?.unreadByteCount ?? 0 == 0 }
    if stream.unreadByteCount > 0 { closedUnread.append(ClosedStream(stream: stream)) }
  }

  /// Wakes writers that have room again, and readers of bytes that have arrived. It runs once for each read of the
  /// transport, because waking a task costs more than a packet.
  func wakeStreams() {
    guard !streams.isEmpty else { return }
    let limits = session.endpoint.limits
    // The order of a dictionary differs from run to run.
    let ordered = streams.count < 2 ? Array(streams.values) : streams.values.sorted { $0.session < $1.session }
    for stream in ordered {
      let isBusy = stream.state.withLock { $0.isWriting || $0.isDraining }
      guard isBusy else { continue }
      let queued = queuedByteCount(stream.session)
      let wakes = stream.state.withLock { state in
        let hasRoom = state.isWriting && queued <= limits.externalAccessoryQueueByteCount / 2
        let isDrained = state.isDraining && queued == 0
        if hasRoom { state.isWriting = false }
        if isDrained { state.isDraining = false }
        return hasRoom || isDrained
      }
      if wakes { stream.writable.notify() }
    }
    for stream in ordered where natives[stream.session] == nil {
      stream.notifyReader(isBehind: inPlace { $0.endpoint.isBehind(externalAccessory: stream.session) })
    }
  }

  // MARK: Unread bytes

  /// The unread bytes that all EA sessions may hold together.
  var unreadLimit: Int {
    let limits = session.endpoint.limits
    return max(limits.externalAccessoryTotalUnreadByteCount, limits.externalAccessoryUnreadByteCount)
  }

  /// Closes the EA session with the most unread bytes and drops them.
  func closeSlowest() {
    let candidates = streams.values.sorted { $0.session < $1.session } + closedUnread.compactMap(\.stream)
    guard let slowest = candidates.max(by: { $0.unreadByteCount < $1.unreadByteCount }), slowest.unreadByteCount > 0
    else { return }
    slowest.discard()
    let limit = ProtocolViolation.limit(StaticName("externalAccessoryTotalUnreadByteCount"), unreadLimit)
    emit(TimedEvent(time: clock.now, event: .violation(limit)))
    guard streams[slowest.session] === slowest else { return }
    session.submit(.abortExternalAccessory(session: slowest.session), at: clock.now)
  }

  func queuedByteCount(_ session: UInt16) -> Int {
    natives[session]?.queuedByteCount ?? inPlace { $0.queuedByteCount(session) }
  }

  // MARK: Calls of the streams

  func consumed(_ byteCount: Int, of session: UInt16) {
    if let native = natives[session] { return native.consumed(byteCount) }
    submit(.consumed(session: session, byteCount: byteCount))
  }

  func send(_ bytes: [UInt8], in session: UInt16, draining: Bool) -> Int? {
    guard let stream = streams[session], !inPlace({ $0.isClosing(session) }) else { return nil }
    let native = natives[session]
    guard let taken = native?.send(bytes) ?? self.session.send(bytes, in: session, at: clock.now) else { return nil }
    let drains = draining && taken == bytes.count && queuedByteCount(session) > 0
    stream.state.withLock {
      $0.bytesSent += taken
      $0.isWriting = taken < bytes.count
      if drains { $0.isDraining = true }
    }
    outputSignal.notify()
    return taken
  }

  func isQueued(_ session: UInt16) -> Bool {
    guard let stream = streams[session], queuedByteCount(session) > 0 else { return false }
    stream.state.withLock { $0.isDraining = true }
    return true
  }

  func hasUndelivered(_ session: UInt16) -> Bool {
    natives[session].map { $0.queuedByteCount > 0 } ?? !isDrained
  }

  /// Ends a session in order. Returns when it has ended.
  func close(_ session: UInt16) async {
    self.session.submit(.closeExternalAccessory(session: session), at: clock.now)
    if natives[session]?.queuedByteCount == 0 {
      self.session.submit(.nativeDrained(session: session), at: clock.now)
    }
    guard self.session.isClosing(session) else { return finishOperation() }
    await withCheckedContinuation { closer in
      closers[session, default: []].append(closer)
      finishOperation()
    }
  }

  func serviceEnded() { if !isReleased { submit(.serviceEnded) } }

  /// Ends every session of a protocol.
  ///
  /// - Returns: The number of these sessions.
  func close(protocolNamed name: String) async -> Int {
    let sessions = session.policy.openSessions.filter { $0.value == name }.keys.sorted()
    for session in sessions { await close(session) }
    return sessions.count
  }
}

/// A closed EA session that is still being read, as long as its reader keeps it.
struct ClosedStream {
  weak var stream: ExternalAccessoryStream?
}

extension Connection where Policy == PhonePolicy {
  /// Opens an EA session and waits for the accessory's answer, at most until the end of the connection.
  func open(_ name: String) async throws(ExternalAccessoryError) -> ExternalAccessoryStream {
    guard session.isConnectionOpen, !session.isEnding else { throw .sessionEnded }
    let opened: UInt16
    do { opened = try session.openExternalAccessory(name, at: clock.now) } catch { throw .notPossible(name, error) }
    let opening = await withCheckedContinuation { (opener: CheckedContinuation<Opening, Never>) in
      openers[opened] = opener
      finishOperation()
    }
    switch opening {
    case .opened(let stream): return stream
    case .refused: throw .refused(name)
    case .ended: throw .sessionEnded
    }
  }
}
