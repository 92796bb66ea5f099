// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import IAP2Runtime
import IAP2Transport
import Synchronization

/// A detector of injected damage that the link's 8-bit checksums do not detect.
///
/// The reader joins a packet whose end was lost with the bytes that follow it, and one time in 256 the sum is right by
/// chance (`LinkConditions.truncation`). The layers above the link cannot detect this, so the simulation does not
/// check the contents of such a session. The detector records the sent packets and searches the received bytes for
/// valid packets that were not sent. It searches at every offset, because the offset at which a link reads a packet
/// depends on the bytes that the link skipped.
final class UndetectedDamageDetector: Sendable {
  /// The packets of one direction.
  fileprivate struct Lane {
    /// The hashes of the sent packets.
    var sent: Set<Int> = []
    /// The received bytes from the first offset at which a packet may still be incomplete.
    var arrived: [UInt8] = []
    /// The first offset in `arrived` that has not been searched.
    var looked = 0
    /// The ranges in `arrived` of packets that are incomplete.
    var awaited: [(start: Int, end: Int)] = []
  }

  private struct State {
    var toHeadUnit = Lane()
    var toPhone = Lane()
    var count = 0
  }

  private let state = Mutex(State())

  /// The number of valid packets that arrived and were not sent.
  var count: Int { state.withLock { $0.count } }

  /// Returns a transport that reports the bytes of one side's transport to the detector.
  func around(_ transport: any ByteTransport, side: Side) -> any ByteTransport {
    ObservedTransport(transport: transport, side: side, detector: self)
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
        state.count += state.toHeadUnit.receive(bytes)
      } else {
        state.count += state.toPhone.receive(bytes)
      }
    }
  }
}

extension UndetectedDamageDetector.Lane {
  /// Returns the number of packets that these bytes complete and that were not sent.
  fileprivate mutating func receive(_ bytes: [UInt8]) -> Int {
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

private struct ObservedTransport: ByteTransport {
  let transport: any ByteTransport
  let side: Side
  let detector: UndetectedDamageDetector

  var address: String { transport.address }
  var taskExecutor: (any TaskExecutor)? { transport.taskExecutor }

  func receive() async throws(TransportError) -> [UInt8]? {
    let bytes = try await transport.receive()
    if let bytes { detector.arrived(bytes, at: side) }
    return bytes
  }

  func send(_ bytes: [UInt8]) async throws(TransportError) {
    detector.sent(bytes, by: side)
    try await transport.send(bytes)
  }

  func close() async { await transport.close() }

  func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)? {
    transport.nativeStream(of: name, among: protocols)
  }
}
