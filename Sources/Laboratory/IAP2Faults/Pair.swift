// swift-iap2 · Apache-2.0

public import Basics
public import IAP2

/// Two real endpoints and the transport between them, in virtual time. Nothing waits, and the same seed gives the same
/// run.
///
/// After every step the invariants of the link are checked; `violations` lists those that failed.
public struct Pair: Sendable {
  /// An event with a copy of its bytes.
  public struct Observed: Sendable, Equatable {
    /// The time of the event.
    public var time: MonotonicTime
    /// The event.
    public var event: ProtocolEvent
    /// The bytes of the event; empty if it has none.
    public var bytes: [UInt8]
  }

  struct Piece: Sendable {
    var to: Side
    var arrival: MonotonicTime
    var order: Int
    var bytes: [UInt8]
  }

  /// The endpoint of the accessory.
  public var accessory: Endpoint
  /// The endpoint of the device.
  public var device: Endpoint
  /// The current virtual time.
  public private(set) var now = MonotonicTime.zero
  /// The events of each side, in order.
  public private(set) var observed: [Side: [Observed]] = [.accessory: [], .device: []]
  /// The packets that each side sent, before faults were applied.
  public private(set) var wire: [(from: Side, bytes: [UInt8])] = []
  private let conditions: LinkConditions
  private var media: [Side: FaultInjector]
  /// The fates of the next packets that either side sends. The packets after them are subject to the conditions.
  public var fates: [Fate] = []
  /// The invariants that failed, in English.
  public private(set) var violations: [String] = []
  /// Whether nothing arrives at either side: a pulled cable that neither side notices.
  public var isCut = false
  private var generator: SeededGenerator
  private var flying: [Piece] = []
  private var order = 0

  /// Creates a pair that is not started.
  ///
  /// - Parameters:
  ///   - accessory: The endpoint of the accessory.
  ///   - device: The endpoint of the device.
  ///   - conditions: The conditions of both directions.
  ///   - seed: The seed of the random numbers.
  public init(accessory: Endpoint, device: Endpoint, conditions: LinkConditions = .perfect, seed: UInt64 = 1) {
    self.accessory = accessory
    self.device = device
    self.conditions = conditions
    media = [.accessory: FaultInjector(conditions), .device: FaultInjector(conditions)]
    generator = SeededGenerator(seed: seed)
  }

  /// The endpoint of a side.
  public subscript(side: Side) -> Endpoint {
    get { side == .accessory ? accessory : device }
    // Yields in place: a copy would also copy every buffer of the endpoint.
    _modify { if side == .accessory { yield &accessory } else { yield &device } }
  }

  /// Starts both endpoints.
  public mutating func start() {
    accessory.start(at: now)
    device.start(at: now)
    flush()
  }

  /// Sends the packets of both endpoints. Call it after using an endpoint directly.
  public mutating func flush() {
    for side in Side.allCases {
      var count = 0
      while count < Self.packetLimit, let packet = self[side].nextTransmit(at: now, { [UInt8](copyingPacket: $0) }) {
        count += 1
        wire.append((side, packet))
        carry(packet, from: side)
      }
      if count == Self.packetLimit { violations.append("\(side): does not stop sending, at \(now.seconds) s") }
      collect(side, [])
    }
    checkInvariants()
  }

  /// The packets that a side may send at one moment: above those of every window.
  private static let packetLimit = 10_000

  /// Advances to the next arrival or deadline; returns false if there is none.
  public mutating func step() -> Bool {
    var next = flying.map(\.arrival).min()
    for side in Side.allCases {
      if let deadline = self[side].nextDeadline, next.map({ deadline < $0 }) ?? true { next = deadline }
    }
    guard let next else { return false }
    now = max(now, next)
    let arrived = flying.filter { $0.arrival <= now }.sorted { ($0.arrival, $0.order) < ($1.arrival, $1.order) }
    flying.removeAll { $0.arrival <= now }
    for piece in arrived where !isCut { collect(piece.to, piece.bytes) }
    for side in Side.allCases {
      if let deadline = self[side].nextDeadline, deadline <= now { self[side].handleDeadline(at: now) }
    }
    flush()
    return true
  }

  /// Steps until the condition is true; returns false if it is not within `limit` steps.
  public mutating func run(limit: Int = 100_000, until condition: (Pair) -> Bool) -> Bool {
    for _ in 0..<limit {
      if condition(self) { return true }
      if !step() { return condition(self) }
    }
    return false
  }

  /// Whether both links are up.
  public var isUp: Bool { accessory.isUp && device.isUp }

  /// Whether no bytes are in transit.
  package var isQuiet: Bool { flying.isEmpty }

  /// Delivers bytes to a side that no endpoint sent.
  public mutating func inject(_ bytes: [UInt8], to side: Side) { collect(side, bytes) }

  // MARK: Transport

  private mutating func carry(_ bytes: [UInt8], from side: Side) {
    let arrivals =
      fates.isEmpty
      ? media[side]?.carry(bytes, at: now, using: &generator)
      : media[side]?.carry(bytes, fate: fates.removeFirst(), at: now)
    for arrival in arrivals ?? [] {
      if arrival.joinsPrevious, let last = flying.lastIndex(where: { $0.to == side.peer }) {
        flying[last].bytes += arrival.bytes
      } else {
        schedule(arrival.bytes, to: side.peer, at: arrival.time)
      }
    }
  }

  private mutating func schedule(_ bytes: [UInt8], to side: Side, at time: MonotonicTime) {
    order += 1
    flying.append(Piece(to: side, arrival: time, order: order, bytes: bytes))
  }

  private mutating func collect(_ side: Side, _ bytes: [UInt8]) {
    var offset = 0
    while let event = self[side].receive(unsafe bytes.span.bytes, offset: &offset, at: now) {
      let payload = event.payload.map { self[side].copy(of: $0, in: bytes) } ?? []
      observed[side]?.append(Observed(time: now, event: event, bytes: payload))
    }
  }

  private mutating func checkInvariants() {
    for side in Side.allCases {
      if let text = self[side].invariantViolation { violations.append("\(side): \(text), at \(now.seconds) s") }
    }
  }
}

extension ProtocolEvent {
  /// The borrowed bytes of the event; nil if it has none.
  public var payload: LentPayload? {
    switch self {
    case .message(_, let payload), .externalAccessoryData(_, let payload), .fileTransfer(.data(_, let payload, _)):
      payload
    default: nil
    }
  }
}

extension Endpoint {
  /// Returns an owned copy of an event's bytes.
  public func copy(of payload: LentPayload, in input: [UInt8]) -> [UInt8] {
    let lent = bytes(of: payload, in: unsafe input.span.bytes)
    return [UInt8](copyingPacket: lent)
  }
}

extension Array where Element == UInt8 {
  init(copyingPacket bytes: RawSpan) { self = unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
}
