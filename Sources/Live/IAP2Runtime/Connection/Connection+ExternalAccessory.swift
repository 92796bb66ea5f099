// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
import IAP2Transport
import Synchronization

// EA sessions of a connection, as the streams that apps and services see.
extension Connection {
  func openStream(_ session: UInt16, _ name: String) -> Bool {
    let native: (any ByteTransport)?
    do {
      native = try nativeStream(name)
      if native == nil { try endpoint.openExternalAccessory(session) }
    } catch {
      if case .tooManyExternalAccessorySessions(let limit) = error {
        tell(.violation(.limit(StaticName("externalAccessorySessions"), limit)))
      } else {
        tell(.violation(.externalAccessoryNotPossible(session: session)))
      }
      perform(policy.closeExternalAccessory(session))
      return false
    }
    // A quarter of the mark: what was read and not told can never hold a sender back.
    let stream = ExternalAccessoryStream(
      session: session, protocolName: name, host: self,
      reportingByteCount: endpoint.limits.externalAccessoryHighMark / 4)
    streams[session] = stream
    if let native {
      let carried = NativeSession(stream, on: native, limits: endpoint.limits)
      natives[session] = carried
      nativeOpenings.yield(carried)
    }
    tell(.externalAccessoryOpened(protocol: name, session: session))
    if let waiter = waiters.removeValue(forKey: session) {
      waiter.waiting.resume(returning: stream)
    } else {
      service(stream)
    }
    return true
  }

  func closeStream(_ session: UInt16) {
    endpoint.closeExternalAccessory(session)
    waiters.removeValue(forKey: session)?.waiting.resume(returning: nil)
    closing[session] = nil
    guard let stream = streams.removeValue(forKey: session) else { return wakeClosers(session) }
    if let native = natives.removeValue(forKey: session) {
      // What its own medium still holds is read first; whoever writes has nothing to wait for.
      endingNatives.append(native)
      native.finish()
      return stream.writable.notify()
    }
    stream.end()
    closed(stream)
  }

  /// A session is over, and everything that came was read.
  func closed(_ stream: ExternalAccessoryStream) {
    tell(
      .externalAccessoryClosed(
        protocol: stream.protocolName, session: stream.session, bytesSent: stream.bytesSent,
        bytesReceived: stream.bytesReceived))
    wakeClosers(stream.session)
  }

  private func wakeClosers(_ session: UInt16) {
    for closer in closers.removeValue(forKey: session) ?? [] { closer.resume() }
  }

  func consumed(_ byteCount: Int, of session: UInt16) {
    if let native = natives[session] { return native.consumed(byteCount) }
    endpoint.consume(externalAccessory: session, byteCount: byteCount)
    settle()
  }

  func send(_ bytes: [UInt8], in session: UInt16) -> Int? {
    guard let stream = streams[session], closing[session] == nil else { return nil }
    let taken: Int
    if let native = natives[session] {
      taken = native.send(bytes)
    } else {
      do { taken = try endpoint.sendExternalAccessory(session, bytes.rawBytes) } catch { return nil }
    }
    stream.state.withLock {
      $0.bytesSent += taken
      $0.isWriting = taken < bytes.count
    }
    outputSignal.notify()
    return taken
  }

  /// Everything handed to the link was sent and acknowledged.
  package var isDrained: Bool { endpoint.isDrained }

  func isQueued(_ session: UInt16) -> Bool {
    guard let stream = streams[session], queuedByteCount(session) > 0 else { return false }
    stream.state.withLock { $0.isDraining = true }
    return true
  }

  /// Returns when it has ended.
  func close(_ session: UInt16) async {
    guard queuedByteCount(session) > 0 || natives[session] != nil else {
      perform(policy.closeExternalAccessory(session))
      return settle()
    }
    await withCheckedContinuation { closer in
      closers[session, default: []].append(closer)
      if closing[session] == nil {
        closing[session] = clock.now.adding(milliseconds: endpoint.limits.externalAccessoryCloseMilliseconds)
      }
      settle()
    }
  }

  /// Ends every session of a protocol; how many there were.
  func close(protocolNamed name: String) async -> Int {
    let sessions = policy.openSessions.filter { $0.value == name }.keys.sorted()
    for session in sessions { await close(session) }
    return sessions.count
  }

  /// Ends the sessions that have nothing more to send, or have had their time.
  func closeDrained() {
    for (session, limit) in closing.sorted(by: { $0.key < $1.key })
    where limit <= clock.now || queuedByteCount(session) == 0 {
      closing[session] = nil
      perform(policy.closeExternalAccessory(session))
    }
  }
}

extension Connection where Policy == PhonePolicy {
  /// Opens an EA session and waits for the accessory's answer.
  func open(_ name: String) async throws(ExternalAccessoryError) -> ExternalAccessoryStream {
    let session: UInt16
    let actions: [RoleAction]
    do { (session, actions) = try policy.openExternalAccessory(name) } catch { throw .notPossible(name, error) }
    let stream = await withCheckedContinuation { (waiter: CheckedContinuation<ExternalAccessoryStream?, Never>) in
      let patience = endpoint.limits.externalAccessoryOpenMilliseconds
      waiters[session] = Waiter(waiting: waiter, deadline: clock.now.adding(milliseconds: patience))
      perform(actions)
      settle()
    }
    guard let stream else { throw .refused(name) }
    return stream
  }
}
