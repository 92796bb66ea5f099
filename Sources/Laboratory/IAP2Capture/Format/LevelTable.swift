// swift-iap2 · Apache-2.0

import IAP2

/// A reader of tables with the levels of serial lines over time, as logic analyzers export them
/// (CaptureFormats.md#levels). It decodes each channel as an asynchronous serial line with eight data bits, no parity
/// and a high level at rest.
struct LevelTable: TextForm {
  private let head: TableHead
  private let time: Int
  /// The channels that are decoded.
  private var lines: [(column: Int, sender: CaptureSender, line: SerialLine)] = []
  private var serial = SerialRecords()

  /// Returns nil for a text that is no such table: a head, and then times and levels alone.
  init?(_ lines: [Substring], _ words: SenderWords) {
    guard let head = lines.first.flatMap(TableHead.init), let time = head.time else { return nil }
    let rows = lines.dropFirst().dropLast(lines.count > 2 ? 1 : 0).map { TableRow($0, mark: head.mark) }
    guard !rows.isEmpty, rows.allSatisfy({ Self.isRow($0, time: time, count: head.names.count) }) else { return nil }
    (self.head, self.time) = (head, time)
    let columns = head.names.indices.filter { $0 != time }
    var used = columns.filter { column in Set(rows.map { $0[column] }).count > 1 }
    // The channels with names of serial lines are those, if any has such a name.
    let named = used.filter { words.stated(head.names[$0]) != nil }
    if !named.isEmpty { used = named }
    // Beside one line, the others may be at rest in the sample, and have its rate later.
    let resting = used.count == 1 ? columns.filter { $0 != used[0] } : []
    let names = (used + resting).map { head.names[$0] }
    for column in used {
      guard let line = Self.line(rows, column: column, time: time) else { continue }
      self.lines.append((column, words.sender(head.names[column], of: names), line))
    }
    guard let line = self.lines.first?.line else { return nil }
    for column in resting { self.lines.append((column, words.sender(head.names[column], of: names), line)) }
  }

  private static func isRow(_ row: TableRow, time: Int, count: Int) -> Bool {
    row.cells.count == count && Double(row[time]) != nil
      && row.cells.indices.allSatisfy { $0 == time || ["0", "1", "X"].contains(row[$0]) }
  }

  var kind: TextFormKind { .levels }

  mutating func take(_ line: Substring) -> TextOutcome {
    let row = TableRow(line, mark: head.mark)
    guard let now = Double(row[time]) else { return TextOutcome() }
    var outcome = TextOutcome(hasBytes: true)
    for index in lines.indices {
      let isHigh = row[lines[index].column] != "0"
      guard let (byte, start) = lines[index].line.take(isHigh: isHigh, at: now) else { continue }
      if let record = serial.add([byte], from: lines[index].sender, at: start) { outcome.records.append(record) }
    }
    return outcome
  }

  mutating func finish() -> [HexDump.Record] {
    var records: [HexDump.Record] = []
    for index in lines.indices {
      let isHigh = lines[index].line.restsHigh
      guard let (byte, start) = lines[index].line.take(isHigh: isHigh, at: .infinity) else { continue }
      if let record = serial.add([byte], from: lines[index].sender, at: start) { records.append(record) }
    }
    return records + serial.finish()
  }

  /// The usual rates of serial lines, in bits per second.
  private static let rates: [Double] = [
    9600, 19_200, 38_400, 57_600, 76_800, 115_200, 230_400, 250_000, 460_800, 500_000, 921_600, 1_000_000,
    1_500_000, 2_000_000, 3_000_000,
  ]
  /// The part of a bit by which a pulse may differ from whole bits, since a sample rate is finite.
  private static let tolerance = 0.2
  /// The part of the pulses that a rate has to explain. The others may be disturbances.
  private static let minimumPart = 0.9
  /// The part of the pulses that are single bits at least.
  private static let minimumSingles = 0.1

  /// Returns the decoder for a channel by its pulses in the sample. Its rate is the usual one of which the pulses are
  /// whole bits, or else that of the shortest pulse. The level of the longest rest is that of the line at rest.
  private static func line(_ rows: [TableRow], column: Int, time: Int) -> SerialLine? {
    var changes: [(time: Double, isHigh: Bool)] = []
    var last: Substring?
    for row in rows {
      if row[column] != last, let now = Double(row[time]) { changes.append((now, row[column] != "0")) }
      last = row[column]
    }
    let pulses = zip(changes, changes.dropFirst()).dropFirst().map { (isHigh: $0.isHigh, time: $1.time - $0.time) }
      .filter { $0.time > 0 && $0.time.isFinite }
    guard let shortest = pulses.map(\.time).min() else { return nil }
    let fits = rates.compactMap { rate in error(of: rate, pulses.map(\.time)).map { (rate: rate, error: $0) } }
    let rate = fits.min { $0.error < $1.error }?.rate
    let bit = rate.map { 1 / $0 } ?? shortest
    // No data are as long as a rest of two bytes. Without one, the line is as at its beginning.
    let rest = pulses.max { $0.time < $1.time }.flatMap { $0.time > 2 * Double(SerialLine.bitCount) * bit ? $0 : nil }
    return SerialLine(bitTime: bit, restsHigh: rest?.isHigh ?? changes.first?.isHigh ?? true)
  }

  /// Returns the mean distance of pulses from whole bits of a rate; nil if too few of them are whole bits.
  private static func error(of rate: Double, _ pulses: [Double]) -> Double? {
    // Between two bytes, a line rests for any time.
    let lengths = pulses.map { $0 * rate }.filter { $0 <= Double(SerialLine.bitCount) }
    let errors = lengths.filter { $0.rounded() >= 1 }.map { abs($0 - $0.rounded()) }.filter { $0 < tolerance }
    // Of a multiple of the rate, no pulse is a single bit.
    guard !errors.isEmpty, Double(errors.count) >= minimumPart * Double(lengths.count),
      Double(lengths.count { $0.rounded() == 1 }) >= minimumSingles * Double(lengths.count)
    else { return nil }
    return errors.reduce(0, +) / Double(errors.count)
  }
}

/// A decoder of one asynchronous serial line from its level changes.
struct SerialLine: Sendable {
  /// The length of a bit in seconds.
  let bitTime: Double
  /// Whether the line is high at rest; a line of RS-232 is low.
  let restsHigh: Bool
  private var isHigh: Bool?
  /// The beginning of the start bit of the byte that is being read; nil at rest.
  private var start: Double?
  /// The number of bits that were read; -1 before the start bit.
  private var bits = -1
  private var byte: UInt8 = 0

  private static let dataBits = 8
  /// The bits of a byte on the line: the start bit, the data and the stop bit.
  static let bitCount = dataBits + 2

  init(bitTime: Double, restsHigh: Bool = true) { (self.bitTime, self.restsHigh) = (bitTime, restsHigh) }

  /// Takes the level from a time on, and returns the byte that was complete before it, with the time of its start bit.
  /// A byte without a stop bit is dropped.
  mutating func take(isHigh isLevelHigh: Bool, at time: Double) -> (byte: UInt8, start: Double)? {
    let level = isLevelHigh == restsHigh
    var whole: (byte: UInt8, start: Double)?
    // Each bit is sampled in its middle: the first data bit 1.5 bits after the beginning of the start bit.
    while let begin = start, begin + (Double(bits) + 1.5) * bitTime < time {
      if bits < 0 {
        // A start bit that is over before its middle is a disturbance.
        if isHigh == true { start = nil } else { bits = 0 }
      } else if bits < Self.dataBits {
        if isHigh == true { byte |= 1 << UInt8(bits) }
        bits += 1
      } else {
        if isHigh == true { whole = (byte, begin) }
        (start, bits, byte) = (nil, -1, 0)
      }
    }
    if start == nil, isHigh == true, !level { start = time }
    isHigh = level
    return whole
  }
}
