// swift-iap2 · Apache-2.0

import CarPlaySession

/// The target for the lists of pairings: what is read and written is read again as the same.
///
/// Input: a list.
enum TLV8Target {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    let list: TLV8
    do throws(TLV8.Problem) { list = try TLV8(bytes: bytes) } catch {
      switch error {
      case .cutOff(let offset), .repeated(_, let offset):
        return try require(offset < bytes.count, "an error at \(offset) of \(bytes.count)")
      }
    }
    try require(list.items.reduce(0) { $0 + $1.value.count } <= bytes.count, "more bytes than were read")
    do throws(TLV8.Problem) {
      let again = try TLV8(bytes: list.bytes)
      try requireEqual(again, list)
    } catch { throw Finding("what is written cannot be read: \(error)") }
    for kind in TLV8.Kind.allCases { _ = list.byte(kind) }
  }

  private static func requireEqual(_ again: TLV8, _ list: TLV8) throws(TLV8.Problem) {
    if again != list { throw .cutOff(offset: -1) }
  }
}

/// The target for the messages of the control and event channels: the same messages come in pieces of any size, and
/// what is written is read again.
///
/// Input: a byte for the number of piece lengths, the lengths, and the bytes of a connection.
enum RequestTarget {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    var program = Program(bytes)
    let lengths = program.take(Int(program.byte() & 7))
    let stream = program.takeAll()
    let whole = RequestReader().read([stream])
    let pieces = RequestReader().read(stream.pieces(lengths))
    try require(
      whole.elements == pieces.elements, "\(whole.elements.count) messages, \(pieces.elements.count) in pieces")
    try require(whole.problem == pieces.problem, "\(String(describing: whole.problem)), in pieces another")
    for message in whole.elements {
      try require(message.body.count <= RequestReader.maximumBodyByteCount, "a body of \(message.body.count) bytes")
      let written = message.bytes
      // The writer's spaces may make the lines longer than the limit.
      guard written.count - message.body.count < RequestReader.maximumHeaderByteCount else { continue }
      let again = RequestReader().read([written])
      try require(again.elements == [message], "written and read it is \(again)")
      try require(RequestReader().read([message.answer(200).bytes]).elements.count == 1, "its answer cannot be read")
    }
  }
}

/// The target for binary property lists: what is read keeps the bounds, and is written and read again as the same.
///
/// Input: a property list.
enum PropertyListTarget {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    guard let value = try read(bytes) else { return }
    try rewrite(value)
  }

  /// Returns the value of a list; nil for bytes that are none.
  static func read(_ bytes: [UInt8]) throws(Finding) -> PropertyValue? {
    let value: PropertyValue
    do throws(PropertyListProblem) { value = try PropertyValue(binary: bytes) } catch { return nil }
    var count = 0
    try measure(value, depth: 0, &count)
    return value
  }

  private static func measure(_ value: PropertyValue, depth: Int, _ count: inout Int) throws(Finding) {
    count += 1
    try require(count <= PropertyListLimits.objectCount, "\(count) objects")
    try require(depth <= PropertyListLimits.depth, "\(depth) containers around a value")
    switch value {
    case .array(let members): for member in members { try measure(member, depth: depth + 1, &count) }
    case .dictionary(let members): for member in members.values { try measure(member, depth: depth + 1, &count) }
    default: break
    }
  }

  /// Checks the written form. Numbers that are none equal nothing, so bytes are compared.
  static func rewrite(_ value: PropertyValue) throws(Finding) {
    let written = value.binary
    guard written.count <= PropertyListLimits.byteCount else { return }
    do throws(PropertyListProblem) {
      let again = try PropertyValue(binary: written).binary
      if again != written { throw .badTable }
    } catch { throw Finding("what is written is not read as the same: \(error)") }
  }
}

/// The target for the typed bodies of `/info`, set-ups and commands: every key has a value or none, and a command that
/// is known is written and read as the same.
///
/// Input: a property list.
enum BodyTarget {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    guard let value = try PropertyListTarget.read(bytes), case .dictionary(let values) = value else { return }
    try checkCommand(CommandBody(values: values))
    checkInfo(SessionInfo(values: values))
    let request = SessionSetUpRequest(values: values)
    _ = (request.timingPort, request.features, request.wantsKeepAlive, request.deviceID, request.sessionUUID)
    let answer = SessionSetUpAnswer(values: values)
    _ = (answer.eventPort, answer.timingPort, answer.keepAlivePort, answer.enabledFeatures)
    try checkStreams(StreamList(values: values))
    if let modes = ModeSnapshot(propertyValue: value) {
      try require(ModeSnapshot(propertyValue: modes.propertyValue) == modes, "modes differ when written")
    }
    if let request = ModeRequest(propertyValue: value) { try checkModes(request) }
  }

  private static func checkCommand(_ body: CommandBody) throws(Finding) {
    guard let command = body.command else { return try require(body.name == nil, "a name without a command") }
    try require(command.name == body.name, "\(body.name ?? "") is \(command.name)")
    guard case .dictionary(let written) = command.body, let again = CommandBody(values: written).command else {
      throw Finding("\(command.name) cannot be read when written")
    }
    // NaN is never equal.
    if case .duckAudio(let decibels, _) = command, decibels.isNaN { return }
    if case .other = command { return try require(again.name == command.name, "another name") }
    try require(again == command, "\(command) is \(again) when written")
  }

  private static func checkModes(_ request: ModeRequest) throws(Finding) {
    try require(ModeRequest(propertyValue: request.propertyValue) == request, "a request differs when written")
    var arbiter = ModeArbiter()
    for side in SessionSide.allCases + SessionSide.allCases {
      guard let next = arbiter.applying(request, of: side) else { continue }
      arbiter = next
      for resource in ModeResource.allCases { _ = (arbiter.user(of: resource), arbiter.owner(of: resource)) }
    }
  }

  private static func checkInfo(_ info: SessionInfo) {
    _ = (info.problem, info.features, info.modes, info.limitedUIElements, info.wantsStatistics)
    for display in info.displays ?? [] { _ = (display.viewAreas, display.width, display.features, display.initialURL) }
    for offer in info.audioFormats ?? [] { _ = (AudioFormat.formats(in: offer.outputs), offer.inputs, offer.kind) }
    for device in info.inputDevices ?? [] { _ = device.propertyValue }
  }

  private static func checkStreams(_ list: StreamList) throws(Finding) {
    for stream in list.streams ?? [] {
      _ = (stream.seed, stream.uuid, stream.wantsInput, stream.sharedKey, stream.framesPerPacket)
      guard let type = stream.type else { continue }
      var again = StreamBody(type)
      (again.connectionID, again.dataPort, again.audioFormat) = (
        stream.connectionID, stream.dataPort, stream.audioFormat
      )
      try require(
        again.connectionID == stream.connectionID && again.dataPort == stream.dataPort
          && again.audioFormat == stream.audioFormat, "a stream differs when written")
    }
  }
}
