// swift-iap2 · Apache-2.0

import IAP2

/// An encoding of a text capture.
package enum TextEncoding: Sendable, Hashable {
  /// UTF-8, also of plain ASCII.
  case utf8
  /// UTF-8 after the three bytes of a byte order mark.
  case utf8WithMark
  /// UTF-16, with or without the two bytes of a byte order mark.
  case utf16(isLittleEndian: Bool, hasMark: Bool)

  /// The number of bytes of the byte order mark.
  var markByteCount: Int {
    switch self {
    case .utf8: 0
    case .utf8WithMark: 3
    case .utf16(_, let hasMark): hasMark ? 2 : 0
    }
  }

  /// The number of characters that show UTF-16 without a byte order mark.
  private static let sampleCharacterCount = 8

  /// Returns the encoding of a file by its first bytes; nil while more bytes are needed to know it. A file that is no
  /// text counts as UTF-8, because none of its bytes has to be converted.
  static func detect(_ bytes: [UInt8], isFinished: Bool) -> TextEncoding? {
    if bytes.starts(with: [0xFF, 0xFE]) { return .utf16(isLittleEndian: true, hasMark: true) }
    if bytes.starts(with: [0xFE, 0xFF]) { return .utf16(isLittleEndian: false, hasMark: true) }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return .utf8WithMark }
    guard isFinished || bytes.count >= 3 else { return nil }
    guard bytes.count >= 2, (bytes[0] == 0) != (bytes[1] == 0) else { return .utf8 }
    let isLittleEndian = bytes[1] == 0
    let sample = bytes.prefix(2 * sampleCharacterCount)
    // Every second byte is zero, and the others are characters of a text.
    for (index, byte) in sample.enumerated() where !isExpected(byte, isZero: (index % 2 == 1) == isLittleEndian) {
      return .utf8
    }
    guard sample.count == 2 * sampleCharacterCount else { return isFinished ? .utf8 : nil }
    return .utf16(isLittleEndian: isLittleEndian, hasMark: false)
  }

  private static func isExpected(_ byte: UInt8, isZero: Bool) -> Bool {
    isZero ? byte == 0 : (0x20..<0x7F).contains(byte) || (0x09...0x0D).contains(byte)
  }
}

/// A converter of UTF-16 in pieces of any size to UTF-8.
struct UTF16Converter: Sendable {
  let isLittleEndian: Bool
  /// The first byte of a character whose second one has not been received.
  private var half: UInt8?
  /// The first unit of a pair whose second one has not been received.
  private var high: UInt16?

  init(isLittleEndian: Bool) { self.isLittleEndian = isLittleEndian }

  /// Returns the UTF-8 of the characters that these bytes complete. Units without their pair become U+FFFD.
  mutating func take(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var text = String.UnicodeScalarView()
    for byte in bytes {
      guard let first = half else {
        half = byte
        continue
      }
      half = nil
      add(isLittleEndian ? UInt16(byte) << 8 | UInt16(first) : UInt16(first) << 8 | UInt16(byte), &text)
    }
    return Array(String(text).utf8)
  }

  /// Returns U+FFFD in UTF-8 if the bytes end within a character.
  mutating func finish() -> [UInt8] {
    defer { (half, high) = (nil, nil) }
    return half == nil && high == nil ? [] : Array("\u{FFFD}".utf8)
  }

  private mutating func add(_ unit: UInt16, _ text: inout String.UnicodeScalarView) {
    if let first = high {
      high = nil
      if UTF16.isTrailSurrogate(unit) {
        let value = 0x10000 + UInt32(first & 0x3FF) << 10 + UInt32(unit & 0x3FF)
        text.append(Unicode.Scalar(value) ?? "\u{FFFD}")
        return
      }
      text.append("\u{FFFD}")
    }
    if UTF16.isLeadSurrogate(unit) {
      high = unit
    } else {
      text.append(Unicode.Scalar(unit) ?? "\u{FFFD}")
    }
  }
}

/// The recognized form of a text capture.
package struct TextReading: Sendable, Equatable {
  /// The encoding of the text.
  package var encoding = TextEncoding.utf8
  /// Whether the text has the project's own form, which needs no recognition.
  package var isOwnForm: Bool
  /// The form of any other text.
  package var form: TextFormKind
  /// Whether lines were found with a number before the offset of their bytes.
  package var hasLineNumbers = false
  /// Whether lines were found with the offset of their bytes.
  package var hasOffsets = false
  /// Whether records have a time.
  package var hasTimes = false
  /// Whether records state their sender.
  package var hasDirections = false
  /// The number of records.
  package var records = 0
  /// The number of lines, with and without bytes.
  package var lines = 0

  /// The numbers of records that begin with link bytes, and of those that have them behind other bytes.
  private var wholeStarts = 0, embeddedStarts = 0
  /// Whether the records are packets of a transport, such as Ethernet frames, in place of link bytes.
  package var hasWholePackets: Bool { embeddedStarts > 1 && embeddedStarts > wholeStarts }

  /// Whether the user gave patterns and no line matches one of them.
  package private(set) var lacksMatches: Bool

  /// Whether the user described the layout of the lines.
  private let hasLayout: Bool

  /// Whether the recognition may be wrong, so that the user should hear of it.
  package var isWorthANotice: Bool {
    records > 0 && (lacksMatches || !hasLayout && (!isOwnForm || encoding != .utf8))
  }

  init(isOwnForm: Bool, form: TextFormKind, log: TextLog?) {
    (self.isOwnForm, self.form, hasLayout, lacksMatches) = (isOwnForm, form, log != nil, log?.hasPatterns ?? false)
  }

  mutating func note(_ outcome: TextOutcome) {
    if outcome.isMatched { lacksMatches = false }
    if outcome.hasOffset { hasOffsets = true }
    if outcome.hasNumber { hasLineNumbers = true }
  }

  mutating func note(_ record: HexDump.Record) {
    records += 1
    if record.time != nil { hasTimes = true }
    if record.sender != .unknown { hasDirections = true }
    guard record.encapsulation == nil else { return }
    let bytes = record.bytes.rawBytes
    if LinkContent.begins(bytes) {
      wholeStarts += 1
    } else if record.bytes.indices.dropFirst().contains(where: { index in
      record.bytes[index] == 0xFF && LinkContent.begins(bytes.extracting(index..<bytes.byteCount))
    }) {
      embeddedStarts += 1
    }
  }
}
