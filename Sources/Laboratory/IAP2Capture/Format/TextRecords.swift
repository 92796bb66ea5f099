// swift-iap2 · Apache-2.0

public import IAP2

/// A record of a capture: bytes that one side sent.
public struct CaptureRecord: Sendable, Hashable {
  /// The number of the record, from 1.
  public var number: Int
  /// The time in seconds; nil when the capture has no times.
  public var time: Double?
  /// The side that sent the bytes.
  public var from: Side
  /// The bytes.
  public var bytes: [UInt8]

  /// Creates a record.
  public init(number: Int, time: Double?, from: Side, bytes: [UInt8]) {
    self.number = number
    self.time = time
    self.from = from
    self.bytes = bytes
  }
}

/// The project's own text form: one record per line, `[seconds] A>D|D>A hex…`; `#` starts a comment.
public enum TextRecords {
  /// The reason why a line is not a record.
  public enum Problem: Error, Equatable, Sendable {
    /// The line has no direction at its start or after its time.
    case missingDirection
    /// The time is not a number of seconds that fits in 64-bit nanoseconds.
    case notATime
    /// The column, counted from 0, has a character that is not a hexadecimal digit.
    case notHexadecimal(column: Int)
    /// The number of hexadecimal digits is odd.
    case oddDigitCount
    /// The line has a direction but no bytes.
    case noBytes
    /// The line is longer than the limit in bytes.
    case lineTooLong(limit: Int)
  }

  /// The maximum length of a line in bytes. A line holds at most one read of a transport: packets have up to 65 535
  /// bytes, spaced hexadecimal needs three characters per byte, and a read may join several packets.
  public static let maximumLineByteCount = 1 << 22

  /// Reads one line; returns nil for a line without a record. The time is in seconds.
  public static func parse(_ line: Substring.UTF8View) throws(Problem) -> (time: Double?, from: Side, bytes: [UInt8])? {
    try record(line).map { ($0.nanoseconds.map { Double($0) / 1e9 }, $0.from, $0.bytes) }
  }

  /// Does the same with the time as exact as it is written.
  static func record(
    _ line: Substring.UTF8View
  ) throws(Problem) -> (nanoseconds: Int64?, from: Side, bytes: [UInt8])? {
    guard line.count <= maximumLineByteCount else { throw .lineTooLong(limit: maximumLineByteCount) }
    var column = 0
    var index = line.startIndex
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
    func word() -> Substring.UTF8View {
      while index < line.endIndex, isSpace(line[index]) {
        line.formIndex(after: &index)
        column += 1
      }
      let start = index
      while index < line.endIndex, !isSpace(line[index]), line[index] != UInt8(ascii: "#") {
        line.formIndex(after: &index)
        column += 1
      }
      return line[start..<index]
    }
    var first = word()
    if first.isEmpty { return nil }
    var time: Int64?
    if side(first) == nil {
      let text = String(Substring(first))
      guard Double(text) != nil else { throw .missingDirection }
      guard let nanoseconds = DecimalSeconds.nanoseconds(text) else { throw .notATime }
      time = nanoseconds
      first = word()
    }
    guard let from = side(first) else { throw .missingDirection }
    var bytes: [UInt8] = []
    var high: UInt8?
    while index < line.endIndex, line[index] != UInt8(ascii: "#") {
      let byte = line[index]
      if !isSpace(byte) {
        guard let digit = Hex.digit(byte) else { throw .notHexadecimal(column: column) }
        if let first = high {
          bytes.append(first << 4 | digit)
          high = nil
        } else {
          high = digit
        }
      }
      line.formIndex(after: &index)
      column += 1
    }
    guard high == nil else { throw .oddDigitCount }
    guard !bytes.isEmpty else { throw .noBytes }
    return (time, from, bytes)
  }

  /// Returns the line of a record, without the line end.
  ///
  /// - Parameter nanoseconds: the time; nil without one.
  static func line(nanoseconds: Int64?, from: Side, _ bytes: [UInt8]) -> String {
    let time = nanoseconds.map { DecimalSeconds.text($0) + " " } ?? ""
    return time + (from == .accessory ? "A>D " : "D>A ") + Hex.text(bytes)
  }

  private static func side(_ word: Substring.UTF8View) -> Side? {
    switch String(Substring(word)).uppercased() {
    case "A>D": .accessory
    case "D>A": .device
    default: nil
    }
  }
}

/// Seconds as decimal text, exact to a nanosecond from any origin.
enum DecimalSeconds {
  /// Returns nil for text that is not a number, and for values beyond 64-bit nanoseconds (292 years).
  static func nanoseconds(_ text: String) -> Int64? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count == 2 ? parts[1] : ""
    guard let whole = Int64(parts[0].isEmpty ? "0" : parts[0]), fraction.allSatisfy(\.isASCII),
      fraction.allSatisfy(\.isNumber)
    else {
      // The number has an exponent.
      guard let seconds = Double(text), seconds.isFinite else { return nil }
      return Int64(exactly: (seconds * 1e9).rounded())
    }
    let digits = fraction.prefix(9) + String(repeating: "0", count: max(0, 9 - fraction.count))
    let (product, isTooFar) = whole.magnitude.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooMuch) = product.addingReportingOverflow(UInt64(digits) ?? 0)
    guard !isTooFar, !isTooMuch, let magnitude = Int64(exactly: sum) else { return nil }
    return text.hasPrefix("-") ? -magnitude : magnitude
  }

  /// Returns the text without trailing zeros.
  static func text(_ nanoseconds: Int64) -> String {
    let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    let digits = String(rest)
    var fraction = Substring(String(repeating: "0", count: 9 - digits.count) + digits)
    while fraction.count > 1, fraction.last == "0" { fraction.removeLast() }
    return (nanoseconds < 0 ? "-" : "") + "\(whole).\(fraction)"
  }
}
