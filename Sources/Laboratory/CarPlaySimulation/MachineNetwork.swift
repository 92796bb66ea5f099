// swift-iap2 · Apache-2.0

public import Basics
public import CarPlaySession

/// A head unit and any number of phones in memory, without programs and faults.
public typealias SessionNetwork = MachineNetwork<HeadUnitSession, PhoneSession>

/// A head unit and any number of phones in memory and in virtual time, joined by TCP connections and datagrams. Each
/// side is a session, or a session with a program or faults around it.
///
/// A step handles the next delivery or deadline. Two runs with the same random bytes are the same.
public struct MachineNetwork<HeadUnit: SessionMachine, Phone: SessionMachine>: Sendable {
  /// A side of the network.
  public enum Node: Sendable, Hashable {
    /// The head unit.
    case headUnit
    /// A phone, by its place in ``MachineNetwork/phones``.
    case phone(Int)
  }

  /// An event of a side.
  public struct Entry: Sendable {
    /// The side.
    public var node: Node
    /// The time.
    public var time: MonotonicTime
    /// The event.
    public var event: SessionEvent
  }

  /// A delivery in transit to a side.
  public struct Delivery: Sendable {
    /// The content of a delivery.
    public enum Content: Sendable {
      /// A TCP connection is established.
      case connected
      /// Bytes of a TCP connection.
      case bytes([UInt8])
      /// A datagram from a port.
      case datagram([UInt8], port: UInt16)
      /// A TCP connection ended or could not be made.
      case closed
    }
    /// The side.
    public var node: Node
    /// The socket of that side.
    public var socket: SessionSocket
    /// The content.
    public var content: Content
    /// The time of its arrival.
    public var time: MonotonicTime
  }

  /// A socket of a side.
  struct Endpoint: Sendable, Hashable {
    var node: Node
    var socket: SessionSocket
  }

  /// The head unit.
  public var headUnit: HeadUnit
  /// The phones.
  public var phones: [Phone]
  /// The present time.
  public private(set) var now: MonotonicTime
  /// Whether nothing more is sent, as with a pulled cable that no side has noticed. A connection attempt gets no
  /// answer.
  public var isCut = false
  /// The latency of each direction.
  public var latency = Duration.milliseconds(1)
  /// The events so far.
  public var entries: [Entry] = []
  /// The function that injects faults. It returns the deliveries that replace a delivery: none for a loss, the same
  /// one, or others. TCP loses nothing, so only datagrams should get lost.
  public var fault: @Sendable (Delivery) -> [Delivery] = { [$0] }
  /// The secrets on which the sides agreed, in the order in which the sides had them.
  public private(set) var keyLog: [(node: Node, secret: AgreedSecret)] = []
  /// The function that receives everything that a side sends, at the time of sending; nil for none.
  public var tap: (@Sendable (NetworkRecord) -> Void)?
  /// The function that signs for the head unit.
  public var sign: @Sendable ([UInt8]) -> AccessoryEvidence?

  private var deliveries: [Delivery] = []
  private var ports: [UInt16: Endpoint] = [:]
  /// The other end of each TCP connection.
  private var peers: [Endpoint: Endpoint] = [:]
  /// The port of each end of a TCP connection.
  private var connectionPorts: [Endpoint: UInt16] = [:]
  private var nextPort: UInt16 = 40_000
  /// The last port from which a side connected.
  private var lastSourcePort: UInt16 = 50_000
  /// The number of control connections so far.
  private var connectionCount = 0
  /// The port of the head unit's control connections.
  public static var controlPort: UInt16 { 7000 }

  /// Creates a network.
  public init(
    headUnit: HeadUnit, phones: [Phone], at time: MonotonicTime = MonotonicTime(nanoseconds: 1 << 40),
    sign: @escaping @Sendable ([UInt8]) -> AccessoryEvidence?
  ) {
    (self.headUnit, self.phones, self.sign, now) = (headUnit, phones, sign, time)
  }

  /// The number of bound sockets and of ends of TCP connections.
  package var openEndCount: Int { ports.count + peers.count }

  /// Calls the head unit as its owner, and performs its actions.
  @discardableResult
  public mutating func actHeadUnit<Result>(_ body: (inout HeadUnit, MonotonicTime) -> Result) -> Result {
    defer { collect(.headUnit) }
    return body(&headUnit, now)
  }

  /// Calls a phone as its owner, and performs its actions.
  @discardableResult
  public mutating func actPhone<Result>(
    _ phone: Int = 0, _ body: (inout Phone, MonotonicTime) -> Result
  ) -> Result {
    defer { collect(.phone(phone)) }
    return body(&phones[phone], now)
  }

  /// Delivers content to a socket of a side, as a hostile peer would.
  public mutating func inject(_ content: Delivery.Content, to node: Node, on socket: SessionSocket) {
    deliveries.append(Delivery(node: node, socket: socket, content: content, time: now))
  }

  /// Runs for a time.
  public mutating func run(for duration: Duration) { run(until: now.advanced(by: duration)) }

  /// Runs until a time, and handles everything that is due at that time.
  public mutating func run(until end: MonotonicTime) {
    while let time = nextTime, time <= end { step(at: time) }
    now = max(now, end)
  }

  /// Replaces a phone whose session ended by one that is not connected.
  public mutating func replace(_ phone: Int, by session: Phone) {
    for (end, peer) in peers where end.node == .phone(phone) { separate(end, peer) }
    deliveries.removeAll { $0.node == .phone(phone) }
    phones[phone] = session
  }

  /// The time of the next delivery or deadline; nil if no more are planned.
  public var nextTime: MonotonicTime? {
    let deadlines = [headUnit.nextDeadline] + phones.map(\.nextDeadline) + [deliveries.map(\.time).min()]
    return deadlines.compactMap { $0 }.min()
  }

  private mutating func step(at time: MonotonicTime) {
    now = max(now, time)
    if let index = deliveries.indices.min(by: { deliveries[$0].time < deliveries[$1].time }),
      deliveries[index].time <= now
    {
      deliver(deliveries.remove(at: index))
      return
    }
    if let deadline = headUnit.nextDeadline, deadline <= now { actHeadUnit { $0.handleDeadline(at: $1) } }
    for index in phones.indices {
      if let deadline = phones[index].nextDeadline, deadline <= now { actPhone(index) { $0.handleDeadline(at: $1) } }
    }
  }

  private mutating func deliver(_ delivery: Delivery) {
    switch delivery.node {
    case .headUnit: actHeadUnit { Self.deliver(delivery, to: &$0, at: $1) }
    case .phone(let index): actPhone(index) { Self.deliver(delivery, to: &$0, at: $1) }
    }
  }

  private static func deliver(_ delivery: Delivery, to machine: inout some SessionMachine, at time: MonotonicTime) {
    switch delivery.content {
    case .connected: machine.connected(delivery.socket, at: time)
    case .bytes(let bytes): machine.receive(bytes, on: delivery.socket, from: 0, at: time)
    case .datagram(let bytes, let port): machine.receive(bytes, on: delivery.socket, from: port, at: time)
    case .closed: machine.closed(delivery.socket, at: time)
    }
  }

  // MARK: Actions

  private mutating func collect(_ node: Node) {
    while true {
      let actions =
        switch node {
        case .headUnit: headUnit.takeActions()
        case .phone(let index): phones[index].takeActions()
        }
      guard !actions.isEmpty else { return }
      for action in actions { perform(action, of: node) }
    }
  }

  private mutating func perform(_ action: SessionAction, of node: Node) {
    let own = { (socket: SessionSocket) in Endpoint(node: node, socket: socket) }
    switch action {
    case .bind(let socket, _):
      nextPort += 1
      ports[nextPort] = own(socket)
      let port = nextPort
      switch node {
      case .headUnit: headUnit.bound(socket, port: port, at: now)
      case .phone(let index): phones[index].bound(socket, port: port, at: now)
      }
    case .connect(let socket, let port): connect(own(socket), port: port)
    case .send(let socket, let bytes):
      guard let peer = peers[own(socket)] else { return }
      record(.bytes(bytes, isOwn: node == .headUnit), from: own(socket), to: peer)
      send(.bytes(bytes), to: peer)
    case .sendDatagram(let socket, let bytes, let port):
      guard let peer = ports[port], let source = ports.first(where: { $0.value == own(socket) })?.key else { return }
      record(
        .datagram(bytes, isOwn: node == .headUnit),
        NetworkRecord.Path(node, port: source, to: peer.node, port: port))
      send(.datagram(bytes, port: source), to: peer)
    case .close(let socket): close(own(socket))
    // The network has no limit for bytes in transit.
    case .setReading: break
    case .sign(let bytes): headUnit.signed(sign(bytes), at: now)
    case .log(let secret): keyLog.append((node, secret))
    case .report(let event): entries.append(Entry(node: node, time: now, event: event))
    }
  }

  private mutating func connect(_ own: Endpoint, port: UInt16) {
    guard !isCut else { return }
    let peer: Endpoint
    if port == Self.controlPort {
      connectionCount += 1
      peer = Endpoint(node: .headUnit, socket: .control(connectionCount))
    } else if let bound = ports.removeValue(forKey: port) {
      peer = bound
    } else {
      return send(.closed, to: own)
    }
    (peers[own], peers[peer]) = (peer, own)
    lastSourcePort = lastSourcePort == .max ? 50_001 : lastSourcePort + 1
    (connectionPorts[own], connectionPorts[peer]) = (lastSourcePort, port)
    record(.opened(isOwn: own.node == .headUnit), from: own, to: peer)
    send(.connected, to: peer)
    send(.connected, to: own)
  }

  private mutating func close(_ own: Endpoint) {
    for (port, bound) in ports where bound == own { ports[port] = nil }
    guard let peer = peers[own] else { return }
    record(.closed(isOwn: own.node == .headUnit), from: own, to: peer)
    separate(own, peer)
    send(.closed, to: peer)
  }

  private mutating func send(_ content: Delivery.Content, to peer: Endpoint) {
    guard !isCut else { return }
    let delivery = Delivery(
      node: peer.node, socket: peer.socket, content: content, time: now.advanced(by: latency))
    deliveries += fault(delivery)
  }

  /// Removes a TCP connection.
  private mutating func separate(_ end: Endpoint, _ peer: Endpoint) {
    (peers[end], peers[peer]) = (nil, nil)
    (connectionPorts[end], connectionPorts[peer]) = (nil, nil)
  }

  // MARK: Records

  private func record(_ content: NetworkRecord.Content, from sender: Endpoint, to receiver: Endpoint) {
    guard tap != nil, let port = connectionPorts[sender], let peerPort = connectionPorts[receiver] else { return }
    record(content, NetworkRecord.Path(sender.node, port: port, to: receiver.node, port: peerPort))
  }

  /// Passes a record to the tap. What a cut network swallows is on neither side's wire.
  private func record(_ content: NetworkRecord.Content, _ path: NetworkRecord.Path?) {
    guard !isCut, let tap, let path else { return }
    tap(NetworkRecord(content: content, path: path))
  }

  /// Cuts every connection of a phone at once, as a pulled cable does.
  public mutating func cut(_ phone: Int = 0) {
    for (end, peer) in peers where end.node == .phone(phone) {
      separate(end, peer)
      send(.closed, to: peer)
      send(.closed, to: end)
    }
  }
}

extension MachineNetwork where Phone == PhoneSession {
  /// Connects a phone.
  public mutating func start(_ phone: Int = 0) {
    actPhone(phone) { $0.start(port: Self.controlPort, at: $1) }
  }
}
