// swift-iap2 · Apache-2.0

import NIOCore

/// A record of a socket: bytes, a datagram, or the start or end of a connection.
public struct SocketRecord: Sendable {
  /// An address with its port.
  public struct Endpoint: Sendable, Hashable {
    /// The IPv4 or IPv6 address.
    public var host: String
    /// The port.
    public var port: UInt16
  }

  /// The content of a record.
  public enum Content: Sendable {
    /// A connection is established. `isOwn` is true if this side connected.
    case opened(isOwn: Bool)
    /// Bytes of a connection, or a datagram. `isOwn` is true if this side sent them.
    case bytes([UInt8], isOwn: Bool)
    /// A side closed the connection. `isOwn` is true if this side closed it.
    case closed(isOwn: Bool)
  }

  /// Whether the socket carries datagrams.
  public var isDatagram: Bool
  /// The content.
  public var content: Content
  /// The address of this side.
  public var local: Endpoint
  /// The address of the other side.
  public var remote: Endpoint
}

extension SocketRecord.Endpoint {
  /// Creates an end of a connection; nil for a socket without an IP address.
  init?(_ address: SocketAddress?) {
    guard let host = address?.ipAddress, let port = address?.port else { return nil }
    (self.host, self.port) = (host, UInt16(truncatingIfNeeded: port))
  }
}
