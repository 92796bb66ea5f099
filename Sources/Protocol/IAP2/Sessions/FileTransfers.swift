// swift-iap2 · Apache-2.0

/// The file transfers of one side in both directions.
///
///     sender:    set up ── Start ──► sending ⇄ paused ── last piece ──► sent ── Success or Failure ──► removed
///     receiver:  offered ── accept ──► receiving ⇄ paused ── last piece ──► removed (answered by Success or Failure)
///
/// Cancel from either side ends a transfer in any state. Ids of 128 and more belong to the device, lower ones to the
/// accessory. A setup with an id of the wrong range is answered with Cancel (FileTransfer.md#wrong-range; medium: CAT).
struct FileTransfers: Sendable {
  enum Outgoing: Sendable, Hashable { case offered, sending, paused, sent }
  struct Sending: Sendable {
    var state: Outgoing
    var bytes: [UInt8]
    var offset = 0
  }
  enum Incoming: Sendable, Hashable { case offered, receiving, paused }
  struct Receiving: Sendable {
    var state: Incoming
    var expected: UInt64
    var received: UInt64 = 0
    /// The bytes that the file counts towards the bound of all files: its announced size, or without one the bytes that
    /// arrived.
    var claimed: UInt64 { expected > 0 ? expected : received }
  }

  let side: Side
  let limits: Limits
  private(set) var sending: [UInt8: Sending] = [:]
  private(set) var receiving: [UInt8: Receiving] = [:]
  /// A datagram without data: a step that this side takes, or the answer to a datagram of the peer.
  struct Reply: Sendable, Hashable {
    var datagram: [UInt8]
    var isAnswer: Bool
  }

  /// The datagrams that are sent before any data. Answers are at most one for each id and operation, steps at most
  /// ``stepLimit``.
  private(set) var replies: [Reply] = []
  /// The number of steps among the replies.
  private(set) var stepCount = 0
  /// Steps that wait to be sent: four for each id of a side. It is bounded so that a peer that makes this side act and
  /// never reads does not make memory grow.
  static let stepLimit = 4 * 128
  private var lastID: UInt8

  init(side: Side, limits: Limits) {
    self.side = side
    self.limits = limits
    lastID = side == .device ? 255 : 127
  }

  private func isOurs(_ id: UInt8) -> Bool { (id >= 128) == (side == .device) }

  /// Whether one more step can wait to be sent. The owner asks before each step, because a step is never dropped.
  var hasRoom: Bool { stepCount < Self.stepLimit }

  // MARK: Files of this side

  /// Announces a file and returns its id; nil if all ids of this side are in use.
  mutating func offer(_ bytes: [UInt8], type: UInt16?) -> UInt8? {
    let first: UInt8 = side == .device ? 128 : 0
    for _ in 0..<128 {
      lastID = lastID >= first &+ 127 || lastID < first ? first : lastID + 1
      if offer(bytes, type: type, id: lastID) { return lastID }
    }
    return nil
  }

  /// Announces a file under a given id; returns false if the id belongs to the other side or is in use.
  mutating func offer(_ bytes: [UInt8], type: UInt16?, id: UInt8) -> Bool {
    guard isOurs(id), sending[id] == nil else { return false }
    sending[id] = Sending(state: .offered, bytes: bytes)
    step(id, .setup, FileTransferSetup(byteCount: UInt64(bytes.count), type: type).bytes)
    return true
  }

  /// Returns the next datagram, at most `capacity` bytes; nil if nothing may be sent.
  mutating func nextDatagram(capacity: Int) -> [UInt8]? {
    if !replies.isEmpty {
      let reply = replies.removeFirst()
      if !reply.isAnswer { stepCount -= 1 }
      return reply.datagram
    }
    // Without `lazy`, a dictionary would be made for each packet that a link sends.
    guard capacity > 2, let id = sending.lazy.filter({ $0.value.state == .sending }).map(\.key).min(),
      var file = sending[id]
    else { return nil }
    let count = min(capacity - 2, file.bytes.count - file.offset)
    var operation: UInt8 = file.offset == 0 ? 0x80 : 0
    let end = file.offset + count
    if end == file.bytes.count {
      operation |= 0x40
      file.state = .sent
    }
    let datagram = [id, operation] + file.bytes[file.offset..<end]
    file.offset = end
    if file.state == .sent { file.bytes = [] }
    sending[id] = file
    return datagram
  }

  var hasDatagram: Bool { !replies.isEmpty || sending.contains { $0.value.state == .sending } }

  // MARK: Files of the peer

  /// Accepts an offered file or resumes a paused one; returns false if there is none with this id.
  mutating func accept(_ id: UInt8) -> Bool {
    guard let file = receiving[id], file.state != .receiving else { return false }
    receiving[id]?.state = .receiving
    step(id, .start)
    return true
  }

  mutating func pause(_ id: UInt8) -> Bool {
    guard receiving[id]?.state == .receiving else { return false }
    receiving[id]?.state = .paused
    step(id, .pause)
    return true
  }

  /// Ends a transfer in either direction; returns false if there is none with this id.
  mutating func cancel(_ id: UInt8) -> Bool {
    guard sending.removeValue(forKey: id) != nil || receiving.removeValue(forKey: id) != nil else { return false }
    step(id, .cancel)
    return true
  }

  private mutating func step(_ id: UInt8, _ operation: FileTransferOperation, _ data: [UInt8] = []) {
    replies.append(Reply(datagram: [id, operation.rawValue] + data, isAnswer: false))
    stepCount += 1
  }

  /// Queues an answer, unless the same one already waits: it then answers both datagrams. So a peer that provokes
  /// answers and never reads does not make memory grow, and no answer is lost.
  private mutating func answer(_ id: UInt8, with operation: FileTransferOperation) {
    let reply = Reply(datagram: [id, operation.rawValue], isAnswer: true)
    if !replies.contains(reply) { replies.append(reply) }
  }

  // MARK: Datagrams

  /// The result of a datagram of the peer.
  enum Outcome: Equatable {
    case event(FileTransferEvent)
    case nothing
    case bad
  }

  mutating func receive(id: UInt8, _ operation: FileTransferOperation, _ data: RawSpan, _ place: LentPayload) -> Outcome
  {
    if isOurs(id) { return answer(id, operation) }
    switch operation {
    case .setup: return offered(id, data)
    case .cancel:
      return receiving.removeValue(forKey: id) == nil ? .bad : .event(.cancelled(id: id))
    case let piece where piece.isData: return self.piece(id, piece, data, place)
    default: return .bad
    }
  }

  /// Handles a datagram about a file of this side.
  private mutating func answer(_ id: UInt8, _ operation: FileTransferOperation) -> Outcome {
    guard let file = sending[id] else {
      if operation == .setup { answer(id, with: .cancel) }
      return .bad
    }
    switch (operation, file.state) {
    case (.start, .offered), (.start, .paused):
      sending[id]?.state = .sending
      return .nothing
    case (.pause, .sending):
      sending[id]?.state = .paused
      return .event(.paused(id: id))
    case (.success, .sent):
      sending[id] = nil
      return .event(.delivered(id: id))
    case (.failure, _):
      sending[id] = nil
      return .event(.failed(id: id))
    case (.cancel, _):
      sending[id] = nil
      return .event(.cancelled(id: id))
    case (.pause, .sent), (.start, .sending), (.start, .sent): return .nothing
    default: return .bad
    }
  }

  private mutating func offered(_ id: UInt8, _ data: RawSpan) -> Outcome {
    guard let setup = FileTransferSetup(data), receiving[id] == nil else { return .bad }
    guard receiving.count < limits.fileTransfers, setup.byteCount <= UInt64(limits.fileByteCount),
      fits(setup.byteCount, besides: id)
    else {
      answer(id, with: .cancel)
      return .event(.refused(id: id, byteCount: setup.byteCount))
    }
    receiving[id] = Receiving(state: .offered, expected: setup.byteCount)
    return .event(.offered(id: id, setup))
  }

  /// The bytes that all open files of the peer count towards their bound.
  var claimedByteCount: Int { receiving.values.reduce(0) { $0 + Int(clamping: $1.claimed) } }

  /// Whether a file of this size and the other open files of the peer stay within the bound of all. A file alone has
  /// only the bound of one file.
  private func fits(_ byteCount: UInt64, besides id: UInt8) -> Bool {
    let others = receiving.reduce(0) { $1.key == id ? $0 : $0 + $1.value.claimed }
    return others == 0 || others + byteCount <= UInt64(max(0, limits.openFileByteCount))
  }

  private mutating func piece(
    _ id: UInt8, _ operation: FileTransferOperation, _ data: RawSpan, _ place: LentPayload
  ) -> Outcome {
    // Data that was already under way when this side paused the file still counts.
    guard var file = receiving[id], file.state != .offered else { return .bad }
    file.received += UInt64(data.byteCount)
    receiving[id] = file
    // With a size of 0 only the limits of this side apply.
    let bound = file.expected > 0 ? file.expected : UInt64(limits.fileByteCount)
    let fits = file.expected > 0 || self.fits(file.received, besides: id)
    if file.received > bound || !fits || operation.isLast && file.expected > 0 && file.received != file.expected {
      receiving[id] = nil
      answer(id, with: .failure)
      return .event(.failed(id: id))
    }
    if operation.isLast {
      receiving[id] = nil
      answer(id, with: .success)
    }
    return .event(.data(id: id, place, isLast: operation.isLast))
  }
}

/// An event of a file transfer.
public enum FileTransferEvent: Sendable, Hashable {
  /// The peer offers a file. The owner accepts or cancels it.
  case offered(id: UInt8, FileTransferSetup)
  /// The peer offered a file above the limits of this side. It was answered with Cancel; its size in bytes.
  case refused(id: UInt8, byteCount: UInt64)
  /// A piece of a file arrived.
  case data(id: UInt8, LentPayload, isLast: Bool)
  /// The peer paused a file of this side. It resumes the file with Start.
  case paused(id: UInt8)
  /// The peer confirmed a whole file of this side.
  case delivered(id: UInt8)
  /// A transfer failed: the sizes do not match, or the peer reported a failure.
  case failed(id: UInt8)
  /// The peer cancelled a transfer.
  case cancelled(id: UInt8)
}
