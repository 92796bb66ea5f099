// swift-iap2 · Apache-2.0

import IAP2

/// A reader of tables with decoded serial bytes, as logic analyzers and oscilloscopes export them
/// (CaptureFormats.md#tables). A row has a byte or several in a column of data, and its sender in another one, or the
/// bytes of each direction in a column of their own.
struct ByteTable: TextForm {
  /// A column with bytes.
  private struct Data {
    var column: Int
    /// The sender that the name of the column states; nil if another column has it.
    var sender: CaptureSender?
  }

  private let head: TableHead
  private let data: [Data]
  private let name: Int?
  private let isDecimal: Bool
  /// The names of senders in the rows so far, the first ones.
  private var names: [Substring]
  private let words: SenderWords
  private var serial = SerialRecords()
  /// Whether the line with the head was taken. The lines above it have no bytes.
  private var isBelowHead = false

  private static let dataNames = [
    "data", "value", "byte", "bytes", "hex", "payload", "decodedprotocolresult", "result", "decoded", "content",
    "datahex", "hexdata", "rawdata",
  ]
  private static let senderNames = [
    "name", "channel", "direction", "dir", "signal", "source", "analyzername", "line", "decoder",
  ]
  /// The maximum number of names to distinguish. Two are the ends of a connection.
  private static let maximumNameCount = 8
  /// The rows above the head of a table: the name of the instrument and its settings.
  private static let maximumRowsAbove = 32

  /// Returns nil for a text that is no such table.
  init?(_ lines: [Substring], _ words: SenderWords) {
    guard let (line, head, data) = Self.head(lines, words) else { return nil }
    // The last line of the sample may be cut.
    let rows = lines[(line + 1)...].dropLast(lines.count > line + 2 ? 1 : 0).map { TableRow($0, mark: head.mark) }
    let cells = rows.flatMap { row in data.map { row.tail(from: $0.column, of: head.keys.count) } }
      .filter { !$0.isEmpty }
    let name = head.keys.firstIndex { Self.senderNames.contains($0) }
    isDecimal = Self.isDecimal(cells)
    guard cells.contains(where: { [isDecimal] in Self.bytes($0, isDecimal: isDecimal) != nil }) else { return nil }
    var names: [Substring] = []
    for row in rows { if let name, !row[name].isEmpty, !names.contains(row[name]) { names.append(row[name]) } }
    (self.head, self.data, self.name, self.names, self.words) = (head, data, name, names, words)
  }

  /// Returns the first line that is a head with columns of bytes, and these columns.
  private static func head(
    _ lines: [Substring], _ words: SenderWords
  ) -> (line: Int, head: TableHead, data: [Data])? {
    lines.prefix(maximumRowsAbove).enumerated().lazy.compactMap { index, line in
      TableHead(line).map { (line: index, head: $0, data: columns($0, words)) }
    }.first { !$0.data.isEmpty }
  }

  private static func columns(_ head: TableHead, _ words: SenderWords) -> [Data] {
    let directed = head.names.indices.compactMap { column -> Data? in
      let key = head.keys[column]
      guard column != head.time, key.utf8.count <= 8, !key.contains("err"),
        let sender = words.stated(head.names[column])
      else { return nil }
      return Data(column: column, sender: sender)
    }
    if let column = head.keys.firstIndex(where: dataNames.contains) { return [Data(column: column, sender: nil)] }
    return directed
  }

  /// Returns whether a text is a table whose cells of data have characters in place of numbers.
  static func hasCharacters(_ lines: [Substring]) -> Bool {
    guard let (line, head, data) = Self.head(lines, SenderWords(nil)) else { return false }
    return lines[(line + 1)...].contains { line in
      let row = TableRow(line, mark: head.mark)
      return data.lazy.map { row[$0.column] }.contains { isCharacter($0) }
    }
  }

  /// Returns whether a cell has a character or its escape in place of a number.
  private static func isCharacter(_ cell: Substring) -> Bool {
    cell.hasPrefix("\\") || cell.count == 1 && !cell.allSatisfy(\.isHexDigit)
  }

  var kind: TextFormKind { .table }

  mutating func take(_ line: Substring) -> TextOutcome {
    guard isBelowHead else {
      isBelowHead = TableHead(line)?.names == head.names
      return TextOutcome()
    }
    let row = TableRow(line, mark: head.mark)
    var outcome = TextOutcome()
    for part in data {
      guard let bytes = Self.bytes(row.tail(from: part.column, of: head.keys.count), isDecimal: isDecimal) else {
        continue
      }
      outcome.hasBytes = true
      if let name { note(row[name]) }
      let sender = part.sender ?? name.map { words.sender(row[$0], of: names) } ?? .unknown
      let time = head.time.flatMap { seconds(row[$0]) }
      if let record = serial.add(bytes, from: sender, at: time) { outcome.records.append(record) }
    }
    return outcome
  }

  /// Returns the seconds of a cell. Between semicolons, a number may have a decimal comma.
  private func seconds(_ cell: Substring) -> Double? {
    guard head.mark != ",", cell.contains(",") else { return HexDump.Line.time(cell) }
    return HexDump.Line.time(cell.replacing(",", with: "."))
  }

  /// Adds a name of a row with bytes.
  private mutating func note(_ name: Substring) {
    guard names.count < Self.maximumNameCount, !name.isEmpty, !names.contains(name) else { return }
    // A copy, so that the line is not kept.
    names.append(String(name)[...])
  }

  mutating func finish() -> [HexDump.Record] { serial.finish() }

  /// Returns whether cells are decimal numbers: one has another number of digits than two, and none is hexadecimal.
  private static func isDecimal(_ cells: [Substring]) -> Bool {
    cells.allSatisfy { UInt8($0) != nil } && cells.contains { $0.utf8.count != 2 }
  }

  /// Returns the bytes of a cell: `0xFF`, `FF`, `FFh`, `'U' (0x55)`, `FF 55 02`; nil for anything else.
  private static func bytes(_ cell: Substring, isDecimal: Bool) -> [UInt8]? {
    guard !cell.isEmpty else { return nil }
    if isDecimal { return UInt8(cell).map { [$0] } }
    if let open = cell.lastIndex(of: "("), cell.hasSuffix(")") {
      return bytes(cell[open...].dropFirst().dropLast(), isDecimal: false)
    }
    if cell.hasPrefix("0b"), cell.utf8.count > 2 {
      return UInt8(cell.dropFirst(2).filter { $0 != "_" }, radix: 2).map { [$0] }
    }
    var bytes: [UInt8] = []
    // Characters may stand behind a bar.
    for word in cell.prefix(while: { $0 != "|" }).split(whereSeparator: { " {}[]".contains($0) }) {
      let digits = word.hasSuffix("h") || word.hasSuffix("H") ? word.dropLast() : word
      guard let part = HexDump.Line.bytes(digits) else { return nil }
      bytes += part
    }
    return bytes.isEmpty ? nil : bytes
  }
}
