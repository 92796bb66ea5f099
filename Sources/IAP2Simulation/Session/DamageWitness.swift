// swift-iap2 · Apache-2.0

import IAP2
import IAP2Runtime
import Synchronization

/// Knows whether damage on the way got past the link's checksums of eight bits.
///
/// A packet whose end was lost is read together with what follows, and one time in 256 the sum is right by chance
/// (``LinkConditions/truncation``). Nothing above the link can tell then, so what a link promises of its contents is not
/// asked of such a session. The witness sees what was sent and what arrived, and finds packets that nobody sent.
final class DamageWitness: Sendable {
  fileprivate struct Lane {
    var sent: Set<Int> = []
    var arrived: [UInt8] = []
    var lastArrival = MonotonicTime.zero
  }

  private struct State {
    var toHeadUnit = Lane()
    var toPhone = Lane()
    var count = 0
  }

  private let state = Mutex(State())
  private let clock: any RuntimeClock

  init(clock: any RuntimeClock) { self.clock = clock }

  /// Packets that arrived whole and were never sent.
  var count: Int { state.withLock { $0.count } }

  func around(_ transport: any ByteTransport, side: Side) -> any ByteTransport {
    WitnessedTransport(transport: transport, side: side, witness: self)
  }

  fileprivate func sent(_ bytes: [UInt8], by side: Side) {
    state.withLock { state in
      for piece in FaultyLane.pieces(of: bytes) {
        let hash = piece.hashValue
        if side == .accessory { state.toPhone.sent.insert(hash) } else { state.toHeadUnit.sent.insert(hash) }
      }
    }
  }

  fileprivate func arrived(_ bytes: [UInt8], at side: Side) {
    let now = clock.now
    state.withLock { state in
      if side == .accessory {
        state.count += state.toHeadUnit.hear(bytes, at: now)
      } else {
        state.count += state.toPhone.hear(bytes, at: now)
      }
    }
  }
}

extension DamageWitness.Lane {
  /// Reads as a link does, and counts the packets that nobody sent.
  fileprivate mutating func hear(_ bytes: [UInt8], at now: MonotonicTime) -> Int {
    // A link that waits in vain for the rest of a packet passes over one byte, and so on.
    let patience = Int64(Limits().partialPacketMilliseconds) * 1_000_000
    var count = 0
    while !arrived.isEmpty, now.nanoseconds - lastArrival.nanoseconds >= patience {
      arrived.removeFirst()
      count += take()
      lastArrival = MonotonicTime(nanoseconds: lastArrival.nanoseconds + patience)
    }
    lastArrival = now
    arrived += bytes
    return count + take()
  }

  /// Everything that is whole.
  private mutating func take() -> Int {
    var count = 0
    var offset = 0
    scan: while true {
      switch unsafe LinkScanner.scan(arrived.span.bytes, from: offset) {
      case .packet(let header, let start):
        offset = start + header.byteCount
        if !sent.contains(Array(arrived[start..<offset]).hashValue) { count += 1 }
      case .detect(let start): offset = start + LinkScanner.detect.count
      case .legacyFrame(let range), .garbage(let range): offset = range.upperBound
      case .badPayloadChecksum(let header, let start): offset = start + header.byteCount
      case .badHeader(_, let start, _): offset = start + 1
      case .incomplete(let start, _):
        offset = start
        break scan
      case .end: break scan
      }
    }
    arrived.removeFirst(min(offset, arrived.count))
    return count
  }
}

private struct WitnessedTransport: ByteTransport {
  let transport: any ByteTransport
  let side: Side
  let witness: DamageWitness

  var address: String { transport.address }
  var taskExecutor: (any TaskExecutor)? { transport.taskExecutor }

  func receive() async throws(TransportError) -> [UInt8]? {
    let bytes = try await transport.receive()
    if let bytes { witness.arrived(bytes, at: side) }
    return bytes
  }

  func send(_ bytes: [UInt8]) async throws(TransportError) {
    witness.sent(bytes, by: side)
    try await transport.send(bytes)
  }

  func close() async { await transport.close() }

  func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)? {
    transport.nativeStream(of: name, among: protocols)
  }
}
