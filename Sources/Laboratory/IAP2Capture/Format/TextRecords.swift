// swift-iap2 · Apache-2.0

public import IAP2

/// Bytes that one side sent, as one record of a capture.
public struct CaptureRecord: Sendable, Hashable {
  /// From 1.
  public var number: Int
  /// Seconds; nil when the capture has no time.
  public var time: Double?
  public var from: Side
  public var bytes: [UInt8]

  public init(number: Int, time: Double?, from: Side, bytes: [UInt8]) {
    self.number = number
    self.time = time
    self.from = from
    self.bytes = bytes
  }
}

/// The project's text form: one record a line, `[seconds] A>D|D>A hex…`, `#` starts a comment.
public enum TextRecords {
  public enum Problem: Error, Equatable, Sendable {
    /// Neither a time nor a direction stands first.
    case missingDirection
    case notATime
    /// A character that is no hexadecimal digit, counted from 0 in the line.
    case notHexadecimal(column: Int)
    case oddDigitCount
    /// The line has a direction and no bytes.
    case noBytes
    /// Longer than any record can be.
    case lineTooLong(limit: Int)
  }

  /// A line holds one transport read at most; the largest packets are 65 535 bytes, spaced hexadecimal is three
  /// characters a byte, and several packets may be joined.
  public static let maximumLineByteCount = 1 << 22

  /// Reads one line; nil for a line without a record.
  public static func parse(_ line: Substring.UTF8View) throws(Problem) -> (time: Double?, from: Side, bytes: [UInt8])? {
    try record(line).map { ($0.nanoseconds.map { Double($0) / 1e9 }, $0.from, $0.bytes) }
  }

  /// The same with its time as exact as it is written.
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
        guard let digit = digit(byte) else { throw .notHexadecimal(column: column) }
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

  /// Writes one record as a line, without the line end.
  ///
  /// - Parameter nanoseconds: nil without a time.
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

  static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

/// Seconds as decimal text, exact to a nanosecond whatever they count from.
enum DecimalSeconds {
  /// Nil for what is no number, or further away than nanoseconds in 64 bits reach (292 years).
  static func nanoseconds(_ text: String) -> Int64? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count == 2 ? parts[1] : ""
    guard let whole = Int64(parts[0].isEmpty ? "0" : parts[0]), fraction.allSatisfy(\.isASCII),
      fraction.allSatisfy(\.isNumber)
    else {
      // With an exponent.
      guard let seconds = Double(text), seconds.isFinite else { return nil }
      return Int64(exactly: (seconds * 1e9).rounded())
    }
    let digits = fraction.prefix(9) + String(repeating: "0", count: max(0, 9 - fraction.count))
    let (product, isTooFar) = whole.magnitude.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooMuch) = product.addingReportingOverflow(UInt64(digits) ?? 0)
    guard !isTooFar, !isTooMuch, let magnitude = Int64(exactly: sum) else { return nil }
    return text.hasPrefix("-") ? -magnitude : magnitude
  }

  /// Without zeros at its end.
  static func text(_ nanoseconds: Int64) -> String {
    let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    let digits = String(rest)
    var fraction = Substring(String(repeating: "0", count: 9 - digits.count) + digits)
    while fraction.count > 1, fraction.last == "0" { fraction.removeLast() }
    return (nanoseconds < 0 ? "-" : "") + "\(whole).\(fraction)"
  }
}

/// Bytes as hexadecimal text, in small letters.
public enum Hex {
  private static let digits = Array("0123456789abcdef".utf8)

  /// Digits in pairs and nothing else; nil for any other text.
  package static func bytes(_ text: Substring) -> [UInt8]? {
    guard text.utf8.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 2)
    var high: UInt8?
    for byte in text.utf8 {
      guard let digit = TextRecords.digit(byte) else { return nil }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    return bytes
  }

  public static func text(_ bytes: [UInt8]) -> String {
    unsafe String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
      for (index, byte) in bytes.enumerated() {
        unsafe buffer[index * 2] = digits[Int(byte >> 4)]
        unsafe buffer[index * 2 + 1] = digits[Int(byte & 15)]
      }
      return bytes.count * 2
    }
  }
}
