// swift-iap2 · Apache-2.0

import CarPlaySession

/// A capture that a test builds: messages of Bonjour and TCP connections.
struct BuiltCapture {
  /// A host, by the last byte of its address. From 128 on the address is one of IPv6.
  typealias Host = UInt8

  /// A TCP connection of the capture.
  struct Connection {
    let client, server: Host
    let clientPort, port: UInt16
    var sent: UInt32 = 1, received: UInt32 = 1
  }

  private(set) var bytes: [UInt8]
  /// The time of the next record, in milliseconds.
  var time = 0
  private var nextPort: UInt16 = 40_000

  /// A file of pcap, whose records begin with IP headers.
  init() {
    bytes = [0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0] + [UInt8](repeating: 0, count: 8) + [0xFF, 0xFF, 0, 0, 101, 0, 0, 0]
  }

  private static func big(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(truncatingIfNeeded: value)] }
  private static func big(_ value: UInt32) -> [UInt8] {
    big(UInt16(value >> 16)) + big(UInt16(truncatingIfNeeded: value))
  }
  private static func little(_ value: Int) -> [UInt8] { big(UInt32(value)).reversed() }
  private static func address(_ host: Host) -> [UInt8] {
    host < 128 ? [10, 0, 0, host] : [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [host]
  }

  private mutating func add(_ packet: [UInt8], transport: UInt8, from source: Host, to destination: [UInt8]) {
    let header =
      (destination.count == 4
        ? [0x45, 0] + Self.big(UInt16(20 + packet.count)) + [0, 0, 0, 0, 64, transport, 0, 0]
        : [0x60, 0, 0, 0] + Self.big(UInt16(packet.count)) + [transport, 64]) + Self.address(source) + destination
    let count = Self.little(header.count + packet.count)
    bytes += Self.little(time / 1000) + Self.little(time % 1000 * 1000) + count + count + header + packet
  }

  // MARK: Bonjour

  private static func name(_ labels: [String]) -> [UInt8] {
    labels.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
  }

  private static func record(_ owner: [String], _ type: UInt16, lifetime: UInt32 = 120, _ data: [UInt8]) -> [UInt8] {
    name(owner) + big(type) + [0, 1] + big(lifetime) + big(UInt16(data.count)) + data
  }

  private mutating func send(_ records: [[UInt8]], from host: Host) {
    let message = [0, 0, 0x84, 0, 0, 0] + Self.big(UInt16(records.count)) + [0, 0, 0, 0] + records.flatMap(\.self)
    let port = Self.big(UInt16(5353))
    add(
      port + port + Self.big(UInt16(8 + message.count)) + [0, 0] + message, transport: 17, from: host,
      to: [224, 0, 0, 251])
  }

  private static func labels(_ service: CarPlayService) -> [String] {
    service.rawValue.split(separator: ".").map(String.init) + ["local"]
  }

  mutating func announce(_ service: CarPlayService, _ name: String, port: UInt16, _ text: TextRecord, from host: Host) {
    let (type, machine) = (Self.labels(service), ["host\(host)", "local"])
    send(
      [
        Self.record(type, 12, Self.name([name] + type)),
        Self.record([name] + type, 33, [0, 0, 0, 0] + Self.big(port) + Self.name(machine)),
        Self.record([name] + type, 16, text.bytes), Self.record(machine, 1, Self.address(host)),
      ], from: host)
  }

  mutating func sayGoodbye(_ service: CarPlayService, _ name: String, from host: Host) {
    let type = Self.labels(service)
    send([Self.record(type, 12, lifetime: 0, Self.name([name] + type))], from: host)
  }

  // MARK: TCP

  private enum Flags {
    static let end: UInt8 = 0x11, begin: UInt8 = 2, accept: UInt8 = 0x12, data: UInt8 = 0x18, reset: UInt8 = 0x14
    static let acknowledge: UInt8 = 0x10
  }

  private mutating func add(
    _ connection: Connection, _ flags: UInt8, isClient: Bool, window: UInt16 = 0xFFFF, _ data: [UInt8] = []
  ) {
    let isFirst = flags == Flags.begin || flags == Flags.accept
    let (own, other) = isClient ? (connection.sent, connection.received) : (connection.received, connection.sent)
    let ports = [connection.clientPort, connection.port]
    let sequence = isFirst ? own - 1 : own
    let acknowledged = flags == Flags.begin ? 0 : other
    let segment =
      (isClient ? ports : ports.reversed()).flatMap { Self.big($0) } + Self.big(sequence) + Self.big(acknowledged)
      + [0x50, flags] + Self.big(window) + [0, 0, 0, 0] + data
    add(
      segment, transport: 6, from: isClient ? connection.client : connection.server,
      to: Self.address(isClient ? connection.server : connection.client))
  }

  /// Connects, and returns the connection. A port that is not open resets it.
  mutating func connect(_ client: Host, to server: Host, port: UInt16, isOpen: Bool = true) -> Connection {
    nextPort += 1
    let connection = Connection(client: client, server: server, clientPort: nextPort, port: port)
    add(connection, Flags.begin, isClient: true)
    add(connection, isOpen ? Flags.accept : Flags.reset, isClient: false)
    return connection
  }

  mutating func send(_ data: [UInt8], on connection: inout Connection, isClient: Bool) {
    add(connection, Flags.data, isClient: isClient, data)
    if isClient { connection.sent += UInt32(data.count) } else { connection.received += UInt32(data.count) }
  }

  /// Acknowledges all bytes of the client with a receive window.
  mutating func acknowledge(_ connection: Connection, window: UInt16) {
    add(connection, Flags.acknowledge, isClient: false, window: window)
  }

  mutating func end(_ connection: Connection, byClient: Bool) { add(connection, Flags.end, isClient: byClient) }
}
