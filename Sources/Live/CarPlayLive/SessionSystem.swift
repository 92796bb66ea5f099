// swift-iap2 · Apache-2.0

public import Basics
import Cryptography
import NIOCore
import NIOPosix

/// The clock and the randomness of this machine.
public enum SessionSystem {
  /// The present time for sessions: the time since the start of the machine.
  public static var now: MonotonicTime {
    MonotonicTime(nanoseconds: Int64(clamping: NIODeadline.now().uptimeNanoseconds))
  }

  /// Returns random bytes for keys.
  public static func random(_ count: Int) -> [UInt8] {
    SecureRandom.bytes(count)
  }
}

/// Facts about sockets of this machine.
public enum SocketAddresses {
  /// Returns the addresses at which others reach a listener at a host: those of all interfaces for a wildcard.
  public static func reachable(_ host: String) -> [String] {
    guard ["0.0.0.0", "::"].contains(host) else { return [host] }
    let all: [String]
    do { all = try System.enumerateDevices().compactMap { $0.address?.ipAddress } } catch { return [host] }
    let others = all.filter { $0 != "127.0.0.1" && $0 != "::1" && (host == "::" || !$0.contains(":")) }
    return others.isEmpty ? all : others
  }

  /// The interfaces with a link-local address of IPv6, except the loopback.
  public static var linkLocalInterfaces: [String] {
    let names: [String]
    do {
      names = try System.enumerateDevices().filter { $0.address?.ipAddress.map(isLinkLocal) == true }.map(\.name)
    } catch { return [] }
    return Set(names).sorted()
  }

  /// Returns whether an address is a link-local one of IPv6, which needs an interface.
  public static func isLinkLocal(_ address: String) -> Bool { address.lowercased().hasPrefix("fe80:") }

  /// Returns whether a host is this machine alone.
  public static func isLoopback(_ host: String) -> Bool {
    host == "::1" || host == "localhost" || host.hasPrefix("127.") && isAddress(host)
  }

  /// Returns whether a text is an IP address.
  public static func isAddress(_ text: String) -> Bool {
    do { _ = try SocketAddress(ipAddress: text, port: 0) } catch { return false }
    return true
  }

  /// Returns whether a connection failed because its host has no address.
  public static func isNameUnknown(_ error: any Error) -> Bool {
    guard let error = error as? NIOConnectionError else { return false }
    return error.connectionErrors.isEmpty && (error.dnsAError != nil || error.dnsAAAAError != nil)
  }

  /// Returns whether the system does not have the family of an address, as one without IPv6.
  public static func isFamilyMissing(_ error: any Error) -> Bool {
    // The numbers of Linux for EAFNOSUPPORT and EADDRNOTAVAIL.
    number(of: error).map { [97, 99].contains($0) } ?? false
  }

  /// Returns the number of the system's error; nil for another error.
  public static func number(of error: any Error) -> Int32? {
    if let error = error as? NIOConnectionError { return error.connectionErrors.first.flatMap { number(of: $0.error) } }
    return (error as? IOError)?.errnoCode
  }
}

extension ServerBootstrap {
  /// Binds a host and a port. The text of an address is not resolved: glibc refuses one of a family that no interface
  /// has at present, as `::` before the first network with IPv6 is there.
  func bind(at host: String, port: Int) -> EventLoopFuture<any Channel> {
    do { return bind(to: try SocketAddress(ipAddress: host, port: port)) } catch {
      // A name, or an address with its interface.
      return bind(host: host, port: port)
    }
  }
}
