// swift-iap2 · Apache-2.0

import Basics
public import CarPlaySession

/// A simulation of CarPlay sessions of a head unit and up to three phones, with content, commands and faults of the
/// network, all drawn from one seed. The invariants are checked after every step.
///
/// ```swift
/// let outcome = SessionSimulation(seed: 7).run()
/// precondition(outcome.violations.isEmpty, "\(outcome)")
/// ```
public struct SessionSimulation {
  /// The result of a simulation.
  public struct Outcome: Sendable, Hashable, CustomStringConvertible {
    /// The seed, which repeats the simulation.
    public var seed: UInt64
    /// The invariants that did not hold, in the order of their discovery; those behind the first may follow from it.
    public var violations: [String]
    /// The end of each phone's session.
    public var ends: [SessionEnd?]
    /// Whether the first phone's session became live.
    public var wasLive: Bool
    /// The number of contents that arrived.
    public var deliveredCount: Int
    /// A digest of the sizes, times and some bytes of everything that was sent.
    public var digest: UInt64

    /// The seed and the violations.
    public var description: String {
      violations.isEmpty ? "seed \(seed): \(ends)" : "seed \(seed): " + violations.joined(separator: "; ")
    }
  }

  let seed: UInt64
  var random: SeededGenerator
  var plan: SimulationPlan
  var network: FaultyNetwork
  var headUnit: HeadUnitSession
  var phones: [PhoneSession]
  var checks: SessionChecks
  var content = ContentRecord()
  /// The screens that have their configuration.
  var configured: Set<StreamType> = []
  /// Bytes that were sent before, which hostile peers repeat.
  var earlier: [[UInt8]] = []

  /// Prepares a simulation.
  public init(seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    let plan = SimulationPlan(&random)
    self.plan = plan
    content.keepsSoundOrder = plan.faults.flippedDatagrams == 0
    network = FaultyNetwork(plan.faults, seed: random.next())
    headUnit = SimulatedParties.headUnit(plan, seed: random.next())
    phones = []
    for index in 0..<plan.phoneCount { phones.append(SimulatedParties.phone(index, plan, seed: random.next())) }
    checks = SessionChecks(phoneCount: plan.phoneCount)
  }

  /// The present time.
  var now: MonotonicTime { MonotonicTime(nanoseconds: network.now) }

  /// Plays the simulation to its end.
  public mutating func run() -> Outcome {
    for index in phones.indices {
      actPhone(index) { $0.start(port: FaultyNetwork.controlPort, at: $1) }
      let gap: Int64 = random.chance(0.5) ? 5_000_000 : 2_000_000_000
      if index + 1 < phones.count { pass(Int64.random(in: 0...gap, using: &random)) }
    }
    pass(plan.isCalm ? 3_000_000_000 : Int64.random(in: 0...3_000_000_000, using: &random))
    var moments = plan.moments
    for index in 0..<plan.actionCount where checks.violations.isEmpty {
      act()
      if !moments.isEmpty, random.chance(3 / Double(plan.actionCount - index)) { happen(moments.removeLast()) }
      // In a calm session everything in transit arrives before the next action.
      pass(plan.isCalm ? plan.pause : Int64.random(in: 0...plan.pause, using: &random))
    }
    for moment in moments { happen(moment) }
    if plan.keepsConnections {
      // A session on a slow network may become live only now.
      pass(plan.faults.maximumLatency > 100_000_000 ? 12_000_000_000 : 4_000_000_000)
      checkAgreement()
    }
    finish()
    return outcome
  }

  private var outcome: Outcome {
    let violations = checks.violations + network.watcher.violations + content.violations
    return Outcome(
      seed: seed, violations: violations, ends: checks.phoneEnds, wasLive: checks.wasLive,
      deliveredCount: content.deliveredCount, digest: network.digest)
  }

  /// Ends all sessions and connections, and checks that nothing is left.
  private mutating func finish() {
    for index in phones.indices { actPhone(index) { $0.tearDown(at: $1) } }
    pass(120_000_000_000)
    // The system detects a silent peer of a TCP connection after a while.
    network.silent = []
    for node in 0...phones.count { network.cut(node) }
    pass(60_000_000_000)
    checks.finish(headUnit, phones, network)
    if plan.isCalm {
      if phones.count == 1, checks.isEncrypted { for text in content.missing() { checks.violate(text) } }
      checks.requireOrderlyEnds(plan)
    }
  }

  // MARK: Time

  /// Advances the time, and handles everything that is due.
  mutating func pass(_ nanoseconds: Int64) {
    let end = network.now + nanoseconds
    var count = 0
    while checks.violations.isEmpty {
      let deadlines = [headUnit.nextDeadline] + phones.map(\.nextDeadline)
      let times = deadlines.map { $0?.nanoseconds } + [network.nextTime]
      guard let next = times.compactMap({ $0 }).min(), next <= end else { break }
      network.now = max(network.now, next)
      step()
      count += 1
      if count > 200_000 { checks.violate("more than \(count) steps in \(nanoseconds) ns") }
    }
    network.now = max(network.now, end)
  }

  private mutating func step() {
    if let time = network.nextTime, time <= network.now {
      if let delivery = network.take() { deliver(delivery) }
      return
    }
    if let deadline = headUnit.nextDeadline, deadline <= now {
      actHeadUnit { $0.handleDeadline(at: $1) }
      if let next = headUnit.nextDeadline, next <= now { checks.violate("the head unit's deadline stays at \(next)") }
    }
    for index in phones.indices {
      guard let deadline = phones[index].nextDeadline, deadline <= now else { continue }
      actPhone(index) { $0.handleDeadline(at: $1) }
      if let next = phones[index].nextDeadline, next <= now {
        checks.violate("phone \(index)'s deadline stays at \(next)")
      }
    }
  }

  private mutating func deliver(_ delivery: FaultyNetwork.Delivery) {
    switch delivery.end.node {
    case 0: actHeadUnit { Self.deliver(delivery, to: &$0, at: $1) }
    case let node: actPhone(node - 1) { Self.deliver(delivery, to: &$0, at: $1) }
    }
  }

  private static func deliver(
    _ delivery: FaultyNetwork.Delivery, to machine: inout some SessionMachine, at time: MonotonicTime
  ) {
    let socket = delivery.end.socket
    switch delivery.content {
    case .connected: machine.connected(socket, at: time)
    case .bytes(let bytes): machine.receive(bytes, on: socket, from: 0, at: time)
    case .datagram(let bytes, let port): machine.receive(bytes, on: socket, from: port, at: time)
    case .closed: machine.closed(socket, at: time)
    case .bound(let port): machine.bound(socket, port: port, at: time)
    case .writability(let isWritable): machine.writability(of: socket, isWritable, at: time)
    case .signed(let signature):
      let evidence = signature.map {
        AccessoryEvidence(certificate: SimulatedParties.certificate, signature: $0)
      }
      machine.signed(evidence, at: time)
    }
  }

  // MARK: Machines

  mutating func actHeadUnit<Result>(_ body: (inout HeadUnitSession, MonotonicTime) -> Result) -> Result {
    let result = body(&headUnit, now)
    for action in headUnit.takeActions() { perform(action, of: 0) }
    checks.examine(headUnit, network)
    return result
  }

  @discardableResult
  mutating func actPhone<Result>(_ index: Int, _ body: (inout PhoneSession, MonotonicTime) -> Result) -> Result {
    let result = body(&phones[index], now)
    for action in phones[index].takeActions() { perform(action, of: index + 1) }
    checks.examine(phones[index], index, network)
    return result
  }

  private func inspection(of node: Int) -> SessionInspection {
    node == 0 ? headUnit.inspection : phones[node - 1].inspection
  }

  private mutating func perform(_ action: SessionAction, of node: Int) {
    func end(_ socket: SessionSocket) -> FaultyNetwork.End { FaultyNetwork.End(node: node, socket: socket) }
    switch action {
    case .bind(let socket, _): network.bind(end(socket))
    case .connect(let socket, let port):
      let peer = network.connect(end(socket), port: port)
      if case .control(let number)? = peer?.socket { checks.phoneOfConnection[number] = node - 1 }
    case .send(let socket, let bytes):
      remember(bytes)
      let (headUnit, phones) = (headUnit, phones)
      network.send(
        bytes, from: end(socket), secret: { headUnit.secret(of: $0) },
        streams: { $0 == 0 ? headUnit.inspection : phones[$0 - 1].inspection })
    case .sendDatagram(let socket, let bytes, let port):
      let (headUnit, phones) = (headUnit, phones)
      network.sendDatagram(
        bytes, from: end(socket), to: port, streams: { $0 == 0 ? headUnit.inspection : phones[$0 - 1].inspection })
    case .close(let socket): network.close(end(socket))
    case .setReading, .log: break
    case .sign(let bytes): network.sign(SimulatedParties.signature(of: bytes), for: node)
    case .report(let event):
      checks.take(event, of: node, headUnit)
      record(event, of: node)
    }
  }

  private mutating func remember(_ bytes: [UInt8]) {
    guard plan.moments.contains(.injection), bytes.count < 4096 else { return }
    if earlier.count == 16 { earlier.removeFirst() }
    earlier.append(bytes)
  }

  private mutating func record(_ event: SessionEvent, of node: Int) {
    if case .stream(let type, .setUp, _) = event, node > 0 { configured.remove(type) }
    guard phones.count == 1, checks.isEncrypted else { return }
    switch event {
    case .picture(let type, let message) where message.kind == .frame: content.receive(message.body, .picture(type))
    case .sound(let type, _, let payload): content.receive(payload, node == 0 ? .sound(type) : .microphone(type))
    case .iAP(let bytes, let side) where side == (node == 0 ? .phone : .headUnit): content.receive(bytes, .iAP(side))
    default: break
    }
  }
}
