// swift-iap2 · Apache-2.0

package import IAP2Transport

/// A head unit or a phone, for code that runs either role.
package protocol LiveRole: Sendable {
  /// The events of all connections.
  var events: RoleEvents { get }
  /// Runs one connection until it has ended.
  func run(on transport: any ByteTransport) async -> ServeResult
  /// Ends the connection in order.
  func disconnect() async
  /// Ends the events.
  func finish()
}

extension HeadUnit: LiveRole {}
extension Phone: LiveRole {}
