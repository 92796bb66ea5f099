// swift-iap2 · Apache-2.0

package import IAP2

/// Facts about a capture that the user supplies.
package struct CaptureAnalyzerOptions: Sendable {
  /// The file format; nil to detect it from the content.
  package var format: CaptureReader.Format?
  /// Whether the end that the content identifies as the accessory is treated as the device, and the reverse.
  package var swapsSides = false
  /// The layout of a text log; used only when the file is one.
  package var log: TextLog?
  /// The reader of CarPlay sessions in network records; nil to read iAP2 alone.
  package var sessions: (any SessionReader)?

  /// Creates options that leave everything to detection.
  package init() {}
}

/// An analyzer that turns the bytes of a capture file into findings for a sink.
///
///     analyzer.append(bytes); … analyzer.finish()
///
/// Records without iAP2 are counted. Damage is reported to the sink, and reading continues wherever it can.
package struct CaptureAnalyzer<Sink: DecodedSink> {
  /// The reader that splits the file into records.
  package private(set) var reader: CaptureReader
  private var frames: FrameDecoder<Sink>

  /// Creates an analyzer that reports to `sink`.
  package init(options: CaptureAnalyzerOptions = CaptureAnalyzerOptions(), sink: Sink) {
    reader = CaptureReader(format: options.format, log: options.log)
    frames = FrameDecoder(sink: sink, options)
  }

  /// The sink that receives the findings.
  package var sink: Sink {
    get { frames.sink }
    _modify { yield &frames.sink }
  }
  /// The counts of records so far.
  package var counts: CaptureCounts {
    var counts = frames.counts
    counts.otherLines = reader.otherLines
    counts.byteCount = reader.byteCount
    return counts
  }
  /// The keys of the connections, indexed by connection number.
  package var flowKeys: [FlowKey] { frames.flows.map(\.key) }
  /// The absolute time of the first record, in nanoseconds since the Unix epoch; nil when the file has none or is text.
  package var startNanoseconds: Int64? { reader.countsFromStart ? nil : frames.start }
  /// The number and the time of the last record. The time is in seconds, as in `DecodedPlace.time`.
  package var end: (record: Int, time: Double?) { (frames.counts.records, frames.endTime) }
  /// The USB devices that the capture shows.
  package var usb: USBObservations { frames.observations }
  /// Returns the record that closed a connection's transport and the side that closed it; nil when the capture does not
  /// show it.
  package func end(of flow: Int) -> (end: TransportEnd, from: Side?)? { frames.end(of: flow) }

  /// Facts about how the file was read that its user should know. They are final after ``finish()``.
  package var notices: [CaptureNotice] {
    var notices: [CaptureNotice] = []
    if let reading = reader.textReading, reading.isWorthANotice { notices.append(.text(reading)) }
    if reader.countsFromStart { notices.append(.upperWordTimes) }
    if let (count, first) = reader.implausibleTimes {
      notices.append(.implausibleTimes(count: count, firstRecord: first))
    }
    if frames.isSealedCopy { notices.append(.sealedCopy) }
    notices += frames.lateSessions
    for flow in frames.flows {
      if let evidence = flow.decidedBy { notices.append(.decidedSides(flow: flow.number, flow.key, evidence)) }
      let (records, guesses) = flow.unstated
      if guesses > 0 { notices.append(.unstatedSenders(flow: flow.number, records: records, guesses: guesses)) }
      if let record = flow.contradiction { notices.append(.wrongSides(flow: flow.number, record: record)) }
    }
    return notices
  }

  /// Reads the next bytes of the file; pieces may have any size.
  package mutating func append(_ bytes: [UInt8]) {
    reader.append(bytes)
    readItems()
  }

  /// Reports everything that is still buffered. Call it once, after the last bytes of the file.
  package mutating func finish() {
    reader.finish()
    readItems()
    frames.finish()
  }

  private mutating func readItems() { Self.read(&reader, into: &frames) }

  /// Takes two values instead of `self`, because the reader lends a frame's bytes while the decoder changes.
  private static func read(_ reader: inout CaptureReader, into frames: inout FrameDecoder<Sink>) {
    while let item = reader.next() {
      switch item {
      case .frame(let frame):
        let comment = frame.comment == nil ? nil : reader.comment(of: frame)
        let isText = reader.format == .text
        frames.take(frame, reader.bytes(of: frame), comment: comment, isText: isText)
      case .block(let block): frames.take(block, reader.bytes(of: block))
      case .damage(let damage): frames.note(damage)
      }
    }
  }
}

/// A decoder of records: it extracts streams from the protocols that carry them and decodes those streams.
struct FrameDecoder<Sink: DecodedSink> {
  var sink: Sink
  private(set) var counts = CaptureCounts()
  private let swapsSides: Bool
  private var usb = USBTap()
  private var bluetooth = BluetoothTap()
  private var tcp = TCPTap()
  private(set) var flows: [FlowDecoder] = []
  private var index: [FlowKey: Int] = [:]
  private var latest: (key: FlowKey, index: Int)?
  /// The time of the first record of a binary file, in nanoseconds; times are counted from it.
  private(set) var start: Int64?
  private var moment = CaptureMoment()
  var endTime: Double? { moment.time }
  var observations: USBObservations { usb.observations }

  func end(of flow: Int) -> (end: TransportEnd, from: Side?)? {
    let end: TransportEnd? =
      switch flows[flow].key {
      case .tcp(let endpoints): tcp.ends[endpoints]
      case .rfcomm: bluetooth.ends[flows[flow].key]
      case .usb(let bus, let device), .usbReports(let bus, let device):
        usb.observations.devices.last { $0.bus == bus && $0.device == device }?.end
      case .own, .text, .session: nil
      }
    guard let end else { return nil }
    return (end, end.end.flatMap { number in flows[flow].first.map { number == 0 ? $0 : $0.peer } })
  }
  private var lastSide = Side.accessory
  /// The last record with iAP2 inside a CarPlay session.
  private var lastInnerRecord: Int?
  /// A run of text lines with the same problem: how many follow the first, and the offset of the second.
  private var repeated: (problem: TextRecords.Problem, more: Int, offset: Int)?

  /// The maximum number of connections of one capture.
  private static var maximumFlows: Int { 4096 }

  /// The reader of CarPlay sessions in network records; nil to read iAP2 alone.
  private var sessions: (any SessionReader)?

  var lateSessions: [CaptureNotice] { sessions?.lateSessions ?? [] }
  var isSealedCopy: Bool { sessions?.isSealedCopy == true }

  init(sink: Sink, _ options: CaptureAnalyzerOptions) {
    self.sink = sink
    (swapsSides, sessions) = (options.swapsSides, options.sessions)
  }

  mutating func take(_ block: CaptureBlock, _ bytes: RawSpan) {
    if let secrets = DecryptionSecrets.sessions(in: block, bytes) { sessions?.take(secrets: secrets) }
    guard block.type != Pcapng.sectionHeader else {
      switch Pcapng.mark(of: block, bytes) {
      case .decrypted?: sessions?.takeDecryptedMark()
      case .own?: sessions?.takeOwnMark()
      case nil: break
      }
      return
    }
    sink.block(block, bytes)
  }

  mutating func take(_ frame: CaptureFrame, _ bytes: RawSpan, comment: String?, isText: Bool) {
    if repeated != nil { reportRepeated() }
    moment = CaptureMoment(
      record: frame.number, time: time(of: frame, isText: isText), nanoseconds: frame.nanoseconds)
    counts.note(frame)
    if sessions != nil, let start = NetworkFrame.packetStart(frame.encapsulation, bytes) {
      sessions?.take(bytes, from: start, comment: comment, at: moment)
      takeReadings()
    } else if let linkType = frame.encapsulation.linkType {
      sessions?.take(other: bytes, linkType: linkType, comment: comment, at: moment)
    }
    guard var piece = piece(frame, bytes), let number = flow(piece.flow) else { return }
    piece.comment = comment
    // A TCP stream has numbers, by which its gap shows. The tap knows whether a record lacks data of a Bluetooth frame or
    // its check sequence alone. btmon's text has frames made anew, so the record states it.
    switch (piece.flow, frame.encapsulation) {
    case (.tcp, _): break
    case (.rfcomm, .hci): piece.isCut = piece.isCut || frame.isCut
    case (.rfcomm, _): break
    default: piece.isCut = frame.isCut
    }
    counts.decoded += 1
    if piece.isAnnounced { counts.announced.insert(piece.flow) }
    if case .side(let side) = piece.sender { lastSide = side }
    switch piece.place {
    case .frame(let range): flows[number].take(bytes.extracting(range), piece, at: moment, &sink)
    case .joined(let range): takeJoined(piece, range, number)
    }
  }

  /// Reports what the reader of sessions has found. Their iAP2 is decoded as that of any other connection.
  private mutating func takeReadings() {
    guard let readings = sessions?.takeFindings(), !readings.isEmpty else { return }
    for reading in readings {
      switch reading.content {
      case .finding(let finding):
        counts.inSessions += 1
        sink.session(finding, at: reading.moment.place(from: reading.from, flow: reading.session))
      case .explanation(let explanation): sink.session(explanation, number: reading.session)
      case .link(let bytes):
        guard let number = flow(.session(reading.session)) else { continue }
        // A record may have several messages with iAP2.
        if lastInnerRecord != reading.moment.record { counts.decoded += 1 }
        lastInnerRecord = reading.moment.record
        let piece = CapturePiece(
          flow: .session(reading.session), sender: .side(reading.from), place: .joined(0..<bytes.count))
        flows[number].take(bytes.rawBytes, piece, at: reading.moment, &sink)
      }
    }
  }

  private mutating func takeJoined(_ piece: CapturePiece, _ range: Range<Int>, _ number: Int) {
    // The bytes are copied, because the tap that owns the bytes must not be borrowed while `self` changes.
    let joined = joinedBytes(piece.flow)
    flows[number].take(joined.rawBytes.extracting(range), piece, at: moment, &sink)
  }

  mutating func note(_ damage: CaptureDamage) {
    counts.damaged += 1
    moment.record = damage.number
    if case .text(_, let problem) = damage.problem {
      if repeated?.problem == problem {
        repeated?.more += 1
        if repeated?.more == 1 { repeated?.offset = damage.offset }
        return
      }
      reportRepeated()
      repeated = (problem, 0, 0)
    }
    report(CaptureText.text(damage.problem), offset: damage.offset)
  }

  private mutating func report(_ message: String, offset: Int) {
    sink.fileDamage(message, offset: offset, at: DecodedPlace(record: moment.record, time: nil, from: lastSide))
  }

  /// Reports how many more lines had the problem that was reported for the first line of the run.
  private mutating func reportRepeated() {
    guard let run = repeated else { return }
    repeated = nil
    guard run.more > 0 else { return }
    report(
      "the same in \(run.more) more line\(run.more == 1 ? "" : "s"): \(CaptureText.text(run.problem))",
      offset: run.offset)
  }

  mutating func finish() {
    reportRepeated()
    sessions?.finish(at: moment)
    takeReadings()
    while let piece = tcp.flush() {
      if case .joined(let range) = piece.place, let number = flow(piece.flow) { takeJoined(piece, range, number) }
    }
    for number in flows.indices { flows[number].finish(record: moment.record, time: moment.time, &sink) }
  }

  private mutating func time(of frame: CaptureFrame, isText: Bool) -> Double? {
    guard let nanoseconds = frame.nanoseconds else { return nil }
    if isText { return Double(nanoseconds) / 1e9 }
    let first = start ?? nanoseconds
    start = first
    return Double(nanoseconds &- first) / 1e9
  }

  // MARK: Records to pieces

  private mutating func piece(_ frame: CaptureFrame, _ bytes: RawSpan) -> CapturePiece? {
    switch frame.encapsulation {
    case .usbLinux(let header, let isLittleEndian):
      return usb.take(bytes, headerByteCount: header, isLittleEndian: isLittleEndian, at: moment)
    case .usbPcap: return usb.takeUSBPcap(bytes, at: moment)
    case .usbWire: return usb.takeWire(bytes, at: moment)
    case .hciH4, .hciH4WithDirection, .hci, .linuxMonitor, .linuxMonitorPacket:
      guard let packet = HCIFrame.read(frame.encapsulation, bytes) else { return nil }
      return bluetooth.take(
        bytes, from: packet.start, type: packet.type, isSent: packet.isSent, adapter: packet.adapter, at: moment)
    case .ethernet, .linuxCooked, .rawIP, .loopback:
      guard let start = NetworkFrame.packetStart(frame.encapsulation, bytes) else { return nil }
      return tcp.take(bytes, from: start, at: moment)
    case .own:
      guard let (from, connection) = OwnRecord.read(bytes) else { return nil }
      return CapturePiece(
        flow: .own(connection: connection), sender: .side(from),
        place: .frame(OwnRecord.headerByteCount..<bytes.byteCount))
    case .bytes(let sender):
      return CapturePiece(
        flow: .text(connection: frame.connection), sender: CapturePiece.Sender(sender),
        place: .frame(0..<bytes.byteCount))
    case .message(let sender):
      return CapturePiece(
        flow: .text(connection: frame.connection), sender: CapturePiece.Sender(sender),
        place: .frame(0..<bytes.byteCount), isMessage: true)
    case .note, .unsupported: return nil
    }
  }

  private func joinedBytes(_ key: FlowKey) -> [UInt8] {
    switch key {
    case .usb, .usbReports: usb.joined
    case .tcp: tcp.joined
    case .rfcomm, .own, .text, .session: bluetooth.joined
    }
  }

  private mutating func flow(_ key: FlowKey) -> Int? {
    if let latest, latest.key == key { return latest.index }
    if let known = index[key] {
      latest = (key, known)
      return known
    }
    guard flows.count < Self.maximumFlows else { return nil }
    index[key] = flows.count
    latest = (key, flows.count)
    flows.append(FlowDecoder(key: key, number: flows.count, isSwapped: swapsSides))
    return flows.count - 1
  }
}

extension CapturePiece.Sender {
  fileprivate init(_ sender: CaptureSender) {
    self =
      switch sender {
      case .side(let side): .side(side)
      case .here: .end(0)
      case .there: .end(1)
      case .unknown: .unknown
      }
  }
}

/// Counts of the records of a capture by kind.
package struct CaptureCounts: Sendable, Equatable {
  /// The records of the file, including those without iAP2.
  package private(set) var records = 0
  /// The records that belong to an iAP2 connection.
  package var decoded = 0
  /// The findings of CarPlay sessions.
  package var inSessions = 0
  /// The damaged places of the file.
  package var damaged = 0
  /// The lines of a text log that have no bytes.
  package var otherLines = 0
  /// The bytes of the file.
  package var byteCount = 0
  /// The connections whose RFCOMM channel an SDP answer names; at most the number of connections.
  package var announced: Set<FlowKey> = []
  /// The records of which the capture has only a part.
  package private(set) var cut = 0
  /// The number of records of each link type that is not read, for at most 256 link types.
  package private(set) var unsupported: [UInt32: Int] = [:]

  mutating func note(_ frame: CaptureFrame) {
    records += 1
    if frame.isCut { cut += 1 }
    switch frame.encapsulation {
    case .usbLinux, .usbPcap, .usbWire: usb += 1
    case .hciH4, .hciH4WithDirection, .hci, .linuxMonitor, .linuxMonitorPacket: bluetooth += 1
    case .ethernet, .linuxCooked, .rawIP, .loopback: network += 1
    case .own, .bytes, .message: link += 1
    case .note: notes += 1
    case .unsupported(let type):
      if unsupported.count < 256 || unsupported[type] != nil { unsupported[type, default: 0] += 1 }
    }
  }

  /// The records of USB captures.
  package private(set) var usb = 0
  /// The records of Bluetooth captures.
  package private(set) var bluetooth = 0
  /// The records of network captures.
  package private(set) var network = 0
  /// The records with link bytes or control messages: link type 157 and text.
  package private(set) var link = 0
  /// The records without bytes of a connection, such as notes.
  package private(set) var notes = 0
}
