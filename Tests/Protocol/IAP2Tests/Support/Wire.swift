// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import Testing
import WireSupport

/// An endpoint in virtual time whose peer the test plays.
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

  /// Gives bytes to the endpoint and collects the events that it reports.
  mutating func receive(_ bytes: [UInt8]) {
    var offset = 0
    while let event = endpoint.receive(unsafe bytes.span.bytes, offset: &offset, at: now) {
      events.append((event, event.payload.map { endpoint.copy(of: $0, in: bytes) } ?? []))
    }
  }

  /// Returns every packet that the endpoint sends now.
  mutating func sent() -> [[UInt8]] {
    var packets: [[UInt8]] = []
    while packets.count < Self.packetLimit,
      let packet = endpoint.nextTransmit(at: now, { lent in unsafe lent.withUnsafeBytes { unsafe Array($0) } })
    {
      packets.append(packet)
    }
    #expect(packets.count < Self.packetLimit, "the endpoint does not stop sending")
    receive([])
    return packets
  }

  /// Advances the time to the next deadline.
  mutating func expire() {
    guard let deadline = endpoint.nextDeadline else { return }
    now = max(now, deadline)
    endpoint.handleDeadline(at: now)
    receive([])
  }

  /// Goes from deadline to deadline while the condition holds. An endpoint whose deadlines do not lead to the end of
  /// the condition fails the test instead of holding it for ever.
  mutating func expireAll(
    while isWaiting: (Endpoint) -> Bool = { $0.nextDeadline != nil }, examine: (inout Bench) -> Void = { _ in }
  ) {
    for _ in 0..<Self.deadlineLimit {
      guard isWaiting(endpoint) else { return }
      guard endpoint.nextDeadline != nil else {
        Issue.record("the endpoint waits for nothing")
        return
      }
      expire()
      examine(&self)
    }
    Issue.record("the endpoint still waits after \(Self.deadlineLimit) deadlines")
  }

  /// Above the deadlines and the packets of every test.
  private static let deadlineLimit = 1000
  private static let packetLimit = 10_000

  /// Returns the events collected so far and removes them.
  mutating func reported() -> [ProtocolEvent] {
    defer { events = [] }
    return events.map(\.event)
  }

  /// Returns an endpoint with its link up. The peer's SYN has sequence number 0x40.
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

  /// Returns the peer's next data packet.
  mutating func data(session: UInt8 = 1, _ payload: [UInt8], acknowledging: UInt8 = 0x10) -> [UInt8] {
    defer { sequence &+= 1 }
    return packet(0x40, sequence, acknowledging, session: session, payload)
  }
}

/// Returns a control message with the given parameter bytes.
func message(_ id: UInt16, _ parameters: [UInt8] = []) -> [UInt8] {
  let count = 6 + parameters.count
  return [0x40, 0x40, UInt8(count >> 8), UInt8(count & 255), UInt8(id >> 8), UInt8(id & 255)] + parameters
}
