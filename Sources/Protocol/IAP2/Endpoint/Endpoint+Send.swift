// swift-iap2 · Apache-2.0

extension Endpoint {
  // MARK: Control

  /// Queues one whole control message (`40 40 …`). It leaves in one packet where the peer's packets are large enough.
  public mutating func send(message: [UInt8]) throws(APIMisuse) {
    guard link.isUp else { throw .linkNotUp }
    guard message.count <= limits.messageByteCount else { throw .messageTooLong(byteCount: message.count) }
    guard controlByteCount + message.count <= limits.queuedByteCount else {
      throw .queueFull(limit: limits.queuedByteCount)
    }
    controlQueue.append(message)
    controlByteCount += message.count
    // Who packs waits for company until the next packet is asked for.
    if !quirks.packsMessages { pump() }
  }

  // MARK: External accessory

  /// Opens a session under the id the device chose; its messages are the roles' affair.
  public mutating func openExternalAccessory(_ id: UInt16) throws(APIMisuse) {
    guard externalAccessoryID != nil else { throw .noSession(.externalAccessory) }
    guard !externalAccessory.contains(where: { $0.id == id }) else { throw .externalAccessorySessionAlreadyOpen(id) }
    guard externalAccessory.count < limits.externalAccessorySessions else {
      throw .tooManyExternalAccessorySessions(limit: limits.externalAccessorySessions)
    }
    externalAccessory.append(ExternalAccessorySession(id: id))
  }

  /// Forgets a session and what it had queued.
  public mutating func closeExternalAccessory(_ id: UInt16) {
    guard let index = externalAccessory.firstIndex(where: { $0.id == id }) else { return }
    externalAccessory.remove(at: index)
    releaseHeld()
  }

  /// No reader is behind any more.
  private mutating func releaseHeld() {
    guard link.isHolding, !externalAccessory.contains(where: \.isHolding) else { return }
    link.releaseAcknowledgement()
  }

  /// The wait of the acknowledgements that are held back is over: as much is given as slow readers have read; nobody
  /// waits for one who reads nothing.
  mutating func acknowledgeHeld(at now: MonotonicTime) {
    guard link.isHolding, let due = link.acknowledgeAt, due <= now else { return }
    var read: Int?
    for index in externalAccessory.indices where externalAccessory[index].isHolding {
      let count = externalAccessory[index].readWhileHolding
      externalAccessory[index].readWhileHolding = 0
      if count > 0 { read = min(read ?? .max, count) }
    }
    link.acknowledgeHeld(read, at: now)
  }

  /// Takes as many bytes as the session's queue and the window allow, and says how many.
  public mutating func sendExternalAccessory(_ id: UInt16, _ bytes: RawSpan) throws(APIMisuse) -> Int {
    guard let index = externalAccessory.firstIndex(where: { $0.id == id }), let linkSession = externalAccessoryID else {
      throw .externalAccessorySessionNotOpen(id)
    }
    var taken = 0
    let capacity = link.payloadCapacity - 2
    // Straight into packets while nothing else waits, for whole packets only: small writes may still be joined.
    if externalAccessory.allSatisfy({ $0.queuedByteCount == 0 }), controlQueue.isEmpty {
      while link.writablePacketCount > 0, taken < bytes.byteCount {
        let count = min(capacity, bytes.byteCount - taken)
        link.send(session: linkSession, prefix: id, payload: bytes.extracting(taken..<(taken + count)))
        taken += count
      }
    }
    guard taken < bytes.byteCount else { return taken }
    let queued = externalAccessory[index].enqueue(
      bytes.extracting(taken..<bytes.byteCount), limit: limits.externalAccessoryQueueByteCount)
    pump()
    return taken + queued
  }

  /// Bytes that wait to be sent in a session; 0 for one that is not open.
  public func queuedByteCount(externalAccessory id: UInt16) -> Int {
    externalAccessory.first { $0.id == id }?.queuedByteCount ?? 0
  }

  /// Whether a session's reader is so far behind that its sender is held back.
  public func isBehind(externalAccessory id: UInt16) -> Bool {
    externalAccessory.first { $0.id == id }?.isHolding ?? false
  }

  /// Says that so many of a session's bytes were read, which lets its sender go on.
  public mutating func consume(externalAccessory id: UInt16, byteCount: Int) {
    guard let index = externalAccessory.firstIndex(where: { $0.id == id }) else { return }
    externalAccessory[index].unreadByteCount = max(0, externalAccessory[index].unreadByteCount - byteCount)
    guard externalAccessory[index].isHolding else { return }
    externalAccessory[index].readWhileHolding += byteCount
    if externalAccessory[index].unreadByteCount <= limits.externalAccessoryHighMark / 2 {
      externalAccessory[index].isHolding = false
      releaseHeld()
    }
  }

  // MARK: Files

  /// Offers a file; its id is to be announced in a control message.
  public mutating func sendFile(_ bytes: [UInt8], type: UInt16?) throws(APIMisuse) -> UInt8 {
    guard link.isUp else { throw .linkNotUp }
    guard fileID != nil else { throw .noSession(.fileTransfer) }
    guard let id = files.offer(bytes, type: type) else { throw .noFreeFileIdentifier }
    pump()
    return id
  }

  /// Offers a file under an id that was announced already.
  public mutating func sendFile(_ bytes: [UInt8], type: UInt16?, id: UInt8) throws(APIMisuse) {
    guard link.isUp else { throw .linkNotUp }
    guard fileID != nil else { throw .noSession(.fileTransfer) }
    guard files.offer(bytes, type: type, id: id) else { throw .fileTransferNotPossible(id: id) }
    pump()
  }

  /// Takes an offered file, or goes on with a paused one.
  public mutating func acceptFile(_ id: UInt8) throws(APIMisuse) {
    guard files.accept(id) else { throw .fileTransferNotPossible(id: id) }
    pump()
  }

  public mutating func pauseFile(_ id: UInt8) throws(APIMisuse) {
    guard files.pause(id) else { throw .fileTransferNotPossible(id: id) }
    pump()
  }

  /// Ends a transfer of either direction; also declines an offer.
  public mutating func cancelFile(_ id: UInt8) throws(APIMisuse) {
    guard files.cancel(id) else { throw .fileTransferNotPossible(id: id) }
    pump()
  }

  // MARK: Into packets

  /// Everything handed to us has been sent and acknowledged.
  public var isDrained: Bool {
    !hasQueued && link.queue.count == 0
  }

  var hasQueued: Bool {
    !controlQueue.isEmpty || files.hasDatagram || externalAccessory.contains { $0.queuedByteCount > 0 }
  }

  /// Fills the window: control first, then files, then the EA sessions in turn.
  mutating func pump() {
    guard link.isUp, !controlQueue.isEmpty || !externalAccessory.isEmpty || files.hasDatagram else { return }
    let capacity = link.payloadCapacity
    while link.writablePacketCount > 0 {
      if !controlQueue.isEmpty {
        sendControl(capacity: capacity)
      } else if let fileID, let datagram = files.nextDatagram(capacity: capacity) {
        link.send(session: fileID, payload: datagram.rawBytes)
      } else if !sendNextExternalAccessory(capacity: capacity - 2) {
        return
      }
    }
  }

  private mutating func sendControl(capacity: Int) {
    guard !quirks.packsMessages else { return sendPacked(capacity: capacity) }
    let count = min(capacity, controlQueue[0].count - controlOffset)
    let message = controlQueue[0]
    link.send(session: controlID, payload: message.rawBytes.extracting(controlOffset..<(controlOffset + count)))
    takeControl(count)
  }

  /// As many messages as fit, none of them begun only because there was room for its beginning.
  private mutating func sendPacked(capacity: Int) {
    var payload: [UInt8] = []
    while let message = controlQueue.first {
      let left = message.count - controlOffset
      guard payload.isEmpty || payload.count + left <= capacity else { break }
      let count = min(capacity, left)
      payload += message[controlOffset..<(controlOffset + count)]
      takeControl(count)
      if count < left { break }
    }
    link.send(session: controlID, payload: payload.rawBytes)
  }

  private mutating func takeControl(_ count: Int) {
    controlOffset += count
    controlByteCount -= count
    if controlOffset == controlQueue[0].count {
      controlQueue.removeFirst()
      controlOffset = 0
    }
  }

  private mutating func sendNextExternalAccessory(capacity: Int) -> Bool {
    guard let linkSession = externalAccessoryID, capacity > 0 else { return false }
    for step in 0..<externalAccessory.count {
      let index = (turn + step) % externalAccessory.count
      let count = min(capacity, externalAccessory[index].queuedByteCount)
      guard count > 0 else { continue }
      turn = (index + 1) % externalAccessory.count
      let id = externalAccessory[index].id
      externalAccessory[index].take(count) { link.send(session: linkSession, prefix: id, payload: $0) }
      return true
    }
    return false
  }
}

extension Endpoint {
  /// For tests and diagnostics: packets built and not yet acknowledged.
  public var unacknowledgedPacketCount: Int { link.queue.count }
  /// Some packet has left, was not acknowledged and is not about to leave again: a timer must be running for it.
  public var hasUnacknowledged: Bool {
    !link.isZeroAcknowledgement && link.queue.sentCount > link.queue.dueCount
  }
  /// Packets the peer is ready to receive without acknowledging.
  public var windowPacketCount: Int { max(1, Int(link.remote.maxOutstandingPackets)) }
  /// Bytes the peer is ready to receive without acknowledging.
  public var windowByteCount: Int { windowPacketCount * Int(link.remote.maxPacketLength) }
}
