// swift-iap2 · Apache-2.0

import IAP2
package import IAP2Roles

/// The readiness of the accessory of a phone, from the phone's events: whether it is authenticated and identified, and
/// its EA protocols.
package struct AccessoryReadiness: Sendable {
  private var isAuthenticated = false
  private var isIdentified = false
  /// The EA protocols of the last accepted identification.
  package private(set) var protocols: [String] = []

  /// Creates the readiness before the first connection.
  package init() {}

  /// Whether EA sessions can be opened.
  package var isReady: Bool { isAuthenticated && isIdentified }

  /// Handles an event.
  ///
  /// - Returns: Whether the accessory became ready with this event.
  package mutating func handle(_ event: RoleEvent) -> Bool {
    let wasReady = isReady
    switch event {
    case .disconnected: (isAuthenticated, isIdentified) = (false, false)
    case .authenticated: isAuthenticated = true
    case .identified(let information):
      isIdentified = true
      protocols = information.supportedExternalAccessoryProtocol.map(\.externalAccessoryProtocolName)
    default: break
    }
    return !wasReady && isReady
  }
}
