// swift-iap2 · Apache-2.0

import IAP2
import Synchronization

// EA sessions whose bytes use a stream beside the link.
extension Connection {
  func openNative(_ session: UInt16, _ name: String) {
    let stream = natives.isStopped ? nil : transport.nativeStream(of: name, among: self.session.policy.nativeProtocols)
    guard let stream else { return self.session.submit(.nativeUnavailable(session: session), at: clock.now) }
    natives.prepare(stream, for: session)
    self.session.submit(.nativeOpened(session: session), at: clock.now)
  }

  /// Ends a native session. Bytes that have arrived are still read. Writers are woken, because nothing is sent any
  /// more.
  func closeNative(_ session: UInt16) {
    natives.end(session)
    streams.removeValue(forKey: session)?.writable.notify()
  }

  /// Moves the bytes of a native session from its opening on.
  func carry(_ native: NativeSession) async {
    await native.run {
      await self.progressed(native)
    } failed: {
      await self.failed(native)
    }
    ended(native)
  }

  private func progressed(_ native: NativeSession) {
    let session = native.stream.session
    if natives[session] === native, native.queuedByteCount == 0 { return submit(.nativeDrained(session: session)) }
    finishOperation()
  }

  private func failed(_ native: NativeSession) {
    let session = native.stream.session
    if natives[session] === native { submit(.nativeFailed(session: session)) }
    native.finish()
  }

  /// Reports the end of a native session with the bytes that its stream has counted.
  func nativeClosed(_ session: UInt16, _ name: String) {
    let counts = natives.byteCounts(of: session)
    let event = RoleEvent.externalAccessoryClosed(
      protocol: name, session: session, bytesSent: counts.sent, bytesReceived: counts.received)
    emit(TimedEvent(time: clock.now, event: event))
  }

  private func ended(_ native: NativeSession) {
    let session = native.stream.session
    guard natives.isEnding(session) else { return }
    submit(.nativeEnded(session: session))
    natives.remove(native)
    for closer in closers.removeValue(forKey: session) ?? [] { closer.resume() }
  }
}

/// The native sessions of a connection that are open, or that are closed and still being read.
final class NativeSessions: Sendable {
  private struct State {
    var prepared: [UInt16: any ByteTransport] = [:]
    var open: [UInt16: NativeSession] = [:]
    var ending: [NativeSession] = []
    var isStopped = false
  }

  private let state = Mutex(State())

  subscript(session: UInt16) -> NativeSession? { state.withLock { $0.open[session] } }

  /// Refuses further native sessions, because the connection has ended.
  func stop() { state.withLock { $0.isStopped = true } }
  var isStopped: Bool { state.withLock { $0.isStopped } }

  func prepare(_ transport: any ByteTransport, for session: UInt16) {
    state.withLock { $0.prepared[session] = transport }
  }

  /// Returns the native session of a session that was opened; nil if no transport was prepared for it.
  func begin(_ stream: ExternalAccessoryStream, limits: Limits) -> NativeSession? {
    guard let transport = state.withLock({ $0.prepared.removeValue(forKey: stream.session) }) else { return nil }
    let native = NativeSession(stream, on: transport, limits: limits)
    state.withLock { $0.open[stream.session] = native }
    return native
  }

  /// The open sessions whose transport has accepted all bytes.
  var drained: [UInt16] {
    state.withLock { $0.open }.filter { $0.value.queuedByteCount == 0 }.keys.sorted()
  }

  /// Closes a session. Bytes that have arrived are still read.
  func end(_ session: UInt16) {
    let native = state.withLock { state -> NativeSession? in
      guard let native = state.open.removeValue(forKey: session) else { return nil }
      state.ending.append(native)
      return native
    }
    native?.finish()
  }

  func isEnding(_ session: UInt16) -> Bool {
    state.withLock { $0.ending.contains { $0.stream.session == session } }
  }

  /// Removes a session that was closed and read to its end.
  func remove(_ native: NativeSession) { state.withLock { $0.ending.removeAll { $0 === native } } }

  func byteCounts(of session: UInt16) -> (sent: Int, received: Int) {
    let native = state.withLock { state in
      state.ending.first { $0.stream.session == session } ?? state.open[session]
    }
    guard let stream = native?.stream else { return (0, 0) }
    return (stream.bytesSent, stream.bytesReceived)
  }
}
