// swift-iap2 · Apache-2.0

import CarPlayLive
import CommandSupport
package import IAP2
import IAP2USB

/// The addresses at which a phone looks for its head unit.
package struct HeadUnitPlaces: Sendable, CustomStringConvertible {
  private let hosts: [String]
  let port: Int
  /// The time in which the addresses are tried again and again. A single one is tried once.
  let patience: Duration
  /// Whether a cable with a network of its own joins the two.
  private let isOnCable: Bool

  /// The most addresses of a start message that are tried. A head unit has two or three.
  private static let maximumHosts = 8
  /// The time within which the network of the cable is there, or the phone has joined the one of the car. Ours.
  private static let networkTime = Duration.seconds(15)
  static let retryTime = Duration.milliseconds(200)

  /// Creates the places of an address of the user or of discovery.
  package init(_ address: HostPort) {
    (hosts, port, patience, isOnCable) = ([address.host], address.port, .zero, false)
  }

  /// Creates the places from the IP addresses in a head unit's start message and its port.
  ///
  /// nil without both. A host name is not used, because a phone does not resolve names from a head unit.
  ///
  /// - Parameter isOnCable: Whether the head unit is a USB device of this machine.
  package init?(_ start: CarPlayStartSession, isOnCable: Bool = false) {
    let hosts = (start.wiredAttributes?.ipAddress ?? []) + (start.wirelessAttributes?.ipAddress ?? [])
    self.hosts = Array(hosts.filter(SocketAddresses.isAddress).prefix(Self.maximumHosts))
    guard !self.hosts.isEmpty, (1...UInt32(UInt16.max)).contains(start.port) else { return nil }
    port = Int(start.port)
    self.isOnCable = isOnCable
    // A network that must come first is waited for.
    let isWaiting = start.wirelessAttributes != nil || self.hosts.contains(where: SocketAddresses.isLinkLocal)
    patience = isWaiting ? Self.networkTime : .zero
  }

  /// The addresses as they are at present. A link-local one is one on each interface where the head unit may be.
  func present() -> [HostPort] {
    let interfaces = isOnCable ? cables() : SocketAddresses.linkLocalInterfaces
    return hosts.flatMap { host in
      SocketAddresses.isLinkLocal(host) && !host.contains("%") ? interfaces.map { "\(host)%\($0)" } : [host]
    }.map { HostPort(host: $0, port: port) }
  }

  /// Turns the interfaces of cables on, and returns them. Without the right to do so, they may be on already, so only
  /// ``turnOnCables()`` reports a failure.
  private func cables() -> [String] {
    CableNetwork.ofHost.map { cable in
      _ = cable.turnOnOrAdvise()
      return cable.interface
    }
  }

  /// Turns the interfaces of cables on. Returns the reason and the next step for the first one that stays off; nil if all
  /// are on.
  func turnOnCables() -> String? {
    isOnCable ? CableNetwork.ofHost.lazy.compactMap { $0.turnOnOrAdvise() }.first : nil
  }

  package var description: String {
    let first = HostPort(host: hosts.first ?? "", port: port).description
    return hosts.count > 1 ? "\(first) and \(hosts.count - 1) other addresses" : first
  }
}

extension CableNetwork {
  /// Turns the interface on. Returns the reason and the next step if it stays off.
  func turnOnOrAdvise() -> String? {
    do throws(Problem) { try turnOn() } catch {
      return "cannot turn CarPlay's network on: \(error); run this as root, or: ip link set \(interface) up"
    }
    return nil
  }
}
