// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import IAP2Runtime
import IAP2Transport
import Synchronization

/// Knows whether damage on the way got past the link's checksums of eight bits.
///
/// A packet whose end was lost is read together with what follows, and one time in 256 the sum is right by chance
/// (``LinkConditions/truncation``). Nothing above the link can tell then, so what a link promises of its contents is not
/// asked of such a session. The witness sees what was sent and what arrived, and finds packets that nobody sent: wherever
/// one begins, for what a link reads depends on what it passes over.
final class DamageWitness: Sendable {
  fileprivate struct Lane {
    var sent: Set<Int> = []
    /// What came last, from the first place on that may still become a packet.
    var arrived: [UInt8] = []
    /// Every place in front of this was looked at.
    var looked = 0
    /// Places behind which so many bytes are awaited.
    var awaited: [(start: Int, end: Int)] = []
  }

  private struct State {
    var toHeadUnit = Lane()
    var toPhone = Lane()
    var count = 0
  }

  private let state = Mutex(State())

  /// Packets that arrived whole and were never sent.
  var count: Int { state.withLock { $0.count } }

  func around(_ transport: any ByteTransport, side: Side) -> any ByteTransport {
    WitnessedTransport(transport: transport, side: side, witness: self)
  }

  func sent(_ bytes: [UInt8], by side: Side) {
    state.withLock { state in
      for piece in LinkPieces.of(bytes) {
        let hash = piece.hashValue
        if side == .accessory { state.toPhone.sent.insert(hash) } else { state.toHeadUnit.sent.insert(hash) }
      }
    }
  }

  func arrived(_ bytes: [UInt8], at side: Side) {
    state.withLock { state in
      if side == .accessory {
        state.count += state.toHeadUnit.hear(bytes)
      } else {
        state.count += state.toPhone.hear(bytes)
      }
    }
  }
}

extension DamageWitness.Lane {
  /// Counts the packets among these and earlier bytes that nobody sent.
  fileprivate mutating func hear(_ bytes: [UInt8]) -> Int {
    arrived += bytes
    var count = 0
    while looked + LinkHeader.byteCount <= arrived.count {
      if arrived[looked] == 0xFF, arrived[looked + 1] == 0x5A { count += look(at: looked) }
      looked += 1
    }
    let ready = awaited.filter { $0.end <= arrived.count }
    awaited.removeAll { $0.end <= arrived.count }
    for place in ready { count += look(at: place.start) }

    let kept = awaited.reduce(looked) { min($0, $1.start) }
    arrived.removeFirst(kept)
    looked -= kept
    awaited = awaited.map { ($0.start - kept, $0.end - kept) }
    return count
  }

  private mutating func look(at start: Int) -> Int {
    switch unsafe LinkScanner.scan(arrived.span.bytes, from: start) {
    case .packet(let header, _):
      return sent.contains(Array(arrived[start..<(start + header.byteCount)]).hashValue) ? 0 : 1
    case .incomplete(_, let need): awaited.append((start, start + need))
    case .detect, .legacyFrame, .garbage, .badPayloadChecksum, .badHeader, .end: break
    }
    return 0
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
