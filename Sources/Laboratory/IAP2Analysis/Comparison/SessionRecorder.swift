// swift-iap2 · Apache-2.0

package import IAP2
package import IAP2Capture

/// A sink that builds the ``SessionRecord`` of one connection.
package struct SessionRecorder: DecodedSink {
  private var record = SessionRecord()
  /// The connection to record, from 0; nil until the first one is found, if none was requested.
  private var flow: Int?
  private let rules: ComparisonRules
  private let limits: SessionRecordLimits
  /// The connections with iAP2; the analyzer bounds their number.
  private var flows: Set<Int> = []
  private var errors: [Origin: Int] = [:]
  /// The index of each side's last step.
  private var latest: [Side: Int] = [:]
  private var lastControl: LinkControl = []
  private var isStarted = false
  private var protocols: [UInt8: String] = [:]
  private var openSessions: [UInt16: Int] = [:]
  private var openFiles: [UInt8: Int] = [:]
  private var messageByteCount = 0
  private var headBudget: Int
  private var pieceBudget: Int

  /// The memory of a piece beside its bytes.
  private static let pieceOverheadByteCount = 96

  private struct Origin: Hashable {
    var flow: Int
    var side: Side
  }

  /// - Parameter connection: the number of the connection to record, which is `DecodedPlace.flow` + 1; nil takes the
  ///   connection in which iAP2 is found first.
  package init(
    connection: Int? = nil, rules: ComparisonRules = ComparisonRules(),
    limits: SessionRecordLimits = SessionRecordLimits()
  ) {
    flow = connection.map { $0 - 1 }
    self.rules = rules
    self.limits = limits
    headBudget = limits.headByteCount
    pieceBudget = limits.pieceByteCount
  }

  /// The numbers of the connections with iAP2.
  package var connectionNumbers: [Int] { flows.sorted().map { $0 + 1 } }

  /// The session so far; nil if the connection does not exist.
  package var session: SessionRecord? {
    guard let flow, flows.contains(flow) else { return nil }
    var session = record
    session.flow = flow
    session.accessoryCounts.errors = errors[Origin(flow: flow, side: .accessory)] ?? 0
    session.deviceCounts.errors = errors[Origin(flow: flow, side: .device)] ?? 0
    if session.startTime == nil { session.startTime = session.steps.lazy.compactMap(\.time).first }
    return session
  }

  /// Returns whether a finding belongs to the recorded connection, and notes its connection.
  private mutating func isWanted(_ place: DecodedPlace) -> Bool {
    flows.insert(place.flow)
    if flow == nil { flow = place.flow }
    return flow == place.flow
  }

  // MARK: Link

  /// Adds a step unless it repeats the last step of its side.
  package mutating func detect(at place: DecodedPlace) {
    guard isWanted(place) else { return }
    // Detect is retransmitted until it is answered; the repeats are one step.
    if case .detect = latestStep(of: place.from) { return }
    add(.detect, place)
  }

  /// Counts a valid packet, and adds a step for an RST that is not a repeat.
  package mutating func link(
    _ header: LinkHeader, header state: DecodedLine.ChecksumState, payload: DecodedLine.ChecksumState,
    isRepeated: Bool, at place: DecodedPlace
  ) {
    guard state == .valid, payload != .invalid, isWanted(place) else { return }
    switch place.from {
    case .accessory: Self.count(&record.accessoryCounts, isRepeated)
    case .device: Self.count(&record.deviceCounts, isRepeated)
    }
    lastControl = header.control
    guard header.control.contains(.reset) else { return }
    closeAll()
    if case .reset = latestStep(of: place.from) { return }
    add(.reset, place)
  }

  private static func count(_ counts: inout SessionRecord.Counts, _ isRepeated: Bool) {
    counts.packets += 1
    if isRepeated { counts.repeatedPackets += 1 }
  }

  /// Adds a step unless it repeats the last step of its side.
  package mutating func synchronization(_ parameters: LinkSynchronization, at place: DecodedPlace) {
    guard isWanted(place) else { return }
    let isAnswer = lastControl.contains(.acknowledge)
    if isAnswer, !isStarted { record.startTime = place.time }
    // SYN and SYN+ACK are retransmitted until they are answered; the repeats are one step.
    if case .synchronization(parameters, isAnswer) = latestStep(of: place.from) { return }
    closeAll()
    add(.synchronization(parameters, isAnswer: isAnswer), place)
  }

  private func latestStep(of side: Side) -> SessionRecord.Step.Content? {
    latest[side].map { record.steps[$0].content }
  }

  /// Closes all EA sessions and files, which end with their link.
  private mutating func closeAll() {
    openSessions.removeAll()
    openFiles.removeAll()
  }

  // MARK: Steps

  /// Adds a step; returns false if there is no room, and adds the step to the remainder.
  @discardableResult
  private mutating func add(_ content: SessionRecord.Step.Content, _ place: DecodedPlace) -> Bool {
    if case .message = content { isStarted = true }
    guard hasRoom else {
      let identity = StepIdentity(content, record, rules)
      addToRemainder(place.from) { $0.add(identity.content) }
      return false
    }
    latest[place.from] = record.steps.count
    record.steps.append(
      SessionRecord.Step(from: place.from, content: content, record: place.record, time: place.time))
    return true
  }

  private var hasRoom: Bool { record.steps.count < limits.steps && messageByteCount < limits.messageByteCount }

  private mutating func addToRemainder(_ side: Side, _ body: (inout SessionRecord.Remainder) -> Void) {
    switch side {
    case .accessory: body(&record.accessoryRemainder)
    case .device: body(&record.deviceRemainder)
    }
  }

  /// Adds a step for a control message.
  package mutating func message(_ bytes: RawSpan, offset: Int, at place: DecodedPlace) {
    guard bytes.byteCount >= ControlHeader.byteCount, isWanted(place) else { return }
    let message = [UInt8](copying: bytes)
    messageByteCount += message.count
    add(.message(message), place)
    switch ControlHeader.id(of: message) {
    case IdentificationInformation.id: protocols = IdentificationNames(bytes).protocols
    case StartExternalAccessoryProtocolSession.id: openSession(bytes, place)
    default: break
    }
  }

  /// Notes the first damage of the file, which belongs to no session and is not compared.
  package mutating func fileDamage(_ message: String, offset: Int, at place: DecodedPlace) {
    if record.damage == nil { record.damage = message }
  }

  /// Notes that the file ends within a packet or a message.
  package mutating func cutOff(within message: UnfinishedMessage?, at place: DecodedPlace) {
    if record.damage == nil { record.damage = "the file ends within a packet or a message" }
  }

  /// Counts an error of a side.
  package mutating func error(_ message: String, offset: Int, at place: DecodedPlace) {
    errors[Origin(flow: place.flow, side: place.from), default: 0] += 1
  }

  // MARK: External accessory

  private mutating func openSession(_ bytes: RawSpan, _ place: DecodedPlace) {
    do {
      let start = try StartExternalAccessoryProtocolSession(decoding: bytes)
      let name = protocols[start.externalAccessoryProtocolIdentifier]
      openSessions[start.externalAccessoryProtocolSessionIdentifier] = addSession(
        start.externalAccessoryProtocolSessionIdentifier, name, place)
    } catch {
      // A message that cannot be decoded opens nothing; it is a step itself.
    }
  }

  private mutating func addSession(_ id: UInt16, _ name: String?, _ place: DecodedPlace) -> Int? {
    record.externalAccessories.append(SessionRecord.ExternalAccessory(id: id, protocolName: name))
    if add(.externalAccessory(record.externalAccessories.count - 1), place) {
      return record.externalAccessories.count - 1
    }
    record.externalAccessories.removeLast()
    return nil
  }

  /// Adds data to its EA session, and opens one if the capture lacks the opening.
  package mutating func externalAccessory(session: UInt16, data: RawSpan, at place: DecodedPlace) {
    guard isWanted(place) else { return }
    guard let index = openSessions[session] ?? (hasRoom ? addSession(session, nil, place) : nil) else {
      return addToRemainder(place.from) { $0.byteCount += data.byteCount }
    }
    openSessions[session] = index
    keep(data, of: .externalAccessory(index), place)
    let stepCount = record.steps.count
    switch place.from {
    case .accessory:
      record.externalAccessories[index].accessory.append(
        data, after: stepCount, time: place.time, budget: &headBudget)
    case .device:
      record.externalAccessories[index].device.append(
        data, after: stepCount, time: place.time, budget: &headBudget)
    }
  }

  /// Keeps data as pieces. Pieces have no gaps: after the first that had no room, none is kept.
  private mutating func keep(_ data: RawSpan, of stream: SessionRecord.Piece.Stream, _ place: DecodedPlace) {
    guard limits.pieceByteCount > 0, record.stepsBeforeLostPiece == nil else { return }
    pieceBudget -= data.byteCount + Self.pieceOverheadByteCount
    guard pieceBudget >= 0 else {
      record.stepsBeforeLostPiece = record.steps.count
      return
    }
    record.pieces.append(
      SessionRecord.Piece(
        from: place.from, stream: stream, stepCount: record.steps.count, bytes: [UInt8](copying: data),
        record: place.record, time: place.time))
  }

  // MARK: Files

  /// Adds a file, its data or its outcome.
  package mutating func fileTransfer(
    file: UInt8, _ operation: FileTransferOperation, data: RawSpan, at place: DecodedPlace
  ) {
    guard isWanted(place) else { return }
    if operation == .setup {
      openFiles[file] = addFile(file, FileTransferSetup(data), place)
    } else if operation.isData {
      guard let index = openFiles[file] ?? (hasRoom ? addFile(file, nil, place) : nil) else {
        return addToRemainder(place.from) { $0.byteCount += data.byteCount }
      }
      openFiles[file] = index
      keep(data, of: .file(index), place)
      record.files[index].data.append(
        data, after: record.steps.count, time: place.time, budget: &headBudget)
    } else if let outcome = SessionRecord.File.Outcome(operation), let index = openFiles.removeValue(forKey: file) {
      record.files[index].outcome = outcome
    }
  }

  private mutating func addFile(_ id: UInt8, _ setup: FileTransferSetup?, _ place: DecodedPlace) -> Int? {
    record.files.append(SessionRecord.File(id: id, setup: setup))
    if add(.file(record.files.count - 1), place) { return record.files.count - 1 }
    record.files.removeLast()
    return nil
  }
}

extension SessionRecord.Remainder {
  /// Adds a step to the digest, which depends on the order of steps.
  fileprivate mutating func add(_ content: [UInt8]) {
    steps += 1
    for byte in content + [0xFF] { digest = (digest ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 &+ 1 }
  }
}

extension SessionRecord.File.Outcome {
  /// Returns nil for an operation that does not end a file.
  fileprivate init?(_ operation: FileTransferOperation) {
    switch operation {
    case .success: self = .success
    case .failure: self = .failure
    case .cancel: self = .cancelled
    default: return nil
    }
  }
}
