// swift-iap2 · Apache-2.0

package import IAP2Transport

/// A head unit or a phone, for code that runs either role.
package protocol LiveRole: Sendable {
  /// The events of all connections.
  var events: RoleEvents { get }
  /// Runs one connection until it has ended.
  func run(on transport: any ByteTransport) async -> ServeResult
  /// Sends bytes as a message without a check against the lists. Returns false without a connection.
  func sendRaw(id: UInt16, body: [UInt8]) async -> Bool
  /// Offers a file without an announcement. Returns false without a connection.
  func sendFile(_ bytes: [UInt8], type: UInt16?, id: UInt8) async -> Bool
  /// Ends the connection in order.
  func disconnect() async
  /// Ends the connection in order. A later ``run(on:)`` closes its transport and returns at once, so that an end that
  /// was asked for between two connections holds.
  func stop() async
  /// Ends the events.
  func finish()
}

extension HeadUnit: LiveRole {}
extension Phone: LiveRole {}
