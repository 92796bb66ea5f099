// swift-iap2 · Apache-2.0

import IAP2

/// A writer that turns what passes sockets into the bytes of a pcapng file with IP packets, as tcpdump writes them. The
/// file can be read if it ends after any record.
///
/// The packets are made up from the bytes of the sockets: a piece of TCP is acknowledged at once and never sent again.
/// Addresses, ports, order and times are the real ones.
public struct NetworkCaptureWriter: Sendable {
  /// An address with its port.
  public struct Endpoint: Sendable, Hashable {
    /// The 4 bytes of an IPv4 address, or the 16 of an IPv6 address.
    public var address: [UInt8]
    /// The port.
    public var port: UInt16

    /// Creates an end of a connection.
    public init(address: [UInt8], port: UInt16) { (self.address, self.port) = (address, port) }

    /// The address, followed by the port in two big-endian bytes.
    var bytes: [UInt8] { address + port.bigEndianBytes }
  }

  /// A connection or a pair of UDP sockets, seen from this side.
  public struct Path: Sendable, Hashable {
    /// This side.
    public var local: Endpoint
    /// The other side.
    public var remote: Endpoint

    /// Creates a path.
    public init(local: Endpoint, remote: Endpoint) { (self.local, self.remote) = (local, remote) }

    var reversed: Path { Path(local: remote, remote: local) }
  }

  /// A thing that passes a path.
  public enum Record: Sendable {
    /// A TCP connection stands; whether this side connected.
    case opened(isOwn: Bool)
    /// Bytes of a TCP connection.
    case bytes([UInt8], isOwn: Bool)
    /// A datagram.
    case datagram([UInt8], isOwn: Bool)
    /// A side closed a TCP connection.
    case closed(isOwn: Bool)
  }

  /// The next sequence numbers of a connection: of this side, and of the other one.
  private struct Numbers {
    var own: UInt32 = 1000
    var other: UInt32 = 2000
    var isEnded = false
  }

  private var connections: [Path: Numbers] = [:]
  private var builder = IPPacketBuilder()
  /// The number of the packets' interface in the file.
  private let interface: UInt32

  /// The link type of packets that begin with their IP header.
  static let linkType: UInt16 = 101
  /// The bytes of TCP in a packet: below the limit of IP, with room for headers.
  private static let segment = 32_768

  /// Creates a writer of a file of its own. Store ``header`` first.
  public init() { interface = 0 }

  /// Creates a writer of packets for an interface of another writer's file. Store ``description`` first.
  init(interface: UInt32) { self.interface = interface }

  /// The bytes at the beginning of the file.
  public var header: [UInt8] { PcapngBlocks.section + Self.description }

  /// The block that describes the interface of the packets.
  static var description: [UInt8] { PcapngBlocks.interface(linkType: linkType) }

  /// Returns the bytes of a record.
  ///
  /// - Parameters:
  ///   - record: What passed.
  ///   - path: The sockets.
  ///   - nanoseconds: The time since the Unix epoch.
  public mutating func record(_ record: Record, on path: Path, nanoseconds: Int64) -> [UInt8] {
    packets(record, path).flatMap { PcapngBlocks.packet($0, nanoseconds: nanoseconds, interface: interface) }
  }

  // MARK: Packets

  private mutating func packets(_ record: Record, _ path: Path) -> [[UInt8]] {
    switch record {
    case .datagram(let bytes, let isOwn):
      let way = isOwn ? path : path.reversed
      return [builder.datagram(bytes, from: way.local.bytes, to: way.remote.bytes)]
    case .opened(let isOwn):
      connections[path] = Numbers()
      let packets = [
        segment([], .synchronize, isOwn, path), segment([], [.synchronize, .acknowledge], !isOwn, path),
        segment([], .acknowledge, isOwn, path),
      ]
      return packets
    case .bytes(let bytes, let isOwn):
      var packets: [[UInt8]] = []
      for start in stride(from: 0, to: bytes.count, by: Self.segment) {
        let piece = Array(bytes[start..<min(start + Self.segment, bytes.count)])
        packets.append(segment(piece, [.push, .acknowledge], isOwn, path))
        packets.append(segment([], .acknowledge, !isOwn, path))
      }
      return packets
    case .closed(let isOwn):
      guard connections[path]?.isEnded == false else { return [] }
      connections[path]?.isEnded = true
      return [
        segment([], [.end, .acknowledge], isOwn, path), segment([], [.end, .acknowledge], !isOwn, path),
        segment([], .acknowledge, isOwn, path),
      ]
    }
  }

  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let end = Flags(rawValue: 1), synchronize = Flags(rawValue: 2), push = Flags(rawValue: 8)
    static let acknowledge = Flags(rawValue: 16)
  }

  /// Returns a TCP segment, and counts its sequence numbers (RFC 9293, 3.1).
  private mutating func segment(_ bytes: [UInt8], _ flags: Flags, _ isOwn: Bool, _ path: Path) -> [UInt8] {
    var numbers = connections[path] ?? Numbers()
    let (sequence, acknowledged) = isOwn ? (numbers.own, numbers.other) : (numbers.other, numbers.own)
    let count = UInt32(bytes.count) &+ (flags.isDisjoint(with: [.synchronize, .end]) ? 0 : 1)
    if isOwn { numbers.own &+= count } else { numbers.other &+= count }
    connections[path] = numbers
    let way = isOwn ? path : path.reversed
    return builder.segment(
      bytes, flags: flags.rawValue, sequence: sequence,
      acknowledged: flags.contains(.acknowledge) ? acknowledged : 0, from: way.local.bytes, to: way.remote.bytes)
  }

}
