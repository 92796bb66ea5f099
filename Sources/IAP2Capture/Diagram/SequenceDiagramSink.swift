// swift-iap2 · Apache-2.0

package import IAP2

/// What a user wants drawn.
package struct SequenceDiagramOptions: Sendable {
  /// From 1, in the order in which iAP2 was found; nil for all.
  package var connection: Int?
  /// Every link packet is a step.
  package var showsPackets = false
  /// Seconds of silence that end a run of data.
  package var pause = 0.2
  package var limits = SequenceDiagramLimits()

  package init() {}
}

/// Makes a ``SequenceDiagram`` of what a decoder finds.
package struct SequenceDiagramSink: DecodedSink {
  private typealias Step = SequenceDiagram.Step
  private typealias Content = SequenceDiagram.Content

  /// A connection that is drawn, and what is needed while it goes on.
  private struct Drawn {
    var connection: SequenceDiagram.Connection
    /// The newest of the steps that are left out: a run goes on in it.
    var leftOut: SequenceDiagram.Step?
    var protocols: [UInt8: String] = [:]
    var openProtocols: [UInt16: String] = [:]
  }

  private let options: SequenceDiagramOptions
  private var drawn: [Drawn] = []
  /// By flow: the index among those that are drawn, or nil for one that is not.
  private var known: [Int: Int?] = [:]
  private var lastHeader: LinkHeader?
  private var stepCount = 0
  private var messageByteCount = 0
  /// Damage of flows in which nothing else was found yet.
  private var early: [Int: [SequenceDiagram.Step]] = [:]
  private var earlyCount = 0

  /// Damage that waits for its connection; more of it is only counted.
  private static let maximumEarly = 64
  /// EA sessions whose protocols are remembered: as many as ids are, in practice, ever used on one link.
  private static let maximumOpenProtocols = 256

  package init(options: SequenceDiagramOptions = SequenceDiagramOptions()) { self.options = options }

  /// Connections with iAP2, drawn or not.
  package var connectionCount: Int { known.count }

  package var diagram: SequenceDiagram {
    SequenceDiagram(connections: drawn.map(\.connection), placelessDamage: earlyCount)
  }

  // MARK: Steps

  /// Where a finding that only iAP2 has belongs; nil where it is not drawn.
  private mutating func index(_ place: DecodedPlace) -> Int? {
    if let index = known[place.flow] { return index }
    let number = known.count + 1
    guard options.connection.map({ $0 == number }) ?? true else {
      known[place.flow] = .some(nil)
      return nil
    }
    known[place.flow] = drawn.count
    drawn.append(Drawn(connection: SequenceDiagram.Connection(flow: place.flow, number: number)))
    for step in early.removeValue(forKey: place.flow) ?? [] {
      earlyCount -= 1
      append(step, drawn.count - 1)
    }
    return drawn.count - 1
  }

  private mutating func add(_ content: Content, _ place: DecodedPlace, _ index: Int) {
    let step = Self.step(content, place)
    if var last = drawn[index].leftOut {
      if !Self.join(step, to: &last, pause: options.pause) {
        drawn[index].connection.leftOut += 1
        last = step
      }
      drawn[index].leftOut = last
    } else if let end = drawn[index].connection.steps.indices.last,
      Self.join(step, to: &drawn[index].connection.steps[end], pause: options.pause)
    {
      return
    } else {
      append(step, index)
    }
  }

  private static func step(_ content: Content, _ place: DecodedPlace) -> Step {
    Step(
      from: place.from, content: content, record: place.record, lastRecord: place.record, time: place.time,
      lastTime: place.time)
  }

  private mutating func append(_ step: Step, _ index: Int) {
    guard stepCount < options.limits.steps else {
      drawn[index].connection.leftOut += 1
      drawn[index].connection.firstLeftOutRecord = step.record
      drawn[index].leftOut = step
      return
    }
    stepCount += 1
    drawn[index].connection.steps.append(step)
  }

  /// Makes a step one with the step before it, where they are a run.
  private static func join(_ next: Step, to last: inout Step, pause: Double) -> Bool {
    guard last.from == next.from, !isPause(last.lastTime, next.time, pause) else { return false }
    switch (last.content, next.content) {
    case (.detect(let count), .detect): last.content = .detect(count: count + 1)
    case (.synchronization(let a, let isAnswer, let count), .synchronization(let b, let isAnswerToo, _)):
      guard a == b, isAnswer == isAnswerToo else { return false }
      last.content = .synchronization(a, isAnswer: isAnswer, count: count + 1)
    case (.externalAccessory(let session, let name, var run), .externalAccessory(let other, _, let more)):
      guard session == other else { return false }
      run.add(more)
      last.content = .externalAccessory(session: session, protocolName: name, run)
    case (.fileData(let id, var run), .fileData(let other, let more)):
      guard id == other else { return false }
      run.add(more)
      last.content = .fileData(file: id, run)
    case (.packet(let header, .damaged(nil)), .damage(let text, _)) where last.record == next.record:
      last.content = .packet(header, .damaged(text))
    default: return false
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

  package mutating func detect(at place: DecodedPlace) {
    guard let index = index(place) else { return }
    add(.detect(count: 1), place, index)
  }

  package mutating func link(
    _ header: LinkHeader, header state: DecodedLine.ChecksumState, payload: DecodedLine.ChecksumState,
    isRepeated: Bool, at place: DecodedPlace
  ) {
    guard let index = index(place) else { return }
    lastHeader = header
    guard state != .invalid, payload != .invalid else { return add(.packet(header, .damaged(nil)), place, index) }
    if isRepeated { return add(.packet(header, .repeated), place, index) }
    // A SYN is told with its parameters.
    if header.control.contains(.synchronize) { return }
    guard options.showsPackets || !header.control.isSubset(of: .acknowledge) else {
      drawn[index].connection.hiddenPackets += 1
      return
    }
    add(.packet(header, .plain), place, index)
  }

  package mutating func synchronization(_ parameters: LinkSynchronization, at place: DecodedPlace) {
    guard let index = index(place) else { return }
    let isAnswer = lastHeader?.control.contains(.acknowledge) ?? false
    add(.synchronization(parameters, isAnswer: isAnswer, count: 1), place, index)
  }

  package mutating func fileDamage(_ message: String, offset: Int, at place: DecodedPlace) { earlyCount += 1 }

  package mutating func error(_ message: String, offset: Int, at place: DecodedPlace) {
    let content = Content.damage(message, offset: offset)
    if let index = known[place.flow] {
      if let index { add(content, place, index) }
      return
    }
    earlyCount += 1
    guard early.values.reduce(0, { $0 + $1.count }) < Self.maximumEarly else { return }
    early[place.flow, default: []].append(Self.step(content, place))
  }

  // MARK: Sessions

  package mutating func message(_ bytes: RawSpan, offset: Int, at place: DecodedPlace) {
    guard bytes.byteCount >= ControlHeader.byteCount, let index = index(place) else { return }
    let message = DecodedMessage(bytes)
    let hasRoom =
      drawn[index].leftOut == nil && stepCount < options.limits.steps
      && messageByteCount + bytes.byteCount <= options.limits.messageByteCount
    if hasRoom { messageByteCount += bytes.byteCount }
    add(
      .message(
        SequenceDiagram.Message(
          id: message.id, byteCount: bytes.byteCount, bytes: hasRoom ? [UInt8](copying: bytes) : nil,
          problems: message.errors(from: 0).map(\.text))),
      place, index)
    note(message, bytes, index)
  }

  /// Names that messages give to what comes after them.
  private mutating func note(_ message: DecodedMessage, _ bytes: RawSpan, _ index: Int) {
    switch message.id {
    case IdentificationInformation.info.id:
      let names = IdentificationNames(bytes)
      drawn[index].protocols = names.protocols
      if let name = names.accessory { drawn[index].connection.accessoryName = name }
    case DeviceInformationUpdate.info.id:
      for node in message.parameters where node.id == 0 {
        if case .text(let name) = node.value { drawn[index].connection.deviceName = name }
      }
    case StartExternalAccessoryProtocolSession.info.id: open(bytes, index)
    default: break
    }
  }

  private mutating func open(_ bytes: RawSpan, _ index: Int) {
    do {
      let start = try StartExternalAccessoryProtocolSession(decoding: bytes)
      let session = start.externalAccessoryProtocolSessionIdentifier
      guard drawn[index].openProtocols.count < Self.maximumOpenProtocols else { return }
      drawn[index].openProtocols[session] = drawn[index].protocols[start.externalAccessoryProtocolIdentifier]
    } catch {
      // One that cannot be read names nothing; the message itself is a step.
    }
  }

  package mutating func externalAccessory(session: UInt16, data: RawSpan, at place: DecodedPlace) {
    guard let index = index(place) else { return }
    let name = drawn[index].openProtocols[session]
    add(.externalAccessory(session: session, protocolName: name, Self.run(data)), place, index)
  }

  package mutating func fileTransfer(
    file: UInt8, _ operation: FileTransferOperation, data: RawSpan, at place: DecodedPlace
  ) {
    guard let index = index(place) else { return }
    if operation.isData { return add(.fileData(file: file, Self.run(data)), place, index) }
    let setup = operation == .setup ? FileTransferSetup(data) : nil
    add(.file(file: file, operation, setup: setup), place, index)
  }

  private static func run(_ data: RawSpan) -> SequenceDiagram.Run {
    let head = data.extracting(0..<min(data.byteCount, SequenceDiagram.Run.headByteCount))
    return SequenceDiagram.Run(byteCount: data.byteCount, head: [UInt8](copying: head))
  }
}
