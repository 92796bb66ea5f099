// swift-iap2 · Apache-2.0

public import Basics
public import CarPlaySession
public import FaultModel

/// A session on a network with the faults of a plan: received and sent data is delayed, damaged or lost.
///
/// It is a session itself, so any owner can drive it, on sockets and in virtual time. The plan is that of `--fault` for
/// iAP2, with the network's rules for the two kinds of sockets:
///
/// - TCP repairs losses: a lost piece arrives ``retransmission`` later, and everything behind it waits. Nothing arrives
///   twice or in another order. Damage and a lost end of a piece are not repaired.
/// - A datagram is lost, doubled, late or damaged as a whole. It is never split or joined with another one.
///
/// A half-open direction loses all bytes and datagrams. The end of a connection still passes it.
public struct FaultySession<Machine: SessionMachine>: SessionMachine {
  /// A direction of a socket. A UDP socket has one for each port of the other side.
  private struct Way: Hashable {
    var socket: SessionSocket
    var port: UInt16
    var isIncoming: Bool
  }

  private typealias Lane = FaultLane<Never>

  /// The session.
  public var machine: Machine
  private let side: SessionSide
  /// Whether the plan has no faults, so that everything passes at once.
  private let isTransparent: Bool
  /// The plan as it was given. It begins anew with the first connection of each session of a head unit.
  private let original: FaultPlan
  /// The plan of the session. Moments that have occurred are stored as times since the start.
  private var plan: FaultPlan
  /// The number of sessions so far, so that each has its own random numbers from one seed.
  private var sessionCount: UInt64
  private var generator: SeededGenerator
  private var start: MonotonicTime?
  /// The time of the last call.
  private var time = MonotonicTime.zero
  private var lanes: [Way: Lane] = [:]
  /// The ways in the order of their first bytes, so that two runs are the same.
  private var ways: [Way] = []
  private var laneCount: UInt64 = 0
  /// The TCP connections that are established.
  private var connections: [SessionSocket] = []
  /// The time of the next arrival; nil if nothing is in transit.
  private var nextArrival: MonotonicTime?
  /// The connections to which the owner cannot write, and those whose lanes are full.
  private var unwritable: Set<SessionSocket> = [], full: Set<SessionSocket> = []
  /// The connections that the owner does not read, because their lanes are full.
  private var unread: Set<SessionSocket> = []
  private var hasDisconnected = false
  /// The actions that the owner has not removed yet.
  private var ready: [SessionAction] = []
  private var taken: [SessionAction] = []

  /// The time in milliseconds after which TCP retransmits a lost piece. The value is ours: Linux waits at least 200 ms.
  public static var retransmission: Int { 200 }
  /// The number of bytes in a lane at which its sender has to wait: more than a second of pictures.
  private static var capacity: Int { 1 << 22 }

  /// Creates a session without data in transit.
  ///
  /// - Parameters:
  ///   - machine: The session.
  ///   - side: Its side, which decides the directions of the plan.
  ///   - plan: The faults. A moment may be the name of an event of the session.
  ///   - session: The number of sessions before this one with the same plan.
  public init(_ machine: Machine, side: SessionSide, plan: FaultPlan, session: Int = 0) {
    (self.machine, self.side, self.plan, original) = (machine, side, plan, plan)
    isTransparent = plan.isEmpty
    sessionCount = UInt64(truncatingIfNeeded: session)
    generator = SeededGenerator(seed: Self.seed(of: plan, sessionCount))
    self.plan.seed = Self.seed(of: plan, sessionCount)
  }

  /// The factor only makes the random numbers of sessions independent.
  private static func seed(of plan: FaultPlan, _ session: UInt64) -> UInt64 {
    plan.seed &+ session &* 0xD1B5_4A32_D192_ED03
  }

  /// Begins the plan anew, for the next session.
  private mutating func renew() {
    sessionCount += 1
    plan = original
    plan.seed = Self.seed(of: original, sessionCount)
    generator = SeededGenerator(seed: plan.seed)
    (start, hasDisconnected, laneCount) = (nil, false, 0)
  }

  // MARK: Calls of the owner

  public mutating func bound(_ socket: SessionSocket, port: UInt16?, at time: MonotonicTime) {
    begin(time)
    machine.bound(socket, port: port, at: time)
  }

  public mutating func connected(_ socket: SessionSocket, at time: MonotonicTime) {
    // A head unit has one phone after the other.
    if case .control = socket, connections.isEmpty, start != nil { renew() }
    begin(time)
    connections.append(socket)
    machine.connected(socket, at: time)
  }

  public mutating func receive(_ bytes: [UInt8], on socket: SessionSocket, from port: UInt16, at time: MonotonicTime) {
    guard !isTransparent else { return machine.receive(bytes, on: socket, from: port, at: time) }
    begin(time)
    enter(bytes, Way(socket: socket, port: port, isIncoming: true))
    settle()
  }

  public mutating func writability(of socket: SessionSocket, _ isWritable: Bool, at time: MonotonicTime) {
    begin(time)
    if isWritable { unwritable.remove(socket) } else { unwritable.insert(socket) }
    guard !full.contains(socket) else { return }
    machine.writability(of: socket, isWritable, at: time)
  }

  public mutating func closed(_ socket: SessionSocket, at time: MonotonicTime) {
    begin(time)
    let way = Way(socket: socket, port: 0, isIncoming: true)
    guard lanes[way] != nil else { return end(socket) }
    lanes[way]?.finish()
    settle()
  }

  public mutating func stop(_ end: SessionEnd, at time: MonotonicTime) {
    self.time = time
    machine.stop(end, at: time)
  }

  public mutating func signed(_ evidence: AccessoryEvidence?, at time: MonotonicTime) {
    begin(time)
    machine.signed(evidence, at: time)
  }

  public mutating func handleDeadline(at time: MonotonicTime) {
    begin(time)
    settle()
    if let deadline = machine.nextDeadline, deadline <= time { machine.handleDeadline(at: time) }
  }

  public var nextDeadline: MonotonicTime? {
    [machine.nextDeadline, nextArrival, disconnection].compactMap { $0 }.min()
  }

  public mutating func takeActions(into actions: inout [SessionAction]) {
    guard !isTransparent else { return machine.takeActions(into: &actions) }
    actions.removeAll(keepingCapacity: true)
    while true {
      machine.takeActions(into: &taken)
      guard !taken.isEmpty else { break }
      for action in taken { perform(action) }
    }
    swap(&actions, &ready)
  }

  // MARK: Time

  private mutating func begin(_ time: MonotonicTime) {
    self.time = time
    guard start == nil else { return }
    start = time
    fix(\.toHeadUnit)
    fix(\.toPhone)
    plan.disconnect = fixed(plan.disconnect)
  }

  /// Draws the random moments, so that they are the same for all sockets.
  private mutating func fix(_ direction: WritableKeyPath<FaultPlan, FaultPlan.Direction>) {
    var fixed = plan[keyPath: direction]
    if let stall = fixed.stall { fixed.stall?.start = self.fixed(stall.start) ?? stall.start }
    fixed.halfOpen = self.fixed(fixed.halfOpen)
    plan[keyPath: direction] = fixed
  }

  private mutating func fixed(_ moment: FaultPlan.Moment?) -> FaultPlan.Moment? {
    guard case .random(let limit)? = moment else { return moment }
    return .milliseconds(Int.random(in: 0...limit, using: &generator))
  }

  /// Sets the moments that have the name of an event to the present time.
  private mutating func happened(_ event: String) {
    guard let start else { return }
    let elapsed = FaultPlan.Moment.milliseconds(Int(start.duration(to: time) / .milliseconds(1)))
    let moment = FaultPlan.Moment.event(event)
    for direction in [\FaultPlan.toHeadUnit, \.toPhone] {
      if plan[keyPath: direction].stall?.start == moment { plan[keyPath: direction].stall?.start = elapsed }
      if plan[keyPath: direction].halfOpen == moment { plan[keyPath: direction].halfOpen = elapsed }
    }
    if plan.disconnect == moment { plan.disconnect = elapsed }
    for way in ways { lanes[way]?.happened(event, at: time) }
  }

  /// The time of the planned disconnection; nil if there is none, or if it has occurred.
  private var disconnection: MonotonicTime? {
    guard !hasDisconnected, let start, case .milliseconds(let number)? = plan.disconnect else { return nil }
    return start.adding(milliseconds: number)
  }

  // MARK: Ways

  private func direction(of way: Way) -> FaultPlan.Direction {
    (side == .headUnit) == way.isIncoming ? plan.toHeadUnit : plan.toPhone
  }

  private func lane(of way: Way) -> Lane {
    var direction = direction(of: way)
    if way.socket.isDatagram {
      (direction.conditions.splitting, direction.conditions.coalescing) = (0, 0)
    } else {
      (direction.conditions.loss, direction.conditions.duplication, direction.conditions.reordering) = (0, 0, 0)
    }
    // The factor only makes the random numbers of the ways independent.
    return Lane(direction, seed: plan.seed &+ laneCount &* 0x9E37_79B9_7F4A_7C15, start: start ?? time)
  }

  private mutating func enter(_ bytes: [UInt8], _ way: Way) {
    guard !bytes.isEmpty else { return }
    if lanes[way] == nil {
      laneCount += 1
      lanes[way] = lane(of: way)
      ways.append(way)
    }
    // A full queue of a network drops datagrams.
    guard !way.socket.isDatagram || (lanes[way]?.byteCount ?? 0) < Self.capacity else { return }
    let isLost = !way.socket.isDatagram && generator.chance(direction(of: way).conditions.loss)
    lanes[way]?.enter(bytes, at: isLost ? time.adding(milliseconds: Self.retransmission) : time)
    if way.isIncoming, !way.socket.isDatagram { updateReading(of: way) }
  }

  /// Delivers the data that has arrived, and records the time of the next arrival.
  private mutating func settle() {
    if let disconnection, disconnection <= time { disconnect() }
    nextArrival = nil
    for way in ways { drain(way) }
  }

  private mutating func drain(_ way: Way) {
    while true {
      switch lanes[way]?.front(at: time) {
      case nil: return
      case .bytes(let bytes)?: deliver(bytes, way)
      case .nothing(let arrival)?:
        if let arrival { nextArrival = min(nextArrival ?? arrival, arrival) }
        return
      case .over?:
        forget(way)
        if way.isIncoming { end(way.socket) } else { ready.append(.close(way.socket)) }
        return
      }
    }
  }

  private mutating func deliver(_ bytes: [UInt8], _ way: Way) {
    switch (way.isIncoming, way.socket.isDatagram) {
    case (true, _):
      if !way.socket.isDatagram { updateReading(of: way) }
      machine.receive(bytes, on: way.socket, from: way.port, at: time)
    case (false, true): ready.append(.sendDatagram(way.socket, bytes, port: way.port))
    case (false, false):
      ready.append(.send(way.socket, bytes))
      updateWritability(of: way)
    }
  }

  private mutating func forget(_ way: Way) {
    lanes[way] = nil
    ways.removeAll { $0 == way }
  }

  // MARK: Full lanes

  /// Lets the owner read a connection only while its lane has room.
  private mutating func updateReading(of way: Way) {
    let isFull = (lanes[way]?.byteCount ?? 0) >= Self.capacity
    guard isFull != unread.contains(way.socket) else { return }
    if isFull { unread.insert(way.socket) } else { unread.remove(way.socket) }
    ready.append(.setReading(way.socket, !isFull))
  }

  /// Lets the session write to a connection only while its lane has room.
  private mutating func updateWritability(of way: Way) {
    let isFull = (lanes[way]?.byteCount ?? 0) >= Self.capacity
    guard isFull != full.contains(way.socket) else { return }
    if isFull { full.insert(way.socket) } else { full.remove(way.socket) }
    guard !unwritable.contains(way.socket) else { return }
    machine.writability(of: way.socket, !isFull, at: time)
  }

  // MARK: Ends

  /// Reports to the session that a connection ended or could not be made.
  private mutating func end(_ socket: SessionSocket) {
    leave(socket)
    machine.closed(socket, at: time)
  }

  /// Removes a connection with its data in transit.
  private mutating func leave(_ socket: SessionSocket) {
    connections.removeAll { $0 == socket }
    for way in ways where way.socket == socket { forget(way) }
    (_, _, _) = (full.remove(socket), unread.remove(socket), unwritable.remove(socket))
  }

  /// Ends every connection at once, for both sides.
  private mutating func disconnect() {
    hasDisconnected = true
    for socket in connections {
      ready.append(.close(socket))
      end(socket)
    }
  }

  // MARK: Actions

  private mutating func perform(_ action: SessionAction) {
    switch action {
    case .send(let socket, let bytes):
      let way = Way(socket: socket, port: 0, isIncoming: false)
      enter(bytes, way)
      settle()
      updateWritability(of: way)
    case .sendDatagram(let socket, let bytes, let port):
      enter(bytes, Way(socket: socket, port: port, isIncoming: false))
      settle()
    case .close(let socket):
      forget(Way(socket: socket, port: 0, isIncoming: true))
      let way = Way(socket: socket, port: 0, isIncoming: false)
      if lanes[way]?.byteCount ?? 0 > 0 {
        // The bytes before the close are sent first.
        lanes[way]?.finish()
      } else {
        leave(socket)
        ready.append(action)
      }
    case .report(let event):
      ready.append(action)
      if let record = event.record(of: side, linkCause: nil) { happened(record.declaration.name) }
    case .bind, .connect, .sign, .setReading, .log: ready.append(action)
    }
  }
}
