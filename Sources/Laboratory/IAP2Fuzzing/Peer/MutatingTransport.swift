// swift-iap2 · Apache-2.0

public import IAP2
import IAP2Faults
public import IAP2Transport
import Synchronization

/// Changes what leaves on it as a ``FuzzCourse`` says.
public final class MutatingTransport: ByteTransport {
  fileprivate struct State {
    var generator: SeededGenerator
    var passed = 0
    var kinds: [MessageMutation.Kind]
    /// What became of packets whose content was changed.
    var changed: [[UInt8]: [UInt8]] = [:]
    var lastSequence: SequenceNumber?
    var mutatedAt: MonotonicTime?
    var excusesSilence = false
  }

  private let transport: any ByteTransport
  private let course: FuzzCourse
  private let clock: any RuntimeClock
  private let state: Mutex<State>

  public var address: String { transport.address }
  public var taskExecutor: (any TaskExecutor)? { transport.taskExecutor }

  public init(_ transport: any ByteTransport, course: FuzzCourse, clock: any RuntimeClock) {
    self.transport = transport
    self.course = course
    self.clock = clock
    state = Mutex(State(generator: SeededGenerator(seed: course.seed), kinds: course.kinds.reversed()))
  }

  /// When the last change was made; nil while there are changes to make.
  public var finished: MonotonicTime? { state.withLock { $0.kinds.isEmpty ? $0.mutatedAt : nil } }

  /// A change has made a reset or a SYN of a packet: whoever gets it may have no link any more, and need not answer.
  public var excusesSilence: Bool { state.withLock { $0.excusesSilence } }

  public func receive() async throws(TransportError) -> [UInt8]? { try await transport.receive() }
  public func close() async { await transport.close() }

  public func send(_ bytes: [UInt8]) async throws(TransportError) {
    let now = clock.now
    let changed = state.withLock { state in
      LinkPieces.of(bytes).flatMap { state.change($0, after: course.step, at: now) }
    }
    try await transport.send(changed)
  }

  public func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)? {
    transport.nativeStream(of: name, among: protocols)
  }
}

extension MutatingTransport.State {
  fileprivate mutating func change(_ piece: [UInt8], after step: Int, at now: MonotonicTime) -> [UInt8] {
    // Bare acknowledgements and the detect sequence keep the link going.
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
    // What is damaged on the way is whole when it is sent again; what its sender means is the same again.
    if kind.isOfContent { changed[piece] = packet }
    if kind == .control, let control = LinkHeader(startOf: packet.rawBytes)?.control,
      !control.isDisjoint(with: [.reset, .synchronize])
    {
      excusesSilence = true
    }
    return packet
  }
}
