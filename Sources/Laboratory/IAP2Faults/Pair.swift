// swift-iap2 · Apache-2.0

public import IAP2

/// Two real endpoints and the medium between them, in virtual time: no waiting, and the same seed gives the same run.
///
/// After every step the invariants hold that a link promises, else `violations` names what broke.
public struct Pair: Sendable {
  /// An event with its own copy of the bytes.
  public struct Observed: Sendable, Equatable {
    public var time: MonotonicTime
    public var event: ProtocolEvent
    public var bytes: [UInt8]
  }

  struct Piece: Sendable {
    var to: Side
    var arrival: MonotonicTime
    var order: Int
    var bytes: [UInt8]
  }

  public var accessory: Endpoint
  public var device: Endpoint
  public private(set) var now = MonotonicTime.zero
  /// What each side was told, in order.
  public private(set) var observed: [Side: [Observed]] = [.accessory: [], .device: []]
  /// Every piece that left a side, before anything happened to it.
  public private(set) var wire: [(from: Side, bytes: [UInt8])] = []
  private let conditions: LinkConditions
  private var media: [Side: Medium]
  /// What happens to the next pieces that leave, from either side, before `conditions` apply to the rest.
  public var fates: [Fate] = []
  public private(set) var violations: [String] = []
  /// Nothing more arrives from either side: a pulled cable that nobody reports.
  public var isCut = false
  private var generator: SeededGenerator
  private var flying: [Piece] = []
  private var order = 0

  public init(accessory: Endpoint, device: Endpoint, conditions: LinkConditions = .perfect, seed: UInt64 = 1) {
    self.accessory = accessory
    self.device = device
    self.conditions = conditions
    media = [.accessory: Medium(conditions), .device: Medium(conditions)]
    generator = SeededGenerator(seed: seed)
  }

  public subscript(side: Side) -> Endpoint {
    get { side == .accessory ? accessory : device }
    // In place: a copy on the way would copy every buffer of the endpoint.
    _modify { if side == .accessory { yield &accessory } else { yield &device } }
  }

  public mutating func start() {
    accessory.start(at: now)
    device.start(at: now)
    flush()
  }

  /// Sends what the endpoints have, after the caller did something to them.
  public mutating func flush() {
    for side in Side.allCases {
      while let packet = self[side].nextTransmit(at: now, { [UInt8](copyingPacket: $0) }) {
        wire.append((side, packet))
        carry(packet, from: side)
      }
      collect(side, [])
    }
    checkInvariants()
  }

  /// Goes to the next arrival or deadline; false when nothing is left to happen.
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

  /// Steps until the condition holds; false when it does not within so many steps.
  public mutating func run(limit: Int = 100_000, until condition: (Pair) -> Bool) -> Bool {
    for _ in 0..<limit {
      if condition(self) { return true }
      if !step() { return condition(self) }
    }
    return false
  }

  /// Both links are up.
  public var isUp: Bool { accessory.isUp && device.isUp }

  /// Nothing is on its way.
  package var isQuiet: Bool { flying.isEmpty }

  /// Puts bytes on the wire that no endpoint sent.
  public mutating func inject(_ bytes: [UInt8], to side: Side) { collect(side, bytes) }

  // MARK: Medium

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
      if let text = self[side].brokenPromise { violations.append("\(side): \(text), at \(now.seconds) s") }
    }
  }
}

extension ProtocolEvent {
  /// The lent bytes that belong to the event.
  public var payload: LentPayload? {
    switch self {
    case .message(_, let payload), .externalAccessoryData(_, let payload), .fileTransfer(.data(_, let payload, _)):
      payload
    default: nil
    }
  }
}

extension Endpoint {
  /// An owned copy of an event's bytes.
  public func copy(of payload: LentPayload, in input: [UInt8]) -> [UInt8] {
    let lent = bytes(of: payload, in: unsafe input.span.bytes)
    return [UInt8](copyingPacket: lent)
  }
}

extension Array where Element == UInt8 {
  init(copyingPacket bytes: RawSpan) { self = unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
}
