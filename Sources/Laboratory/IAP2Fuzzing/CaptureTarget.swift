// swift-iap2 · Apache-2.0

import CarPlayCapture
import IAP2
import IAP2Capture

/// The target for a capture file of one format. The file is read at once and in pieces, decoded, and its link bytes are
/// written to this project's own formats.
///
/// Input: the file.
enum CaptureTarget {
  private struct Reading: Equatable {
    var lines: [DecodedLine]
    var counts: CaptureCounts
    var notices: [CaptureNotice]
    var format: CaptureReader.Format?
  }

  /// Returns whether a file is detected as the format of a target.
  static func isInput(_ bytes: [UInt8], of target: FuzzTarget) -> Bool {
    var reader = CaptureReader()
    reader.append(bytes)
    reader.finish()
    _ = reader.next()
    return reader.format.map { $0 == target.format } ?? false
  }

  static func check(
    _ bytes: [UInt8], _ format: CaptureReader.Format, withLog: Bool = false
  ) throws(Finding) -> Bool {
    var options = CaptureAnalyzerOptions()
    if withLog { options.log = log }
    options.sessions = CarPlaySessions(explains: true)
    let whole = read([bytes], options)
    guard whole.format == format else { return false }
    // The content selects one length below 100 bytes for all pieces.
    let length = UInt8(bytes.reduce(0) { ($0 + Int($1)) % 100 })
    let cut = read(bytes.pieces([length]), options)
    try require(whole == cut, "\(difference(whole, cut)), in pieces of \(length)")
    try examine(whole, bytes)
    try frames(bytes, options)
    try store(bytes, options)
    return true
  }

  /// An example layout of a log: a time, a connection and a word before the bytes.
  private static let log: TextLog? = {
    do {
      return try TextLog(
        pattern: #"^(?<time>\S+) +(?<conn>\d+ )?(?<dir>\w+) +(?<length>\d+)?: *(?<hex>.*)$"#,
        words: ["put": .accessory, "get": .device])
    } catch { return nil }
  }()

  private static func read(_ pieces: [[UInt8]], _ options: CaptureAnalyzerOptions) -> Reading {
    var analyzer = CaptureAnalyzer(options: options, sink: LineSink())
    for piece in pieces { analyzer.append(piece) }
    analyzer.finish()
    return Reading(
      lines: analyzer.sink.lines, counts: analyzer.counts, notices: analyzer.notices, format: analyzer.reader.format)
  }

  private static func difference(_ a: Reading, _ b: Reading) -> String {
    guard a.format == b.format else { return "\(a.format, default: "no format"), then \(b.format, default: "none")" }
    if let place = a.lines.indices.first(where: { !b.lines.indices.contains($0) || a.lines[$0] != b.lines[$0] }) {
      return "\(a.lines[place]), then \(b.lines.indices.contains(place) ? "\(b.lines[place])" : "nothing")"
    }
    return a.lines.count == b.lines.count
      ? "\(a.counts), \(a.notices), then \(b.counts), \(b.notices)" : "\(b.lines.count - a.lines.count) more"
  }

  /// Checks that the number of findings is bounded by the input, and that their places lie within it.
  private static func examine(_ reading: Reading, _ bytes: [UInt8]) throws(Finding) {
    try require(reading.lines.count <= 64 + 2 * bytes.count, "\(reading.lines.count) lines of \(bytes.count) bytes")
    try require(reading.counts.records + reading.counts.damaged <= bytes.count, "\(reading.counts) of \(bytes.count)")
    for line in reading.lines {
      let isRecord = line.record <= reading.counts.records + reading.counts.damaged + 1
      try require(isRecord && line.record >= 0, "record \(line.record) of \(reading.counts)")
    }
    for line in reading.lines {
      guard line.isOfFile, case .error(_, let offset) = line.content else { continue }
      try require((0...bytes.count).contains(offset), "damage at \(offset) of \(bytes.count)")
    }
  }

  /// Checks the reader alone: records are numbered in order, their offsets do not decrease, and their bytes are in the
  /// file.
  private static func frames(_ bytes: [UInt8], _ options: CaptureAnalyzerOptions) throws(Finding) {
    var reader = CaptureReader(format: nil, log: options.log)
    reader.append(bytes)
    var last = (number: 0, offset: -1)
    for isFinished in [false, true] {
      if isFinished { reader.finish() }
      while let item = reader.next() {
        switch item {
        case .frame(let frame):
          try require(frame.number == last.number + 1, "record \(frame.number) behind \(last.number)")
          try require(frame.offset >= last.offset && frame.offset <= bytes.count, "a record at \(frame.offset)")
          try require(frame.byteCount <= bytes.count, "\(frame.byteCount) bytes of a file of \(bytes.count)")
          try require(reader.bytes(of: frame).byteCount == frame.byteCount, "another length")
          last = (frame.number, frame.offset)
        case .block(let block):
          try require(reader.bytes(of: block).byteCount <= bytes.count, "a block longer than the file")
        case .damage(let damage):
          try require(damage.number >= last.number && damage.offset >= 0, "damage at \(damage.number)")
          if case .dropped = damage.problem { continue }
          last.number = damage.number
        }
      }
    }
  }

  // MARK: Stored

  /// A sink that collects link bytes with their side and connection, and the explanations of CarPlay sessions. Whole
  /// messages of a log are left out.
  struct PieceSink: DecodedSink {
    struct Piece: Equatable {
      var from: Side
      var flow: Int
      var bytes: [UInt8]
    }
    var pieces: [Piece] = []
    var explanations: [SessionExplanation] = []
    /// The findings of CarPlay sessions.
    var findingCount = 0

    mutating func session(_ finding: SessionFinding, at place: DecodedPlace) { findingCount += 1 }
    mutating func session(_ explanation: SessionExplanation, number: Int) { explanations.append(explanation) }

    mutating func piece(_ bytes: RawSpan, isMessage: Bool, at place: DecodedPlace) {
      guard !isMessage, bytes.byteCount > 0 else { return }
      pieces.append(Piece(from: place.from, flow: place.flow, bytes: [UInt8](copying: bytes)))
    }
    mutating func detect(at place: DecodedPlace) {}
    mutating func link(
      _ header: LinkHeader, header state: DecodedLine.ChecksumState, payload: DecodedLine.ChecksumState,
      isRepeated: Bool, at place: DecodedPlace
    ) {}
    mutating func synchronization(_ parameters: LinkSynchronization, at place: DecodedPlace) {}
    mutating func message(_ bytes: RawSpan, offset: Int, at place: DecodedPlace) {}
    mutating func externalAccessory(session: UInt16, data: RawSpan, at place: DecodedPlace) {}
    mutating func fileTransfer(
      file: UInt8, _ operation: FileTransferOperation, data: RawSpan, at place: DecodedPlace
    ) {}
    mutating func error(_ message: String, offset: Int, at place: DecodedPlace) {}
    mutating func fileDamage(_ message: String, offset: Int, at place: DecodedPlace) {}
  }

  /// Returns the link bytes of a capture.
  static func pieces(of bytes: [UInt8], _ options: CaptureAnalyzerOptions = .init()) -> [PieceSink.Piece] {
    var analyzer = CaptureAnalyzer(options: options, sink: PieceSink())
    analyzer.append(bytes)
    analyzer.finish()
    return analyzer.sink.pieces
  }

  /// Checks that link bytes survive writing and reading, in the formats that keep them unchanged.
  private static func store(_ bytes: [UInt8], _ options: CaptureAnalyzerOptions) throws(Finding) {
    // Connections are renumbered when they are read, in the order of their first record.
    let found = pieces(of: bytes, options)
    guard !found.isEmpty, Set(found.map(\.flow)).count == 1 else { return }
    for format in [CaptureWriter.Format.pcapng, .text] {
      var writer = CaptureWriter(format)
      var file = writer.header
      for piece in found { file += writer.record(.init(nanoseconds: nil, from: piece.from, bytes: piece.bytes)) }
      let stored = pieces(of: file)
      try require(
        stored.map(\.bytes) == found.map(\.bytes) && stored.map(\.from) == found.map(\.from),
        "\(found.count) pieces written as \(format), \(stored.count) read")
    }
  }
}
