// swift-iap2 · Apache-2.0

package import Basics
import IAP2

extension Session where Policy == PhonePolicy {
  /// Requests an EA session for a protocol of the accessory.
  /// ``SessionEvent/opened(session:protocol:isRequested:isNative:)`` or ``SessionEvent/closed(session:)`` follows
  /// within `Limits.externalAccessoryOpenMilliseconds`.
  ///
  /// - Parameters:
  ///   - name: The name of the EA protocol.
  ///   - now: The current time.
  /// - Returns: The id of the session.
  /// - Throws: ``ExternalAccessoryOpenProblem`` if the session cannot be requested.
  package mutating func openExternalAccessory(
    _ name: String, at now: MonotonicTime
  ) throws(ExternalAccessoryOpenProblem) -> UInt16 {
    let (session, actions) = try policy.openExternalAccessory(name)
    opening[session] = now.adding(milliseconds: endpoint.limits.externalAccessoryOpenMilliseconds)
    perform(actions, at: now)
    drain([], at: now)
    finishOperation(at: now)
    return session
  }
}
