// swift-iap2 · Apache-2.0

import IAP2
import IAP2Simulation

/// Hexadecimal text as bytes.
func hex(_ text: String) -> [UInt8] {
  let digits = text.utf8.compactMap { UInt8(String(UnicodeScalar($0)), radix: 16) }
  return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// A link packet written out by the layout of link-and-sessions, section 2, without the library's own writer.
func packet(
  _ control: UInt8, _ sequence: UInt8, _ acknowledgement: UInt8, session: UInt8 = 0, _ payload: [UInt8] = []
) -> [UInt8] {
  let length = payload.isEmpty ? 9 : 10 + payload.count
  let head: [UInt8] = [
    0xFF, 0x5A, UInt8(length >> 8), UInt8(length & 255), control, sequence, acknowledgement, session,
  ]
  let tail: [UInt8] = payload.isEmpty ? [] : payload + [0 &- payload.reduce(0, &+)]
  return head + [0 &- head.reduce(0, &+)] + tail
}

/// A synchronization payload: window, packet length, two timeouts, two counts, sessions.
func synchronization(
  _ window: UInt8 = 32, _ length: UInt16 = 4096, _ retransmission: UInt16 = 2000, _ cumulative: UInt16 = 22,
  _ retransmissions: UInt8 = 30, _ acknowledgements: UInt8 = 3,
  sessions: [[UInt8]] = [[1, 0, 2], [2, 1, 2], [3, 2, 1]]
) -> [UInt8] {
  var bytes: [UInt8] = [1, window]
  for number in [length, retransmission, cumulative] { bytes += [UInt8(number >> 8), UInt8(number & 255)] }
  bytes += [retransmissions, acknowledgements]
  for session in sessions { bytes += session }
  return bytes
}

/// One endpoint and a test that plays its peer by hand, in virtual time.
struct Bench {
  var endpoint: Endpoint
  var now = MonotonicTime.zero
  /// The peer's next sequence number.
  var sequence: UInt8 = 0
  var events: [(event: ProtocolEvent, bytes: [UInt8])] = []

  init(
    _ side: Side, preferences: LinkPreferences = LinkPreferences(), limits: Limits = Limits(),
    quirks: EndpointQuirks = EndpointQuirks()
  ) {
    endpoint = Endpoint(
      side: side, preferences: preferences, limits: limits, quirks: quirks, firstSequence: SequenceNumber(0x10))
    endpoint.start(at: now)
  }

  /// Gives bytes to the endpoint and collects what it tells.
  mutating func receive(_ bytes: [UInt8]) {
    var offset = 0
    while let event = endpoint.receive(unsafe bytes.span.bytes, offset: &offset, at: now) {
      events.append((event, event.payload.map { endpoint.copy(of: $0, in: bytes) } ?? []))
    }
  }

  /// Everything that leaves now, packet by packet.
  mutating func sent() -> [[UInt8]] {
    var packets: [[UInt8]] = []
    while let packet = endpoint.nextTransmit(at: now, { lent in unsafe lent.withUnsafeBytes { unsafe Array($0) } }) {
      packets.append(packet)
    }
    receive([])
    return packets
  }

  /// Lets time pass up to the next deadline.
  mutating func expire() {
    guard let deadline = endpoint.nextDeadline else { return }
    now = max(now, deadline)
    endpoint.handleDeadline(at: now)
    receive([])
  }

  /// Forgets what was told and gives the events that matter here.
  mutating func told() -> [ProtocolEvent] {
    defer { events = [] }
    return events.map(\.event)
  }

  /// Plays the peer's part of the handshake; the peer's SYN has sequence number 0x40.
  static func up(
    _ side: Side, offer: [UInt8] = synchronization(), preferences: LinkPreferences = LinkPreferences(),
    limits: Limits = Limits(), quirks: EndpointQuirks = EndpointQuirks()
  ) -> Bench {
    var bench = Bench(side, preferences: preferences, limits: limits, quirks: quirks)
    bench.receive(LinkScanner.detect)
    _ = bench.sent()
    bench.receive(packet(side == .accessory ? 0xC0 : 0x80, 0x40, 0x10, offer))
    _ = bench.sent()
    if side == .device {
      bench.receive(packet(0x40, 0x40, 0x10))
      _ = bench.sent()
    }
    bench.sequence = 0x41
    return bench
  }

  /// The next data packet of the peer.
  mutating func data(session: UInt8 = 1, _ payload: [UInt8], acknowledging: UInt8 = 0x10) -> [UInt8] {
    defer { sequence &+= 1 }
    return packet(0x40, sequence, acknowledging, session: session, payload)
  }
}

/// A control message without parameters.
func message(_ id: UInt16, _ parameters: [UInt8] = []) -> [UInt8] {
  let count = 6 + parameters.count
  return [0x40, 0x40, UInt8(count >> 8), UInt8(count & 255), UInt8(id >> 8), UInt8(id & 255)] + parameters
}
