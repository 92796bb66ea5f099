// swift-iap2 · Apache-2.0

package import IAP2
package import IAP2Capture

/// Options for a diagram.
package struct SequenceDiagramOptions: Sendable {
  /// The number of the connection to draw, from 1; nil for all.
  package var connection: Int?
  /// The number of the CarPlay session to draw, from 1; nil for all.
  package var session: Int?
  /// The filter for findings that become steps; nil for all. Findings that do not match still name sessions and sides.
  package var filter: FindingFilter?
  /// Whether every link packet is a step.
  package var showsPackets = false
  /// The silence in seconds that ends a run of data.
  package var pause = 0.2
  /// The limits of the diagram.
  package var limits = SequenceDiagramLimits()

  /// Creates options that draw every connection.
  package init() {}
}

/// A sink that builds a ``SequenceDiagram``.
package struct SequenceDiagramSink: DecodedSink {
  typealias Step = SequenceDiagram.Step
  typealias Content = SequenceDiagram.Content

  /// The state of a connection that is drawn.
  struct Drawn {
    var connection: SequenceDiagram.Connection
    /// Whether the filter matched any finding of the connection.
    var hasMatched = false
    /// The last step that was left out, so that its run can continue.
    var leftOut: SequenceDiagram.Step?
    var protocols: [UInt8: String] = [:]
    var openProtocols: [UInt16: String] = [:]
  }

  /// Findings that wait until their connection shows iAP2.
  private struct Early {
    var steps: [SequenceDiagram.Step] = []
    var damage = 0
    /// The number of errors without room, and the first and the last of them.
    var leftOut = 0
    var ends: (first: DecodedPlace, offset: Int, last: DecodedPlace)?
  }

  let options: SequenceDiagramOptions
  var drawn: [Drawn] = []
  /// For each connection of the capture: its index in `drawn`, or nil if it is not drawn.
  private var known: [Int: Int?] = [:]
  private var lastHeader: LinkHeader?
  private var stepCount = 0
  private var messageByteCount = 0
  /// For each connection without iAP2 so far: its damage and comments.
  private var early: [Int: Early] = [:]
  private var earlyStepCount = 0
  private var fileDamageCount = 0
  /// The CarPlay sessions that are drawn, by their numbers from 0.
  var sessions: [Int: Int] = [:]
  /// The CarPlay sessions, drawn or not, by their numbers from 0: the times at which they began; nil before that.
  var sessionTimes: [Int: Double?] = [:]
  private(set) var bringUp = BringUp<Step>()
  private var lines = LineSink()

  /// The maximum number of steps that wait, of all connections. Further errors are only counted, further comments are
  /// dropped.
  private static let maximumEarly = 64
  /// The maximum number of open EA sessions of a connection whose protocol is remembered, so that memory is bounded.
  /// Further sessions are drawn by their id.
  private static let maximumOpenProtocols = 256
  /// The maximum number of Unicode scalars of a comment.
  private static let maximumComment = 1000

  /// Creates a sink without steps.
  package init(options: SequenceDiagramOptions = SequenceDiagramOptions()) { self.options = options }

  /// The numbers of the connections with iAP2, drawn or not.
  package var connectionNumbers: [Int] { known.keys.map { $0 + 1 }.sorted() }

  /// The diagram so far, without connections in which the filter matches nothing, and without what brought sessions up.
  package var diagram: SequenceDiagram {
    SequenceDiagram(
      connections: drawn.filter { options.filter == nil || $0.hasMatched }.map(\.connection)
        .sorted { ($0.subject == .session ? 1 : 0, $0.flow) < ($1.subject == .session ? 1 : 0, $1.flow) },
      placelessDamage: early.values.reduce(fileDamageCount) { $0 + $1.damage })
  }

  // MARK: Filter

  private func isChosen(_ place: DecodedPlace) -> Bool {
    options.session == nil && options.connection.map { $0 == place.flow + 1 } ?? true
  }

  /// - Parameter report: reports the finding to a sink of lines.
  @inline(__always)
  mutating func isWanted(_ report: (inout LineSink) -> Void) -> Bool {
    guard let filter = options.filter else { return true }
    report(&lines)
    return filter.matches(lines.take())
  }

  // MARK: Steps

  /// Returns the index of a connection, which this finding shows to have iAP2; nil if it is not drawn.
  private mutating func index(_ place: DecodedPlace) -> Int? {
    if let index = known[place.flow] { return index }
    guard isChosen(place) else {
      known[place.flow] = .some(nil)
      return nil
    }
    let index = drawn.count
    known[place.flow] = index
    drawn.append(Drawn(connection: SequenceDiagram.Connection(flow: place.flow)))
    guard let waiting = early.removeValue(forKey: place.flow) else { return index }
    earlyStepCount -= waiting.steps.count
    drawn[index].hasMatched = true
    for step in waiting.steps { append(step, index) }
    if let ends = waiting.ends {
      let text = "\(waiting.leftOut) more error\(waiting.leftOut == 1 ? "" : "s") before iAP2 was found"
      var rest = Self.step(.damage(text, offset: ends.offset), ends.first)
      (rest.lastRecord, rest.lastTime) = (ends.last.record, ends.last.time)
      append(rest, index)
    }
    return index
  }

  mutating func add(_ content: Content, _ place: DecodedPlace, _ index: Int) {
    drawn[index].hasMatched = true
    let step = Self.step(content, place)
    if !join(step, index) { append(step, index) }
  }

  /// Joins a step with the last step of the connection if they form a run; returns whether it did.
  private mutating func join(_ step: Step, _ index: Int) -> Bool {
    if var last = drawn[index].leftOut {
      let isJoined = Self.join(step, to: &last, pause: options.pause)
      drawn[index].leftOut = last
      return isJoined
    }
    guard let end = drawn[index].connection.steps.indices.last else { return false }
    return Self.join(step, to: &drawn[index].connection.steps[end], pause: options.pause)
  }

  private static func step(_ content: Content, _ place: DecodedPlace) -> Step {
    Step(
      from: place.from, content: content, record: place.record, lastRecord: place.record, time: place.time,
      lastTime: place.time)
  }

  private mutating func append(_ step: Step, _ index: Int) {
    guard stepCount < options.limits.steps else {
      drawn[index].connection.leftOut += 1
      if drawn[index].leftOut == nil { drawn[index].connection.firstLeftOutRecord = step.record }
      drawn[index].leftOut = step
      return
    }
    stepCount += 1
    drawn[index].connection.steps.append(step)
  }

  /// Joins a step with the step before it if they form a run; returns whether it did.
  private static func join(_ next: Step, to last: inout Step, pause: Double) -> Bool {
    guard last.from == next.from, !isPause(last.lastTime, next.time, pause) else { return false }
    switch next.content {
    case .detect:
      guard case .detect(let count) = last.content else { return false }
      last.content = .detect(count: count + 1)
    case .synchronization(let b, let isAnswerToo, _):
      guard case .synchronization(let a, let isAnswer, let count) = last.content, a == b, isAnswer == isAnswerToo
      else { return false }
      last.content = .synchronization(a, isAnswer: isAnswer, count: count + 1)
    case .externalAccessory(let other, let name, let more):
      // The same id with another protocol is another session.
      guard case .externalAccessory(let session, name, var run) = last.content, session == other else { return false }
      run.add(more)
      last.content = .externalAccessory(session: session, protocolName: name, run)
    case .fileData(let other, let more):
      guard case .fileData(let id, var run) = last.content, id == other else { return false }
      run.add(more)
      last.content = .fileData(file: id, run)
    case .damage(let text, _):
      guard case .packet(let header, .damaged(nil)) = last.content, last.record == next.record else { return false }
      last.content = .packet(header, .damaged(text))
    case .session(let more):
      guard more.kind == .content, case .session(var run) = last.content, run.kind == .content, run.name == more.name
      else { return false }
      run.count += more.count
      run.byteCount += more.byteCount
      run.detail = ""
      last.content = .session(run)
    case .packet, .message, .file, .comment, .app: return false
    }
    last.lastRecord = next.record
    last.lastTime = next.time
    return true
  }

  private static func isPause(_ before: Double?, _ after: Double?, _ pause: Double) -> Bool {
    guard let before, let after else { return false }
    return after - before >= pause
  }

  // MARK: Link

  /// Adds a step, or extends a run of detect sequences.
  package mutating func detect(at place: DecodedPlace) {
    guard let index = index(place), isWanted({ $0.detect(at: place) }) else { return }
    add(.detect(count: 1), place, index)
  }

  /// Adds a step for a packet that is drawn; others are counted as hidden.
  package mutating func link(
    _ header: LinkHeader, header state: DecodedLine.ChecksumState, payload: DecodedLine.ChecksumState,
    isRepeated: Bool, at place: DecodedPlace
  ) {
    guard let index = index(place) else { return }
    lastHeader = header
    guard isWanted({ $0.link(header, header: state, payload: payload, isRepeated: isRepeated, at: place) }) else {
      return
    }
    drawn[index].hasMatched = true
    guard state != .invalid, payload != .invalid else { return add(.packet(header, .damaged(nil)), place, index) }
    if isRepeated { return add(.packet(header, .repeated), place, index) }
    // A SYN becomes a step with its payload.
    if header.control.contains(.synchronize) { return }
    guard options.showsPackets || !header.control.isSubset(of: .acknowledge) else {
      drawn[index].connection.hiddenPackets += 1
      return
    }
    add(.packet(header, .plain), place, index)
  }

  /// Adds a step for a SYN or SYN+ACK, or extends a run of repeats.
  package mutating func synchronization(_ parameters: LinkSynchronization, at place: DecodedPlace) {
    guard let index = index(place) else { return }
    // A new link closes all sessions of the link before.
    drawn[index].openProtocols = [:]
    guard isWanted({ $0.synchronization(parameters, at: place) }) else { return }
    let isAnswer = lastHeader?.control.contains(.acknowledge) ?? false
    add(.synchronization(parameters, isAnswer: isAnswer, count: 1), place, index)
  }

  // MARK: Damage and comments

  /// Counts damage of the file.
  package mutating func fileDamage(_ message: String, offset: Int, at place: DecodedPlace) {
    if isWanted({ $0.fileDamage(message, offset: offset, at: place) }) { fileDamageCount += 1 }
  }

  /// Adds a step for damage. Before iAP2 was found, the step waits.
  package mutating func error(_ message: String, offset: Int, at place: DecodedPlace) {
    let content = Content.damage(message, offset: offset)
    let isWanted = isWanted { $0.error(message, offset: offset, at: place) }
    guard let index = known[place.flow] else {
      guard isWanted, isChosen(place) else { return }
      early[place.flow, default: Early()].damage += 1
      if !wait(content, place) { leaveOut(place, offset) }
      return
    }
    guard let index else { return }
    // An error completes a damaged packet that is drawn, even if the error itself does not match the filter.
    if isWanted { add(content, place, index) } else { _ = join(Self.step(content, place), index) }
  }

  /// Adds a step for a comment. Before iAP2 was found, the step waits.
  package mutating func comment(_ text: String, at place: DecodedPlace) {
    guard isChosen(place), isWanted({ $0.comment(text, at: place) }) else { return }
    let content = Content.comment(String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.maximumComment))))
    guard let index = known[place.flow] else {
      _ = wait(content, place)
      return
    }
    guard let index else { return }
    drawn[index].hasMatched = true
    insert(Self.step(content, place), index)
  }

  /// Inserts a comment before the steps that are later than its event. In live captures, bytes may be logged before the
  /// event reaches the log.
  private mutating func insert(_ comment: Step, _ index: Int) {
    let steps = drawn[index].connection.steps
    guard let time = comment.time, drawn[index].leftOut == nil, stepCount < options.limits.steps else {
      return append(comment, index)
    }
    let later = steps.reversed().prefix { $0.time.map { $0 > time } ?? false }.count
    stepCount += 1
    drawn[index].connection.steps.insert(comment, at: steps.count - later)
  }

  /// Lets a finding wait for its connection; returns false if there is no room.
  private mutating func wait(_ content: Content, _ place: DecodedPlace) -> Bool {
    guard earlyStepCount < Self.maximumEarly else { return false }
    earlyStepCount += 1
    early[place.flow, default: Early()].steps.append(Self.step(content, place))
    return true
  }

  private mutating func leaveOut(_ place: DecodedPlace, _ offset: Int) {
    early[place.flow]?.leftOut += 1
    let ends = early[place.flow]?.ends
    early[place.flow]?.ends = (ends?.first ?? place, ends?.offset ?? offset, place)
  }

  // MARK: Sessions

  /// Adds a step for a control message and notes the names in it.
  package mutating func message(_ bytes: RawSpan, offset: Int, at place: DecodedPlace) {
    guard bytes.byteCount >= ControlHeader.byteCount else { return }
    let message = DecodedMessage(bytes)
    let index = index(place)
    let bringsUp = options.connection == nil && BringUp<Step>.has(message.id)
    if let index { note(message, bytes, index) }
    guard index != nil || bringsUp, isWanted({ $0.message(bytes, offset: offset, at: place) }) else { return }
    let hasRoom =
      index.map { drawn[$0].leftOut == nil } ?? true && stepCount < options.limits.steps
      && messageByteCount + bytes.byteCount <= options.limits.messageByteCount
    if hasRoom { messageByteCount += bytes.byteCount }
    let content = Content.message(
      SequenceDiagram.Message(
        id: message.id, byteCount: bytes.byteCount, bytes: hasRoom ? [UInt8](copying: bytes) : nil,
        problems: message.errors(from: 0).map(\.text)))
    if bringsUp { bringUp.take(message.id, Self.step(content, place), at: place) }
    if let index { add(content, place, index) }
  }

  /// Notes the names that a message gives to the accessory, the device and EA sessions.
  private mutating func note(_ message: DecodedMessage, _ bytes: RawSpan, _ index: Int) {
    switch message.id {
    case IdentificationInformation.id:
      let names = IdentificationNames(bytes)
      drawn[index].protocols = names.protocols
      if let name = names.accessory { drawn[index].connection.accessoryName = name }
    case DeviceInformationUpdate.id:
      for node in message.parameters where node.id == 0 {
        if case .text(let name) = node.value { drawn[index].connection.deviceName = name }
      }
    case StartExternalAccessoryProtocolSession.id: open(bytes, index)
    case StopExternalAccessoryProtocolSession.id: close(bytes, index)
    default: break
    }
  }

  private mutating func open(_ bytes: RawSpan, _ index: Int) {
    do {
      let start = try StartExternalAccessoryProtocolSession(decoding: bytes)
      let session = start.externalAccessoryProtocolSessionIdentifier
      // A known id is a new session, even if the session before was not closed.
      drawn[index].openProtocols[session] = nil
      guard drawn[index].openProtocols.count < Self.maximumOpenProtocols else { return }
      drawn[index].openProtocols[session] = drawn[index].protocols[start.externalAccessoryProtocolIdentifier]
    } catch {
      // A message that cannot be decoded names nothing; it is a step itself.
    }
  }

  private mutating func close(_ bytes: RawSpan, _ index: Int) {
    do {
      let stop = try StopExternalAccessoryProtocolSession(decoding: bytes)
      drawn[index].openProtocols[stop.externalAccessoryProtocolSessionIdentifier] = nil
    } catch {
      // A message that cannot be decoded closes nothing.
    }
  }

  /// Adds a step for data of an EA session, or extends a run.
  package mutating func externalAccessory(session: UInt16, data: RawSpan, at place: DecodedPlace) {
    guard let index = index(place), isWanted({ $0.externalAccessory(session: session, data: data, at: place) }) else {
      return
    }
    let name = drawn[index].openProtocols[session]
    add(.externalAccessory(session: session, protocolName: name, Self.run(data)), place, index)
  }

  /// Adds a step for a file datagram, or extends a run of data.
  package mutating func fileTransfer(
    file: UInt8, _ operation: FileTransferOperation, data: RawSpan, at place: DecodedPlace
  ) {
    guard let index = index(place), isWanted({ $0.fileTransfer(file: file, operation, data: data, at: place) }) else {
      return
    }
    if operation.isData { return add(.fileData(file: file, Self.run(data)), place, index) }
    let setup = operation == .setup ? FileTransferSetup(data) : nil
    add(.file(file: file, operation, setup: setup), place, index)
  }

  private static func run(_ data: RawSpan) -> SequenceDiagram.Run {
    let head = data.extracting(0..<min(data.byteCount, SequenceDiagram.Run.headByteCount))
    return SequenceDiagram.Run(byteCount: data.byteCount, head: [UInt8](copying: head))
  }
}
