// swift-iap2 · Apache-2.0

package import IAP2Roles
package import IAP2Transport
import Synchronization

/// A bridge of a phone: it connects each client to a session of the accessory, as long as the accessory has the EA
/// protocol.
///
/// One task accepts clients during the whole run, across connections of accessories. An accepted client is served, or
/// closed when the run ends.
package final class ExternalAccessoryBridge: Sendable {
  /// A reason why the run failed.
  package enum Problem: Error, Sendable {
    /// The accessory does not have the protocol; the protocols that it has.
    case noProtocol([String])
    /// The clients' source failed.
    case clients(TransportError)
    /// The one client did not receive all bytes of the session.
    case undelivered(TransportError)
    /// The accessory sent no byte to the one client, which had sent this number, until the silence or another end.
    case unanswered(byteCount: Int, isOfSilence: Bool)
  }

  private struct State {
    var accessory = AccessoryReadiness()
    /// The number of connections that became ready.
    var turn = 0
    var isEnding = false
    var hasCarried = false
    var problem: Problem?
    /// The client that is served or waits for an accessory.
    var client: (any ByteTransport)?
    var task: Task<Void, Never>?
  }

  private let state = Mutex(State())
  private let changed = Signal()
  private let phone: Phone
  private let protocolName: String
  private let clients: any TransportSource
  private let linger: Duration
  private let isForOne: Bool
  private let undelivered: (@Sendable (String, TransportError) -> Void)?
  private let ended: @Sendable () -> Void

  /// Creates a bridge and starts to accept clients.
  ///
  /// - Parameters:
  ///   - phone: The phone whose events ``handle(_:)`` receives.
  ///   - protocolName: The EA protocol of the sessions.
  ///   - clients: The source of the clients.
  ///   - linger: The time without a byte from the accessory that ends a session, after the client's last byte.
  ///   - isForOne: Whether the run ends after one client.
  ///   - undelivered: Called with the address of a client that did not receive all bytes. With nil, the run fails.
  ///   - ended: Called when no client will be served any more.
  package init(
    phone: Phone, protocolName: String, clients: any TransportSource, linger: Duration, isForOne: Bool,
    undelivered: (@Sendable (String, TransportError) -> Void)?, ended: @escaping @Sendable () -> Void
  ) {
    (self.phone, self.protocolName, self.clients) = (phone, protocolName, clients)
    (self.linger, self.isForOne, self.undelivered, self.ended) = (linger, isForOne, undelivered, ended)
    state.withLock { $0.task = Task { await run() } }
  }

  /// The reason why the run failed; nil without one.
  package var problem: Problem? { state.withLock { $0.problem } }

  /// Handles an event of the phone.
  package func handle(_ event: RoleEvent) {
    state.withLock { state in
      guard state.accessory.handle(event) else { return }
      state.turn += 1
      if !state.accessory.protocols.contains(protocolName) { state.problem = .noProtocol(state.accessory.protocols) }
    }
    changed.notify()
    if problem != nil { ended() }
  }

  /// The time limit for delivering the remaining bytes to a client at the end of the run, in case the client stopped
  /// reading.
  private static let timeout = Duration.seconds(60)

  /// Ends the remaining client and the listener in order.
  ///
  /// - Returns: Whether the run succeeded.
  package func finish() async -> Bool {
    let task = state.withLock { state in
      state.isEnding = true
      return state.task
    }
    changed.notify()
    await clients.close()
    let giveUp = Task {
      do { try await Task.sleep(for: Self.timeout) } catch { return }
      await state.withLock { $0.client }?.close()
    }
    await task?.value
    giveUp.cancel()
    return state.withLock { $0.problem == nil && ($0.hasCarried || !isForOne) }
  }

  private func run() async {
    do throws(TransportError) {
      while let client = try await clients.next() {
        await serve(client)
        if isForOne { break }
      }
      ended()
      // Close a client that was accepted during shutdown so that it does not wait.
      await clients.close()
      while let client = try await clients.next() { await client.close() }
    } catch {
      fail(.clients(error))
      ended()
    }
  }

  private func fail(_ problem: Problem) { state.withLock { $0.problem = $0.problem ?? problem } }

  private func serve(_ client: any ByteTransport) async {
    state.withLock { $0.client = client }
    var turn = 0
    while let next = await ready(after: turn) {
      turn = next
      let stream: ExternalAccessoryStream
      do { stream = try await phone.open(protocolName) } catch {
        // The session's advice has named the reason.
        if case .refused = error { break }
        // The connection closed meanwhile, so wait for the next one.
        continue
      }
      state.withLock { $0.hasCarried = true }
      await join(stream, client)
      return
    }
    await client.close()
  }

  private func join(_ stream: ExternalAccessoryStream, _ client: any ByteTransport) async {
    let end = await stream.join(client, linger: linger)
    switch end.error {
    case nil, .closed:
      // Without a wait, no answer is expected, nor in a run that its user ends.
      guard isForOne, linger > .zero, stream.bytesSent > 0, stream.bytesReceived == 0,
        !state.withLock({ $0.isEnding })
      else { return }
      fail(.unanswered(byteCount: stream.bytesSent, isOfSilence: end.isOfSilence))
    case .some(let error): if let undelivered { undelivered(client.address, error) } else { fail(.undelivered(error)) }
    }
  }

  /// Waits until an accessory with the protocol is ready on a connection after `turn`.
  ///
  /// - Returns: The number of the connection; nil when no further one will come.
  private func ready(after turn: Int) async -> Int? {
    while true {
      let (next, isReady, isOver) = state.withLock { state in
        (state.turn, state.accessory.isReady, state.isEnding || state.problem != nil)
      }
      if isOver { return nil }
      if isReady, next > turn { return next }
      await changed.wait()
    }
  }
}
