// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import IAP2Runtime
import IAP2Transport
import Synchronization

/// A transport that detects whether the 8-bit sequence numbers of both sides have wrapped around.
///
/// The sent packets show both: their own sequence numbers, and the peer's sequence numbers that they acknowledge.
final class SequenceChecker: ByteTransport {
  private struct Count {
    private var last: SequenceNumber?
    private(set) var steps = 0

    /// Counts the steps to a new sequence number. A retransmitted packet has an old number and does not count.
    mutating func note(_ number: SequenceNumber) {
      let step = Int8(bitPattern: number.rawValue &- (last ?? number).rawValue)
      guard step >= 0 else { return }
      last = number
      steps += Int(step)
    }
  }

  private let transport: any ByteTransport
  private let counts = Mutex((sent: Count(), acknowledged: Count()))

  init(_ transport: any ByteTransport) { self.transport = transport }

  var hasWrapped: Bool { counts.withLock { min($0.sent.steps, $0.acknowledged.steps) > Int(UInt8.max) } }

  var address: String { transport.address }
  var taskExecutor: (any TaskExecutor)? { transport.taskExecutor }

  func receive() async throws(TransportError) -> [UInt8]? { try await transport.receive() }
  func close() async { await transport.close() }

  func send(_ bytes: [UInt8]) async throws(TransportError) {
    for header in LinkPieces.of(bytes).compactMap({ LinkHeader(startOf: $0.rawBytes) }) {
      counts.withLock { counts in
        counts.sent.note(header.sequence)
        if header.control.contains(.acknowledge) { counts.acknowledged.note(header.acknowledgement) }
      }
    }
    try await transport.send(bytes)
  }

  func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)? {
    transport.nativeStream(of: name, among: protocols)
  }
}
