// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults

/// A test harness for one endpoint that receives its peer's bytes in virtual time. It checks the invariants of any
/// endpoint after each call.
struct Harness {
  struct Reported: Equatable {
    var event: ProtocolEvent
    var bytes: [UInt8]

    /// Compares events by their content, wherever their bytes were borrowed from.
    static func == (a: Self, b: Self) -> Bool {
      guard a.bytes == b.bytes else { return false }
      return switch (a.event, b.event) {
      case (.message(let x, _), .message(let y, _)): x == y
      case (.externalAccessoryData(let x, _), .externalAccessoryData(let y, _)): x == y
      case (.fileTransfer(.data(let x, _, let isLast)), .fileTransfer(.data(let y, _, let wasLast))):
        x == y && isLast == wasLast
      default: a.event == b.event
      }
    }
  }

  var endpoint: Endpoint
  var now = MonotonicTime.zero
  private(set) var reported: [Reported] = []
  private(set) var sent: [[UInt8]] = []
  /// The sequence number of the peer's next data packet.
  var sequence: UInt8 = 0x41

  /// The maximum number of events of one call. Each event consumes at least a byte of the input or of a stored message.
  private static let maximumEvents = 1 << 20

  init(
    _ side: Side, preferences: LinkPreferences = LinkPreferences(), limits: Limits = Limits(),
    quirks: EndpointQuirks = EndpointQuirks()
  ) {
    endpoint = Endpoint(
      side: side, preferences: preferences, limits: limits, quirks: quirks, firstSequence: SequenceNumber(0x10))
    endpoint.start(at: now)
  }

  /// Returns a harness whose link is up. The SYN or SYN+ACK of the peer has sequence number 0x40.
  static func up(
    _ side: Side, offer: LinkSynchronization = .standard, preferences: LinkPreferences = LinkPreferences(),
    limits: Limits = Limits(), quirks: EndpointQuirks = EndpointQuirks()
  ) throws(Finding) -> Harness {
    var station = Harness(side, preferences: preferences, limits: limits, quirks: quirks)
    try station.receive(LinkScanner.detect)
    try station.transmit()
    try station.receive(packet(side == .accessory ? 0xC0 : 0x80, 0x40, 0x10, offer.bytes))
    try station.transmit()
    if side == .device { try station.receive(packet(0x40, 0x40, 0x10)) }
    try station.transmit()
    return station
  }

  mutating func receive(_ bytes: [UInt8]) throws(Finding) {
    var offset = 0
    var count = 0
    while let event = endpoint.receive(unsafe bytes.span.bytes, offset: &offset, at: now) {
      count += 1
      try require(offset <= bytes.count, "an event from behind the input")
      try require(count < Self.maximumEvents, "events without an end")
      reported.append(Reported(event: event, bytes: event.payload.map { endpoint.copy(of: $0, in: bytes) } ?? []))
    }
    try require(offset == bytes.count, "\(bytes.count - offset) bytes were left")
    if let text = endpoint.invariantViolation { throw Finding(text) }
  }

  /// Collects all packets that can be sent now.
  mutating func transmit() throws(Finding) {
    var count = 0
    while let packet = endpoint.nextTransmit(at: now, { [UInt8](copying: $0) }) {
      count += 1
      try require(count < 1 << 12, "packets without an end")
      sent.append(packet)
    }
    try receive([])
  }

  /// Advances to the next deadline and handles it; returns false if there is none.
  mutating func expire() throws(Finding) -> Bool {
    guard let deadline = endpoint.nextDeadline else { return false }
    now = max(now, deadline)
    endpoint.handleDeadline(at: now)
    try transmit()
    if let next = endpoint.nextDeadline { try require(next > now, "the deadline \(next) is not over at \(now)") }
    return true
  }

  mutating func take() -> [Reported] {
    defer { reported = [] }
    return reported
  }

  mutating func takeSent() -> [[UInt8]] {
    defer { sent = [] }
    return sent
  }

  /// Returns the peer's next data packet.
  mutating func data(session: UInt8, _ payload: [UInt8]) -> [UInt8] {
    defer { sequence &+= 1 }
    return packet(0x40, sequence, endpoint.lastSentSequence.rawValue, session: session, payload)
  }
}

/// Returns a link packet that is built without the library.
func packet(
  _ control: UInt8, _ sequence: UInt8, _ acknowledgement: UInt8, session: UInt8 = 0, _ payload: [UInt8] = []
) -> [UInt8] {
  let length = payload.isEmpty ? 9 : 10 + payload.count
  let head: [UInt8] = [
    0xFF, 0x5A, UInt8(length >> 8), UInt8(length & 255), control, sequence, acknowledgement, session,
  ]
  return head + [0 &- head.reduce(0, &+)] + (payload.isEmpty ? [] : payload + [0 &- payload.reduce(0, &+)])
}
