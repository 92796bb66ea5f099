// swift-iap2 · Apache-2.0

/// The file transfers of one side, in both directions.
///
///     sender:    set up ── Start ──► sending ⇄ paused ── last piece ──► sent ── Success or Failure ──► gone
///     receiver:  offered ── accept ──► receiving ⇄ paused ── last piece ──► gone (we answer Success or Failure)
///
/// Cancel from either side ends a transfer in any state. Ids of 128 and more belong to the device, lower ones to the
/// accessory; a setup with an id of the wrong range is answered Cancel (FileTransfer.md#wrong-range; medium: CAT).
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
  }

  let side: Side
  let limits: Limits
  private(set) var sending: [UInt8: Sending] = [:]
  private(set) var receiving: [UInt8: Receiving] = [:]
  /// Datagrams that leave before any more data.
  private(set) var replies: [[UInt8]] = []
  private var lastID: UInt8

  init(side: Side, limits: Limits) {
    self.side = side
    self.limits = limits
    lastID = side == .device ? 255 : 127
  }

  private func isOurs(_ id: UInt8) -> Bool { (id >= 128) == (side == .device) }

  // MARK: Our files

  /// Announces a file; nil when all our ids are in use.
  mutating func offer(_ bytes: [UInt8], type: UInt16?) -> UInt8? {
    let first: UInt8 = side == .device ? 128 : 0
    for _ in 0..<128 {
      lastID = lastID >= first &+ 127 || lastID < first ? first : lastID + 1
      if offer(bytes, type: type, id: lastID) { return lastID }
    }
    return nil
  }

  /// Announces a file under an id of the caller's; false if it is not ours or in use.
  mutating func offer(_ bytes: [UInt8], type: UInt16?, id: UInt8) -> Bool {
    guard isOurs(id), sending[id] == nil else { return false }
    sending[id] = Sending(state: .offered, bytes: bytes)
    reply(id, .setup, FileTransferSetup(byteCount: UInt64(bytes.count), type: type).bytes)
    return true
  }

  /// The next datagram, at most `capacity` bytes; nil when nothing may leave.
  mutating func nextDatagram(capacity: Int) -> [UInt8]? {
    if !replies.isEmpty { return replies.removeFirst() }
    guard capacity > 2, let id = sending.filter({ $0.value.state == .sending }).keys.min(), var file = sending[id]
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

  // MARK: Their files

  /// Answers an offer, or goes on after a pause; false when there is nothing to go on with.
  mutating func accept(_ id: UInt8) -> Bool {
    guard let file = receiving[id], file.state != .receiving else { return false }
    receiving[id]?.state = .receiving
    reply(id, .start)
    return true
  }

  mutating func pause(_ id: UInt8) -> Bool {
    guard receiving[id]?.state == .receiving else { return false }
    receiving[id]?.state = .paused
    reply(id, .pause)
    return true
  }

  /// Ends a transfer of either direction.
  mutating func cancel(_ id: UInt8) -> Bool {
    guard sending.removeValue(forKey: id) != nil || receiving.removeValue(forKey: id) != nil else { return false }
    reply(id, .cancel)
    return true
  }

  private mutating func reply(_ id: UInt8, _ operation: FileTransferOperation, _ data: [UInt8] = []) {
    // A peer that provokes answers and never reads must not grow us; it loses answers, not we memory.
    guard replies.count < 4 * limits.fileTransfers else { return }
    replies.append([id, operation.rawValue] + data)
  }

  // MARK: Datagrams

  /// What a datagram of the peer came to.
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

  /// A datagram about a file of ours.
  private mutating func answer(_ id: UInt8, _ operation: FileTransferOperation) -> Outcome {
    guard let file = sending[id] else {
      if operation == .setup { reply(id, .cancel) }
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
    guard receiving.count < limits.fileTransfers, setup.byteCount <= UInt64(limits.fileByteCount) else {
      reply(id, .cancel)
      return .event(.refused(id: id, byteCount: setup.byteCount))
    }
    receiving[id] = Receiving(state: .offered, expected: setup.byteCount)
    return .event(.offered(id: id, setup))
  }

  private mutating func piece(
    _ id: UInt8, _ operation: FileTransferOperation, _ data: RawSpan, _ place: LentPayload
  ) -> Outcome {
    // Data already on its way when we paused still counts.
    guard var file = receiving[id], file.state != .offered else { return .bad }
    file.received += UInt64(data.byteCount)
    receiving[id] = file
    // A size of 0 announces nothing; then only our own limit binds.
    let bound = file.expected > 0 ? file.expected : UInt64(limits.fileByteCount)
    if file.received > bound || operation.isLast && file.expected > 0 && file.received != file.expected {
      receiving[id] = nil
      reply(id, .failure)
      return .event(.failed(id: id))
    }
    if operation.isLast {
      receiving[id] = nil
      reply(id, .success)
    }
    return .event(.data(id: id, place, isLast: operation.isLast))
  }
}

/// What happens to file transfers.
public enum FileTransferEvent: Sendable, Hashable {
  /// The peer wants to send a file: accept or cancel it.
  case offered(id: UInt8, FileTransferSetup)
  /// An offer above our limits, answered with Cancel.
  case refused(id: UInt8, byteCount: UInt64)
  case data(id: UInt8, LentPayload, isLast: Bool)
  /// The peer wants us to wait; it goes on by itself with Start.
  case paused(id: UInt8)
  /// A file of ours arrived.
  case delivered(id: UInt8)
  /// A transfer went wrong: sizes that do not match, or the peer says so.
  case failed(id: UInt8)
  case cancelled(id: UInt8)
}
