// swift-iap2 · Apache-2.0

/// A service of CarPlay in Bonjour (CarPlayStart.md#bonjour).
public enum CarPlayService: String, Sendable, Hashable, CaseIterable, Codable {
  /// The head unit's, to which phones connect.
  case airPlay = "_airplay._tcp"
  /// The phone's, for control requests.
  case control = "_carplay-ctrl._tcp"

  /// The side that advertises the service.
  public var side: SessionSide { self == .airPlay ? .headUnit : .phone }
}

/// A service to advertise.
public struct AdvertisedService: Sendable, Hashable {
  /// The service.
  public var service: CarPlayService
  /// The name that people read. Another service may have it, then a number is added.
  public var name: String
  /// The TCP port.
  public var port: UInt16
  /// The TXT record.
  public var text: TextRecord

  /// Creates a service.
  public init(_ service: CarPlayService, name: String, port: UInt16, text: TextRecord) {
    (self.service, self.port, self.text) = (service, port, text)
    var name = name
    while name.utf8.count > Self.maximumNameByteCount { name.removeLast() }
    self.name = name
  }

  /// The longest name in bytes: it is one label of DNS (RFC 6763, section 4.1.1).
  public static let maximumNameByteCount = 63
}

/// A service that was found, on one interface of this machine and by one family of addresses.
///
/// All texts come from others: they are data, escaped where they are shown.
public struct FoundService: Sendable, Hashable {
  /// The identity of a service on the network.
  public struct ID: Sendable, Hashable {
    /// The service.
    public var service: CarPlayService
    /// The name that people read.
    public var name: String
    /// The interface of this machine, such as `eth0`.
    public var interface: String
    /// Whether it was found by IPv6.
    public var isIPv6: Bool

    /// Creates an identity.
    public init(_ service: CarPlayService, name: String, interface: String, isIPv6: Bool) {
      (self.service, self.name, self.interface, self.isIPv6) = (service, name, interface, isIPv6)
    }
  }

  /// The identity.
  public var id: ID
  /// The name of its machine, such as `car.local`.
  public var host: String
  /// The IP address, with its interface if it is link-local: `fe80::1%eth0`; nil if the name has none.
  public var address: String?
  /// The TCP port.
  public var port: UInt16
  /// The TXT record.
  public var text: TextRecord

  /// Creates a found service.
  public init(_ id: ID, host: String, address: String?, port: UInt16, text: TextRecord) {
    (self.id, self.host, self.address, self.port, self.text) = (id, host, address, port, text)
  }

  /// The order in which the addresses of one service are tried, the lowest first; nil for one that is not tried.
  ///
  /// LIVI takes the link-local addresses of IPv6 alone, and never 169.254; a report from the field got further with
  /// IPv4 (CarPlayStart.md#addresses). So IPv6 comes first, and IPv4 is left.
  public var preference: Int? {
    guard let address, addressProblem == nil, port > 0 else { return nil }
    if address.lowercased().hasPrefix("fe80:") { return 0 }
    return address.contains(":") ? 1 : 2
  }

  /// Why the address is not tried; nil for one that is.
  ///
  /// A record of another machine may name any address, also one of this machine.
  public var addressProblem: String? {
    guard let address = address?.lowercased() else { return "the name has no address" }
    if address.hasPrefix("169.254.") { return "head units and phones do not use addresses of 169.254" }
    if address.hasPrefix("127.") || address == "::1" {
      return id.interface == "lo" ? nil : "the address is that of this machine"
    }
    let first = Int(address.prefix { $0 != "." })
    if address == "::" || address.hasPrefix("ff") || first == 0 || first.map({ $0 >= 224 }) == true {
      return "nobody can be reached at this address"
    }
    return nil
  }
}

/// A change of the services on the network.
public enum ServiceChange: Sendable, Hashable {
  /// A service was found, or its address, port or record is another one now.
  case found(FoundService)
  /// A service said goodbye, or its records grew too old.
  case lost(FoundService.ID)
}
