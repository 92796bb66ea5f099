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

  /// Far beyond any clock, and still exact to a millisecond.
  static let maximumSeconds = 1e12

  /// Reads one line; nil for a line without a record.
  public static func parse(_ line: Substring.UTF8View) throws(Problem) -> (time: Double?, from: Side, bytes: [UInt8])? {
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
    var time: Double?
    if side(first) == nil {
      guard let seconds = Double(String(Substring(first))) else { throw .missingDirection }
      guard seconds.magnitude < maximumSeconds else { throw .notATime }
      time = seconds
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
  public static func line(_ record: CaptureRecord) -> String {
    let time = record.time.map { "\($0) " } ?? ""
    return time + (record.from == .accessory ? "A>D " : "D>A ") + Hex.text(record.bytes)
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
