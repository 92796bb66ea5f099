// swift-iap2 · Apache-2.0

import Basics

extension Endpoint {
  // MARK: Control

  /// Queues one whole control message (`40 40 …`). It is sent in one packet if the peer accepts packets of that size.
  ///
  /// - Throws: ``APIMisuse/linkNotUp``, ``APIMisuse/messageTooLong(byteCount:)`` or ``APIMisuse/queueFull(limit:)``.
  public mutating func send(message: [UInt8]) throws(APIMisuse) {
    guard link.isUp else { throw .linkNotUp }
    guard message.count <= limits.messageByteCount else { throw .messageTooLong(byteCount: message.count) }
    guard controlByteCount + message.count <= limits.queuedByteCount else {
      throw .queueFull(limit: limits.queuedByteCount)
    }
    controlQueue.append(message)
    controlByteCount += message.count
    // With `packsMessages` a message waits until the next packet is requested, so that several share a packet.
    if !quirks.packsMessages { pump() }
  }

  /// The bytes of control messages that the queue takes before ``send(message:)`` throws
  /// ``APIMisuse/queueFull(limit:)``.
  package var controlQueueRoom: Int { limits.queuedByteCount - controlByteCount }

  // MARK: External accessory

  /// Opens an EA session under the id that the device chose. The roles exchange the control messages for it.
  ///
  /// - Throws: ``APIMisuse/noSession(_:)`` if the link has no session for EA,
  ///   ``APIMisuse/externalAccessorySessionAlreadyOpen(_:)`` or ``APIMisuse/tooManyExternalAccessorySessions(limit:)``.
  public mutating func openExternalAccessory(_ id: UInt16) throws(APIMisuse) {
    guard externalAccessoryID != nil else { throw .noSession(.externalAccessory) }
    guard !externalAccessory.contains(where: { $0.id == id }) else { throw .externalAccessorySessionAlreadyOpen(id) }
    guard externalAccessory.count < limits.externalAccessorySessions else {
      throw .tooManyExternalAccessorySessions(limit: limits.externalAccessorySessions)
    }
    externalAccessory.append(ExternalAccessorySession(id: id))
  }

  /// Closes an EA session and drops the bytes that are queued for it. An id that is not open is ignored.
  public mutating func closeExternalAccessory(_ id: UInt16) {
    guard let index = externalAccessory.firstIndex(where: { $0.id == id }) else { return }
    externalAccessory.remove(at: index)
    releaseHeld()
  }

  /// Ends the delay of acknowledgements once no reader is behind.
  private mutating func releaseHeld() {
    guard link.isHolding, !externalAccessory.contains(where: \.isHolding) else { return }
    link.releaseAcknowledgement()
  }

  /// Acknowledges packets when the delay for held-back acknowledgements has passed.
  ///
  /// The slowest reader that has read anything since the last time determines how many bytes are acknowledged. If no
  /// slow reader has read anything, everything received is acknowledged, so that the link's other sessions go on.
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

  /// Sends or queues bytes of an EA session, as many as the window and the session's queue allow, and returns how many.
  /// The caller offers the rest again later.
  ///
  /// - Throws: ``APIMisuse/externalAccessorySessionNotOpen(_:)``.
  public mutating func sendExternalAccessory(_ id: UInt16, _ bytes: RawSpan) throws(APIMisuse) -> Int {
    guard let index = externalAccessory.firstIndex(where: { $0.id == id }), let linkSession = externalAccessoryID else {
      throw .externalAccessorySessionNotOpen(id)
    }
    var taken = 0
    let capacity = link.payloadCapacity - 2
    // If neither EA bytes nor control messages wait, the bytes go straight into packets. Once the window is full, the
    // rest is queued, where small writes are joined.
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

  /// Returns the bytes that wait to be sent in an EA session; 0 for a session that is not open.
  package func queuedByteCount(externalAccessory id: UInt16) -> Int {
    externalAccessory.first { $0.id == id }?.queuedByteCount ?? 0
  }

  /// Returns the bytes that still waited in an EA session when the last link ended.
  package func unsentByteCount(externalAccessory id: UInt16) -> Int { unsent[id] ?? 0 }

  /// Returns whether a session's reader is so far behind that acknowledgements are delayed to slow the sender.
  package func isBehind(externalAccessory id: UInt16) -> Bool {
    externalAccessory.first { $0.id == id }?.isHolding ?? false
  }

  /// Reports that the application has read bytes of an EA session. Once it has caught up, acknowledgements are no
  /// longer delayed. An id that is not open is ignored.
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

  /// Offers a file to the peer and returns its id, which a control message then announces.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file.
  ///   - type: The type in the setup datagram (FileTransfer.md#setup-type; medium); nil leaves it out.
  /// - Throws: ``APIMisuse/linkNotUp``, ``APIMisuse/noSession(_:)``, ``APIMisuse/noFreeFileIdentifier``, or
  ///   ``APIMisuse/queueFull(limit:)`` if too many datagrams about files wait to be sent.
  public mutating func sendFile(_ bytes: [UInt8], type: UInt16?) throws(APIMisuse) -> UInt8 {
    guard link.isUp else { throw .linkNotUp }
    guard fileID != nil else { throw .noSession(.fileTransfer) }
    try checkFileQueue()
    guard let id = files.offer(bytes, type: type) else { throw .noFreeFileIdentifier }
    pump()
    return id
  }

  /// Offers a file under an id that a control message has already announced.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file.
  ///   - type: The type in the setup datagram (FileTransfer.md#setup-type; medium); nil leaves it out.
  ///   - id: The id of the file: 128 to 255 for a device, 0 to 127 for an accessory (FileTransfer.md#ids; medium).
  /// - Throws: ``APIMisuse/linkNotUp``, ``APIMisuse/noSession(_:)``, ``APIMisuse/fileTransferNotPossible(id:)`` if the
  ///   id is in use or belongs to the other side, or ``APIMisuse/queueFull(limit:)``.
  package mutating func sendFile(_ bytes: [UInt8], type: UInt16?, id: UInt8) throws(APIMisuse) {
    guard link.isUp else { throw .linkNotUp }
    guard fileID != nil else { throw .noSession(.fileTransfer) }
    try checkFileQueue()
    guard files.offer(bytes, type: type, id: id) else { throw .fileTransferNotPossible(id: id) }
    pump()
  }

  /// Accepts an offered file, or resumes a paused one.
  ///
  /// - Throws: ``APIMisuse/fileTransferNotPossible(id:)`` if no file of the peer has this id or it is already being
  ///   received, or ``APIMisuse/queueFull(limit:)``.
  public mutating func acceptFile(_ id: UInt8) throws(APIMisuse) {
    try checkFileQueue()
    guard files.accept(id) else { throw .fileTransferNotPossible(id: id) }
    pump()
  }

  /// Asks the peer to pause a file that it is sending.
  ///
  /// - Throws: ``APIMisuse/fileTransferNotPossible(id:)`` if no file with this id is being received, or
  ///   ``APIMisuse/queueFull(limit:)``.
  package mutating func pauseFile(_ id: UInt8) throws(APIMisuse) {
    try checkFileQueue()
    guard files.pause(id) else { throw .fileTransferNotPossible(id: id) }
    pump()
  }

  /// Ends a transfer in either direction, or declines an offer.
  ///
  /// - Throws: ``APIMisuse/fileTransferNotPossible(id:)`` if no transfer has this id, or
  ///   ``APIMisuse/queueFull(limit:)``.
  public mutating func cancelFile(_ id: UInt8) throws(APIMisuse) {
    try checkFileQueue()
    guard files.cancel(id) else { throw .fileTransferNotPossible(id: id) }
    pump()
  }

  private func checkFileQueue() throws(APIMisuse) {
    guard files.hasRoom else { throw .queueFull(limit: FileTransfers.stepLimit) }
  }

  // MARK: Filling packets

  /// Whether everything that the owner handed over was sent and acknowledged.
  package var isDrained: Bool {
    !hasQueued && link.queue.count == 0
  }

  var hasQueued: Bool {
    !controlQueue.isEmpty || files.hasDatagram || externalAccessory.contains { $0.queuedByteCount > 0 }
  }

  /// Fills the window: control messages first, then file datagrams, then the EA sessions in turn.
  mutating func pump() {
    guard link.isUp, !controlQueue.isEmpty || !externalAccessory.isEmpty || files.hasDatagram else { return }
    let capacity = link.payloadCapacity
    while link.writablePacketCount > 0 {
      if let message = controlQueue.first {
        sendControl(message, capacity: capacity)
      } else if let fileID, let datagram = files.nextDatagram(capacity: capacity) {
        link.send(session: fileID, payload: datagram.rawBytes)
      } else if !sendNextExternalAccessory(capacity: capacity - 2) {
        return
      }
    }
  }

  /// Sends a part of the first message of the queue.
  private mutating func sendControl(_ message: [UInt8], capacity: Int) {
    guard !quirks.packsMessages else { return sendPacked(capacity: capacity) }
    let count = min(capacity, message.count - controlOffset)
    link.send(session: controlID, payload: message.rawBytes.extracting(controlOffset..<(controlOffset + count)))
    takeControl(count, of: message)
  }

  /// Sends as many whole messages as fit one packet. A message that does not fit starts a packet of its own and
  /// continues in the next ones.
  private mutating func sendPacked(capacity: Int) {
    var payload: [UInt8] = []
    while let message = controlQueue.first {
      let left = message.count - controlOffset
      guard payload.isEmpty || payload.count + left <= capacity else { break }
      let count = min(capacity, left)
      payload += message[controlOffset..<(controlOffset + count)]
      takeControl(count, of: message)
      if count < left { break }
    }
    link.send(session: controlID, payload: payload.rawBytes)
  }

  private mutating func takeControl(_ count: Int, of message: [UInt8]) {
    controlOffset += count
    controlByteCount -= count
    if controlOffset == message.count {
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
  /// The packets that were built and are not acknowledged; for tests and diagnostics.
  package var unacknowledgedPacketCount: Int { link.queue.count }
  /// Whether a packet was sent, is not acknowledged and does not wait for its retransmission. A timer must run for such
  /// a packet.
  package var hasUnacknowledged: Bool {
    !link.isZeroAcknowledgement && link.queue.sentCount > link.queue.dueCount
  }
  /// The packets that the peer receives without acknowledging any.
  package var windowPacketCount: Int { max(1, Int(link.remote.maxOutstandingPackets)) }
  /// The bytes that the peer receives without acknowledging any.
  package var windowByteCount: Int { windowPacketCount * Int(link.remote.maxPacketLength) }
}
