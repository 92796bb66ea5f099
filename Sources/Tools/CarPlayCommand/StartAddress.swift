// swift-iap2 · Apache-2.0

import CarPlayLive
package import IAP2

extension HostPort {
  /// Creates the address from the first IP address in a head unit's start message, and its port.
  ///
  /// nil if either is missing. A host name is not used, because a phone does not resolve names from a head unit.
  package init?(_ start: CarPlayStartSession) {
    let hosts = (start.wiredAttributes?.ipAddress ?? []) + (start.wirelessAttributes?.ipAddress ?? [])
    guard let host = hosts.first(where: SocketAddresses.isAddress), (1...UInt32(UInt16.max)).contains(start.port)
    else { return nil }
    self.init(host: host, port: Int(start.port))
  }
}
