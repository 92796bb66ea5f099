// swift-iap2 · Apache-2.0

public import IAP2
import IAP2Faults
public import IAP2Transport
import Synchronization

/// A transport that changes sent packets according to a ``FuzzSchedule``.
public final class MutatingTransport: ByteTransport {
  fileprivate struct State {
    var generator: SeededGenerator
    var passed = 0
    var kinds: [MessageMutation.Kind]
    /// The changed packets, by the original packet, for retransmissions.
    var changed: [[UInt8]: [UInt8]] = [:]
    var lastSequence: SequenceNumber?
    var mutatedAt: MonotonicTime?
    var excusesSilence = false
  }

  private let transport: any ByteTransport
  private let schedule: FuzzSchedule
  private let clock: any RuntimeClock
  private let state: Mutex<State>

  /// The address of the transport below.
  public var address: String { transport.address }
  /// The executor of the transport below.
  public var taskExecutor: (any TaskExecutor)? { transport.taskExecutor }

  /// Creates a transport around another one.
  public init(_ transport: any ByteTransport, schedule: FuzzSchedule, clock: any RuntimeClock) {
    self.transport = transport
    self.schedule = schedule
    self.clock = clock
    state = Mutex(State(generator: SeededGenerator(seed: schedule.seed), kinds: schedule.kinds.reversed()))
  }

  /// The time of the last change; nil while changes are left.
  public var finished: MonotonicTime? { state.withLock { $0.kinds.isEmpty ? $0.mutatedAt : nil } }

  /// Whether a change has turned a packet into an RST or SYN. The receiver may then have no link and need not respond.
  public var excusesSilence: Bool { state.withLock { $0.excusesSilence } }

  /// Returns the next bytes of the transport below, unchanged.
  public func receive() async throws(TransportError) -> [UInt8]? { try await transport.receive() }
  /// Closes the transport below.
  public func close() async { await transport.close() }

  /// Changes the packets that the plan selects and sends all bytes on the transport below.
  public func send(_ bytes: [UInt8]) async throws(TransportError) {
    let now = clock.now
    let changed = state.withLock { state in
      LinkPieces.of(bytes).flatMap { state.change($0, after: schedule.step, at: now) }
    }
    try await transport.send(changed)
  }

  /// Returns the stream of the transport below, unchanged.
  public func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)? {
    transport.nativeStream(of: name, among: protocols)
  }
}

extension MutatingTransport.State {
  fileprivate mutating func change(_ piece: [UInt8], after step: Int, at now: MonotonicTime) -> [UInt8] {
    // Pure ACKs and the detect sequence stay unchanged to keep the link going.
    guard piece.count > LinkHeader.byteCount, let header = LinkHeader(startOf: piece.rawBytes) else { return piece }
    if let before = changed[piece] { return before }
    guard passed >= step else {
      if lastSequence != header.sequence { passed += 1 }
      lastSequence = header.sequence
      return piece
    }
    guard let kind = kinds.popLast() else { return piece }
    mutatedAt = now
    let packet = MessageMutation.apply(kind, to: piece, using: &generator)
    // Damage in transit is repaired by retransmission; a changed content is the same in every retransmission.
    if kind.isOfContent { changed[piece] = packet }
    if kind == .control, let control = LinkHeader(startOf: packet.rawBytes)?.control,
      !control.isDisjoint(with: [.reset, .synchronize])
    {
      excusesSilence = true
    }
    return packet
  }
}
