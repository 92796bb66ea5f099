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
    /// The types of the link's sessions by their ids.
    var types: [UInt8: LinkSessionType] = [:]
    var changedPackets: [LinkSessionType: Int] = [:]
    var changedMessages: Set<UInt16> = []
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

  /// Ends the changes. Packets that were changed stay the same in retransmissions.
  public func stop() { state.withLock { $0.kinds = [] } }

  /// Whether a change leaves the two sides with different links: it has turned a packet into an RST or SYN, changed the
  /// link parameters, or forged a number or a length, which the receiver waits for. It need not respond then.
  public var excusesSilence: Bool { state.withLock { $0.excusesSilence } }

  /// The number of changed packets by the type of their session. Packets of the link itself count as control.
  public var changedPackets: [LinkSessionType: Int] { state.withLock { $0.changedPackets } }

  /// The identifiers of the messages whose packets were changed.
  public var changedMessages: Set<UInt16> { state.withLock { $0.changedMessages } }

  /// Returns the next bytes of the transport below, unchanged.
  public func receive() async throws(TransportError) -> [UInt8]? { try await transport.receive() }
  /// Closes the transport below.
  public func close() async { await transport.close() }

  /// Changes the packets that the plan selects and sends all bytes on the transport below.
  public func send(_ bytes: [UInt8]) async throws(TransportError) {
    let now = clock.now
    let changed = state.withLock { state in
      LinkPieces.of(bytes).flatMap { state.change($0, by: schedule, at: now) }
    }
    try await transport.send(changed)
  }

  /// Returns the stream of the transport below, unchanged.
  public func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)? {
    transport.nativeStream(of: name, among: protocols)
  }
}

extension MutatingTransport.State {
  fileprivate mutating func change(_ piece: [UInt8], by schedule: FuzzSchedule, at now: MonotonicTime) -> [UInt8] {
    // Pure ACKs and the detect sequence stay unchanged to keep the link going.
    guard piece.count > LinkHeader.byteCount, let header = LinkHeader(startOf: piece.rawBytes) else { return piece }
    learn(header, piece)
    if let before = changed[piece] { return before }
    guard isAt(schedule.place, header, piece) else { return piece }
    guard passed >= schedule.step else {
      if lastSequence != header.sequence { passed += 1 }
      lastSequence = header.sequence
      return piece
    }
    guard let kind = kinds.popLast() else { return piece }
    mutatedAt = now
    changedPackets[types[header.session] ?? .control, default: 0] += 1
    if let id = messageID(piece, header) { changedMessages.insert(id) }
    let packet = MessageMutation.apply(kind, to: piece, using: &generator)
    // Damage in transit is repaired by retransmission; a changed content is the same in every retransmission.
    if kind.isOfContent { changed[piece] = packet }
    let control = LinkHeader(startOf: packet.rawBytes)?.control ?? []
    // Such a change reaches the link as a valid packet, so the two sides no longer agree on their link.
    let isForged = [.sequence, .acknowledgement, .length].contains(kind) && packet != piece
    if isForged || header.control.contains(.synchronize) || !control.isDisjoint(with: [.reset, .synchronize]) {
      excusesSilence = true
    }
    return packet
  }

  /// Takes the session list from a SYN or SYN+ACK.
  private mutating func learn(_ header: LinkHeader, _ piece: [UInt8]) {
    guard header.control.contains(.synchronize), piece.count > LinkHeader.overheadByteCount else { return }
    let payload = Array(piece[LinkHeader.byteCount..<(piece.count - 1)])
    do {
      let sessions = try LinkSynchronization(payload.rawBytes).sessions
      types = Dictionary(sessions.map { ($0.id, $0.type) }) { first, _ in first }
    } catch {}
  }

  private func isAt(_ place: FuzzSchedule.Place, _ header: LinkHeader, _ piece: [UInt8]) -> Bool {
    guard place != .session else { return true }
    guard !header.control.contains(.synchronize), let type = types[header.session] else { return false }
    switch place {
    case .session: return true
    case .file: return type == .fileTransfer
    case .externalAccessory:
      let ids = [
        StartExternalAccessoryProtocolSession.id, StopExternalAccessoryProtocolSession.id,
        StatusExternalAccessoryProtocolSession.id,
      ]
      return type == .externalAccessory || messageID(piece, header).map(ids.contains) ?? false
    }
  }

  /// Returns the identifier of the control message that starts in a packet.
  private func messageID(_ piece: [UInt8], _ header: LinkHeader) -> UInt16? {
    let start = LinkHeader.byteCount
    guard types[header.session] == .control, piece.count > start + ControlHeader.byteCount,
      piece[start] == 0x40, piece[start + 1] == 0x40
    else { return nil }
    return ControlHeader.id(of: Array(piece[start...]))
  }
}
