// swift-iap2 · Apache-2.0

import IAP2

/// A parser of captures as text: the project's own form, or hexadecimal dumps and logs.
struct TextCapture: Sendable {
  /// Whether the text has the form of ``TextRecords``, which is strict: every other line is an error.
  private let isOwn: Bool
  /// The reader of any other text.
  private var form: any TextForm
  private var hasFinished = false
  /// Records that were completed together with the last one, in reverse order.
  private var waiting: [HexDump.Record] = []
  private var line = 0
  /// Whether the parser is within a line that is longer than a record can be.
  private var isSkipping = false
  /// The bytes of the last frame.
  private(set) var decoded: [UInt8] = []
  /// The comment of the last frame.
  private(set) var comment: String?
  /// The time and side of the last record, which a comment without a record of its own takes over.
  private var latest: (time: Int64?, from: Side) = (nil, .accessory)
  /// The number of marks of a quotation before each line.
  private let quotationDepth: Int
  /// The numbers of a log's connections, by name.
  private var connections: [String: Int] = [:]
  /// The number of lines of a dump or log without bytes.
  private(set) var otherLines = 0
  /// The form of the text, as far as it was recognized.
  private(set) var reading: TextReading

  /// The maximum number of connections of one log to distinguish; further ones count as the last.
  private static let maximumConnections = 1024

  /// - Parameters:
  ///   - sample: The first lines of the text.
  ///   - log: The layout that the user supplies.
  init(sample: RawSpan, _ log: TextLog?) {
    isOwn = Self.isOwn(sample) && log == nil
    let lines = Self.lines(sample)
    let depth = isOwn ? 0 : TextMarkup.quotationDepth(lines)
    quotationDepth = depth
    form = TextForms.detect(lines.map { TextMarkup.unquoted($0, depth: depth) }, log)
    reading = TextReading(isOwnForm: isOwn, form: form.kind, log: log)
  }

  private static func lines(_ sample: RawSpan) -> [Substring] {
    String(decoding: [UInt8](copying: sample), as: UTF8.self).split(whereSeparator: \.isNewline)
  }

  /// Returns whether the sample has a line that names the sides, as the project's own form does.
  static func isOwn(_ sample: RawSpan) -> Bool {
    lines(sample).contains { line in
      line.split(separator: " ", maxSplits: 2).prefix(2).contains { ["A>D", "D>A"].contains($0.uppercased()) }
    }
  }

  /// Whether the end of the file completes a record.
  var hasPending: Bool { !isOwn && !hasFinished }
  /// Whether a record waits that needs no further bytes of the file.
  var hasWaiting: Bool { !waiting.isEmpty }

  mutating func next(_ bytes: RawSpan, at offset: inout Int, isFinished: Bool) -> FormatStep {
    if let record = waiting.popLast() { return self.record(record) }
    guard offset < bytes.byteCount else { return flush() }
    guard let end = lineEnd(bytes, from: offset) ?? (isFinished ? bytes.byteCount : nil) else {
      let available = bytes.byteCount - offset
      guard available > TextRecords.maximumLineByteCount else { return .more(available + 1) }
      offset = bytes.byteCount
      defer { isSkipping = true }
      return isSkipping ? .passed : tooLong()
    }
    let range = offset..<end
    offset = min(bytes.byteCount, end + 1)
    if isSkipping {
      isSkipping = false
      return .passed
    }
    guard range.count <= TextRecords.maximumLineByteCount else { return tooLong() }
    line += 1
    reading.lines += 1
    return read(String(decoding: [UInt8](copying: bytes.extracting(range)), as: UTF8.self))
  }

  private mutating func tooLong() -> FormatStep {
    line += 1
    return .damage(
      .text(line: line, .lineTooLong(limit: TextRecords.maximumLineByteCount)), isFatal: false)
  }

  private func lineEnd(_ bytes: RawSpan, from offset: Int) -> Int? {
    for index in offset..<bytes.byteCount where bytes.byte(index) == 0x0A { return index }
    return nil
  }

  private mutating func read(_ text: String) -> FormatStep {
    guard isOwn else { return dump(TextMarkup.unquoted(text[...], depth: quotationDepth)) }
    do {
      guard let (time, from, bytes) = try TextRecords.record(text[...].utf8) else { return note(text) }
      decoded = bytes
      comment = nil
      latest = (time, from)
      reading.records += 1
      return frame(time, .bytes(.side(from)), isElided: false)
    } catch { return .damage(.text(line: line, error), isFatal: false) }
  }

  private mutating func dump(_ text: Substring) -> FormatStep {
    let outcome = form.take(text)
    reading.note(outcome)
    if !outcome.hasBytes, text.contains(where: { !$0.isWhitespace }) { otherLines += 1 }
    return first(of: outcome.records)
  }

  private mutating func first(of records: [HexDump.Record]) -> FormatStep {
    waiting = records.reversed()
    return waiting.popLast().map { record($0) } ?? .passed
  }

  /// Reads the line of this project's captures that states the end of a connection. Other comments are for readers.
  private mutating func note(_ text: String) -> FormatStep {
    guard text.hasPrefix("# ") else { return .passed }
    let text = text.dropFirst(2).trimmingPrefix(while: \.isWhitespace)
    let end = text.lastIndex { !$0.isWhitespace }
    let comment = end.map { String(text[...$0]) } ?? ""
    guard CaptureNote.cause(comment) != nil else { return .passed }
    decoded = []
    self.comment = comment
    guard case .frame(var frame) = frame(latest.time, .bytes(.side(latest.from)), isElided: false) else {
      return .passed
    }
    frame.comment = 0..<0
    return .frame(frame)
  }

  private mutating func flush() -> FormatStep {
    guard hasPending else { return .passed }
    hasFinished = true
    return first(of: form.finish())
  }

  private mutating func record(_ record: HexDump.Record) -> FormatStep {
    decoded = record.bytes
    reading.note(record)
    let isMessage = HexDump.isMessage(record.bytes)
    return frame(
      record.time.flatMap { Int64(exactly: ($0 * 1e9).rounded()) },
      record.encapsulation ?? (isMessage ? .message(record.sender) : .bytes(record.sender)), isElided: record.isElided,
      connection: record.connection.map { number(of: $0) } ?? 0)
  }

  private mutating func number(of connection: String) -> Int {
    if let known = connections[connection] { return known }
    guard connections.count < Self.maximumConnections else { return Self.maximumConnections - 1 }
    connections[connection] = connections.count
    return connections.count - 1
  }

  private func frame(
    _ nanoseconds: Int64?, _ encapsulation: CaptureEncapsulation, isElided: Bool, connection: Int = 0
  ) -> FormatStep {
    var frame = CaptureFrame(
      number: 0, nanoseconds: nanoseconds, encapsulation: encapsulation, range: 0..<decoded.count,
      originalByteCount: decoded.count + (isElided ? 1 : 0), offset: 0)
    frame.connection = connection
    return .frame(frame)
  }
}
