// swift-iap2 · Apache-2.0

import IAP2
package import IAP2Roles

/// An error of a user's request that the connection itself can cause.
protocol RequestError: Error {
  /// The connection has ended, or its end was decided.
  static var notReady: Self { get }
  /// The messages that wait leave no room.
  static func queueFull(_ limit: QueueLimit) -> Self
}

extension RoleError: RequestError {}
extension PressProblem: RequestError {}

// The calls of the roles and of their users.
extension Connection {
  /// Does what ``act(_:)`` does; nil if the connection was released.
  func use<Result: Sendable>(_ body: @Sendable (inout Policy) -> (Result, [RoleAction])) -> Result? {
    isReleased ? nil : act(body)
  }

  /// Whether messages of a user can still be queued.
  private var takesRequests: Bool { !isReleased && session.isConnectionOpen && !session.isEnding }

  /// Queues reports that the peer may not want: all of them or none.
  ///
  /// - Returns: False if nothing was queued.
  func report(_ body: @Sendable (inout Policy) -> [RoleAction]) -> Bool {
    guard takesRequests else { return false }
    let isQueued: Bool
    do throws(QueueLimit) {
      isQueued = try session.actIfQueueable(at: clock.now) { policy in
        let actions = body(&policy)
        return (!actions.isEmpty, actions)
      }
    } catch { return false }
    finishOperation()
    return isQueued
  }

  /// Does what a user asks for: either all of its messages are queued, or nothing changes.
  func request<Failure: RequestError>(
    _ body: @Sendable (inout Policy) throws(Failure) -> [RoleAction]
  ) throws(Failure) {
    guard takesRequests else { throw .notReady }
    let failure: Failure?
    do throws(QueueLimit) {
      failure = try session.actIfQueueable(at: clock.now) { policy -> (Failure?, [RoleAction]) in
        do throws(Failure) { return (nil, try body(&policy)) } catch { return (error, []) }
      }
    } catch { throw .queueFull(error) }
    finishOperation()
    if let failure { throw failure }
  }

  /// Handles a notice of the platform that the peer has disconnected. Returns false if the connection was released.
  func noticeUnlessReleased() -> Bool {
    guard !isReleased else { return false }
    notice()
    return true
  }

  /// Handles a notice of the platform that the peer has disconnected, at any time.
  package func notice() { submit(.notice) }

  /// Ends each EA session in order, then the link, then the transport.
  package func disconnect() {
    session.submit(.disconnect, at: clock.now)
    for native in natives.drained { session.submit(.nativeDrained(session: native), at: clock.now) }
    finishOperation()
  }

  /// Closes the transport without an orderly end.
  func drop() async { await transport.close() }

  /// Whether everything that was handed to the link was sent and acknowledged.
  package var isDrained: Bool { session.endpoint.isDrained }

  /// The result of the connection, once it has run.
  var result: ServeResult {
    let error = transportError
    return inPlace { ServeResult(wasIdentified: $0.wasIdentified, cause: $0.cause, transportError: error) }
  }

  /// Changes the role's policy and does what it wants.
  package func act<Result: Sendable>(_ body: @Sendable (inout Policy) -> (Result, [RoleAction])) -> Result {
    let result = session.act(at: clock.now, body)
    finishOperation()
    return result
  }
}
