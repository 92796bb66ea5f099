// swift-iap2 · Apache-2.0

/// A record of a socket in a ``MachineNetwork``, seen from the head unit.
public struct NetworkRecord: Sendable, Hashable {
  /// The content of a record.
  public enum Content: Sendable, Hashable {
    /// A TCP connection is established. `isOwn` is true if the head unit connected.
    case opened(isOwn: Bool)
    /// Bytes of a TCP connection. `isOwn` is true if the head unit sent them.
    case bytes([UInt8], isOwn: Bool)
    /// A datagram. `isOwn` is true if the head unit sent it.
    case datagram([UInt8], isOwn: Bool)
    /// A side closed a TCP connection. `isOwn` is true if the head unit closed it.
    case closed(isOwn: Bool)
  }

  /// The sockets of a record.
  public struct Path: Sendable, Hashable {
    /// The head unit's port.
    public var port: UInt16
    /// The place of the phone in ``MachineNetwork/phones``.
    public var phone: Int
    /// The phone's port.
    public var phonePort: UInt16

    package init(port: UInt16, phone: Int, phonePort: UInt16) {
      (self.port, self.phone, self.phonePort) = (port, phone, phonePort)
    }
  }

  /// The content.
  public var content: Content
  /// The sockets.
  public var path: Path

  package init(content: Content, path: Path) { (self.content, self.path) = (content, path) }
}

extension NetworkRecord.Path {
  /// Creates the path between two sides; nil if neither or both are the head unit.
  init?<HeadUnit, Phone>(
    _ sender: MachineNetwork<HeadUnit, Phone>.Node, port: UInt16, to receiver: MachineNetwork<HeadUnit, Phone>.Node,
    port receiverPort: UInt16
  ) {
    switch (sender, receiver) {
    case (.headUnit, .phone(let phone)): self.init(port: port, phone: phone, phonePort: receiverPort)
    case (.phone(let phone), .headUnit): self.init(port: receiverPort, phone: phone, phonePort: port)
    default: return nil
    }
  }
}
