// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import Cryptography

/// The sockets of a head unit and its phones, and everything in transit between them.
///
/// A TCP connection keeps the order of its bytes, splits and joins them at random, and drops bytes that arrive after
/// the receiver has closed it. Faults are drawn from one generator, so two runs with one seed are the same.
struct FaultyNetwork {
  /// A socket of a node. Node 0 is the head unit, 1 and above are phones, and -1 is an unknown peer.
  struct End: Hashable {
    var node: Int
    var socket: SessionSocket
  }

  /// An event of a socket.
  enum Content {
    case connected
    case bytes([UInt8])
    case datagram([UInt8], port: UInt16)
    case closed
    case bound(UInt16?)
    case signed([UInt8]?)
    case writability(Bool)
  }

  struct Delivery {
    var end: End
    var content: Content
    /// The number of the connection; nil for the other contents.
    var connection: Int?
    /// The number of the socket. A datagram or a port is dropped if the socket was closed and made again.
    var instance = 0
    var time: Int64
    var order: Int
  }

  private struct Connection {
    var ends: [End]
    var isOpen = [true, true]
    /// The time of the last delivery to each end.
    var last: [Int64]
  }

  private enum State {
    case binding
    case listening(UInt16)
    case datagram(UInt16)
    case connected(Int)
  }

  private struct Socket {
    var state: State
    var instance: Int
  }

  static let controlPort: UInt16 = 7000

  var faults: Faults
  var random: SeededGenerator
  var now: Int64 = 1_000_000_000_000
  private(set) var watcher = WireWatcher()
  /// The nodes that no longer send and receive bytes.
  var silent: Set<Int> = []
  /// A digest of the size, two of the bytes, the sender and the time of everything that was sent.
  private(set) var digest: UInt64 = 0

  private var deliveries: [Delivery] = []
  private var connections: [Connection] = []
  private var sockets: [End: Socket] = [:]
  private var ports: [UInt16: End] = [:]
  private var nextPort: UInt16 = 20_000
  private var nextInstance = 0
  private var nextOrder = 0
  private var controlCount = 0
  /// The time of the last signature: a coprocessor makes one signature after the other.
  private var signed: Int64 = 0

  init(_ faults: Faults, seed: UInt64) {
    (self.faults, random) = (faults, SeededGenerator(seed: seed))
  }

  /// Returns the open sockets of a node, including those that are being bound.
  func sockets(of node: Int) -> Set<SessionSocket> { Set(sockets.keys.filter { $0.node == node }.map(\.socket)) }

  /// The time of the next delivery; nil if nothing is in transit.
  var nextTime: Int64? { deliveries.first?.time }

  // MARK: Deliveries

  private mutating func schedule(
    _ end: End, _ content: Content, at time: Int64, connection: Int? = nil, instance: Int = 0
  ) {
    nextOrder += 1
    let delivery = Delivery(
      end: end, content: content, connection: connection, instance: instance, time: max(now, time), order: nextOrder)
    var index = deliveries.endIndex
    while index > 0, deliveries[index - 1].time > delivery.time { index -= 1 }
    deliveries.insert(delivery, at: index)
  }

  /// Removes and returns the next delivery; nil if it has no effect, for example because its socket is closed.
  mutating func take() -> Delivery? {
    var delivery = deliveries.removeFirst()
    now = max(now, delivery.time)
    if silent.contains(delivery.end.node), delivery.content.isRemote { return nil }
    if let number = delivery.connection {
      guard let side = connections[number].ends.firstIndex(of: delivery.end), connections[number].isOpen[side] else {
        return nil
      }
      switch delivery.content {
      case .bytes(let bytes): delivery.content = .bytes(joined(bytes, with: number, to: delivery.end))
      case .closed:
        connections[number].isOpen[side] = false
        sockets[delivery.end] = nil
      default: break
      }
      return delivery.end.node < 0 ? nil : delivery
    }
    switch delivery.content {
    case .bound(let port):
      guard sockets[delivery.end]?.instance == delivery.instance else { return nil }
      guard let port else {
        sockets[delivery.end] = nil
        return delivery
      }
      sockets[delivery.end]?.state = delivery.end.socket.isDatagram ? .datagram(port) : .listening(port)
      ports[port] = delivery.end
    case .datagram: guard sockets[delivery.end]?.instance == delivery.instance else { return nil }
    default: break
    }
    return delivery
  }

  /// Returns bytes joined with those behind them, as after a late read of a connection.
  private mutating func joined(_ bytes: [UInt8], with connection: Int, to end: End) -> [UInt8] {
    guard random.chance(faults.joining) else { return bytes }
    var bytes = bytes
    while let index = deliveries.firstIndex(where: { $0.connection == connection && $0.end == end }),
      case .bytes(let more) = deliveries[index].content, deliveries[index].time <= now + faults.joiningTime,
      bytes.count + more.count <= 1 << 16
    {
      bytes += more
      deliveries.remove(at: index)
    }
    return bytes
  }

  // MARK: Actions of the machines

  mutating func bind(_ end: End) {
    guard sockets[end] == nil else { return watcher.violate("\(end) is bound while it is open") }
    nextInstance += 1
    sockets[end] = Socket(state: .binding, instance: nextInstance)
    nextPort = nextPort == .max ? 20_000 : nextPort + 1
    let port = random.chance(faults.refusedBind) ? nil : nextPort
    schedule(end, .bound(port), at: now + faults.localDelay(&random), instance: nextInstance)
  }

  mutating func sign(_ bytes: [UInt8]?, for node: Int) {
    let answer = random.chance(faults.refusedSignature) ? nil : bytes
    signed = max(signed, now + 10 * faults.localDelay(&random))
    schedule(End(node: node, socket: .control(0)), .signed(answer), at: signed)
  }

  /// Connects to a port.
  ///
  /// - Returns: The end of the other side; nil if it refuses.
  @discardableResult
  mutating func connect(_ end: End, port: UInt16, beside peer: End? = nil) -> End? {
    let number = connections.count
    var other = End(node: -1, socket: end.socket)
    var isTaken = false
    if port == Self.controlPort {
      controlCount += 1
      (other, isTaken) = (End(node: 0, socket: .control(controlCount)), true)
    } else if let bound = ports[port], case .listening? = sockets[bound]?.state {
      ports[port] = nil
      (other, isTaken) = (bound, true)
    }
    connections.append(Connection(ends: [end, other], last: [now, now]))
    nextInstance += 1
    sockets[end] = Socket(state: .connected(number), instance: nextInstance)
    guard isTaken else {
      connections[number].isOpen[1] = false
      transmit(.closed, on: number, to: 0)
      return nil
    }
    sockets[other] = Socket(state: .connected(number), instance: nextInstance)
    transmit(.connected, on: number, to: 1)
    transmit(.connected, on: number, to: 0)
    return other
  }

  private func connection(of end: End) -> (number: Int, side: Int)? {
    guard case .connected(let number)? = sockets[end]?.state else { return nil }
    return connections[number].ends.firstIndex(of: end).map { (number, $0) }
  }

  mutating func send(_ bytes: [UInt8], from end: End, secret: (Int) -> Secret?, streams: (Int) -> SessionInspection) {
    guard let (number, side) = connection(of: end) else { return }
    note(bytes, end.node)
    let other = connections[number].ends[1 - side]
    watcher.send(bytes, from: end, to: other, on: number, secret: secret, streams: streams)
    transmit(bytes, on: number, to: 1 - side)
  }

  private mutating func note(_ bytes: [UInt8], _ node: Int) {
    var value = UInt64(bytes.count) << 16 | UInt64(bytes.last ?? 0) << 8 | UInt64(bytes[bytes.count / 2])
    value ^= UInt64(truncatingIfNeeded: now) &+ UInt64(truncatingIfNeeded: node) << 56
    digest = (digest ^ value) &* 0x9E37_79B9_7F4A_7C15
    digest ^= digest >> 29
  }

  /// Sends bytes in pieces of random sizes.
  private mutating func transmit(_ bytes: [UInt8], on number: Int, to side: Int) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let size = random.chance(faults.splitting) ? Int.random(in: 1...rest.count, using: &random) : rest.count
      var piece = Array(rest.prefix(size))
      rest = rest.dropFirst(size)
      if random.chance(faults.flippedBytes) { Faults.flip(&piece, &random) }
      transmit(.bytes(piece), on: number, to: side)
    }
  }

  private mutating func transmit(_ content: Content, on number: Int, to side: Int) {
    let end = connections[number].ends[side]
    if silent.contains(connections[number].ends[1 - side].node) { return }
    let time = max(connections[number].last[side], now + faults.latency(to: end.node, &random))
    connections[number].last[side] = time
    schedule(end, content, at: time, connection: number)
  }

  mutating func sendDatagram(_ bytes: [UInt8], from end: End, to port: UInt16, streams: (Int) -> SessionInspection) {
    guard case .datagram(let source)? = sockets[end]?.state else {
      return watcher.violate("a datagram of \(end), which is not bound")
    }
    note(bytes, end.node)
    watcher.sendDatagram(bytes, from: end, streams: streams)
    guard let other = ports[port], let socket = sockets[other], other.socket.isDatagram,
      !silent.contains(end.node)
    else { return }
    for copy in faults.copies(of: bytes, &random) {
      let time = now + faults.datagramLatency(to: other.node, &random)
      schedule(other, .datagram(copy, port: source), at: time, instance: socket.instance)
    }
  }

  mutating func close(_ end: End) {
    guard let socket = sockets.removeValue(forKey: end) else { return }
    switch socket.state {
    case .binding: break
    case .listening(let port), .datagram(let port): ports[port] = nil
    case .connected(let number):
      guard let side = connections[number].ends.firstIndex(of: end) else { return }
      connections[number].isOpen[side] = false
      transmit(.closed, on: number, to: 1 - side)
    }
  }

  // MARK: Faults of a moment

  /// Closes every connection of a node at both ends, as a pulled cable does.
  mutating func cut(_ node: Int) {
    for number in connections.indices where connections[number].ends.contains(where: { $0.node == node }) {
      closeBoth(number)
    }
  }

  private mutating func closeBoth(_ number: Int) {
    for side in 0...1 where connections[number].isOpen[side] { transmit(.closed, on: number, to: side) }
  }

  /// Closes one connection, chosen at random, at both ends.
  mutating func closeOne() {
    let open = connections.indices.filter { connections[$0].isOpen.contains(true) }
    if let number = open.randomElement(using: &random) { closeBoth(number) }
  }

  /// Delivers bytes to an open socket of a node, which is chosen at random.
  mutating func inject(_ bytes: [UInt8], to node: Int) {
    let open = sockets.filter { $0.key.node == node }.sorted { $0.value.instance < $1.value.instance }
    guard let (end, socket) = open.randomElement(using: &random) else { return }
    switch socket.state {
    case .connected(let number):
      for start in stride(from: 0, to: bytes.count, by: 1 << 16) {
        let piece = Array(bytes[start..<min(start + (1 << 16), bytes.count)])
        schedule(end, .bytes(piece), at: now, connection: number)
      }
    case .datagram: schedule(end, .datagram(bytes, port: 9), at: now, instance: socket.instance)
    case .binding, .listening: break
    }
  }

  /// Connects an unknown peer to the head unit and sends bytes.
  mutating func connectStranger(_ bytes: [UInt8]) {
    let number = connections.count
    connect(End(node: -1, socket: .control(number)), port: Self.controlPort)
    transmit(bytes, on: number, to: 1)
  }

  /// Stops or resumes the flow of a stream's connection, as its sender sees it.
  mutating func setWritability(_ isWritable: Bool, of end: End, in time: Int64 = 0) {
    schedule(end, .writability(isWritable), at: now + time)
  }
}

extension FaultyNetwork.Content {
  /// Whether the content comes from another node.
  fileprivate var isRemote: Bool {
    switch self {
    case .connected, .bytes, .datagram, .closed: true
    case .bound, .signed, .writability: false
    }
  }
}
