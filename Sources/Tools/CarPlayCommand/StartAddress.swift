// swift-iap2 · Apache-2.0

import CarPlayLive
package import IAP2

extension HostPort {
  /// The first IP address that a head unit's start message names, with its port.
  ///
  /// nil without both. A name is no address: a phone asks no name server for what a head unit tells.
  package init?(_ start: CarPlayStartSession) {
    let hosts = (start.wiredAttributes?.ipAddress ?? []) + (start.wirelessAttributes?.ipAddress ?? [])
    guard let host = hosts.first(where: SocketFacts.isAddress), (1...UInt32(UInt16.max)).contains(start.port)
    else { return nil }
    self.init(host: host, port: Int(start.port))
  }
}
